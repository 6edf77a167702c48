#pragma once

// The pod garbage collector: it deletes Pods of nodes that do not exist or are out of service, Pods
// that were deleted before they were assigned to a node, and the oldest finished Pods beyond a
// threshold.

#include <chrono>
#include <vector>

#include "kubexms/controller/controller.h"
#include "kubexms/controller/informers/informer_set.h"

namespace kubexms {

struct PodGarbageCollectorOptions {
  // The number of finished Pods that are retained; 0: all.
  size_t terminated_threshold = 12500;
  // How long a node has to be missing before its Pods are deleted.
  std::chrono::nanoseconds quarantine = std::chrono::seconds(40);
  // The interval at which finished Pods are counted.
  std::chrono::nanoseconds period = std::chrono::seconds(20);
};

// One controller per Pod, and one for the threshold.
std::vector<Controller> PodGarbageCollectors(const PodGarbageCollectorOptions& options,
                                             InformerSet& informers);

}  // namespace kubexms
