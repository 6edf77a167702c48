#pragma once

// Hosts in memory, behind the same Connector as real ones: files, packages, services, users, and
// faults on request. Any pipeline runs on them, on one or on a thousand, in milliseconds.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/base/mutex.h"

namespace kubexms::automation {

// The content of a package.
struct SimulatedPackage {
  std::string version = "1.0";
  std::vector<std::string> services;
  std::map<std::string, std::string> files;  // by path; directories are created
  std::vector<std::string> depends = {};
};

// The system facts of a host.
struct SimulatedSystem {
  std::string os = "debian";
  std::string os_version = "12";
  std::string kernel = "6.1.0-simulated";
};

enum class FaultKind {
  kLostBefore,  // the connection is lost before the operation is performed
  kLostAfter,   // the connection is lost after the operation was performed
  kFails,       // the operation fails
};

struct Fault {
  FaultKind kind = FaultKind::kFails;
  int after_changes = 0;  // the number of changes that succeed before the fault, which happens once
  std::string message = "injected fault";
};

// Safe for use from any thread.
class SimulatedHost final : public Connector {
 public:
  using Catalog = std::map<std::string, SimulatedPackage>;
  // The effect of a command; it may use the host.
  using ScriptHandler = std::function<CommandResult(SimulatedHost&, const std::string& script)>;

  // An empty host with /etc, /tmp, /var/lib, /usr/local/bin and the directories of systemd.
  // `catalog` has the available packages and must outlive the host.
  SimulatedHost(std::string name, const Catalog* catalog);

  using Connector::Exec;
  using Connector::Perform;

  Result<std::vector<OperationResult>> Perform(std::span<const Operation> operations,
                                               const PerformOptions& options) override
      EXCLUDES(mutex_);
  Result<CommandResult> Exec(const Command& command, const OutputCallback& on_output,
                             std::stop_token stop) override EXCLUDES(mutex_);
  Result<void> Upload(const UploadRequest& request, std::stop_token stop) override EXCLUDES(mutex_);
  Result<void> Download(const DownloadRequest& request, std::stop_token stop) override
      EXCLUDES(mutex_);
  uint64_t round_trips() const override EXCLUDES(mutex_);

  const std::string& name() const { return name_; }

  // Until a handler is set, all commands exit with 127. The handler is called without a lock held.
  void SetScriptHandler(ScriptHandler handler) EXCLUDES(mutex_);
  void Inject(Fault fault) EXCLUDES(mutex_);
  void SetDown(bool down) EXCLUDES(mutex_);
  // Every write fails with "No space left on device".
  void SetDiskFull(bool full) EXCLUDES(mutex_);
  void SetSystem(SimulatedSystem system) EXCLUDES(mutex_);
  // Direct access, as by a user of the host.
  void PutFile(const std::string& path, std::string content) EXCLUDES(mutex_);
  std::optional<std::string> ReadFile(const std::string& path) const EXCLUDES(mutex_);
  // Advances the clock of the host.
  void Advance(std::chrono::seconds duration) EXCLUDES(mutex_);
  void Listen(int port) EXCLUDES(mutex_);
  // The number of changes performed, without those of the journal and of locks.
  uint64_t changes() const EXCLUDES(mutex_);
  // The whole state as text, for comparison, without times and kubexms' own files below
  // /var/lib/kubexms.
  std::string Snapshot() const EXCLUDES(mutex_);

 private:
  struct Node {
    std::string kind;  // as in PathState
    std::string mode;
    std::string owner = "root";
    std::string group = "root";
    std::string data;  // the content, or a link's target
    int64_t modified_ns = 0;
  };
  using Tree = std::map<std::string, Node>;
  struct Installed {
    std::string version;
    std::vector<std::string> depends;
  };
  struct Service {
    bool active = false;
    bool enabled = false;
    int64_t active_since_ns = 0;
  };
  struct User {
    int64_t uid = 0;
    std::string home;
    std::string shell;
    std::string groups;
  };
  struct Lock {
    std::string owner;
    int64_t beat_ns = 0;
  };
  struct Job {
    CommandResult result;
  };

