#pragma once

// What is made for a devbox, and the rules of its states: functions of the devbox alone.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/platform/devbox_kinds.h"

namespace kubexms::platform {

inline constexpr const char* kRunning = "Running";
inline constexpr const char* kPaused = "Paused";
inline constexpr const char* kStopped = "Stopped";
inline constexpr const char* kShutdown = "Shutdown";

// The labels by which everything of a devbox is known.
StringMap DevboxLabels(const devboxv1alpha2::Devbox& devbox);
// Gives them to an object, which then goes with the devbox.
Result<void> Claim(const devboxv1alpha2::Devbox& devbox, ObjectMeta& metadata);
// Its name in the cluster's network, which no other devbox of the namespace has.
std::string DevboxUniqueId(const devboxv1alpha2::Devbox& devbox);

// ---- Contents.

// The record of the content that it has now; null before it has one.
const devboxv1alpha2::DevboxCommitRecord* CurrentContent(const devboxv1alpha2::Devbox& devbox);
devboxv1alpha2::DevboxCommitRecord* CurrentContent(devboxv1alpha2::Devbox& devbox);
// Gives it a new one that begins with this image. The oldest records go when there are many.
void BeginContent(devboxv1alpha2::Devbox& devbox, const std::string& base_image, Time now);

// ---- States.

// Whether the state that is wanted can follow the one that was reached; else what to do instead.
Result<void> CheckTransition(const devboxv1alpha2::Devbox& devbox);
// What it is to be now: what is wanted, unless that cannot follow.
std::string TargetState(const devboxv1alpha2::Devbox& devbox);
// Whether the content has to be saved on the way to that state.
bool NeedsCommit(const devboxv1alpha2::Devbox& devbox);
// `pod` is null when there is none.
std::string DevboxPhase(const devboxv1alpha2::Devbox& devbox, const corev1::Pod* pod);

// ---- Objects.

// The Pod of the current content. An annotation says of which spec it is: see IsOutdated().
Result<corev1::Pod> DevboxPod(const devboxv1alpha2::Devbox& devbox);
bool IsOutdated(const corev1::Pod& pod, const corev1::Pod& wanted);

// Sets what is ours in them.
void SetHeadlessService(const devboxv1alpha2::Devbox& devbox, corev1::ServiceSpec& spec);
void SetNodePortService(const devboxv1alpha2::Devbox& devbox, corev1::ServiceSpec& spec);

}  // namespace kubexms::platform
