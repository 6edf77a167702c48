#include "kubexms/platform/access.h"

#include <fmt/format.h>

#include "kubexms/api/kinds/authorization_v1.h"

namespace kubexms::platform {

Result<void> CheckAccess(ReconcileContext& context, const Requester& requester,
                         const Access& access) {
  authorizationv1::SubjectAccessReview review;
  review.spec.user = requester.user;
  review.spec.groups = requester.groups;
  authorizationv1::ResourceAttributes& attributes = review.spec.resource_attributes.emplace();
  attributes.verb = access.verb;
  attributes.group = access.resource.group;
  attributes.version = access.resource.version;
  attributes.resource = access.resource.plural;
  attributes.namespace_name = access.key.namespace_name;
  attributes.name = access.key.name;
  ASSIGN_OR_RETURN(const auto answer, context.client.Create(review, {.stop = context.stop}));
  if (answer.status.allowed) return {};
  return Terminal(Error::Forbidden(
      access.resource.QualifiedName(), access.key.name,
      fmt::format(
          "{} may not {} the object{}", requester.ToString(), access.verb,
          access.key.namespace_name.empty() ? "" : " in namespace " + access.key.namespace_name)));
}

ResourceAccess ReviewAccess() {
  return {ResourceType::Of<authorizationv1::SubjectAccessReview>(), "", {"create"}};
}

}  // namespace kubexms::platform
