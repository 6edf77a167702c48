#pragma once

// The scheduling properties of a Pod, computed once when it changes.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/labels.h"
#include "kubexms/api/object_key.h"
#include "kubexms/builtin/scheduler/scheduler_resources.h"

namespace kubexms {

// A host port of a container.
struct HostPort {
  std::string address;  // empty: all addresses of the node
  std::string protocol;
  int32_t port = 0;

  // Whether both cannot be used on one node.
  bool ConflictsWith(const HostPort& other) const;
  bool operator==(const HostPort&) const = default;
};

// A term of pod affinity or anti-affinity.
struct PodTerm {
  std::vector<std::string> namespaces;  // sorted, unique
  Selector namespace_selector = Selector::Nothing();
  Selector selector;
  std::string topology_key;
  int64_t weight = 0;    // of a preference; negative for anti-affinity
  std::string identity;  // equal for equal terms, whatever their weight

  // `namespace_labels` are those of the Pod's namespace.
  bool Matches(const ObjectMeta& pod, const StringMap& namespace_labels) const;
};

// A topology spread constraint.
struct SpreadConstraint {
  std::string topology_key;
  Selector selector;
  int64_t max_skew = 1;
  int64_t min_domains = 1;
  bool honor_affinity = true;  // nodeAffinityPolicy: Honor
  bool honor_taints = false;   // nodeTaintsPolicy: Honor
};

struct SchedulerPod {
  std::shared_ptr<const corev1::Pod> pod;
  ObjectKey key;
  ResourceAmounts requests;
  ResourceAmounts non_zero_requests;  // see NonZeroRequestsOf()
  std::vector<HostPort> ports;
  std::optional<std::vector<std::string>> named_nodes;  // see NamedNodes()
  bool has_node_affinity = false;

  // Required terms, and preferred ones.
  std::vector<PodTerm> affinity;
  std::vector<PodTerm> anti_affinity;
  std::vector<PodTerm> preferences;

  // Constraints with DoNotSchedule, and with ScheduleAnyway.
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

// Whether two versions of a Pod are equal except for status and node.
bool SameForScheduling(const corev1::Pod& a, const corev1::Pod& b);

}  // namespace kubexms
