#include "kubexms/cluster/artifact.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kubexms/automation/checksum.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/cluster/artifact_build.h"
#include "kubexms/cluster/tar_file.h"

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

TEST(ArtifactBuildTest, ReadsWhatAptWouldInstall) {
  EXPECT_THAT(SimulatedInstalls("Reading package lists...\n"
                                "Inst runc (1.1 Debian:12/stable, Security:12/stable [amd64])\n"
                                "Inst libc6 [2.35] (2.36-9 Debian:12/stable [amd64]) []\n"
                                "Conf runc (1.1 Debian:12/stable [amd64])\n"),
              ElementsAre(Pair("runc", "1.1"), Pair("libc6", "2.36-9")));
}

TEST(ArtifactBuildTest, TakesPackagesAndWhatTheyNeedFromAnIndex) {
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

TEST(DebianControlTest, NamesWhatIsNeeded) {
  EXPECT_THAT(DependencyNames("a (>= 1), b | c:any ,d [amd64],"),
              ElementsAre(ElementsAre("a"), ElementsAre("b", "c"), ElementsAre("d")));
  EXPECT_THAT(DependencyNames(""), IsEmpty());
  EXPECT_THAT(ControlParagraph::ParseAll("\n\n"), IsEmpty());
  EXPECT_EQ(ControlParagraph::ParseAll(kIndex)[0].Get("Description"),
            "runs containers\n in several lines");
}

class ArtifactTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, std::vector<ArtifactPackage> packages) const {
    ArtifactManifest manifest;
    manifest.os = "debian-12";
    manifest.architecture = "amd64";
    for (ArtifactPackage& package : packages) {
      const std::string content = "content of " + package.name;
      package.size = static_cast<int64_t>(content.size());
      package.sha256 = automation::Sha256Of(content);
      directory_.Write(PackageFileName(package), content);
    }
    manifest.packages = std::move(packages);
    const std::string path = directory_.File(name);
    const Result<void> written = WriteArtifact(path, manifest, [&](const ArtifactPackage& package) {
      return directory_.File(PackageFileName(package));
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

TEST_F(ArtifactTest, HasWhatWasWrittenAndIsReadableByTar) {
  const std::string path = Write("a", Packages());
  const auto artifact = Artifact::Open(path);
  ASSERT_TRUE(artifact.ok()) << artifact.error().message();
  EXPECT_EQ((*artifact)->System(), "debian-12 amd64");
  const ArtifactPackage* runc = (*artifact)->Find("runc");
  ASSERT_NE(runc, nullptr);
  EXPECT_TRUE((*artifact)->Verify(*runc).ok());
  auto reader = automation::FilePartReader::Open((*artifact)->PartOf(*runc)).value();
  EXPECT_EQ(reader.Read(100).value(), "content of runc");
  EXPECT_EQ((*artifact)->Find("run"), nullptr);
  std::vector<std::string> names;
  for (const ArtifactPackage* package : (*artifact)->WithDependencies({"containerd", "none"})) {
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

TEST_F(ArtifactTest, RefusesWhatIsDamaged) {
  const std::string path = Write("a", Packages());
  const std::string bytes = directory_.Read("a");
  const auto message = [&](const std::string& file) {
    const auto opened = Artifact::Open(file);
    return opened.ok() ? std::string("it is accepted") : opened.error().message();
  };
  EXPECT_THAT(message(directory_.File("none")), HasSubstr("No such file"));
  EXPECT_THAT(message(directory_.Write("x", std::string(4096, 'x'))),
              HasSubstr("not an archive that kubexms has written"));
  EXPECT_THAT(message(directory_.Write("x", bytes + std::string(512, 'x'))), "it is accepted");
  for (const size_t size : {size_t{0}, size_t{100}, bytes.size() / 2, bytes.size() - 512}) {
    EXPECT_THAT(message(directory_.Write("x", bytes.substr(0, size))), HasSubstr("is cut off"))
        << size;
  }
  EXPECT_THAT(message(Alter("a", "debian-12")), HasSubstr("its manifest was altered"));
  EXPECT_THAT(message(Alter("a", "crun_2_all.deb")), HasSubstr("not an archive"));
  const auto altered = Artifact::Open(Alter("a", "content of crun"));
  ASSERT_TRUE(altered.ok());
  EXPECT_TRUE((*altered)->Verify(*(*altered)->Find("runc")).ok());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT((*altered)->Verify(*(*altered)->Find("crun")).error().message(),
                HasSubstr("packages/crun_2_all.deb was altered or is damaged"));
  }
}

TEST_F(ArtifactTest, RefusesWhatALaterKubexmsWrote) {
  const auto archive = TarWriter::Create(directory_.File("a"));
  ASSERT_TRUE(archive.ok());
  const std::string manifest = R"({"format":2,"os":"debian-12","architecture":"amd64"})";
  ASSERT_TRUE((*archive)->Add(kManifestName, manifest).ok());
  ASSERT_TRUE((*archive)
                  ->Add(kManifestSumName,
                        fmt::format("{}  manifest.json\n", automation::Sha256Of(manifest)))
                  .ok());
  EXPECT_FALSE(directory_.Has("a")) << "before it is complete";
  ASSERT_TRUE((*archive)->Finish().ok());
  EXPECT_THAT(Artifact::Open(directory_.File("a")).error().message(),
              HasSubstr("it has format 2, and this kubexms knows 1"));
}

}  // namespace
}  // namespace kubexms::cluster
