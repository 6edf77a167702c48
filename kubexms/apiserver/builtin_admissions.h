#pragma once

// The admissions that every server has.

#include "kubexms/api/creator.h"
#include "kubexms/apiserver/admission.h"
#include "kubexms/apiserver/rbac.h"
#include "kubexms/apiserver/resource_registry.h"
#include "kubexms/store/store.h"

namespace kubexms {

// In order: namespaces of the system stay; Pods get a priority and the usual tolerations; new Nodes
// are not ready; a CertificateSigningRequest says who asks, and is approved and signed by those who
// may do so for its signer; creators are recorded; nobody gives rights that they do not have. All
// is borrowed.
AdmissionChain BuiltinAdmissions(store::Store& store, RbacAuthorizer& authorizer);

}  // namespace kubexms
