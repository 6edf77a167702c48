#pragma once

// What a kind stores besides its objects: records that are written and removed in the commit of the
// object that they belong to, as the addresses of a Service are.

#include <string_view>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

// Safe for use from any thread.
class CommitHook {
 public:
  virtual ~CommitHook() = default;

  virtual bool AppliesTo(const Resource& resource) const = 0;

  // Called before `object` is written in place of `old` (null for a creation), again for each
  // attempt to commit. May complete the object, and adds its records to `transaction`.
  virtual Result<store::Transaction> OnWrite(Json& object, const Json* old, Time now,
                                             store::Transaction transaction) = 0;
  // Called before `object` is removed.
  virtual store::Transaction OnRemove(const Json& object, store::Transaction transaction) = 0;
  // The same for an object that cannot be read, of which only the name is known.
  virtual Result<store::Transaction> OnRemoveDamaged(std::string_view namespace_name,
                                                     std::string_view name,
                                                     store::Transaction transaction) = 0;
};

}  // namespace kubexms
