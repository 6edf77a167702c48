#include "kubexms/platform/devbox_controller.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/base/random.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/base/time_left.h"
#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/stages.h"
#include "kubexms/platform/devbox_objects.h"
#include "kubexms/platform/ensure_deleted.h"
#include "kubexms/platform/ssh_key.h"

namespace kubexms::platform {
namespace {

using corev1::Pod;
using corev1::Secret;
using corev1::Service;
using devboxv1alpha2::Devbox;
using devboxv1alpha2::DevboxCommitRecord;

constexpr const char* kFinalizer = "devbox.sealos.io/finalizer";
// The delay before a finished Pod is replaced, so that a container that exits at once does not
// cause a loop.
constexpr auto kRestartDelay = std::chrono::seconds(10);

struct DevboxState {
  std::shared_ptr<const Pod> pod;
};

ObjectKey KeyOf(const Devbox& devbox) { return ObjectKey::Of(devbox.metadata); }

Result<StageOutcome> InitContent(ReconcileContext& context, Devbox& devbox, DevboxState& state) {
  if (CurrentContent(devbox) == nullptr) {
    StartContent(devbox, devbox.spec.image, Time::Now(context.clock));
  }
  devbox.status.network.unique_id = DevboxUniqueId(devbox);
  state.pod = context.Cached<Pod>().Get(KeyOf(devbox));
  return StageOutcome::Done();
}

// ---- Keys.

Result<void> SetKeys(const Devbox& devbox, Secret& secret) {
  if (secret.data.contains("SEALOS_DEVBOX_PRIVATE_KEY")) return {};
  SystemRandom random;
  ASSIGN_OR_RETURN(const SshKeyPair keys, MakeSshKeyPair(random, KeyOf(devbox).name + "@devbox"));
  secret.data["SEALOS_DEVBOX_PRIVATE_KEY"] = Bytes{keys.private_key};
  secret.data["SEALOS_DEVBOX_PUBLIC_KEY"] = Bytes{keys.public_key + "\n"};
  secret.data["SEALOS_DEVBOX_AUTHORIZED_KEYS"] = Bytes{keys.public_key + "\n"};
  secret.data["SEALOS_DEVBOX_JWT_SECRET"] = Bytes{EncodeBase64(random.Bytes(32), Base64Form::kUrl)};
  return {};
}

Result<StageOutcome> SyncSecret(ReconcileContext& context, Devbox& devbox, DevboxState&) {
  const auto set = [&](Secret& secret) -> Result<void> {
    RETURN_IF_ERROR(SetOwnership(devbox, secret.metadata));
    return SetKeys(devbox, secret);
  };
  RETURN_IF_ERROR(
      CreateOrUpdate<Secret>(context.client, KeyOf(devbox), set, {.stop = context.stop}));
  return StageOutcome::Done();
}

template <Kind T>
Result<StageOutcome> DeleteNamed(ReconcileContext& context, const Devbox& devbox,
                                 const std::string& name) {
  const ObjectKey key{devbox.metadata.namespace_name, name};
  const auto cached = context.Cached<T>().Get(key);
  if (cached != nullptr && IsControlledBy(cached->metadata, devbox.metadata.uid)) {
    RETURN_IF_ERROR(EnsureDeleted<T>(context, key));
  }
  return StageOutcome::Done();
}

Result<StageOutcome> DeleteSecret(ReconcileContext& context, Devbox& devbox, DevboxState&) {
  return DeleteNamed<Secret>(context, devbox, devbox.metadata.name);
}

// ---- Network.

std::string NodePortServiceOf(const Devbox& devbox) { return devbox.metadata.name + "-svc"; }

Result<Service> SyncService(ReconcileContext& context, const Devbox& devbox,
                            const std::string& name,
                            void (*set)(const Devbox&, corev1::ServiceSpec&)) {
  const auto change = [&](Service& service) -> Result<void> {
    set(devbox, service.spec);
    return SetOwnership(devbox, service.metadata);
  };
  ASSIGN_OR_RETURN(Written<Service> written,
                   CreateOrUpdate<Service>(context.client, {devbox.metadata.namespace_name, name},
                                           change, {.stop = context.stop}));
  return std::move(written.object);
}

Result<StageOutcome> SyncHeadless(ReconcileContext& context, Devbox& devbox, DevboxState&) {
  RETURN_IF_ERROR(SyncService(context, devbox, DevboxUniqueId(devbox), SetHeadlessService));
  return StageOutcome::Done();
}

Result<StageOutcome> DeleteHeadless(ReconcileContext& context, Devbox& devbox, DevboxState&) {
  return DeleteNamed<Service>(context, devbox, DevboxUniqueId(devbox));
}

Error NotConfigured(std::string_view type, std::string_view requirement) {
  return Terminal(Error::BadRequest(fmt::format(
      "spec.network.type: {} needs {}, which is not configured on this server; choose NodePort",
      type, requirement)));
}

struct SyncTailnet {
  std::string domain;

