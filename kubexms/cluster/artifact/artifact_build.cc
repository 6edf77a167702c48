#include "kubexms/cluster/artifact/artifact_build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/automation/lab/lab_machine.h"
#include "kubexms/cluster/artifact/artifact_sources.h"
#include "kubexms/cluster/artifact/image_archive.h"

namespace kubexms::cluster {
namespace {

namespace fs = std::filesystem;
using automation::ClusterLock;
using automation::CommandResult;
using automation::FilePart;
using automation::OutputStream;
using automation::Runner;
using automation::ShellQuote;

constexpr std::string_view kKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
constexpr std::chrono::minutes kTimeout(60);
constexpr size_t kMaxOutput = 64 << 20;

struct System {
  std::string name;
  std::string suite;
  // What makes a system, in apt's words. Where something that is required can be had in two ways,
  // that is the one that a fresh system has, because it needs less.
  std::vector<std::string> base;
};

std::vector<System> Systems() {
  const std::vector<std::string> base = {"?essential", "?priority(required)", "apt"};
  std::vector<std::string> merged = base;
  merged.push_back("usr-is-merged");
  return {{"debian-11", "bullseye", base},
          {"debian-12", "bookworm", merged},
          {"debian-13", "trixie", base}};
}

Result<System> FindSystem(const std::string& os) {
  for (System& system : Systems()) {
    if (system.name == os) return std::move(system);
  }
  return Error::BadRequest(fmt::format("artifacts cannot be built for {}; only for {}", os,
                                       fmt::join(ArtifactSystems(), ", ")));
}

std::vector<std::string> Words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

// "Get:1 http://… bookworm/main amd64 runc amd64 1.1.5 [2710 kB]" → "runc 1.1.5 [2710 kB]". Lists
// have fewer words.
std::string FetchedPackage(std::string_view line) {
  const std::vector<std::string> words = Words(line);
  if (words.size() < 9 || !words[0].starts_with("Get:")) return {};
  return fmt::format("{} {} {} {}", words[4], words[6], words[7], words[8]);
}

Result<void> WriteText(const std::string& path, const std::string& text) {
  if (std::ofstream(path, std::ios::binary | std::ios::trunc) << text << std::flush) return {};
  return Error::Internal(fmt::format("{} cannot be written", path));
}

int64_t ToNumber(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "1:2.2-1" → "2.2-1": a colon is not for names of files.
std::string WithoutEpoch(const std::string& version) {
  return version.substr(version.find(':') + 1);
}

Result<ArtifactPackage> PackageOf(const ControlParagraph& paragraph) {
  const auto field = [&](std::string_view name) { return std::string(paragraph.Get(name)); };
  for (const char* name : {"Package", "Version", "Architecture", "SHA256", "Size"}) {
    if (!field(name).empty()) continue;
    return Error::BadRequest(
        fmt::format("the index has no {} of the package \"{}\"", name, field("Package")));
  }
  ArtifactPackage package;
  package.name = field("Package");
  package.version = field("Version");
  package.architecture = field("Architecture");
  package.sha256 = field("SHA256");
  package.size = ToNumber(field("Size"));
  package.file = fmt::format("packages/{}_{}_{}.deb", package.name, WithoutEpoch(package.version),
                             package.architecture);
  package.control =
      paragraph.Select({"Package", "Version", "Architecture", "Multi-Arch", "Essential", "Priority",
                        "Section", "Installed-Size", "Maintainer", "Provides", "Pre-Depends",
                        "Depends", "Conflicts", "Breaks", "SetReplacedRuns"});
  return package;
}

// An apt with its own state, for one system.
class PrivateApt {
 public:
  PrivateApt(Runner* runner, const ArtifactBuildOptions* options, std::string architecture)
      : runner_(runner),
        options_(options),
        architecture_(std::move(architecture)),
        root_(fmt::format("{}/{}-{}", fs::absolute(options->cache_directory).string(), options->os,
                          architecture_)) {}

  // Acquires the lock of the cache.
  Result<void> Prepare(const std::string& suite);
  Result<void> Update();
  // Names and versions of the packages and their dependencies, without those of the status file.
  Result<std::vector<std::string>> Resolve(const std::vector<std::string>& packages);
  Result<std::vector<ControlParagraph>> Describe(const std::vector<std::string>& packages);
  // From now on these are installed.
  Result<void> SetInstalled(std::span<const ControlParagraph> packages);
  Result<void> Download(const std::vector<std::string>& packages);
  // Where Download has put it.
  std::string FileOf(const ArtifactPackage& package) const;

 private:
  Result<std::string> Sources(const std::string& suite) const;
  std::string Configuration() const;
  Result<std::string> Run(const std::string& program, const std::vector<std::string>& arguments,
                          const automation::OutputCallback& on_output = nullptr);

  Runner* const runner_;
  const ArtifactBuildOptions* const options_;
  const std::string architecture_;
  const std::string root_;
  std::unique_ptr<ClusterLock> lock_;
};

Result<std::string> PrivateApt::Sources(const std::string& suite) const {
  std::string mirror = options_->mirror;
  while (mirror.ends_with('/')) mirror.pop_back();
  std::string security = mirror + "-security";
  if (mirror.empty()) {
    ASSIGN_OR_RETURN(mirror, automation::FindMirror(suite));
    ASSIGN_OR_RETURN(security, automation::FindMirror(suite + "-security"));
  }
  return fmt::format(
      "deb [signed-by={0}] {1} {2} main\n"
      "deb [signed-by={0}] {1} {2}-updates main\n"
      "deb [signed-by={0}] {3} {2}-security main\n",
      kKeyring, mirror, suite, security);
}

// Read after the machine's own configuration, of which proxies and the like are needed.
std::string PrivateApt::Configuration() const {
  return fmt::format(
      "#clear APT::Architectures;\n"
      "#clear APT::Update::Post-Invoke;\n"
      "#clear APT::Update::Post-Invoke-Success;\n"
      "#clear DPkg::Post-Invoke;\n"
      "Dir::State \"{0}/\";\n"
      "Dir::State::lists \"{0}/lists\";\n"
      "Dir::State::status \"{0}/status\";\n"
      "Dir::State::extended_states \"{0}/extended_states\";\n"
      "Dir::Cache \"{0}/\";\n"
      "Dir::Cache::archives \"{0}/archives\";\n"
      "Dir::Cache::pkgcache \"pkgcache.bin\";\n"
      "Dir::Cache::srcpkgcache \"srcpkgcache.bin\";\n"
      "Dir::Etc::sourcelist \"{0}/sources.list\";\n"
      "Dir::Etc::sourceparts \"/dev/null\";\n"
      "Dir::Etc::preferences \"/dev/null\";\n"
      "Dir::Etc::preferencesparts \"/dev/null\";\n"
      "APT::Architecture \"{1}\";\n"
      "APT::Architectures {{ \"{1}\"; }};\n"
      "APT::Default-Release \"\";\n"
      "APT::Install-Recommends \"false\";\n"
      "APT::Keep-Downloaded-Packages \"true\";\n"
      "APT::Sandbox::User \"\";\n"
      "APT::Update::Error-Mode \"any\";\n"
      "Acquire::Languages \"none\";\n"
      "Acquire::Retries \"3\";\n",
      root_, architecture_);
}

Result<void> PrivateApt::Prepare(const std::string& suite) {
  if (root_.find_first_of("\"\n") != std::string::npos) {
    return Error::BadRequest(fmt::format("{} cannot be in apt's configuration", root_));
  }
  ASSIGN_OR_RETURN(const std::string sources, Sources(suite));
  std::error_code failed;
  for (const char* directory : {"lists/partial", "archives/partial"}) {
    fs::create_directories(fmt::format("{}/{}", root_, directory), failed);
    if (failed)
      return Error::Internal(fmt::format("cannot create {}: {}", root_, failed.message()));
  }
  ASSIGN_OR_RETURN(
      lock_, ClusterLock::Acquire(root_ + "/lock",
                                  fmt::format("kubexms artifact build (process {})", ::getpid())));
  RETURN_IF_ERROR(WriteText(root_ + "/apt.conf", Configuration()));
  RETURN_IF_ERROR(WriteText(root_ + "/sources.list", sources));
  return WriteText(root_ + "/status", "");
}

Result<std::string> PrivateApt::Run(const std::string& program,
                                    const std::vector<std::string>& arguments,
                                    const automation::OutputCallback& on_output) {
  std::string script = fmt::format("exec {} -c {} -q", program, ShellQuote(root_ + "/apt.conf"));
  for (const std::string& argument : arguments) script += " " + ShellQuote(argument);
  ASSIGN_OR_RETURN(CommandResult result,
                   runner_->Run({.script = std::move(script),
                                 .environment = {{"DEBIAN_FRONTEND", "noninteractive"}},
                                 .as_root = false,
                                 .timeout = kTimeout,
                                 .max_output = kMaxOutput},
                                on_output));
  return std::move(result.output);
}

Result<void> PrivateApt::Update() {
  RETURN_IF_ERROR(Run("apt-get", {"update"}));
  return {};
}

Result<std::vector<std::string>> PrivateApt::Resolve(const std::vector<std::string>& packages) {
  std::vector<std::string> arguments = {"install", "-y", "--simulate", "--"};
  std::ranges::copy(packages, std::back_inserter(arguments));
  ASSIGN_OR_RETURN(const std::string output, Run("apt-get", arguments));
  std::vector<std::string> resolved;
  for (const auto& [name, version] : SimulatedInstalls(output)) {
    resolved.push_back(fmt::format("{}={}", name, version));
  }
  return resolved;
}

Result<std::vector<ControlParagraph>> PrivateApt::Describe(
    const std::vector<std::string>& packages) {
  if (packages.empty()) return std::vector<ControlParagraph>();
  std::vector<std::string> arguments = {"show", "--no-all-versions", "--"};
  std::ranges::copy(packages, std::back_inserter(arguments));
  ASSIGN_OR_RETURN(const std::string output, Run("apt-cache", arguments));
  return ControlParagraph::ParseAll(output);
}

Result<void> PrivateApt::SetInstalled(std::span<const ControlParagraph> packages) {
  std::string status;
  for (const ControlParagraph& package : packages) {
    status += package.Select({"Package"}) + "Status: install ok installed\n";
    status += package.Select({"Version", "Architecture", "Multi-Arch", "Essential", "Priority",
                              "Provides", "Pre-Depends", "Depends", "Conflicts", "Breaks"});
    status += "\n";
  }
  return WriteText(root_ + "/status", status);
}

Result<void> PrivateApt::Download(const std::vector<std::string>& packages) {
  if (packages.empty()) return {};
  std::vector<std::string> arguments = {"install", "-y", "--download-only", "--"};
  std::ranges::copy(packages, std::back_inserter(arguments));
  std::string line;
  const auto tell = [&](OutputStream stream, std::string_view bytes) {
    if (stream != OutputStream::kOutput) return;
    for (const char c : bytes) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (const std::string package = FetchedPackage(line); !package.empty()) {
        options_->progress("fetching " + package);
      }
      line.clear();
    }
  };
  RETURN_IF_ERROR(Run("apt-get", arguments, tell));
  return {};
}

// As apt calls it: with a colon of the version escaped.
std::string PrivateApt::FileOf(const ArtifactPackage& package) const {
  std::string version = package.version;
  if (const size_t colon = version.find(':'); colon != std::string::npos) {
    version.replace(colon, 1, "%3a");
  }
  return fmt::format("{}/archives/{}_{}_{}.deb", root_, package.name, version,
                     package.architecture);
}

Result<void> CheckMachine(Runner& runner) {
  ASSIGN_OR_RETURN(const CommandResult apt,
                   runner.Exec({.script = "command -v apt-get apt-cache", .as_root = false}));
  if (!apt.ok()) {
    return Error::BadRequest("apt is not on this machine; build artifacts on a Debian or Ubuntu");
  }
  if (fs::exists(kKeyring)) return {};
  return Error::BadRequest(
      fmt::format("there is no {}; install the package debian-archive-keyring", kKeyring));
}

using PartMap = std::map<std::string, FilePart>;  // by the name in the archive

// Where the packages were put, each of them checked.
Result<void> AddDownloads(const PrivateApt& apt, const std::vector<ArtifactPackage>& packages,
                          PartMap& parts) {
  for (const ArtifactPackage& package : packages) {
    const std::string file = apt.FileOf(package);
    parts.insert_or_assign(package.file, FilePart(file));
    ASSIGN_OR_RETURN(const std::string sum, automation::Sha256OfFile(file));
    if (sum == package.sha256) continue;
    std::error_code ignored;
    fs::remove(file, ignored);
    return Error::Internal(
        fmt::format("{} was not what its index says, and is removed; try again", file));
  }
  return {};
}

int64_t SizeOf(const std::vector<ArtifactPackage>& packages) {
  int64_t size = 0;
  for (const ArtifactPackage& package : packages) size += package.size;
  return size;
}

// A member that has the name of its content.
template <class File>
File BlobOf(const std::string& sha256, int64_t size) {
  File file;
  file.file = "blobs/" + sha256;
  file.sha256 = sha256;
  file.size = size;
  return file;
}

Result<void> AddBinaries(const ArtifactBuildOptions& options, ArtifactSources& sources,
                         ArtifactTarget& target, PartMap& parts) {
  for (const BinarySpec& spec : options.binaries) {
    ASSIGN_OR_RETURN(const std::string file,
                     sources.Get(spec.sources, target.architecture, "the binary " + spec.name));
    ASSIGN_OR_RETURN(const std::string sum, automation::Sha256OfFile(file));
    std::error_code failed;
    const auto size = static_cast<int64_t>(fs::file_size(file, failed));
    if (failed) return Error::BadRequest(fmt::format("read {}: {}", file, failed.message()));
    auto binary = BlobOf<ArtifactBinary>(sum, size);
    binary.name = spec.name;
    parts.insert_or_assign(binary.file, FilePart(file));
    target.binaries.push_back(std::move(binary));
  }
  std::ranges::sort(target.binaries, {}, &ArtifactBinary::name);
  return {};
}

Result<void> AddImages(const ArtifactBuildOptions& options, ArtifactSources& sources,
                       ArtifactTarget& target, PartMap& parts) {
  for (const ImageSpec& spec : options.images) {
    const std::string what = "the image " + spec.name;
    ASSIGN_OR_RETURN(const std::string file, sources.Get(spec.sources, target.architecture, what));
    Result<ImageContent> content = ReadImageArchive(file, spec.name, target.architecture);
    if (!content.ok()) return content.error().WithContext(what);
    ArtifactImage image;
    image.name = spec.name;
    image.id = content->Id();
    image.media_type = content->media_type;
    ASSIGN_OR_RETURN(const std::string manifest, sources.StoreContent(content->manifest));
    image.blobs.push_back(BlobOf<ArtifactFile>(automation::Sha256Of(content->manifest),
                                               static_cast<int64_t>(content->manifest.size())));
    parts.insert_or_assign(image.blobs.front().file, FilePart(manifest));
    for (const ImageBlob& blob : content->blobs) {
      image.blobs.push_back(BlobOf<ArtifactFile>(blob.sha256, blob.size));
      parts.insert_or_assign(image.blobs.back().file, blob.part);
    }
    options.progress(
        fmt::format("{} for {}, {}", what, target.architecture, FormatSize(image.Size())));
    target.images.push_back(std::move(image));
  }
  std::ranges::sort(target.images, {}, &ArtifactImage::name);
  return {};
}

Result<void> AddPackages(const System& system, const ArtifactBuildOptions& options, Runner& runner,
                         ArtifactTarget& target, PartMap& parts) {
  if (options.packages.empty()) return {};
  PrivateApt apt(&runner, &options, target.architecture);
  RETURN_IF_ERROR(apt.Prepare(system.suite));
  options.progress(
      fmt::format("reading the package lists of {} {}", options.os, target.architecture));
  RETURN_IF_ERROR(apt.Update());
  ASSIGN_OR_RETURN(const std::vector<std::string> base, apt.Resolve(system.base));
  ASSIGN_OR_RETURN(const std::vector<ControlParagraph> present, apt.Describe(base));
  RETURN_IF_ERROR(apt.SetInstalled(present));
  ASSIGN_OR_RETURN(const std::vector<std::string> needed, apt.Resolve(options.packages));
  ASSIGN_OR_RETURN(const std::vector<ControlParagraph> described, apt.Describe(needed));
  ASSIGN_OR_RETURN(target.packages, PackagesOf(described));
  options.progress(fmt::format("{} packages for {}, {}", target.packages.size(),
                               target.architecture, FormatSize(SizeOf(target.packages))));
  RETURN_IF_ERROR(apt.Download(needed));
  return AddDownloads(apt, target.packages, parts);
}

}  // namespace

std::vector<std::string> ArtifactSystems() {
  std::vector<std::string> names;
  for (const System& system : Systems()) names.push_back(system.name);
  return names;
}

std::vector<std::pair<std::string, std::string>> SimulatedInstalls(std::string_view output) {
  // "Inst runc (1.1.5 Debian:12/stable [amd64])"; before the bracket may be the version that is
  // replaced, "[1.1.4]".
  std::vector<std::pair<std::string, std::string>> installs;
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = Words(line);
    if (words.size() < 3 || words[0] != "Inst") continue;
    const auto version =
        std::ranges::find_if(words, [](const std::string& word) { return word.starts_with('('); });
    if (version != words.end()) installs.emplace_back(words[1], version->substr(1));
  }
  return installs;
}

