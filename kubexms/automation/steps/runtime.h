#pragma once

// The environment of one run: the cluster's configuration, its hosts, and what is known about them.

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
  JsonObject variables;  // what the configuration says about this host
  std::shared_ptr<Connector> connector;
};

struct RuntimeOptions {
  std::string cluster;
  Json config;
  // The order is the order everywhere. The operator's machine is a host only if it is listed.
  std::vector<Host> hosts;
  // Of the operator's machine, for journals and locks; it exists.
  std::string directory;
  // Where kubexms keeps what is its own on the hosts: backups, journals, locks.
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
  // On the hosts, for this cluster.
  std::string host_directory() const { return options_.host_directory + "/" + options_.cluster; }
  const Logger& log() const { return options_.log; }
  SecretRegistry& secrets() const { return *options_.secrets; }
  Clock& clock() const { return *options_.clock; }
  Random& random() const { return *options_.random; }

  const std::vector<Host>& hosts() const { return options_.hosts; }
  // Null when there is none.
  const Host* FindHost(std::string_view name) const;
  // The names of the hosts with a role, or of all; in the order of the configuration.
  std::vector<std::string> HostsWithRole(std::string_view role) const;
  std::vector<std::string> AllHosts() const;

  // For calls on one of the hosts. Jobs are stored below host_directory().
  Runner RunnerFor(const Host& host, RunnerOptions options = {}) const;

  uint64_t round_trips() const;

 private:
  const RuntimeOptions options_;
};

// A secret that the configuration only names: "env:NAME", "file:/path" or "cmd:command", the last
// run by the operator's shell. One line break at its end is left out. It is registered with
// `secrets`, so that it is redacted wherever it turns up.
Result<Secret> ResolveSecret(std::string_view reference, SecretRegistry& secrets);

}  // namespace kubexms::automation
