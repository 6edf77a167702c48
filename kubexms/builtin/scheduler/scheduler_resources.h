#pragma once

// Resource requests and allocatable resources as integers.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/schema/scalars.h"

namespace kubexms {

struct ResourceAmounts {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  int64_t ephemeral_storage = 0;
  // All other resources except "pods": huge pages and extended resources. Sorted by name, unique.
  std::vector<std::pair<std::string, int64_t>> others;

  // Zero if the name is unknown.
  int64_t Other(std::string_view name) const;
  void Add(const ResourceAmounts& amounts);
  void Subtract(const ResourceAmounts& amounts);

  bool operator==(const ResourceAmounts&) const = default;
};

ResourceAmounts AmountsOf(const StringKeyed<Quantity>& resources);

// The effective requests of a Pod: the sum of its containers and sidecars, or the highest request
// during initialization if that is more, or the Pod-level resources; plus the overhead.
ResourceAmounts RequestsOf(const corev1::PodSpec& spec);
// The same with a default for containers without requests of CPU or memory (as upstream's non-zero
// requests). Scores use it, so that such Pods are not all assigned to one node.
ResourceAmounts NonZeroRequestsOf(const corev1::PodSpec& spec);

}  // namespace kubexms
