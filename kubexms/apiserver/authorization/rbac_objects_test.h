#pragma once

// Builds roles and bindings for the tests of authorization and writes them into a store.

#include <initializer_list>
#include <string>
#include <string_view>

#include "kubexms/api/codec.h"
#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/check.h"
#include "kubexms/store/store.h"

namespace kubexms {

using Words = std::vector<std::string>;

inline rbacv1::PolicyRule Rule(Words verbs, Words groups, Words resources, Words names = {}) {
  rbacv1::PolicyRule rule;
  rule.verbs = std::move(verbs);
  rule.api_groups = std::move(groups);
  rule.resources = std::move(resources);
  rule.resource_names = std::move(names);
  return rule;
}

inline rbacv1::PolicyRule UrlRule(Words verbs, Words urls) {
  rbacv1::PolicyRule rule;
  rule.verbs = std::move(verbs);
  rule.non_resource_urls = std::move(urls);
  return rule;
}

inline rbacv1::Subject SubjectOf(std::string kind, std::string name,
                                 std::string namespace_name = {}) {
  rbacv1::Subject subject;
  subject.kind = std::move(kind);
  subject.name = std::move(name);
  subject.namespace_name = std::move(namespace_name);
  return subject;
}

// A Role, or a ClusterRole when it has no namespace.
inline Json RoleObject(std::string namespace_name, std::string name, PolicyRules rules) {
  if (namespace_name.empty()) {
    rbacv1::ClusterRole role;
    role.metadata.name = std::move(name);
    role.rules = std::move(rules);
    return ToJson(role);
  }
  rbacv1::Role role;
  role.metadata.name = std::move(name);
  role.metadata.namespace_name = std::move(namespace_name);
  role.rules = std::move(rules);
  return ToJson(role);
}

// A RoleBinding, or a ClusterRoleBinding when it has no namespace.
inline Json BindingObject(std::string namespace_name, std::string name, std::string role_kind,
                          std::string role_name, std::vector<rbacv1::Subject> subjects) {
  rbacv1::RoleRef role;
  role.api_group = kRbacGroup;
  role.kind = std::move(role_kind);
  role.name = std::move(role_name);
  if (namespace_name.empty()) {
    rbacv1::ClusterRoleBinding binding;
    binding.metadata.name = std::move(name);
    binding.role_ref = std::move(role);
    binding.subjects = std::move(subjects);
    return ToJson(binding);
  }
  rbacv1::RoleBinding binding;
  binding.metadata.name = std::move(name);
  binding.metadata.namespace_name = std::move(namespace_name);
  binding.role_ref = std::move(role);
  binding.subjects = std::move(subjects);
  return ToJson(binding);
}

inline std::string RbacKey(const Json& object) {
  std::string plural(FindString(object, "kind"));
  for (char& c : plural) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  std::string key = StoragePrefix(kRbacGroup, plural + "s");
  const Json& metadata = *FindMember(object, "metadata");
  const std::string_view namespace_name = FindString(metadata, "namespace");
  if (!namespace_name.empty()) key.append(namespace_name).append("/");
  return key.append(FindString(metadata, "name"));
}

inline void PutObject(store::Store& store, const Json& object) {
  const auto result = store.Commit(store::Transaction().Put(RbacKey(object), WriteJson(object)));
  KUBEXMS_CHECK(result.ok());
}

inline void DeleteObject(store::Store& store, const Json& object) {
  KUBEXMS_CHECK(store.Commit(store::Transaction().Delete(RbacKey(object))).ok());
}

}  // namespace kubexms
