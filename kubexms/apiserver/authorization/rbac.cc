#include "kubexms/apiserver/authorization/rbac.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/authentication/service_account_tokens.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/resources/resource.h"

namespace kubexms {
namespace {

using rbacv1::PolicyRule;

// A hash map in shards: changing a key copies one shard and shares all others with the map it was
// copied from.
template <class Value>
class ShardedMap {
 public:
  const Value* Find(const std::string& key) const {
    const auto& shard = shards_[IndexOf(key)];
    if (shard == nullptr) return nullptr;
    const auto found = shard->find(key);
    return found == shard->end() ? nullptr : &found->second;
  }

 private:
  template <class>
  friend class ShardedMapEditor;

  static constexpr size_t kShards = 256;
  using Shard = std::unordered_map<std::string, Value>;

  static size_t IndexOf(const std::string& key) {
    return (std::hash<std::string>()(key) >> 48) % kShards;
  }

  std::array<std::shared_ptr<Shard>, kShards> shards_;
};

// Changes a map that is not published yet; copies shared shards before changing them.
template <class Value>
class ShardedMapEditor {
 public:
  explicit ShardedMapEditor(ShardedMap<Value>& map) : map_(map) {}

  Value& At(const std::string& key) { return Own(key)[key]; }
  void Erase(const std::string& key) { Own(key).erase(key); }

 private:
  using Map = ShardedMap<Value>;

  typename Map::Shard& Own(const std::string& key) {
    const size_t index = Map::IndexOf(key);
    auto& shard = map_.shards_[index];
    if (!owned_[index]) {
      shard = shard ? std::make_shared<typename Map::Shard>(*shard)
                    : std::make_shared<typename Map::Shard>();
      owned_[index] = true;
    }
    return *shard;
  }

