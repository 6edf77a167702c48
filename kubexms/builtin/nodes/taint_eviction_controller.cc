#include "kubexms/builtin/nodes/taint_eviction_controller.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/api/condition.h"
#include "kubexms/base/mutex.h"
#include "kubexms/builtin/nodes/pods_by_node.h"
#include "kubexms/builtin/nodes/taint_eviction.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using corev1::Node;
using corev1::Pod;

// The time at which each Pod was first seen on a node with NoExecute taints. Safe for use from any
// thread.
class FirstSightings {
 public:
  Clock::WallTime RecordFirst(const ObjectKey& pod, const std::string& uid, Clock::WallTime now)
      EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Entry& entry = pods_[pod];
    if (entry.uid != uid) entry = {uid, now};
    return entry.since;
  }
  // False when no sighting of the Pod was recorded.
  bool Remove(const ObjectKey& pod) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return pods_.erase(pod) > 0;
  }

 private:
  struct Entry {
    std::string uid;
    Clock::WallTime since;
  };

  Mutex mutex_;
  std::unordered_map<ObjectKey, Entry> pods_ GUARDED_BY(mutex_);
};

void RecordEvent(ReconcileContext& context, const Pod& pod, std::string_view action) {
  context.events.Event(ReferenceTo(pod), EventType::kNormal, "TaintManagerEviction",
                       fmt::format("{} Pod {}", action, context.key.ToString()));
}

Result<void> Evict(ReconcileContext& context, const Pod& pod) {
  RecordEvent(context, pod, "Marking for deletion");
  Pod changed = pod;
  corev1::PodCondition condition;
  condition.type = "DisruptionTarget";
  condition.status = kConditionTrue;
  condition.reason = "DeletionByTaintManager";
  condition.message = "Taint manager: deleting due to NoExecute taint";
  condition.observed_generation = pod.metadata.generation;
  if (SetPodCondition(changed.status, std::move(condition), Time::Now(context.clock))) {
    const auto written = context.client.UpdateStatus(changed, {.stop = context.stop});
    if (!written.ok()) return IgnoreNotFound(written);
  }
  return IgnoreNotFound(context.client.Delete<Pod>(context.key, UidPrecondition(pod.metadata)));
}

Result<Outcome> Reconcile(ReconcileContext& context, const Pod& pod, FirstSightings& sightings) {
  const auto node = context.Cached<Node>().Get({"", pod.spec.node_name});
  const bool may_stay = node == nullptr || IsBeingDeleted(pod);
  const auto taints = may_stay ? std::vector<corev1::Taint>() : NoExecuteTaints(*node);
  if (taints.empty()) {
    const bool canceled = sightings.Remove(context.key) && !IsBeingDeleted(pod);
    if (canceled) RecordEvent(context, pod, "Cancelling deletion of");
    return Outcome::Done();
  }
  const Clock::WallTime now = context.clock.Now();
  const auto time =
      EvictionTime(pod, taints, sightings.RecordFirst(context.key, pod.metadata.uid, now));
  if (!time) return Outcome::Done();
  if (now < *time) return Outcome::RequeueAfter(*time - now);
  RETURN_IF_ERROR(Evict(context, pod));
  sightings.Remove(context.key);
  return Outcome::Done();
}

bool TaintsDiffer(const Node& before, const Node& after) {
  const auto text = [](const Node& node) {
    std::string all;
    for (const corev1::Taint& taint : NoExecuteTaints(node)) all += Encode(taint);
    return all;
  };
  return text(before) != text(after);
}

}  // namespace

Controller TaintEvictionController(InformerSet& informers) {
  const auto sightings = std::make_shared<FirstSightings>();
  const std::shared_ptr<Informer> nodes = informers.Get<Node>();
  ControllerFor<Pod> controller(
      {.name = "taint-eviction-controller", .max_concurrent_reconciles = 8});
  controller
      .WithPredicates([nodes](const CacheEvent& event) {
        const auto node = nodes->cache().Get({"", event.object.As<Pod>()->spec.node_name});
        return node && !NoExecuteTaints(*node.As<Node>()).empty();
      })
      .Index<Pod>(kPodsByNode, NodeOfPod)
      .Watches<Node>(&PodsOn, {.predicates = {[](const CacheEvent& event) {
                                 const bool untainted =
                                     event.type == CacheEvent::Type::kAdd &&
                                     NoExecuteTaints(*event.object.As<Node>()).empty();
                                 return !untainted && Changed<Node>(TaintsDiffer)(event);
                               }}})
      .RequiresAccess<Pod>({"delete"})
      .RequiresAccess<Pod>({"update"}, "status")
      .Reconciles([sightings](ReconcileContext& context, const Pod& pod) {
        return Reconcile(context, pod, *sightings);
      })
      .OnDeleted([sightings](ReconcileContext& context) -> Result<Outcome> {
        sightings->Remove(context.key);
        return Outcome::Done();
      });
  return controller;
}

}  // namespace kubexms
