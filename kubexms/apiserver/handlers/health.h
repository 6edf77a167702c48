#pragma once

// The health endpoints: /livez, /readyz and /healthz, with named checks.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

struct HttpResponse;
class QueryParameters;

struct HealthCheck {
  std::string name;
  std::function<Result<void>()> check;  // must not block for long
  bool live = true;                     // part of /livez and /readyz; false: only of /readyz
  // Whether its failure fails the endpoint. If not, the result is shown only under its own name
  // ("/readyz/NAME") and with "verbose".
  bool counts = true;
};

// The response to "/readyz", "/readyz/ping", "/livez?verbose" …; 404 for an unknown check. Anyone
// may read it, so the reason of a failure, which may reveal details of the machine, is withheld.
HttpResponse AnswerHealth(std::span<const HealthCheck> checks, std::string_view path,
                          const QueryParameters& query);

// Whether a path is a health endpoint, which needs no authentication.
bool IsHealthPath(std::string_view path);

}  // namespace kubexms
