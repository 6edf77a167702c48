#pragma once

// The Pods and claims of a StatefulSet: their names, which stay the same for an ordinal whatever
// happens, and what is in them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"

namespace kubexms {

std::string StatefulPodName(const appsv1::StatefulSet& set, int32_t ordinal);
// The ordinal in the name of a Pod of the set; nothing when it is no such name.
std::optional<int32_t> OrdinalOf(const appsv1::StatefulSet& set, std::string_view pod_name);

// The Pod of an ordinal as it is created. `pod_template` is that of the revision.
corev1::Pod NewStatefulPod(const appsv1::StatefulSet& set,
                           const corev1::PodTemplateSpec& pod_template, int32_t ordinal,
                           std::string_view revision);

// Gives the Pod the labels of its ordinal; true when it did not have them.
bool SetIdentityLabels(int32_t ordinal, corev1::Pod& pod);

// The claims that the Pod of an ordinal uses, as they are created.
std::vector<corev1::PersistentVolumeClaim> ClaimsOf(const appsv1::StatefulSet& set,
                                                    int32_t ordinal);

// Makes the owners of a claim such that the garbage collector keeps the set's retention policy: the
// set owns what goes with it, and a Pod that is scaled down owns what goes with the Pod. True when
// anything changed. A claim that somebody else controls is left alone.
bool SetClaimOwners(const appsv1::StatefulSet& set, const corev1::Pod& pod, bool scaled_down,
                    corev1::PersistentVolumeClaim& claim);

// Whether the claim is on its way out, so that a new Pod of this name must not use it: it is being
// deleted, or it is owned by a Pod of this name that is gone.
bool IsStale(const corev1::PersistentVolumeClaim& claim, std::string_view pod_name);

}  // namespace kubexms
