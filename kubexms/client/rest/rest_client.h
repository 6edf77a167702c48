#pragma once

// The client for servers at the other end of a network: ours, and any Kubernetes.
//
//   ASSIGN_OR_RETURN(ClientConfig config, LoadClientConfig());
//   ASSIGN_OR_RETURN(auto client, RestClient::Make({.config = std::move(config)}));
//
// Connections are kept and shared. A request is sent again when the server says when to (429 and
// 503 with Retry-After), when the server cannot have seen it, and, if it only reads, after any 5xx
// with Retry-After and when the connection broke; never when it only took too long, and never
// otherwise, so nothing is ever done twice. A refused credential that comes from a file or a plugin
// is renewed once. A server that is not trusted ends the call at once, but its error is no terminal
// one: trust can be mended while a program runs.

#include <chrono>
#include <memory>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/client/client.h"
#include "kubexms/client/credentials/kubeconfig.h"

namespace kubexms {

struct RestClientOptions {
  ClientConfig config;
  // Who it is, instead of config.user.
  std::shared_ptr<CredentialSource> credentials;

  // Requests a second in the long run, and how many may go at once before that counts: what users
  // of other controller frameworks are used to. Zero: no limit. Watches count when they are opened;
  // GetPath() does not count.
  double requests_per_second = 20;
  int burst = 30;

  // Of one attempt, with its answer. A list with a time-out of its own has that instead, and half a
  // minute more; watches end by themselves.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  // A call is given up after so many further attempts, or when the next one would come later than
  // this after the first.
  int max_retries = 10;
  std::chrono::milliseconds max_retry_time = std::chrono::seconds(60);
  // A watch with a larger event fails.
  size_t max_event_bytes = size_t{16} * 1024 * 1024;

  std::string user_agent;  // empty: "kubexms/<version>"
  bool http2 = true;
  // Asks for compressed answers: worth it over slow networks only.
  bool gzip = false;

  // Borrowed. Null: the system's clock; no metrics.
  Clock* clock = nullptr;
  MetricsRegistry* metrics = nullptr;
  // Gets what servers warn of, each warning once.
  Logger log;
};

class RestClient final : public Client {
 public:
  // Does not connect yet.
  static Result<std::unique_ptr<RestClient>> Make(RestClientOptions options);
  // Watches may outlive the client.
  ~RestClient() override;

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  // A watch with a time-out that the server does not end in time fails, as does one on a connection
  // whose other end has gone.
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

 private:
  class Impl;
  explicit RestClient(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
