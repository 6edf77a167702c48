#include "kubexms/builtin/nodes/node_lifecycle_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "kubexms/api/condition.h"
#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/base/mutex.h"
#include "kubexms/builtin/nodes/node_taints.h"
#include "kubexms/builtin/nodes/pods_by_node.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using coordinationv1::Lease;
using corev1::Node;
using corev1::Pod;
using std::chrono::nanoseconds;

constexpr const char* kLeases = "kube-node-lease";

std::string ZoneOf(const Node& node) {
  const auto label = [&](const char* name) -> std::string_view {
    const auto found = node.metadata.labels.find(name);
    return found == node.metadata.labels.end() ? "" : std::string_view(found->second);
  };
  return fmt::format("{}/{}", label("topology.kubernetes.io/region"),
                     label("topology.kubernetes.io/zone"));
}

// What is known of the nodes beyond what is stored. Safe for use from any thread.
class NodeHealth {
 public:
  explicit NodeHealth(const NodeLifecycleOptions& options)
      : settling_(std::min(options.monitor_period, options.grace_period / 4)),
        zones_(options.zones) {}

  struct Sight {
    bool first = false;         // the node was not known
    bool was_ready = false;     // when it was last looked at
    Clock::MonotonicTime last;  // sign of life
  };

  // Looks at a node and its Lease, which may be null.
  Sight Look(const Node& node, const Lease* lease, Clock::MonotonicTime now) EXCLUDES(mutex_) {
    const corev1::NodeCondition* ready = FindNodeCondition(node, "Ready");
    const Time posted = ready == nullptr ? Time() : ready->last_heartbeat_time;
    const MicroTime renewed = lease == nullptr ? MicroTime() : lease->spec.renew_time;
    MutexLock lock(mutex_);
    State& state = nodes_[node.metadata.name];
    const bool first = state.uid != node.metadata.uid;
    if (first) state = {.uid = node.metadata.uid};
    if (first || state.posted != posted || state.renewed != renewed) state.last = now;
    state.posted = posted;
    state.renewed = renewed;
    return {.first = first, .was_ready = state.ready, .last = state.last};
  }

  // The node counts as ready or not in its zone.
  void Count(const Node& node, bool ready, Clock::MonotonicTime now) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool all_were_disrupted = zones_.AllAreDisrupted();
    zones_.Put(node.metadata.name, ZoneOf(node), ready, now);
    State& known = nodes_[node.metadata.name];
    if (ready) known.failed.reset();
    if (!ready && !known.failed) known.failed = now;
    // Nobody was heard for a while: perhaps it was not the nodes that fell silent.
    if (all_were_disrupted && !zones_.AllAreDisrupted()) {
      for (auto& [name, state] : nodes_) {
        state.last = now;
        if (state.failed) state.failed = now;
      }
    }
  }
  // Everything has been done that follows from it.
  void Settle(const Node& node, bool ready) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    nodes_[node.metadata.name].ready = ready;
  }

  void Forget(const std::string& node, Clock::MonotonicTime now) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    nodes_.erase(node);
    zones_.Remove(node, now);
  }

  bool AllAreDisrupted() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return zones_.AllAreDisrupted();
  }
  // Nodes that fail together are not noticed at the same moment. So the first of them has no turn
  // before it has been seen how many they are.
  bool IsItsTurn(const std::string& node, Clock::MonotonicTime now) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto known = nodes_.find(node);
    if (known == nodes_.end() || !known->second.failed) return false;
    if (now - *known->second.failed < settling_) return false;
    const auto turn = zones_.TurnOf(node, now);
    return turn && *turn <= now;
  }

 private:
  struct State {
    std::string uid;
    Time posted;
    MicroTime renewed;
    Clock::MonotonicTime last;
    std::optional<Clock::MonotonicTime> failed;  // since when it counts as not ready
    bool ready = false;
  };

  const std::chrono::nanoseconds settling_;

  Mutex mutex_;
  std::unordered_map<std::string, State> nodes_ GUARDED_BY(mutex_);
  NodeZones zones_ GUARDED_BY(mutex_);
};

// One look at one node.
class Visit {
 public:
  Visit(ReconcileContext& context, const NodeLifecycleOptions& options, NodeHealth& health)
      : context_(context),
        options_(options),
        health_(health),
        now_(context.clock.MonotonicNow()),
        wall_now_(Time::Now(context.clock)) {}

