#pragma once

// Role-based access control: who may do what, by the Roles, ClusterRoles and their bindings in the
// store. Whatever no rule allows is denied.
//
// The objects are kept as an index by subject, brought up to date before every decision: one that
// is made after a commit has returned sees that commit. (With etcd, commits of other servers are
// seen as soon as its watch delivers them.) A decision looks up the user and each of its groups and
// walks the rules of their roles; it parses nothing and copies nothing but the reason.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/authorization/policy_rules.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

inline constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";
// Whoever is in this group may do everything.
inline constexpr std::string_view kMastersGroup = "system:masters";

struct Decision {
  bool allowed = false;
  // Which binding allowed it, or which roles could not be found; may be empty.
  std::string reason;
};

// All that a user may do in one namespace.
struct UserRules {
  PolicyRules rules;
  std::vector<std::string> errors;  // of roles that are bound but do not exist
};

// Safe for use from any thread: readers share an immutable snapshot.
class RbacAuthorizer {
 public:
  // Reads all roles and bindings. The store must outlive the authorizer.
  static Result<std::unique_ptr<RbacAuthorizer>> Open(store::Store& store, Logger logger = {});
  ~RbacAuthorizer();

  // An error means that the store could not be read: refuse the request.
  Result<Decision> Authorize(const UserInfo& user, const RequestAttributes& request);
  // The same as an error: 403 unless the request is allowed.
  Result<void> CheckAllowed(const UserInfo& user, const RequestAttributes& request);

  // With an empty namespace: what the user may do in the whole cluster.
  Result<UserRules> RulesFor(const UserInfo& user, std::string_view namespace_name);

  // Nobody may give what they do not have. The first refuses the write of a Role or ClusterRole
  // whose rules go beyond those of the writer, unless the writer may `escalate` it; the second that
  // of a binding to such a role, unless the writer may `bind` it. `request` is the write (its
  // resource, namespace and name as in the path), `object` what would be stored, `old` what is
  // stored already, or null. The error is worded as Kubernetes does.
  Result<void> CheckRoleWrite(const UserInfo& user, const RequestAttributes& request,
                              const Json& object, const Json* old);
  Result<void> CheckBindingWrite(const UserInfo& user, const RequestAttributes& request,
                                 const Json& object, const Json* old);

 private:
  struct Binding;
  struct Grant;
  struct Snapshot;
  class Editor;
  using SnapshotPtr = std::shared_ptr<const Snapshot>;

  RbacAuthorizer(store::Store& store, Logger logger);

  Result<SnapshotPtr> Current() EXCLUDES(update_mutex_, snapshot_mutex_);
  Result<void> Update() EXCLUDES(snapshot_mutex_) REQUIRES(update_mutex_);
  Result<void> Load() EXCLUDES(snapshot_mutex_) REQUIRES(update_mutex_);
  Result<void> TakeChanges() EXCLUDES(snapshot_mutex_) REQUIRES(update_mutex_);
  void Apply(const store::Record& record, Editor& editor) REQUIRES(update_mutex_);
  void ApplyRole(const std::string& key, const store::Record& record, Editor& editor);
  void ApplyBinding(const std::string& key, const store::Record& record, Editor& editor)
      REQUIRES(update_mutex_);
  void Publish(SnapshotPtr snapshot) EXCLUDES(snapshot_mutex_);

  Result<bool> Allowed(const UserInfo& user, const RequestAttributes& request);
  // Fails unless the user has all these rules in the namespace.
  Result<void> CheckHolds(const UserInfo& user, std::string_view namespace_name,
                          const PolicyRules& wanted);

  store::Store& store_;
  const Logger logger_;
  // How often the watch has said that there is something to take, and how often it had said so
  // before what the snapshot shows was taken: equal when the snapshot is up to date.
  std::atomic<uint64_t> signalled_ = 0;
  std::atomic<uint64_t> applied_ = 0;

  Mutex update_mutex_;  // before snapshot_mutex_
  std::unique_ptr<store::Watch> watch_ GUARDED_BY(update_mutex_);
  std::map<std::string, std::shared_ptr<const Binding>> bindings_ GUARDED_BY(update_mutex_);

  Mutex snapshot_mutex_;
  SnapshotPtr snapshot_ GUARDED_BY(snapshot_mutex_);
};

// "pods is forbidden: User "joe" cannot list resource "pods" in API group "" in the namespace "x"",
// with the decision's reason, if there is one, behind it.
Error ForbiddenError(const UserInfo& user, const RequestAttributes& request,
                     std::string_view reason);

}  // namespace kubexms
