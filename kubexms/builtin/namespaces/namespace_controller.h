#pragma once

// The namespace controller: it deletes the content of terminating namespaces, and then removes the
// finalizer "kubernetes", by which the namespace is deleted. Conditions of the namespace report
// failures and remaining objects.

#include <chrono>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/builtin/namespaces/namespace_content.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

struct NamespaceControllerOptions {
  // How long the controller waits after the deletion of a namespace, for API servers that need a
  // while to reject new content. kubexms' own rejects it at once.
  std::chrono::nanoseconds grace_period{0};
};

Controller NamespaceController(const NamespaceControllerOptions& options = {});

// Sets the five deletion conditions from a report; true if they changed.
bool SetDeletionConditions(const NamespaceContentReport& report, Time now,
                           corev1::NamespaceStatus& status);

}  // namespace kubexms
