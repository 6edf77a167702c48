#pragma once

// Role-based access control: authorizes HTTP requests by the Roles, ClusterRoles and bindings in
// the store. Requests that no rule allows are denied.
//
// The authorizer caches these objects in an index by subject and updates it before every decision,
// so a decision after a commit returned sees that commit. (With etcd, commits of other servers are
// seen when the watch delivers them.) A decision looks up the user and each group and walks the
// rules of their roles, without parsing or copying anything but the reason.

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
// Members of this group are allowed everything.
inline constexpr std::string_view kMastersGroup = "system:masters";

struct Decision {
  bool allowed = false;
  // The binding that allows it, or the roles that were not found; may be empty.
  std::string reason;
};

// The rules of a user in one namespace.
struct UserRules {
  PolicyRules rules;
  std::vector<std::string> errors;  // for each bound role that does not exist
};

// Safe for use from any thread: readers share an immutable snapshot.
class RbacAuthorizer {
 public:
  // Reads all roles and bindings. The store must outlive the authorizer.
  static Result<std::unique_ptr<RbacAuthorizer>> Open(store::Store& store, Logger logger = {});
  ~RbacAuthorizer();

  // An error means that the store could not be read: the caller must refuse the HTTP request.
  Result<Decision> Authorize(const UserInfo& user, const RequestAttributes& request);
  // Forbidden (403) unless Authorize allows it.
  Result<void> CheckAllowed(const UserInfo& user, const RequestAttributes& request);

  // Empty `namespace_name`: the rules that hold in all namespaces.
  Result<UserRules> RulesFor(const UserInfo& user, std::string_view namespace_name);

  // Prevent privilege escalation. CheckRoleWrite refuses the write of a Role or ClusterRole that
  // grants permissions the writer does not have, unless the writer may `escalate` it;
  // CheckBindingWrite refuses the write of a binding to such a role, unless the writer may `bind`
  // it. `request` is the write (resource, namespace and name as in the path), `object` the object
  // to store, `old` the stored object or null. The errors have Kubernetes' texts.
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
  Result<void> ReadChanges() EXCLUDES(snapshot_mutex_) REQUIRES(update_mutex_);
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
  // How often the watch has signaled new events, and the value of that counter when the events in
  // the snapshot were read: equal when the snapshot is up to date.
  std::atomic<uint64_t> signaled_ = 0;
  std::atomic<uint64_t> applied_ = 0;

  Mutex update_mutex_;  // acquired before snapshot_mutex_
  std::unique_ptr<store::Watch> watch_ GUARDED_BY(update_mutex_);
  std::map<std::string, std::shared_ptr<const Binding>> bindings_ GUARDED_BY(update_mutex_);

  Mutex snapshot_mutex_;
  SnapshotPtr snapshot_ GUARDED_BY(snapshot_mutex_);
};

// "pods is forbidden: User "joe" cannot list resource "pods" in API group "" in the namespace "x"",
// followed by the reason of the decision, if any.
Error ForbiddenError(const UserInfo& user, const RequestAttributes& request,
                     std::string_view reason);

}  // namespace kubexms
