#include "kubexms/apiserver/request_metrics.h"

#include <string>

namespace kubexms {
namespace {

std::string VerbOf(const RequestAttributes& attributes) {
  std::string verb = attributes.verb;
  for (char& c : verb) c = static_cast<char>(toupper(c));
  return verb;
}

std::string_view ScopeOf(const RequestAttributes& attributes) {
  if (!attributes.is_resource) return "";
  if (!attributes.name.empty()) return "resource";
  return attributes.name_space.empty() ? "cluster" : "namespace";
}

}  // namespace

RequestMetrics::RequestMetrics(MetricsRegistry& registry)
    : requests_(registry.AddCounter(
          {.name = "apiserver_request_total",
           .help = "Requests by verb, resource and result.",
           .labels = {"verb", "group", "version", "resource", "subresource", "scope", "code"},
           .max_series = 5000})),
      durations_(registry.AddHistogram(
          {.name = "apiserver_request_duration_seconds",
           .help = "How long requests took, by verb and resource; of watches, to their start.",
           .labels = {"verb", "group", "version", "resource", "subresource", "scope"},
           .max_series = 2000},
          {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10})) {}

void RequestMetrics::Record(const RequestAttributes& attributes, int code,
                            std::chrono::nanoseconds duration) const {
  const std::string verb = VerbOf(attributes);
  const std::string scope(ScopeOf(attributes));
  requests_
      .With({verb, attributes.group, attributes.version, attributes.resource,
             attributes.subresource, scope, std::to_string(code)})
      .Increment();
  durations_
      .With({verb, attributes.group, attributes.version, attributes.resource,
             attributes.subresource, scope})
      .Observe(duration);
}

}  // namespace kubexms
