#pragma once

// Hosts over SSH. One SshConnections holds the connections of a program: one for each host, and one
// for each bastion, however many hosts are behind it.

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

// The way to a host: the bastions in their order, the host last.
using SshRoute = std::vector<SshEndpoint>;

// Safe for use from any thread.
class SshConnections {
 public:
  using Duration = std::chrono::steady_clock::duration;

  // That a host does not answer is held to be true for `failure_ttl`: those who ask for a host
  // one after the other, or for many behind one bastion, do not all wait for it. Less than the
  // pauses between attempts.
  explicit SshConnections(Duration failure_ttl = std::chrono::milliseconds(500))
      : failure_ttl_(failure_ttl) {}

  // The session at the end of the route; connects what is not connected. Whoever asks for a
  // connection that another one is making waits for that one.
  Result<std::shared_ptr<SshSession>> Get(const SshRoute& route, std::stop_token stop)
      EXCLUDES(mutex_);

 private:
  struct Slot {
    Mutex mutex;
    std::shared_ptr<SshSession> session GUARDED_BY(mutex);
    std::optional<Error> failure GUARDED_BY(mutex);  // that it did not answer
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

// What the user's ssh configuration says about a host, filled in where `host` says nothing: name,
// user, port, keys, known_hosts and bastions. `host.host` is the name to look up. Bastions get the
// host's way of verifying keys, and their users and keys from the configuration or else the host.
Result<SshRoute> ResolveRoute(const SshEndpoint& host, const SshConfig& config);

}  // namespace kubexms::automation
