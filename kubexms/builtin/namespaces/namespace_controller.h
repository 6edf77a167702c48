#pragma once

// Namespaces that are being deleted: their content is deleted, of built-in and of custom kinds, and
// then the finalizer "kubernetes" is removed, so that the namespace goes. What is in the way is
// said in the conditions of the namespace.

#include <chrono>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/builtin/namespaces/namespace_content.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

struct NamespaceControllerOptions {
  // How long after its deletion a namespace is left alone, for servers that need a while to refuse
  // new content. kubexms' own does so at once.
  std::chrono::nanoseconds grace_period{0};
};

Controller NamespaceController(const NamespaceControllerOptions& options = {});

// Sets the five conditions of the deletion to what a pass came to; true when anything changed.
bool SetDeletionConditions(const NamespaceContentReport& report, Time now,
                           corev1::NamespaceStatus& status);

}  // namespace kubexms
