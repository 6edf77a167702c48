#include "kubexms/client/credentials/credentials.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "kubexms/base/json/json.h"
#include "kubexms/base/test_directory_test.h"

namespace kubexms {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CredentialsTest : public testing::Test {
 protected:
  std::unique_ptr<CredentialSource> Make(UserCredentials user) {
    return MakeCredentialSource(std::move(user), clock_);
  }
  static std::string Header(CredentialSource& source) {
    const auto credential = source.Get({});
    return credential.ok() ? credential->authorization.Reveal() : credential.error().message();
  }

  // A plugin that prints what `script` makes, and counts its runs.
  std::unique_ptr<CredentialSource> Plugin(const std::string& script) {
    const std::string path =
        directory_.WriteScript("plugin", "echo run >> " + directory_.File("runs") + "\n" + script);
    return Make(
        {.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1", .command = path}});
  }
  // A plugin that prints an ExecCredential with this status.
  std::unique_ptr<CredentialSource> PluginWithStatus(const std::string& status) {
    return Plugin(
        fmt::format("cat <<'END'\n{{\"apiVersion\":\"client.authentication.k8s.io/v1\","
                    "\"kind\":\"ExecCredential\",\"status\":{}}}\nEND\n",
                    status));
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(directory_.File(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t Runs() const { return Read("runs").size() / std::string("run\n").size(); }

  ManualClock clock_;
  const TestDirectory directory_;
};

TEST_F(CredentialsTest, FixedOnesBecomeAHeader) {
  EXPECT_EQ(Header(*Make({})), "");
  EXPECT_EQ(Header(*Make({.token = Secret("abc")})), "Bearer abc");
  EXPECT_EQ(Header(*Make({.username = "me", .password = Secret("pw")})), "Basic bWU6cHc=");
  EXPECT_FALSE(Make({.token = Secret("abc")})->Reject({}));
}

TEST_F(CredentialsTest, ATokenCannotForgeHeaders) {
  EXPECT_THAT(Header(*Make({.token = Secret("abc\r\nEvil: 1")})),
              AllOf(HasSubstr("characters"), Not(HasSubstr("abc"))));
}

TEST_F(CredentialsTest, RereadsATokenFileAfterAMinute) {
  const auto source = Make({.token_file = directory_.Write("token", "one\n")});
  EXPECT_EQ(Header(*source), "Bearer one");
  directory_.Write("token", "two");
  clock_.Advance(seconds(59));
  EXPECT_EQ(Header(*source), "Bearer one");
  clock_.Advance(seconds(1));
  EXPECT_EQ(Header(*source), "Bearer two");
}

TEST_F(CredentialsTest, UsesTheOldTokenWhileTheFileIsMissing) {
  const auto source = Make({.token_file = directory_.Write("token", "one")});
  EXPECT_EQ(Header(*source), "Bearer one");
  std::filesystem::remove(directory_.File("token"));
  clock_.Advance(seconds(60));
  EXPECT_EQ(Header(*source), "Bearer one");
  const auto never = Make({.token_file = directory_.File("token")});
  EXPECT_THAT(Header(*never), HasSubstr("there is no such token file"));
  directory_.Write("token", "two");
  EXPECT_EQ(Header(*never), "Bearer two") << "not only after a minute";
}

TEST_F(CredentialsTest, ARefusedTokenIsReplacedWhenTheFileHasAnother) {
  const auto source = Make({.token_file = directory_.Write("token", "one")});
  const Credential refused = source->Get({}).value();
  EXPECT_FALSE(source->Reject(refused));
  directory_.Write("token", "two");
  EXPECT_TRUE(source->Reject(refused));
  EXPECT_EQ(Header(*source), "Bearer two");
  EXPECT_TRUE(source->Reject(refused)) << "another thread may have been faster";
}

TEST_F(CredentialsTest, APluginRunsAgainWhenItsCredentialExpires) {
  const auto source =
      PluginWithStatus(R"({"token":"abc","expirationTimestamp":"2024-01-01T00:01:00Z"})");
  EXPECT_EQ(Header(*source), "Bearer abc");
  clock_.Advance(seconds(59));
  EXPECT_EQ(Header(*source), "Bearer abc");
  EXPECT_EQ(Runs(), 1);
  clock_.Advance(seconds(1));
  EXPECT_EQ(Header(*source), "Bearer abc");
  EXPECT_EQ(Runs(), 2);
}

TEST_F(CredentialsTest, APluginRunsAgainWhenItsCredentialIsRefused) {
  const auto source = PluginWithStatus(R"({"token":"abc"})");
  const Credential refused = source->Get({}).value();
  EXPECT_TRUE(source->Reject(refused));
  EXPECT_EQ(Header(*source), "Bearer abc");
  EXPECT_EQ(Runs(), 2);
  EXPECT_TRUE(source->Reject({.authorization = Secret("Bearer older")}));
  EXPECT_EQ(Header(*source), "Bearer abc");
  EXPECT_EQ(Runs(), 2) << "what was refused is not what is kept";
}

TEST_F(CredentialsTest, APluginMayGiveACertificate) {
  const auto authority = CertificateAuthority::Create({}, clock_.Now()).value();
  const CertificateAndKey pair =
      authority.Issue({.usage = CertificateUsage::kClient}, clock_.Now()).value();
  const auto source = PluginWithStatus(WriteJson(JsonObject{
      {"clientCertificateData", pair.certificate_pem}, {"clientKeyData", pair.key_pem}}));
  const auto credential = source->Get({});
  ASSERT_TRUE(credential.ok()) << credential.error().message();
  EXPECT_TRUE(credential->authorization.empty());
  EXPECT_EQ(credential->certificate->key_pem, pair.key_pem);
}

TEST_F(CredentialsTest, APluginReceivesTheCluster) {
  const std::string path = directory_.WriteScript(
      "plugin", "echo \"$KUBERNETES_EXEC_INFO|$1|$EXTRA\" > " + directory_.File("seen"));
  const auto source =
      Make({.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1beta1",
                               .command = path,
                               .arguments = {"argument one"},
                               .environment = {{"EXTRA", "more"}},
                               .cluster_json = R"({"server":"https://h"})"}});
  EXPECT_FALSE(source->Get({}).ok());
  EXPECT_EQ(Read("seen"),
            R"({"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential",)"
            R"("spec":{"cluster":{"server":"https://h"},"interactive":false}})"
            "|argument one|more\n");
}

TEST_F(CredentialsTest, PluginErrorsDoNotContainItsOutput) {
  EXPECT_THAT(Header(*Plugin("echo hunter2")),
              AllOf(HasSubstr("not JSON"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(Header(*Plugin("echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"v9\"}'")),
              HasSubstr("apiVersion must be client.authentication.k8s.io/v1"));
  EXPECT_THAT(Header(*PluginWithStatus("{}")), HasSubstr("neither a token nor a certificate"));
  EXPECT_THAT(Header(*PluginWithStatus(R"({"clientKeyData":"hunter2"})")),
              AllOf(HasSubstr("belong together"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(
      Header(*PluginWithStatus(R"({"clientKeyData":"hunter2","clientCertificateData":"x"})")),
      AllOf(HasSubstr("is not the key"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(Header(*PluginWithStatus(R"({"token":"t","expirationTimestamp":"soon"})")),
              HasSubstr("expirationTimestamp is not a time"));
  EXPECT_THAT(Header(*Plugin("echo 'log in first' >&2; exit 4")),
              HasSubstr("failed with exit code 4: log in first"));
}

TEST_F(CredentialsTest, AMissingPluginErrorHasTheInstallHint) {
  const auto error = Make({.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                                              .command = "no-such-login-program",
                                              .install_hint = "Run the installer."}})
                         ->Get({})
                         .error();
  EXPECT_EQ(error.message(),
            "get credentials for the server: there is no program \"no-such-login-program\": Run "
            "the installer.");
  EXPECT_TRUE(error.terminal());
}

TEST_F(CredentialsTest, APluginHasLimitedTime) {
  const auto source =
      Make({.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                               .command = directory_.WriteScript("slow", "sleep 1000"),
                               .timeout = std::chrono::milliseconds(50)}});
  EXPECT_THAT(Header(*source), HasSubstr("did not end within 50 ms"));
}

}  // namespace
}  // namespace kubexms