  Map& map_;
  std::bitset<Map::kShards> owned_;
};

using RulesPtr = std::shared_ptr<const PolicyRules>;

constexpr std::string_view kRoles = "roles/";
constexpr std::string_view kClusterRoles = "clusterroles/";
constexpr std::string_view kRoleBindings = "rolebindings/";
constexpr std::string_view kClusterRoleBindings = "clusterrolebindings/";

// "/registry/rbac.authorization.k8s.io/": one watch covers all four resources.
std::string GroupPrefix() {
  std::string prefix = StoragePrefix(kRbacGroup, "roles");
  prefix.resize(prefix.size() - kRoles.size());
  return prefix;
}

// The end of the storage key of a role: "roles/NAMESPACE/NAME" or "clusterroles/NAME".
std::string RoleKey(const rbacv1::RoleRef& role, std::string_view namespace_name) {
  if (role.kind == "ClusterRole") return std::string(kClusterRoles).append(role.name);
  return std::string(kRoles).append(namespace_name).append("/").append(role.name);
}

enum class SubjectKind : char { kUser = 'u', kGroup = 'g' };

// The key of the grants of a subject. Namespaces cannot contain a slash, so keys are unique.
void SetSubjectKey(std::string& key, std::string_view namespace_name, SubjectKind kind,
                   std::string_view name) {
  key.assign(namespace_name);
  key += '/';
  key += static_cast<char>(kind);
  key += name;
}

// Empty when no user can match the subject.
std::string SubjectKey(const rbacv1::Subject& subject, std::string_view binding_namespace) {
  std::string key;
  if (subject.kind == "User") {
    SetSubjectKey(key, binding_namespace, SubjectKind::kUser, subject.name);
  } else if (subject.kind == "Group") {
    SetSubjectKey(key, binding_namespace, SubjectKind::kGroup, subject.name);
  } else if (subject.kind == "ServiceAccount") {
    const std::string_view home = subject.namespace_name.empty()
                                      ? binding_namespace
                                      : std::string_view(subject.namespace_name);
    if (home.empty()) return key;
    SetSubjectKey(key, binding_namespace, SubjectKind::kUser,
                  ServiceAccountUserName(home, subject.name));
  }
  return key;
}

std::string DescribeSubject(const rbacv1::Subject& subject, std::string_view binding_namespace) {
  if (subject.kind != "ServiceAccount") {
    return fmt::format("{} {}", subject.kind, Quoted(subject.name));
  }
  const std::string_view home =
      subject.namespace_name.empty() ? binding_namespace : std::string_view(subject.namespace_name);
  return fmt::format("{} {}", subject.kind, Quoted(fmt::format("{}/{}", subject.name, home)));
}

std::string MissingRole(const rbacv1::RoleRef& role) {
  return fmt::format("{}.{} {} not found", role.kind == "ClusterRole" ? "clusterrole" : "role",
                     kRbacGroup, Quoted(role.name));
}

std::string JoinErrors(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors.front();
  return fmt::format("[{}]", fmt::join(errors, ", "));
}

// Adds an error that is not in the list yet. Thousands of bindings may refer to roles that do not
// exist.
void AddError(std::string error, std::vector<std::string>& errors) {
  constexpr size_t kMaxErrors = 32;
  if (errors.size() >= kMaxErrors || std::ranges::count(errors, error) > 0) return;
  errors.push_back(std::move(error));
}

bool IsMaster(const UserInfo& user) {
  return std::ranges::find(user.groups, kMastersGroup) != user.groups.end();
}

// The object without the fields that the garbage collector changes to delete it.
Json WithoutCollectorFields(const Json& object) {
  Json copy = object;
  if (Json* metadata = FindMember(copy, "metadata"); metadata != nullptr && metadata->is_object()) {
    for (const char* field :
         {"ownerReferences", "finalizers", "managedFields", "resourceVersion"}) {
      metadata->as_object().erase(field);
    }
  }
  return copy;
}

bool OnlyCollectorFieldsChange(const Json& object, const Json* old) {
  return old != nullptr && JsonEqual(WithoutCollectorFields(object), WithoutCollectorFields(*old));
}

Error ForbiddenWrite(const RequestAttributes& request, const Json& object, std::string_view why) {
  return Error::Forbidden(fmt::format("{}.{}", request.resource, request.group), NameOf(object),
                          why);
}

// Roles and ClusterRoles have the same `rules` field.
Result<PolicyRules> DecodeRules(std::string_view json) {
  struct Rules : Struct {
    PolicyRules rules;
    static void Describe(Type<Rules>& type) { type.Field("rules", &Rules::rules); }
  };
  ASSIGN_OR_RETURN(Rules role, Decode<Rules>(json));
  return std::move(role.rules);
}

// A browser may show the message.
std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

// "User "joe" cannot list resource "pods" in API group "" in the namespace "x"".
std::string DescribeDenial(const UserInfo& user, const RequestAttributes& request) {
  if (!request.is_resource) {
    return fmt::format("User {} cannot {} path {}", Quoted(user.name), request.verb,
                       Quoted(request.path));
  }
  const std::string resource =
      request.subresource.empty() ? request.resource : request.resource + "/" + request.subresource;
  const std::string where = request.namespace_name.empty()
                                ? "at the cluster scope"
                                : "in the namespace " + Quoted(request.namespace_name);
  return fmt::format("User {} cannot {} resource {} in API group {} {}", Quoted(user.name),
                     request.verb, Quoted(resource), Quoted(request.group), where);
}

// Limit of the rules in one SelfSubjectRulesReview.
constexpr size_t kMaxRulesBytes = size_t{4} * 1024 * 1024;

// Limit of the held rules that an escalation check compares with the wanted ones.
constexpr size_t kMaxHeldRules = 200'000;

size_t SizeOf(const PolicyRule& rule) {
  size_t bytes = sizeof(rule);
  for (const auto* values : {&rule.verbs, &rule.api_groups, &rule.resources, &rule.resource_names,
                             &rule.non_resource_urls}) {
    for (const std::string& value : *values) bytes += value.size() + sizeof(value);
  }
  return bytes;
}

// One rule per line, in order; truncated at the limit.
std::string DescribeRules(const MissingRules& missing) {
  constexpr size_t kMaxText = size_t{16} * 1024;
  std::set<std::string> described;
  for (const PolicyRule& rule : missing.rules) described.insert(DescribeRule(rule));
  std::string text;
  bool truncated = missing.truncated;
  for (const std::string& line : described) {
    truncated = truncated || text.size() + line.size() > kMaxText;
    if (text.size() + line.size() > kMaxText) break;
    if (!text.empty()) text += '\n';
    text += line;
  }
  if (truncated) text += text.empty() ? "more rules than can be listed" : "\nand more";
  return text;
}

// The common fields of RoleBinding and ClusterRoleBinding.
struct BindingParts : Struct {
  rbacv1::RoleRef role_ref;
  std::vector<rbacv1::Subject> subjects;

