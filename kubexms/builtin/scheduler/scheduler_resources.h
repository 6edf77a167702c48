#pragma once

// What Pods ask for and what nodes have, as numbers that are quick to add and to compare.

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
  // Everything else but "pods": huge pages and extended resources. By name, none twice.
  std::vector<std::pair<std::string, int64_t>> others;

  // Unknown: zero.
  int64_t Other(std::string_view name) const;
  void Add(const ResourceAmounts& amounts);
  void Subtract(const ResourceAmounts& amounts);

  bool operator==(const ResourceAmounts&) const = default;
};

ResourceAmounts AmountsOf(const StringKeyed<Quantity>& resources);

// What a Pod needs for as long as it runs: its containers and sidecars together, or the largest
// moment of its start where that is more, or what the Pod as a whole says; and the overhead.
ResourceAmounts RequestsOf(const corev1::PodSpec& spec);
// The same, with something small for each container that does not say how much processor or memory
// it needs: what scores count, so that such Pods are not all put on one node.
ResourceAmounts PresumedRequestsOf(const corev1::PodSpec& spec);

}  // namespace kubexms
