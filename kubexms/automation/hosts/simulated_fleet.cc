#include "kubexms/automation/hosts/simulated_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "kubexms/automation/hosts/checksum.h"

namespace kubexms::automation {
namespace {

constexpr int64_t kStartNs = 1'704'067'200'000'000'000;  // 2024-01-01
constexpr std::string_view kOwnDirectory = "/var/lib/kubexms";

// "host-0007" has 10.0.0.7, "host-0251" 10.0.1.1.
std::string AddressOf(const std::string& name) {
  int number = 1;
  const size_t digits = name.find_first_of("0123456789");
  if (digits != std::string::npos) {
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
  }
  return fmt::format("10.0.{}.{}", (number - 1) / 250, (number - 1) % 250 + 1);
}

std::string Parent(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : std::string(path.substr(0, slash));
}

bool IsBelow(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         (directory == "/" || path[directory.size()] == '/');
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string UnitName(const std::string& service) {
  return service.find('.') == std::string::npos ? service + ".service" : service;
}

// Changes of kubexms's own records: no faults, and not counted.
bool IsBookkeeping(const Operation& operation) {
  return std::holds_alternative<AppendRecord>(operation) ||
         std::holds_alternative<BackupPath>(operation) ||
         std::holds_alternative<AcquireLock>(operation) ||
         std::holds_alternative<ReleaseLock>(operation);
}

OperationResult Nothing() { return Done{}; }

struct IndexEntry {
  std::string version;
  std::string file;
  std::string sha256;
  std::vector<std::string> depends;
};

// An index of package files, by name. Of what a package depends on, names are all that counts.
std::map<std::string, IndexEntry> ReadIndex(const std::string& text) {
  std::map<std::string, IndexEntry> entries;
  std::istringstream stream(text);
  IndexEntry* entry = nullptr;
  for (std::string line; std::getline(stream, line);) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string field = line.substr(0, colon);
    std::string value = line.substr(colon + 2);
    if (field == "Package") entry = &entries[value];
    if (entry == nullptr) continue;
    if (field == "Version") entry->version = value;
    if (field == "Filename") entry->file = value;
    if (field == "SHA256") entry->sha256 = value;
    if (field != "Depends") continue;
    std::ranges::replace(value, ',', ' ');
    entry->depends = Words(value);
  }
  return entries;
}

}  // namespace

SimulatedHost::SimulatedHost(std::string name, const Catalog* catalog)
    : name_(std::move(name)), catalog_(catalog), now_ns_(kStartNs) {
  tree_["/"] = {.kind = "directory", .mode = "0755", .modified_ns = kStartNs};
  for (const char* path :
       {"/etc", "/etc/systemd", "/etc/systemd/system", "/etc/sysctl.d", "/etc/modules-load.d",
        "/lib", "/lib/systemd", "/lib/systemd/system", "/opt", "/root", "/run", "/tmp", "/usr",
        "/usr/local", "/usr/local/bin", "/var", "/var/lib", "/var/log"}) {
    tree_[path] = {.kind = "directory", .mode = "0755", .modified_ns = kStartNs};
  }
  tree_["/etc/hosts"] = {
      .kind = "file", .mode = "0644", .data = "127.0.0.1 localhost\n", .modified_ns = kStartNs};
  users_["root"] = {.uid = 0, .home = "/root", .shell = "/bin/bash", .groups = "root"};
  sysctls_ = {{"fs.inotify.max_user_instances", "128"},
              {"fs.inotify.max_user_watches", "8192"},
              {"kernel.panic", "0"},
              {"kernel.panic_on_oops", "0"},
              {"net.bridge.bridge-nf-call-ip6tables", "0"},
              {"net.bridge.bridge-nf-call-iptables", "0"},
              {"net.ipv4.ip_forward", "0"},
              {"net.ipv4.ip_local_reserved_ports", ""},
              {"net.ipv4.ip_nonlocal_bind", "0"},
              {"net.ipv6.conf.all.forwarding", "0"},
              {"vm.max_map_count", "65530"},
              {"vm.overcommit_memory", "0"},
              {"vm.swappiness", "60"}};
}

Error SimulatedHost::Unreachable() const {
  return Error::ServiceUnavailable(fmt::format("{}: connection lost", name_));
}

Result<std::vector<OperationResult>> SimulatedHost::Perform(std::span<const Operation> operations,
                                                            const PerformOptions& options) {
  {
    MutexLock lock(mutex_);
    ++round_trips_;
    if (down_) return Unreachable();
  }
  std::vector<OperationResult> results;
  for (const Operation& operation : operations) {
    if (options.stop.stop_requested()) return Canceled(Describe(operation));
    ASSIGN_OR_RETURN(OperationResult answer, PerformOne(operation));
    results.push_back(std::move(answer));
  }
  return results;
}

std::optional<Fault> SimulatedHost::NextFault(const Operation& operation) {
  if (IsQuery(operation) || IsBookkeeping(operation)) return std::nullopt;
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if (fault->after_changes-- > 0) continue;
    Fault taken = *fault;
    faults_.erase(fault);
    return taken;
  }
  return std::nullopt;
}

