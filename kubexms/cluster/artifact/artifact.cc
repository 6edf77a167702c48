#include "kubexms/cluster/artifact/artifact.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/codec.h"
#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/hosts/operation.h"
#include "kubexms/cluster/artifact/tar_file.h"

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

template <class T>
void DescribeFile(Type<T>& type) {
  type.Field("file", &ArtifactFile::file, "In the archive.").Required();
  type.Field("sha256", &ArtifactFile::sha256, "Of the file.").Required();
  type.Field("size", &ArtifactFile::size, "Of the file.").Required();
}

template <class T>
const T* FindByName(const std::vector<T>& sorted, std::string_view name) {
  const auto found = std::ranges::lower_bound(sorted, name, {}, &T::name);
  return found == sorted.end() || found->name != name ? nullptr : &*found;
}

// Validates the manifest, without reading the other members.
Result<void> CheckFiles(const std::string& path, const ArtifactManifest& manifest,
                        const std::map<std::string, int64_t>& sizes) {
  for (const ArtifactTarget& target : manifest.targets) {
    for (const ArtifactFile* file : target.Files()) {
      const auto found = sizes.find(file->file);
      if (found != sizes.end() && found->second == file->size) continue;
      return NotAnArtifact(path, fmt::format("{} is not in it as a whole", file->file));
    }
    for (const ArtifactImage& image : target.images) {
      if (image.blobs.empty()) {
        return NotAnArtifact(path, fmt::format("the image {} is empty", image.name));
      }
    }
  }
  return {};
}

}  // namespace

void ArtifactFile::Describe(Type<ArtifactFile>& type) { DescribeFile(type); }

void ArtifactPackage::Describe(Type<ArtifactPackage>& type) {
  DescribeFile(type);
  type.Field("name", &ArtifactPackage::name, "As apt calls it.").Required();
  type.Field("version", &ArtifactPackage::version, "The whole one.").Required();
  type.Field("architecture", &ArtifactPackage::architecture, "Or \"all\".").Required();
  type.Field("dependencies", &ArtifactPackage::dependencies, "Packages of the artifact.");
  type.Field("control", &ArtifactPackage::control, "For the index.");
}

void ArtifactBinary::Describe(Type<ArtifactBinary>& type) {
  DescribeFile(type);
  type.Field("name", &ArtifactBinary::name, "As the configuration calls it.").Required();
}

void ArtifactImage::Describe(Type<ArtifactImage>& type) {
  type.Field("name", &ArtifactImage::name, "With registry and tag.").Required();
  type.Field("id", &ArtifactImage::id, "Of its configuration.").Required();
  type.Field("mediaType", &ArtifactImage::media_type, "Of its manifest.").Required();
  type.Field("blobs", &ArtifactImage::blobs, "Manifest, configuration, layers.")
      .Required()
      .MinItems(1);
}

void ArtifactTarget::Describe(Type<ArtifactTarget>& type) {
  type.Field("architecture", &ArtifactTarget::architecture, "Of the hosts.").Required();
  type.Field("packages", &ArtifactTarget::packages, "By name.");
  type.Field("binaries", &ArtifactTarget::binaries, "By name.");
  type.Field("images", &ArtifactTarget::images, "By name.");
}

void ArtifactManifest::Describe(Type<ArtifactManifest>& type) {
  type.Field("format", &ArtifactManifest::format, "Of the manifest.").Required();
  type.Field("os", &ArtifactManifest::os, "What it is for.").Required();
  type.Field("requested", &ArtifactManifest::requested, "What it was built for.");
  type.Field("targets", &ArtifactManifest::targets, "One for each architecture.");
}

int64_t ArtifactImage::Size() const {
  int64_t size = 0;
  for (const ArtifactFile& blob : blobs) size += blob.size;
  return size;
}

const ArtifactPackage* ArtifactTarget::FindPackage(std::string_view package) const {
  return FindByName(packages, package);
}
const ArtifactBinary* ArtifactTarget::FindBinary(std::string_view binary) const {
  return FindByName(binaries, binary);
}
const ArtifactImage* ArtifactTarget::FindImage(std::string_view image) const {
  return FindByName(images, image);
}

