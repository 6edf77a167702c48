#pragma once

// Deletes all objects of all resources in a namespace that is being deleted.

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

// The result of one pass over a namespace.
struct NamespaceContentReport {
  // Why discovery is incomplete; empty: it is complete.
  std::string discovery_failure;
  // An invalid group version; empty: none.
  std::string parsing_failure;
  // Errors of lists and deletions, one per resource.
  std::vector<std::string> failures;
  // Remaining objects: "configmaps." or "deployments.apps" → count.
  std::map<std::string, size_t> remaining;
  // Their finalizers: finalizer → number of objects.
  std::map<std::string, size_t> finalizers;
  // The time that the remaining objects are expected to need; zero if nothing has to be waited for.
  std::chrono::seconds estimate{0};

  bool failed() const {
    return !discovery_failure.empty() || !parsing_failure.empty() || !failures.empty();
  }
};

// Deletes the content of the namespace, Pods first, and reports what remains. Discovery is repeated
// in every call. To be called again until nothing remains, since finalizers and grace periods take
// time. `deleted_at` is the deletionTimestamp of the namespace.
NamespaceContentReport DeleteNamespaceContent(Client& client, const std::string& namespace_name,
                                              Time deleted_at, const Clock& clock,
                                              std::stop_token stop);

}  // namespace kubexms
