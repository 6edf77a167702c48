#include "kubexms/cluster/artifact/artifact.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/hosts/operation.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/cluster/artifact/artifact_build.h"
#include "kubexms/cluster/artifact/artifact_sources.h"
#include "kubexms/cluster/artifact/image_archive.h"
#include "kubexms/cluster/artifact/tar_file.h"

namespace kubexms::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kIndex =
    "Package: runc\n"
    "Version: 1.1\n"
    "Architecture: amd64\n"
    "Depends: libc6 (>= 2.34), libseccomp2 (>= 2.5) | other\n"
    "Description: runs containers\n"
    " in several lines\n"
    "Size: 4\n"
    "SHA256: 1111\n"
    "\n"
    "Package: containerd\n"
    "Version: 1:1.6-1\n"
    "Architecture: amd64\n"
    "Pre-Depends: init (>= 1)\n"
    "Depends: oci-runtime, libc6\n"
    "Size: 10\n"
    "SHA256: 2222\n"
    "\n"
    "Package: crun\n"
    "Version: 2\n"
    "Architecture: all\n"
    "Provides: oci-runtime (= 1), more\n"
    "Size: 4\n"
    "SHA256: 3333\n"
    "\n"
    "Package: crun\n"
    "Version: 2\n"
    "Architecture: all\n"
    "Size: 4\n"
    "SHA256: 3333\n";

std::vector<ArtifactPackage> Packages() {
  return PackagesOf(ControlParagraph::ParseAll(kIndex)).value();
}

TEST(ArtifactBuildTest, ParsesTheSimulationOfApt) {
  EXPECT_THAT(SimulatedInstalls("Reading package lists...\n"
                                "Inst runc (1.1 Debian:12/stable, Security:12/stable [amd64])\n"
                                "Inst libc6 [2.35] (2.36-9 Debian:12/stable [amd64]) []\n"
                                "Conf runc (1.1 Debian:12/stable [amd64])\n"),
              ElementsAre(Pair("runc", "1.1"), Pair("libc6", "2.36-9")));
}

TEST(ArtifactBuildTest, ReadsPackagesAndDependenciesFromAnIndex) {
  const std::vector<ArtifactPackage> packages = Packages();
  ASSERT_EQ(packages.size(), 3u);
  const ArtifactPackage& containerd = packages[0];
  EXPECT_EQ(containerd.name, "containerd");
  EXPECT_EQ(containerd.file, "packages/containerd_1.6-1_amd64.deb");
  EXPECT_EQ(containerd.size, 10);
  EXPECT_THAT(containerd.dependencies, ElementsAre("crun"));  // by what it provides
  EXPECT_THAT(packages[2].dependencies, IsEmpty());
  EXPECT_EQ(packages[2].control,
            "Package: runc\nVersion: 1.1\nArchitecture: amd64\n"
            "Depends: libc6 (>= 2.34), libseccomp2 (>= 2.5) | other\n");
  const auto incomplete = PackagesOf(ControlParagraph::ParseAll("Package: a\nVersion: 1\n"));
  EXPECT_THAT(incomplete.error().message(), HasSubstr("no Architecture of the package \"a\""));
}

TEST(DebianControlTest, ParsesDependencies) {
  EXPECT_THAT(DependencyNames("a (>= 1), b | c:any ,d [amd64],"),
              ElementsAre(ElementsAre("a"), ElementsAre("b", "c"), ElementsAre("d")));
  EXPECT_THAT(DependencyNames(""), IsEmpty());
  EXPECT_THAT(ControlParagraph::ParseAll("\n\n"), IsEmpty());
  EXPECT_EQ(ControlParagraph::ParseAll(kIndex)[0].Get("Description"),
            "runs containers\n in several lines");
}

class ArtifactTest : public ::testing::Test {
 protected:
  // With the same packages for two architectures.
  std::string Write(const std::string& name, std::vector<ArtifactPackage> packages) const {
    ArtifactManifest manifest;
    manifest.os = "debian-12";
    for (ArtifactPackage& package : packages) {
      const std::string content = "content of " + package.name;
      package.size = static_cast<int64_t>(content.size());
      package.sha256 = automation::Sha256Of(content);
      directory_.Write(PackageFileName(package), content);
    }
    for (const char* architecture : {"amd64", "arm64"}) {
      ArtifactTarget& target = manifest.targets.emplace_back();
      target.architecture = architecture;
      target.packages = packages;
    }
    const std::string path = directory_.File(name);
    const Result<void> written = WriteArtifact(path, manifest, [&](const ArtifactFile& file) {
      return automation::FilePart(directory_.File(file.file.substr(file.file.rfind('/') + 1)));
    });
    EXPECT_TRUE(written.ok()) << written.error().message();
    return path;
  }
  // The artifact with one byte changed where `text` is.
  std::string Alter(const std::string& name, const std::string& text) const {
    std::string bytes = directory_.Read(name);
    bytes[bytes.rfind(text)] ^= 1;
    return directory_.Write("altered", bytes);
  }

