#pragma once

// The environment of a run: the configuration of the cluster, its hosts, clock and secrets.

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/automation/steps/runner.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/random.h"
#include "kubexms/base/secret.h"

namespace kubexms::automation {

struct Host {
  std::string name;
  std::set<std::string> roles;
  JsonObject variables;  // of this host in the configuration
  std::shared_ptr<Connector> connector;
};

struct RuntimeOptions {
  std::string cluster;
  Json config;
  // Their order applies everywhere. The operator's machine is a host only if it is listed.
  std::vector<Host> hosts;
  // An existing directory of the operator's machine, for journals and locks.
  std::string directory;
  // The directory of kubexms on the hosts: backups, journals, locks.
  std::string host_directory = "/var/lib/kubexms";
  Logger log;
  // Borrowed; they outlive the runtime.
  SecretRegistry* secrets = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
};

// Safe for use from any thread.
class Runtime {
 public:
  // The names of hosts must differ.
  explicit Runtime(RuntimeOptions options);

  const std::string& cluster() const { return options_.cluster; }
  const Json& config() const { return options_.config; }
  const std::string& directory() const { return options_.directory; }
  // The directory of this cluster on the hosts.
  std::string host_directory() const { return options_.host_directory + "/" + options_.cluster; }
  const Logger& log() const { return options_.log; }
  SecretRegistry& secrets() const { return *options_.secrets; }
  Clock& clock() const { return *options_.clock; }
  Random& random() const { return *options_.random; }

  const std::vector<Host>& hosts() const { return options_.hosts; }
  // Null when no host has the name.
  const Host* FindHost(std::string_view name) const;
  // The names of the hosts with a role, or of all, in their order.
  std::vector<std::string> HostsWithRole(std::string_view role) const;
  std::vector<std::string> AllHosts() const;

  // For calls on one of the hosts. Jobs are stored below host_directory().
  Runner RunnerFor(const Host& host, RunnerOptions options = {}) const;

  uint64_t round_trips() const;

 private:
  const RuntimeOptions options_;
};

// Resolves a reference to a secret: "env:NAME", "file:/path", or "cmd:command" for the operator's
// shell. One trailing line break is removed. The secret is registered with `secrets` for redaction.
Result<Secret> ResolveSecret(std::string_view reference, SecretRegistry& secrets);

}  // namespace kubexms::automation
