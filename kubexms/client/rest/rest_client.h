#pragma once

// The client for servers across the network: kubexms and any other Kubernetes.
//
//   ASSIGN_OR_RETURN(ClientConfig config, LoadClientConfig());
//   ASSIGN_OR_RETURN(auto client, RestClient::Make({.config = std::move(config)}));
//
// Connections are reused and shared. A call is retried after 429 and 503 with Retry-After, and if
// the server cannot have received it; a read also after any 5xx with Retry-After and after a lost
// connection. No call is retried after a timeout, so no write is applied twice. After a 401, a
// credential from a file or a plugin is renewed once. An untrusted server certificate fails the
// call at once, but not with a terminal error: it can be corrected while the program runs.

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
  // Credentials instead of config.user; optional.
  std::shared_ptr<CredentialSource> credentials;

  // The rate limit of API calls, with the defaults of controller-runtime. 0: no limit. Watches
  // count when they are opened; GetPath() does not count.
  double requests_per_second = 20;
  int burst = 30;

  // Timeout of one attempt. Lists and watches with a timeoutSeconds have that plus 30 seconds.
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
  // Limits of the retries of one call.
  int max_retries = 10;
  std::chrono::milliseconds max_retry_time = std::chrono::seconds(60);
  // Maximum size of a watch event; a larger one fails the watch.
  size_t max_event_bytes = size_t{16} * 1024 * 1024;

  std::string user_agent;  // empty: "kubexms/<version>"
  bool http2 = true;
  // Request compressed responses, which pays off on slow networks only.
  bool gzip = false;

  // Borrowed. Null: the system clock; no metrics.
  Clock* clock = nullptr;
  MetricsRegistry* metrics = nullptr;
  // Receives the warnings of servers, each distinct one once.
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
  // A watch fails if the server does not end it after its timeout, or if the connection is dead.
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

 private:
  class Impl;
  explicit RestClient(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
