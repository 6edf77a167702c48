#pragma once

// What a lab leaves on its machine besides files: mounts, control groups and the processes in them.
// All of it is found by what the kernel says, not by what was written down, so it is found also
// after a crash.

#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/lab/lab_plan.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// An error names what is missing and the Debian package that has it.
Result<void> CheckMachineCanRunLabs();

// The networks that this machine has a route to.
std::vector<Subnet> ReachableNetworks();
bool InterfaceExists(const std::string& name);

// Where Debian's packages come from on this machine, by apt's configuration.
Result<std::string> FindMirror(std::string_view suite);

bool IsMounted(const std::string& path);
Result<void> UnmountBelow(const std::string& path);

// The control groups of one host or of a lab, the same in every hierarchy: what starts in them can
// be found and ended as a whole, and a host's systemd sees nothing of another's.
class LabCgroups {
 public:
  // "lab/node1", or "lab" for all hosts.
  explicit LabCgroups(const std::string& name);

  Result<void> Create() const;
  bool HasProcesses() const;
  // Ends everything in them, and returns when it is gone.
  Result<void> KillAll(Clock& clock, std::stop_token stop) const;
  Result<void> Remove() const;

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<int> Processes() const;

  std::vector<std::string> hierarchies_;
  std::vector<std::string> paths_;
};

}  // namespace kubexms::automation
