#pragma once

// Builds the Pods and claims of a StatefulSet. Their names depend on the ordinal only, so that a
// replacement has the identity of its predecessor.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"

namespace kubexms {

std::string StatefulPodName(const appsv1::StatefulSet& set, int32_t ordinal);
// The ordinal of a Pod of the set; nothing if the name does not have the form "<set>-<ordinal>".
std::optional<int32_t> OrdinalOf(const appsv1::StatefulSet& set, std::string_view pod_name);

// The Pod to create for an ordinal. `pod_template` is that of the revision.
corev1::Pod NewStatefulPod(const appsv1::StatefulSet& set,
                           const corev1::PodTemplateSpec& pod_template, int32_t ordinal,
                           std::string_view revision);

// Sets the labels with the name and ordinal of the Pod; true if they changed.
bool SetIdentityLabels(int32_t ordinal, corev1::Pod& pod);

// The claims to create for the Pod of an ordinal.
std::vector<corev1::PersistentVolumeClaim> ClaimsOf(const appsv1::StatefulSet& set,
                                                    int32_t ordinal);

// Sets the owner references of a claim by which the garbage collector implements
// persistentVolumeClaimRetentionPolicy: the set owns claims that are deleted with it, and a Pod
// that is scaled down owns claims that are deleted with the Pod. True if they changed. A claim with
// another controller is not changed.
bool SetClaimOwners(const appsv1::StatefulSet& set, const corev1::Pod& pod, bool scaled_down,
                    corev1::PersistentVolumeClaim& claim);

// Whether a new Pod must not use the claim, because it is or will be deleted: it is being deleted,
// or its owner is an earlier Pod of this name.
bool IsStale(const corev1::PersistentVolumeClaim& claim, std::string_view pod_name);

}  // namespace kubexms
