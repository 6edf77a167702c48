#pragma once

// Whether the creator that an object names (api/creator.h) is who created it.
//
// kubexms records creators itself. Any other Kubernetes since v1.30 can check them: under a
// ValidatingAdmissionPolicy a client writes the annotation itself, and the server refuses any other
// name than that of the authenticated user, and every later change. Objects that name nobody are
// accepted; nobody is known to have created them.

#include <chrono>
#include <stop_token>
#include <vector>

#include "kubexms/api/kinds/admissionregistration_v1.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/values/time.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/requests/audit_record.h"

namespace kubexms {

struct CreatorTrust {
  enum class Source {
    kNone,    // the annotation says what its writer wanted it to say
    kServer,  // kubexms wrote the annotations
    kPolicy,  // the server compared the annotation with the authenticated user
  };
  Source source = Source::kNone;
  // Of kPolicy: objects created earlier were not checked.
  Time since;
};

// How far the server can be trusted about creators of this resource: as kubexms, if the definition
// of the resource asks for it; as another server, if the policy below is there as it should be, and
// bound. kNone also where these may not be read.
Result<CreatorTrust> FindCreatorTrust(Client& client, const ResourceType& resource,
                                      std::stop_token stop = {});

// By the annotations of the object. Under a policy the groups are those that every user or service
// account of that name is in: the annotation of groups is not checked.
Requester RequesterOf(const ObjectMeta& metadata, const CreatorTrust& trust);

// The policy for one resource and its binding, with every field that a server would default.
struct CreatorPolicy {
  admissionregistrationv1::ValidatingAdmissionPolicy policy;
  admissionregistrationv1::ValidatingAdmissionPolicyBinding binding;
};
CreatorPolicy CreatorPolicyFor(const ResourceType& resource);

// How long after its creation a policy is in force on every API server of a cluster.
inline constexpr std::chrono::seconds kCreatorPolicyDelay{10};

// Makes a server other than kubexms have these policies; does nothing on kubexms and where such
// policies are not served. Returns when they are in force: call it before the resources' own
// definitions are installed, so that no object of theirs is older.
Result<void> InstallCreatorPolicies(Client& client, const std::vector<ResourceType>& resources,
                                    Clock& clock, std::stop_token stop);

// What FindCreatorTrust() reads, and what InstallCreatorPolicies() needs besides.
std::vector<ResourceAccess> AccessToCreatorTrust();
std::vector<ResourceAccess> AccessToInstallCreatorPolicies();

}  // namespace kubexms