  static void Describe(Type<BindingParts>& type) {
    type.Field("roleRef", &BindingParts::role_ref);
    type.Field("subjects", &BindingParts::subjects);
  }
};

std::string DescribeBinding(std::string_view namespace_name, std::string_view name,
                            const rbacv1::RoleRef& role) {
  const std::string binding =
      namespace_name.empty()
          ? fmt::format("ClusterRoleBinding {}", Quoted(name))
          : fmt::format("RoleBinding {}", Quoted(fmt::format("{}/{}", name, namespace_name)));
  return fmt::format("{} of {} {}", binding, role.kind, Quoted(role.name));
}

PolicyRules AllPermissions() {
  PolicyRules rules(2);
  rules[0].verbs = rules[0].api_groups = rules[0].resources = {"*"};
  rules[1].verbs = rules[1].non_resource_urls = {"*"};
  return rules;
}

}  // namespace

struct RbacAuthorizer::Binding {
  // `key` is the end of the storage key: "rolebindings/NAMESPACE/NAME", "clusterrolebindings/NAME".
  Binding(std::string_view key, const BindingParts& parts) : role(parts.role_ref) {
    const size_t name_at = key.rfind('/') + 1;
    std::string_view namespace_name;  // empty for a ClusterRoleBinding
    if (key.starts_with(kRoleBindings)) {
      namespace_name = key.substr(kRoleBindings.size(), name_at - 1 - kRoleBindings.size());
    }
    role_key = RoleKey(role, namespace_name);
    const std::string described = DescribeBinding(namespace_name, key.substr(name_at), role);
    for (const rbacv1::Subject& subject : parts.subjects) {
      subject_keys.push_back(SubjectKey(subject, namespace_name));
      reasons.push_back(fmt::format("RBAC: allowed by {} to {}", described,
                                    DescribeSubject(subject, namespace_name)));
    }
  }

  rbacv1::RoleRef role;
  std::string role_key;
  std::vector<std::string> subject_keys;
  std::vector<std::string> reasons;  // of the subjects, in the same order
};

// The permissions of one subject by one binding.
struct RbacAuthorizer::Grant {
  std::shared_ptr<const Binding> binding;
  size_t subject = 0;

  const std::string& reason() const { return binding->reasons[subject]; }
};

struct RbacAuthorizer::Snapshot {
  ShardedMap<RulesPtr> roles;             // by RoleKey
  ShardedMap<std::vector<Grant>> grants;  // by SubjectKey

  // Calls visit(const Grant&, const PolicyRules*) for the cluster-wide grants of the user, then for
  // those in the namespace, until it returns true. The rules are null when the role does not exist.
  template <class Visit>
  void Walk(const UserInfo& user, std::string_view namespace_name, const Visit& visit) const {
    std::string key;
    key.reserve(256);
    if (WalkScope(user, {}, key, visit) || namespace_name.empty()) return;
    // No namespace has such a name, and its key could be that of another subject.
    if (namespace_name.find('/') != std::string_view::npos) return;
    WalkScope(user, namespace_name, key, visit);
  }

  // Calls visit(const PolicyRules&) for each binding of the user and returns the roles that do not
  // exist.
  template <class Visit>
  std::vector<std::string> ForEachRole(const UserInfo& user, std::string_view namespace_name,
                                       const Visit& visit) const {
    std::vector<std::string> errors;
    std::set<const Binding*> seen;
    Walk(user, namespace_name, [&](const Grant& grant, const PolicyRules* rules) {
      if (!seen.insert(grant.binding.get()).second) return false;
      if (rules != nullptr) {
        visit(*rules);
      } else {
        AddError(MissingRole(grant.binding->role), errors);
      }
      return false;
    });
    return errors;
  }

 private:
  template <class Visit>
  bool WalkScope(const UserInfo& user, std::string_view scope, std::string& key,
                 const Visit& visit) const {
    SetSubjectKey(key, scope, SubjectKind::kUser, user.name);
    if (WalkSubject(key, visit)) return true;
    return std::ranges::any_of(user.groups, [&](const std::string& group) {
      SetSubjectKey(key, scope, SubjectKind::kGroup, group);
      return WalkSubject(key, visit);
    });
  }

