#include "kubexms/cluster/config/cluster_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/base/test_directory_test.h"
#include "kubexms/base/text/ip_range.h"

namespace kubexms::cluster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ClusterConfigTest, ExampleIsValidAndHasDefaults) {
  for (const size_t hosts : {1, 2, 3, 5}) {
    std::vector<std::string> addresses;
    for (size_t i = 1; i <= hosts; ++i) addresses.push_back("10.0.0." + std::to_string(i));
    const Result<Cluster> cluster = ParseCluster(SampleConfig("lab", addresses), "sample");
    ASSERT_TRUE(cluster.ok()) << cluster.error().message();
    EXPECT_EQ(cluster->metadata.name, "lab");
    EXPECT_EQ(cluster->spec.hosts.size(), hosts);
    EXPECT_EQ(cluster->spec.role_groups.etcd.size(), hosts < 3 ? 1u : 3u);
    EXPECT_EQ(cluster->spec.hosts[0].port, 22);
    EXPECT_EQ(cluster->spec.etcd.data_dir, "/var/lib/etcd");
    EXPECT_EQ(cluster->spec.etcd.client_port, 2379);
    EXPECT_TRUE(cluster->spec.system.set_hostnames);
    EXPECT_EQ(cluster->spec.preflight.max_clock_skew_seconds, 30);
  }
}

// A cluster of one host, with more about the host and about the rest.
std::string OneHost(const std::string& name, const std::string& host, const std::string& more) {
  return "apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: " + name +
         "}\nspec:\n  hosts:\n    - {name: a, address: 10.0.0.1" + host +
         "}\n  roleGroups: {etcd: [a], worker: [a]}\n" + more;
}

TEST(ClusterConfigTest, RefusesAndRedactsPasswords) {
  const std::pair<std::string, std::string> wrong[] = {
      {", password: hunter2", ""},
      {", sudoPassword: hunter2", ""},
      {", privateKeyPassphrase: hunter2", ""},
      {", password: [hunter2]", ""},
      {", password: {is: hunter2}", ""},
      {"", "  containerRuntime: {registries: [{name: r.example, username: u, password: hunter2}]}"},
      {"",
       "  containerRuntime: {registries: [{name: r.example, mirrors: "
       "['https://u:hunter2@m.example']}]}"},
      {"",
       "  binaries: [{name: b, path: /b, sources: [{url: 'https://u:hunter2@f.example/b', "
       "sha256: x}]}]"},
      {"", "  addons: [{name: x, manifests: [{url: 'https://u:hunter2@f.example/b', sha256: x}]}]"},
      {"",
       "  addons: [{name: x, chart: {repository: 'oci://u:hunter2@f.example', name: x, "
       "version: 1.0.0}}]"}};
  for (const auto& [host, more] : wrong) {
    const Result<Cluster> cluster = ParseCluster(OneHost("lab", host, more + "\n"), "cluster.yaml");
    ASSERT_FALSE(cluster.ok()) << host << more;
    EXPECT_THAT(cluster.error().message(), Not(HasSubstr("hunter2")));
    EXPECT_THAT(cluster.error().message(), HasSubstr("[redacted]")) << host << more;
    for (const ErrorCause& cause : cluster.error().details().causes) {
      EXPECT_THAT(cause.message, Not(HasSubstr("hunter2")));
    }
  }
  EXPECT_TRUE(ParseCluster(OneHost("lab", ", password: env:X", ""), "cluster.yaml").ok());
}

TEST(ClusterConfigTest, RequiresADnsLabelAsName) {
  for (const char* name : {"lab", "my-lab-2", "'0'"}) {
    EXPECT_TRUE(ParseCluster(OneHost(name, "", ""), "cluster.yaml").ok()) << name;
  }
  const std::string long_name(64, 'a');
  for (const char* name : {"Lab", "my_lab", "my.lab", "-lab", "lab-", "../lab", "'my lab'",
                           "'a;reboot'", "'a$(id)'", long_name.c_str()}) {
    const Result<Cluster> cluster = ParseCluster(OneHost(name, "", ""), "cluster.yaml");
    ASSERT_FALSE(cluster.ok()) << name;
    EXPECT_THAT(cluster.error().message(), HasSubstr("metadata.name: Invalid value"));
  }
}

