#pragma once

// Updates that did not change the stored object, because they differed from it only in defaults of
// the server. The same update of the same resourceVersion need not be sent again: a mutate function
// of CreateOrUpdate() that removes defaults costs one API call, and not one for each reconcile.

#include <cstddef>
#include <optional>
#include <string>

#include "kubexms/base/mutex.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/support/lru_map.h"

namespace kubexms {

// Holds the last update of each of the most recently updated objects. Safe for use from any thread.
class UnchangedUpdates {
 public:
  // The response to this update, if it is known not to change the object.
  std::optional<SharedBytes> FindResponse(const ClientRequest& request) EXCLUDES(mutex_);
  // Records the response of the server to an update.
  void Record(const ClientRequest& request, const SharedBytes& response) EXCLUDES(mutex_);

 private:
  static constexpr size_t kCapacity = 1000;

  struct Update {
    std::string body;  // includes the resourceVersion; empty: the update changed the object
    SharedBytes response;
  };

  Mutex mutex_;
  LruMap<Update> updates_ GUARDED_BY(mutex_) = LruMap<Update>(kCapacity);  // by path
};

}  // namespace kubexms
