#include "kubexms/automation/steps/host_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/steps/diff.h"

namespace kubexms::automation {
namespace {

constexpr std::string_view kHostsFile = "/etc/hosts";

// "/a/b/c" → "/a", "/a/b", "/a/b/c".
std::vector<std::string> PathsDownTo(const std::string& path) {
  std::vector<std::string> paths;
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    paths.push_back(path.substr(0, slash));
  }
  paths.push_back(path);
  return paths;
}

std::set<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The same words with single spaces, as the kernel shows them.
std::string Normal(const std::string& value) {
  std::istringstream stream(value);
  std::string normal;
  for (std::string word; stream >> word;) normal += normal.empty() ? word : " " + word;
  return normal;
}

File SysctlFile(const Sysctl& resource) {
  std::string text;
  for (const auto& [key, value] : resource.values) text += fmt::format("{} = {}\n", key, value);
  return {.path = "/etc/sysctl.d/" + resource.file, .content = text};
}

File ModulesFile(const KernelModules& resource) {
  std::string text;
  for (const std::string& module : resource.modules) text += module + "\n";
  return {.path = "/etc/modules-load.d/" + resource.file, .content = text};
}

// /etc/hosts with our block replaced, added, or removed when there are no entries.
std::string EditHosts(std::string text, const HostsEntries& resource) {
  const std::string begin = fmt::format("# begin kubexms {}\n", resource.owner);
  const std::string end = fmt::format("# end kubexms {}\n", resource.owner);
  std::string block;
  for (const auto& [address, names] : resource.entries) {
    block += fmt::format("{} {}\n", address, names);
  }
  if (!block.empty()) block = begin + block + end;
  const size_t from = text.find(begin);
  const size_t to = text.find(end, from == std::string::npos ? 0 : from);
  if (from != std::string::npos && to != std::string::npos) {
    return text.replace(from, to + end.size() - from, block);
  }
  if (!text.empty() && !text.ends_with('\n') && !block.empty()) text += '\n';
  return text + block;
}

std::string ArchiveMark(const PathState& archive) { return archive.sha256 + "\n"; }

struct QueryCollector {
  void operator()(const File& r) { Add(GetPath{r.path, !r.secret}); }
  void operator()(const Directory& r) {
    for (std::string& path : PathsDownTo(r.path)) Add(GetPath{std::move(path)});
  }
  void operator()(const Link& r) { Add(GetPath{r.path}); }
  void operator()(const Absent& r) { Add(GetPath{r.path}); }
  void operator()(const Package& r) { Add(GetPackage{r.name}); }
  void operator()(const Service& r) {
    Add(GetService{r.name});
    for (const std::string& path : r.restart_after) Add(GetPath{path});
  }
  void operator()(const User& r) { Add(GetUser{r.name}); }
  void operator()(const Sysctl& r) {
    (*this)(SysctlFile(r));
    for (const auto& [key, value] : r.values) Add(GetSysctl{key});
  }
  void operator()(const KernelModules& r) {
    (*this)(ModulesFile(r));
    for (const std::string& module : r.modules) Add(GetKernelModule{module});
  }
  void operator()(const HostsEntries&) { Add(GetPath{std::string(kHostsFile), true}); }
  void operator()(const Archive& r) {
    Add(GetPath{r.archive});
    Add(GetPath{r.marker, true});
  }

  void Add(Operation query) {
    if (std::find(queries.begin(), queries.end(), query) == queries.end()) {
      queries.push_back(std::move(query));
    }
  }

  std::vector<Operation> queries;
};

class Planner {
 public:
  Planner(const Facts& facts, const std::string& backup_directory)
      : facts_(facts), backup_directory_(backup_directory) {}