Result<OperationResult> SimulatedHost::PerformOne(const Operation& operation) {
  std::optional<Fault> fault;
  {
    MutexLock lock(mutex_);
    if (down_) return Unreachable();
    Tick();
    fault = NextFault(operation);
  }
  if (fault && fault->kind == FaultKind::kLostBefore) return Unreachable();
  if (fault && fault->kind == FaultKind::kFails) {
    return Error::Internal(fmt::format("{}: {}", Describe(operation), fault->message));
  }
  const auto perform = [&](const auto& op) -> Result<OperationResult> {
    using Type = std::decay_t<decltype(op)>;
    if constexpr (std::is_same_v<Type, Probe> || std::is_same_v<Type, RunScript> ||
                  std::is_same_v<Type, StartJob>) {
      return DoScript(op);
    } else {
      MutexLock lock(mutex_);
      return Do(op);
    }
  };
  Result<OperationResult> answer = std::visit(perform, operation);
  if (!answer.ok()) return answer.error().WithContext(Describe(operation));
  MutexLock lock(mutex_);
  if (!IsQuery(operation) && !IsBookkeeping(operation)) ++changes_;
  if (fault) return Unreachable();
  return answer;
}

CommandResult SimulatedHost::RunHandler(const std::string& script) {
  ScriptHandler handler;
  {
    MutexLock lock(mutex_);
    handler = handler_;
  }
  if (handler) return handler(*this, script);
  return {.exit_code = 127,
          .error_output = fmt::format("the simulated host does not know \"{}\"", script)};
}

Result<OperationResult> SimulatedHost::DoScript(const Operation& operation) {
  if (const auto* probe = std::get_if<Probe>(&operation)) {
    const CommandResult result = RunHandler(probe->script);
    return OperationResult(ProbeResult{result.exit_code, result.output + result.error_output});
  }
  if (const auto* run = std::get_if<RunScript>(&operation)) {
    const CommandResult result = RunHandler(run->script);
    if (!result.ok()) return CommandFailed("the script", result);
    return OperationResult(Done{result.output});
  }
  const auto& start = std::get<StartJob>(operation);
  {
    MutexLock lock(mutex_);
    if (jobs_.contains(start.directory)) return Nothing();
  }
  CommandResult result = RunHandler(start.script);
  MutexLock lock(mutex_);
  jobs_[start.directory] = {std::move(result)};
  return Nothing();
}