TEST(ClusterConfigTest, ReportsAllProblemsWithTheirLines) {
  const Result<Cluster> cluster = ParseCluster(R"(apiVersion: kubexms.io/v1alpha1
kind: Cluster
metadata:
  name: lab
spec:
  hosts:
    - {name: a, address: 10.0.0.1}
    - {name: b, address: 10.0.0.1}
    - name: c
      address: 10.0.0.3
      password: hunter2
      color: red
    - {name: a, address: 10.0.0.4}
    - {name: spare, address: 10.0.0.5}
    - {name: named, address: node.example}
  roleGroups:
    etcd: [a, named]
    controlPlane: [a, b]
    worker:
      - c
      - nobody
      - c
  etcd:
    dataDir: relative
)",
                                               "cluster.yaml");
  ASSERT_FALSE(cluster.ok());
  const std::string& message = cluster.error().message();
  for (const char* line :
       {"cluster.yaml is not a valid cluster; nothing was changed\n",
        "cluster.yaml:5: spec.controlPlaneEndpoint.address: Required value",
        "cluster.yaml:8: spec.hosts[1].address: Duplicate value: \"10.0.0.1\"",
        "cluster.yaml:11: spec.hosts[2].password: ",
        "cluster.yaml:12: spec.hosts[2].color: unknown field",
        "cluster.yaml:13: spec.hosts[3]: Duplicate value",
        "cluster.yaml:14: spec.hosts[4].name: Invalid value: \"spare\": is in none",
        "cluster.yaml:17: spec.roleGroups.etcd: Invalid value: 2: an even number",
        "cluster.yaml:17: spec.roleGroups.etcd[1]: Invalid value: \"node.example\"",
        "cluster.yaml:21: spec.roleGroups.worker[1]: Not found: \"nobody\"",
        "cluster.yaml:22: spec.roleGroups.worker[2]: Duplicate value: \"c\"",
        "cluster.yaml:24: spec.etcd.dataDir: "}) {
    EXPECT_THAT(message, HasSubstr(line));
  }
}

TEST(ClusterConfigTest, RequiresASupportedKubernetesVersion) {
  const auto parse = [](const std::string& version, const std::string& mode) {
    return ParseCluster(
        "apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\n"
        "spec:\n  kubernetesVersion: " +
            version +
            "\n  hosts: [{name: a, address: 10.0.0.1}]\n"
            "  roleGroups: {etcd: [a]}\n  network:\n    kubeProxyMode: " +
            mode + "\n",
        "cluster.yaml");
  };
  for (const char* good : {"'1.31'", "v1.34", "v1.36.2"}) {
    const Result<Cluster> cluster = parse(good, "nftables");
    EXPECT_TRUE(cluster.ok()) << cluster.error().message();
  }
  EXPECT_THAT(parse("v1.12.0", "iptables").error().message(),
              HasSubstr("cluster.yaml:5: spec.kubernetesVersion: Unsupported value: \"v1.12.0\": "
                        "supported values: \"1.29\", \"1.30\", \"1.31\""));
  EXPECT_THAT(parse("newest", "iptables").error().message(),
              HasSubstr("cluster.yaml:5: spec.kubernetesVersion: Unsupported value: \"newest\""));
  // A number in YAML, of which 1.30 and 1.3 are the same.
  EXPECT_THAT(parse("1.30", "iptables").error().message(),
              HasSubstr("cluster.yaml:5: spec.kubernetesVersion: Invalid value: "));
  EXPECT_THAT(parse("v1.30.4", "nftables").error().message(),
              HasSubstr("cluster.yaml:9: spec.network.kubeProxyMode: Invalid value: \"nftables\": "
                        "kube-proxy of Kubernetes 1.30 does not support it; the first version that "
                        "does is 1.31"));
}

