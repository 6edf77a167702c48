#include "kubexms/cli/scaffold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kubexms/base/json/yaml.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

ControllerScaffold WebSites() {
  return {.name = "web-sites", .group = "example.io", .kind = "WebSite"};
}

std::string ErrorOf(const ControllerScaffold& scaffold) {
  const Result<void> valid = scaffold.Validate();
  return valid.ok() ? "" : valid.error().message();
}

std::string TextOf(const std::vector<ScaffoldFile>& files, std::string_view path) {
  for (const ScaffoldFile& file : files) {
    if (file.path == path) return file.text;
  }
  return "there is no " + std::string(path);
}

std::string ReadText(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class ScaffoldDirectoryTest : public ::testing::Test {
 protected:
  ScaffoldDirectoryTest() {
    std::string path = (fs::temp_directory_path() / "kubexms-scaffold.XXXXXX").string();
    directory_ = mkdtemp(path.data());
  }
  ~ScaffoldDirectoryTest() override { fs::remove_all(directory_); }

  // Relative paths of all files and directories.
  std::vector<std::string> Everything() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
      names.push_back(fs::relative(entry.path(), directory_).string());
    }
    return names;
  }

  fs::path directory_;
};

TEST(ScaffoldTest, ReplacesAllPlaceholders) {
  for (const ScaffoldStyle style :
       {ScaffoldStyle::kReconciler, ScaffoldStyle::kStages, ScaffoldStyle::kRequest}) {
    for (const bool cluster_scoped : {false, true}) {
      ControllerScaffold scaffold = WebSites();
      scaffold.style = style;
      scaffold.cluster_scoped = cluster_scoped;
      for (const ScaffoldFile& file : MakeScaffold(scaffold)) {
        EXPECT_THAT(file.path, Not(HasSubstr("@")));
        EXPECT_THAT(file.text, Not(ContainsRegex("@[A-Za-z-]+@"))) << file.path;
        EXPECT_THAT(file.text, ::testing::EndsWith("\n")) << file.path;
      }
    }
  }
}

TEST(ScaffoldTest, NamesFilesAfterTheKind) {
  EXPECT_EQ(FileNameOfKind("WebSite"), "web_site");
  EXPECT_EQ(FileNameOfKind("HTTPRoute"), "http_route");
  EXPECT_EQ(FileNameOfKind("Node2Port"), "node2_port");
  EXPECT_EQ(FileNameOfKind("X"), "x");
  EXPECT_THAT(MakeScaffold(WebSites()),
              Contains(Field(&ScaffoldFile::path, "src/web_site_controller.cc")));
}

TEST(ScaffoldTest, WritesManifestsWithTheNames) {
  int documents = 0;
  for (const ScaffoldFile& file : MakeScaffold(WebSites())) {
    if (!file.path.ends_with(".yaml")) continue;
    const auto parsed = ParseYaml(file.text);
    ASSERT_TRUE(parsed.ok()) << file.path << ": " << parsed.error().message();
    documents += static_cast<int>(parsed->size());
  }
  EXPECT_EQ(documents, 11);
  const std::string crd = TextOf(MakeScaffold(WebSites()), "config/crd.yaml");
  EXPECT_THAT(crd, HasSubstr("name: websites.example.io"));
  EXPECT_THAT(crd, HasSubstr("scope: Namespaced"));
}

TEST(ScaffoldTest, WritesNoNamespaceForClusterScopedKinds) {
  ControllerScaffold scaffold = WebSites();
  scaffold.cluster_scoped = true;
  const std::vector<ScaffoldFile> files = MakeScaffold(scaffold);
  EXPECT_THAT(TextOf(files, "config/crd.yaml"), HasSubstr("scope: Cluster"));
  EXPECT_THAT(TextOf(files, "config/samples/web_site.yaml"), Not(HasSubstr("namespace")));
  EXPECT_THAT(TextOf(files, "src/web_site.h"), HasSubstr("Scope::kCluster"));
}

