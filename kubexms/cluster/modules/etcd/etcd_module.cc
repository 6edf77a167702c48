#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kubexms/cluster/modules/dynamic_module.h"
#include "kubexms/cluster/modules/etcd/etcd_backup.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"
#include "kubexms/cluster/modules/etcd/etcd_members.h"
#include "kubexms/cluster/modules/etcd/etcd_steps.h"
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

// Whoever is root on a member can do with etcd what the key can, so it may be there; and another
// operator can have it from there. etcd itself does not read it.
File AuthorityKey(const EtcdCertificates& certificates) {
  return {.path = EtcdPath("ca.key"),
          .content = certificates.authority.key_pem,
          .mode = "0600",
          .secret = true};
}

StepPtr Certificates(const EtcdSpec& etcd, const EtcdCertificates& certificates) {
  const StepPtr step =
      Ensure("certificates",
             [certificates](const StepContext& context) -> Result<std::vector<HostResource>> {
               const EtcdMemberCertificates& own = certificates.members.at(context.host.name);
               return std::vector<HostResource>{
                   Directory{.path = std::string(kEtcdDirectory), .mode = "0755"},
                   EtcdFile("ca.crt", certificates.authority.certificate_pem),
                   AuthorityKey(certificates),
                   EtcdFile("server.crt", own.server.certificate_pem),
                   EtcdFile("server.key", own.server.key_pem, true),
                   EtcdFile("peer.crt", own.peer.certificate_pem),
                   EtcdFile("peer.key", own.peer.key_pem, true),
                   EtcdFile("client.crt", certificates.client.certificate_pem),
                   EtcdFile("client.key", certificates.client.key_pem, true)};
             });
  return RestartEtcdAfterUndo(step, etcd);
}

// The package would start the etcd of the distribution on the same ports, so its unit is masked
// first.
std::vector<StepPtr> InstallSteps(const EtcdSpec& etcd, const ArtifactPtr& artifact) {
  if (etcd.binaries_dir.empty()) {
    return {Ensure("mask the package's service",
                   {Link{.path = "/etc/systemd/system/etcd.service", .target = "/dev/null"}}),
            EnsurePackages("packages", EtcdPackages(etcd), artifact)};
  }
  std::vector<UploadedFile> files;
  for (const char* program : {"etcd", "etcdctl"}) {
    files.push_back({.source = fmt::format("{}/{}", etcd.binaries_dir, program),
                     .path = fmt::format("{}/{}", EtcdProgramDirectory(etcd), program),
                     .mode = "0755"});
  }
  return {EnsureUploaded("programs", std::move(files))};
}

// The undo restarts it after the old files are restored.
StepPtr RestartWhenStale() {
  std::vector<std::string> files = {std::string(kEtcdUnit)};
  for (const char* file :
       {"etcd.yaml", "ca.crt", "server.crt", "server.key", "peer.crt", "peer.key"})
    files.push_back(EtcdPath(file));
  return WithoutUndo(
      Ensure("restart if its files have changed",
             {Service{.name = std::string(kEtcdService), .restart_after = std::move(files)}}));
}

// What a member needs before it begins. The account and the data first, so that they are undone
// last.
std::vector<Task> SetUpTasks(const EtcdSpec& etcd, const EtcdCertificates& certificates,
                             const ArtifactPtr& artifact, const std::vector<std::string>& hosts) {
  return {
      {.name = "prepare",
       .steps = {Ensure("user", {User{.name = "etcd", .shell = "/usr/sbin/nologin"}}),
                 EnsureDataDirectory(
                     "data directory",
                     {.path = etcd.data_dir, .mode = "0700", .owner = "etcd", .group = "etcd"})},
       .hosts = hosts},
      {.name = "install",
       .steps = InstallSteps(etcd, artifact),
       .hosts = hosts,
       .timeout = kInstallTimeout},
      {.name = "certificates",
       .steps = {Certificates(etcd, certificates)},
       .hosts = hosts,
       .undo_parallel = 1}};
}

