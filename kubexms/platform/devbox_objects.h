#pragma once

// The objects of a devbox and the rules of its states, as functions of the devbox alone.

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

// The labels of all objects of a devbox.
StringMap DevboxLabels(const devboxv1alpha2::Devbox& devbox);
// Sets these labels, and the devbox as the controller of an object.
Result<void> SetOwnership(const devboxv1alpha2::Devbox& devbox, ObjectMeta& metadata);
// The DNS name of the devbox, which is unique in the namespace.
std::string DevboxUniqueId(const devboxv1alpha2::Devbox& devbox);

// ---- Contents.

// The record of the current content; null before the first one is started.
const devboxv1alpha2::DevboxCommitRecord* CurrentContent(const devboxv1alpha2::Devbox& devbox);
devboxv1alpha2::DevboxCommitRecord* CurrentContent(devboxv1alpha2::Devbox& devbox);
// Starts new content from this image. The oldest records are removed beyond a limit.
void StartContent(devboxv1alpha2::Devbox& devbox, const std::string& base_image, Time now);

// ---- States.

// Whether spec.state can follow status.state; the error says what to do instead.
Result<void> CheckTransition(const devboxv1alpha2::Devbox& devbox);
// spec.state or, if the transition is invalid, status.state.
std::string TargetState(const devboxv1alpha2::Devbox& devbox);
// Whether the content has to be committed before the target state is reached.
bool NeedsCommit(const devboxv1alpha2::Devbox& devbox);
// `pod` may be null.
std::string DevboxPhase(const devboxv1alpha2::Devbox& devbox, const corev1::Pod* pod);

// ---- Objects.

// The Pod of the current content. An annotation has a hash of its spec, see IsOutdated().
Result<corev1::Pod> DevboxPod(const devboxv1alpha2::Devbox& devbox);
bool IsOutdated(const corev1::Pod& pod, const corev1::Pod& desired);

// Set the fields of a Service that the devbox controls.
void SetHeadlessService(const devboxv1alpha2::Devbox& devbox, corev1::ServiceSpec& spec);
void SetNodePortService(const devboxv1alpha2::Devbox& devbox, corev1::ServiceSpec& spec);

}  // namespace kubexms::platform