TEST(ClusterConfigTest, WarnsAboutAnUntestedPluginVersion) {
  ClusterSpec spec;
  EXPECT_TRUE(VersionWarnings(spec).empty());
  spec.kubernetes_version = "v1.35.1";
  spec.network.plugin.name = "cilium";
  EXPECT_TRUE(VersionWarnings(spec).empty());
  spec.network.plugin.version = "v1.18.3";
  EXPECT_THAT(VersionWarnings(spec),
              testing::ElementsAre("spec.network.plugin (cilium v1.18.3) is tested by its authors "
                                   "with Kubernetes 1.30 to 1.33, and not with 1.35"));
  for (const char* version : {"1.30", "1.33.2"}) {
    spec.kubernetes_version = version;
    EXPECT_TRUE(VersionWarnings(spec).empty()) << version;
  }
  spec.kubernetes_version = "1.29";
  EXPECT_EQ(VersionWarnings(spec).size(), 1u);
}

TEST(ClusterConfigTest, ValidatesLoadBalancersAndRegistries) {
  const Result<Cluster> cluster = ParseCluster(R"(apiVersion: kubexms.io/v1alpha1
kind: Cluster
metadata:
  name: lab
spec:
  hosts:
    - {name: a, address: 10.0.0.1}
    - {name: b, address: b.example}
  roleGroups:
    etcd: [a]
    controlPlane: [a]
    loadBalancer: [a, b]
  controlPlaneEndpoint:
    address: 10.0.0.1
    port: 6443
  loadBalancer:
    virtualRouterID: 256
    healthCheckPath: readyz
  containerRuntime:
    type: docker
    registries:
      - name: docker.io
        mirrors: [mirror.example]
      - name: https://mirror.example
      - name: c.example
        username: puller
      - name: d.example
        password: hunter2
      - name: e.example
        plainHTTP: true
        caFile: ca.crt
)",
                                               "cluster.yaml");
  ASSERT_FALSE(cluster.ok());
  const std::string& message = cluster.error().message();
  for (const char* line : {
           "cluster.yaml:12: spec.roleGroups.loadBalancer[1]: Invalid value: \"b.example\": it "
           "needs "
           "an IPv4 address",
           "cluster.yaml:14: spec.controlPlaneEndpoint.address: Invalid value: \"10.0.0.1\": it is "
           "a's own",
           "cluster.yaml:15: spec.controlPlaneEndpoint.port: Invalid value: 6443: a is a load "
           "balancer and has backendPort too",
           "cluster.yaml:17: spec.loadBalancer.virtualRouterID: ",
           "cluster.yaml:18: spec.loadBalancer.healthCheckPath: ",
           "cluster.yaml:20: spec.containerRuntime.type: Unsupported value: \"docker\"",
           "cluster.yaml:23: spec.containerRuntime.registries[0].mirrors[0]: Invalid value",
           "cluster.yaml:24: spec.containerRuntime.registries[1].name: ",
           "spec.containerRuntime.registries[2].password: Required value",
           "spec.containerRuntime.registries[3].username: Required value",
           "cluster.yaml:28: spec.containerRuntime.registries[3].password: ",
           "cluster.yaml:31: spec.containerRuntime.registries[4].caFile: Invalid value",
       }) {
    EXPECT_THAT(message, HasSubstr(line));
  }
  const Result<Cluster> bare = ParseCluster(
      "apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
      "  hosts: [{name: a, address: 10.0.0.1}]\n"
      "  roleGroups: {etcd: [a], loadBalancer: [a]}\n",
      "c.yaml");
  EXPECT_THAT(bare.error().message(),
              AllOf(HasSubstr("spec.controlPlaneEndpoint.address: Required value"),
                    HasSubstr("spec.roleGroups.controlPlane: Required value")));
}

