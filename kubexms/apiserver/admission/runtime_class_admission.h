#pragma once

// A Pod that names a RuntimeClass gets what the class says about it: the overhead of its runtime,
// and the nodes that have it. The rules and messages are those of Kubernetes' admission plugin
// RuntimeClass.

#include <memory>

#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/store/store.h"

namespace kubexms {

// The store is borrowed.
std::unique_ptr<Admission> MakeRuntimeClassAdmission(store::Store& store);

}  // namespace kubexms