  template <class Visit>
  bool WalkSubject(const std::string& key, const Visit& visit) const {
    const std::vector<Grant>* found = grants.Find(key);
    if (found == nullptr) return false;
    return std::ranges::any_of(*found, [&](const Grant& grant) {
      const RulesPtr* rules = roles.Find(grant.binding->role_key);
      return visit(grant, rules == nullptr ? nullptr : rules->get());
    });
  }
};

class RbacAuthorizer::Editor {
 public:
  explicit Editor(Snapshot& snapshot) : roles_(snapshot.roles), grants_(snapshot.grants) {}

  void SetRole(const std::string& key, RulesPtr rules) { roles_.At(key) = std::move(rules); }
  void RemoveRole(const std::string& key) { roles_.Erase(key); }

  void AddBinding(const std::shared_ptr<const Binding>& binding) {
    for (size_t i = 0; i < binding->subject_keys.size(); ++i) {
      if (!binding->subject_keys[i].empty()) {
        grants_.At(binding->subject_keys[i]).push_back({binding, i});
      }
    }
  }
  void RemoveBinding(const std::shared_ptr<const Binding>& binding) {
    for (const std::string& key : binding->subject_keys) {
      if (key.empty()) continue;
      std::vector<Grant>& grants = grants_.At(key);
      std::erase_if(grants, [&](const Grant& grant) { return grant.binding == binding; });
      if (grants.empty()) grants_.Erase(key);
    }
  }

