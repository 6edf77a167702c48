#pragma once

// Updates that the server answered without storing anything: all that differed was what it fills in
// itself. The same one, of the same version of the object, need not be sent again; so a function of
// CreateOrUpdate() that removes the server's defaults costs one request and not one each time.

#include <cstddef>
#include <optional>
#include <string>

#include "kubexms/base/mutex.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/support/lru_map.h"

namespace kubexms {

// Remembers the last few. Safe for use from any thread.
class UnchangedUpdates {
 public:
  // What the server answers to this request, if it is known to change nothing.
  std::optional<SharedBytes> AnswerTo(const ClientRequest& request) EXCLUDES(mutex_);
  // What it answered.
  void Note(const ClientRequest& request, const SharedBytes& answer) EXCLUDES(mutex_);

 private:
  static constexpr size_t kCapacity = 1000;

  struct Update {
    std::string body;  // with the version; empty: the last one changed something
    SharedBytes answer;
  };

  Mutex mutex_;
  LruMap<Update> updates_ GUARDED_BY(mutex_) = LruMap<Update>(kCapacity);  // by path
};

}  // namespace kubexms
