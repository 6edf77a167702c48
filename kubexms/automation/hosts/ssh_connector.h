#pragma once

// Hosts over SSH. One SshConnections has all connections of a process: one for each host, and one
// for each bastion, shared by the hosts behind it.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/automation/hosts/shell_connector.h"
#include "kubexms/automation/hosts/ssh_config.h"
#include "kubexms/automation/hosts/ssh_session.h"
#include "kubexms/base/mutex.h"

namespace kubexms::automation {

// The bastions in order, then the host.
using SshRoute = std::vector<SshEndpoint>;

// Safe for use from any thread.
class SshConnections {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // A failure to connect is cached for `failure_ttl`, so that calls for many hosts behind one
  // unreachable bastion do not each wait for a timeout. It must be shorter than the pause between
  // retries.
  explicit SshConnections(Duration failure_ttl = std::chrono::milliseconds(500))
      : failure_ttl_(failure_ttl) {}

  // The session at the end of the route. Connects where necessary; concurrent calls for the same
  // endpoint share one attempt.
  Result<std::shared_ptr<SshSession>> Get(const SshRoute& route, std::stop_token stop)
      EXCLUDES(mutex_);

 private:
  struct Slot {
    Mutex mutex;
    std::shared_ptr<SshSession> session GUARDED_BY(mutex);
    std::optional<Error> failure GUARDED_BY(mutex);  // of the last attempt
    std::chrono::steady_clock::time_point failed_at GUARDED_BY(mutex);
  };

  std::shared_ptr<Slot> SlotOf(const std::string& key) EXCLUDES(mutex_);
  Result<void> Connect(Slot& slot, const SshEndpoint& endpoint, std::shared_ptr<SshSession> bastion,
                       std::stop_token stop) const REQUIRES(slot.mutex);

  const Duration failure_ttl_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Slot>> slots_ GUARDED_BY(mutex_);
};

struct SshConnectorOptions {
  SshRoute route;
  SudoOptions sudo;  // used when the user is not root
};

// `connections` and `random` must outlive the connector.
std::unique_ptr<Connector> MakeSshConnector(SshConnectorOptions options,
                                            SshConnections* connections, Random* random);

// The route to a host: unset fields of `host` (name, user, port, keys, known_hosts, bastions)
// default to the user's ssh configuration for `host.host`. Bastions use the host key policy of the
// host, and users and keys of the configuration or else of the host.
Result<SshRoute> ResolveRoute(const SshEndpoint& host, const SshConfig& config);

}  // namespace kubexms::automation
