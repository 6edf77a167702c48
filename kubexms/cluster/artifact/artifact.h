#pragma once

// An artifact: one file with all packages, binaries and images that the hosts of a cluster need,
// for one operating system and some architectures, so that the hosts need no internet. It is a tar
// archive; its first member, manifest.json, lists the others with checksums. `kubexms artifact
// build` creates it.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/type.h"
#include "kubexms/automation/hosts/file_part.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {
struct SystemFacts;
}

namespace kubexms::cluster {

// A member of the archive.
struct ArtifactFile : Struct {
  std::string file;  // its name: "packages/runc_1.1_amd64.deb", "blobs/<sha256>"
  std::string sha256;
  int64_t size = 0;

  static void Describe(Type<ArtifactFile>& type);
};

struct ArtifactPackage : ArtifactFile {
  std::string name;
  std::string version;
  std::string architecture;               // or "all"
  std::vector<std::string> dependencies;  // names of packages of the artifact, sorted
  std::string control;                    // its paragraph of the index for apt

  static void Describe(Type<ArtifactPackage>& type);
};

// Any other file for hosts; the configuration has its destination.
struct ArtifactBinary : ArtifactFile {
  std::string name;

  static void Describe(Type<ArtifactBinary>& type);
};

struct ArtifactImage : Struct {
  std::string name;                 // with registry and tag: "registry.k8s.io/pause:3.10.1"
  std::string id;                   // "sha256:…" of its configuration, the id in CRI
  std::string media_type;           // of its manifest
  std::vector<ArtifactFile> blobs;  // the manifest, the configuration, the layers

  // "sha256:…" of its manifest.
  std::string Digest() const { return "sha256:" + blobs.front().sha256; }
  int64_t Size() const;
  static void Describe(Type<ArtifactImage>& type);
};

// The content for hosts of one architecture, sorted by name.
struct ArtifactTarget : Struct {
  std::string architecture;  // as Debian calls it: "amd64"
  std::vector<ArtifactPackage> packages;
  std::vector<ArtifactBinary> binaries;
  std::vector<ArtifactImage> images;

  // Null when it does not exist.
  const ArtifactPackage* FindPackage(std::string_view package) const;
  const ArtifactBinary* FindBinary(std::string_view binary) const;
  const ArtifactImage* FindImage(std::string_view image) const;
  // The existing ones of `names` and their dependencies, sorted by name.
  std::vector<const ArtifactPackage*> WithDependencies(const std::vector<std::string>& names) const;
  // All members of the archive for this target, with duplicates.
  std::vector<const ArtifactFile*> Files() const;

  static void Describe(Type<ArtifactTarget>& type);
};

struct ArtifactManifest : Struct {
  static constexpr int32_t kFormat = 2;

  int32_t format = kFormat;
  std::string os;                       // "debian-12"
  std::vector<std::string> requested;   // packages without those that are only dependencies
  std::vector<ArtifactTarget> targets;  // one for each architecture

  static void Describe(Type<ArtifactManifest>& type);
};

inline constexpr std::string_view kManifestName = "manifest.json";
// "<sha256>  manifest.json", as sha256sum writes it.
inline constexpr std::string_view kManifestSumName = "manifest.json.sha256";

// Debian's name of the architecture that uname -m prints.
std::string DebianArchitecture(std::string_view machine);
// "13.1 MB".
std::string FormatSize(int64_t bytes);

// Safe for use from any thread.
class Artifact {
 public:
  // Refuses a file that is truncated, is no artifact, or has a later format. Only Verify reads the
  // contents.
  static Result<std::shared_ptr<const Artifact>> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const ArtifactManifest& manifest() const { return manifest_; }
  // "debian-12 amd64, arm64".
  std::string System() const;

  // The target for a host; an error names both when the artifact has none.
  Result<const ArtifactTarget*> TargetFor(const automation::SystemFacts& host) const;

  // Checks the file against the manifest. Each file is read once.
  Result<void> Verify(const ArtifactFile& file) const EXCLUDES(mutex_);
  automation::FilePart PartOf(const ArtifactFile& file) const;

 private:
  Artifact(std::string path, ArtifactManifest manifest, std::map<std::string, int64_t> offsets)
      : path_(std::move(path)), manifest_(std::move(manifest)), offsets_(std::move(offsets)) {}

  const std::string path_;
  const ArtifactManifest manifest_;
  const std::map<std::string, int64_t> offsets_;  // by the name in the archive

  mutable Mutex mutex_;
  mutable std::map<std::string, Result<void>> verified_ GUARDED_BY(mutex_);
};

// The index of these packages for apt, in the directory of their files.
std::string PackageIndex(const std::vector<const ArtifactPackage*>& packages);
// The name of a package's file in that directory.
std::string PackageFileName(const ArtifactPackage& package);

// Writes an artifact; `part_of` returns the content of a member. Reproducible: the same manifest
// and files give the same bytes. Members of several targets are stored once.
Result<void> WriteArtifact(const std::string& path, const ArtifactManifest& manifest,
                           const std::function<automation::FilePart(const ArtifactFile&)>& part_of);

}  // namespace kubexms::cluster
