#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "kubexms/api/codec.h"
#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/steps/runner.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/output.h"
#include "kubexms/cluster/artifact/artifact_build.h"
#include "kubexms/cluster/config/cluster_config.h"
#include "kubexms/cluster/modules/containerd/images.h"
#include "kubexms/cluster/modules/packages.h"

namespace kubexms {
namespace {

using cluster::Artifact;
using cluster::ArtifactManifest;
using cluster::ArtifactTarget;
using cluster::FormatSize;

std::string DefaultCache() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    return fmt::format("{}/kubexms", cache);
  }
  const char* home = std::getenv("HOME");
  return fmt::format("{}/.cache/kubexms", home ? home : "/root");
}

std::string ThisArchitecture() {
  utsname names{};
  return ::uname(&names) == 0 ? cluster::DebianArchitecture(names.machine) : "amd64";
}

// An empty spec without -f.
Result<cluster::ClusterSpec> SpecFor(const Invocation& call) {
  if (!call.Given("file")) return cluster::ClusterSpec();
  ASSIGN_OR_RETURN(cluster::Cluster configured, cluster::LoadCluster(call.Value("file")));
  return std::move(configured.spec);
}

// The content: the requirements of the configuration, or the packages of all modules.
Result<cluster::ArtifactBuildOptions> OptionsFor(const Invocation& call,
                                                 const cluster::ClusterSpec& spec) {
  cluster::ArtifactBuildOptions options;
  const bool all = !call.Given("file");
  options.directory = std::filesystem::path(call.Value("file")).parent_path().string();
  std::set<std::string> names;
  for (const cluster::PackageRequirement& need : cluster::RequiredPackages(spec)) {
    if (all || !need.hosts.empty()) names.insert(need.packages.begin(), need.packages.end());
  }
  for (const std::string& name : call.List("packages")) names.insert(name);
  options.packages = {names.begin(), names.end()};
  options.binaries = spec.binaries;
  options.images = spec.container_runtime.images;
  if (names.empty() && options.binaries.empty() && options.images.empty()) {
    return Error::BadRequest(
        fmt::format("{} requires no packages, binaries or images; add packages with --packages",
                    call.Value("file")));
  }
  return options;
}

// Without duplicates, in the order of the command line.
std::vector<std::string> ArchitecturesFor(const Invocation& call) {
  std::vector<std::string> architectures;
  for (const std::string& name : call.All("arch")) {
    if (std::ranges::find(architectures, name) == architectures.end()) {
      architectures.push_back(name);
    }
  }
  if (architectures.empty()) architectures.push_back(ThisArchitecture());
  return architectures;
}

// Without the sandbox image no pod can run on hosts that cannot pull it.
void WarnAboutSandbox(const Invocation& call, const cluster::ClusterSpec& spec) {
  if (spec.RuntimeHosts().empty()) return;
  const cluster::ContainerRuntimeSpec& runtime = spec.container_runtime;
  const std::vector<std::string> names = cluster::ImageNames(runtime);
  if (std::ranges::find(names, runtime.sandbox_image) != names.end()) return;
  call.err() << fmt::format(
      "Warning: spec.containerRuntime.images lacks {}. Without it the hosts cannot run pods, "
      "unless "
      "they can pull it from a registry.\n",
      runtime.sandbox_image);
}

int64_t SizeOf(const cluster::ArtifactTarget& target) {
  std::map<std::string, int64_t> sizes;
  for (const cluster::ArtifactFile* file : target.Files()) sizes[file->file] = file->size;
  int64_t size = 0;
  for (const auto& [name, bytes] : sizes) size += bytes;
  return size;
}

// "debian-12 amd64: 12 packages, 1 binaries, 2 images, 70.1 MB".
std::string Summary(const ArtifactManifest& manifest, const ArtifactTarget& target) {
  return fmt::format("{} {}: {} packages, {} binaries, {} images, {}", manifest.os,
                     target.architecture, target.packages.size(), target.binaries.size(),
                     target.images.size(), FormatSize(SizeOf(target)));
}

Result<ExitCode> Build(const Invocation& call) {
  ASSIGN_OR_RETURN(const cluster::ClusterSpec spec, SpecFor(call));
  ASSIGN_OR_RETURN(cluster::ArtifactBuildOptions options, OptionsFor(call, spec));
  const StopSignals signals;
  SystemClock clock;
  SystemRandom random;
  const auto local = automation::MakeLocalConnector({}, &random);
  automation::Runner runner(local.get(), &clock, {.stop = signals.token()});
  options.os = call.Value("os");
  options.architectures = ArchitecturesFor(call);
  options.mirror = call.Value("mirror");
  options.cache_directory = call.Given("cache") ? call.Value("cache") : DefaultCache();
  options.output = call.Value("out");
  options.progress = [&call](std::string_view line) { call.err() << line << '\n' << std::flush; };
  ASSIGN_OR_RETURN(const ArtifactManifest manifest, cluster::BuildArtifact(runner, options));
  call.err() << fmt::format("Wrote {}.\n", options.output);
  for (const ArtifactTarget& target : manifest.targets) {
    call.err() << fmt::format("  {}\n", Summary(manifest, target));
  }
  WarnAboutSandbox(call, spec);
  call.err() << fmt::format("Next: kubexms create cluster -f FILE --artifact {}\n", options.output);
  return ExitCode::kDone;
}

