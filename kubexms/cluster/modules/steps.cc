#include "kubexms/cluster/modules/steps.h"

#include <fmt/format.h>

#include <sstream>

#include "kubexms/automation/hosts/checksum.h"

namespace kubexms::cluster {
namespace {

using automation::BackupPath;
using automation::Change;
using automation::Directory;
using automation::Facts;
using automation::File;
using automation::GetPath;
using automation::HostResource;
using automation::NamedStep;
using automation::Operation;
using automation::PathState;
using automation::Probe;
using automation::RemovePath;
using automation::RestorePath;
using automation::Runner;
using automation::RunScript;
using automation::SetService;
using automation::StepContext;
using automation::StepPtr;

class FunctionStep final : public NamedStep {
 public:
  using Plans = std::function<Result<Change>(const StepContext&, const Facts&)>;

  FunctionStep(std::string name, std::vector<Operation> queries, Plans plan)
      : NamedStep(std::move(name)), queries_(std::move(queries)), plan_(std::move(plan)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext&) const override { return queries_; }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    return plan_(context, facts);
  }

 private:
  const std::vector<Operation> queries_;
  const Plans plan_;
};

class FinalStep final : public NamedStep {
 public:
  explicit FinalStep(StepPtr step) : NamedStep(step->name()), step_(std::move(step)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    return step_->ListQueries(context);
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    ASSIGN_OR_RETURN(Change change, step_->Plan(context, facts));
    change.undo.clear();
    return change;
  }
  Result<void> RunAction(const StepContext& context, Runner& runner,
                         const Change& change) const override {
    return step_->RunAction(context, runner, change);
  }
  bool HasAction() const override { return step_->HasAction(); }

 private:
  const StepPtr step_;
};

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

class HostnameStep final : public NamedStep {
 public:
  using Name = std::function<std::string(const StepContext&)>;

  HostnameStep(std::string step_name, Name name)
      : NamedStep(std::move(step_name)), hostname_(std::move(name)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    std::vector<Operation> queries = automation::QueriesFor(FileFor(context));
    queries.emplace_back(Probe{std::string(kAskName)});
    return queries;
  }

  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    ASSIGN_OR_RETURN(Change change,
                     automation::PlanFor(FileFor(context), facts, context.backup_directory));
    const std::string wanted = hostname_(context);
    const std::string is = Trimmed(facts.Get(Probe{std::string(kAskName)}).output);
    if (is == wanted) return change;
    change.summary.push_back(fmt::format("set the hostname to {}, from {}", wanted, is));
    change.operations.emplace_back(SetTo(wanted));
    change.undo.emplace_back(SetTo(is));
    return change;
  }

 private:
  static constexpr std::string_view kAskName = "uname -n";

  static RunScript SetTo(const std::string& name) {
    return {"hostname -- " + automation::ShellQuote(name)};
  }
  std::vector<HostResource> FileFor(const StepContext& context) const {
    return {File{.path = "/etc/hostname", .content = hostname_(context) + "\n"}};
  }

  const Name hostname_;
};

class SwapOffStep final : public NamedStep {
 public:
  using NamedStep::NamedStep;

  Result<std::vector<Operation>> ListQueries(const StepContext&) const override {
    return std::vector<Operation>{fstab_, active_};
  }

  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    Change change;
    const PathState& fstab = facts.Get(fstab_);
    if (fstab.kind == "file" && WithoutSwap(fstab.content) != fstab.content) {
      const std::vector<HostResource> file = {File{.path = fstab_.path,
                                                   .content = WithoutSwap(fstab.content),
                                                   .mode = fstab.mode,
                                                   .owner = fstab.owner,
                                                   .group = fstab.group}};
      ASSIGN_OR_RETURN(change, automation::PlanFor(file, facts, context.backup_directory));
    }
    std::istringstream devices(facts.Get(active_).output);
    for (std::string device; std::getline(devices, device);) {
      const std::string quoted = automation::ShellQuote(device);
      change.summary.push_back(fmt::format("disable swap on {}", device));
      change.operations.emplace_back(RunScript{"swapoff -- " + quoted});
      change.undo.emplace_back(RunScript{
          fmt::format("grep -q -- ^{0}[[:space:]] /proc/swaps || swapon -- {0}", quoted)});
    }
    return change;
  }

 private:
  const GetPath fstab_{.path = "/etc/fstab", .content = true};
  const Probe active_{"awk 'NR > 1 { print $1 }' /proc/swaps"};
};

class DataDirectoryStep final : public NamedStep {
 public:
  DataDirectoryStep(std::string name, Directory directory, bool adjust)
      : NamedStep(std::move(name)), directory_({std::move(directory)}), adjust_(adjust) {}

  Result<std::vector<Operation>> ListQueries(const StepContext&) const override {
    return automation::QueriesFor(directory_);
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    const std::string& path = std::get<Directory>(directory_[0]).path;
    const PathState& state = facts.Get(GetPath{path});
    if (!adjust_ && state.kind == "directory") return Change();
    ASSIGN_OR_RETURN(Change change,
                     automation::PlanFor(directory_, facts, context.backup_directory));
    if (!state.exists()) change.undo.insert(change.undo.begin(), RemovePath{path, true});
    return change;
  }

