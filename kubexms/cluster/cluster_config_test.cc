#include "kubexms/cluster/cluster_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/base/test_directory_test.h"

namespace kubexms::cluster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ClusterConfigTest, TheSampleIsValidAndHasDefaults) {
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

TEST(ClusterConfigTest, EverythingThatIsWrongIsToldAtOnceWithItsLine) {
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
      colour: red
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
       {"cluster.yaml is not a valid cluster; nothing was done\n",
        "cluster.yaml:5: spec.controlPlaneEndpoint.address: Required value",
        "cluster.yaml:8: spec.hosts[1].address: Duplicate value: \"10.0.0.1\"",
        "cluster.yaml:11: spec.hosts[2].password: ",
        "cluster.yaml:12: spec.hosts[2].colour: there is no such field",
        "cluster.yaml:13: spec.hosts[3]: Duplicate value",
        "cluster.yaml:14: spec.hosts[4].name: Invalid value: \"spare\": it is in none",
        "cluster.yaml:17: spec.roleGroups.etcd: Invalid value: 2: an even number",
        "cluster.yaml:17: spec.roleGroups.etcd[1]: Invalid value: \"node.example\"",
        "cluster.yaml:21: spec.roleGroups.worker[1]: Not found: \"nobody\"",
        "cluster.yaml:22: spec.roleGroups.worker[2]: Duplicate value: \"c\"",
        "cluster.yaml:24: spec.etcd.dataDir: "}) {
    EXPECT_THAT(message, HasSubstr(line));
  }
}

TEST(ClusterConfigTest, LoadBalancersAndRegistriesAreChecked) {
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

TEST(ClusterConfigTest, WhatComesFromArtifactsIsChecked) {
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
       {"cluster.yaml:10: spec.containerRuntime.images[0].name: Invalid value: "
        "\"library/busybox:1\": it begins with its registry: docker.io/library/busybox:1",
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

TEST(ClusterConfigTest, RefusesWhatIsNotACluster) {
  const std::pair<const char*, const char*> kCases[] = {
      {"a: [", "c.yaml"},
      {"kind: Pod\napiVersion: v1\n", "c.yaml:1: kind: Unsupported value: \"Pod\""},
      {"apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: x}\nspec: 3\n",
       "c.yaml:4: spec: "},
      {"apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nspec: {}\n", "spec.hosts: Required"},
      {"kind: Cluster\nkind: Cluster\n", "kind: the field is there twice"},
  };
  for (const auto& [text, wanted] : kCases) {
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
