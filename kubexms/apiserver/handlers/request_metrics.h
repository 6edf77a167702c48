#pragma once

// What is counted about requests, under the names that dashboards for Kubernetes know.

#include <chrono>

#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/base/monitoring/metrics.h"

namespace kubexms {

class RequestMetrics {
 public:
  explicit RequestMetrics(MetricsRegistry& registry);

  // Only names that are in `resources` become labels.
  void Record(const RequestAttributes& attributes, const ResourceSet& resources, int code,
              std::chrono::nanoseconds duration) const;

 private:
  MetricFamily<Counter> requests_;
  MetricFamily<Histogram> durations_;
};

}  // namespace kubexms
