#include "kubexms/platform/user_kinds.h"

namespace kubexms::userv1 {

void UserSpec::Describe(Type<UserSpec>& type) {
  type.Doc("UserSpec is the desired state of a user.");
  type.Field("csrExpirationSeconds", &UserSpec::csr_expiration_seconds,
             "Validity of the credentials in the kubeconfig in seconds. The minimum is 600, the "
             "maximum a year; 0 is the maximum.")
      .Minimum(0)
      .Default(365 * 24 * 3600);
  type.Field("kubeConfigRotateAt", &UserSpec::kube_config_rotate_at,
             "A changed time rotates the kubeconfig and revokes the old one.");
}

void UserStatus::Describe(Type<UserStatus>& type) {
  type.Doc("UserStatus is the observed state of a user.");
  type.Field("phase", &UserStatus::phase, "Active if all conditions are true.")
      .Enum({"Pending", "Unknown", "Active"})
      .Column("Phase");
  type.Field("observedCSRExpirationSeconds", &UserStatus::observed_csr_expiration_seconds,
             "Requested validity of the credentials in the kubeconfig in seconds.")
      .Column("ExpirationSeconds");
  type.Field("kubeConfigSecret", &UserStatus::kube_config_secret,
             "Secret with the kubeconfig of the user in the key kubeconfig, readable by the user "
             "and by administrators.");
  type.Field("observedKubeConfigRotateAt", &UserStatus::observed_kube_config_rotate_at,
             "Rotation time of the current kubeconfig.");
  type.Field("observedGeneration", &UserStatus::observed_generation,
             "Generation of the spec that the status describes.");
  type.Field("conditions", &UserStatus::conditions, "Conditions of the stages.").ListMap({"type"});
}

void User::Describe(Type<User>& type) {
  type.Field("metadata", &User::metadata);
  type.Field("spec", &User::spec);
  type.Field("status", &User::status).DefaultJson(kPendingStatus);
}

void OperationrequestSpec::Describe(Type<OperationrequestSpec>& type) {
  type.Doc("OperationrequestSpec specifies a change of a role.");
  type.Field("action", &OperationrequestSpec::action, "Grant, change or revoke the role.")
      .Required()
      .Enum({"Grant", "Update", "Deprive"})
      .Column("Action");
  type.Field("namespace", &OperationrequestSpec::namespace_name,
             "Workspace in which the role is changed: ns-<user>.")
      .Required()
      .MinLength(1)
      .Column("Namespace");
  type.Field("user", &OperationrequestSpec::user, "User whose role is changed.")
      .Required()
      .MinLength(1)
      .Column("User");
  type.Field("role", &OperationrequestSpec::role, "Role to grant; ignored by Deprive.")
      .Enum({"Owner", "Manager", "Developer"})
      .Column("Role");
}

void DeleterequestSpec::Describe(Type<DeleterequestSpec>& type) {
  type.Doc("DeleterequestSpec specifies the deletion of a user.");
  type.Field("user", &DeleterequestSpec::user, "User to delete.")
      .Required()
      .MinLength(1)
      .Column("User");
  type.Field("deleteDependents", &DeleterequestSpec::delete_dependents,
             "Delete the user's workspace with its content, too.")
      .Default(true);
}

}  // namespace kubexms::userv1
