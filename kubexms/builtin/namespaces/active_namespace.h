#pragma once

// For controllers that create an object in every namespace that is not being deleted.

#include <algorithm>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/base/result.h"

namespace kubexms {

inline bool IsActive(const corev1::Namespace& namespace_name) {
  return namespace_name.metadata.deletion_timestamp.IsZero() &&
         namespace_name.status.phase != "Terminating";
}

// A write to a namespace that is terminating or deleted is not an error.
inline Result<void> IgnoreTerminating(const Error& error) {
  const auto& causes = error.details().causes;
  const bool terminating = std::any_of(causes.begin(), causes.end(), [](const ErrorCause& cause) {
    return cause.reason == "NamespaceTerminating";
  });
  if (terminating || error.IsNotFound()) return {};
  return error;
}

}  // namespace kubexms
