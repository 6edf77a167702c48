#include "kubexms/builtin/garbage_collection/pod_garbage_collector.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kubexms/api/condition.h"
#include "kubexms/base/mutex.h"
#include "kubexms/builtin/garbage_collection/pod_garbage.h"
#include "kubexms/builtin/nodes/node_taints.h"
#include "kubexms/builtin/nodes/pods_by_node.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/controller/status_patch.h"

namespace kubexms {
namespace {

using corev1::Node;
using corev1::Pod;
using std::chrono::nanoseconds;

constexpr const char* kName = "pod-garbage-collector-controller";
constexpr const char* kFinishedIndex = "finished";
// Entries of nodes whose Pods have long been deleted are removed after this time.
constexpr auto kForgetAfter = std::chrono::hours(1);

// Since when nodes of Pods are missing. Safe for use from any thread.
class MissingNodes {
 public:
  Clock::MonotonicTime Since(const std::string& node, Clock::MonotonicTime now) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::erase_if(nodes_, [&](const auto& other) { return now - other.second > kForgetAfter; });
    return nodes_.try_emplace(node, now).first->second;
  }
  void Found(const std::string& node) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    nodes_.erase(node);
  }

 private:
  Mutex mutex_;
  std::map<std::string, Clock::MonotonicTime> nodes_ GUARDED_BY(mutex_);
};

void SetDisruption(const Pod& pod, Time now, corev1::PodStatus& status) {
  corev1::PodCondition condition;
  condition.type = "DisruptionTarget";
  condition.status = kConditionTrue;
  condition.reason = "DeletionByPodGC";
  condition.message = "PodGC: node no longer exists";
  condition.observed_generation = pod.metadata.generation;
  SetPodCondition(status, std::move(condition), now);
}

// Deletes the Pod without a grace period: its kubelet does not take part.
Result<void> Delete(ReconcileContext& context, const Pod& pod) {
  DeleteOptions options = UidPrecondition(pod.metadata);
  options.grace_period_seconds = 0;
  return IgnoreNotFound(context.client.Delete<Pod>(ObjectKey::Of(pod.metadata), options));
}

// Sets the phase to Failed for controllers that wait for the Pod to finish, and deletes it.
Result<void> FailAndDelete(ReconcileContext& context, const Pod& pod, PodGarbage garbage) {
  if (!IsFinished(pod)) {
    Pod changed = pod;
    changed.status.phase = "Failed";
    changed.status.observed_generation = pod.metadata.generation.value_or(0);
    if (garbage == PodGarbage::kOrphaned) {
      SetDisruption(pod, Time::Now(context.clock), changed.status);
    }
    RETURN_IF_ERROR(
        PatchStatus(context.client, pod, changed, context.clock, {.stop = context.stop}));
  }
  return Delete(context, pod);
}

// Whether the Pod has terminated and only finalizers prevent its removal.
bool HasOnlyFinalizersLeft(const Pod& pod) {
  return IsFinished(pod) && IsBeingDeleted(pod) && !pod.metadata.finalizers.empty() &&
         pod.metadata.deletion_grace_period_seconds.value_or(0) == 0;
}

Result<Outcome> Reconcile(ReconcileContext& context, const Pod& pod, MissingNodes& missing,
                          nanoseconds quarantine) {
  const std::string& name = pod.spec.node_name;
  const auto node = context.Cached<Node>().Get({"", name});
  const PodGarbage garbage = ClassifyGarbage(pod, node.get());
  if (node != nullptr) missing.Found(name);
  if (garbage == PodGarbage::kNone || HasOnlyFinalizersLeft(pod)) return Outcome::Done();
  if (garbage == PodGarbage::kOrphaned) {
    const Clock::MonotonicTime now = context.clock.MonotonicNow();
    const Clock::MonotonicTime due = missing.Since(name, now) + quarantine;
    if (now < due) return Outcome::RequeueAfter(due - now);
    // Deletion is irreversible and the cache may be stale, so the server is asked.
    const auto live = context.client.Get<Node>({"", name}, {.stop = context.stop});
    if (live.ok()) return Outcome::RequeueAfter(quarantine);
    if (!live.error().IsNotFound()) return live.error();
  }
  RETURN_IF_ERROR(FailAndDelete(context, pod, garbage));
  return Outcome::Done();
}

bool OutOfServiceChanged(const Node& before, const Node& after) {
  return IsOutOfService(before) != IsOutOfService(after);
}

Controller OrphanedPodsController(const PodGarbageCollectorOptions& options,
                                  InformerSet& informers) {
  const auto missing = std::make_shared<MissingNodes>();
  const std::shared_ptr<Informer> nodes = informers.Get<Node>();
  ControllerFor<Pod> controller({.name = kName, .max_concurrent_reconciles = 4});
  controller
      .WithPredicates([nodes](const CacheEvent& event) {
        const auto pod = event.object.As<Pod>();
        const auto node = nodes->cache().Get({"", pod->spec.node_name}).As<Node>();
        return ClassifyGarbage(*pod, node.get()) != PodGarbage::kNone;
      })
      .Index<Pod>(kPodsByNode, NodeOfPod)
      .Watches<Node>(&PodsOn, {.predicates = {Changed<Node>(OutOfServiceChanged)}})
      .RequiresAccess<Pod>({"delete"})
      .RequiresAccess<Pod>({"patch"}, "status")
      .Reconciles(
          [missing, quarantine = options.quarantine](ReconcileContext& context, const Pod& pod) {
            return Reconcile(context, pod, *missing, quarantine);
          });
  return controller;
}

// Counts finished Pods periodically; it has no reconciled object.
Controller TerminatedPodsController(const PodGarbageCollectorOptions& options,
                                    InformerSet& informers) {
  const std::shared_ptr<Informer> pods = informers.Get<Pod>();
  pods->cache().AddIndex(kFinishedIndex, [](const CachedObject& pod) {
    return IsFinished(*pod.As<Pod>()) ? std::vector<std::string>{""} : std::vector<std::string>();
  });
  Controller controller({.name = std::string(kName) + "-finished"});
  controller.AddSource(std::make_shared<TimerSource>(options.period, [] {
    return std::vector{ObjectKey{"", "finished"}};
  }));
  controller.SetReconcile([pods, threshold = options.terminated_threshold](
                              ReconcileContext& context, const CachedObject&) -> Result<Outcome> {
    const Lister<Pod> finished(pods->cache());
    for (const auto& pod : ExcessTerminatedPods(finished.ByIndex(kFinishedIndex, ""), threshold)) {
      RETURN_IF_ERROR(Delete(context, *pod));
    }
    return Outcome::Done();
  });
  return controller;
}

}  // namespace

std::vector<Controller> PodGarbageCollectors(const PodGarbageCollectorOptions& options,
                                             InformerSet& informers) {
  std::vector<Controller> controllers;
  controllers.push_back(OrphanedPodsController(options, informers));
  if (options.terminated_threshold > 0)
    controllers.push_back(TerminatedPodsController(options, informers));
  return controllers;
}

}  // namespace kubexms
