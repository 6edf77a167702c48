#pragma once

// What a manager tells over HTTP: whether it lives, whether it is ready, its metrics, and what its
// controllers have been doing.
//
//   GET /healthz              200 "ok", or 503 with what is wrong: "stopping", a dead watch …
//   GET /readyz               200 "ok", with a second line where leaders are elected: whether it
//                             leads, or for whom it waits; or 503: "not synced", a ready check that
//                             fails
//   GET /metrics              Prometheus' text
//   GET /debug/reconciles     the reconciles of each controller that run, the last that are over,
//                             and why they ran, as JSON; only from this machine
//   GET /debug/threads        what each thread used of the processor, and the process of memory, as
//                             JSON; only from this machine
//   PUT /debug/log-level      "controller.hello=debug" as body; only from this machine

#include <functional>
#include <string>

#include "kubexms/base/json/json.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/net/server/server.h"

namespace kubexms {

class ManagerEndpoints final : public HttpHandler {
 public:
  // The functions are called from any thread for as long as the endpoints are served.
  struct Sources {
    std::function<Result<void>()> health;
    std::function<Result<void>()> readiness;
    // What is said of one that is ready, beside "ok"; empty, or returning "": nothing.
    std::function<std::string()> standing = nullptr;
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
