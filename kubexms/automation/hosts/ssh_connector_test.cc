#include "kubexms/automation/hosts/ssh_connector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kubexms/automation/hosts/connector_suite_test.h"
#include "kubexms/automation/hosts/sshd_test.h"

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SshConnectorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!TestSshd::IsPossible()) GTEST_SKIP() << TestSshd::kImpossible;
    sshd_ = std::make_unique<TestSshd>();
  }

  std::unique_ptr<Connector> Make(SshRoute route, Secret sudo_password = {}) {
    return MakeSshConnector({.route = std::move(route), .sudo = {sudo_password}}, &connections_,
                            &random_);
  }
  // The error of a first command; empty when it worked.
  std::string Attempt(const SshEndpoint& endpoint, Secret sudo_password = {}) {
    const Result<CommandResult> result =
        Make({endpoint}, std::move(sudo_password))->Exec({.script = "true"});
    return result.ok() ? "" : result.error().message();
  }

  SystemRandom random_;
  std::unique_ptr<TestSshd> sshd_;
  SshConnections connections_;
};

// The suite, as root and as users that need sudo.
class SshSuiteTest : public SshConnectorTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    SshConnectorTest::SetUp();
    if (!sshd_) return;
    const std::string user = GetParam();
    connector_ = Make({sshd_->Endpoint(user)}, user == "asks" ? Secret(kTestPassword) : Secret());
  }
  std::unique_ptr<Connector> connector_;
};

INSTANTIATE_TEST_SUITE_P(Users, SshSuiteTest, ::testing::Values("root", "asks", "free"),
                         [](const auto& user) { return std::string(user.param); });

TEST_P(SshSuiteTest, RunsCommands) { RunsCommands(*connector_); }
TEST_P(SshSuiteTest, StreamsOutput) { StreamsOutputWhileTheCommandRuns(*connector_); }
TEST_P(SshSuiteTest, RetainsTheEndOfLongOutput) { RetainsTheEndOfLongOutput(*connector_); }
TEST_P(SshSuiteTest, KillsAllProcessesAtTheTimeout) { EndsTheProcessTreeAtTheTimeout(*connector_); }
TEST_P(SshSuiteTest, KillsAllProcessesOnStop) { EndsTheProcessTreeWhenStopped(*connector_); }
TEST_P(SshSuiteTest, RunsManyCommandsAtOnce) { RunsManyCommandsAtOnce(*connector_); }
TEST_P(SshSuiteTest, UploadsAndDownloadsFiles) { UploadsAndDownloadsFiles(*connector_); }

TEST_P(SshSuiteTest, RunsAsRootByDefault) {
  EXPECT_EQ(MustExec(*connector_, {.script = "id -un"}).output, "root\n");
  EXPECT_EQ(MustExec(*connector_, {.script = "id -un", .as_root = false}).output,
            std::string(GetParam()) + "\n");
}

TEST_F(SshConnectorTest, LogsInWithEveryKindOfKey) {
  for (const char* key : {"ed25519", "ecdsa", "rsa"}) {
    SshConnections fresh;
    const auto connector =
        MakeSshConnector({.route = {sshd_->Endpoint("root", key)}}, &fresh, &random_);
    const Result<CommandResult> result = connector->Exec({.script = "true"});
    EXPECT_TRUE(result.ok()) << key << ": " << result.error().message();
  }
}

TEST_F(SshConnectorTest, LogsInWithTheTextOfAKey) {
  SshEndpoint endpoint = sshd_->Endpoint("root");
  endpoint.private_key_files.clear();
  endpoint.private_key = Secret(TestKeys::Get().Read("ed25519"));
  EXPECT_EQ(Attempt(endpoint), "");
}

TEST_F(SshConnectorTest, RequiresThePassphraseOfAnEncryptedKey) {
  SshEndpoint endpoint = sshd_->Endpoint("root", "encrypted");
  EXPECT_THAT(Attempt(endpoint), HasSubstr("does it need a passphrase?"));
  endpoint.passphrase = Secret("wrong");
  EXPECT_THAT(Attempt(endpoint), HasSubstr("cannot be read with the passphrase"));
  endpoint.passphrase = Secret(kTestPassphrase);
  EXPECT_EQ(Attempt(endpoint), "");
}

TEST_F(SshConnectorTest, LogsInWithAPassword) {
  SshEndpoint endpoint = sshd_->Endpoint("free", "unknown");
  endpoint.password = Secret("wrong");
  EXPECT_THAT(Attempt(endpoint), HasSubstr("accepts none of the keys and passwords"));
  endpoint.password = Secret(kTestPassword);
  EXPECT_EQ(Attempt(endpoint), "");
}

TEST_F(SshConnectorTest, LogsInWithAnAgent) {
  const TestDirectory directory;
  const std::string socket = directory.File("agent");
  MustRun(fmt::format("ssh-agent -a {} >{}", socket, directory.File("variables")));
  MustRun(fmt::format("SSH_AUTH_SOCK={} ssh-add -q {}", socket, TestKeys::Get().File("ecdsa")));
  SshEndpoint endpoint = sshd_->Endpoint("root", "unknown");
  endpoint.use_agent = true;
  endpoint.agent_socket = socket;
  EXPECT_EQ(Attempt(endpoint), "");
  MustRun(fmt::format(". {} >/dev/null; kill $SSH_AGENT_PID", directory.File("variables")));
}

