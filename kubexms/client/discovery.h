#pragma once

// What a server has: its resource types and what can be done with them, and the way from the names
// that people and objects use to those types.

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
  // Whether its version is the one that the server prefers for its group.
  bool preferred = false;

  bool Supports(Verb verb) const;
};

// A part that could not be read, such as a group whose own server is down.
struct DiscoveryFailure {
  std::string group_version;
  Error error;
};

struct Discovery {
  // In the server's order: the core group first, of each group the preferred version first.
  std::vector<DiscoveredResource> resources;
  std::vector<DiscoveryFailure> failures;
};

// Asks for everything, a request for each version of each group. Fails only when the groups
// themselves cannot be listed.
Result<Discovery> Discover(Client& client, std::stop_token stop = {});

// Finds resource types by name. What it knows is kept; when a name is unknown the server is asked
// again, at most once in `refresh_interval`. Safe for use from any thread.
class ResourceMapper {
 public:
  // Both must outlive this.
  ResourceMapper(Client& client, const Clock& clock,
                 std::chrono::nanoseconds refresh_interval = std::chrono::seconds(5))
      : client_(client), clock_(clock), refresh_interval_(refresh_interval) {}

  // By one of "Deployment", "deployment", "deployments", "deploy", also with a group
  // ("deployments.apps") or a version and group ("deployments.v1.apps"), or as objects say it:
  // "apps/v1 Deployment". What the name leaves open is decided by the server's order, in which
  // preferred versions come first.
  Result<ResourceType> Find(std::string_view name, std::stop_token stop = {});
  Result<ResourceType> Find(const GroupVersionKind& kind, std::stop_token stop = {});
  // All that is known, after asking the server the first time.
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
