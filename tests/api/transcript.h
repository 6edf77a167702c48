#pragma once

// Transcripts: HTTP requests to a Kubernetes API server and expected responses, as text. README.md
// beside this file describes the format; this is its parser.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms::transcripts {

using HeaderLines = std::vector<std::pair<std::string, std::string>>;

// An HTTP request, before variables are replaced.
struct Request {
  std::string method;
  std::string target;
  HeaderLines headers;
  std::string body;

  // The response to a watch is a sequence of events.
  bool IsWatch() const;
};

// The expected response.
struct Expectation {
  int status = 0;
  bool eventually = false;  // repeat the request until the response matches
  HeaderLines headers;
  // A pattern of the body as text; nothing when any body is accepted or `documents` is used.
  std::optional<std::string> text;
  // Patterns of the body as JSON: one, or for a watch one per event.
  std::vector<Json> documents;
  bool more_may_follow = false;  // events after the listed ones are accepted
};

struct Exchange {
  int line = 0;  // of the request, starting with one
  Request request;
  Expectation expectation;
};

using Transcript = std::vector<Exchange>;

// Errors start with the line: "line 12: …".
Result<Transcript> ParseTranscript(std::string_view text);

}  // namespace kubexms::transcripts