  Result<void> operator()(const File& r);
  Result<void> operator()(const Directory& r);
  Result<void> operator()(const Link& r);
  Result<void> operator()(const Absent& r);
  Result<void> operator()(const Package& r);
  Result<void> operator()(const Service& r);
  Result<void> operator()(const User& r);
  Result<void> operator()(const Sysctl& r);
  Result<void> operator()(const KernelModules& r);
  Result<void> operator()(const HostsEntries& r);
  Result<void> operator()(const Archive& r);

  Change Finish() {
    FlushPackages();
    // Undo in reverse order.
    std::reverse(change_.undo.begin(), change_.undo.end());
    change_.undo.insert(change_.undo.end(), undo_last_.begin(), undo_last_.end());
    return std::move(change_);
  }

 private:
  void AddSummary(std::string line) {
    FlushPackages();
    change_.summary.push_back(std::move(line));
  }
  // All packages are installed by one call, before the next resource of another type.
  void FlushPackages();
  void Do(Operation operation) {
    FlushPackages();
    change_.operations.push_back(std::move(operation));
  }
  void Undo(Operation operation) { change_.undo.push_back(std::move(operation)); }
  // Adds the backup of the path, and its restore to the undo data.
  void Backup(const std::string& path);
  bool Touched(const std::string& path) const { return touched_.contains(path); }
  void Write(const File& file, const std::string* before);