std::vector<const ArtifactPackage*> ArtifactTarget::WithDependencies(
    const std::vector<std::string>& names) const {
  std::map<std::string_view, const ArtifactPackage*> chosen;
  std::vector<std::string> pending = names;
  while (!pending.empty()) {
    const ArtifactPackage* package = FindPackage(pending.back());
    pending.pop_back();
    if (package == nullptr || !chosen.emplace(package->name, package).second) continue;
    std::ranges::copy(package->dependencies, std::back_inserter(pending));
  }
  std::vector<const ArtifactPackage*> found;
  for (const auto& [name, package] : chosen) found.push_back(package);
  return found;
}

std::vector<const ArtifactFile*> ArtifactTarget::Files() const {
  std::vector<const ArtifactFile*> files;
  for (const ArtifactPackage& package : packages) files.push_back(&package);
  for (const ArtifactBinary& binary : binaries) files.push_back(&binary);
  for (const ArtifactImage& image : images) {
    for (const ArtifactFile& blob : image.blobs) files.push_back(&blob);
  }
  return files;
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
  RETURN_IF_ERROR(CheckFiles(path, *manifest, sizes));
  return std::shared_ptr<const Artifact>(
      new Artifact(path, *std::move(manifest), std::move(offsets)));
}

std::string Artifact::System() const {
  std::vector<std::string_view> architectures;
  for (const ArtifactTarget& target : manifest_.targets) {
    architectures.push_back(target.architecture);
  }
  return fmt::format("{} {}", manifest_.os, fmt::join(architectures, ", "));
}

Result<const ArtifactTarget*> Artifact::TargetFor(const automation::SystemFacts& host) const {
  const std::string os = fmt::format("{}-{}", host.os, host.os_version);
  const std::string architecture = DebianArchitecture(host.architecture);
  for (const ArtifactTarget& target : manifest_.targets) {
    if (manifest_.os == os && target.architecture == architecture) return &target;
  }
  return Error::BadRequest(fmt::format(
      "the artifact {} is for {}, and the host is {} {}; build one with kubexms artifact build "
      "--os {} --arch {}",
      path_, System(), os, architecture, os, architecture));
}

FilePart Artifact::PartOf(const ArtifactFile& file) const {
  return FilePart(path_, offsets_.at(file.file), file.size);
}

Result<void> Artifact::Verify(const ArtifactFile& file) const {
  MutexLock lock(mutex_);
  const auto known = verified_.find(file.file);
  if (known != verified_.end()) return known->second;
  Result<void> verified;
  const Result<std::string> sum = automation::Sha256OfFile(PartOf(file));
  if (!sum.ok()) {
    verified = sum.error();
  } else if (*sum != file.sha256) {
    verified = NotAnArtifact(path_, fmt::format("{} was altered or is damaged", file.file));
  }
  verified_.emplace(file.file, verified);
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
                           const std::function<FilePart(const ArtifactFile&)>& part_of) {
  const std::string text = WriteJsonPretty(ToJson(manifest));
  ASSIGN_OR_RETURN(const std::unique_ptr<TarWriter> archive, TarWriter::Create(path));
  RETURN_IF_ERROR(archive->Add(kManifestName, text));
  RETURN_IF_ERROR(archive->Add(kManifestSumName, SumLine(text)));
  std::map<std::string, std::string> written;  // sums by names
  for (const ArtifactTarget& target : manifest.targets) {
    for (const ArtifactFile* file : target.Files()) {
      const auto [other, fresh] = written.emplace(file->file, file->sha256);
      if (other->second != file->sha256) {
        return Error::Internal(
            fmt::format("two architectures have different files that are called {}", file->file));
      }
      if (fresh) RETURN_IF_ERROR(archive->AddFile(file->file, part_of(*file), file->size));
    }
  }
  return archive->Finish();
}

}  // namespace kubexms::cluster