  Result<Outcome> Run(const Node& cached) {
    Node node = cached;
    const auto lease = context_.Cached<Lease>().Get({kLeases, node.metadata.name});
    const NodeHealth::Sight sight = health_.Look(node, lease.get(), now_);
    if (sight.first) {
      Tell(node, "RegisteredNode",
           fmt::format("event: Registered Node {} in Controller", node.metadata.name));
    }
    const nanoseconds left = TimeLeft(node, sight);
    if (left <= nanoseconds(0) && MarkUnknown(node, wall_now_)) {
      ASSIGN_OR_RETURN(node, context_.client.UpdateStatus(node, {.stop = context_.stop}));
    }
    const NodeReadiness readiness = ReadinessOf(node);
    const bool ready = readiness == NodeReadiness::kReady;
    const bool failed = sight.was_ready && !ready;
    health_.Count(node, ready, now_);
    RETURN_IF_ERROR(WriteTaints(node));
    if (failed || readiness == NodeReadiness::kUnknown) RETURN_IF_ERROR(UnreadyPods());
    if (failed) Tell(node, "NodeNotReady", "status is now: NodeNotReady");
    health_.Settle(node, ready);
    const nanoseconds again = left > nanoseconds(0) ? left : options_.grace_period;
    return Outcome::RequeueAfter(ready ? again : std::min(again, options_.monitor_period));
  }

 private:
  nanoseconds TimeLeft(const Node& node, const NodeHealth::Sight& sight) const {
    if (ReadinessOf(node) == NodeReadiness::kNew) {
      return node.metadata.creation_timestamp.value() + options_.startup_grace_period -
             context_.clock.Now();
    }
    return sight.last + options_.grace_period - now_;
  }

  Result<void> WriteTaints(const Node& node) {
    Node changed = node;
    bool writes = SetNoScheduleTaints(changed, wall_now_);
    writes |= SetNoExecuteTaint(changed, NoExecuteKey(node), wall_now_);
    writes |= SetBetaLabels(changed);
    if (!writes) return {};
    return IgnoreNotFound(context_.client.Update(changed, {.stop = context_.stop}));
  }

  // What drives Pods away from the node; empty: nothing does.
  std::string_view NoExecuteKey(const Node& node) {
    const NodeReadiness readiness = ReadinessOf(node);
    if (readiness == NodeReadiness::kReady || readiness == NodeReadiness::kNew) return "";
    if (health_.AllAreDisrupted()) return "";
    const bool tainted = HasTaint(node, kNotReadyTaint, "NoExecute") ||
                         HasTaint(node, kUnreachableTaint, "NoExecute");
    if (!tainted && !health_.IsItsTurn(node.metadata.name, now_)) return "";
    return readiness == NodeReadiness::kNotReady ? kNotReadyTaint : kUnreachableTaint;
  }

  // Nobody else will say that the Pods of a silent node are not to be relied on.
  Result<void> UnreadyPods() {
    for (const auto& pod : context_.Cached<Pod>().ByIndex(kPodsByNode, context_.key.name)) {
      if (!IsReady(*pod)) continue;
      Pod changed = *pod;
      corev1::PodCondition condition = *FindPodCondition(*pod, "Ready");
      condition.status = kConditionFalse;
      SetPodCondition(changed.status, std::move(condition), wall_now_);
      RETURN_IF_ERROR(
          IgnoreNotFound(context_.client.UpdateStatus(changed, {.stop = context_.stop})));
      context_.events.Event(ReferenceTo(*pod), EventType::kWarning, "NodeNotReady",
                            "Node is not ready");
    }
    return {};
  }

  void Tell(const Node& node, std::string_view reason, std::string_view what) {
    context_.events.Event(ReferenceTo(node), EventType::kNormal, reason,
                          fmt::format("Node {} {}", node.metadata.name, what));
  }

  ReconcileContext& context_;
  const NodeLifecycleOptions& options_;
  NodeHealth& health_;
  const Clock::MonotonicTime now_;
  const Time wall_now_;
};

}  // namespace

Controller NodeLifecycleController(const NodeLifecycleOptions& options) {
  const auto health = std::make_shared<NodeHealth>(options);
  ControllerFor<Node> controller({.name = "node-lifecycle-controller",
                                  .event_source = "node-controller",
                                  .workers = 4,
                                  .max_delay = std::chrono::seconds(5),
                                  .qps = 0});
  controller.Reads<Pod>()
      .Index<Pod>(kPodsByNode, NodeOfPod)
      .Watches<Lease>(
          [](const Lease& lease) {
            return std::vector{ObjectKey{"", lease.metadata.name}};
          },
          {.scope = {.namespace_name = kLeases}})
      .Touches<Pod>({"update"}, "status")
      .Reconciles([options, health](ReconcileContext& context, const Node& node) {
        return Visit(context, options, *health).Run(node);
      })
      .OnDeleted([health](ReconcileContext& context) -> Result<Outcome> {
        health->Forget(context.key.name, context.clock.MonotonicNow());
        return Outcome::Done();
      });
  return controller;
}

}  // namespace kubexms
