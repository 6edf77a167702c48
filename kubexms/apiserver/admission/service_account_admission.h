#pragma once

// Pods run as a ServiceAccount of their namespace. A new Pod gets the account `default` where it
// names none, is refused where its account does not exist, and gets what the account brings along:
// a volume with a token for the API, mounted into every container, and image pull secrets.
//
// The rules and messages are those of Kubernetes' admission plugin ServiceAccount.

#include <memory>

#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/store/store.h"

namespace kubexms {

// The account `default` is made by a controller soon after its namespace: a Pod that comes earlier
// waits for it, for two seconds at most. So many Pods wait at a time; further ones are refused at
// once, so that waiting does not take every worker of the server.
inline constexpr int kMaxPodsThatWaitForAccounts = 16;

// All is borrowed. The clock is what Pods wait by.
std::unique_ptr<Admission> MakeServiceAccountAdmission(store::Store& store, Clock& clock,
                                                       Random& random);

}  // namespace kubexms
