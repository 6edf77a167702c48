#include "kubexms/apiserver/handlers/request_metrics.h"

#include <algorithm>
#include <string>

namespace kubexms {
namespace {

// A client may send any text as the HTTP method.
std::string VerbOf(const RequestAttributes& attributes) {
  constexpr std::string_view kVerbs[] = {"get",    "list",  "watch",  "create",
                                         "update", "patch", "delete", "deletecollection",
                                         "post",   "put",   "head",   "options"};
  if (std::ranges::count(kVerbs, attributes.verb) == 0) return "OTHER";
  std::string verb = attributes.verb;
  for (char& c : verb) c = static_cast<char>(toupper(c));
  return verb;
}

std::string_view ScopeOf(const RequestAttributes& attributes) {
  if (!attributes.name.empty()) return "resource";
  return attributes.namespace_name.empty() ? "cluster" : "namespace";
}

}  // namespace

RequestMetrics::RequestMetrics(MetricsRegistry& registry)
    : requests_(registry.AddCounter(
          {.name = "apiserver_request_total",
           .help = "HTTP requests and in-process calls by verb, resource and status code.",
           .labels = {"verb", "group", "version", "resource", "subresource", "scope", "code"},
           .max_series = 5000})),
      durations_(registry.AddHistogram(
          {.name = "apiserver_request_duration_seconds",
           .help = "Duration of HTTP requests and in-process calls by verb and resource; of "
                   "watches, until they start.",
           .labels = {"verb", "group", "version", "resource", "subresource", "scope"},
           .max_series = 2000},
          {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10})) {}

void RequestMetrics::Record(const RequestAttributes& attributes, const ResourceSet& resources,
                            int code, std::chrono::nanoseconds duration) const {
  // Clients may send any name: only names of served resources become labels.
  static const std::string kNone;
  const ResourcePtr* resource =
      attributes.is_resource
          ? resources.Find(attributes.group, attributes.version, attributes.resource)
          : nullptr;
  const bool known = resource != nullptr;
  const bool known_part = known && (*resource)->FindSubresource(attributes.subresource) != nullptr;
  const std::string& group = known ? attributes.group : kNone;
  const std::string& version = known ? attributes.version : kNone;
  const std::string& plural = known ? attributes.resource : kNone;
  const std::string& subresource = known_part ? attributes.subresource : kNone;
  const std::string verb = VerbOf(attributes);
  const std::string scope(known ? ScopeOf(attributes) : "");
  requests_.With({verb, group, version, plural, subresource, scope, std::to_string(code)})
      .Increment();
  durations_.With({verb, group, version, plural, subresource, scope}).Observe(duration);
}

}  // namespace kubexms