  Result<StageOutcome> operator()(ReconcileContext&, Devbox& devbox, DevboxState&) const {
    devbox.status.network.tailnet.clear();
    if (devbox.spec.network.type != "Tailnet") return StageOutcome::Skip("NotUsed");
    if (domain.empty()) return NotConfigured("Tailnet", "a tailnet");
    devbox.status.network.tailnet = DevboxUniqueId(devbox) + "." + domain;
    return StageOutcome::Done();
  }
};

struct SyncSshGate {
  std::string host;

  Result<StageOutcome> operator()(ReconcileContext&, Devbox& devbox, DevboxState&) const {
    if (devbox.spec.network.type != "SSHGate") return StageOutcome::Skip("NotUsed");
    if (host.empty()) return NotConfigured("SSHGate", "an SSH gate");
    return StageOutcome::Done("reached through " + host);
  }
};

Result<StageOutcome> DeleteNodePort(ReconcileContext& context, Devbox& devbox, DevboxState&) {
  devbox.status.network.node_port = 0;
  return DeleteNamed<Service>(context, devbox, NodePortServiceOf(devbox));
}

Result<StageOutcome> SyncNodePort(ReconcileContext& context, Devbox& devbox, DevboxState& state) {
  const bool desired = devbox.spec.network.type == "NodePort" && TargetState(devbox) != kShutdown;
  if (!desired) return DeleteNodePort(context, devbox, state);
  ASSIGN_OR_RETURN(const Service service,
                   SyncService(context, devbox, NodePortServiceOf(devbox), SetNodePortService));
  if (service.spec.ports.empty() || !service.spec.ports.front().node_port) {
    return StageOutcome::Wait("NoNodePortYet",
                              "the API server has not assigned a node port to the service");
  }
  devbox.status.network.node_port = *service.spec.ports.front().node_port;
  return StageOutcome::Done();
}

Result<StageOutcome> RecordNetworkType(ReconcileContext&, Devbox& devbox, DevboxState&) {
  devbox.status.network.type = devbox.spec.network.type;
  return StageOutcome::Done();
}

// ---- Pod.

void SaveContainerStatus(const Pod& pod, Devbox& devbox) {
  if (pod.status.container_statuses.empty()) return;
  devbox.status.last_container_status = pod.status.container_statuses.front();
}

Result<StageOutcome> DeletePod(ReconcileContext& context, Devbox& devbox, const Pod& pod,
                               const char* reason) {
  SaveContainerStatus(pod, devbox);
  if (pod.metadata.deletion_timestamp.IsZero()) {
    RETURN_IF_ERROR(IgnoreNotFound(context.client.Delete<Pod>(KeyOf(devbox))));
    if (context.Cached<Pod>().Get(KeyOf(devbox)) == nullptr) {
      return StageOutcome::Wait(reason, "the pod was deleted")
          .RequeueAfter(std::chrono::milliseconds(1));
    }
  }
  return StageOutcome::Wait(reason, "the pod is being deleted");
}

Time FinishTime(const Pod& pod) {
  for (const auto& container : pod.status.container_statuses) {
    if (container.state.terminated) return container.state.terminated->finished_at;
  }
  return pod.metadata.creation_timestamp;
}

// Replaces a finished Pod after kRestartDelay.
Result<StageOutcome> ReplaceFinished(ReconcileContext& context, Devbox& devbox, const Pod& pod) {
  const auto left = TimeLeft(FinishTime(pod).value(), kRestartDelay, context.clock.Now());
  if (left > std::chrono::nanoseconds(0)) {
    SaveContainerStatus(pod, devbox);
    return StageOutcome::Wait("PodEnded", "the pod finished and will be replaced")
        .RequeueAfter(left);
  }
  return DeletePod(context, devbox, pod, "PodEnded");
}

void RecordNode(ReconcileContext& context, const Pod& pod, Devbox& devbox) {
  devbox.status.node = pod.spec.node_name;
  DevboxCommitRecord& content = *CurrentContent(devbox);
  if (pod.spec.node_name.empty() || content.node == pod.spec.node_name) return;
  content.node = pod.spec.node_name;
  content.schedule_time = Time::Now(context.clock);
}

Result<StageOutcome> RunPod(ReconcileContext& context, Devbox& devbox, DevboxState& state) {
  ASSIGN_OR_RETURN(const Pod desired, DevboxPod(devbox));
  if (state.pod == nullptr) {
    ASSIGN_OR_RETURN(Pod created, context.client.Create(desired, {.stop = context.stop}));
    state.pod = std::make_shared<const Pod>(std::move(created));
    return StageOutcome::Wait("PodStarting", "the pod is being started");
  }
  const Pod& pod = *state.pod;
  if (!IsControlledBy(pod.metadata, devbox.metadata.uid)) {
    return Terminal(Error::AlreadyExists("pods", pod.metadata.name));
  }
  if (!pod.metadata.deletion_timestamp.IsZero()) {
    return DeletePod(context, devbox, pod, "PodTerminating");
  }
  if (pod.status.phase == "Failed" || pod.status.phase == "Succeeded") {
    return ReplaceFinished(context, devbox, pod);
  }
  if (IsOutdated(pod, desired)) return DeletePod(context, devbox, pod, "PodOutdated");
  RecordNode(context, pod, devbox);
  if (pod.status.phase == "Running") return StageOutcome::Done();
  return StageOutcome::Wait("PodStarting", "the pod is being started");
}

Result<StageOutcome> SyncPod(ReconcileContext& context, Devbox& devbox, DevboxState& state) {
  if (TargetState(devbox) == kRunning) return RunPod(context, devbox, state);
  const bool ours =
      state.pod != nullptr && IsControlledBy(state.pod->metadata, devbox.metadata.uid);
  if (ours) return DeletePod(context, devbox, *state.pod, "PodTerminating");
  devbox.status.node.clear();
  return StageOutcome::Done();
}

Result<StageOutcome> CleanUpPod(ReconcileContext& context, Devbox& devbox, DevboxState&) {
  const auto pod = context.Cached<Pod>().Get(KeyOf(devbox));
  if (pod == nullptr || !IsControlledBy(pod->metadata, devbox.metadata.uid)) {
    return StageOutcome::Done();
  }
  return DeletePod(context, devbox, *pod, "PodTerminating");
}

// ---- State.

struct SyncState {
  bool wait_for_commits;

