#pragma once

// Discovery of the resources of a server, and a mapper from names and kinds to resources
// (RESTMapper).

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/group_version.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/client/client.h"

namespace kubexms {

struct DiscoveredResource {
  ResourceType type;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> verbs;         // "get", "list" …
  std::vector<std::string> subresources;  // "status", "scale" …
  // Whether its version is the preferred one of its group.
  bool preferred = false;

  bool Supports(Verb verb) const;
};

// A group version that could not be read, such as one of an unavailable APIService.
struct DiscoveryFailure {
  std::string group_version;
  Error error;
};

struct Discovery {
  // In the server's order: the core group first, of each group the preferred version first.
  std::vector<DiscoveredResource> resources;
  std::vector<DiscoveryFailure> failures;
};

// Reads all group versions, with one API call each. Fails only if the groups cannot be listed.
Result<Discovery> Discover(Client& client, std::stop_token stop = {});

// Finds resources by name, with a cached discovery that is refreshed when a name is unknown, at
// most once in `refresh_interval`. Safe for use from any thread.
class ResourceMapper {
 public:
  // Both must outlive the mapper.
  ResourceMapper(Client& client, const Clock& clock,
                 std::chrono::nanoseconds refresh_interval = std::chrono::seconds(5))
      : client_(client), clock_(clock), refresh_interval_(refresh_interval) {}

  // By one of "Deployment", "deployment", "deployments", "deploy", also with a group
  // ("deployments.apps") or a version and group ("deployments.v1.apps"), or "apps/v1 Deployment".
  // An ambiguous name is resolved by the order of the server, in which preferred versions come
  // first.
  Result<ResourceType> Find(std::string_view name, std::stop_token stop = {});
  Result<ResourceType> Find(const GroupVersionKind& kind, std::stop_token stop = {});
  // The cached discovery, which the first call reads.
  Result<std::shared_ptr<const Discovery>> All(std::stop_token stop = {});

 private:
  template <class Matches>
  Result<ResourceType> FindWhere(std::string_view name, std::stop_token stop, Matches matches)
      EXCLUDES(mutex_);
  Result<void> Refresh(std::stop_token stop) REQUIRES(mutex_);

  Client& client_;
  const Clock& clock_;
  const std::chrono::nanoseconds refresh_interval_;
  Mutex mutex_;
  std::shared_ptr<const Discovery> known_ GUARDED_BY(mutex_);
  Clock::MonotonicTime refreshed_ GUARDED_BY(mutex_){};
};

}  // namespace kubexms