TEST(ScaffoldTest, RefusesInvalidNames) {
  EXPECT_EQ(ErrorOf(WebSites()), "");
  const auto with_name = [](std::string name) {
    return ErrorOf({.name = std::move(name), .group = "example.io", .kind = "WebSite"});
  };
  EXPECT_THAT(with_name("Web_Sites"), HasSubstr("NAME \"Web_Sites\": a DNS-1035 label must"));
  EXPECT_THAT(with_name(std::string(57, 'a')), HasSubstr("no more than 56 bytes"));
  EXPECT_THAT(with_name("true"), HasSubstr("is not a string in YAML"));
  const auto with_group = [](std::string group) {
    return ErrorOf({.name = "web-sites", .group = std::move(group), .kind = "WebSite"});
  };
  EXPECT_THAT(with_group("example"), HasSubstr("--group \"example\": must be a domain"));
  EXPECT_THAT(with_group("Example.io"), HasSubstr("--group"));
  EXPECT_THAT(with_group("apps.k8s.io"), HasSubstr("is reserved for Kubernetes"));
  EXPECT_THAT(with_group("1.2"), HasSubstr("YAML"));
}

TEST(ScaffoldTest, RefusesInvalidKinds) {
  const auto with_kind = [](std::string kind) {
    return ErrorOf({.name = "web-sites", .group = "example.io", .kind = std::move(kind)});
  };
  for (const char* kind : {"", "website", "Web-Site", "Wéb", "2Sites"}) {
    EXPECT_THAT(with_kind(kind), HasSubstr("must be in CamelCase")) << kind;
  }
  for (const char* kind : {"Object", "Client", "Outcome", "ConfigMap", "TestServer"}) {
    EXPECT_THAT(with_kind(kind), HasSubstr("conflicts with an identifier")) << kind;
  }
  // Words in comments and parts of identifiers are allowed.
  for (const char* kind : {"Where", "Spec", "Config", "Server"}) EXPECT_EQ(with_kind(kind), "");
  EXPECT_THAT(with_kind("Null"), HasSubstr("YAML"));
}

TEST(ScaffoldTest, RefusesInvalidVersions) {
  const auto with_version = [](std::string version) {
    ControllerScaffold scaffold = WebSites();
    scaffold.version = std::move(version);
    return ErrorOf(scaffold);
  };
  for (const char* version : {"v1", "v2beta1", "v10alpha12"}) EXPECT_EQ(with_version(version), "");
  for (const char* version : {"", "1", "v", "v0", "v1.2", "v1alpha", "v1gamma1", "v1beta0"}) {
    EXPECT_THAT(with_version(version), HasSubstr("must be like v1")) << version;
  }
}

TEST_F(ScaffoldDirectoryTest, WritesIntoANewOrEmptyDirectory) {
  const std::vector<ScaffoldFile> files = {{"a", "1\n"}, {"b/c", "2\n"}};
  const fs::path project = directory_ / "some" / "project";
  ASSERT_TRUE(WriteScaffold(files, project.string() + "/").ok());
  EXPECT_EQ(ReadText(project / "a"), "1\n");
  EXPECT_EQ(ReadText(project / "b" / "c"), "2\n");
  fs::create_directory(directory_ / "empty");
  ASSERT_TRUE(WriteScaffold(files, (directory_ / "empty").string()).ok());
  EXPECT_EQ(ReadText(directory_ / "empty" / "a"), "1\n");
}

TEST_F(ScaffoldDirectoryTest, RefusesADirectoryThatIsNotEmpty) {
  std::ofstream(directory_ / "mine") << "precious";
  const auto before = Everything();
  for (const fs::path& target : {directory_, directory_ / "mine"}) {
    const Result<void> written = WriteScaffold({{"a", "1"}}, target.string());
    ASSERT_FALSE(written.ok());
    EXPECT_THAT(written.error().message(), HasSubstr("nothing was written"));
  }
  EXPECT_EQ(Everything(), before);
}

TEST_F(ScaffoldDirectoryTest, RemovesAllFilesAfterAnError) {
  const Result<void> written =
      WriteScaffold({{"a", "1"}, {"a/b", "2"}}, (directory_ / "project").string());
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message(), HasSubstr("cannot write"));
  EXPECT_THAT(Everything(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace kubexms
