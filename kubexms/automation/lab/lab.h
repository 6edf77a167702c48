#pragma once

// Disposable hosts on one Linux machine: real Debians with systemd, sshd and an address each, for
// trying things out and for tests of what happens on hosts. Each is a container of systemd-nspawn
// on a layer over one shared image; all of a lab are on one bridge. They share the machine's kernel
// and have no way to the internet.
//
// Everything that belongs to a lab is below its directory, on its bridge or in its control groups.
// What is to be is written down before it is made and forgotten after it is gone, so a call that
// was killed at any point is continued by the next Up, or cleaned by the next Down.

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
  // A line for people about what is being done.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
  std::stop_token stop = {};
};

struct LabUpOptions {
  int hosts = 0;       // 0: as many as there are, or three
  std::string subnet;  // empty: what it has, or one that is free
  std::string mirror;  // of Debian, for the image; empty: that of this machine
};

// How to log in is the same for all: as root, with the lab's key.
struct LabHostStatus {
  LabHost host;
  bool running = false;
  std::string since;     // RFC 3339; empty when it does not run
  std::string host_key;  // as in a .pub file
};

// One program at a time changes a lab; others get a Conflict. For one thread.
class Lab {
 public:
  // `local` is a connector of this machine. Borrows the pointers.
  Lab(LabOptions options, Connector* local, Clock* clock, Random* random);

  // Returns when all hosts can be logged in to. Changes nothing that is as it should be: run again
  // it adds the hosts that are missing and starts those that do not run.
  Result<void> Up(const LabUpOptions& options);
  // Leaves nothing of the lab, whatever there still was of it. No lab is no error.
  Result<void> Down();
  // As if its power failed; it keeps its disk.
  Result<void> Kill(const std::string& host);
  // Returns when it can be logged in to.
  Result<void> Start(const std::string& host);

  // NotFound when there is no such lab.
  Result<LabState> State() const;
  // NotFound, with those that there are, when there is no such host.
  static Result<LabHost> FindHost(const LabState& state, const std::string& host);
  Result<std::vector<LabHostStatus>> Status() const;

  std::string key_file() const { return directory_ + "/key"; }
  // For ssh: the hosts' keys by their addresses.
  std::string known_hosts_file() const { return directory_ + "/known_hosts"; }

 private:
  std::string HostDirectory(const LabHost& host) const {
    return directory_ + "/hosts/" + host.name;
  }
  std::string CgroupOf(const LabHost& host) const { return options_.name + "/" + host.name; }
  Result<std::unique_ptr<ClusterLock>> Lock() const;
  Result<std::unique_ptr<ClusterLock>> LockNetworks() const;
  // Removes the directory of a lab that nothing was written down about.
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

// Refused while a lab uses it.
Result<void> RemoveUnusedLabImage(const std::string& directory);

// The hosts as a cluster file lists them.
std::string HostsBlock(const std::vector<LabHostStatus>& hosts, const std::string& key_file);

}  // namespace kubexms::automation
