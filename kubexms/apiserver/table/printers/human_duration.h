#pragma once

// Durations in the short form of `kubectl get`: the longer, the less precise.

#include <chrono>
#include <string>

namespace kubexms {

// "45s", "5m10s", "3h", "2d4h", "1y30d". Up to two seconds in the future is "0s", because clocks
// differ; more than that is "<invalid>". In milliseconds, because the years that objects may
// contain do not fit into nanoseconds.
std::string HumanDuration(std::chrono::milliseconds duration);

}  // namespace kubexms
