#pragma once

// Keeps the rules of ClusterRoles with an aggregationRule equal to those of the roles it selects.

#include <map>
#include <memory>
#include <string>

#include "kubexms/apiserver/object_writer.h"
#include "kubexms/base/mutex.h"
#include "kubexms/store/store.h"

namespace kubexms {

class RoleAggregation {
 public:
  // Everything is borrowed. `roles` is the resource of ClusterRoles.
  RoleAggregation(store::Store& store, ObjectWriter& writer, ResourcePtr roles);

  // Takes in what has changed since the last time and writes the roles that are no longer what they
  // should be. Cheap when nothing has changed.
  Result<void> Sync() EXCLUDES(mutex_);

 private:
  // True when any role has changed.
  Result<bool> ReadChanges() REQUIRES(mutex_);
  Result<void> Take(const store::Record& record) REQUIRES(mutex_);
  Result<void> Write(const std::string& name, const JsonArray& rules);

  store::Store& store_;
  ObjectWriter& writer_;
  const ResourcePtr roles_resource_;
  const UserInfo self_;

  Mutex mutex_;
  std::unique_ptr<store::Watch> watch_ GUARDED_BY(mutex_);
  std::map<std::string, Json> roles_ GUARDED_BY(mutex_);  // by name
};

}  // namespace kubexms