TEST_F(SshConnectorTest, ExplainsSudoErrors) {
  EXPECT_THAT(Attempt(sshd_->Endpoint("asks"), Secret("wrong")),
              HasSubstr("sudo does not accept the password"));
  EXPECT_THAT(Attempt(sshd_->Endpoint("asks")), HasSubstr("set sudoPassword of the host"));
  EXPECT_THAT(Attempt(sshd_->Endpoint("none"), Secret(kTestPassword)),
              HasSubstr("may not use sudo"));
}

TEST_F(SshConnectorTest, TriesAWrongSudoPasswordOnce) {
  const auto connector = Make({sshd_->Endpoint("asks")}, Secret("wrong"));
  for (int i = 0; i < 3; ++i) {
    const Result<CommandResult> refused = connector->Exec({.script = "true"});
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(refused.error().terminal());
    EXPECT_THAT(refused.error().message(), HasSubstr("sudo does not accept the password"));
  }
  EXPECT_EQ(connector->round_trips(), 1u);
  EXPECT_EQ(MustExec(*connector, {.script = "echo mine", .as_root = false}).output, "mine\n");
}

TEST_F(SshConnectorTest, AcceptsAnUnneededSudoPassword) {
  const auto connector = Make({sshd_->Endpoint("free")}, Secret(kTestPassword));
  EXPECT_EQ(MustExec(*connector, {.script = "cat", .input = "input"}).output, "input");
}

TEST_F(SshConnectorTest, KeepsPasswordsOutOfTheProcessList) {
  const auto connector = Make({sshd_->Endpoint("asks")}, Secret(kTestPassword));
  const CommandResult result = MustExec(
      *connector, {.script = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null; true"});
  EXPECT_EQ(result.output.find(kTestPassword), std::string::npos);
  EXPECT_THAT(sshd_->Log(), Not(HasSubstr(kTestPassword)));
}

TEST_F(SshConnectorTest, TrustsAKeyOnFirstUseAndNeverAnotherOne) {
  EXPECT_EQ(Attempt(sshd_->Endpoint("root")), "");
  EXPECT_THAT(sshd_->known_hosts(),
              HasSubstr(fmt::format("[127.0.0.1]:{} ssh-ed25519", sshd_->port())));
  // Another host at the same place.
  const std::string known =
      fmt::format("[127.0.0.1]:{} {}", sshd_->port(), TestKeys::Get().Read("other_host.pub"));
  sshd_->SetKnownHosts(known);
  SshConnections fresh;
  const auto connector = MakeSshConnector({.route = {sshd_->Endpoint("root")}}, &fresh, &random_);
  const Result<CommandResult> refused = connector->Exec({.script = "true"});
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().terminal());
  EXPECT_THAT(refused.error().message(), HasSubstr("differs from the known one"));
  EXPECT_EQ(sshd_->known_hosts(), known);
}

TEST_F(SshConnectorTest, RefusesAnUnknownHostKey) {
  SshEndpoint endpoint = sshd_->Endpoint("root");
  endpoint.host_key.trust_on_first_use = false;
  EXPECT_THAT(Attempt(endpoint), HasSubstr("is unknown"));
  endpoint.host_key.known_hosts_file = TestKeys::Get().File("users_known_hosts");
  std::ofstream(endpoint.host_key.known_hosts_file)
      << fmt::format("[127.0.0.1]:{} {}", sshd_->port(), TestKeys::Get().Read("host_ed25519.pub"));
  EXPECT_EQ(Attempt(endpoint), "");
  EXPECT_EQ(sshd_->known_hosts(), "");
}

TEST_F(SshConnectorTest, RequiresAPinnedKey) {
  const TestKeys& keys = TestKeys::Get();
  SshEndpoint endpoint = sshd_->Endpoint("root");
  endpoint.host_key.pinned = {keys.Read("other_host.pub")};
  EXPECT_THAT(Attempt(endpoint), HasSubstr("is not one of hostKey in the configuration"));
  std::string key = keys.Read("host_ed25519.pub");
  key.pop_back();
  endpoint.host_key.pinned = {key};
  EXPECT_EQ(Attempt(endpoint), "");
  SshConnections fresh;
  MustRun(fmt::format("ssh-keygen -lf {} | cut -d' ' -f2 | tr -d '\\n' >{}",
                      keys.File("host_ed25519.pub"), keys.File("fingerprint")));
  endpoint.host_key.pinned = {keys.Read("fingerprint")};
  EXPECT_TRUE(
      MakeSshConnector({.route = {endpoint}}, &fresh, &random_)->Exec({.script = "true"}).ok());
  EXPECT_EQ(sshd_->known_hosts(), "");
}

TEST_F(SshConnectorTest, ConnectsThroughAChainOfBastions) {
  TestSshd second("host_ecdsa"), third("host_rsa");
  const auto connector =
      Make({sshd_->Endpoint("none"), second.Endpoint("free"), third.Endpoint("asks")},
           Secret(kTestPassword));
  RunsCommands(*connector);
  RunsManyCommandsAtOnce(*connector);
  UploadsAndDownloadsFiles(*connector);
  EXPECT_THAT(third.Log(), HasSubstr("for asks"));
  EXPECT_THAT(third.known_hosts(), HasSubstr("ssh-rsa"));
}

TEST_F(SshConnectorTest, SharesOneConnection) {
  const auto one = Make({sshd_->Endpoint("root")}), two = Make({sshd_->Endpoint("root")});
  RunsManyCommandsAtOnce(*one);
  RunsManyCommandsAtOnce(*two);
  const std::string log = sshd_->Log();
  const size_t first = log.find("Accepted publickey");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(log.find("Accepted publickey", first + 1), std::string::npos);
}

TEST_F(SshConnectorTest, ReconnectsAfterALostConnection) {
  const auto connector = Make({sshd_->Endpoint("root")});
  const Result<CommandResult> lost =
      connector->Exec({.script = "echo here; exec sleep 60"},
                      [&](OutputStream, std::string_view) { sshd_->DropConnections(); }, {});
  ASSERT_FALSE(lost.ok());
  EXPECT_TRUE(lost.error().IsTransient()) << lost.error().message();
  EXPECT_THAT(lost.error().message(), HasSubstr("connection lost"));
  RunsCommands(*connector);
}

TEST_F(SshConnectorTest, JobSurvivesItsConnection) {
  const auto connector = Make({sshd_->Endpoint("root")});
  const TestDirectory directory;
  const std::string job = directory.File("job");
  MustPerform(*connector, StartJob{job, "until [ -e " + directory.File("go") +
                                            " ]; do sleep 0.01; done; echo survived"});
  sshd_->DropConnections();
  while (connector->Exec({.script = "true"}).ok() &&
         sshd_->Log().find("Accepted") == sshd_->Log().rfind("Accepted")) {
  }
  directory.Write("go", "");
  JobState state;
  while (state.state != "done") state = MustPerform(*connector, GetJob{job});
  EXPECT_EQ(state.output, "survived\n");
}

TEST_F(SshConnectorTest, ReportsAnUnreachableHost) {
  SshEndpoint endpoint = sshd_->Endpoint("root");
  endpoint.port = UnusedPort();
  const Result<CommandResult> result = Make({endpoint})->Exec({.script = "true"});
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().IsTransient());
  EXPECT_THAT(result.error().message(), HasSubstr("Connection refused"));
}

