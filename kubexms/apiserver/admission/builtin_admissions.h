#pragma once

// The admission plugins that every server has.

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
  Clock& clock;  // measures how long HTTP requests wait
  Random& random;
};

// In order: protect system namespaces from deletion; give Pods a ServiceAccount, a priority, the
// default tolerations and the settings of their RuntimeClass; taint new Nodes as not ready; record
// the user in a CertificateSigningRequest, and check the permission to approve or sign for its
// signer; record the creator of objects; prevent privilege escalation. The references in
// `environment` are borrowed.
//
// `disabled` has names of Kubernetes' admission plugins to leave out; any other name is an error.
Result<AdmissionChain> BuiltinAdmissions(const AdmissionEnvironment& environment,
                                         const std::vector<std::string>& disabled = {});

}  // namespace kubexms
