#include "kubexms/apiserver/authorization/default_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "kubexms/api/builtin/aggregated_rules.h"
#include "kubexms/api/codec.h"
#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/apiserver/authorization/default_role_table.h"
#include "kubexms/apiserver/authorization/policy_rules.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/base/check.h"

namespace kubexms {
namespace {

using rbacv1::ClusterRole;
using rbacv1::PolicyRule;
using rbacv1::Subject;
using Words = std::vector<std::string>;

constexpr std::string_view kApiGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kAutoUpdate = "rbac.authorization.kubernetes.io/autoupdate";
constexpr std::string_view kAggregateTo = "rbac.authorization.k8s.io/aggregate-to-";
constexpr std::string_view kControllerPrefix = "system:controller:";
constexpr std::string_view kSystem = "kube-system";
constexpr std::string_view kPublic = "kube-public";

Words SplitWords(std::string_view line) {
  Words words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

// The lines of the table, with continuation lines joined.
Words JoinedLines(std::string_view table) {
  Words lines;
  while (!table.empty()) {
    const size_t end = std::min(table.find('\n'), table.size());
    const std::string_view line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    if (line.starts_with("    ")) {
      lines.back().append(line.substr(3));
    } else if (!line.empty()) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

Words ExpandVerbs(std::string_view text) {
  Words verbs;
  for (const std::string& word : SplitWords(text)) {
    if (word == "read") {
      verbs.insert(verbs.end(), {"get", "list", "watch"});
    } else if (word == "write") {
      verbs.insert(verbs.end(), {"create", "delete", "deletecollection", "patch", "update"});
    } else {
      verbs.push_back(word);
    }
  }
  std::ranges::sort(verbs);
  return verbs;
}

PolicyRule EventsRule() {
  PolicyRule rule;
  rule.verbs = {"create", "patch", "update"};
  rule.api_groups = {"", "events.k8s.io"};
  rule.resources = {"events"};
  return rule;
}

PolicyRule ParseRule(std::string_view line) {
  line.remove_prefix(2);
  if (line == "events") return EventsRule();
  constexpr std::string_view kPaths = " paths";
  const size_t colon = line.find(": ");
  KUBEXMS_CHECK(colon != std::string_view::npos);
  std::string_view verbs = line.substr(0, colon);
  PolicyRule rule;
  if (verbs.ends_with(kPaths)) {
    verbs.remove_suffix(kPaths.size());
    rule.verbs = ExpandVerbs(verbs);
    rule.non_resource_urls = SplitWords(line.substr(colon + 2));
    return rule;
  }
  rule.verbs = ExpandVerbs(verbs);
  for (std::string& word : SplitWords(line.substr(colon + 2))) {
    if (word.front() == '@') {
      rule.api_groups.push_back(word == "@core" ? "" : word.substr(1));
    } else if (word.front() == '#') {
      rule.resource_names.push_back(word.substr(1));
    } else {
      rule.resources.push_back(std::move(word));
    }
  }
  if (rule.api_groups.empty()) rule.api_groups = {""};
  return rule;
}

struct RoleRow {
  std::string name;
  Words becomes_part_of;
  std::string aggregates;  // empty: none
  PolicyRules rules;
};

RoleRow ParseRoleLine(std::string_view line) {
  const Words words = SplitWords(line);
  RoleRow row{.name = words.front()};
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].front() == '+') row.becomes_part_of.push_back(words[i].substr(1));
    if (words[i].front() == '=') row.aggregates = words[i].substr(1);
  }
  return row;
}

std::vector<RoleRow> ParseTable(std::string_view table) {
  std::vector<RoleRow> rows;
  for (const std::string& line : JoinedLines(table)) {
    if (line.starts_with(' ')) {
      rows.back().rules.push_back(ParseRule(line));
    } else {
      rows.push_back(ParseRoleLine(line));
    }
  }
  return rows;
}

ObjectMeta DefaultMeta(std::string_view name, std::string_view namespace_name = {}) {
  ObjectMeta meta;
  meta.name = name;
  meta.namespace_name = namespace_name;
  meta.labels["kubernetes.io/bootstrapping"] = "rbac-defaults";
  meta.annotations[std::string(kAutoUpdate)] = "true";
  return meta;
}

Json ClusterRoleObject(RoleRow row) {
  rbacv1::ClusterRole role;
  role.metadata = DefaultMeta(row.name);
  for (const std::string& target : row.becomes_part_of) {
    role.metadata.labels[std::string(kAggregateTo) + target] = "true";
  }
  if (!row.aggregates.empty()) {
    LabelSelector selector;
    selector.match_labels[std::string(kAggregateTo) + row.aggregates] = "true";
    role.aggregation_rule.emplace().cluster_role_selectors = {std::move(selector)};
  }
  role.rules = std::move(row.rules);
  return ToJson(role);
}

Json RoleObject(RoleRow row, std::string_view namespace_name) {
  rbacv1::Role role;
  role.metadata = DefaultMeta(row.name, namespace_name);
  role.rules = std::move(row.rules);
  return ToJson(role);
}

enum class SubjectType { kUser, kGroup, kServiceAccount };

Subject SubjectOf(SubjectType type, std::string_view name) {
  Subject subject;
  subject.name = name;
  if (type == SubjectType::kServiceAccount) {
    subject.kind = "ServiceAccount";
    subject.namespace_name = kSystem;
    return subject;
  }
  subject.kind = type == SubjectType::kUser ? "User" : "Group";
  subject.api_group = kApiGroup;
  return subject;
}

rbacv1::RoleRef ReferenceTo(std::string_view kind, std::string_view name) {
  rbacv1::RoleRef reference;
  reference.api_group = kApiGroup;
  reference.kind = kind;
  reference.name = name;
  return reference;
}

Json ClusterBinding(std::string_view role, std::vector<Subject> subjects) {
  rbacv1::ClusterRoleBinding binding;
  binding.metadata = DefaultMeta(role);
  binding.role_ref = ReferenceTo("ClusterRole", role);
  binding.subjects = std::move(subjects);
  return ToJson(binding);
}

Json NamespaceBinding(std::string_view namespace_name, std::string_view name, std::string_view role,
                      std::vector<Subject> subjects) {
  rbacv1::RoleBinding binding;
  binding.metadata = DefaultMeta(name, namespace_name);
  binding.role_ref = ReferenceTo("Role", role);
  binding.subjects = std::move(subjects);
  return ToJson(binding);
}

void AppendClusterBindings(std::vector<Json>& objects) {
  const auto bind = [&](std::string_view role, std::vector<Subject> subjects) {
    objects.push_back(ClusterBinding(role, std::move(subjects)));
  };
  const Subject everyone = SubjectOf(SubjectType::kGroup, "system:authenticated");
  const Subject scheduler = SubjectOf(SubjectType::kUser, "system:kube-scheduler");
  bind("cluster-admin", {SubjectOf(SubjectType::kGroup, "system:masters")});
  bind("system:basic-user", {everyone});
  bind("system:discovery", {everyone});
  bind("system:public-info-viewer",
       {everyone, SubjectOf(SubjectType::kGroup, "system:unauthenticated")});
  bind("system:monitoring", {SubjectOf(SubjectType::kGroup, "system:monitoring")});
  bind("system:service-account-issuer-discovery",
       {SubjectOf(SubjectType::kGroup, "system:serviceaccounts")});
  bind("system:kube-controller-manager",
       {SubjectOf(SubjectType::kUser, "system:kube-controller-manager")});
  bind("system:kube-scheduler", {scheduler});
  bind("system:volume-scheduler", {scheduler});
  bind("system:kube-dns", {SubjectOf(SubjectType::kServiceAccount, "kube-dns")});
  bind("system:node-proxier", {SubjectOf(SubjectType::kUser, "system:kube-proxy")});
  bind("system:node", {});  // no subjects, as in Kubernetes
}

void AppendNamespaceBindings(std::vector<Json>& objects) {
  const auto bind = [&](std::string_view namespace_name, std::string_view role,
                        std::vector<Subject> subjects) {
    objects.push_back(NamespaceBinding(namespace_name, role, role, std::move(subjects)));
  };
  const auto account = [](std::string_view name) {
    return SubjectOf(SubjectType::kServiceAccount, name);
  };
  const Subject manager = SubjectOf(SubjectType::kUser, "system:kube-controller-manager");
  const Subject scheduler = SubjectOf(SubjectType::kUser, "system:kube-scheduler");
  objects.push_back(NamespaceBinding(kSystem, "system::extension-apiserver-authentication-reader",
                                     "extension-apiserver-authentication-reader",
                                     {manager, scheduler}));
  bind(kSystem, "system::leader-locking-kube-controller-manager",
       {manager, account("kube-controller-manager"), account("leader-election-controller")});
  bind(kSystem, "system::leader-locking-kube-scheduler", {scheduler, account("kube-scheduler")});
  for (const std::string_view name : {"bootstrap-signer", "cloud-provider", "token-cleaner"}) {
    bind(kSystem, std::string(kControllerPrefix).append(name), {account(name)});
  }
  bind(kPublic, "system:controller:bootstrap-signer", {account("bootstrap-signer")});
}

void FillAggregatedRules(std::vector<Json>& objects) {
  std::vector<ClusterRolePointer> roles;
  for (const Json& object : objects) {
    roles.push_back(std::make_shared<const ClusterRole>(FromJson<ClusterRole>(object).value()));
  }
  for (const ClusterRolePointer& role : UpdateAggregatedRules(roles)) {
    const auto object = std::ranges::find(objects, role->metadata.name,
                                          [](const Json& each) { return NameOf(each); });
    JsonArray rules;
    for (const PolicyRule& rule : role->rules) rules.push_back(ToJson(rule));
    object->as_object()["rules"] = std::move(rules);
  }
}

bool IsProtected(const Json& existing) {
  const Json* metadata = FindMember(existing, "metadata");
  const Json* annotations = metadata == nullptr ? nullptr : FindMember(*metadata, "annotations");
  return annotations != nullptr && FindString(*annotations, kAutoUpdate) == "false";
}

JsonArray ArrayOf(const Json& object, std::string_view field) {
  const Json* value = FindMember(object, field);
  return value != nullptr && value->is_array() ? value->get_array() : JsonArray();
}

// Adds to metadata.FIELD the wanted keys that are missing.
void AddMissingKeys(std::string_view field, const Json& wanted, Json& object) {
  const Json* keys = FindMember(wanted.at("metadata"), field);
  if (keys == nullptr) return;
  JsonObject& present = ObjectMember(object.at("metadata").as_object(), field);
  for (const auto& [key, value] : keys->as_object()) present.emplace(key, value);
}

// Appends the wanted items that are missing.
void AddMissingItems(const JsonArray& wanted, JsonArray& items) {
  for (const Json& item : wanted) {
    const auto same = [&](const Json& present) { return JsonEqual(present, item); };
    if (!std::ranges::any_of(items, same)) items.push_back(item);
  }
}

PolicyRules RulesOf(const Json& role) {
  PolicyRules rules;
  for (const Json& rule : ArrayOf(role, "rules")) {
    Result<PolicyRule> decoded = FromJson<PolicyRule>(rule);
    if (decoded.ok()) rules.push_back(std::move(*decoded));
  }
  return rules;
}

void AddMissingRules(const Json& wanted, Json& role) {
  const PolicyRules existing = RulesOf(role);
  std::vector<const PolicyRule*> held;
  for (const PolicyRule& rule : existing) held.push_back(&rule);
  MissingRules missing = FindMissingRules(held, RulesOf(wanted));
  if (missing.empty()) return;
  if (missing.truncated) missing.rules = RulesOf(wanted);
  JsonArray rules = ArrayOf(role, "rules");
  for (const PolicyRule& rule : missing.rules) rules.push_back(ToJson(rule));
  role.as_object()["rules"] = std::move(rules);
}

void AddMissingSelectors(const Json& wanted, Json& role) {
  JsonArray selectors;
  if (const Json* rule = FindMember(role, "aggregationRule")) {
    selectors = ArrayOf(*rule, "clusterRoleSelectors");
  }
  AddMissingItems(ArrayOf(wanted.at("aggregationRule"), "clusterRoleSelectors"), selectors);
  ObjectMember(role.as_object(), "aggregationRule")["clusterRoleSelectors"] = std::move(selectors);
}

std::optional<Json> IfChanged(const Json& existing, Json reconciled) {
  if (JsonEqual(existing, reconciled)) return std::nullopt;
  return reconciled;
}

}  // namespace

std::vector<Json> DefaultRbacObjects() {
  std::vector<Json> objects;
  for (RoleRow& row : ParseTable(kDefaultClusterRoles)) {
    objects.push_back(ClusterRoleObject(std::move(row)));
  }
  std::vector<Json> controller_bindings;
  for (RoleRow& row : ParseTable(kDefaultControllerRoles)) {
    const std::string account = row.name;
    row.name.insert(0, kControllerPrefix);
    controller_bindings.push_back(
        ClusterBinding(row.name, {SubjectOf(SubjectType::kServiceAccount, account)}));
    objects.push_back(ClusterRoleObject(std::move(row)));
  }
  FillAggregatedRules(objects);
  for (RoleRow& row : ParseTable(kDefaultSystemNamespaceRoles)) {
    objects.push_back(RoleObject(std::move(row), kSystem));
  }
  for (RoleRow& row : ParseTable(kDefaultPublicNamespaceRoles)) {
    objects.push_back(RoleObject(std::move(row), kPublic));
  }
  AppendClusterBindings(objects);
  std::ranges::move(controller_bindings, std::back_inserter(objects));
  AppendNamespaceBindings(objects);
  return objects;
}

std::optional<Json> ReconcileRole(const Json& existing, const Json& wanted) {
  if (IsProtected(existing)) return std::nullopt;
  Json role = existing;
  AddMissingKeys("labels", wanted, role);
  AddMissingKeys("annotations", wanted, role);
  // The role aggregation controller maintains the rules of an aggregating role.
  if (FindMember(wanted, "aggregationRule") != nullptr) {
    AddMissingSelectors(wanted, role);
  } else {
    AddMissingRules(wanted, role);
  }
  return IfChanged(existing, std::move(role));
}

std::optional<Json> ReconcileBinding(const Json& existing, const Json& wanted) {
  if (IsProtected(existing)) return std::nullopt;
  const Json* reference = FindMember(existing, "roleRef");
  if (reference == nullptr || !JsonEqual(*reference, wanted.at("roleRef"))) return wanted;
  Json binding = existing;
  AddMissingKeys("labels", wanted, binding);
  AddMissingKeys("annotations", wanted, binding);
  JsonArray subjects = ArrayOf(binding, "subjects");
  AddMissingItems(ArrayOf(wanted, "subjects"), subjects);
  if (!subjects.empty()) binding.as_object()["subjects"] = std::move(subjects);
  return IfChanged(existing, std::move(binding));
}

}  // namespace kubexms