Result<CommandResult> SimulatedHost::Exec(const Command& command, const OutputCallback& on_output,
                                          std::stop_token stop) {
  {
    MutexLock lock(mutex_);
    ++round_trips_;
    Tick();
    if (down_) return Unreachable();
  }
  if (stop.stop_requested()) return Canceled(command.script);
  CommandResult result = RunHandler(command.script);
  if (on_output && !result.output.empty()) on_output(OutputStream::kOutput, result.output);
  if (on_output && !result.error_output.empty()) {
    on_output(OutputStream::kError, result.error_output);
  }
  return result;
}

Result<void> SimulatedHost::Upload(const UploadRequest& request, std::stop_token) {
  std::string content;
  ASSIGN_OR_RETURN(FilePartReader source, FilePartReader::Open(request.source));
  for (;;) {
    ASSIGN_OR_RETURN(const std::string piece, source.Read(1 << 16));
    if (piece.empty()) break;
    content += piece;
  }
  if (!request.sha256.empty() && request.sha256 != Sha256Of(content)) {
    return Error::Internal("the checksum of the received file differs");
  }
  const WriteFile write{.path = request.path,
                        .mode = request.mode,
                        .owner = request.owner,
                        .group = request.group,
                        .content = content};
  RETURN_IF_ERROR(Perform(std::vector<Operation>{write}, PerformOptions()));
  return {};
}

Result<void> SimulatedHost::Download(const DownloadRequest& request, std::stop_token) {
  const std::optional<std::string> content = ReadFile(request.path);
  MutexLock lock(mutex_);
  ++round_trips_;
  if (down_) return Unreachable();
  if (!content) return Error::Internal(fmt::format("download {}: no such file", request.path));
  std::ofstream file(request.destination, std::ios::binary);
  if (!(file << *content)) {
    return Error::Internal(fmt::format("cannot write {}", request.destination));
  }
  return {};
}

Result<void> SimulatedHost::Put(const std::string& path, Node node) {
  if (full_) return Error::Internal("No space left on device");
  const auto parent = tree_.find(Parent(path));
  if (parent == tree_.end() || parent->second.kind != "directory") {
    return Error::Internal(fmt::format("{}: No such file or directory", Parent(path)));
  }
  const auto old = tree_.find(path);
  if (old != tree_.end() && old->second.kind == "directory" && node.kind != "directory") {
    return Error::Internal(fmt::format("{} is a directory", path));
  }
  node.modified_ns = now_ns_;
  tree_[path] = std::move(node);
  return {};
}

void SimulatedHost::PutWithParents(const std::string& path, Node node) {
  for (std::string at = Parent(path); !tree_.contains(at); at = Parent(at)) {
    tree_[at] = {.kind = "directory", .mode = "0755", .modified_ns = now_ns_};
  }
  node.modified_ns = now_ns_;
  tree_[path] = std::move(node);
}

void SimulatedHost::Erase(const std::string& path) {
  std::erase_if(
      tree_, [&](const auto& entry) { return entry.first == path || IsBelow(entry.first, path); });
}

void SimulatedHost::Copy(const std::string& from, const std::string& to) {
  Tree copies;
  for (const auto& [path, node] : tree_) {
    if (path == from || IsBelow(path, from)) copies[to + path.substr(from.size())] = node;
  }
  for (const auto& [path, node] : copies) tree_[path] = node;
}

bool SimulatedHost::IsEmptyDirectory(const std::string& path) const {
  return std::none_of(tree_.begin(), tree_.end(),
                      [&](const auto& entry) { return IsBelow(entry.first, path); });
}

Result<OperationResult> SimulatedHost::Do(const GetPath& op) {
  const auto found = tree_.find(op.path);
  if (found == tree_.end()) return OperationResult(PathState{.kind = "absent"});
  const Node& node = found->second;
  PathState state{.kind = node.kind,
                  .mode = node.mode,
                  .owner = node.owner,
                  .group = node.group,
                  .size = static_cast<int64_t>(node.data.size()),
                  .modified_ns = node.modified_ns};
  if (node.kind == "link") state.target = node.data;
  if (node.kind == "file") state.sha256 = Sha256Of(node.data);
  if (node.kind == "file" && op.content) state.content = node.data;
  return OperationResult(std::move(state));
}

