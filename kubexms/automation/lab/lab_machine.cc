#include "kubexms/automation/lab/lab_machine.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kubexms::automation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGroup = "kubexms-lab";

// For files of the kernel, whose size is not known before they are read.
std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool ProgramExists(const std::string& name) {
  for (const char* directory : {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin"}) {
    if (::access(fmt::format("{}/{}", directory, name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// A new cpuset group has no CPUs and no memory until they are set.
void InheritCpuset(const fs::path& group) {
  for (const char* name : {"cpuset.cpus", "cpuset.mems"}) {
    const std::string own = ReadText(group / name);
    if (own.find_first_not_of('\n') != std::string::npos) continue;
    std::ofstream(group / name) << ReadText(group.parent_path() / name);
  }
}

}  // namespace

Result<void> CheckMachineCanRunLabs() {
#ifndef __linux__
  return Error::BadRequest("labs require Linux: their hosts share its kernel");
#endif
  if (::geteuid() != 0) {
    return Error::BadRequest("labs require root, for mounts and network interfaces; use sudo");
  }
  constexpr std::pair<const char*, const char*> kPrograms[] = {
      {"systemd-nspawn", "systemd-container"},
      {"debootstrap", "debootstrap"},
      {"ip", "iproute2"},
      {"ssh-keygen", "openssh-client"},
      {"setsid", "util-linux"}};
  for (const auto& [program, package] : kPrograms) {
    if (!ProgramExists(program)) {
      return Error::BadRequest(
          fmt::format("labs require {}, which is not installed; install the Debian package {}",
                      program, package));
    }
  }
  return {};
}

std::vector<Subnet> ReachableNetworks() { return NetworksIn(ReadText("/proc/net/route")); }

bool InterfaceExists(const std::string& name) {
  std::error_code ignored;
  return fs::exists(fs::path("/sys/class/net") / name, ignored);
}

Result<std::string> FindMirror(std::string_view suite) {
  std::vector<std::string> sources = {ReadText("/etc/apt/sources.list")};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/etc/apt/sources.list.d", ignored)) {
    sources.push_back(ReadText(entry.path()));
  }
  std::string mirror = MirrorIn(sources, suite);
  if (!mirror.empty()) return mirror;
  return Error::BadRequest(
      fmt::format("apt on this machine has no source for Debian {}; set --mirror", suite));
}

bool IsMounted(const std::string& path) {
  const std::vector<std::string> mounts = MountsBelow(path, ReadText("/proc/self/mounts"));
  return std::find(mounts.begin(), mounts.end(), path) != mounts.end();
}

Result<void> UnmountBelow(const std::string& path) {
  for (const std::string& at : MountsBelow(path, ReadText("/proc/self/mounts"))) {
    // Detached at once, unmounted when its last user has ended.
    if (::umount2(at.c_str(), MNT_DETACH) != 0) {
      return Error::Internal(fmt::format("unmount {}: {}", at, std::strerror(errno)));
    }
  }
  return {};
}

LabCgroups::LabCgroups(const std::string& name)
    : hierarchies_(CgroupHierarchies(ReadText("/proc/self/mounts"))) {
  for (const std::string& hierarchy : hierarchies_) {
    paths_.push_back(fmt::format("{}/{}/{}", hierarchy, kGroup, name));
  }
}

Result<void> LabCgroups::Create() const {
  for (size_t i = 0; i < paths_.size(); ++i) {
    fs::path group = hierarchies_[i];
    for (const fs::path& part : fs::path(paths_[i]).lexically_relative(group)) {
      group /= part;
      std::error_code failed;
      fs::create_directory(group, failed);
      if (failed) {
        return Error::Internal(fmt::format("cannot create the control group {}: {}", group.string(),
                                           failed.message()));
      }
      if (fs::exists(group / "cpuset.cpus", failed)) InheritCpuset(group);
    }
  }
  return {};
}

std::vector<int> LabCgroups::Processes() const {
  std::vector<int> processes;
  const auto add = [&](const fs::path& group) {
    std::ifstream file(group / "cgroup.procs");
    for (int process = 0; file >> process;) processes.push_back(process);
  };
  for (const std::string& path : paths_) {
    add(path);
    std::error_code gone;  // groups come and go while they are listed
    for (fs::recursive_directory_iterator entry(path, gone), end; !gone && entry != end;
         entry.increment(gone)) {
      if (entry->is_directory(gone)) add(entry->path());
    }
  }
  std::sort(processes.begin(), processes.end());
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  return processes;
}

bool LabCgroups::HasProcesses() const { return !Processes().empty(); }

Result<void> LabCgroups::KillAll(Clock& clock, std::stop_token stop) const {
  const auto deadline = clock.MonotonicNow() + std::chrono::seconds(30);
  for (std::vector<int> left = Processes(); !left.empty(); left = Processes()) {
    if (clock.MonotonicNow() >= deadline) {
      return Error::Timeout(fmt::format("process {} does not exit", left.front()));
    }
    for (const int process : left) {
      if (process > 1) ::kill(process, SIGKILL);
    }
    clock.SleepFor(std::chrono::milliseconds(20), stop);
  }
  return {};
}

Result<void> LabCgroups::Remove() const {
  for (const std::string& path : paths_) {
    std::vector<fs::path> groups;
    std::error_code failed;
    for (fs::recursive_directory_iterator entry(path, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      if (entry->is_directory(failed)) groups.push_back(entry->path());
    }
    std::reverse(groups.begin(), groups.end());
    groups.emplace_back(path);
    for (const fs::path& group : groups) {
      if (::rmdir(group.c_str()) != 0 && errno != ENOENT) {
        return Error::Internal(fmt::format("cannot remove the control group {}: {}", group.string(),
                                           std::strerror(errno)));
      }
    }
    // The group of all labs is removed with the last lab.
    ::rmdir(fs::path(path).parent_path().c_str());
  }
  return {};
}

}  // namespace kubexms::automation
