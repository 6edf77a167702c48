#pragma once

// Who may decide about requests for certificates: `approve` and `sign` are rights on the signer
// that a CertificateSigningRequest names, beside those on its subresources.

#include "kubexms/apiserver/admission/admission.h"
#include "kubexms/apiserver/authorization/rbac.h"

namespace kubexms {

// Refuses to approve, deny or sign without the right on the signer, or on "DOMAIN/*".
std::unique_ptr<Admission> SignerPermissions(RbacAuthorizer& authorizer);

// Refuses requests for a client certificate of the group that may do everything.
std::unique_ptr<Admission> CertificateSubjectRestriction();

}  // namespace kubexms
