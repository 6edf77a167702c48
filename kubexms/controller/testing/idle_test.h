#pragma once

// For tests that move time: a reconcile that is under way would wait from the new time on.

#include <sstream>
#include <string>

#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/testing/eventually_test.h"

namespace kubexms {

// Whether a key waits for a worker, or is with one.
inline bool HasWork(Manager& manager) {
  std::istringstream lines(manager.metrics().Collect());
  for (std::string line; std::getline(lines, line);) {
    const bool counts_keys = line.starts_with("workqueue_depth{") ||
                             line.starts_with("controller_runtime_active_workers{");
    if (counts_keys && !line.ends_with(" 0")) return true;
  }
  return false;
}

// False when it does not come to rest.
inline bool AwaitIdle(Manager& manager) {
  int times = 0;
  return Eventually([&] { return (times = HasWork(manager) ? 0 : times + 1) == 4; });
}

}  // namespace kubexms
