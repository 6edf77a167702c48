#include "kubexms/cluster/modules/containerd/ctr_commands.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/base/random.h"
#include "kubexms/base/test_directory_test.h"

namespace kubexms::cluster {
namespace {

using automation::CommandResult;
using ::testing::HasSubstr;
using ::testing::Not;

// Runs commands with a ctr that prints what containerd 1.6 of Debian 12 prints.
class CtrCommandsTest : public ::testing::Test {
 protected:
  void SetCtr(const std::string& script) {
    const std::string path = directory_.Write("ctr", "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  CommandResult Run(const std::string& command) {
    return local_
        ->Exec({.script = fmt::format("PATH={}:$PATH\n{}", directory_.path(), command),
                .as_root = false})
        .value();
  }
  void SetPlugins(const std::string& cri_status) {
    SetCtr(
        "cat <<'END'\n"
        "TYPE                            ID              PLATFORMS      STATUS    \n"
        "io.containerd.content.v1        content         -              ok        \n"
        "io.containerd.snapshotter.v1    aufs            linux/amd64    skip      \n"
        "io.containerd.grpc.v1           cri             linux/amd64    " +
        cri_status + "\nEND\n");
  }

  TestDirectory directory_;
  SystemRandom random_;
  const std::unique_ptr<automation::Connector> local_ =
      automation::MakeLocalConnector({}, &random_);
};

TEST_F(CtrCommandsTest, RuntimeIsReadyWhenTheCriPluginIsOk) {
  SetPlugins("ok        ");
  EXPECT_EQ(Run(RuntimeReadyCommand()).exit_code, 0);
}

TEST_F(CtrCommandsTest, RuntimeIsNotReadyWhenTheCriPluginFailed) {
  SetPlugins("error     ");
  const CommandResult result = Run(RuntimeReadyCommand());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("error"));
  EXPECT_THAT(result.output, Not(HasSubstr("content")));
}

TEST_F(CtrCommandsTest, RuntimeIsNotReadyWhenContainerdDoesNotRun) {
  SetCtr("echo 'ctr: cannot access socket /run/containerd/containerd.sock' >&2; exit 1\n");
  const CommandResult result = Run(RuntimeReadyCommand());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("cannot access socket"));
  EXPECT_EQ(Run(ListImagesCommand(std::vector<std::string>{"lab.test/one:1"})).output, "");
}

TEST_F(CtrCommandsTest, ListsTheIdsOfImagesThatCriManages) {
  SetCtr(
      "cat <<'END'\n"
      "REF            TYPE                                                 DIGEST     SIZE      "
      "PLATFORMS   LABELS\n"
      "lab.test/one:1 application/vnd.docker.distribution.manifest.v2+json sha256:d1  1.2 MiB   "
      "linux/amd64 io.cri-containerd.image=managed\n"
      "lab.test/new:1 application/vnd.oci.image.manifest.v1+json           sha256:d2  713.8 KiB "
      "linux/amd64 -\n"
      "lab.test/two:1 application/vnd.oci.image.index.v1+json              sha256:d3  9 B       "
      "linux/amd64,linux/arm64 io.cri-containerd.image=managed\n"
      "lab.test/old:1 application/vnd.oci.image.manifest.v1+json           sha256:d4  1.2 MiB   "
      "linux/amd64 io.cri-containerd.image=managed\n"
      "sha256:i1      application/vnd.docker.distribution.manifest.v2+json sha256:d1  1.2 MiB   "
      "linux/amd64 io.cri-containerd.image=managed\n"
      "sha256:i3      application/vnd.oci.image.index.v1+json              sha256:d3  9 B       "
      "linux/amd64 io.cri-containerd.image=managed\n"
      "END\n");
  const std::vector<std::string> names = {"lab.test/two:1", "lab.test/new:1", "lab.test/one:1",
                                          "lab.test/none:1", "lab.test/old:1"};
  EXPECT_EQ(Run(ListImagesCommand(names)).output,
            "lab.test/two:1 sha256:i3\nlab.test/one:1 sha256:i1\nlab.test/old:1 sha256:d4\n");
}

}  // namespace
}  // namespace kubexms::cluster
