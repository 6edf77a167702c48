#pragma once

// Assigns ServiceAccounts to new Pods. A Pod without a ServiceAccount gets `default`; a Pod whose
// ServiceAccount does not exist is refused. The plugin adds a volume with an API token, mounted
// into every container, and the image pull secrets of the ServiceAccount.
//
// Rules and messages are those of Kubernetes' admission plugin ServiceAccount.

#include <memory>

#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/store/store.h"

namespace kubexms {

// A controller creates the ServiceAccount `default` soon after its namespace; a Pod that is created
// earlier waits for it, for at most two seconds. This many Pods wait at a time; further ones are
// refused at once, so waiting Pods cannot occupy every worker of the server.
inline constexpr int kMaxPodsWaitingForAccounts = 16;

// All arguments are borrowed. The clock measures how long Pods wait.
std::unique_ptr<Admission> MakeServiceAccountAdmission(store::Store& store, Clock& clock,
                                                       Random& random);

}  // namespace kubexms
