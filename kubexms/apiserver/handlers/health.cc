#include "kubexms/apiserver/handlers/health.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/net/http/http.h"

namespace kubexms {
namespace {

constexpr std::string_view kPlain = "text/plain; charset=utf-8";

// "readyz" of "/readyz/ping".
std::string_view EndpointOf(std::string_view path) {
  path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

std::string_view CheckNameOf(std::string_view path) {
  const size_t slash = path.find('/', 1);
  return slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
}

bool IsExcluded(const QueryParameters& query, std::string_view name) {
  return std::ranges::any_of(query.all(), [name](const auto& parameter) {
    return parameter.first == "exclude" && parameter.second == name;
  });
}

}  // namespace

bool IsHealthPath(std::string_view path) {
  for (const std::string_view endpoint : {"/livez", "/readyz", "/healthz"}) {
    if (path == endpoint) return true;
    if (path.starts_with(endpoint) && path[endpoint.size()] == '/') return true;
  }
  return false;
}

HttpResponse AnswerHealth(std::span<const HealthCheck> checks, std::string_view path,
                          const QueryParameters& query) {
  const std::string_view endpoint = EndpointOf(path);
  const std::string_view only = CheckNameOf(path);
  bool found = false;
  bool failed = false;
  std::string report;
  for (const HealthCheck& check : checks) {
    if (!check.live && endpoint == "livez") continue;
    if (!only.empty() && check.name != only) continue;
    found = true;
    if (only.empty() && IsExcluded(query, check.name)) {
      report += fmt::format("[+]{} excluded: ok\n", check.name);
      continue;
    }
    const bool ok = check.check().ok();
    const bool counts = check.counts || !only.empty();
    failed |= !ok && counts;
    report += fmt::format("[{}]{} {}\n", ok ? '+' : '-', check.name,
                          ok       ? "ok"
                          : counts ? "failed: reason withheld"
                                   : "failed: not counted");
  }
  if (!found && !only.empty()) return HttpResponse::Text(404, kPlain, "404 page not found\n");
  if (failed) {
    return HttpResponse::Text(500, kPlain, fmt::format("{}{} check failed\n", report, endpoint));
  }
  if (!query.Get("verbose")) return HttpResponse::Text(200, kPlain, "ok");
  return HttpResponse::Text(200, kPlain, fmt::format("{}{} check passed\n", report, endpoint));
}

}  // namespace kubexms
