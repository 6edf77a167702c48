#pragma once

// The HTTP endpoints of a manager.
//
//   GET /healthz              200 "ok", or 503 with the reason: "stopping", a stale watch …
//   GET /readyz               200 "ok", and with leader election a second line with the holder of
//                             the lease; or 503 with the reason: "not synced", a failed check
//   GET /metrics              metrics in the text format of Prometheus
//   GET /debug/reconciles     the running and the last reconciles of each controller, with their
//                             reasons, as JSON; only from this machine
//   GET /debug/threads        CPU time of each thread and memory of the process, as JSON; only from
//                             this machine
//   PUT /debug/log-level      sets a log level, body "controller.hello=debug"; only from this
//                             machine

#include <functional>
#include <string>

#include "kubexms/base/json/json.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/net/server/server.h"

namespace kubexms {

class ManagerEndpoints final : public HttpHandler {
 public:
  // The functions are called from any thread while the endpoints are served.
  struct Sources {
    std::function<Result<void>()> health;
    std::function<Result<void>()> readiness;
    // The second line of /readyz; may be empty or return "".
    std::function<std::string()> leader_election_status = nullptr;
    std::function<Json()> reconciles;
    const MetricsRegistry& metrics;
    Logger log;
  };

  explicit ManagerEndpoints(Sources sources) : sources_(std::move(sources)) {}

  HttpResponse Handle(HttpRequest request) override;

 private:
  HttpResponse SetLogLevel(const HttpRequest& request) const;

  const Sources sources_;
};

}  // namespace kubexms