  TestDirectory directory_;
};

TEST_F(ArtifactTest, HasTheWrittenContentAndIsReadableByTar) {
  const std::string path = Write("a", Packages());
  const auto artifact = Artifact::Open(path);
  ASSERT_TRUE(artifact.ok()) << artifact.error().message();
  EXPECT_EQ((*artifact)->System(), "debian-12 amd64, arm64");
  const automation::SystemFacts host{.os = "debian", .os_version = "12", .architecture = "aarch64"};
  const ArtifactTarget& target = *(*artifact)->TargetFor(host).value();
  EXPECT_EQ(target.architecture, "arm64");
  const ArtifactPackage* runc = target.FindPackage("runc");
  ASSERT_NE(runc, nullptr);
  EXPECT_TRUE((*artifact)->Verify(*runc).ok());
  auto reader = automation::FilePartReader::Open((*artifact)->PartOf(*runc)).value();
  EXPECT_EQ(reader.Read(100).value(), "content of runc");
  EXPECT_EQ(target.FindPackage("run"), nullptr);
  std::vector<std::string> names;
  for (const ArtifactPackage* package : target.WithDependencies({"containerd", "none"})) {
    names.push_back(package->name);
  }
  EXPECT_THAT(names, ElementsAre("containerd", "crun"));
  EXPECT_EQ(std::system(fmt::format("cd {} && mkdir out && tar -xf a -C out && cd out && "
                                    "sha256sum --quiet -c manifest.json.sha256 && "
                                    "grep -q 'content of crun' packages/crun_2_all.deb",
                                    directory_.path())
                            .c_str()),
            0);
  Write("b", Packages());
  EXPECT_EQ(directory_.Read("a"), directory_.Read("b"));
}

TEST_F(ArtifactTest, RefusesDamagedFiles) {
  Write("a", Packages());
  const std::string bytes = directory_.Read("a");
  const auto message = [&](const std::string& file) {
    const auto opened = Artifact::Open(file);
    return opened.ok() ? std::string("it is accepted") : opened.error().message();
  };
  EXPECT_THAT(message(directory_.File("none")), HasSubstr("No such file"));
  EXPECT_THAT(message(directory_.Write("x", std::string(4096, 'x'))),
              HasSubstr("not a plain tar archive"));
  EXPECT_THAT(message(directory_.Write("x", bytes + std::string(512, 'x'))), "it is accepted");
  for (const size_t size : {size_t{0}, size_t{100}, bytes.size() / 2, bytes.size() - 512}) {
    EXPECT_THAT(message(directory_.Write("x", bytes.substr(0, size))), HasSubstr("is cut off"))
        << size;
  }
  EXPECT_THAT(message(Alter("a", "debian-12")), HasSubstr("its manifest was altered"));
  EXPECT_THAT(message(Alter("a", "crun_2_all.deb")), HasSubstr("not a plain tar archive"));
  const auto altered = Artifact::Open(Alter("a", "content of crun"));
  ASSERT_TRUE(altered.ok());
  const ArtifactTarget& target = (*altered)->manifest().targets[0];
  EXPECT_TRUE((*altered)->Verify(*target.FindPackage("runc")).ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT((*altered)->Verify(*target.FindPackage("crun")).error().message(),
                HasSubstr("packages/crun_2_all.deb was altered or is damaged"));
  }
}

