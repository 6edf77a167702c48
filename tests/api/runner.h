#pragma once

// Runs transcripts against a server.

#include <memory>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/net/client/client.h"
#include "tests/api/pattern.h"
#include "tests/api/transcript.h"

namespace kubexms::transcripts {

class Runner {
 public:
  // The options have the credentials of a cluster administrator.
  static Result<Runner> Create(const HttpClientOptions& administrator);

  // Runs one transcript in a namespace of its own, which is deleted afterwards. Stops at the first
  // mismatch; the error has the line, the request, the mismatches and the response.
  Result<void> Run(const Transcript& transcript, const std::string& name);

 private:
  Runner(std::unique_ptr<HttpClient> administrator, std::unique_ptr<HttpClient> anonymous)
      : administrator_(std::move(administrator)), anonymous_(std::move(anonymous)) {}

  Result<void> CreateNamespace(const std::string& name);
  void DeleteNamespace(const std::string& name);
  Result<void> RunExchange(const Exchange& exchange, Variables& variables);
  Result<HttpReply> Send(const Request& request);

  std::unique_ptr<HttpClient> administrator_;
  std::unique_ptr<HttpClient> anonymous_;  // without credentials
};

}  // namespace kubexms::transcripts