  const Facts& facts_;
  const std::string& backup_directory_;
  Change change_;
  std::vector<Operation> undo_last_;
  std::set<std::string> touched_;  // paths that this change writes
  std::string installs_;
  std::string fresh_;     // packages that were not installed
  std::string replaced_;  // previous versions of the others, "name=version"
};

void Planner::Backup(const std::string& path) {
  touched_.insert(path);
  if (backup_directory_.empty()) return;
  const std::string backup = BackupOf(path, backup_directory_);
  Do(BackupPath{path, backup});
  Undo(RestorePath{path, backup});
}

void Planner::FlushPackages() {
  if (installs_.empty()) return;
  const std::string packages = std::exchange(installs_, {});
  AddSummary(fmt::format("install {}", packages));
  change_.operations.push_back(InstallPackages{packages});
  if (!fresh_.empty()) Undo(RemovePackages{std::exchange(fresh_, {})});
  if (!replaced_.empty()) Undo(InstallPackages{std::exchange(replaced_, {})});
}

void Planner::Write(const File& file, const std::string* before) {
  Backup(file.path);
  Do(WriteFile{file.path, file.mode, file.owner, file.group, file.content});
  change_.files.push_back(file.secret ? DiffSecretFile(file.path)
                                      : DiffFile(file.path, before, file.content));
}

Result<void> Planner::operator()(const File& r) {
  const PathState& state = facts_.Get(GetPath{r.path, !r.secret});
  const bool same = state.kind == "file" && state.sha256 == Sha256Of(r.content);
  if (!same) {
    if (state.kind == "directory") {
      return Error::Internal(fmt::format("{} is a directory and must be a file", r.path));
    }
    AddSummary(fmt::format("{} {}", state.exists() ? "change" : "write", r.path));
    Write(r, state.kind == "file" ? &state.content : nullptr);
    return {};
  }
  if (state.mode == r.mode && state.owner == r.owner && state.group == r.group) return {};
  AddSummary(fmt::format("set {} to {} {}:{}, from {} {}:{}", r.path, r.mode, r.owner, r.group,
                         state.mode, state.owner, state.group));
  Do(SetAttributes{r.path, r.mode, r.owner, r.group});
  Undo(SetAttributes{r.path, state.mode, state.owner, state.group});
  return {};
}

Result<void> Planner::operator()(const Directory& r) {
  for (const std::string& path : PathsDownTo(r.path)) {
    const PathState& state = facts_.Get(GetPath{path});
    const bool last = path == r.path;
    const MakeDirectory make{path, last ? r.mode : "0755", last ? r.owner : "root",
                             last ? r.group : "root"};
    if (!state.exists()) {
      if (!touched_.insert(path).second && !last) continue;  // an earlier resource creates it
      AddSummary(fmt::format("create {}", path));
      Do(make);
      Undo(RemovePath{path});
    } else if (state.kind != "directory" && last) {
      return Error::Internal(fmt::format("{} is a {} and must be a directory", path, state.kind));
    } else if (last && (state.mode != r.mode || state.owner != r.owner || state.group != r.group)) {
      AddSummary(fmt::format("set {} to {} {}:{}, from {} {}:{}", path, r.mode, r.owner, r.group,
                             state.mode, state.owner, state.group));
      Do(SetAttributes{path, r.mode, r.owner, r.group});
      Undo(SetAttributes{path, state.mode, state.owner, state.group});
    }
  }
  return {};
}

Result<void> Planner::operator()(const Link& r) {
  const PathState& state = facts_.Get(GetPath{r.path});
  if (state.kind == "link" && state.target == r.target) return {};
  if (state.kind == "directory") {
    return Error::Internal(fmt::format("{} is a directory and must be a link", r.path));
  }
  AddSummary(fmt::format("link {} to {}", r.path, r.target));
  Backup(r.path);
  Do(MakeLink{r.path, r.target});
  return {};
}

Result<void> Planner::operator()(const Absent& r) {
  if (!facts_.Get(GetPath{r.path}).exists()) return {};
  AddSummary(fmt::format("remove {}", r.path));
  Backup(r.path);
  Do(RemovePath{r.path, true});
  return {};
}

Result<void> Planner::operator()(const Package& r) {
  const std::string& version = facts_.Get(GetPackage{r.name}).version;
  if (!version.empty() && (r.version.empty() || version == r.version)) return {};
  const auto add = [](std::string& list, const std::string& word) {
    list += list.empty() ? word : " " + word;
  };
  add(installs_, r.version.empty() ? r.name : r.name + "=" + r.version);
  if (version.empty())
    add(fresh_, r.name);
  else
    add(replaced_, r.name + "=" + version);
  return {};
}

Result<void> Planner::operator()(const Service& r) {
  const ServiceState& state = facts_.Get(GetService{r.name});
  const bool stale =
      std::any_of(r.restart_after.begin(), r.restart_after.end(), [&](const std::string& path) {
        const PathState& file = facts_.Get(GetPath{path});
        return Touched(path) || (file.exists() && file.modified_ns > state.active_since_ns);
      });
  SetService set{.service = r.name}, undo{.service = r.name};
  if (r.active && !state.active) set.active = "start", undo.active = "stop";
  const bool restart = r.active && state.active && stale;
  if (restart) set.active = "restart";
  if (!r.active && state.active) set.active = "stop", undo.active = "start";
  if (r.enabled && !state.enabled) set.enabled = "enable", undo.enabled = "disable";
  if (!r.enabled && state.enabled) set.enabled = "disable", undo.enabled = "enable";
  if (set.active.empty() && set.enabled.empty()) return {};
  AddSummary(Describe(set));
  if (state.active && !set.active.empty()) change_.restarts.push_back(r.name);
  Do(set);
  if (!undo.active.empty() || !undo.enabled.empty()) Undo(undo);
  // After the undo has restored its files, the service must read them again.
  if (restart) undo_last_.push_back(set);
  return {};
}

Result<void> Planner::operator()(const User& r) {
  const UserState& state = facts_.Get(GetUser{r.name});
  PutUser put{.user = r.name}, undo{.user = r.name};
  const auto differ = [&](const std::string& wanted, const std::string& is, std::string& set,
                          std::string& back) {
    if (wanted.empty() || (state.exists && wanted == is)) return false;
    set = wanted;
    back = is;
    return true;
  };
  bool changes = !state.exists;
  changes |= differ(r.home, state.home, put.home, undo.home);
  changes |= differ(r.shell, state.shell, put.shell, undo.shell);
  const std::set<std::string> is = Words(state.groups), wanted = Words(r.groups);
  if (!std::includes(is.begin(), is.end(), wanted.begin(), wanted.end())) {
    changes = true;
    // Existing memberships are retained.
    put.groups = state.groups;
    for (const std::string& group : wanted) {
      if (!is.contains(group)) put.groups += (put.groups.empty() ? "" : " ") + group;
    }
    undo.groups = state.groups;
  }
  if (!changes) return {};
  AddSummary(fmt::format("{} user {}", state.exists ? "change" : "create", r.name));
  Do(put);
  if (state.exists)
    Undo(undo);
  else
    Undo(RemoveUser{r.name});
  return {};
}

Result<void> Planner::operator()(const Sysctl& r) {
  RETURN_IF_ERROR((*this)(SysctlFile(r)));
  for (const auto& [key, value] : r.values) {
    const SysctlState& state = facts_.Get(GetSysctl{key});
    if (state.exists && state.value == Normal(value)) continue;
    AddSummary(state.exists ? fmt::format("set {} to {}, from {}", key, value, state.value)
                            : fmt::format("set {} to {}", key, value));
    Do(SetSysctl{key, value});
    if (state.exists) Undo(SetSysctl{key, state.value});
  }
  return {};
}

Result<void> Planner::operator()(const KernelModules& r) {
  RETURN_IF_ERROR((*this)(ModulesFile(r)));
  for (const std::string& module : r.modules) {
    if (facts_.Get(GetKernelModule{module}).loaded) continue;
    AddSummary(fmt::format("load kernel module {}", module));
    Do(SetKernelModule{module, true});
    Undo(SetKernelModule{module, false});
  }
  return {};
}

Result<void> Planner::operator()(const HostsEntries& r) {
  const std::string path(kHostsFile);
  const PathState& state = facts_.Get(GetPath{path, true});
  const std::string edited = EditHosts(state.content, r);
  if (edited == state.content) return {};
  AddSummary(fmt::format("change {}", path));
  Write({.path = path, .content = edited}, &state.content);
  return {};
}

Result<void> Planner::operator()(const Archive& r) {
  const PathState& archive = facts_.Get(GetPath{r.archive});
  if (archive.kind != "file") {
    return Error::Internal(fmt::format("the archive {} does not exist", r.archive));
  }
  const PathState& marker = facts_.Get(GetPath{r.marker, true});
  if (marker.kind == "file" && marker.content == ArchiveMark(archive)) return {};
  AddSummary(fmt::format("extract {} into {}", r.archive, r.directory));
  Backup(r.directory);
  Do(ExtractArchive{r.archive, r.directory, r.strip});
  // Written last: without the marker the archive is extracted again.
  Backup(r.marker);
  Do(WriteFile{.path = r.marker, .content = ArchiveMark(archive)});
  return {};
}

}  // namespace

std::string Change::Diff() const {
  std::string text;
  for (const FileDiff& file : files) text += file.diff;
  return text;
}

HostResource::HostResource() = default;
HostResource::HostResource(const HostResource&) = default;
HostResource::HostResource(HostResource&&) noexcept = default;
HostResource& HostResource::operator=(const HostResource&) = default;
HostResource& HostResource::operator=(HostResource&&) noexcept = default;
HostResource::~HostResource() = default;

std::string BackupOf(std::string_view path, const std::string& backup_directory) {
  return fmt::format("{}/{}", backup_directory, Sha256Of(path).substr(0, 32));
}

std::vector<Operation> QueriesFor(std::span<const HostResource> resources) {
  QueryCollector collector;
  for (const HostResource& resource : resources) std::visit(collector, resource);
  return std::move(collector.queries);
}

Result<Change> PlanFor(std::span<const HostResource> resources, const Facts& facts,
                       const std::string& backup_directory) {
  Planner planner(facts, backup_directory);
  for (const HostResource& resource : resources) {
    RETURN_IF_ERROR(std::visit(planner, resource));
  }
  return planner.Finish();
}

}  // namespace kubexms::automation
