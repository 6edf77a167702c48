#pragma once

// Spans of time as `kubectl get` shows them: short, and less exact the longer they are.

#include <chrono>
#include <string>

namespace kubexms {

// "45s", "5m10s", "3h", "2d4h", "1y30d". Up to two seconds before now is "0s", because clocks of
// machines differ; more than that is "<invalid>". In milliseconds, because in nanoseconds the years
// that objects may name do not fit.
std::string HumanDuration(std::chrono::milliseconds duration);

}  // namespace kubexms
