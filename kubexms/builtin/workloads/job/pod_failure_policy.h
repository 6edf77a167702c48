#pragma once

// Evaluates spec.podFailurePolicy of a Job for a failed Pod.

#include <string>

#include "kubexms/api/kinds/batch_v1.h"

namespace kubexms {

enum class PodFailureAction { kCount, kIgnore, kFailIndex, kFailJob };

struct PodFailureMatch {
  PodFailureAction action = PodFailureAction::kCount;
  std::string message;  // with kFailJob: the reason
};

// The action of the first rule that matches, or kCount.
PodFailureMatch MatchPodFailure(const batchv1::JobSpec& spec, const corev1::Pod& pod);

}  // namespace kubexms