TEST_F(SshConnectorTest, CachesConnectionFailures) {
  SshEndpoint endpoint = sshd_->Endpoint("root");
  const int port = endpoint.port;
  endpoint.port = UnusedPort();
  for (const bool remembers : {true, false}) {
    SshConnections connections(remembers ? std::chrono::hours(1) : std::chrono::hours(0));
    const auto attempt = [&](const SshEndpoint& at) {
      const Result<CommandResult> result =
          MakeSshConnector({.route = {at}}, &connections, &random_)->Exec({.script = "true"});
      return result.ok() ? "" : result.error().message();
    };
    EXPECT_THAT(attempt(endpoint), HasSubstr("Connection refused"));
    // The port now belongs to a server that does not speak SSH.
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{.sin_family = AF_INET,
                        .sin_port = htons(static_cast<uint16_t>(endpoint.port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener, 1), 0);
    endpoint.connect_timeout = std::chrono::milliseconds(50);
    EXPECT_EQ(attempt(endpoint).find("Connection refused") != std::string::npos, remembers);
    ::close(listener);
    SshEndpoint other = endpoint;
    other.port = port;
    other.connect_timeout = SshEndpoint().connect_timeout;
    EXPECT_EQ(attempt(other), "") << "that is another host";
  }
}

TEST(ResolveRouteTest, DefaultsToTheSshConfiguration) {
  const Result<SshConfig> config = SshConfig::Parse(
      "Host node*\n  HostName 10.0.0.%h\n  User admin\n  ProxyJump gate,ops@inner:2200\n"
      "Host node1\n  HostName never\n"
      "Host gate\n  HostName gate.example.com\n  Port 2022\n  IdentityFile ~/.ssh/gate\n",
      "/home/me");
  ASSERT_TRUE(config.ok());
  const Result<SshRoute> route =
      ResolveRoute({.host = "node1", .private_key_files = {"/key"}}, *config);
  ASSERT_TRUE(route.ok());
  ASSERT_EQ(route->size(), 3u);
  EXPECT_EQ((*route)[0].Describe(), "admin@gate.example.com:2022");
  EXPECT_EQ((*route)[0].private_key_files, std::vector<std::string>{"/home/me/.ssh/gate"});
  EXPECT_EQ((*route)[1].Describe(), "ops@inner:2200");
  EXPECT_EQ((*route)[1].private_key_files, std::vector<std::string>{"/key"});
  EXPECT_EQ((*route)[2].Describe(), "admin@10.0.0.%h:22");
}

}  // namespace
}  // namespace kubexms::automation
