#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kubexms/automation/local_connector.h"
#include "kubexms/automation/runner.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/stop.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/output.h"
#include "kubexms/cluster/artifact_build.h"
#include "kubexms/cluster/cluster_config.h"
#include "kubexms/cluster/packages.h"

namespace kubexms {
namespace {

using cluster::Artifact;
using cluster::ArtifactManifest;
using cluster::ArtifactPackage;
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

// What the modules install: those that the configuration uses, or all of them.
Result<std::set<std::string>> PackagesFor(const Invocation& call) {
  cluster::ClusterSpec spec;
  const bool all = !call.Given("file");
  if (!all) {
    ASSIGN_OR_RETURN(const cluster::Cluster configured, cluster::LoadCluster(call.Value("file")));
    spec = configured.spec;
  }
  std::set<std::string> names;
  for (const cluster::PackageNeed& need : cluster::PackagesNeeded(spec)) {
    if (all || !need.hosts.empty()) names.insert(need.packages.begin(), need.packages.end());
  }
  std::istringstream more(call.Value("packages"));
  for (std::string name; std::getline(more, name, ',');) names.insert(name);
  if (names.empty()) {
    return Error::BadRequest(
        fmt::format("{} needs no packages; --packages adds some", call.Value("file")));
  }
  return names;
}

int64_t SizeOf(const ArtifactManifest& manifest) {
  int64_t size = 0;
  for (const ArtifactPackage& package : manifest.packages) size += package.size;
  return size;
}

Result<ExitCode> Build(const Invocation& call) {
  ASSIGN_OR_RETURN(const std::set<std::string> names, PackagesFor(call));
  const StopSignals signals;
  SystemClock clock;
  SystemRandom random;
  const auto local = automation::MakeLocalConnector({}, &random);
  automation::Runner runner(local.get(), &clock, {.stop = signals.token()});
  cluster::ArtifactBuildOptions options{
      .os = call.Value("os"),
      .architecture = call.Given("arch") ? call.Value("arch") : ThisArchitecture(),
      .packages = {names.begin(), names.end()},
      .mirror = call.Value("mirror"),
      .cache_directory = call.Given("cache") ? call.Value("cache") : DefaultCache(),
      .output = call.Value("out"),
      .progress = [&call](std::string_view line) { call.err() << line << std::endl; }};
  ASSIGN_OR_RETURN(const ArtifactManifest manifest, cluster::BuildArtifact(runner, options));
  call.err() << fmt::format(
      "Wrote {}: {} packages for {} {}, {}.\n"
      "Next: kubexms create cluster -f FILE --artifact {}\n",
      options.output, manifest.packages.size(), manifest.os, manifest.architecture,
      FormatSize(SizeOf(manifest)), options.output);
  return ExitCode::kDone;
}

Json ToJson(const ArtifactManifest& manifest) {
  JsonArray packages;
  for (const ArtifactPackage& package : manifest.packages) {
    packages.push_back(JsonObject{
        {"name", package.name},
        {"version", package.version},
        {"architecture", package.architecture},
        {"file", package.file},
        {"size", package.size},
        {"sha256", package.sha256},
        {"dependencies", JsonArray(package.dependencies.begin(), package.dependencies.end())}});
  }
  return JsonObject{{"format", manifest.format},
                    {"os", manifest.os},
                    {"architecture", manifest.architecture},
                    {"requested", JsonArray(manifest.requested.begin(), manifest.requested.end())},
                    {"packages", std::move(packages)}};
}

Result<ExitCode> ListArtifact(const Invocation& call) {
  ASSIGN_OR_RETURN(const cluster::ArtifactPtr artifact, Artifact::Open(call.Value("FILE")));
  const ArtifactManifest& manifest = artifact->manifest();
  for (const ArtifactPackage& package : manifest.packages) {
    RETURN_IF_ERROR(artifact->Verify(package));
  }
  if (call.Given("output")) {
    call.out() << FormatObject(ToJson(manifest), call.Value("output"));
    return ExitCode::kDone;
  }
  size_t width = 0;
  for (const ArtifactPackage& package : manifest.packages) {
    width = std::max(width, package.name.size());
  }
  call.out() << fmt::format("For {}: {} packages, {}, all of them undamaged.\n\n",
                            artifact->System(), manifest.packages.size(),
                            FormatSize(SizeOf(manifest)));
  call.out() << fmt::format("{:<{}}   {:>9}   {}\n", "PACKAGE", width, "SIZE", "VERSION");
  for (const ArtifactPackage& package : manifest.packages) {
    call.out() << fmt::format("{:<{}}   {:>9}   {}\n", package.name, width,
                              FormatSize(package.size), package.version);
  }
  return ExitCode::kDone;
}

Command BuildCommand() {
  return {
      .name = "build",
      .summary = "Collect what hosts of one kind need into one file",
      .description =
          "Fetches the packages that the modules install, and all that those need, for one\n"
          "system and architecture, and writes them into one file. Clusters are made with it\n"
          "(create cluster --artifact FILE) on hosts that have no internet.\n"
          "\n"
          "With -f it has what that cluster needs, otherwise what any could need. It runs on a\n"
          "Debian or Ubuntu, does not need root, and leaves the machine's own packages alone.\n"
          "What it has fetched is kept for the next time.\n"
          "\n"
          "  kubexms artifact build -f cluster.yaml -o cluster.artifact\n"
          "  kubexms artifact build --os debian-12 --arch arm64 --packages nfs-common -o "
          "arm.artifact",
      .flags = {{.name = "file",
                 .letter = 'f',
                 .value = "FILE",
                 .doc = "a cluster's configuration: only what it needs"},
                {.name = "out",
                 .letter = 'o',
                 .value = "FILE",
                 .doc = "where to write the artifact",
                 .required = true},
                {.name = "os",
                 .value = "SYSTEM",
                 .doc = "of the hosts",
                 .fallback = cluster::ArtifactBuildOptions().os,
                 .choices = cluster::ArtifactSystems()},
                {.name = "arch",
                 .value = "ARCHITECTURE",
                 .doc = "of the hosts, such as amd64 or arm64; that of this machine if not given"},
                {.name = "packages", .value = "NAMES", .doc = "further ones, with commas between"},
                {.name = "mirror",
                 .value = "URL",
                 .doc = "of Debian, with security updates at URL-security; those of this machine "
                        "if not given"},
                {.name = "cache",
                 .value = "DIR",
                 .doc = "for what is fetched; ~/.cache/kubexms if not given"}},
      .run = Build,
  };
}

}  // namespace

Command ArtifactCommand() {
  return {.name = "artifact",
          .summary = "Make files with what hosts without internet need",
          .description =
              "One file with the packages that the hosts of a cluster get, for hosts that "
              "have no internet.",
          .commands = {BuildCommand(),
                       {.name = "list",
                        .summary = "Check an artifact and show what is in it",
                        .flags = {OutputFlag()},
                        .arguments = {{.name = "FILE", .doc = "the artifact"}},
                        .run = ListArtifact}}};
}

}  // namespace kubexms
