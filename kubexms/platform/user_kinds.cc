#include "kubexms/platform/user_kinds.h"

namespace kubexms::userv1 {

void UserSpec::Describe(Type<UserSpec>& type) {
  type.Doc("What a user is to have.");
  type.Field("csrExpirationSeconds", &UserSpec::csr_expiration_seconds,
             "How long the credentials in the kubeconfig hold, in seconds: 600 at least; 0 is as "
             "long as possible.")
      .Minimum(0)
      .Default(1'000'000'000);
  type.Field("kubeConfigRotateAt", &UserSpec::kube_config_rotate_at,
             "Another time than before makes a new kubeconfig, and the old one invalid.");
}

void UserStatus::Describe(Type<UserStatus>& type) {
  type.Doc("What a user has.");
  type.Field("phase", &UserStatus::phase, "Active once everything of the user is in place.")
      .Enum({"Pending", "Unknown", "Active"})
      .Column("Phase");
  type.Field("observedCSRExpirationSeconds", &UserStatus::observed_csr_expiration_seconds,
             "For how long the credentials in the kubeconfig were asked for.")
      .Column("ExpirationSeconds");
  type.Field("kubeConfigSecret", &UserStatus::kube_config_secret,
             "The Secret whose key kubeconfig has what the user reaches the workspace with. The "
             "user and administrators may read it.");
  type.Field("observedKubeConfigRotateAt", &UserStatus::observed_kube_config_rotate_at,
             "The rotation after which the kubeconfig was made.");
  type.Field("observedGeneration", &UserStatus::observed_generation,
             "The generation of the spec that this is about.");
  type.Field("conditions", &UserStatus::conditions, "How far each part is.").ListMap({"type"});
}

void User::Describe(Type<User>& type) {
  type.Field("metadata", &User::metadata);
  type.Field("spec", &User::spec);
  type.Field("status", &User::status).DefaultJson(kPendingStatus);
}

void OperationrequestSpec::Describe(Type<OperationrequestSpec>& type) {
  type.Doc("Whose role is to become what, and where.");
  type.Field("action", &OperationrequestSpec::action, "What to do with the role.")
      .Required()
      .Enum({"Grant", "Update", "Deprive"})
      .Column("Action");
  type.Field("namespace", &OperationrequestSpec::namespace_name, "The workspace: ns-<its user>.")
      .Required()
      .MinLength(1)
      .Column("Namespace");
  type.Field("user", &OperationrequestSpec::user, "Who gets or loses the role.")
      .Required()
      .MinLength(1)
      .Column("User");
  type.Field("role", &OperationrequestSpec::role,
             "What they may do in the workspace; of no matter to Deprive.")
      .Enum({"Owner", "Manager", "Developer"})
      .Column("Role");
}

void Operationrequest::Describe(Type<Operationrequest>& type) {
  type.Field("metadata", &Operationrequest::metadata);
  type.Field("spec", &Operationrequest::spec);
  type.Field("status", &Operationrequest::status);
}

void DeleterequestSpec::Describe(Type<DeleterequestSpec>& type) {
  type.Doc("Who is to go.");
  type.Field("user", &DeleterequestSpec::user, "Who is deleted.")
      .Required()
      .MinLength(1)
      .Column("User");
  type.Field("deleteDependents", &DeleterequestSpec::delete_dependents,
             "Whether the user's workspace goes too, with all that is in it.")
      .Default(true);
}

void Deleterequest::Describe(Type<Deleterequest>& type) {
  type.Field("metadata", &Deleterequest::metadata);
  type.Field("spec", &Deleterequest::spec);
  type.Field("status", &Deleterequest::status);
}

}  // namespace kubexms::userv1
