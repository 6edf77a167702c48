#include "kubexms/builtin/builtin_controllers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "kubexms/builtin/disruption/disruption_controller.h"
#include "kubexms/builtin/endpoints/endpoint_mirroring_controller.h"
#include "kubexms/builtin/endpoints/endpoint_slice_controller.h"
#include "kubexms/builtin/endpoints/endpoints_controller.h"
#include "kubexms/builtin/namespaces/root_ca_controller.h"
#include "kubexms/builtin/namespaces/service_account_controller.h"
#include "kubexms/builtin/nodes/taint_eviction_controller.h"
#include "kubexms/builtin/roles/role_aggregation_controller.h"
#include "kubexms/builtin/scheduler/scheduler.h"
#include "kubexms/builtin/volumes/volume_protection_controller.h"
#include "kubexms/builtin/workloads/cron_job/cron_job_controller.h"
#include "kubexms/builtin/workloads/daemon_set/daemon_set_controller.h"
#include "kubexms/builtin/workloads/deployment/deployment_controller.h"
#include "kubexms/builtin/workloads/job/job_controller.h"
#include "kubexms/builtin/workloads/job/ttl_after_finished_controller.h"
#include "kubexms/builtin/workloads/replica_set/replica_set_controller.h"
#include "kubexms/builtin/workloads/stateful_set/stateful_set_controller.h"

