#pragma once

// What the failure of a Pod means to its Job, by the rules of spec.podFailurePolicy.

#include <string>

#include "kubexms/api/kinds/batch_v1.h"

namespace kubexms {

enum class PodFailureAction { kCount, kIgnore, kFailIndex, kFailJob };

struct PodFailureMatch {
  PodFailureAction action = PodFailureAction::kCount;
  std::string message;  // of kFailJob: why
};

// By the first rule that matches; a failure that none matches is counted.
PodFailureMatch MatchPodFailure(const batchv1::JobSpec& spec, const corev1::Pod& pod);

}  // namespace kubexms