TEST(ClusterConfigTest, ValidatesBinariesAndImages) {
  const Result<Cluster> cluster = ParseCluster(R"(apiVersion: kubexms.io/v1alpha1
kind: Cluster
metadata:
  name: lab
spec:
  hosts: [{name: a, address: 10.0.0.1}, {name: b, address: 10.0.0.2}]
  roleGroups: {etcd: [a], worker: [b]}
  containerRuntime:
    images:
      - {name: library/busybox:1, sources: [{file: a.tar}]}
      - {name: docker.io/library/busybox, sources: [{file: a.tar}]}
      - {name: 'lab.test/a:1', sources: []}
      - {name: 'lab.test/b:1', sources: [{file: a.tar, command: cat a.tar}]}
      - {name: 'lab.test/c:1', sources: [{architecture: arm64}]}
  binaries:
    - {name: one, path: /opt/one, roleGroups: [workers], sources: [{url: 'https://a.example/one'}]}
    - {name: two, path: /opt/one, sources: [{file: a}, {file: b}]}
    - {name: three, path: opt, mode: rwx, sources: [{url: 'ftp://a.example/x', sha256: abc}]}
)",
                                               "cluster.yaml");
  ASSERT_FALSE(cluster.ok());
  for (const char* line :
       // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one line in two literals
       {"cluster.yaml:10: spec.containerRuntime.images[0].name: Invalid value: "
        "\"library/busybox:1\": must start with a registry: docker.io/library/busybox:1",
        "cluster.yaml:11: spec.containerRuntime.images[1].name: Invalid value",
        "cluster.yaml:12: spec.containerRuntime.images[2].sources: ",
        "cluster.yaml:13: spec.containerRuntime.images[3].sources[0]: Required value: one of file",
        "cluster.yaml:14: spec.containerRuntime.images[4].sources[0]: Required value: one of file",
        "cluster.yaml:16: spec.binaries[0].roleGroups[0]: Unsupported value: \"workers\"",
        "cluster.yaml:16: spec.binaries[0].sources[0].sha256: Required value",
        "cluster.yaml:17: spec.binaries[1].path: Duplicate value: \"/opt/one\"",
        "cluster.yaml:17: spec.binaries[1].sources[1].architecture: Duplicate value",
        "cluster.yaml:18: spec.binaries[2].path: Invalid value",
        "cluster.yaml:18: spec.binaries[2].mode: Invalid value",
        "cluster.yaml:18: spec.binaries[2].sources[0].url: Invalid value"}) {
    EXPECT_THAT(cluster.error().message(), HasSubstr(line));
  }
  const ClusterSpec spec =
      ParseCluster(
          "apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
          "  hosts: [{name: a, address: 10.0.0.1}, {name: b, address: 10.0.0.2}]\n"
          "  roleGroups: {etcd: [a], worker: [b]}\n"
          "  binaries:\n"
          "  - {name: all, path: /opt/all, sources: [{file: x}]}\n"
          "  - {name: some, path: /opt/some, roleGroups: [worker], sources: [{file: x}]}\n",
          "c.yaml")
          .value()
          .spec;
  EXPECT_THAT(spec.HostsOf(spec.binaries[0]), testing::ElementsAre("a", "b"));
  EXPECT_THAT(spec.HostsOf(spec.binaries[1]), testing::ElementsAre("b"));
  EXPECT_EQ(spec.binaries[0].mode, "0755");
}

// What is said about a cluster with this network and these addons, or that it is good.
std::string Verdict(const std::string& more) {
  const Result<Cluster> cluster = ParseCluster(
      "apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
      "  hosts: [{name: a, address: 10.0.0.1}, {name: b, address: 10.0.0.2}]\n"
      "  roleGroups: {etcd: [a], controlPlane: [a], worker: [b]}\n"
      "  controlPlaneEndpoint: {domain: api.lab.example, address: 10.0.9.9}\n" +
          more,
      "c.yaml");
  return cluster.ok() ? "good" : cluster.error().message();
}

