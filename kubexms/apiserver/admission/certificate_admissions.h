#pragma once

// Checks of CertificateSigningRequests. Approving and signing require the verbs `approve` and
// `sign` on the signer that the request names, besides the permission to update the subresource.

#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/apiserver/authorization/rbac.h"

namespace kubexms {

// Refuses to approve, deny or sign without the permission on the signer or on "DOMAIN/*".
std::unique_ptr<Admission> SignerPermissions(RbacAuthorizer& authorizer);

// Refuses requests for a client certificate with the group system:masters.
std::unique_ptr<Admission> CertificateSubjectRestriction();

}  // namespace kubexms
