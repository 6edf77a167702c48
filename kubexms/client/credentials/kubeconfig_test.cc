#include "kubexms/client/credentials/kubeconfig.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "kubexms/base/json/json.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A kubeconfig whose context "c" has these members of its cluster and user, in flow style.
std::string Config(const std::string& cluster, const std::string& user) {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "current-context: c\n"
      "contexts: [{{name: c, context: {{cluster: k, user: u, namespace: team}}}}]\n"
      "clusters: [{{name: k, cluster: {{{}}}}}]\n"
      "users: [{{name: u, user: {{{}}}}}]\n",
      cluster, user);
}

constexpr const char* kServer = "server: 'https://h:1'";

std::string ErrorOf(const std::string& text) {
  const auto config = ParseKubeconfig(text);
  return config.ok() ? "no error" : config.error().message();
}

EnvironmentReader Variables(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

CertificateAndKey MakePair() {
  const auto authority = CertificateAuthority::Create({}, std::chrono::system_clock::now()).value();
  return authority
      .Issue({.subject = {.common_name = "me"}, .usage = CertificateUsage::kClient},
             std::chrono::system_clock::now())
      .value();
}

TEST(KubeconfigTest, ReadsClusterUserAndNamespace) {
  const ClientConfig config =
      ParseKubeconfig(Config("server: 'https://h:1/p', tls-server-name: api, "
                             "certificate-authority-data: " +
                                 EncodeBase64("PEM"),
                             "token: abc, username: me, password: pw"))
          .value();
  EXPECT_EQ(config.server, "https://h:1/p");
  EXPECT_EQ(config.server_name, "api");
  EXPECT_EQ(config.ca_pem, "PEM");
  EXPECT_FALSE(config.insecure_skip_verify);
  EXPECT_EQ(config.namespace_name, "team");
  EXPECT_EQ(config.user.token.Reveal(), "abc");
  EXPECT_EQ(config.user.username, "me");
  EXPECT_EQ(config.user.password.Reveal(), "pw");
}

TEST(KubeconfigTest, ReadsCertificatesFromDataAndFiles) {
  const CertificateAndKey pair = MakePair();
  const ClientConfig from_data =
      ParseKubeconfig(
          Config(kServer,
                 fmt::format("client-certificate-data: {}, client-key-data: {}",
                             EncodeBase64(pair.certificate_pem), EncodeBase64(pair.key_pem))))
          .value();
  EXPECT_EQ(from_data.user.certificate->key_pem, pair.key_pem);

  const TestDirectory directory;
  directory.Write("pki/me.crt", pair.certificate_pem);
  directory.Write("pki/me.key", pair.key_pem);
  directory.Write("pki/ca.crt", "CA");
  const std::string path = directory.Write(
      "config", Config("server: 'https://h:1', certificate-authority: pki/ca.crt",
                       "client-certificate: pki/me.crt, client-key: pki/me.key, tokenFile: tok"));
  const ClientConfig from_files = LoadClientConfig({.kubeconfig = path}).value();
  EXPECT_EQ(from_files.ca_pem, "CA");
  EXPECT_EQ(from_files.ca_file, directory.File("pki/ca.crt"));
  EXPECT_EQ(from_files.user.certificate_file, directory.File("pki/me.crt"));
  EXPECT_EQ(from_files.user.key_file, directory.File("pki/me.key"));
  EXPECT_EQ(from_files.user.certificate->certificate_pem, pair.certificate_pem);
  EXPECT_EQ(from_files.user.token_file, directory.File("tok"));
  directory.Write("pki/ca.crt", "");
  EXPECT_THAT(LoadClientConfig({.kubeconfig = path}).error().message(),
              HasSubstr("cluster.certificate-authority: the file "));
}

TEST(KubeconfigTest, ReadsPlugins) {
  const ClientConfig config =
      ParseKubeconfig(
          Config("server: 'https://h:1', extensions: [{name: client.authentication.k8s.io/exec, "
                 "extension: {audience: a}}]",
                 "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, "
                 "args: [a, b], env: [{name: ONE, value: v}], installHint: get it, "
                 "provideClusterInfo: true, interactiveMode: IfAvailable}"),
          "", "/etc/k")
          .value();
  const ExecPlugin& plugin = *config.user.exec;
  EXPECT_EQ(plugin.command, "/etc/k/./bin/login");
  EXPECT_EQ(plugin.arguments, std::vector<std::string>({"a", "b"}));
  EXPECT_EQ(plugin.environment.at(0).second, "v");
  EXPECT_EQ(plugin.install_hint, "get it");
  EXPECT_EQ(plugin.cluster_json, R"({"config":{"audience":"a"},"server":"https://h:1"})");
}

TEST(KubeconfigTest, ReadsAsWhomToAct) {
  const Impersonation impersonate =
      ParseKubeconfig(Config(kServer,
                             "as: joe, as-uid: '7', as-groups: [dev, ops], "
                             "as-user-extra: {example.com/scopes: [a, b]}"))
          ->user.impersonate;
  EXPECT_EQ(impersonate.user, "joe");
  EXPECT_EQ(impersonate.uid, "7");
  EXPECT_EQ(impersonate.groups, std::vector<std::string>({"dev", "ops"}));
  EXPECT_EQ(impersonate.extra.at("example.com/scopes"), std::vector<std::string>({"a", "b"}));
}

TEST(KubeconfigTest, ErrorsNameTheFieldAndWhatToDo) {
  EXPECT_EQ(ErrorOf(Config("server: ''", "")),
            "kubeconfig: clusters[k].cluster.server: must be a URL such as "
            "https://api.example.com:6443");
  EXPECT_THAT(ErrorOf(Config("server: 'https://h', proxy-url: 'socks5://p'", "")),
              HasSubstr("clusters[k].cluster.proxy-url: a proxy's URL must start with http://"));
  EXPECT_THAT(ErrorOf(Config("server: 'https://h', insecure-skip-tls-verify: true, "
                             "certificate-authority-data: QQ==",
                             "")),
              HasSubstr("contradicts certificate-authority"));
  EXPECT_THAT(ErrorOf(Config("server: 'https://h', certificate-authority: /nowhere/ca", "")),
              HasSubstr("cluster.certificate-authority: there is no file /nowhere/ca"));
  EXPECT_THAT(ErrorOf(Config(kServer, "auth-provider: {name: gcp}")),
              HasSubstr("users[u].user.auth-provider: is not supported"));
  EXPECT_THAT(ErrorOf(Config(kServer, "as-groups: [a]")), HasSubstr("user.as: is missing"));
  EXPECT_THAT(ErrorOf(Config(kServer, "as: \"a\\r\\nb: c\"")), HasSubstr("control characters"));
  EXPECT_THAT(ErrorOf(Config(kServer, "exec: {apiVersion: v0, command: x}")),
              HasSubstr("user.exec.apiVersion: must be client.authentication.k8s.io/v1 or"));
  EXPECT_THAT(ErrorOf(Config(kServer, "exec: {apiVersion: client.authentication.k8s.io/v1}")),
              HasSubstr("user.exec.command: is empty"));
  EXPECT_THAT(ErrorOf(Config(kServer,
                             "exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
                             "interactiveMode: Always}")),
              HasSubstr("interactiveMode"));
  EXPECT_THAT(ErrorOf("clusters: 3"), HasSubstr("clusters: expected array"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("current-context: is empty"));
  EXPECT_THAT(ErrorOf("{"), HasSubstr("kubeconfig: "));
}

TEST(KubeconfigTest, ErrorsNameWhatThereIs) {
  const std::string text = Config(kServer, "");
  EXPECT_EQ(ParseKubeconfig(text, "d").error().message(),
            "kubeconfig: contexts: there is no context \"d\"; there are c");
  EXPECT_THAT(ErrorOf("current-context: c\ncontexts: [{name: c, context: {cluster: x}}]"),
              HasSubstr("contexts[c].context.cluster: there is no cluster \"x\""));
  EXPECT_THAT(ErrorOf("current-context: c\ncontexts: [{name: c, context: {}}]"),
              HasSubstr("contexts[c].context.cluster: is empty"));
}

TEST(KubeconfigTest, ErrorsHaveNoSecrets) {
  for (const char* user : {"client-key-data: '!hunter2!', token: hunter2", "token: [hunter2]",
                           "password: {hunter2: 1}", "client-key-data: aHVudGVyMg=="}) {
    EXPECT_THAT(ErrorOf(Config(kServer, user)),
                AllOf(Not(HasSubstr("hunter2")), Not(HasSubstr("aHVudGVyMg")), HasSubstr("user")));
  }
}

TEST(KubeconfigTest, AKeyMustBelongToItsCertificate) {
  EXPECT_THAT(
      ErrorOf(Config(kServer, fmt::format("client-certificate-data: {}, client-key-data: {}",
                                          EncodeBase64(MakePair().certificate_pem),
                                          EncodeBase64(MakePair().key_pem)))),
      HasSubstr("client-key: does not belong to client-certificate"));
}

TEST(LoadClientConfigTest, UsesTheFirstExistingSource) {
  const TestDirectory directory;
  const std::string explicit_path = directory.Write("a", Config("server: 'https://a'", ""));
  const std::string listed = directory.Write("b", Config("server: 'https://b'", ""));
  const std::map<std::string, std::string> both = {{"KUBECONFIG", listed},
                                                   {"HOME", directory.path()}};
  const std::map<std::string, std::string> home = {{"HOME", directory.path()}};
  EXPECT_EQ(LoadClientConfig({.kubeconfig = explicit_path, .environment = Variables(both)})->server,
            "https://a");
  EXPECT_EQ(LoadClientConfig({.environment = Variables(both)})->server, "https://b");
  EXPECT_THAT(LoadClientConfig({.environment = Variables(home)}).error().message(),
              HasSubstr("no server is configured"));
  directory.Write(".kube/config", Config("server: 'https://c'", ""));
  EXPECT_EQ(LoadClientConfig({.environment = Variables(home)})->server, "https://c");
}

TEST(LoadClientConfigTest, FindsTheProxy) {
  const TestDirectory directory;
  const std::string own =
      directory.Write("own", Config("server: 'https://h', proxy-url: 'http://own:1'", ""));
  const std::string none = directory.Write("none", Config("server: 'https://h'", ""));
  const auto load = [](const std::string& path, const std::string& variable) {
    const auto config = LoadClientConfig(
        {.kubeconfig = path, .environment = Variables({{"HTTPS_PROXY", variable}})});
    return config.ok() ? config->proxy.Reveal() : config.error().message();
  };
  EXPECT_EQ(load(own, "http://other:2"), "http://own:1");
  EXPECT_EQ(load(none, "http://other:2"), "http://other:2");
  EXPECT_EQ(load(none, ""), "");
  EXPECT_THAT(load(none, "socks5://x"), HasSubstr("$HTTPS_PROXY: a proxy's URL"));
}

TEST(LoadClientConfigTest, NamesTheMissingFile) {
  EXPECT_EQ(LoadClientConfig({.kubeconfig = "/nowhere/k"}).error().message(),
            "/nowhere/k: there is no such kubeconfig");
}

TEST(LoadClientConfigTest, OfSeveralFilesTheFirstCounts) {
  const TestDirectory directory;
  const std::string first = directory.Write(
      "x/first", "users: [{name: u, user: {tokenFile: t}}]\nclusters:\ncontexts: []\n");
  const std::string second =
      directory.Write("y/second", Config("server: 'https://second'", "token: not-this"));
  const std::string list = first + "::" + directory.File("missing") + ":" + second;
  const ClientConfig config =
      LoadClientConfig({.environment = Variables({{"KUBECONFIG", list}})}).value();
  EXPECT_EQ(config.server, "https://second");
  EXPECT_EQ(config.user.token_file, directory.File("x/t")) << "relative to its own file";
  EXPECT_TRUE(config.user.token.empty());
}

TEST(LoadClientConfigTest, FindsTheServiceAccountOfAPod) {
  const TestDirectory directory;
  const EnvironmentReader variables =
      Variables({{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "443"}});
  const LoadOptions options{.environment = variables,
                            .service_account_directory = directory.path()};
  EXPECT_THAT(LoadClientConfig(options).error().message(),
              HasSubstr("ca.crt: there is no such file: mount a service account token"));
  directory.Write("ca.crt", "CA");
  directory.Write("token", "t");
  directory.Write("namespace", "team\n");
  const ClientConfig config = LoadClientConfig(options).value();
  EXPECT_EQ(config.server, "https://[fd00::1]:443");
  EXPECT_EQ(config.ca_pem, "CA");
  EXPECT_EQ(config.user.token_file, directory.File("token"));
  EXPECT_EQ(config.namespace_name, "team");
}

TEST(LoadClientConfigTest, InAPodFilesThatSayNothingDoNotCount) {
  const TestDirectory directory;
  directory.Write("ca.crt", "CA");
  directory.Write("token", "t");
  std::map<std::string, std::string> variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                                                  {"KUBERNETES_SERVICE_PORT", "443"},
                                                  {"HOME", directory.path()},
                                                  {"KUBECONFIG", directory.File("missing")}};
  const auto load = [&](LoadOptions options = {}) {
    options.environment = Variables(variables);
    options.service_account_directory = directory.path();
    const auto config = LoadClientConfig(options);
    return config.ok() ? config->server : config.error().message();
  };
  EXPECT_EQ(load(), "https://10.0.0.1:443");
  EXPECT_THAT(load({.kubeconfig = directory.File("missing")}), HasSubstr("no such kubeconfig"));
  EXPECT_THAT(load({.context = "c"}), HasSubstr("no such kubeconfig"));
  directory.Write("missing", "apiVersion: v1\nkind: Config\n");
  EXPECT_EQ(load(), "https://10.0.0.1:443");
  variables.erase("KUBECONFIG");
  directory.Write(".kube/config", "");
  EXPECT_EQ(load(), "https://10.0.0.1:443");
  directory.Write(".kube/config", Config(kServer, ""));
  EXPECT_EQ(load(), "https://h:1");
}

}  // namespace
}  // namespace kubexms