// Without the index for apt.
Json WithoutControl(const ArtifactManifest& manifest) {
  ArtifactManifest shown = manifest;
  for (ArtifactTarget& target : shown.targets) {
    for (cluster::ArtifactPackage& package : target.packages) package.control.clear();
  }
  return ToJson(shown);
}

// One line per item: kind, name, size, version or checksum.
void Print(const ArtifactTarget& target, std::ostream& out) {
  struct Row {
    std::string kind, name, size, version;
  };
  std::vector<Row> rows = {{"KIND", "NAME", "SIZE", "VERSION"}};
  for (const auto& package : target.packages) {
    rows.push_back({"package", package.name, FormatSize(package.size), package.version});
  }
  for (const auto& binary : target.binaries) {
    rows.push_back({"binary", binary.name, FormatSize(binary.size), "sha256:" + binary.sha256});
  }
  for (const auto& image : target.images) {
    rows.push_back({"image", image.name, FormatSize(image.Size()), image.id});
  }
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  for (const Row& row : rows) {
    out << fmt::format("{:<7}   {:<{}}   {:>9}   {}\n", row.kind, row.name, width, row.size,
                       row.version);
  }
}

Result<ExitCode> ListArtifact(const Invocation& call) {
  ASSIGN_OR_RETURN(const cluster::ArtifactPtr artifact, Artifact::Open(call.Value("FILE")));
  const ArtifactManifest& manifest = artifact->manifest();
  for (const ArtifactTarget& target : manifest.targets) {
    for (const cluster::ArtifactFile* file : target.Files()) {
      RETURN_IF_ERROR(artifact->Verify(*file));
    }
  }
  if (call.Given("output")) {
    call.out() << FormatObject(WithoutControl(manifest), call.Value("output"));
    return ExitCode::kDone;
  }
  for (const ArtifactTarget& target : manifest.targets) {
    call.out() << fmt::format("{}, verified\n\n", Summary(manifest, target));
    Print(target, call.out());
    call.out() << "\n";
  }
  return ExitCode::kDone;
}

Command BuildCommand() {
  return {
      .name = "build",
      .summary = "Build an artifact with packages, binaries and images",
      .description =
          "Build one file with the packages of all modules and their dependencies, for one\n"
          "operating system and some architectures, and with the binaries and images of the\n"
          "configuration. kubexms create cluster --artifact FILE installs hosts without internet\n"
          "from this file.\n"
          "\n"
          "With -f, only the requirements of that configuration. Runs on Debian or Ubuntu without\n"
          "root, and does not change the packages of this machine. Downloads are cached.\n"
          "\n"
          "  kubexms artifact build -f cluster.yaml -o cluster.artifact\n"
          "  kubexms artifact build --os debian-12 --arch amd64 --arch arm64 --packages nfs-common "
          "-o both.artifact",
      .flags =
          {{.name = "file",
            .letter = 'f',
            .value = "FILE",
            .doc = "configuration of the cluster; defaults to the packages of all modules"},
           {.name = "out",
            .letter = 'o',
            .value = "FILE",
            .doc = "artifact to write",
            .required = true},
           {.name = "os",
            .value = "SYSTEM",
            .doc = "operating system of the hosts",
            .fallback = cluster::ArtifactBuildOptions().os,
            .choices = cluster::ArtifactSystems()},
           {.name = "arch",
            .value = "ARCHITECTURE",
            .doc = "architecture of the hosts, such as amd64 or arm64; may be repeated; defaults "
                   "to that of this machine"},
           {.name = "packages",
            .value = "NAMES",
            .doc = "comma-separated names of additional packages"},
           {.name = "mirror",
            .value = "URL",
            .doc = "mirror of Debian, with security updates at URL-security; defaults to those of "
                   "this machine"},
           {.name = "cache",
            .value = "DIR",
            .doc = "directory for downloads; defaults to ~/.cache/kubexms"}},
      .run = Build,
  };
}

}  // namespace

Command ArtifactCommand() {
  return {.name = "artifact",
          .summary = "Build and list artifacts for hosts without internet",
          .description =
              "Build and list artifacts: files with the packages, binaries and images of a\n"
              "cluster, for hosts without internet.",
          .commands = {BuildCommand(),
                       {.name = "list",
                        .summary = "Verify an artifact and list its content",
                        .flags = {OutputFlag()},
                        .arguments = {{.name = "FILE", .doc = "artifact to list"}},
                        .run = ListArtifact}}};
}

}  // namespace kubexms
