#pragma once

// A Pod as the scheduler looks at it: worked out once, then only compared.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/labels.h"
#include "kubexms/api/object_key.h"
#include "kubexms/builtin/scheduler/scheduler_resources.h"

namespace kubexms {

// A port of the node that a container wants for itself.
struct HostPort {
  std::string address;  // empty: all of the node's
  std::string protocol;
  int32_t port = 0;

  // Both cannot be on one node.
  bool ConflictsWith(const HostPort& other) const;
  bool operator==(const HostPort&) const = default;
};

// Other Pods that one wants to be near or far from.
struct PodTerm {
  std::vector<std::string> namespaces;  // sorted, none twice
  Selector namespace_selector = Selector::Nothing();
  Selector selector;
  std::string topology_key;
  int64_t weight = 0;    // of a preference; what is to be avoided has a negative one
  std::string identity;  // terms with the same one are the same, whatever their weight

  // `namespace_labels` are those of the Pod's namespace.
  bool Matches(const ObjectMeta& pod, const StringMap& namespace_labels) const;
};

// How evenly Pods are to be spread.
struct SpreadConstraint {
  std::string topology_key;
  Selector selector;
  int64_t max_skew = 1;
  int64_t min_domains = 1;
  bool honor_affinity = true;  // nodes that the Pod cannot be on do not count
  bool honor_taints = false;
};

struct SchedulerPod {
  std::shared_ptr<const corev1::Pod> pod;
  ObjectKey key;
  ResourceAmounts requests;
  ResourceAmounts presumed;  // see PresumedRequestsOf()
  std::vector<HostPort> ports;
  std::optional<std::vector<std::string>> named_nodes;  // see NamedNodes()
  bool has_node_affinity = false;

  // Required, and preferred.
  std::vector<PodTerm> affinity;
  std::vector<PodTerm> anti_affinity;
  std::vector<PodTerm> preferences;

  // DoNotSchedule, and ScheduleAnyway.
  std::vector<SpreadConstraint> spread;
  std::vector<SpreadConstraint> preferred_spread;

  const std::string& uid() const { return pod->metadata.uid; }
  int32_t priority() const { return pod->spec.priority.value_or(0); }
  bool is_terminating() const { return !pod->metadata.deletion_timestamp.IsZero(); }
  bool has_terms() const {
    return !affinity.empty() || !anti_affinity.empty() || !preferences.empty();
  }
};

std::shared_ptr<SchedulerPod> MakeSchedulerPod(std::shared_ptr<const corev1::Pod> pod);

// Whether two versions of a Pod are alike for the scheduler: a status is nothing that it looks at,
// nor does the node count here.
bool SchedulesAlike(const corev1::Pod& a, const corev1::Pod& b);

}  // namespace kubexms
