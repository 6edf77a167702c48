#include "kubexms/api/kinds/rbac_v1.h"

namespace kubexms::rbacv1 {

void AggregationRule::Describe(Type<AggregationRule>& type) {
  type.Name("io.k8s.api.rbac.v1.AggregationRule")
      .Doc("Which cluster roles are merged into another.");
  type.Field("clusterRoleSelectors", 1, &AggregationRule::cluster_role_selectors,
             "Labels of the roles to merge; a role that one of them selects is included.")
      .ListAtomic();
}

void PolicyRule::Describe(Type<PolicyRule>& type) {
  type.Name("io.k8s.api.rbac.v1.PolicyRule")
      .Doc("Verbs that are permitted on resources or on URL paths.");
  type.Field("apiGroups", 2, &PolicyRule::api_groups,
             "API groups; an empty string is the core group and * stands for all.")
      .ListAtomic();
  type.Field(
          "nonResourceURLs", 5, &PolicyRule::non_resource_urls,
          "URL paths, which may end in *; only in cluster roles and not together with resources.")
      .ListAtomic();
  type.Field("resourceNames", 4, &PolicyRule::resource_names,
             "Objects that the rule is limited to; empty permits all. Cannot limit create or "
             "deletecollection.")
      .ListAtomic();
  type.Field("resources", 3, &PolicyRule::resources,
             "Resources in the plural; pods/log is a subresource, */scale that of all resources, * "
             "stands for all.")
      .ListAtomic();
  type.Field("verbs", 1, &PolicyRule::verbs, "Permitted verbs; * stands for all.")
      .Required()
      .ListAtomic();
}

void ClusterRole::Describe(Type<ClusterRole>& type) {
  type.Name("io.k8s.api.rbac.v1.ClusterRole");
  type.Field("aggregationRule", 3, &ClusterRole::aggregation_rule,
             "If set, a controller writes rules, collecting those of other roles.");
  type.Field("metadata", 1, &ClusterRole::metadata);
  type.Field("rules", 2, &ClusterRole::rules, "What the role permits; none permits nothing.")
      .WriteZero()
      .ListAtomic();
}

void RoleRef::Describe(Type<RoleRef>& type) {
  type.Name("io.k8s.api.rbac.v1.RoleRef").Atomic().Doc("The role that a binding gives away.");
  type.Field("apiGroup", 1, &RoleRef::api_group,
             "Always rbac.authorization.k8s.io, which is also filled in.")
      .Required()
      .Default("rbac.authorization.k8s.io")
      .Enum({"rbac.authorization.k8s.io"});
  type.Field("kind", 2, &RoleRef::kind,
             "Role or ClusterRole; a ClusterRoleBinding takes only the latter.")
      .Required()
      .Enum({"Role", "ClusterRole"});
  type.Field("name", 3, &RoleRef::name).Required();
}

void Subject::Describe(Type<Subject>& type) {
  type.Name("io.k8s.api.rbac.v1.Subject").Atomic().Doc("A user, group or service account.");
  type.Field("apiGroup", 2, &Subject::api_group,
             "Empty for service accounts, rbac.authorization.k8s.io for users and groups; filled "
             "in accordingly.");
  type.Field("kind", 1, &Subject::kind, "What sort of subject this is.")
      .Required()
      .Enum({"ServiceAccount", "User", "Group"});
  type.Field("name", 3, &Subject::name).Required();
  type.Field("namespace", 4, &Subject::namespace_name,
             "Namespace of a service account; must be empty for users and groups.");
}

void ClusterRoleBinding::Describe(Type<ClusterRoleBinding>& type) {
  type.Name("io.k8s.api.rbac.v1.ClusterRoleBinding");
  type.Field("metadata", 1, &ClusterRoleBinding::metadata);
  type.Field("roleRef", 3, &ClusterRoleBinding::role_ref, "The cluster role.")
      .Required()
      .Immutable();
  type.Field("subjects", 2, &ClusterRoleBinding::subjects,
             "Who gets the permissions; may be empty.")
      .ListAtomic();
}

void Role::Describe(Type<Role>& type) {
  type.Name("io.k8s.api.rbac.v1.Role");
  type.Field("metadata", 1, &Role::metadata);
  type.Field("rules", 2, &Role::rules, "What the role permits; none permits nothing.")
      .WriteZero()
      .ListAtomic();
}

void RoleBinding::Describe(Type<RoleBinding>& type) {
  type.Name("io.k8s.api.rbac.v1.RoleBinding");
  type.Field("metadata", 1, &RoleBinding::metadata);
  type.Field("roleRef", 3, &RoleBinding::role_ref,
             "A Role of the namespace, or a ClusterRole that is to apply in the namespace only.")
      .Required()
      .Immutable();
  type.Field("subjects", 2, &RoleBinding::subjects, "Who gets the permissions; may be empty.")
      .ListAtomic();
}

}  // namespace kubexms::rbacv1