// The bootstrap settings of initial members.
StepPtr ConfigureSeats(const std::string& cluster, const ClusterSpec& spec,
                       const EtcdDecision& decision) {
  return ConfigureEtcd(
      cluster, spec, {},
      [spec, members = decision.members](const StepContext& context,
                                         const Facts&) -> Result<EtcdBootstrap> {
        if (members.empty()) return EtcdBootstrap{.initial_cluster = EtcdInitialCluster(spec)};
        const std::string& address = spec.Host(context.host.name).InternalAddress();
        return EtcdBootstrap{.initial_cluster = EtcdInitialCluster(
                                 members, EtcdPeerUrl(spec.etcd, address), context.host.name)};
      });
}

template <class Make>
void AddTasks(std::vector<Task>& tasks, const std::vector<std::string>& hosts, Make make) {
  for (const std::string& host : hosts) tasks.push_back(make(host));
}

}  // namespace

ModulePtr EtcdModule(const std::string& cluster, const ClusterSpec& spec,
                     const EtcdCertificates& certificates, const ArtifactPtr& artifact,
                     const HostSelection& selection) {
  return MakeDynamicModule(
      ModuleName(ModuleId::kEtcd), [=](const Runtime& runtime) -> Result<std::vector<Task>> {
        EtcdState situation = GatherEtcdState(spec, runtime);
        situation.limit = selection.limit();
        ASSIGN_OR_RETURN(const EtcdDecision decision, DecideEtcdMembers(situation));
        const std::vector<std::string> member_hosts = selection.Of(decision.member_hosts);
        std::vector<Task> tasks = {RefuseEtcdTask("members", decision, member_hosts)};
        std::ranges::move(
            SetUpTasks(spec.etcd, certificates, artifact, selection.Of(spec.role_groups.etcd)),
            std::back_inserter(tasks));
        tasks.push_back({.name = "configure",
                         .steps = {ConfigureSeats(cluster, spec, decision)},
                         .hosts = member_hosts,
                         .undo_parallel = 1});
        tasks.push_back({.name = "start",
                         .steps = {StartEtcd(spec.etcd)},
                         .hosts = member_hosts,
                         .undo_parallel = kEtcdStopParallel});
        tasks.push_back(
            {.name = "serve",
             .steps = {RestartWhenStale(), WaitForEtcd(spec.etcd), MarkEtcdFormed(cluster)},
             .hosts = member_hosts,
             .group = std::string(kEtcdGroup)});
        tasks.push_back(
            RefuseEtcdTask("changes", decision, selection.Of(decision.RefusedOthers())));
        std::vector<std::string> joined;
        AddTasks(tasks, selection.Of(decision.join), [&](const std::string& host) {
          joined.push_back(EtcdClientUrl(spec.etcd, spec.Host(host).InternalAddress()));
          return JoinEtcdTask(cluster, spec, host, decision);
        });
        AddTasks(tasks, selection.Of(decision.leave), [&](const std::string& host) {
          return LeaveEtcdTask(spec.etcd, situation.Former(host), decision, joined);
        });
        tasks.push_back({.name = "backup",
                         .steps = {EtcdBackupTimer(spec.etcd)},
                         .hosts = selection.Of(spec.role_groups.etcd)});
        return tasks;
      });
}

ModulePtr EtcdRestoreModule(const std::string& cluster, const ClusterSpec& spec,
                            const EtcdCertificates& certificates, const ArtifactPtr& artifact,
                            const std::string& snapshot) {
  return MakeDynamicModule(
      ModuleName(ModuleId::kEtcd), [=](const Runtime& runtime) -> Result<std::vector<Task>> {
        const std::vector<std::string>& hosts = spec.role_groups.etcd;
        std::vector<Task> tasks = SetUpTasks(spec.etcd, certificates, artifact, hosts);
        tasks.push_back({.name = "configure",
                         .steps = {ConfigureSeats(cluster, spec, {})},
                         .hosts = hosts,
                         .undo_parallel = 1});
        std::ranges::move(RestoreEtcdTasks(cluster, spec, runtime, snapshot),
                          std::back_inserter(tasks));
        return tasks;
      });
}

}  // namespace kubexms::cluster
