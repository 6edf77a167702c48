#pragma once

// A transcript: requests to a Kubernetes API server and what it has to answer, as text. README.md
// beside this file describes the form; this is its reader, which knows nothing of servers.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms::transcripts {

using HeaderLines = std::vector<std::pair<std::string, std::string>>;

// What is asked. Variables stand as they were written.
struct Request {
  std::string method;
  std::string target;
  HeaderLines headers;
  std::string body;

  // The answer is then a sequence of events.
  bool IsWatch() const;
};

// What has to be answered.
struct Expectation {
  int status = 0;
  bool eventually = false;  // the request may be repeated for a while
  HeaderLines headers;
  // A pattern of the answer as a text; nothing when any will do or `documents` says it.
  std::optional<std::string> text;
  // Patterns of the answer as JSON: one, or for a watch one for each event.
  std::vector<Json> documents;
  bool more_may_follow = false;  // after the events that are listed
};

struct Exchange {
  int line = 0;  // of the request, counted from one
  Request request;
  Expectation expectation;
};

using Transcript = std::vector<Exchange>;

// Errors begin with the line: "line 12: …".
Result<Transcript> ParseTranscript(std::string_view text);

}  // namespace kubexms::transcripts
