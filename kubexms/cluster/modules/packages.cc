#include "kubexms/cluster/modules/packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "kubexms/cluster/artifact/artifact.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

std::string Joined(const std::vector<std::string>& words, std::string_view separator = " ") {
  return fmt::format("{}", fmt::join(words, separator));
}

// The query for the packages and their dependencies, for all architectures.
GetPackages QueryFor(const std::vector<std::string>& names, const Artifact& artifact) {
  std::set<std::string> all(names.begin(), names.end());
  for (const ArtifactTarget& target : artifact.manifest().targets) {
    for (const ArtifactPackage* package : target.WithDependencies(names)) all.insert(package->name);
  }
  return {fmt::format("{}", fmt::join(all, " "))};
}

// The versions in the host's own package lists, without a download: "a=1".
Probe CandidatesFor(const std::vector<std::string>& names) {
  return {
      fmt::format("for each in {}; do\n"
                  "  if command -v apt-cache >/dev/null; then\n"
                  "    found=$(LC_ALL=C apt-cache policy -- $each | "
                  "awk '$1 == \"Candidate:\" && $2 != \"(none)\" {{ print $2 }}')\n"
                  "  else\n"
                  "    found=$(dnf -q -C repoquery --latest-limit 1 --qf "
                  "'%{{VERSION}}-%{{RELEASE}}' -- $each 2>/dev/null | head -n 1)\n"
                  "  fi\n"
                  "  [ -z \"$found\" ] || echo \"$each=$found\"\n"
                  "done",
                  Joined(names))};
}

// "a=1 b=2" → {{"a", "1"}, {"b", "2"}}.
std::map<std::string, std::string> ParseVersions(const std::string& text) {
  std::map<std::string, std::string> versions;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t equals = std::min(word.find('='), word.size() - 1);
    versions[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return versions;
}

// The installation of missing packages from an artifact.
struct Installation {
  std::vector<std::string> packages;      // requested packages that the host lacks
  std::vector<std::string> dependencies;  // what comes with them
  // The files that apt may need, including newer versions of installed packages.
  std::vector<const ArtifactPackage*> files;

  int64_t Size() const {
    int64_t size = 0;
    for (const ArtifactPackage* package : files) size += package->size;
    return size;
  }
};

// `facts` has the results of `query` and GetSystemFacts.
Result<Installation> PlanInstallation(const std::vector<std::string>& names,
                                      const GetPackages& query, const Facts& facts,
                                      const Artifact& artifact) {
  ASSIGN_OR_RETURN(const ArtifactTarget* target, artifact.TargetFor(facts.Get(GetSystemFacts{})));
  const std::map<std::string, std::string> versions = ParseVersions(facts.Get(query).versions);
  Installation plan;
  std::vector<std::string> absent;
  for (const std::string& name : names) {
    if (versions.contains(name)) continue;
    plan.packages.push_back(name);
    if (target->FindPackage(name) == nullptr) absent.push_back(name);
  }
  if (!absent.empty()) {
    return Error::BadRequest(
        fmt::format("the artifact {} lacks {}; build it again: kubexms artifact build",
                    artifact.path(), Joined(absent, ", ")));
  }
  for (const ArtifactPackage* package : target->WithDependencies(plan.packages)) {
    const auto installed = versions.find(package->name);
    if (installed != versions.end() && installed->second == package->version) continue;
    plan.files.push_back(package);
    const bool wanted = std::ranges::find(plan.packages, package->name) != plan.packages.end();
    if (installed == versions.end() && !wanted) plan.dependencies.push_back(package->name);
  }
  return plan;
}

class ArtifactPackagesStep final : public NamedStep {
 public:
  ArtifactPackagesStep(std::string name, std::vector<std::string> packages, ArtifactPtr artifact)
      : NamedStep(std::move(name)),
        names_(std::move(packages)),
        artifact_(std::move(artifact)),
        query_(QueryFor(names_, *artifact_)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    return std::vector<Operation>{GetSystemFacts{}, query_, GetPath{DirectoryFor(context)}};
  }

  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    ASSIGN_OR_RETURN(const Installation plan, PlanInstallation(names_, query_, facts, *artifact_));
    Change change;
    const std::string directory = DirectoryFor(context);
    if (plan.packages.empty()) {
      if (!facts.Get(GetPath{directory}).exists()) return change;
      change.summary = {"remove package files of an interrupted run"};
      change.operations = {RemovePath{directory, true}};
      return change;
    }
    change.summary = {Summary(plan)};
    change.operations = {
        MakeDirectory{.path = directory, .mode = "0700"},
        WriteFile{.path = directory + "/Packages", .content = PackageIndex(plan.files)}};
    change.undo = {RemovePackages{Joined(plan.packages), Joined(plan.dependencies), directory},
                   RemovePath{directory, true}};
    return change;
  }

  bool HasAction() const override { return true; }
  // Files that were sent before a crash are not sent again.
  Result<void> RunAction(const StepContext& context, Runner& runner, const Change&) const override {
    ASSIGN_OR_RETURN(const Facts facts,
                     runner.Gather(std::vector<Operation>{GetSystemFacts{}, query_}));
    ASSIGN_OR_RETURN(const Installation plan, PlanInstallation(names_, query_, facts, *artifact_));
    if (plan.packages.empty()) return {};
    const std::string directory = DirectoryFor(context);
    for (const ArtifactPackage* package : plan.files) {
      RETURN_IF_ERROR(
          runner.Upload({.source = artifact_->PartOf(*package),
                         .sha256 = package->sha256,
                         .path = fmt::format("{}/{}", directory, PackageFileName(*package))}));
    }
    RETURN_IF_ERROR(
        runner.Perform(std::vector<Operation>{InstallPackageFiles{Joined(plan.packages), directory},
                                              RemovePath{directory, true}},
                       kInstallTimeout));
    return {};
  }

 private:
  static std::string DirectoryFor(const StepContext& context) {
    return context.runtime.host_directory() + "/packages";
  }
  std::string Summary(const Installation& plan) const {
    std::string text = fmt::format("install {}", Joined(plan.packages));
    if (!plan.dependencies.empty()) text += fmt::format(" with {}", Joined(plan.dependencies));
    return fmt::format("{} from {} ({})", text, artifact_->path(), FormatSize(plan.Size()));
  }

  const std::vector<std::string> names_;
  const ArtifactPtr artifact_;
  const GetPackages query_;
};

}  // namespace

