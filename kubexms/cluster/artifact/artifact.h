#pragma once

// An artifact: one file with everything that the hosts of a cluster get and would otherwise have to
// fetch, for one operating system and some architectures: packages, binaries and images. It is a
// plain tar archive, whose first member, manifest.json, says what is in it, with checksums.
// `kubexms artifact build` makes one.

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
  std::string file;  // its name there: "packages/runc_1.1_amd64.deb", "blobs/<sha256>"
  std::string sha256;
  int64_t size = 0;

  static void Describe(Type<ArtifactFile>& type);
};

struct ArtifactPackage : ArtifactFile {
  std::string name;
  std::string version;
  std::string architecture;               // or "all"
  std::vector<std::string> dependencies;  // names of packages of the artifact, sorted
  std::string control;                    // what apt has to know about it

  static void Describe(Type<ArtifactPackage>& type);
};

// Any file that hosts get; where it goes says the configuration.
struct ArtifactBinary : ArtifactFile {
  std::string name;

  static void Describe(Type<ArtifactBinary>& type);
};

struct ArtifactImage : Struct {
  std::string name;                 // with registry and tag: "registry.k8s.io/pause:3.10.1"
  std::string id;                   // "sha256:…" of its configuration, by which runtimes know it
  std::string media_type;           // of its manifest
  std::vector<ArtifactFile> blobs;  // the manifest, the configuration, the layers

  // "sha256:…" of its manifest.
  std::string Digest() const { return "sha256:" + blobs.front().sha256; }
  int64_t Size() const;
  static void Describe(Type<ArtifactImage>& type);
};

// What hosts of one architecture get. All of it is sorted by name.
struct ArtifactTarget : Struct {
  std::string architecture;  // as Debian calls it: "amd64"
  std::vector<ArtifactPackage> packages;
  std::vector<ArtifactBinary> binaries;
  std::vector<ArtifactImage> images;

  // Null when it does not have one of that name.
  const ArtifactPackage* FindPackage(std::string_view package) const;
  const ArtifactBinary* FindBinary(std::string_view binary) const;
  const ArtifactImage* FindImage(std::string_view image) const;
  // Those of `names` that it has, and all that they need; sorted by name.
  std::vector<const ArtifactPackage*> WithDependencies(const std::vector<std::string>& names) const;
  // All members of the archive that are for it, some perhaps twice.
  std::vector<const ArtifactFile*> Files() const;

  static void Describe(Type<ArtifactTarget>& type);
};

struct ArtifactManifest : Struct {
  static constexpr int32_t kFormat = 2;

  int32_t format = kFormat;
  std::string os;                      // "debian-12"
  std::vector<std::string> requested;  // packages that it was built for; the rest is needed by them
  std::vector<ArtifactTarget> targets;  // one for each architecture

  static void Describe(Type<ArtifactManifest>& type);
};

inline constexpr std::string_view kManifestName = "manifest.json";
// "<sha256>  manifest.json", as sha256sum writes it.
inline constexpr std::string_view kManifestSumName = "manifest.json.sha256";

// Debian's name of what uname -m calls `machine`; the name itself where they are the same.
std::string DebianArchitecture(std::string_view machine);
// "13.1 MB".
std::string FormatSize(int64_t bytes);

// Safe for use from any thread.
class Artifact {
 public:
  // Refused: a file that is cut off, is no artifact, or is one of a later format. Contents are
  // looked at only by Verify.
  static Result<std::shared_ptr<const Artifact>> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const ArtifactManifest& manifest() const { return manifest_; }
  // "debian-12 amd64, arm64".
  std::string System() const;

  // What is for such a host; an error names both when there is nothing.
  Result<const ArtifactTarget*> TargetFor(const automation::SystemFacts& host) const;

  // Whether the file is what the manifest says. Each is read once.
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

// The index of these packages for apt, whose files are in one directory with it.
std::string PackageIndex(const std::vector<const ArtifactPackage*>& packages);
// What a package's file is called there.
std::string PackageFileName(const ArtifactPackage& package);

// Writes an artifact; `part_of` says where the content of a member is. The same manifest and files
// give the same bytes. What several targets share is in it once.
Result<void> WriteArtifact(const std::string& path, const ArtifactManifest& manifest,
                           const std::function<automation::FilePart(const ArtifactFile&)>& part_of);

}  // namespace kubexms::cluster
