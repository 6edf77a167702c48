#pragma once

// An artifact: one file with everything that the hosts of a cluster get and would otherwise have to
// fetch, for one operating system and architecture. It is a plain tar archive, whose first member,
// manifest.json, says what is in it, with checksums. `kubexms artifact build` makes one.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/type.h"
#include "kubexms/automation/file_part.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"

namespace kubexms::cluster {

struct ArtifactPackage : Struct {
  std::string name;
  std::string version;
  std::string architecture;  // or "all"
  std::string file;          // in the archive: "packages/runc_1.1_amd64.deb"
  std::string sha256;
  int64_t size = 0;
  std::vector<std::string> dependencies;  // names of packages of the artifact, sorted
  std::string control;                    // what apt has to know about it

  static void Describe(Type<ArtifactPackage>& type);
};

struct ArtifactManifest : Struct {
  static constexpr int32_t kFormat = 1;

  int32_t format = kFormat;
  std::string os;            // "debian-12"
  std::string architecture;  // as Debian calls it: "amd64"
  std::vector<std::string>
      requested;  // the names that it was built for; the rest is needed by them
  std::vector<ArtifactPackage> packages;  // sorted by name

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
  // "debian-12 amd64".
  std::string System() const;

  // Null when it does not have the package.
  const ArtifactPackage* Find(std::string_view package) const;
  // Those of `names` that it has, and all that they need; sorted by name.
  std::vector<const ArtifactPackage*> WithDependencies(const std::vector<std::string>& names) const;

  // Whether the package is what the manifest says. Each is read once.
  Result<void> Verify(const ArtifactPackage& package) const EXCLUDES(mutex_);
  // Where its file is.
  automation::FilePart PartOf(const ArtifactPackage& package) const;

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

// Writes an artifact; `file_of` says where the file of a package is. The same manifest and files
// give the same bytes.
Result<void> WriteArtifact(const std::string& path, const ArtifactManifest& manifest,
                           const std::function<std::string(const ArtifactPackage&)>& file_of);

}  // namespace kubexms::cluster