 private:
  ShardedMapEditor<RulesPtr> roles_;
  ShardedMapEditor<std::vector<Grant>> grants_;
};

RbacAuthorizer::RbacAuthorizer(store::Store& store, Logger logger)
    : store_(store), logger_(std::move(logger)) {}

RbacAuthorizer::~RbacAuthorizer() = default;

Result<std::unique_ptr<RbacAuthorizer>> RbacAuthorizer::Open(store::Store& store, Logger logger) {
  std::unique_ptr<RbacAuthorizer> authorizer(new RbacAuthorizer(store, std::move(logger)));
  MutexLock lock(authorizer->update_mutex_);
  RETURN_IF_ERROR(authorizer->Update());
  return authorizer;
}

Result<RbacAuthorizer::SnapshotPtr> RbacAuthorizer::Current() {
  if (applied_.load(std::memory_order_acquire) != signaled_.load(std::memory_order_acquire)) {
    MutexLock lock(update_mutex_);
    RETURN_IF_ERROR(Update());
  }
  MutexLock lock(snapshot_mutex_);
  return snapshot_;
}

Result<void> RbacAuthorizer::Update() {
  const uint64_t signaled = signaled_.load(std::memory_order_acquire);
  if (watch_ != nullptr && signaled == applied_.load(std::memory_order_relaxed)) return {};
  // A watch that ended, because it fell behind or its revision was compacted, is replaced by a new
  // list and watch. Only once: a second failure has another cause.
  Result<void> taken = watch_ != nullptr ? ReadChanges() : Load();
  if (!taken.ok()) {
    logger_.Warn("the watch of roles and bindings ended; relisting", {{"error", taken.error()}});
    watch_.reset();
    taken = Load();
  }
  if (!taken.ok()) {
    signaled_.fetch_add(1);  // the cache is out of date: the next decision retries
    return taken;
  }
  applied_.store(signaled, std::memory_order_release);
  return {};
}

Result<void> RbacAuthorizer::Load() {
  ASSIGN_OR_RETURN(const store::ListPage page, store_.List({.prefix = GroupPrefix()}));
  bindings_.clear();
  auto snapshot = std::make_shared<Snapshot>();
  Editor editor(*snapshot);
  for (const store::RecordPtr& record : page.records) Apply(*record, editor);
  Publish(std::move(snapshot));

  ASSIGN_OR_RETURN(watch_, store_.OpenWatch({.prefix = GroupPrefix(),
                                             .after_revision = page.revision,
                                             .on_ready = [this] { signaled_.fetch_add(1); }}));
  // The watch signals new events only after a poll that found none.
  return ReadChanges();
}

Result<void> RbacAuthorizer::ReadChanges() {
  SnapshotPtr current;
  {
    MutexLock lock(snapshot_mutex_);
    current = snapshot_;
  }
  auto next = std::make_shared<Snapshot>(*current);
  Editor editor(*next);
  bool changed = false;
  while (true) {
    ASSIGN_OR_RETURN(const store::WatchBatch batch, watch_->Poll());
    if (batch.events.empty()) break;
    for (const store::EventPtr& event : batch.events) Apply(*event->record, editor);
    changed = true;
  }
  if (changed) Publish(std::move(next));
  return {};
}

void RbacAuthorizer::Publish(SnapshotPtr snapshot) {
  MutexLock lock(snapshot_mutex_);
  snapshot_.swap(snapshot);
}

void RbacAuthorizer::Apply(const store::Record& record, Editor& editor) {
  const std::string key(record.key.substr(GroupPrefix().size()));
  if (key.starts_with(kRoles) || key.starts_with(kClusterRoles)) {
    ApplyRole(key, record, editor);
  } else if (key.starts_with(kRoleBindings) || key.starts_with(kClusterRoleBindings)) {
    ApplyBinding(key, record, editor);
  }
}

void RbacAuthorizer::ApplyRole(const std::string& key, const store::Record& record,
                               Editor& editor) {
  if (record.deleted) return editor.RemoveRole(key);
  Result<PolicyRules> rules = DecodeRules(record.value);
  if (rules.ok()) {
    return editor.SetRole(key, std::make_shared<const PolicyRules>(std::move(*rules)));
  }
  logger_.Error("ignoring a role that cannot be decoded", {{"key", key}, {"error", rules.error()}});
  editor.RemoveRole(key);
}

void RbacAuthorizer::ApplyBinding(const std::string& key, const store::Record& record,
                                  Editor& editor) {
  if (const auto old = bindings_.find(key); old != bindings_.end()) {
    editor.RemoveBinding(old->second);
    bindings_.erase(old);
  }
  if (record.deleted) return;
  const Result<BindingParts> parts = Decode<BindingParts>(record.value);
  if (!parts.ok()) {
    logger_.Error("ignoring a role binding that cannot be decoded",
                  {{"key", key}, {"error", parts.error()}});
    return;
  }
  auto binding = std::make_shared<const Binding>(key, *parts);
  editor.AddBinding(binding);
  bindings_.emplace(key, std::move(binding));
}

Result<Decision> RbacAuthorizer::Authorize(const UserInfo& user, const RequestAttributes& request) {
  if (IsMaster(user)) return Decision{.allowed = true};
  ASSIGN_OR_RETURN(const SnapshotPtr snapshot, Current());
  Decision decision;
  std::vector<std::string> errors;
  snapshot->Walk(user, request.namespace_name, [&](const Grant& grant, const PolicyRules* rules) {
    if (rules == nullptr) {
      AddError(MissingRole(grant.binding->role), errors);
      return false;
    }
    const auto allows = [&](const PolicyRule& rule) { return RuleAllows(rule, request); };
    if (!std::ranges::any_of(*rules, allows)) return false;
    decision = {.allowed = true, .reason = grant.reason()};
    return true;
  });
  if (!decision.allowed && !errors.empty()) decision.reason = "RBAC: " + JoinErrors(errors);
  return decision;
}

Result<void> RbacAuthorizer::CheckAllowed(const UserInfo& user, const RequestAttributes& request) {
  ASSIGN_OR_RETURN(const Decision decision, Authorize(user, request));
  if (!decision.allowed) return ForbiddenError(user, request, decision.reason);
  return {};
}

Result<UserRules> RbacAuthorizer::RulesFor(const UserInfo& user, std::string_view namespace_name) {
  ASSIGN_OR_RETURN(const SnapshotPtr snapshot, Current());
  UserRules found;
  size_t bytes = 0;
  bool truncated = false;
  found.errors = snapshot->ForEachRole(user, namespace_name, [&](const PolicyRules& rules) {
    for (const PolicyRule& rule : rules) {
      bytes += SizeOf(rule);
      truncated = truncated || bytes > kMaxRulesBytes;
      if (truncated) return;
      found.rules.push_back(rule);
    }
  });
  if (truncated) found.errors.push_back("the rules are too many to be listed");
  return found;
}

Result<bool> RbacAuthorizer::Allowed(const UserInfo& user, const RequestAttributes& request) {
  ASSIGN_OR_RETURN(const Decision decision, Authorize(user, request));
  return decision.allowed;
}

Result<void> RbacAuthorizer::CheckHolds(const UserInfo& user, std::string_view namespace_name,
                                        const PolicyRules& wanted) {
  ASSIGN_OR_RETURN(const SnapshotPtr snapshot, Current());
  std::vector<const PolicyRule*> held;
  std::set<const PolicyRules*> seen;
  const std::vector<std::string> errors =
      snapshot->ForEachRole(user, namespace_name, [&](const PolicyRules& rules) {
        if (held.size() >= kMaxHeldRules || !seen.insert(&rules).second) return;
        for (const PolicyRule& rule : rules) held.push_back(&rule);
      });
  const MissingRules missing = FindMissingRules(held, wanted);
  if (missing.empty()) return {};
  std::string why = fmt::format(
      "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
      Quoted(user.name), DescribeList(user.groups), DescribeRules(missing));
  if (!errors.empty()) {
    why += fmt::format("; resolution errors: [{}]", fmt::join(errors, " "));
  }
  return Error(403, "Forbidden", std::move(why));
}

Result<void> RbacAuthorizer::CheckRoleWrite(const UserInfo& user, const RequestAttributes& request,
                                            const Json& object, const Json* old) {
  if (IsMaster(user) || OnlyCollectorFieldsChange(object, old)) return {};
  RequestAttributes escalate = request;
  escalate.verb = "escalate";
  escalate.subresource.clear();
  ASSIGN_OR_RETURN(const bool may_escalate, Allowed(user, escalate));
  if (may_escalate) return {};

  ASSIGN_OR_RETURN(const PolicyRules rules, DecodeRules(WriteJson(object)));
  Result<void> holds = CheckHolds(user, request.namespace_name, rules);
  if (!holds.ok()) {
    if (!holds.error().IsForbidden()) return holds;
    return ForbiddenWrite(request, object, holds.error().message());
  }
  const auto aggregates = [](const Json& role) {
    const Json* rule = FindMember(role, "aggregationRule");
    return rule != nullptr && !rule->is_null();
  };
  if (!aggregates(object) && !(old != nullptr && aggregates(*old))) return {};
  Result<void> holds_all = CheckHolds(user, {}, AllPermissions());
  if (holds_all.ok() || !holds_all.error().IsForbidden()) return holds_all;
  return ForbiddenWrite(request, object,
                        "must have cluster-admin privileges to use the aggregationRule");
}

Result<void> RbacAuthorizer::CheckBindingWrite(const UserInfo& user,
                                               const RequestAttributes& request, const Json& object,
                                               const Json* old) {
  if (IsMaster(user) || OnlyCollectorFieldsChange(object, old)) return {};
  ASSIGN_OR_RETURN(const BindingParts binding, Decode<BindingParts>(WriteJson(object)));
  const rbacv1::RoleRef& role = binding.role_ref;
  const std::string resource = role.kind == "ClusterRole" ? "clusterroles" : "roles";
  ASSIGN_OR_RETURN(const bool may_bind, Allowed(user, {.verb = "bind",
                                                       .group = role.api_group,
                                                       .resource = resource,
                                                       .namespace_name = request.namespace_name,
                                                       .name = role.name}));
  if (may_bind) return {};

  ASSIGN_OR_RETURN(const SnapshotPtr snapshot, Current());
  const RulesPtr* rules = snapshot->roles.Find(RoleKey(role, request.namespace_name));
  if (rules == nullptr) {
    return Error::NotFound(fmt::format("{}.{}", resource, kRbacGroup), role.name);
  }
  Result<void> holds = CheckHolds(user, request.namespace_name, **rules);
  if (holds.ok() || !holds.error().IsForbidden()) return holds;
  return ForbiddenWrite(request, object, holds.error().message());
}

Error ForbiddenError(const UserInfo& user, const RequestAttributes& request,
                     std::string_view reason) {
  std::string why = EscapeHtml(DescribeDenial(user, request));
  if (!reason.empty()) why.append(": ").append(reason);
  if (!request.is_resource) return {403, "Forbidden", "forbidden: " + why};
  const std::string qualified =
      request.group.empty() ? request.resource : request.resource + "." + request.group;
  return Error::Forbidden(qualified, request.name, why);
}

}  // namespace kubexms