TEST_F(ArtifactTest, RefusesALaterFormat) {
  const auto archive = TarWriter::Create(directory_.File("a"));
  ASSERT_TRUE(archive.ok());
  const std::string manifest = R"({"format":3,"os":"debian-12"})";
  ASSERT_TRUE((*archive)->Add(kManifestName, manifest).ok());
  ASSERT_TRUE((*archive)
                  ->Add(kManifestSumName,
                        fmt::format("{}  manifest.json\n", automation::Sha256Of(manifest)))
                  .ok());
  EXPECT_FALSE(directory_.Has("a")) << "before it is complete";
  ASSERT_TRUE((*archive)->Finish().ok());
  EXPECT_THAT(Artifact::Open(directory_.File("a")).error().message(),
              HasSubstr("it has format 3, and this kubexms knows 2"));
}

// --- images in files

// An image of one layer as `docker save` writes it.
class ImageFile {
 public:
  explicit ImageFile(const TestDirectory& directory) : directory_(directory) {}

  // The entry of manifest.json.
  std::string Add(const std::string& name, const std::string& architecture) {
    const std::string layer = "layer of " + name;
    directory_.Write("in/" + name + ".tar", layer);
    directory_.Write("in/" + name + ".json",
                     fmt::format(R"({{"os":"linux","architecture":"{}"}})", architecture));
    files_ += fmt::format(" {0}.tar {0}.json", name);
    return fmt::format(R"({{"Config":"{0}.json","RepoTags":["lab/{0}:1"],"Layers":["{0}.tar"]}})",
                       name);
  }
  void Put(const std::string& name, const std::string& content) {
    directory_.Write("in/" + name, content);
    files_ += " " + name;
  }
  // A blob, and what describes it.
  std::string Blob(const std::string& content, const std::string& more = "") {
    const std::string sum = automation::Sha256Of(content);
    Put("blobs/sha256/" + sum, content);
    return fmt::format(R"({{"digest":"sha256:{}","size":{}{}}})", sum, content.size(), more);
  }
  std::string Pack(const std::string& format = "gnu") {
    const std::string path = directory_.File("image.tar");
    EXPECT_EQ(std::system(fmt::format("tar --format={} -C {} -cf {}{}", format,
                                      directory_.File("in"), path, files_)
                              .c_str()),
              0);
    return path;
  }

 private:
  const TestDirectory& directory_;
  std::string files_;
};

std::string ErrorOf(const Result<ImageContent>& image) {
  return image.ok() ? "it is taken" : image.error().message();
}

TEST(ImageArchiveTest, ReadsArchivesOfDockerSave) {
  const TestDirectory directory;
  ImageFile file(directory);
  const std::string one = file.Add("one", "amd64"), two = file.Add("two", "amd64");
  file.Put("manifest.json", fmt::format("[{},{}]", one, two));
  const std::string path = file.Pack();
  const Result<ImageContent> image = ReadImageArchive(path, "lab/two:1", "amd64");
  ASSERT_TRUE(image.ok()) << image.error().message();
  ASSERT_EQ(image->blobs.size(), 2u);
  EXPECT_EQ(image->blobs[1].sha256, automation::Sha256Of("layer of two"));
  EXPECT_EQ(automation::Sha256OfFile(image->blobs[1].part).value(), image->blobs[1].sha256);
  EXPECT_THAT(image->manifest, HasSubstr("image.layer.v1.tar\",\"size\""));
  EXPECT_THAT(image->manifest, HasSubstr(image->Id()));
  EXPECT_THAT(ErrorOf(ReadImageArchive(path, "lab/three:1", "amd64")),
              HasSubstr("it has 2 images, and none of them is called lab/three:1; there are "
                        "lab/one:1, lab/two:1"));
  EXPECT_THAT(ErrorOf(ReadImageArchive(path, "lab/two:1", "arm64")),
              HasSubstr("it has no image for linux/arm64, only for linux/amd64"));
}

TEST(ImageArchiveTest, ReadsOneArchitectureOfAnOciArchive) {
  const TestDirectory directory;
  for (const char* format : {"gnu", "pax", "ustar", "v7"}) {
    ImageFile file(directory);
    std::string entries;
    for (const std::string architecture : {"amd64", "arm64"}) {
      const std::string config =
          file.Blob(R"({"os":"linux","architecture":")" + architecture + "\"}");
      const std::string layer = file.Blob("layer for " + architecture);
      const std::string manifest = fmt::format(
          R"({{"schemaVersion":2,"config":{},"layers":[{},{}]}})", config, layer, layer);
      entries += (entries.empty() ? "" : ",") + file.Blob(manifest);
    }
    // One of another platform that is only named, as `--platform` leaves it.
    entries += fmt::format(R"(,{{"digest":"sha256:{}","size":1}})", std::string(64, 'a'));
    const std::string nested = file.Blob(fmt::format(R"({{"manifests":[{}]}})", entries));
    file.Put("index.json", fmt::format(R"({{"manifests":[{}]}})", nested));
    const Result<ImageContent> image = ReadImageArchive(file.Pack(format), "lab/any:1", "arm64");
    ASSERT_TRUE(image.ok()) << image.error().message();
    ASSERT_EQ(image->blobs.size(), 2u);
    EXPECT_EQ(image->blobs[1].sha256, automation::Sha256Of("layer for arm64"));
    EXPECT_EQ(image->media_type, "application/vnd.oci.image.manifest.v1+json");
  }
}

