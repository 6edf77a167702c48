#include "kubexms/platform/user_objects.h"

#include <utility>

#include "kubexms/platform/names.h"

namespace kubexms::platform {

rbacv1::Subject AccountSubject(const std::string& user) {
  rbacv1::Subject subject;
  subject.kind = "ServiceAccount";
  subject.name = user;
  subject.namespace_name = kSystemNamespace;
  return subject;
}

rbacv1::RoleRef RoleNamed(const std::string& kind, const std::string& name) {
  rbacv1::RoleRef role;
  role.api_group = "rbac.authorization.k8s.io";
  role.kind = kind;
  role.name = name;
  return role;
}

Result<userv1::User> Annotate(ReconcileContext& context, const std::string& user,
                              JsonObject annotations) {
  const Json patch = JsonObject{{"metadata", JsonObject{{"annotations", std::move(annotations)}}}};
  return context.client.Patch<userv1::User>({"", user}, {.body = WriteJson(patch)},
                                            {.stop = context.stop});
}

}  // namespace kubexms::platform