  Result<OperationResult> PerformOne(const Operation& operation) EXCLUDES(mutex_);
  // The fault for this operation, if one is due.
  std::optional<Fault> NextFault(const Operation& operation) REQUIRES(mutex_);
  Error Unreachable() const;

  // One for each operation; DoScript for those that call the handler.
  Result<OperationResult> Do(const GetSystemFacts& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetPath& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetPackage& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetPackages& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetService& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetUser& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetSysctl& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetKernelModule& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetPort& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const GetJob& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const WriteFile& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const SetAttributes& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const MakeDirectory& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const MakeLink& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const RemovePath& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const BackupPath& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const RestorePath& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const InstallPackages& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const InstallPackageFiles& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const RemovePackages& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const SetService& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const PutUser& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const RemoveUser& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const SetSysctl& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const SetKernelModule& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const ExtractArchive& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const AppendRecord& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const AcquireLock& op) REQUIRES(mutex_);
  Result<OperationResult> Do(const ReleaseLock& op) REQUIRES(mutex_);
  Result<OperationResult> DoScript(const Operation& operation) EXCLUDES(mutex_);

  int64_t Tick() REQUIRES(mutex_) { return now_ns_ += 1'000'000; }
  Result<void> Put(const std::string& path, Node node) REQUIRES(mutex_);
  void PutWithParents(const std::string& path, Node node) REQUIRES(mutex_);
  void Erase(const std::string& path) REQUIRES(mutex_);
  void Copy(const std::string& from, const std::string& to) REQUIRES(mutex_);
  bool IsEmptyDirectory(const std::string& path) const REQUIRES(mutex_);
  void Install(const std::string& package, Installed installed) REQUIRES(mutex_);
  void Uninstall(const std::string& package) REQUIRES(mutex_);
  bool IsNeeded(const std::string& package) const REQUIRES(mutex_);
  bool ServiceExists(const std::string& service) const REQUIRES(mutex_);
  CommandResult RunHandler(const std::string& script) EXCLUDES(mutex_);

  const std::string name_;
  const Catalog* const catalog_;

  mutable Mutex mutex_;
  SimulatedSystem system_ GUARDED_BY(mutex_);
  Tree tree_ GUARDED_BY(mutex_);
  std::map<std::string, Installed> packages_ GUARDED_BY(mutex_);
  std::map<std::string, Service> services_ GUARDED_BY(mutex_);
  std::map<std::string, User> users_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> sysctls_ GUARDED_BY(mutex_);
  std::set<std::string> modules_ GUARDED_BY(mutex_);
  std::set<int64_t> ports_ GUARDED_BY(mutex_);
  std::map<std::string, Lock> locks_ GUARDED_BY(mutex_);
  std::map<std::string, Job> jobs_ GUARDED_BY(mutex_);
  ScriptHandler handler_ GUARDED_BY(mutex_);
  std::vector<Fault> faults_ GUARDED_BY(mutex_);
  bool down_ GUARDED_BY(mutex_) = false;
  bool full_ GUARDED_BY(mutex_) = false;
  int64_t now_ns_ GUARDED_BY(mutex_);
  uint64_t round_trips_ GUARDED_BY(mutex_) = 0;
  uint64_t changes_ GUARDED_BY(mutex_) = 0;
};

// Hosts "host-0001" and so on, with one catalog of packages.
class SimulatedFleet {
 public:
  explicit SimulatedFleet(int hosts, SimulatedHost::Catalog catalog = {});

  size_t size() const { return hosts_.size(); }
  SimulatedHost& host(size_t index) { return *hosts_[index]; }
  const std::vector<std::shared_ptr<SimulatedHost>>& hosts() const { return hosts_; }
  // Of all hosts together.
  uint64_t round_trips() const;
  uint64_t changes() const;
  std::string Snapshot() const;

 private:
  const SimulatedHost::Catalog catalog_;
  std::vector<std::shared_ptr<SimulatedHost>> hosts_;
};

}  // namespace kubexms::automation