TEST(ClusterConfigTest, ValidatesNetworks) {
  const std::pair<const char*, const char*> cases[] = {
      {"podCIDRs: [10.244.0.0]",
       "c.yaml:9: spec.network.podCIDRs[0]: Invalid value: "
       "\"10.244.0.0\": must be a CIDR"},
      {"podCIDRs: [10.244.0.0/33]", "podCIDRs[0]: Invalid value"},
      {"podCIDRs: []", "podCIDRs: Invalid value"},
      {"podCIDRs: [10.244.3.0/16]",
       "podCIDRs[0]: Invalid value: \"10.244.3.0/16\": must start "
       "with the network address 10.244.0.0/16"},
      {"podCIDRs: [169.254.0.0/16]", "169.254.0.0/16 cannot be used for hosts or pods"},
      {"podCIDRs: [10.244.0.0/16, 10.245.0.0/16]",
       "podCIDRs[1]: Invalid value: \"10.245.0.0/16\": two ranges must be one of IPv4 and one of "
       "IPv6"},
      {"podCIDRs: [10.244.0.0/16, 'fd00:1::/48']",
       "spec.network.serviceCIDRs: Invalid value: \"IPv4\": podCIDRs are of IPv4, IPv6: both need "
       "the same families in the same order"},
      {"podCIDRs: [10.244.0.0/16, 'fd00:1::/48'], serviceCIDRs: [10.96.0.0/16, 'fd00:2::/112']",
       "good"},
      {"podCIDRs: ['fd00:1::/48', 10.244.0.0/16], serviceCIDRs: [10.96.0.0/16, 'fd00:2::/112']",
       "spec.network.serviceCIDRs: Invalid value: \"IPv4, IPv6\""},
      {"podCIDRs: [10.96.0.0/16]",
       "serviceCIDRs[0]: Invalid value: \"10.96.0.0/12\": overlaps with 10.96.0.0/16"},
      {"podCIDRs: [10.0.0.0/16]",
       "podCIDRs[0]: Invalid value: \"10.0.0.0/16\": contains 10.0.0.1 of a; "
       "choose a range without addresses of hosts"},
      {"serviceCIDRs: [10.0.9.0/24]",
       "serviceCIDRs[0]: Invalid value: \"10.0.9.0/24\": contains "
       "10.0.9.9 of controlPlaneEndpoint"},
      {"podCIDRs: [10.244.0.0/24]",
       "10.244.0.0/24 has 1 ranges of /24, and 2 hosts require one each"},
      {"podCIDRs: [10.244.0.0/25]", "a host's part of 10.244.0.0/25 is from /25 to /30"},
      {"nodeCIDRMaskSizes: [26]",
       "spec.network.nodeCIDRMaskSizes[0]: Invalid value: 26: a range "
       "of /26 per host has 62 addresses for pods, and maxPodsPerNode is 110"},
      {"nodeCIDRMaskSizes: [26], maxPodsPerNode: 60", "good"},
      {"nodeCIDRMaskSizes: [24, 64]",
       "nodeCIDRMaskSizes: Invalid value: 2: must have one value for each of the 1 "
       "podCIDRs"},
      {"podCIDRs: ['fd00::/32'], serviceCIDRs: ['fd01::/112']",
       "has more than 65536 ranges of /64"},
      {"serviceCIDRs: [172.20.0.0/29]", "must be a range from /12 to /28"},
      {"serviceCIDRs: ['fd01::/64'], podCIDRs: ['fd00::/48']", "must be a range from /108 to /124"},
      {"dnsServiceIP: 10.97.0.10", "good"},
      {"dnsServiceIP: dns", "dnsServiceIP: Invalid value: \"dns\": must be an IP address"},
      {"dnsServiceIP: 10.1.0.10", "is not in 10.96.0.0/12 of serviceCIDRs"},
      {"dnsServiceIP: 10.96.0.1", "that of the API servers"},
      {"clusterDomain: lab.example", "pods could not resolve controlPlaneEndpoint.domain"},
      {"clusterDomain: Not_A.domain", "clusterDomain: Invalid value"},
      {"nodePorts: 40000-30000", "must be a range of ports from 1024 to 65535"},
      {"nodePorts: 2000-7000", "contains port 6443 of controlPlaneEndpoint.port"},
      {"kubeProxyMode: userspace", "kubeProxyMode: Unsupported value"},
      {"kubeProxyMode: none, plugin: {name: flannel}", "flannel requires kube-proxy"},
      {"kubeProxyMode: none, plugin: {name: cilium, settings: {mtu: 1400}}", "good"},
      {"plugin: {name: weave}", "plugin.name: Unsupported value: \"weave\""},
      {"plugin: {settings: {mtu: 1400}}", "plugin.settings: Forbidden: requires a plugin"},
      {"plugin: {name: calico, settings: 3}", "plugin.settings: Invalid value"},
  };
  for (const auto& [network, wanted] : cases) {
    EXPECT_THAT(Verdict("  network:\n    {" + std::string(network) + "}\n"), HasSubstr(wanted))
        << network;
  }
  EXPECT_EQ(Verdict("  network: {podCIDRs: [10.1.0.0/16], serviceCIDRs: [10.2.0.0/16]}\n"), "good");
}