Result<OperationResult> SimulatedHost::Do(const WriteFile& op) {
  Node node{.kind = "file", .mode = op.mode, .data = op.content};
  if (!op.owner.empty()) node.owner = op.owner;
  if (!op.group.empty()) node.group = op.group;
  RETURN_IF_ERROR(Put(op.path, std::move(node)));
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const SetAttributes& op) {
  const auto found = tree_.find(op.path);
  if (found == tree_.end()) return Error::Internal("No such file or directory");
  if (!op.mode.empty()) found->second.mode = op.mode;
  if (!op.owner.empty()) found->second.owner = op.owner;
  if (!op.group.empty()) found->second.group = op.group;
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const MakeDirectory& op) {
  if (const auto found = tree_.find(op.path); found == tree_.end()) {
    RETURN_IF_ERROR(Put(op.path, {.kind = "directory"}));
  } else if (found->second.kind != "directory") {
    return Error::Internal("File exists");
  }
  return Do(SetAttributes{op.path, op.mode, op.owner, op.group});
}

Result<OperationResult> SimulatedHost::Do(const MakeLink& op) {
  RETURN_IF_ERROR(Put(op.path, {.kind = "link", .mode = "0777", .data = op.target}));
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const RemovePath& op) {
  if (op.recursive || IsEmptyDirectory(op.path)) Erase(op.path);
  if (op.recursive) jobs_.erase(op.path);
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const BackupPath& op) {
  if (tree_.contains(op.backup) || tree_.contains(op.backup + ".absent")) return Nothing();
  const bool exists = tree_.contains(op.path);
  PutWithParents(exists ? op.backup : op.backup + ".absent", {.kind = "file", .mode = "0600"});
  if (exists) Copy(op.path, op.backup);
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const RestorePath& op) {
  const bool kept = tree_.contains(op.backup);
  if (!kept && !tree_.contains(op.backup + ".absent")) {
    if (!op.required) return Nothing();
    return Error::Internal(
        fmt::format("the backup of {} is lost: {} does not exist", op.path, op.backup));
  }
  Erase(op.path);
  if (kept) Copy(op.backup, op.path);
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const ExtractArchive& op) {
  const auto archive = tree_.find(op.archive);
  if (archive == tree_.end()) return Error::Internal("Cannot open: No such file or directory");
  RETURN_IF_ERROR(Put(op.directory + "/content-of-" + Sha256Of(archive->second.data).substr(0, 12),
                      {.kind = "file", .mode = "0644", .data = archive->second.data}));
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const GetPackage& op) {
  const auto found = packages_.find(op.package);
  return OperationResult(PackageState{found == packages_.end() ? "" : found->second.version});
}

Result<OperationResult> SimulatedHost::Do(const GetPackages& op) {
  PackageVersions answer;
  for (const std::string& name : Words(op.packages)) {
    const auto found = packages_.find(name);
    if (found == packages_.end()) continue;
    answer.versions +=
        fmt::format("{}{}={}", answer.versions.empty() ? "" : " ", name, found->second.version);
  }
  return OperationResult(std::move(answer));
}

void SimulatedHost::Install(const std::string& package, Installed installed) {
  packages_[package] = std::move(installed);
  const auto known = catalog_->find(package);
  if (known == catalog_->end()) return;
  for (const auto& [path, content] : known->second.files) {
    if (!tree_.contains(path)) {
      PutWithParents(path, {.kind = "file", .mode = "0644", .data = content});
    }
  }
  for (const std::string& service : known->second.services) {
    PutWithParents("/lib/systemd/system/" + UnitName(service),
                   {.kind = "file", .mode = "0644", .data = "[Service]\n"});
  }
}

