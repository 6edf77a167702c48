#include "kubexms/builtin/workloads/stateful_set/stateful_set_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "kubexms/base/check.h"
#include "kubexms/builtin/workloads/pod_template.h"
#include "kubexms/builtin/workloads/revision_history.h"

namespace kubexms {
namespace {

using appsv1::StatefulSet;
using corev1::PersistentVolumeClaim;
using corev1::Pod;

constexpr const char* kPodNameLabel = "statefulset.kubernetes.io/pod-name";
constexpr const char* kPodIndexLabel = "apps.kubernetes.io/pod-index";
constexpr const char* kDelete = "Delete";

std::string ClaimName(const StatefulSet& set, const PersistentVolumeClaim& claim_template,
                      int32_t ordinal) {
  return fmt::format("{}-{}-{}", claim_template.metadata.name, set.metadata.name, ordinal);
}

// Claims replace volumes of the template that have the same name.
void SetVolumes(const StatefulSet& set, int32_t ordinal, std::vector<corev1::Volume>& volumes) {
  std::vector<corev1::Volume> with_claims;
  for (const PersistentVolumeClaim& claim_template : set.spec.volume_claim_templates) {
    const std::string& name = claim_template.metadata.name;
    std::erase_if(volumes, [&](const corev1::Volume& volume) { return volume.name == name; });
    corev1::Volume& volume = with_claims.emplace_back();
    volume.name = name;
    volume.persistent_volume_claim.emplace().claim_name = ClaimName(set, claim_template, ordinal);
  }
  with_claims.insert(with_claims.end(), std::make_move_iterator(volumes.begin()),
                     std::make_move_iterator(volumes.end()));
  volumes = std::move(with_claims);
}

bool IsDeletedWithSet(const StatefulSet& set) {
  const auto& policy = set.spec.persistent_volume_claim_retention_policy;
  return policy && policy->when_deleted == kDelete;
}
bool IsDeletedWhenScaledDown(const StatefulSet& set) {
  const auto& policy = set.spec.persistent_volume_claim_retention_policy;
  return policy && policy->when_scaled == kDelete;
}

bool IsOwnedBy(const PersistentVolumeClaim& claim, const std::string& uid) {
  const auto& owners = claim.metadata.owner_references;
  return std::any_of(owners.begin(), owners.end(),
                     [&](const OwnerReference& owner) { return owner.uid == uid; });
}

void RemoveOwner(const std::string& uid, PersistentVolumeClaim& claim) {
  std::erase_if(claim.metadata.owner_references,
                [&](const OwnerReference& owner) { return owner.uid == uid; });
}

OwnerReference ReferenceToPod(const Pod& pod) {
  OwnerReference reference;
  reference.api_version = "v1";
  reference.kind = "Pod";
  reference.name = pod.metadata.name;
  reference.uid = pod.metadata.uid;
  return reference;
}

bool HasOtherController(const StatefulSet& set, const PersistentVolumeClaim& claim) {
  const OwnerReference* controller = ControllerOf(claim.metadata);
  return controller != nullptr && controller->uid != set.metadata.uid;
}

void AddSetAsOwner(const StatefulSet& set, PersistentVolumeClaim& claim) {
  const Result<void> owned = SetControllerReference(claim.metadata, set);
  KUBEXMS_CHECK(owned.ok());  // the caller has checked HasOtherController()
}

}  // namespace

std::string StatefulPodName(const StatefulSet& set, int32_t ordinal) {
  return fmt::format("{}-{}", set.metadata.name, ordinal);
}

std::optional<int32_t> OrdinalOf(const StatefulSet& set, std::string_view pod_name) {
  const size_t dash = pod_name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  int32_t ordinal = -1;
  std::from_chars(pod_name.data() + dash + 1, pod_name.data() + pod_name.size(), ordinal);
  // Also rejects text that is not a number, and leading zeros.
  if (ordinal < 0 || StatefulPodName(set, ordinal) != pod_name) return std::nullopt;
  return ordinal;
}

Pod NewStatefulPod(const StatefulSet& set, const corev1::PodTemplateSpec& pod_template,
                   int32_t ordinal, std::string_view revision) {
  Pod pod = PodFromTemplate(pod_template, set);
  pod.metadata.name = StatefulPodName(set, ordinal);
  SetIdentityLabels(ordinal, pod);
  pod.metadata.labels[kRevisionLabel] = revision;
  pod.spec.hostname = pod.metadata.name;
  pod.spec.subdomain = set.spec.service_name;
  SetVolumes(set, ordinal, pod.spec.volumes);
  return pod;
}

bool SetIdentityLabels(int32_t ordinal, Pod& pod) {
  const std::string index = fmt::format("{}", ordinal);
  std::string& name_label = pod.metadata.labels[kPodNameLabel];
  std::string& index_label = pod.metadata.labels[kPodIndexLabel];
  if (name_label == pod.metadata.name && index_label == index) return false;
  name_label = pod.metadata.name;
  index_label = index;
  return true;
}

std::vector<PersistentVolumeClaim> ClaimsOf(const StatefulSet& set, int32_t ordinal) {
  std::vector<PersistentVolumeClaim> claims;
  for (const PersistentVolumeClaim& claim_template : set.spec.volume_claim_templates) {
    PersistentVolumeClaim& claim = claims.emplace_back(claim_template);
    claim.metadata.name = ClaimName(set, claim_template, ordinal);
    claim.metadata.namespace_name = set.metadata.namespace_name;
    for (const auto& [key, value] : set.spec.selector.match_labels) {
      claim.metadata.labels[key] = value;
    }
    claim.status = {};
    if (IsDeletedWithSet(set)) AddSetAsOwner(set, claim);
  }
  return claims;
}

bool SetClaimOwners(const StatefulSet& set, const Pod& pod, bool scaled_down,
                    PersistentVolumeClaim& claim) {
  if (HasOtherController(set, claim)) return false;
  const bool pod_owns = IsDeletedWhenScaledDown(set) && scaled_down;
  const bool set_owns = IsDeletedWithSet(set) && !pod_owns;
  const bool set_differs = set_owns != IsOwnedBy(claim, set.metadata.uid);
  const bool pod_differs = pod_owns != IsOwnedBy(claim, pod.metadata.uid);
  if (set_differs && set_owns) AddSetAsOwner(set, claim);
  if (set_differs && !set_owns) RemoveOwner(set.metadata.uid, claim);
  if (pod_differs && pod_owns) SetOwnerReference(claim.metadata, ReferenceToPod(pod));
  if (pod_differs && !pod_owns) RemoveOwner(pod.metadata.uid, claim);
  return set_differs || pod_differs;
}

bool IsStale(const PersistentVolumeClaim& claim, std::string_view pod_name) {
  if (!claim.metadata.deletion_timestamp.IsZero()) return true;
  const auto& owners = claim.metadata.owner_references;
  return std::any_of(owners.begin(), owners.end(), [&](const OwnerReference& owner) {
    return owner.kind == "Pod" && owner.name == pod_name;
  });
}

}  // namespace kubexms