 private:
  const std::vector<HostResource> directory_;
  const bool adjust_;  // set mode and owner of an existing directory
};

class WithUndoStep final : public NamedStep {
 public:
  WithUndoStep(StepPtr step, UndoScripts scripts)
      : NamedStep(step->name()), step_(std::move(step)), scripts_(std::move(scripts)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    return step_->ListQueries(context);
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    ASSIGN_OR_RETURN(Change change, step_->Plan(context, facts));
    if (change.undo.empty()) return change;
    if (!scripts_.before.empty()) {
      change.undo.insert(change.undo.begin(), RunScript{scripts_.before});
    }
    if (!scripts_.restart.empty()) {
      change.undo.emplace_back(SetService{.service = scripts_.restart, .active = "try-restart"});
    }
    if (!scripts_.after.empty()) change.undo.emplace_back(RunScript{scripts_.after});
    return change;
  }
  bool HasAction() const override { return step_->HasAction(); }
  Result<void> RunAction(const StepContext& context, Runner& runner,
                         const Change& change) const override {
    return step_->RunAction(context, runner, change);
  }

 private:
  const StepPtr step_;
  const UndoScripts scripts_;
};

class UploadStep final : public NamedStep {
 public:
  struct Checked {
    UploadedFile file;
    Result<std::string> sha256;
  };

  UploadStep(std::string name, std::vector<Checked> files)
      : NamedStep(std::move(name)), files_(std::move(files)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext&) const override {
    std::vector<Operation> queries;
    for (const Checked& checked : files_) queries.emplace_back(GetPath{checked.file.path});
    return queries;
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    Change change;
    for (const Checked& checked : files_) {
      if (!checked.sha256.ok()) return checked.sha256.error();
      const PathState& state = facts.Get(GetPath{checked.file.path});
      if (state.sha256 == *checked.sha256 && state.mode == checked.file.mode) continue;
      const std::string backup = automation::BackupOf(checked.file.path, context.backup_directory);
      change.summary.push_back(
          fmt::format("upload {} to {}", checked.file.source, checked.file.path));
      change.operations.emplace_back(BackupPath{checked.file.path, backup});
      change.undo.emplace_back(RestorePath{checked.file.path, backup});
    }
    return change;
  }
  bool HasAction() const override { return true; }
  Result<void> RunAction(const StepContext&, Runner& runner, const Change&) const override {
    for (const Checked& checked : files_) {
      RETURN_IF_ERROR(runner.Upload({.source = checked.file.source,
                                     .path = checked.file.path,
                                     .mode = checked.file.mode,
                                     .owner = "root",
                                     .group = "root"}));
    }
    return {};
  }

 private:
  const std::vector<Checked> files_;
};

}  // namespace

std::string WithoutSwap(std::string_view fstab) {
  std::string result;
  while (!fstab.empty()) {
    const size_t end = std::min(fstab.find('\n'), fstab.size() - 1) + 1;
    const std::string line(fstab.substr(0, end));
    fstab.remove_prefix(end);
    std::istringstream words(line);
    std::string device, where, kind;
    words >> device >> where >> kind;
    if (kind == "swap" && !device.starts_with('#')) result += "# ";
    result += line;
  }
  return result;
}

StepPtr MakeStep(std::string step_name, std::vector<Operation> queries,
                 std::function<Result<Change>(const StepContext&, const Facts&)> plan) {
  return std::make_shared<FunctionStep>(std::move(step_name), std::move(queries), std::move(plan));
}

StepPtr WithoutUndo(StepPtr step) { return std::make_shared<FinalStep>(std::move(step)); }

StepPtr SetHostname(std::string step_name, std::function<std::string(const StepContext&)> name) {
  return std::make_shared<HostnameStep>(std::move(step_name), std::move(name));
}

StepPtr SwapOff(std::string step_name) {
  return std::make_shared<SwapOffStep>(std::move(step_name));
}

StepPtr EnsureDataDirectory(std::string step_name, Directory directory) {
  return std::make_shared<DataDirectoryStep>(std::move(step_name), std::move(directory), true);
}

StepPtr EnsureDataDirectory(std::string step_name, std::string path) {
  return std::make_shared<DataDirectoryStep>(
      std::move(step_name), Directory{.path = std::move(path), .mode = "0700"}, false);
}

StepPtr WithUndo(StepPtr step, UndoScripts scripts) {
  return std::make_shared<WithUndoStep>(std::move(step), std::move(scripts));
}

StepPtr RestartAfterUndo(StepPtr step, std::string_view service) {
  return WithUndo(std::move(step), {.restart = std::string(service)});
}

StepPtr EnsureUploaded(std::string step_name, std::vector<UploadedFile> files) {
  std::vector<UploadStep::Checked> checked;
  for (UploadedFile& file : files) {
    Result<std::string> sum = automation::Sha256OfFile(file.source);
    checked.push_back({std::move(file), std::move(sum)});
  }
  return std::make_shared<UploadStep>(std::move(step_name), std::move(checked));
}

std::vector<Operation> RemovalOfOwnFiles(const automation::Runtime& runtime) {
  const std::string& own = runtime.host_directory();
  return {RemovePath{own, true}, RemovePath{own.substr(0, own.rfind('/'))}};
}

}  // namespace kubexms::cluster