void SimulatedHost::Uninstall(const std::string& package) {
  const auto known = catalog_->find(package);
  if (packages_.erase(package) == 0 || known == catalog_->end()) return;
  for (const auto& [path, content] : known->second.files) Erase(path);
  for (const std::string& service : known->second.services) {
    Erase("/lib/systemd/system/" + UnitName(service));
    services_.erase(UnitName(service));
  }
}

bool SimulatedHost::IsNeeded(const std::string& package) const {
  return std::ranges::any_of(packages_, [&](const auto& entry) {
    return std::ranges::find(entry.second.depends, package) != entry.second.depends.end();
  });
}

Result<OperationResult> SimulatedHost::Do(const InstallPackages& op) {
  for (const std::string& word : Words(op.packages)) {
    const size_t equals = word.find('=');
    const std::string package = word.substr(0, equals);
    const auto known = catalog_->find(package);
    if (known == catalog_->end()) {
      return Error::Internal(fmt::format("E: Unable to locate package {}", package));
    }
    if (full_) return Error::Internal("No space left on device");
    Install(package, {equals == std::string::npos ? known->second.version : word.substr(equals + 1),
                      known->second.depends});
  }
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const InstallPackageFiles& op) {
  if (full_) return Error::Internal("No space left on device");
  const auto index = tree_.find(op.directory + "/Packages");
  if (index == tree_.end()) return Error::Internal("Packages: No such file or directory");
  const std::map<std::string, IndexEntry> offered = ReadIndex(index->second.data);
  std::vector<std::string> wanted = Words(op.packages);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto entry = offered.find(wanted[i]);
    if (packages_.contains(wanted[i])) continue;
    if (entry == offered.end()) {
      return Error::Internal(fmt::format("E: Unable to locate package {}", wanted[i]));
    }
    const auto file = tree_.find(fmt::format("{}/{}", op.directory, entry->second.file));
    if (file == tree_.end() || Sha256Of(file->second.data) != entry->second.sha256) {
      return Error::Internal(fmt::format("{}: Hash Sum mismatch", entry->second.file));
    }
    std::ranges::copy(entry->second.depends, std::back_inserter(wanted));
  }
  // The last first: what others need.
  for (auto name = wanted.rbegin(); name != wanted.rend(); ++name) {
    if (packages_.contains(*name)) continue;
    const IndexEntry& entry = offered.at(*name);
    Install(*name, {entry.version, entry.depends});
  }
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const RemovePackages& op) {
  for (const std::string& package : Words(op.packages)) Uninstall(package);
  std::vector<std::string> unused = Words(op.dependencies);
  // One may have been needed by another one only.
  for (bool removed = true; std::exchange(removed, false);) {
    for (const std::string& package : unused) {
      if (!packages_.contains(package) || IsNeeded(package)) continue;
      Uninstall(package);
      removed = true;
    }
  }
  return Nothing();
}

bool SimulatedHost::ServiceExists(const std::string& service) const {
  const std::string unit = UnitName(service);
  return tree_.contains("/etc/systemd/system/" + unit) ||
         tree_.contains("/lib/systemd/system/" + unit);
}

Result<OperationResult> SimulatedHost::Do(const GetService& op) {
  if (!ServiceExists(op.service)) return OperationResult(ServiceState{});
  const Service& service = services_[UnitName(op.service)];
  return OperationResult(
      ServiceState{true, service.active, service.enabled, service.active_since_ns});
}

Result<OperationResult> SimulatedHost::Do(const SetService& op) {
  if (!ServiceExists(op.service)) {
    services_.erase(UnitName(op.service));
    if (op.active == "start" || op.active == "restart" || op.enabled == "enable") {
      return Error::Internal(fmt::format("no unit file for the service {}", op.service));
    }
    return Nothing();
  }
  Service& service = services_[UnitName(op.service)];
  if (!op.enabled.empty()) service.enabled = op.enabled == "enable";
  if (op.active == "stop") service.active = false;
  if (op.active == "restart" || (op.active == "start" && !service.active) ||
      (op.active == "try-restart" && service.active)) {
    service.active = true;
    service.active_since_ns = now_ns_;
  }
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const GetUser& op) {
  const auto found = users_.find(op.user);
  if (found == users_.end()) return OperationResult(UserState{});
  const User& user = found->second;
  return OperationResult(UserState{true, user.uid, user.home, user.shell, user.groups});
}