TEST(ImageArchiveTest, RefusesOtherFiles) {
  const TestDirectory directory;
  EXPECT_THAT(ErrorOf(ReadImageArchive(directory.File("none"), "a/b:1", "amd64")),
              HasSubstr("cannot read"));
  EXPECT_THAT(ErrorOf(ReadImageArchive(directory.Write("gz", "\x1f\x8b..."), "a/b:1", "amd64")),
              HasSubstr("is compressed; decompress it with gunzip first"));
  ImageFile other(directory);
  other.Put("readme", "hello");
  EXPECT_THAT(ErrorOf(ReadImageArchive(other.Pack(), "a/b:1", "amd64")),
              HasSubstr("neither index.json"));
  ImageFile incomplete(directory);
  incomplete.Put("manifest.json", R"([{"Config":"lost.json","Layers":[]}])");
  EXPECT_THAT(ErrorOf(ReadImageArchive(incomplete.Pack(), "a/b:1", "amd64")),
              HasSubstr("lost.json is not in it"));
  ImageFile damaged(directory);
  const std::string config = damaged.Blob(R"({"os":"linux","architecture":"amd64"})");
  const std::string sum = automation::Sha256Of("layer");
  damaged.Put("blobs/sha256/" + sum, "reyal");
  const std::string manifest = damaged.Blob(
      fmt::format(R"({{"config":{},"layers":[{{"digest":"sha256:{}"}}]}})", config, sum));
  damaged.Put("index.json", fmt::format(R"({{"manifests":[{}]}})", manifest));
  EXPECT_THAT(ErrorOf(ReadImageArchive(damaged.Pack(), "a/b:1", "amd64")),
              HasSubstr(sum + " is damaged"));
}

// --- where things come from

class ArtifactSourcesTest : public ::testing::Test {
 protected:
  std::string Get(const SourceSpec& source, const std::string& architecture = "amd64") {
    ArtifactSources sources(
        &runner_, {.directory = directory_.path(), .cache_directory = directory_.File("cache")});
    const Result<std::string> file = sources.Get({source}, architecture, "it");
    if (!file.ok()) return file.error().message();
    std::ifstream stream(*file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static SourceSpec Source(std::string SourceSpec::*kind, std::string value) {
    SourceSpec source;
    source.*kind = std::move(value);
    return source;
  }

  TestDirectory directory_;
  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<automation::Connector> local_ = automation::MakeLocalConnector({}, &random_);
  automation::Runner runner_{local_.get(), &clock_, {}};
};

TEST_F(ArtifactSourcesTest, VerifiesFilesAndCommandsBeforeUse) {
  directory_.Write("tool", "the tool");
  SourceSpec file = Source(&SourceSpec::file, "tool");
  EXPECT_EQ(Get(file), "the tool");
  file.sha256 = automation::Sha256Of("the tool");
  EXPECT_EQ(Get(file), "the tool");
  file.sha256 = std::string(64, '0');
  EXPECT_THAT(Get(file), HasSubstr("tool has the checksum "));
  EXPECT_THAT(Get(Source(&SourceSpec::file, "none")), HasSubstr("it: there is no file "));
  EXPECT_EQ(Get(Source(&SourceSpec::command, "cat tool; echo \" for $ARCH\""), "arm64"),
            "the tool for arm64\n");
  EXPECT_THAT(Get(Source(&SourceSpec::command, "echo no such thing >&2; exit 3")),
              HasSubstr("no such thing"));
  SourceSpec one = Source(&SourceSpec::file, "tool");
  one.architecture = "arm64";
  EXPECT_THAT(Get(one), HasSubstr("no source for amd64, only for arm64"));
}

}  // namespace
}  // namespace kubexms::cluster
