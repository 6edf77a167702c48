#pragma once

// Plays transcripts against a server.

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
  // The options say who is in charge of the server: someone who may do everything.
  static Result<Runner> Create(const HttpClientOptions& administrator);

  // Plays one transcript in a namespace of its own, which is deleted afterwards. Stops at the first
  // exchange that went otherwise; the error then says where, what was asked, expected and answered.
  Result<void> Run(const Transcript& transcript, const std::string& name);

 private:
  Runner(std::unique_ptr<HttpClient> administrator, std::unique_ptr<HttpClient> stranger)
      : administrator_(std::move(administrator)), stranger_(std::move(stranger)) {}

  Result<void> MakeNamespace(const std::string& name);
  void DeleteNamespace(const std::string& name);
  Result<void> Play(const Exchange& exchange, Variables& variables);
  Result<HttpReply> Send(const Request& request);

  std::unique_ptr<HttpClient> administrator_;
  std::unique_ptr<HttpClient> stranger_;  // without credentials
};

}  // namespace kubexms::transcripts