Result<OperationResult> SimulatedHost::Do(const PutUser& op) {
  const bool made = !users_.contains(op.user);
  User& user = users_[op.user];
  if (made) {
    user = {.uid = static_cast<int64_t>(100 + users_.size()),
            .home = "/home/" + op.user,
            .shell = "/bin/sh",
            .groups = op.user};
  }
  if (!op.home.empty()) user.home = op.home;
  if (!op.shell.empty()) user.shell = op.shell;
  if (!op.groups.empty()) {
    user.groups = op.user;
    for (const std::string& group : Words(op.groups)) {
      if (group != op.user) user.groups += " " + group;
    }
  }
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const RemoveUser& op) {
  users_.erase(op.user);
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const GetSysctl& op) {
  const auto found = sysctls_.find(op.key);
  if (found == sysctls_.end()) return OperationResult(SysctlState{});
  return OperationResult(SysctlState{true, found->second});
}

Result<OperationResult> SimulatedHost::Do(const SetSysctl& op) {
  const auto found = sysctls_.find(op.key);
  if (found == sysctls_.end()) return Error::Internal("No such file or directory");
  found->second = op.value;
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const GetKernelModule& op) {
  return OperationResult(KernelModuleState{modules_.contains(op.module)});
}

Result<OperationResult> SimulatedHost::Do(const SetKernelModule& op) {
  if (op.loaded)
    modules_.insert(op.module);
  else
    modules_.erase(op.module);
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const GetPort& op) {
  return OperationResult(PortState{ports_.contains(op.port)});
}

