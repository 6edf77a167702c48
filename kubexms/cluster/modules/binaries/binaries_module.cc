#include <fmt/format.h>

#include "kubexms/cluster/artifact/artifact.h"
#include "kubexms/cluster/modules/modules.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

std::string DirectoryOf(const std::string& path) {
  return path.substr(0, std::max<size_t>(path.rfind('/'), 1));
}

Result<const ArtifactBinary*> FindIn(const Artifact& artifact, const BinarySpec& binary,
                                     const SystemFacts& system_facts) {
  ASSIGN_OR_RETURN(const ArtifactTarget* target, artifact.TargetFor(system_facts));
  if (const ArtifactBinary* found = target->FindBinary(binary.name)) return found;
  return Error::BadRequest(fmt::format(
      "the artifact {} lacks the binary {} for {}; build it again: kubexms artifact build",
      artifact.path(), binary.name, target->architecture));
}

class BinaryStep final : public NamedStep {
 public:
  BinaryStep(BinarySpec binary, ArtifactPtr artifact)
      : NamedStep(binary.name),
        binary_(std::move(binary)),
        artifact_(std::move(artifact)),
        directory_({Directory{.path = DirectoryOf(binary_.path)}}) {}

  Result<std::vector<Operation>> ListQueries(const StepContext&) const override {
    std::vector<Operation> queries = QueriesFor(directory_);
    queries.insert(queries.end(), {GetSystemFacts{}, GetPath{binary_.path}});
    return queries;
  }

  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    ASSIGN_OR_RETURN(const ArtifactBinary* file,
                     FindIn(*artifact_, binary_, facts.Get(GetSystemFacts{})));
    const PathState& state = facts.Get(GetPath{binary_.path});
    Change change;
    if (state.sha256 == file->sha256 && state.mode == binary_.mode) return change;
    if (state.kind == "directory") {
      return Error::BadRequest(
          fmt::format("{} is a directory and must be the binary {}", binary_.path, binary_.name));
    }
    // Mode and owner of an existing directory are not changed.
    if (!facts.Get(GetPath{DirectoryOf(binary_.path)}).exists()) {
      ASSIGN_OR_RETURN(change, PlanFor(directory_, facts, context.backup_directory));
    }
    const std::string backup = BackupOf(binary_.path, context.backup_directory);
    change.summary.push_back(fmt::format("install {} from {} ({})", binary_.path, artifact_->path(),
                                         FormatSize(file->size)));
    change.operations.emplace_back(BackupPath{binary_.path, backup});
    change.undo.insert(change.undo.begin(), RestorePath{binary_.path, backup});
    return change;
  }

  bool HasAction() const override { return true; }
  Result<void> RunAction(const StepContext&, Runner& runner, const Change&) const override {
    ASSIGN_OR_RETURN(const SystemFacts system_facts, runner.Get(GetSystemFacts{}));
    ASSIGN_OR_RETURN(const ArtifactBinary* file, FindIn(*artifact_, binary_, system_facts));
    RETURN_IF_ERROR(runner.Upload({.source = artifact_->PartOf(*file),
                                   .sha256 = file->sha256,
                                   .path = binary_.path,
                                   .mode = binary_.mode,
                                   .owner = "root",
                                   .group = "root"}));
    return {};
  }

 private:
  const BinarySpec binary_;
  const ArtifactPtr artifact_;
  const std::vector<HostResource> directory_;
};

}  // namespace

ModulePtr BinariesModule(const ClusterSpec& spec, const ArtifactPtr& artifact,
                         const HostSelection& selection) {
  std::vector<Task> tasks;
  for (const BinarySpec& binary : spec.binaries) {
    if (!artifact) break;  // preflight refuses that
    tasks.push_back({.name = binary.name,
                     .steps = {std::make_shared<BinaryStep>(binary, artifact)},
                     .hosts = selection.Of(spec.HostsOf(binary)),
                     .after = std::vector<std::string>{}});
  }
  return MakeModule(ModuleName(ModuleId::kBinaries), std::move(tasks));
}

StepPtr RequireBinary(const BinarySpec& binary, const ArtifactPtr& artifact) {
  const GetPath query{binary.path};
  return Require(
      binary.name, {GetSystemFacts{}, query},
      [binary, artifact, query](const StepContext&, const Facts& facts) -> Result<void> {
        if (!artifact) {
          return Error::BadRequest(fmt::format(
              "the binary {} requires an artifact; build one with kubexms artifact build, and set "
              "--artifact or spec.artifact",
              binary.name));
        }
        ASSIGN_OR_RETURN(const ArtifactBinary* file,
                         FindIn(*artifact, binary, facts.Get(GetSystemFacts{})));
        if (facts.Get(query).sha256 == file->sha256) return {};
        return artifact->Verify(*file);
      });
}

}  // namespace kubexms::cluster
