#pragma once

// Properties of a Pod on which several controllers decide.

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

using PodPointer = std::shared_ptr<const corev1::Pod>;

// The condition of the type, or null.
const corev1::PodCondition* FindPodCondition(const corev1::Pod& pod, std::string_view type);
const corev1::PodCondition* FindPodCondition(const corev1::PodStatus& status,
                                             std::string_view type);
// Adds the condition or replaces the one of its type; true if the status changed.
// lastTransitionTime becomes `now` if the status of the condition changed, else it is retained.
bool SetPodCondition(corev1::PodStatus& status, corev1::PodCondition condition, Time now);

bool IsBeingDeleted(const corev1::Pod& pod);
// The phase is Succeeded or Failed.
bool IsFinished(const corev1::Pod& pod);
// Neither finished nor being deleted: the Pod counts as a replica.
bool IsActive(const corev1::Pod& pod);
bool IsReady(const corev1::Pod& pod);

// The time until the Pod, if it stays ready, has been ready for min_ready_seconds. Nothing if it is
// available now or not ready; see IsAvailable().
std::optional<std::chrono::nanoseconds> TimeUntilAvailable(
    const corev1::Pod& pod, int32_t min_ready_seconds, std::chrono::system_clock::time_point now);
bool IsAvailable(const corev1::Pod& pod, int32_t min_ready_seconds,
                 std::chrono::system_clock::time_point now);

// Requeues when the next ready Pod becomes available; Done() if no Pod is about to.
Outcome RequeueWhenAvailable(const std::vector<PodPointer>& pods, int32_t min_ready_seconds,
                             std::chrono::system_clock::time_point now);

// Sorts Pods so that those to delete first come first: not assigned to a node, pending before
// unknown before running, not ready before ready, lower controller.kubernetes.io/pod-deletion-cost,
// on nodes with more Pods of the same owner, ready for a shorter time, more restarts, younger.
// `related` are the Pods that are counted per node.
void SortForDeletion(std::vector<PodPointer>& pods, const std::vector<PodPointer>& related,
                     std::chrono::system_clock::time_point now);

}  // namespace kubexms
