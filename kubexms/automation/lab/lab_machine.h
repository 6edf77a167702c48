#pragma once

// The parts of a lab that are not files: mounts, control groups and their processes. They are found
// from the kernel's state, not from stored state, so also after a crash.

#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/lab/lab_plan.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// Fails with the missing programs and their Debian packages.
Result<void> CheckMachineCanRunLabs();

// The networks that this machine has routes to.
std::vector<Subnet> ReachableNetworks();
bool InterfaceExists(const std::string& name);

// The Debian mirror in the configuration of apt on this machine.
Result<std::string> FindMirror(std::string_view suite);

bool IsMounted(const std::string& path);
Result<void> UnmountBelow(const std::string& path);

// The control groups of one host or of a lab, one in every hierarchy: their processes can be listed
// and killed together, and the systemd of one host does not see those of another.
class LabCgroups {
 public:
  // "lab/node1", or "lab" for all hosts.
  explicit LabCgroups(const std::string& name);

  Result<void> Create() const;
  bool HasProcesses() const;
  // Kills all processes and waits for their end.
  Result<void> KillAll(Clock& clock, std::stop_token stop) const;
  Result<void> Remove() const;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<int> Processes() const;

  std::vector<std::string> hierarchies_;
  std::vector<std::string> paths_;
};

}  // namespace kubexms::automation