Result<OperationResult> SimulatedHost::Do(const GetSystemFacts&) {
  return OperationResult(SystemFacts{.hostname = name_,
                                     .os = system_.os,
                                     .os_version = system_.os_version,
                                     .architecture = "x86_64",
                                     .kernel = system_.kernel,
                                     .cpus = 4,
                                     .memory_bytes = int64_t{8} << 30,
                                     .package_manager = "apt",
                                     .systemd = true,
                                     .boot_id = "boot-of-" + name_,
                                     .addresses = AddressOf(name_),
                                     .time_seconds = now_ns_ / 1'000'000'000});
}

Result<OperationResult> SimulatedHost::Do(const AppendRecord& op) {
  if (!tree_.contains(op.path)) PutWithParents(op.path, {.kind = "file", .mode = "0600"});
  tree_[op.path].data += op.line + "\n";
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const AcquireLock& op) {
  const auto found = locks_.find(op.path);
  const int64_t age = found == locks_.end() ? 0 : (now_ns_ - found->second.beat_ns) / 1'000'000'000;
  const bool free =
      found == locks_.end() || found->second.owner == op.owner || age >= op.stale_seconds;
  if (!free && op.required) {
    return Error::Internal(fmt::format("locked by {}, renewed {} s ago", found->second.owner, age));
  }
  if (!free) return OperationResult(LockState{false, found->second.owner, age});
  locks_[op.path] = {op.owner, now_ns_};
  return OperationResult(LockState{true, op.owner, age});
}

Result<OperationResult> SimulatedHost::Do(const ReleaseLock& op) {
  const auto found = locks_.find(op.path);
  if (found != locks_.end() && found->second.owner == op.owner) locks_.erase(found);
  return Nothing();
}

Result<OperationResult> SimulatedHost::Do(const GetJob& op) {
  const auto found = jobs_.find(op.directory);
  if (found == jobs_.end()) return OperationResult(JobState{.state = "absent"});
  const std::string output = found->second.result.output + found->second.result.error_output;
  return OperationResult(JobState{
      .state = "done",
      .exit_code = found->second.result.exit_code,
      .output_size = static_cast<int64_t>(output.size()),
      .output = output.substr(std::min<size_t>(output.size(), static_cast<size_t>(op.offset)))});
}

uint64_t SimulatedHost::round_trips() const {
  MutexLock lock(mutex_);
  return round_trips_;
}

uint64_t SimulatedHost::changes() const {
  MutexLock lock(mutex_);
  return changes_;
}

void SimulatedHost::SetScriptHandler(ScriptHandler handler) {
  MutexLock lock(mutex_);
  handler_ = std::move(handler);
}

void SimulatedHost::Inject(Fault fault) {
  MutexLock lock(mutex_);
  faults_.push_back(std::move(fault));
}

void SimulatedHost::SetDown(bool down) {
  MutexLock lock(mutex_);
  down_ = down;
}

void SimulatedHost::SetDiskFull(bool full) {
  MutexLock lock(mutex_);
  full_ = full;
}

void SimulatedHost::SetSystem(SimulatedSystem system) {
  MutexLock lock(mutex_);
  system_ = std::move(system);
}

void SimulatedHost::PutFile(const std::string& path, std::string content) {
  MutexLock lock(mutex_);
  Tick();
  PutWithParents(path, {.kind = "file", .mode = "0644", .data = std::move(content)});
}

std::optional<std::string> SimulatedHost::ReadFile(const std::string& path) const {
  MutexLock lock(mutex_);
  const auto found = tree_.find(path);
  if (found == tree_.end() || found->second.kind != "file") return std::nullopt;
  return found->second.data;
}

void SimulatedHost::Advance(std::chrono::seconds duration) {
  MutexLock lock(mutex_);
  now_ns_ += std::chrono::nanoseconds(duration).count();
}

void SimulatedHost::Listen(int port) {
  MutexLock lock(mutex_);
  ports_.insert(port);
}

std::string SimulatedHost::Snapshot() const {
  MutexLock lock(mutex_);
  std::string text = fmt::format("== {}\n", name_);
  for (const auto& [path, node] : tree_) {
    if (path == kOwnDirectory || IsBelow(path, kOwnDirectory)) continue;
    text += fmt::format("{} {} {} {}:{} {}\n", path, node.kind, node.mode, node.owner, node.group,
                        node.data);
  }
  for (const auto& [package, installed] : packages_) {
    text += fmt::format("package {} {}\n", package, installed.version);
  }
  for (const auto& [name, service] : services_) {
    if (!service.active && !service.enabled) continue;
    text += fmt::format("service {} {} {}\n", name, service.active, service.enabled);
  }
  for (const auto& [name, user] : users_) {
    text += fmt::format("user {} {} {} {}\n", name, user.home, user.shell, user.groups);
  }
  for (const auto& [key, value] : sysctls_) text += fmt::format("sysctl {} {}\n", key, value);
  for (const std::string& module : modules_) text += fmt::format("module {}\n", module);
  return text;
}

SimulatedFleet::SimulatedFleet(int hosts, SimulatedHost::Catalog catalog)
    : catalog_(std::move(catalog)) {
  for (int i = 1; i <= hosts; ++i) {
    hosts_.push_back(std::make_shared<SimulatedHost>(fmt::format("host-{:04}", i), &catalog_));
  }
}

uint64_t SimulatedFleet::round_trips() const {
  uint64_t sum = 0;
  for (const auto& host : hosts_) sum += host->round_trips();
  return sum;
}

uint64_t SimulatedFleet::changes() const {
  uint64_t sum = 0;
  for (const auto& host : hosts_) sum += host->changes();
  return sum;
}

std::string SimulatedFleet::Snapshot() const {
  std::string text;
  for (const auto& host : hosts_) text += host->Snapshot();
  return text;
}

}  // namespace kubexms::automation
