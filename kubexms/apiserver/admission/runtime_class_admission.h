#pragma once

// Applies a RuntimeClass to the Pods that name it: sets the overhead and merges the scheduling
// constraints of the class. Rules and messages are those of Kubernetes' admission plugin
// RuntimeClass.

#include <memory>

#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/store/store.h"

namespace kubexms {

// The store is borrowed.
std::unique_ptr<Admission> MakeRuntimeClassAdmission(store::Store& store);

}  // namespace kubexms
