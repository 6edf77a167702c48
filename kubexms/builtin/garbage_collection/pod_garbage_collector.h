#pragma once

// Removes Pods that nobody else will remove: of nodes that are gone or out of service, those that
// were deleted before they came to a node, and the oldest of too many that have ended.

#include <chrono>
#include <vector>

#include "kubexms/controller/controller.h"
#include "kubexms/controller/informers/informer_set.h"

namespace kubexms {

struct PodGarbageCollectorOptions {
  // How many Pods that have ended are kept; 0: all.
  size_t terminated_threshold = 12500;
  // How long a node may be unknown before its Pods are removed.
  std::chrono::nanoseconds quarantine = std::chrono::seconds(40);
  // How often those that have ended are counted.
  std::chrono::nanoseconds period = std::chrono::seconds(20);
};

// Two, which share the work.
std::vector<Controller> PodGarbageCollectors(const PodGarbageCollectorOptions& options,
                                             InformerSet& informers);

}  // namespace kubexms