namespace kubexms {
namespace {

// Enough to keep a server busy whose disk or network has a high latency.
constexpr int kParallelWrites = 32;

void AddController(Controller controller, Client& client, Manager& manager) {
  controller.SetClient(&client);
  std::string& source = controller.mutable_options().event_source;
  if (source.empty()) source = controller.options().name;
  manager.Add(std::move(controller));
}

void AddNamespaces(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  AddController(NamespaceController(environment.namespaces), client, manager);
}

void AddServiceAccounts(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(ServiceAccountController(), client, manager);
}

void AddRootCa(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  if (environment.authority_pem.empty()) {
    return environment.log.Warn("not publishing kube-root-ca.crt: no CA certificate is configured");
  }
  AddController(RootCaController(environment.authority_pem), client, manager);
}

void AddCronJobs(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(CronJobController(), client, manager);
}

void AddJobs(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  AddController(JobController(environment.writes), client, manager);
}

void AddTtlAfterFinished(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(TtlAfterFinishedController(), client, manager);
}

void AddGarbageCollector(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  const auto collector = std::make_shared<GarbageCollector>(
      environment.garbage_collector,
      GarbageCollector::Environment{
          .client = client,
          .informers = manager.informers(),
          .events = manager.EventRecorderFor("garbage-collector-controller"),
          .clock = *environment.clock,
          .metrics = &manager.metrics(),
          .log = environment.log.Named("garbage-collector")});
  manager.Add(Runnable{.name = "garbage-collector-controller",
                       .run = [collector](std::stop_token stop) { return collector->Run(stop); }});
}

void AddDeployments(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(DeploymentController(), client, manager);
}

void AddReplicaSets(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  AddController(ReplicaSetController(environment.writes), client, manager);
}

void AddReplicationControllers(Manager& manager, const BuiltinEnvironment& environment,
                               Client& client) {
  AddController(ReplicationControllerController(environment.writes), client, manager);
}

void AddEndpointSlices(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(EndpointSliceController(manager.informers()), client, manager);
}

void AddEndpointMirroring(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(EndpointMirroringController(), client, manager);
}

void AddEndpoints(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(EndpointsController(manager.informers()), client, manager);
}

void AddStatefulSets(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  AddController(StatefulSetController(environment.writes), client, manager);
}

void AddScheduler(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  const auto scheduler = std::make_shared<Scheduler>(
      environment.scheduler, Scheduler::Environment{.client = client,
                                                    .informers = manager.informers(),
                                                    .clock = *environment.clock,
                                                    .random = *environment.random,
                                                    .metrics = &manager.metrics(),
                                                    .log = environment.log.Named("scheduler")});
  manager.Add(Runnable{.name = "kube-scheduler",
                       .run = [scheduler](std::stop_token stop) { return scheduler->Run(stop); }});
}

void AddNodeLifecycle(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  AddController(NodeLifecycleController(environment.node_lifecycle), client, manager);
}

void AddTaintEviction(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(TaintEvictionController(manager.informers()), client, manager);
}

void AddPodGarbageCollector(Manager& manager, const BuiltinEnvironment& environment,
                            Client& client) {
  for (Controller& controller :
       PodGarbageCollectors(environment.pod_garbage_collector, manager.informers())) {
    AddController(std::move(controller), client, manager);
  }
}

void AddDisruption(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  AddController(DisruptionController(manager.informers(),
                                     std::make_shared<ResourceMapper>(client, *environment.clock)),
                client, manager);
  AddController(DisruptionTargetController(), client, manager);
}

void AddRoleAggregation(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(RoleAggregationController(), client, manager);
}

void AddDaemonSets(Manager& manager, const BuiltinEnvironment& environment, Client& client) {
  AddController(DaemonSetController(environment.writes), client, manager);
}

void AddClaimProtection(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(ClaimProtectionController(), client, manager);
}

void AddVolumeProtection(Manager& manager, const BuiltinEnvironment&, Client& client) {
  AddController(VolumeProtectionController(), client, manager);
}

// Sorted by name.
constexpr BuiltinController kControllers[] = {
    {"clusterrole-aggregation-controller", "clusterrole-aggregation-controller",
     AddRoleAggregation},
    {"cronjob-controller", "cronjob-controller", AddCronJobs, "batch/v1", "CronJob"},
    {"daemonset-controller", "daemon-set-controller", AddDaemonSets},
    {"deployment-controller", "deployment-controller", AddDeployments},
    {"disruption-controller", "disruption-controller", AddDisruption, "policy/v1",
     "PodDisruptionBudget"},
    {"endpoints-controller", "endpoint-controller", AddEndpoints},
    {"endpointslice-controller", "endpointslice-controller", AddEndpointSlices,
     "discovery.k8s.io/v1", "EndpointSlice"},
    {"endpointslice-mirroring-controller", "endpointslicemirroring-controller",
     AddEndpointMirroring, "discovery.k8s.io/v1", "EndpointSlice"},
    {"garbage-collector-controller", "generic-garbage-collector", AddGarbageCollector},
    {"job-controller", "job-controller", AddJobs},
    {"kube-scheduler", "system:kube-scheduler", AddScheduler},
    {"namespace-controller", "namespace-controller", AddNamespaces},
    {"node-lifecycle-controller", "node-controller", AddNodeLifecycle},
    {"persistentvolume-protection-controller", "pv-protection-controller", AddVolumeProtection},
    {"persistentvolumeclaim-protection-controller", "pvc-protection-controller",
     AddClaimProtection},
    {"pod-garbage-collector-controller", "pod-garbage-collector", AddPodGarbageCollector},
    {"replicaset-controller", "replicaset-controller", AddReplicaSets},
    {"replicationcontroller-controller", "replication-controller", AddReplicationControllers},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", AddRootCa},
    {"serviceaccount-controller", "service-account-controller", AddServiceAccounts},
    {"statefulset-controller", "statefulset-controller", AddStatefulSets},
    {"taint-eviction-controller", "node-controller", AddTaintEviction},
    {"ttl-after-finished-controller", "ttl-after-finished-controller", AddTtlAfterFinished},
};

std::vector<std::string_view> Split(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (comma != 0) words.push_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return words;
}

Error NoSuchController(std::string_view name) {
  std::vector<std::string_view> names;
  for (const BuiltinController& controller : kControllers) names.push_back(controller.name);
  return Error::BadRequest(
      fmt::format("unknown controller \"{}\"; choose from {}", name, fmt::join(names, ", ")));
}

// A group version whose discovery failed may have the kind.
bool MayServe(const Discovery& server, std::string_view api_version, std::string_view kind) {
  const auto serves = [&](const DiscoveredResource& resource) {
    return resource.type.kind == kind && resource.type.ApiVersion() == api_version;
  };
  const auto may_serve = [&](const DiscoveryFailure& failure) {
    return failure.group_version == api_version;
  };
  return std::ranges::any_of(server.resources, serves) ||
         std::ranges::any_of(server.failures, may_serve);
}

bool Exists(std::string_view name) {
  return std::any_of(std::begin(kControllers), std::end(kControllers),
                     [&](const BuiltinController& other) { return other.name == name; });
}

}  // namespace

std::span<const BuiltinController> BuiltinControllers() { return kControllers; }

Result<std::vector<const BuiltinController*>> SelectControllers(std::string_view list) {
  bool all = false;
  std::set<std::string_view> on;
  std::set<std::string_view> off;
  for (std::string_view word : Split(list)) {
    if (word == "none") continue;
    if (word == "*") {
      all = true;
      continue;
    }
    std::set<std::string_view>& words = word.starts_with('-') ? off : on;
    if (word.starts_with('-')) word.remove_prefix(1);
    if (!Exists(word)) return NoSuchController(word);
    words.insert(word);
  }
  std::vector<const BuiltinController*> selected;
  for (const BuiltinController& controller : kControllers) {
    const bool wanted = on.contains(controller.name) || (all && !off.contains(controller.name));
    if (wanted) selected.push_back(&controller);
  }
  return selected;
}

std::vector<const BuiltinController*> ServedControllers(
    const std::vector<const BuiltinController*>& controllers, const Discovery& server,
    const Logger& log) {
  std::vector<const BuiltinController*> served;
  for (const BuiltinController* controller : controllers) {
    const auto [api_version, kind] =
        std::pair(controller->recent_api_version, controller->recent_kind);
    if (kind.empty() || MayServe(server, api_version, kind)) {
      served.push_back(controller);
    } else {
      log.Warn(
          "not starting a controller: the server does not serve its kind",
          {{"controller", controller->name}, {"kind", fmt::format("{} {}", api_version, kind)}});
    }
  }
  return served;
}

void AddBuiltinControllers(const std::vector<const BuiltinController*>& controllers,
                           BuiltinEnvironment environment, Manager& manager) {
  if (environment.writes == nullptr) {
    environment.writes = std::make_shared<ParallelWrites>(kParallelWrites);
  }
  for (const BuiltinController* controller : controllers) {
    Client* client =
        environment.client_of ? environment.client_of(controller->account) : &manager.client();
    controller->add(manager, environment, *client);
  }
}

}  // namespace kubexms
