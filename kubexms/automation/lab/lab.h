#pragma once

// A lab: disposable hosts on one Linux machine, for trials and tests. Each host is a Debian with
// systemd, sshd and an address of its own: a systemd-nspawn container on a layer over one shared
// image. All hosts of a lab are on one bridge, share the kernel of the machine, and cannot reach
// the internet.
//
// All parts of a lab are below its directory, on its bridge or in its control groups. Its state is
// stored before anything is created and removed after everything was deleted, so the next Up
// continues a call that was killed, and the next Down cleans up after it.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/automation/lab/lab_plan.h"
#include "kubexms/automation/steps/runner.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"

namespace kubexms::automation {

struct LabOptions {
  std::string directory = "/var/lib/kubexms/lab";  // of all labs; absolute
  std::string name = "lab";
  // Receives progress messages of one line.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
  std::stop_token stop = {};
};

struct LabUpOptions {
  int hosts = 0;       // 0: the existing ones, or three
  std::string subnet;  // empty: the existing one, or a free one
  std::string mirror;  // of Debian, for the image; empty: that of this machine
};

// All hosts accept logins as root with the key of the lab.
struct LabHostStatus {
  LabHost host;
  bool running = false;
  std::string since;     // RFC 3339; empty when not running
  std::string host_key;  // as in a .pub file
};

// Not thread-safe. Only one process at a time may change a lab; others get a Conflict.
class Lab {
 public:
  // `local` is the connector of this machine. Borrows the pointers.
  Lab(LabOptions options, Connector* local, Clock* clock, Random* random);

  // Creates the lab, adds missing hosts, and starts stopped ones. Returns when all hosts accept
  // logins. Idempotent.
  Result<void> Up(const LabUpOptions& options);
  // Deletes all parts of the lab. Succeeds when the lab does not exist.
  Result<void> Down();
  // Simulates a power failure; the disk is retained.
  Result<void> Kill(const std::string& host);
  // Returns when the host accepts logins.
  Result<void> Start(const std::string& host);

  // NotFound when the lab does not exist.
  Result<LabState> State() const;
  // NotFound, with the names of the hosts, when the host does not exist.
  static Result<LabHost> FindHost(const LabState& state, const std::string& host);
  Result<std::vector<LabHostStatus>> Status() const;

  std::string key_file() const { return directory_ + "/key"; }
  // A known_hosts file with the keys of the hosts by address.
  std::string known_hosts_file() const { return directory_ + "/known_hosts"; }

 private:
  std::string HostDirectory(const LabHost& host) const {
    return directory_ + "/hosts/" + host.name;
  }
  std::string CgroupOf(const LabHost& host) const { return options_.name + "/" + host.name; }
  Result<std::unique_ptr<ClusterLock>> Lock() const;
  Result<std::unique_ptr<ClusterLock>> LockNetworks() const;
  // Removes the directory of a lab without state.
  void RemoveEmptyDirectory() const;
  Result<std::optional<LabState>> ReadState() const;

  Result<LabState> Plan(const LabUpOptions& options) const;
  Result<void> Build(const LabUpOptions& options);
  Result<LabState> EnsureNetwork(const LabUpOptions& options);
  Result<void> EnsureBridge(const LabState& state);
  Result<void> EnsureKey(const std::string& path, const std::string& comment);
  Result<void> EnsureKnownHosts(const LabState& state);
  Result<void> EnsureDisk(const LabState& state, const LabHost& host);
  Result<void> EnsureRunning(const LabState& state, const LabHost& host);
  Result<void> StartProcess(const LabState& state, const LabHost& host);
  Result<void> WaitForLogin(const LabHost& host);
  Result<void> PowerOff(const LabHost& host);
  Result<void> RemoveInterfaces(const LabState& state);
  Result<void> RemoveFiles() const;

  const LabOptions options_;
  const std::string directory_;  // of this lab
  const std::string image_;
  Clock* const clock_;
  Random* const random_;
  Runner runner_;
};

// The names of the labs in a directory, sorted.
std::vector<std::string> ListLabs(const std::string& directory);

// Removes the image. Refused while a lab uses it.
Result<void> RemoveUnusedLabImage(const std::string& directory);

// The hosts in the format of a cluster configuration.
std::string HostsBlock(const std::vector<LabHostStatus>& hosts, const std::string& key_file);

}  // namespace kubexms::automation