TEST(ClusterConfigTest, IgnoresTheNetworkOfHostsWithoutContainers) {
  const Result<Cluster> cluster = ParseCluster(
      "apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"
      "  hosts: [{name: a, address: 10.96.0.1}]\n  roleGroups: {etcd: [a]}\n",
      "c.yaml");
  ASSERT_TRUE(cluster.ok()) << cluster.error().message();
  EXPECT_THAT(cluster->spec.network.service_cidrs, testing::ElementsAre("10.96.0.0/12"));
  EXPECT_EQ(cluster->spec.network.plugin.name, "none");
  EXPECT_THAT(UnusedSettingWarnings(cluster->spec), testing::IsEmpty());
}

TEST(ClusterConfigTest, ValidatesAddons) {
  const std::string verdict = Verdict(R"(  addons:
  - {name: a, manifests: [{file: a.yaml}]}
  - {name: a, manifests: [{file: a.yaml}]}
  - {name: b}
  - {name: c, manifests: [{file: c.yaml, url: 'https://c.example'}, {url: 'https://c.example'}]}
  - {name: d, manifests: [{file: a.yaml}], chart: {file: d.tgz}}
  - {name: e, chart: {repository: 'https://charts.example'}}
  - {name: f, chart: {file: f.tgz, repository: 'oci://x.example/f', name: f, version: 1.0.0}}
  - {name: g, chart: {file: g.tgz, values: [1]}, timeoutSeconds: 0, namespace: Wrong}
)");
  for (const char* line :
       {"c.yaml:10: spec.addons[1]: Duplicate value",
        "c.yaml:11: spec.addons[2]: Required value: one of manifests and chart",
        "c.yaml:12: spec.addons[3].manifests[0]: Required value: one of file and url",
        "c.yaml:12: spec.addons[3].manifests[0].sha256: Required value",
        "c.yaml:12: spec.addons[3].manifests[1].sha256: Required value",
        "c.yaml:13: spec.addons[4]: Required value: one of manifests and chart",
        "c.yaml:14: spec.addons[5].chart.name: Required value",
        "c.yaml:14: spec.addons[5].chart.version: Required value",
        "c.yaml:15: spec.addons[6].chart: Required value: one of file and repository",
        "c.yaml:16: spec.addons[7].chart.values: Invalid value",
        "c.yaml:16: spec.addons[7].namespace: Invalid value",
        "c.yaml:16: spec.addons[7].timeoutSeconds: Invalid value"}) {
    EXPECT_THAT(verdict, HasSubstr(line));
  }
  EXPECT_EQ(Verdict("  addons: [{name: x, chart: {repository: 'https://charts.example', name: x, "
                    "version: 1.2.3, values: {a: 1}}}]\n"),
            "good");
}

TEST(ClusterConfigTest, RefusesOtherKinds) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: [", "c.yaml"},
      {"kind: Pod\napiVersion: v1\n", "c.yaml:1: kind: Unsupported value: \"Pod\""},
      {"apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: x}\nspec: 3\n",
       "c.yaml:4: spec: "},
      {"apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nspec: {}\n", "spec.hosts: Required"},
      {"kind: Cluster\nkind: Cluster\n", "kind: duplicate field"},
  };
  for (const auto& [text, wanted] : cases) {
    const Result<Cluster> cluster = ParseCluster(text, "c.yaml");
    ASSERT_FALSE(cluster.ok()) << text;
    EXPECT_THAT(cluster.error().message(), HasSubstr(wanted));
  }
  const TestDirectory directory;
  EXPECT_THAT(LoadCluster(directory.File("none.yaml")).error().message(),
              HasSubstr("kubexms create config"));
}

}  // namespace
}  // namespace kubexms::cluster
