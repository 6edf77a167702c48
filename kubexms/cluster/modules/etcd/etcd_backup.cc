#include "kubexms/cluster/modules/etcd/etcd_backup.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "kubexms/automation/engine/execution.h"
#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/steps/runner.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr std::string_view kBackupService = "/etc/systemd/system/kubexms-etcd-backup.service";
constexpr size_t kChecksumBytes = 32;
constexpr size_t kPageBytes = 512;  // of the database, at least
constexpr std::chrono::minutes kSnapshotTimeout(30);

std::string TimerPath() { return fmt::format("/etc/systemd/system/{}", kEtcdBackupTimer); }

// Deletes only old files with names of this script.
std::string BackupScript(const EtcdSpec& etcd) {
  return fmt::format(
      "#!/bin/sh\n"
      "# Written by kubexms.\n"
      "set -eu\n"
      "umask 077\n"
      "cd {}\n"
      "name=etcd-$(date -u +%Y%m%dT%H%M%SZ).db\n"
      "trap 'rm -f -- \".$name\" \".$name.part\"' EXIT\n"
      "{}\n"
      "{}\n"
      "mv -- \".$name\" \"$name\"\n"
      "ls -1r | grep '^etcd-[0-9TZ]*\\.db$' | tail -n +{} | while read -r old; do\n"
      "  rm -f -- \"$old\"\n"
      "done\n",
      ShellQuote(etcd.backup.directory), LocalEtcdctl(etcd, "snapshot save \".$name\""),
      LocalEtcdctl(etcd, "snapshot status \".$name\""), etcd.backup.keep + 1);
}

std::vector<HostResource> TimerOn(const EtcdSpec& etcd) {
  return {Directory{.path = etcd.backup.directory, .mode = "0700"},
          File{.path = EtcdPath("backup.sh"), .content = BackupScript(etcd), .mode = "0755"},
          File{.path = std::string(kBackupService),
               .content = fmt::format("# Written by kubexms.\n"
                                      "[Unit]\n"
                                      "Description=Backup of etcd\n"
                                      "After=kubexms-etcd.service\n"
                                      "\n"
                                      "[Service]\n"
                                      "Type=oneshot\n"
                                      "ExecStart={}\n",
                                      EtcdPath("backup.sh"))},
          // So that not all members start at the same time.
          File{.path = TimerPath(),
               .content = fmt::format("# Written by kubexms.\n"
                                      "[Unit]\n"
                                      "Description=Backups of etcd\n"
                                      "\n"
                                      "[Timer]\n"
                                      "OnCalendar={}\n"
                                      "RandomizedDelaySec=5min\n"
                                      "Persistent=true\n"
                                      "\n"
                                      "[Install]\n"
                                      "WantedBy=timers.target\n",
                                      etcd.backup.schedule)},
          Service{.name = std::string(kEtcdBackupTimer), .restart_after = {TimerPath()}}};
}

std::vector<HostResource> TimerOff() {
  return {Service{.name = std::string(kEtcdBackupTimer), .active = false, .enabled = false},
          Absent{TimerPath()}, Absent{std::string(kBackupService)}, Absent{EtcdPath("backup.sh")}};
}

// Why the member on the host is not healthy; none when it is.
std::optional<std::string> FindHealthProblem(const EtcdSpec& etcd, Runner runner) {
  const Probe health{ProbeLocalEtcd(etcd, "--command-timeout=3s endpoint health") + " 2>&1"};
  const Result<ProbeResult> probe = runner.Get(health);
  if (!probe.ok()) return probe.error().message();
  if (probe->exit_code != 0) return probe->output;
  return std::nullopt;
}

Result<const Host*> HealthyMember(const ClusterSpec& spec, const Runtime& runtime,
                                  const EtcdBackupOptions& options) {
  std::vector<const Host*> members;
  for (const std::string& name : spec.role_groups.etcd) {
    if (!options.limit.empty() && !options.limit.contains(name)) continue;
    members.push_back(runtime.FindHost(name));
    if (!members.back()) return Error::NotFound("hosts", name);
  }
  std::vector<std::optional<std::string>> problems(members.size());
  ForEach(members.size(), options.parallel, [&](size_t i) {
    problems[i] =
        FindHealthProblem(spec.etcd, runtime.RunnerFor(*members[i], {.stop = options.stop}));
  });
  std::string reasons;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!problems[i]) return members[i];
    reasons += fmt::format("\n  {}: {}", members[i]->name, *problems[i]);
  }
  return Error::ServiceUnavailable("no member of etcd is healthy" + reasons);
}

int64_t Number(const Json& object, std::string_view key) {
  const Json* number = FindMember(object, key);
  return number && number->is_int64() ? number->get_int64() : 0;
}