Result<std::vector<ArtifactPackage>> PackagesOf(std::span<const ControlParagraph> paragraphs) {
  std::map<std::string, ArtifactPackage> packages;
  std::map<std::string, std::set<std::string>> providers;  // by what they provide
  std::map<std::string, std::string> relations;
  for (const ControlParagraph& paragraph : paragraphs) {
    ASSIGN_OR_RETURN(ArtifactPackage package, PackageOf(paragraph));
    const std::string name = package.name;
    if (!packages.emplace(name, std::move(package)).second) continue;
    providers[name].insert(name);
    for (const auto& provided : DependencyNames(paragraph.Get("Provides"))) {
      providers[provided[0]].insert(name);
    }
    relations[name] = fmt::format("{}, {}", paragraph.Get("Pre-Depends"), paragraph.Get("Depends"));
  }
  std::vector<ArtifactPackage> result;
  for (auto& [name, package] : packages) {
    std::set<std::string> needed;
    for (const std::vector<std::string>& group : DependencyNames(relations[name])) {
      for (const std::string& other : group) needed.merge(std::set(providers[other]));
    }
    needed.erase(name);
    package.dependencies.assign(needed.begin(), needed.end());
    result.push_back(std::move(package));
  }
  return result;
}

Result<ArtifactManifest> BuildArtifact(Runner& runner, const ArtifactBuildOptions& options) {
  ASSIGN_OR_RETURN(const System system, FindSystem(options.os));
  RETURN_IF_ERROR(CheckMachine(runner));
  ArtifactSources sources(&runner, {.directory = options.directory,
                                    .cache_directory = options.cache_directory,
                                    .progress = options.progress});
  ArtifactManifest manifest;
  manifest.os = options.os;
  manifest.requested = options.packages;
  std::ranges::sort(manifest.requested);
  PartMap parts;
  for (const std::string& architecture : options.architectures) {
    ArtifactTarget& target = manifest.targets.emplace_back();
    target.architecture = architecture;
    RETURN_IF_ERROR(AddBinaries(options, sources, target, parts));
    RETURN_IF_ERROR(AddImages(options, sources, target, parts));
  }
  for (ArtifactTarget& target : manifest.targets) {
    RETURN_IF_ERROR(AddPackages(system, options, runner, target, parts));
  }
  RETURN_IF_ERROR(WriteArtifact(options.output, manifest,
                                [&](const ArtifactFile& file) { return parts.at(file.file); }));
  return manifest;
}

}  // namespace kubexms::cluster
