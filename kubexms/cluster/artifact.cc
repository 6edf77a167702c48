#include "kubexms/cluster/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kubexms/api/codec.h"
#include "kubexms/automation/checksum.h"
#include "kubexms/cluster/tar_file.h"

namespace kubexms::cluster {
namespace {

using automation::FilePart;
using automation::FilePartReader;

constexpr int64_t kMaxManifestBytes = 64 << 20;

std::string SumLine(std::string_view manifest) {
  return fmt::format("{}  {}\n", automation::Sha256Of(manifest), kManifestName);
}

Error NotAnArtifact(const std::string& path, std::string_view why) {
  return Error::BadRequest(fmt::format(
      "{} is not an artifact that can be used: {}; build it again with kubexms artifact build",
      path, why));
}

Result<std::string> ReadMember(const std::string& path, const TarMember& member) {
  ASSIGN_OR_RETURN(FilePartReader reader,
                   FilePartReader::Open(FilePart(path, member.offset, member.size)));
  return reader.Read(static_cast<size_t>(member.size));
}

Result<std::string> ReadManifestText(const std::string& path,
                                     const std::vector<TarMember>& members) {
  if (members.size() < 2 || members[0].name != kManifestName ||
      members[1].name != kManifestSumName || members[0].size > kMaxManifestBytes ||
      members[1].size > kMaxManifestBytes) {
    return NotAnArtifact(path, "it has no manifest");
  }
  ASSIGN_OR_RETURN(std::string text, ReadMember(path, members[0]));
  ASSIGN_OR_RETURN(const std::string sum, ReadMember(path, members[1]));
  if (sum != SumLine(text)) return NotAnArtifact(path, "its manifest was altered or is damaged");
  return text;
}

}  // namespace

void ArtifactPackage::Describe(Type<ArtifactPackage>& type) {
  type.Field("name", &ArtifactPackage::name, "As apt calls it.").Required();
  type.Field("version", &ArtifactPackage::version, "The whole one.").Required();
  type.Field("architecture", &ArtifactPackage::architecture, "Or \"all\".").Required();
  type.Field("file", &ArtifactPackage::file, "In the archive.").Required();
  type.Field("sha256", &ArtifactPackage::sha256, "Of the file.").Required();
  type.Field("size", &ArtifactPackage::size, "Of the file.").Required();
  type.Field("dependencies", &ArtifactPackage::dependencies, "Packages of the artifact.");
  type.Field("control", &ArtifactPackage::control, "For the index.");
}

void ArtifactManifest::Describe(Type<ArtifactManifest>& type) {
  type.Field("format", &ArtifactManifest::format, "Of the manifest.").Required();
  type.Field("os", &ArtifactManifest::os, "What it is for.").Required();
  type.Field("architecture", &ArtifactManifest::architecture, "What it is for.").Required();
  type.Field("requested", &ArtifactManifest::requested, "What it was built for.");
  type.Field("packages", &ArtifactManifest::packages, "By name.");
}

std::string DebianArchitecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

std::string FormatSize(int64_t bytes) {
  constexpr double kKilo = 1000;
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / kKilo);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / kKilo / kKilo);
}

Result<std::shared_ptr<const Artifact>> Artifact::Open(const std::string& path) {
  const Result<std::vector<TarMember>> members = ListTar(path);
  if (!members.ok()) return members.error().WithContext("artifact");
  ASSIGN_OR_RETURN(const std::string text, ReadManifestText(path, *members));
  Result<ArtifactManifest> manifest = Decode<ArtifactManifest>(text);
  if (!manifest.ok()) return NotAnArtifact(path, manifest.error().message());
  if (manifest->format != ArtifactManifest::kFormat) {
    return NotAnArtifact(path, fmt::format("it has format {}, and this kubexms knows {}",
                                           manifest->format, ArtifactManifest::kFormat));
  }
  std::map<std::string, int64_t> offsets, sizes;
  for (const TarMember& member : *members) {
    offsets[member.name] = member.offset;
    sizes[member.name] = member.size;
  }
  for (const ArtifactPackage& package : manifest->packages) {
    const auto found = sizes.find(package.file);
    if (found == sizes.end() || found->second != package.size) {
      return NotAnArtifact(path, fmt::format("{} is not in it as a whole", package.file));
    }
  }
  return std::shared_ptr<const Artifact>(
      new Artifact(path, *std::move(manifest), std::move(offsets)));
}

std::string Artifact::System() const {
  return fmt::format("{} {}", manifest_.os, manifest_.architecture);
}

const ArtifactPackage* Artifact::Find(std::string_view package) const {
  const auto found =
      std::ranges::lower_bound(manifest_.packages, package, {}, &ArtifactPackage::name);
  if (found == manifest_.packages.end() || found->name != package) return nullptr;
  return &*found;
}

std::vector<const ArtifactPackage*> Artifact::WithDependencies(
    const std::vector<std::string>& names) const {
  std::map<std::string_view, const ArtifactPackage*> chosen;
  std::vector<std::string> pending = names;
  while (!pending.empty()) {
    const ArtifactPackage* package = Find(pending.back());
    pending.pop_back();
    if (package == nullptr || !chosen.emplace(package->name, package).second) continue;
    std::ranges::copy(package->dependencies, std::back_inserter(pending));
  }
  std::vector<const ArtifactPackage*> packages;
  for (const auto& [name, package] : chosen) packages.push_back(package);
  return packages;
}

FilePart Artifact::PartOf(const ArtifactPackage& package) const {
  return FilePart(path_, offsets_.at(package.file), package.size);
}

Result<void> Artifact::Verify(const ArtifactPackage& package) const {
  MutexLock lock(mutex_);
  const auto known = verified_.find(package.file);
  if (known != verified_.end()) return known->second;
  Result<void> verified;
  const Result<std::string> sum = automation::Sha256OfFile(PartOf(package));
  if (!sum.ok()) {
    verified = sum.error();
  } else if (*sum != package.sha256) {
    verified = NotAnArtifact(path_, fmt::format("{} was altered or is damaged", package.file));
  }
  verified_.emplace(package.file, verified);
  return verified;
}

std::string PackageFileName(const ArtifactPackage& package) {
  return package.file.substr(package.file.rfind('/') + 1);
}

std::string PackageIndex(const std::vector<const ArtifactPackage*>& packages) {
  std::string index;
  for (const ArtifactPackage* package : packages) {
    index += fmt::format("{}Filename: {}\nSize: {}\nSHA256: {}\n\n", package->control,
                         PackageFileName(*package), package->size, package->sha256);
  }
  return index;
}

Result<void> WriteArtifact(const std::string& path, const ArtifactManifest& manifest,
                           const std::function<std::string(const ArtifactPackage&)>& file_of) {
  const std::string text = WriteJsonPretty(ToJson(manifest));
  ASSIGN_OR_RETURN(const std::unique_ptr<TarWriter> archive, TarWriter::Create(path));
  RETURN_IF_ERROR(archive->Add(kManifestName, text));
  RETURN_IF_ERROR(archive->Add(kManifestSumName, SumLine(text)));
  for (const ArtifactPackage& package : manifest.packages) {
    RETURN_IF_ERROR(archive->AddFile(package.file, file_of(package), package.size));
  }
  return archive->Finish();
}

}  // namespace kubexms::cluster
