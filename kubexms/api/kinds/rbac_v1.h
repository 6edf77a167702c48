#pragma once

// rbac.authorization.k8s.io/v1: roles and who has them.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::rbacv1 {

struct AggregationRule : Struct {
  std::vector<LabelSelector> cluster_role_selectors;

  static void Describe(Type<AggregationRule>& type);
};

struct PolicyRule : Struct {
  std::vector<std::string> api_groups;
  std::vector<std::string> non_resource_urls;
  std::vector<std::string> resource_names;
  std::vector<std::string> resources;
  std::vector<std::string> verbs;

  static void Describe(Type<PolicyRule>& type);
};

struct ClusterRole : Struct {
  static constexpr KindName kKind{
      .group = "rbac.authorization.k8s.io",
      .version = "v1",
      .kind = "ClusterRole",
      .scope = Scope::kCluster,
      .doc = "Permissions for the whole cluster, or for reuse in any namespace."};

  Optional<AggregationRule> aggregation_rule;
  ObjectMeta metadata;
  std::vector<PolicyRule> rules;

  static void Describe(Type<ClusterRole>& type);
};

struct RoleRef : Struct {
  std::string api_group;
  std::string kind;
  std::string name;

  static void Describe(Type<RoleRef>& type);
};

struct Subject : Struct {
  std::string api_group;
  std::string kind;
  std::string name;
  std::string namespace_name;

  static void Describe(Type<Subject>& type);
};

struct ClusterRoleBinding : Struct {
  static constexpr KindName kKind{.group = "rbac.authorization.k8s.io",
                                  .version = "v1",
                                  .kind = "ClusterRoleBinding",
                                  .scope = Scope::kCluster,
                                  .doc =
                                      "Gives the permissions of a cluster role to users, groups "
                                      "and service accounts, everywhere."};

  ObjectMeta metadata;
  RoleRef role_ref;
  std::vector<Subject> subjects;

  static void Describe(Type<ClusterRoleBinding>& type);
};

struct Role : Struct {
  static constexpr KindName kKind{.group = "rbac.authorization.k8s.io",
                                  .version = "v1",
                                  .kind = "Role",
                                  .doc = "Permissions within one namespace."};

  ObjectMeta metadata;
  std::vector<PolicyRule> rules;

  static void Describe(Type<Role>& type);
};

struct RoleBinding : Struct {
  static constexpr KindName kKind{.group = "rbac.authorization.k8s.io",
                                  .version = "v1",
                                  .kind = "RoleBinding",
                                  .doc =
                                      "Gives the permissions of a role to users, groups and "
                                      "service accounts, within one namespace."};

  ObjectMeta metadata;
  RoleRef role_ref;
  std::vector<Subject> subjects;

  static void Describe(Type<RoleBinding>& type);
};

}  // namespace kubexms::rbacv1
