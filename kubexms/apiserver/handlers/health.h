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
  bool live = true;                     // part of /livez, too; otherwise only of /readyz
  // Whether the server as a whole fails with it; otherwise it answers under its own name, and
  // "verbose" shows it.
  bool counts = true;
};

// The answer for "/readyz", "/readyz/ping", "/livez?verbose" …; 404 for a check that is not there.
// The reason of a failure is not shown: it may say more about the machine than anyone should know.
HttpResponse AnswerHealth(std::span<const HealthCheck> checks, std::string_view path,
                          const QueryParameters& query);

// Whether a path belongs to health: anyone may ask.
bool IsHealthPath(std::string_view path);

}  // namespace kubexms
