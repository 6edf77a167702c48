#pragma once

// The admissions that every server has.

#include <string>
#include <vector>

#include "kubexms/api/creator.h"
#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/store/store.h"

namespace kubexms {

struct AdmissionEnvironment {
  store::Store& store;
  RbacAuthorizer& authorizer;
  Clock& clock;  // what requests wait by
  Random& random;
};

// In order: namespaces of the system stay; Pods get a ServiceAccount, a priority, the usual
// tolerations and what their RuntimeClass says; new Nodes are not ready; a
// CertificateSigningRequest says who asks, and is approved and signed by those who may do so for
// its signer; creators are recorded; nobody gives rights that they do not have. All is borrowed.
//
// Those that are plugins of Kubernetes can be left out by their names there (`disabled`); a name
// that is none of these is an error.
Result<AdmissionChain> BuiltinAdmissions(const AdmissionEnvironment& environment,
                                         const std::vector<std::string>& disabled = {});

}  // namespace kubexms