  Result<StageOutcome> operator()(ReconcileContext& context, Devbox& devbox, DevboxState&) const {
    RETURN_IF_ERROR(CheckTransition(devbox));
    if (NeedsCommit(devbox)) {
      DevboxCommitRecord& content = *CurrentContent(devbox);
      if (wait_for_commits && content.commit_status != "Success") return Commit(context, content);
      const std::string image =
          content.commit_image.empty() ? content.base_image : content.commit_image;
      StartContent(devbox, image, Time::Now(context.clock));
    }
    devbox.status.state = TargetState(devbox);
    return StageOutcome::Done();
  }

 private:
  // The node agent watches the record, commits the content and writes the result to the record.
  static Result<StageOutcome> Commit(ReconcileContext& context, DevboxCommitRecord& content) {
    if (content.commit_status == "Failed") {
      return Error(
          500, "CommitFailed",
          "the node agent could not commit the content on node " + content.node + "; retrying");
    }
    if (content.commit_status != "Committing") {
      content.commit_status = "Committing";
      content.update_time = Time::Now(context.clock);
    }
    return StageOutcome::Wait("Committing",
                              "the content is being committed on node " + content.node);
  }
};

// ---- Stages.

Stages<Devbox, DevboxState> NetworkStages(const DevboxControllerOptions& options) {
  return Stages<Devbox, DevboxState>({.policy = StagePolicy::kStopAtFirst})
      .Add({.name = "Headless", .run = SyncHeadless, .cleanup = DeleteHeadless})
      .Add({.name = "Tailnet",
            .condition = "TailnetSynced",
            .skipped = SkippedCondition::kNone,
            .run = SyncTailnet{options.tailnet}})
      .Add({.name = "SSHGate",
            .condition = "SSHGateSynced",
            .skipped = SkippedCondition::kNone,
            .run = SyncSshGate{options.ssh_gate}})
      .Add({.name = "NodePort", .run = SyncNodePort, .cleanup = DeleteNodePort})
      .Add({.name = "Type", .run = RecordNetworkType});
}

Stages<Devbox, DevboxState> DevboxStages(const DevboxControllerOptions& options) {
  return Stages<Devbox, DevboxState>({.policy = StagePolicy::kStopAtFirst, .finalizer = kFinalizer})
      .Add({.name = "Content", .run = InitContent})
      .Add({.name = "Secret",
            .condition = "SecretSynced",
            .run = SyncSecret,
            .cleanup = DeleteSecret})
      .Add({.name = "Network", .condition = "NetworkSynced", .stages = NetworkStages(options)})
      .Add({.name = "Pod", .condition = "PodSynced", .run = SyncPod, .cleanup = CleanUpPod})
      .Add(
          {.name = "State", .condition = "StateSynced", .run = SyncState{options.wait_for_commits}})
      .Phase([](const Devbox& devbox, const DevboxState& state) {
        return DevboxPhase(devbox, state.pod.get());
      });
}

// A node agent writes the commit status of the content, which triggers a reconcile, too.
bool NeedsReconcile(const Devbox& before, const Devbox& after) {
  const DevboxCommitRecord* old_content = CurrentContent(before);
  const DevboxCommitRecord* content = CurrentContent(after);
  const bool committed = old_content != nullptr && content != nullptr &&
                         old_content->commit_status != content->commit_status;
  return committed || before.metadata.generation != after.metadata.generation ||
         before.metadata.deletion_timestamp != after.metadata.deletion_timestamp;
}

}  // namespace

Controller DevboxController(const DevboxControllerOptions& options) {
  // Objects of devboxes have these labels: other Pods, Services and Secrets are not cached.
  const RuleOptions of_devboxes{.scope = {.label_selector = Selector::FromLabels(
                                              {{"app.kubernetes.io/part-of", "devbox"},
                                               {"app.kubernetes.io/managed-by", "sealos"}})}};
  ControllerFor<Devbox> controller({.name = "devbox", .max_concurrent_reconciles = options.workers},
                                   {.namespace_name = options.watch_namespace});
  controller.WithPredicates(Changed<Devbox>(NeedsReconcile))
      .Owns<Secret>(of_devboxes)
      .Owns<Service>(of_devboxes)
      .Owns<Pod>(of_devboxes)
      .Reconciles(DevboxStages(options));
  return controller;
}

}  // namespace kubexms::platform
