#pragma once

// What the controllers of Pods want to know of one.

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"

namespace kubexms {

using PodPointer = std::shared_ptr<const corev1::Pod>;

// The condition of that type, or null.
const corev1::PodCondition* FindPodCondition(const corev1::Pod& pod, std::string_view type);
const corev1::PodCondition* FindPodCondition(const corev1::PodStatus& status,
                                             std::string_view type);
// Adds the condition or replaces the one of its type; true when anything changed. Its transition
// time is `now` if its status is another one than before, else it stays.
bool SetPodCondition(corev1::PodStatus& status, corev1::PodCondition condition, Time now);

bool IsBeingDeleted(const corev1::Pod& pod);
// Succeeded or Failed: its containers have ended for good.
bool IsFinished(const corev1::Pod& pod);
// Neither finished nor being deleted: it counts as one of the wanted Pods.
bool IsActive(const corev1::Pod& pod);
bool IsReady(const corev1::Pod& pod);

// How long until the Pod has been ready for min_ready_seconds, if it stays so: nothing when it is
// available now, or when it is not ready. See IsAvailable().
std::optional<std::chrono::nanoseconds> TimeUntilAvailable(
    const corev1::Pod& pod, int32_t min_ready_seconds, std::chrono::system_clock::time_point now);
bool IsAvailable(const corev1::Pod& pod, int32_t min_ready_seconds,
                 std::chrono::system_clock::time_point now);

// Puts the Pods first that are the least loss when some must go: those on no node, pending before
// unknown before running, not ready before ready, cheaper by the annotation
// controller.kubernetes.io/pod-deletion-cost, on nodes with more Pods of the same owner, ready for
// a shorter time, with more restarts, and younger. `related` are all active Pods that share nodes
// with them for that purpose.
void SortForDeletion(std::vector<PodPointer>& pods, const std::vector<PodPointer>& related,
                     std::chrono::system_clock::time_point now);

}  // namespace kubexms