std::vector<std::string> EtcdPackages(const EtcdSpec& etcd) {
  if (!etcd.binaries_dir.empty()) return {};
  return {"etcd-server", "etcd-client"};
}

std::vector<std::string> ContainerdPackages() { return {"containerd", "runc"}; }

std::vector<std::string> LoadBalancerPackages() { return {"haproxy", "keepalived"}; }

std::vector<PackageRequirement> RequiredPackages(const ClusterSpec& spec) {
  return {{.module = ModuleId::kEtcd,
           .hosts = spec.role_groups.etcd,
           .packages = EtcdPackages(spec.etcd)},
          {.module = ModuleId::kContainerd,
           .hosts = spec.RuntimeHosts(),
           .packages = ContainerdPackages()},
          {.module = ModuleId::kHa,
           .hosts = spec.role_groups.load_balancer,
           .packages = LoadBalancerPackages()}};
}

StepPtr EnsurePackages(std::string step_name, std::vector<std::string> names,
                       const ArtifactPtr& artifact) {
  if (artifact) {
    return std::make_shared<ArtifactPackagesStep>(std::move(step_name), std::move(names), artifact);
  }
  std::vector<HostResource> packages;
  for (std::string& name : names) packages.emplace_back(Package{std::move(name)});
  return Ensure(std::move(step_name), std::move(packages));
}

StepPtr RequireInArtifact(std::string step_name, std::vector<std::string> names,
                          const ArtifactPtr& artifact) {
  const GetPackages query = QueryFor(names, *artifact);
  return Require(std::move(step_name), {GetSystemFacts{}, query},
                 [names = std::move(names), artifact, query](const StepContext&,
                                                             const Facts& facts) -> Result<void> {
                   ASSIGN_OR_RETURN(const Installation plan,
                                    PlanInstallation(names, query, facts, *artifact));
                   for (const ArtifactPackage* package : plan.files) {
                     RETURN_IF_ERROR(artifact->Verify(*package));
                   }
                   return {};
                 });
}

std::vector<Operation> AvailablePackageQueries(const std::vector<std::string>& names) {
  return {GetPackages{Joined(names)}, CandidatesFor(names)};
}

AvailablePackage FindAvailablePackage(const std::string& name,
                                      const std::vector<std::string>& names, const Facts& facts,
                                      const ArtifactPtr& artifact) {
  const auto installed = ParseVersions(facts.Get(GetPackages{Joined(names)}).versions);
  if (const auto found = installed.find(name); found != installed.end()) return {found->second, ""};
  if (artifact) {
    // RequireInArtifact reports an artifact for another system.
    const Result<const ArtifactTarget*> target = artifact->TargetFor(facts.Get(GetSystemFacts{}));
    const ArtifactPackage* package = target.ok() ? (*target)->FindPackage(name) : nullptr;
    return {package == nullptr ? "" : package->version, artifact->path()};
  }
  const ProbeResult& said = facts.Get(CandidatesFor(names));
  const auto candidates = ParseVersions(said.exit_code == 0 ? said.output : "");
  const auto found = candidates.find(name);
  return {found == candidates.end() ? "" : found->second, "its package sources"};
}

}  // namespace kubexms::cluster
