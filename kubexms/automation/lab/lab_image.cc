#include "kubexms/automation/lab/lab_image.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "kubexms/automation/journal/journal.h"
#include "kubexms/automation/lab/lab_machine.h"

namespace kubexms::automation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuite = "bookworm";
constexpr std::string_view kPackages =
    "systemd,systemd-sysv,dbus,openssh-server,iproute2,iptables,sudo,procps,kmod,iputils-ping,"
    "ca-certificates";

// systemd-nspawn shows a host its kernel read-only and in parts. A host that runs containers needs
// to make control groups; modules and parameters are looked at to see what the kernel can do.
// With version 2 of control groups they are writable as they are.
constexpr std::string_view kBootScript = R"sh(#!/bin/sh
set -e
mount -o remount,rw /sys/fs/cgroup
awk '$3 == "cgroup" && $4 ~ /^ro,/ { print $2 }' /proc/mounts | while read -r at; do
  umount "$at"
  mount -t cgroup -o "${at##*/}" cgroup "$at"
done
mount -o remount,rw /proc/sys
if [ ! -d /sys/module ]; then
  mount -o remount,rw /sys
  mkdir /sys/module /run/kubexms-sys
  mount -t sysfs sysfs /run/kubexms-sys
  mount --bind /run/kubexms-sys/module /sys/module
  umount -l /run/kubexms-sys
  rmdir /run/kubexms-sys
fi
)sh";

// After systemd-sysctl: what Debian sets at boot is not for the kernel of the machine.
constexpr std::string_view kBootUnit = R"([Unit]
Description=Let this lab host run containers
DefaultDependencies=no
After=systemd-sysctl.service local-fs.target
Before=sysinit.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/kubexms-lab-boot

[Install]
WantedBy=sysinit.target
)";

// Turns a minimal Debian into the disk of a host before its first boot.
Result<void> Prepare(Runner& runner, const std::string& root) {
  const std::string units = root + "/etc/systemd/system";
  const HostResource resources[] = {
      File{.path = root + "/usr/local/sbin/kubexms-lab-boot",
           .content = std::string(kBootScript),
           .mode = "0755"},
      File{.path = units + "/kubexms-lab-boot.service", .content = std::string(kBootUnit)},
      Directory{.path = units + "/sysinit.target.wants"},
      Link{.path = units + "/sysinit.target.wants/kubexms-lab-boot.service",
           .target = "../kubexms-lab-boot.service"},
      Link{.path = units + "/multi-user.target.wants/systemd-networkd.service",
           .target = "/lib/systemd/system/systemd-networkd.service"},
      // Every host gets its own.
      File{.path = root + "/etc/machine-id", .content = ""},
      Absent{root + "/etc/ssh/ssh_host_ed25519_key"},
      Absent{root + "/etc/ssh/ssh_host_ecdsa_key"},
      Absent{root + "/etc/ssh/ssh_host_rsa_key"},
      Absent{root + "/etc/ssh/ssh_host_ed25519_key.pub"},
      Absent{root + "/etc/ssh/ssh_host_ecdsa_key.pub"},
      Absent{root + "/etc/ssh/ssh_host_rsa_key.pub"},
      // Hosts have no name server and nothing to update from.
      File{.path = root + "/etc/resolv.conf", .content = ""},
      Absent{units + "/timers.target.wants"},
  };
  RETURN_IF_ERROR(runner.Ensure(resources));
  return {};
}

Result<void> Build(Runner& runner, const LabImageOptions& options) {
  std::string mirror = options.mirror;
  if (mirror.empty()) {
    ASSIGN_OR_RETURN(mirror, FindMirror(kSuite));
  }
  const std::string part = options.directory + ".part";
  RETURN_IF_ERROR(RemoveLabImage(options.directory));
  options.progress(
      fmt::format("creating the image from Debian {} (once, takes a minute or two)", kSuite));
  RETURN_IF_ERROR(runner.Run({.script = ShellCommand({"debootstrap", "--variant=minbase",
                                                      fmt::format("--include={}", kPackages),
                                                      std::string(kSuite), part, mirror}),
                              .timeout = std::chrono::minutes(30)}));
  RETURN_IF_ERROR(Prepare(runner, part));
  std::error_code failed;
  fs::remove_all(part + "/var/cache/apt/archives", failed);
  ::sync();
  fs::rename(part, options.directory, failed);
  if (failed) {
    return Error::Internal(fmt::format("rename {}: {}", part, failed.message()));
  }
  return {};
}

// Waits for another process that creates the image.
Result<std::unique_ptr<ClusterLock>> LockImage(Clock& clock, const LabImageOptions& options) {
  const std::string path = options.directory + ".lock";
  const std::string owner = fmt::format("kubexms lab (process {})", ::getpid());
  bool announced = false;
  for (;;) {
    auto lock = ClusterLock::Acquire(path, owner);
    if (lock.ok() || !lock.error().IsConflict()) return lock;
    if (!announced) options.progress("waiting for another process to create the image");
    announced = true;
    if (!clock.SleepFor(std::chrono::milliseconds(200), options.stop)) return Canceled("lab up");
  }
}

}  // namespace

Result<void> EnsureLabImage(Runner& runner, Clock& clock, const LabImageOptions& options) {
  std::error_code failed;
  if (fs::exists(options.directory, failed)) return {};
  fs::create_directories(fs::path(options.directory).parent_path(), failed);
  if (failed) {
    return Error::Internal(
        fmt::format("cannot create {}: {}", options.directory, failed.message()));
  }
  ASSIGN_OR_RETURN(const auto lock, LockImage(clock, options));
  if (fs::exists(options.directory, failed)) return {};
  const Result<void> built = Build(runner, options);
  if (!built.ok()) return built.error().WithContext("create the image");
  return {};
}

Result<void> RemoveLabImage(const std::string& directory) {
  for (const std::string& path : {directory + ".part", directory}) {
    RETURN_IF_ERROR(UnmountBelow(path));
    std::error_code failed;
    fs::remove_all(path, failed);
    if (failed) return Error::Internal(fmt::format("remove {}: {}", path, failed.message()));
  }
  return {};
}

}  // namespace kubexms::automation