// Leaves the snapshot on the host, and removes those older than a day, which killed runs have left.
Result<EtcdSnapshot> TakeSnapshot(const EtcdSpec& etcd, const Host& host, Runner& runner,
                                  const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path();
  ASSIGN_OR_RETURN(
      const CommandResult saved,
      runner.Run({.script = fmt::format(
                      "set -e; umask 077; mkdir -p {0}; "
                      "find {0} -maxdepth 1 -name 'snapshot-*' -mmin +1440 -delete; {1} >/dev/null "
                      "2>&1 || {1}; {2}",
                      ShellQuote(directory), LocalEtcdctl(etcd, "snapshot save " + path),
                      LocalEtcdctl(etcd, fmt::format("snapshot status {} -w json", path))),
                  .timeout = kSnapshotTimeout}));
  ASSIGN_OR_RETURN(const Json status, ParseJson(saved.output));
  return EtcdSnapshot{.member = host.name,
                      .revision = Number(status, "revision"),
                      .keys = Number(status, "totalKey"),
                      .bytes = Number(status, "totalSize")};
}

Result<void> DownloadSnapshot(Runner& runner, const std::string& path, const std::string& file) {
  const std::string part = file + ".part";
  Result<void> fetched = runner.Download({.path = path, .destination = part, .mode = 0600});
  if (fetched.ok()) fetched = CheckSnapshotFile(part);
  std::error_code failed;
  if (fetched.ok()) std::filesystem::rename(part, file, failed);
  if (failed) fetched = Error::Internal(fmt::format("rename {}: {}", part, failed.message()));
  if (!fetched.ok()) std::filesystem::remove(part, failed);
  return fetched;
}

}  // namespace

StepPtr EtcdBackupTimer(const EtcdSpec& etcd) {
  return Ensure("timer", etcd.backup.schedule.empty() ? TimerOff() : TimerOn(etcd));
}

Result<std::string> PlanEtcdBackup(const ClusterSpec& spec, const Runtime& runtime,
                                   const std::string& file, const EtcdBackupOptions& options) {
  if (std::filesystem::exists(file)) {
    return Error::BadRequest(
        fmt::format("{} exists and is not overwritten; choose another file", file));
  }
  const std::filesystem::path directory = std::filesystem::path(file).parent_path();
  if (!directory.empty() && !std::filesystem::is_directory(directory)) {
    return Error::BadRequest(fmt::format("the directory {} of {} does not exist; create it first",
                                         directory.string(), file));
  }
  ASSIGN_OR_RETURN(const Host* host, HealthyMember(spec, runtime, options));
  return host->name;
}

Result<EtcdSnapshot> BackUpEtcd(const ClusterSpec& spec, const Runtime& runtime,
                                const std::string& file, const EtcdBackupOptions& options) {
  ASSIGN_OR_RETURN(const std::string member, PlanEtcdBackup(spec, runtime, file, options));
  const Host* host = runtime.FindHost(member);
  Runner runner = runtime.RunnerFor(*host, {.stop = options.stop});
  const std::string path =
      fmt::format("{}/snapshot-{}.db", runtime.host_directory(), runtime.random().NameSuffix());
  Result<EtcdSnapshot> snapshot = TakeSnapshot(spec.etcd, *host, runner, path);
  if (snapshot.ok()) {
    const Result<void> fetched = DownloadSnapshot(runner, path, file);
    if (!fetched.ok()) snapshot = fetched.error();
  }
  // Also after a stop. The next backup removes what cannot be removed now.
  static_cast<void>(
      runtime.RunnerFor(*host).Perform(std::vector<Operation>{RemovePath{path}}).ok());
  if (!snapshot.ok()) return snapshot.error().WithContext(host->name);
  return snapshot;
}

Result<void> CheckSnapshotFile(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::error_code failed;
  const uintmax_t size = std::filesystem::file_size(file, failed);
  if (failed) return Error::BadRequest(fmt::format("read {}: {}", file, failed.message()));
  if (!stream) return Error::BadRequest(fmt::format("{} cannot be read", file));
  if (size % kPageBytes != kChecksumBytes) {
    return Error::BadRequest(fmt::format(
        "{} is not a complete snapshot of etcd: the checksum at its end is missing", file));
  }
  Sha256 sum;
  std::string buffer(1 << 20, '\0');
  for (uintmax_t left = size - kChecksumBytes; left > 0;) {
    stream.read(buffer.data(), static_cast<std::streamsize>(std::min<uintmax_t>(left, 1 << 20)));
    const auto count = static_cast<size_t>(stream.gcount());
    if (count == 0) return Error::BadRequest(fmt::format("{} cannot be read", file));
    sum.Update(std::string_view(buffer).substr(0, count));
    left -= count;
  }
  char wanted[kChecksumBytes];
  stream.read(wanted, kChecksumBytes);
  std::string hex;
  for (const char byte : wanted) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  if (stream.gcount() == kChecksumBytes && sum.Finish() == hex) return {};
  return Error::BadRequest(fmt::format("{} is damaged: its checksum does not match", file));
}

}  // namespace kubexms::cluster
