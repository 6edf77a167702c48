#pragma once

// Metrics of requests, under the names of kube-apiserver, which dashboards use.

#include <chrono>

#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/base/monitoring/metrics.h"

namespace kubexms {

class RequestMetrics {
 public:
  explicit RequestMetrics(MetricsRegistry& registry);

  // Only names in `resources` become labels, so that clients cannot create series at will.
  void Record(const RequestAttributes& attributes, const ResourceSet& resources, int code,
              std::chrono::nanoseconds duration) const;

 private:
  MetricFamily<Counter> requests_;
  MetricFamily<Histogram> durations_;
};

}  // namespace kubexms
