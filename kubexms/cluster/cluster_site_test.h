#pragma once

// A cluster of simulated hosts and the operators who work on it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/cluster/cluster_nodes.h"
#include "kubexms/cluster/cluster_pipeline.h"
#include "kubexms/cluster/config/cluster_config.h"
#include "kubexms/cluster/config/cluster_hosts.h"
#include "kubexms/cluster/modules/etcd/simulated_etcd_test.h"

namespace kubexms::cluster {

// A snapshot of etcd as far as anybody looks at it.
inline std::string SnapshotOf(const std::string& pages) {
  const std::string hex = automation::Sha256Of(pages);
  std::string sum;
  for (size_t i = 0; i < hex.size(); i += 2) {
    sum += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return pages + sum;
}

inline automation::CommandResult AnswerPreflight(automation::SimulatedHost& host,
                                                 const std::string& script) {
  const auto says = [&](std::string_view text) { return script.find(text) != std::string::npos; };
  if (script == "id -u") return {.output = "0\n"};
  if (script == "true") return {};
  if (says("df -Pk")) return {.output = "9999999"};
  if (says("oflag=dsync")) return {.output = "1\n"};
  for (const char* query :
       {"[ -w ", "/dev/tcp/", "/etc/kubernetes/", "command -v", "ctr plugins list", "certs.d",
        "# leftovers of", "address show scope"}) {
    if (says(query)) return {};
  }
  if (says("/journal")) return {.output = "lab\n"};
  if (says("machine-id")) return {.output = host.name() + "\n"};
  return {.exit_code = 127, .error_output = script};
}

inline const automation::SimulatedHost::Catalog kPackages = {
    {"etcd-server", {.services = {"etcd"}, .files = {{"/usr/bin/etcd", "etcd"}}}},
    {"etcd-client", {.files = {{"/usr/bin/etcdctl", "etcdctl"}}}},
    {"containerd", {.services = {"containerd"}, .files = {{"/usr/bin/ctr", "ctr"}}}},
    {"runc", {.files = {{"/usr/bin/runc", "runc"}}}}};

// Hosts with an etcd, and the operator's directory.
class Site {
 public:
  explicit Site(int hosts) : fleet_(hosts, kPackages), etcd_(&fleet_) {
    const auto age = std::chrono::floor<std::chrono::seconds>(clock_.Now() - Clock::WallTime()) -
                     std::chrono::seconds(1'704'067'200);
    for (const auto& host : fleet_.hosts()) {
      host->SetScriptHandler([this](automation::SimulatedHost& at, const std::string& script) {
        std::optional<automation::CommandResult> said = etcd_.OperationResult(at, script);
        return said ? *std::move(said) : AnswerPreflight(at, script);
      });
      host->Advance(age);
      host->PutFile("/usr/bin/sh", "");
    }
    before_ = fleet_.Snapshot();
  }

  automation::SimulatedHost& host(int number) {
    return fleet_.host(static_cast<size_t>(number - 1));
  }
  automation::SimulatedFleet& fleet() { return fleet_; }
  SimulatedEtcd& etcd() { return etcd_; }
  const std::string& before() const { return before_; }

  // The first `count` hosts, and those of them that are to have etcd.
  void Configure(int count, const std::string& etcd, const std::string& more = "") {
    std::string hosts, names;
    for (int i = 1; i <= count; ++i) {
      hosts += fmt::format("    - {{name: host-{:04}, address: 10.0.0.{}}}\n", i, i);
      names += fmt::format("{}host-{:04}", i > 1 ? ", " : "", i);
    }
    cluster_ =
        ParseCluster(fmt::format("apiVersion: kubexms.io/v1alpha1\nkind: Cluster\n"
                                 "metadata: {{name: lab}}\nspec:\n  hosts:\n{}"
                                 "  roleGroups: {{etcd: [{}], worker: [{}]}}\n"
                                 "  system: {{setHostnames: false, configureKernel: false}}\n{}",
                                 hosts, etcd, names, more),
                     "cluster.yaml")
            .value();
    inventory_.emplace(HostInventory::Load(state_directory_).value());
    const ClusterSpec known = inventory_->WithKnownHosts(cluster_.spec);
    automation::RuntimeOptions options{.cluster = "lab",
                                       .config = ToJson(cluster_),
                                       .hosts = HostsOf(known),
                                       .directory = state_directory_,
                                       .secrets = &secrets_,
                                       .clock = &clock_,
                                       .random = &random_};
    for (automation::Host& at : options.hosts) {
      for (const auto& made : fleet_.hosts()) {
        if (made->name() == at.name) at.connector = made;
      }
    }
    runtime_ = std::make_unique<automation::Runtime>(std::move(options));
  }

  // As another operator, whose state directory is empty at first. Configure() has to follow.
  void UseDirectory(const std::string& path) { state_directory_ = path; }
  const std::string& directory() const { return state_directory_; }

  automation::Pipeline MakePipeline(const std::set<std::string>& limit = {}) {
    OpenedState state = OpenClusterState(cluster_, *runtime_).value();
    return CreatePipeline(cluster_, state.certificates,
                          {.limit = limit, .identity = std::move(state.identity)});
  }
  Result<automation::RunReport> Create(const std::set<std::string>& limit = {}) {
    const Result<OpenedState> state = OpenClusterState(cluster_, *runtime_);
    if (!state.ok()) return state.error();
    return Converge(Context(), MakePipeline(limit), {.limit = limit});
  }
  Result<automation::RunReport> Remove(const std::set<std::string>& hosts, bool lost = false) {
    return RemoveHosts(Context(), {.hosts = hosts, .lost = lost});
  }
  // One of etcd from a snapshot.
  automation::Pipeline MakeRestore() {
    const std::string file = directory_.Write("snapshot", SnapshotOf(std::string(1024, 's')));
    const OpenedState state = OpenClusterState(cluster_, *runtime_).value();
    return EtcdRestorePipeline(cluster_, state.certificates, {}, file).value();
  }
  Result<automation::RunReport> Delete() { return DeleteCluster(*runtime_, options_); }

  ClusterContext Context() { return {runtime_.get(), &cluster_, &*inventory_, &options_}; }
  automation::Runtime& runtime() { return *runtime_; }
  const Cluster& cluster() const { return cluster_; }
  HostInventory& inventory() { return *inventory_; }

 private:
  TestDirectory directory_;
  std::string state_directory_ = directory_.path();
  SystemClock clock_;
  SystemRandom random_;
  SecretRegistry secrets_;
  automation::SimulatedFleet fleet_;
  SimulatedEtcd etcd_;
  std::string before_;
  Cluster cluster_;
  std::optional<HostInventory> inventory_;
  std::unique_ptr<automation::Runtime> runtime_;
  automation::RunOptions options_;
};

inline constexpr const char* kFirst = "host-0001";
inline constexpr const char* kFirstThree = "host-0001, host-0002, host-0003";

inline automation::RunReport Succeed(Result<automation::RunReport> report) {
  EXPECT_TRUE(report.ok()) << report.error().message();
  if (!report.ok()) return {};
  EXPECT_TRUE(report->ok()) << (report->error ? report->error->message() : "");
  return *std::move(report);
}

inline std::string ErrorOf(const Result<automation::RunReport>& report) {
  if (!report.ok()) return report.error().message();
  return report->error ? report->error->message() : "";
}

}  // namespace kubexms::cluster
