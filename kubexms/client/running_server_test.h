#pragma once

// Servers for tests of clients: the real one, and one with scripted responses.

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubexms/apiserver/server.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/client/rest/rest_client.h"
#include "kubexms/net/server/server.h"

namespace kubexms {

// The API server on a free port, with nothing on disk but its keys.
class RunningApiServer {
 public:
  RunningApiServer()
      : server_(ApiServer::Create({.data_directory = directory_.path() + "/data",
                                   .store = "memory",
                                   .port = 0,
                                   .audit_log = "-"})
                    .value()),
        thread_([this](const std::stop_token& stop) { server_->Run(stop); }) {}

  const ApiServer& server() const { return *server_; }
  ClientConfig Config() const { return ParseKubeconfig(server_->kubeconfig()).value(); }
  // As its administrator, without a limit of requests.
  std::unique_ptr<RestClient> Connect(RestClientOptions options = {}) const {
    options.config = Config();
    options.requests_per_second = 0;
    return RestClient::Make(std::move(options)).value();
  }

 private:
  const TestDirectory directory_;
  const std::unique_ptr<ApiServer> server_;
  std::jthread thread_;
};

// The pieces of a streamed answer, each sent by itself.
class PieceStream final : public ResponseStream {
 public:
  // After the last piece the answer ends, or breaks, or hangs.
  explicit PieceStream(std::vector<std::string> pieces, Next last = Next::kEnd)
      : pieces_(pieces.begin(), pieces.end()), last_(last) {}

  void Start(StreamWaker) override {}
  Next Pull(size_t, Body& out) override {
    if (pieces_.empty()) return last_;
    out.emplace_back(std::move(pieces_.front()));
    pieces_.pop_front();
    return Next::kMore;
  }

 private:
  std::deque<std::string> pieces_;
  const Next last_;
};

// Sends scripted responses in order, and records the HTTP requests. Without TLS, over HTTP/1.1.
class ScriptedServer : private HttpHandler {
 public:
  ScriptedServer()
      : server_(HttpServer::Create({.allow_plaintext = true}, *this).value()),
        thread_([this](const std::stop_token& stop) { server_->Run(stop); }) {}

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }

  void Answer(int status, std::string body, HttpHeaders headers = {}) {
    headers.Add("Content-Type", "application/json");
    HttpResponse response(status, std::move(headers));
    response.body.emplace_back(std::move(body));
    Push(std::move(response));
  }
  void Stream(std::vector<std::string> pieces,
              ResponseStream::Next last = ResponseStream::Next::kEnd) {
    HttpResponse response(200, {{"Content-Type", "application/json"}});
    response.stream = std::make_unique<PieceStream>(std::move(pieces), last);
    Push(std::move(response));
  }

  std::vector<HttpRequest> requests() const {
    MutexLock lock(mutex_);
    return requests_;
  }

  std::unique_ptr<RestClient> Connect(RestClientOptions options = {}) const {
    options.config.server = url() + options.config.server;
    options.requests_per_second = 0;
    return RestClient::Make(std::move(options)).value();
  }

 private:
  void Push(HttpResponse response) {
    MutexLock lock(mutex_);
    answers_.push_back(std::move(response));
  }

  HttpResponse Handle(HttpRequest request) override {
    MutexLock lock(mutex_);
    requests_.push_back(std::move(request));
    if (answers_.empty()) return HttpResponse::Text(500, "text/plain", "not in the script");
    HttpResponse answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  mutable Mutex mutex_;
  std::deque<HttpResponse> answers_ GUARDED_BY(mutex_);
  std::vector<HttpRequest> requests_ GUARDED_BY(mutex_);
  const std::unique_ptr<HttpServer> server_;
  std::jthread thread_;
};

}  // namespace kubexms
