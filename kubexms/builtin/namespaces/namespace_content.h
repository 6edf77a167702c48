#pragma once

// Empties a namespace that is being deleted: everything in it, of every kind that the server has.

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/values/time.h"
#include "kubexms/base/clock.h"
#include "kubexms/client/client.h"
#include "kubexms/client/discovery.h"

namespace kubexms {

// What one pass over a namespace found and could not end.
struct NamespaceContentReport {
  // Why not all kinds are known; empty: they are.
  std::string discovery_failure;
  // A group version that is not one; empty: none.
  std::string parsing_failure;
  // What could not be deleted or looked at, one a kind.
  std::vector<std::string> failures;
  // Objects that are still there: "configmaps." or "deployments.apps" → how many.
  std::map<std::string, size_t> remaining;
  // What keeps them: finalizer → how many objects.
  std::map<std::string, size_t> finalizers;
  // The longest that what remains is expected to take; zero when there is nothing to wait for.
  std::chrono::seconds estimate{0};

  bool failed() const {
    return !discovery_failure.empty() || !parsing_failure.empty() || !failures.empty();
  }
};

// Deletes what is in the namespace, Pods before everything else, and says what remains. Kinds are
// asked for anew each time. To be called again until nothing remains: finalizers and the grace
// period of Pods take their time. `deleted_at` is when the deletion of the namespace began.
NamespaceContentReport DeleteNamespaceContent(Client& client, const std::string& namespace_name,
                                              Time deleted_at, const Clock& clock,
                                              std::stop_token stop);

}  // namespace kubexms
