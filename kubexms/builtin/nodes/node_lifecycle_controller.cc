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

// The state of all nodes that is not stored in the API. Safe for use from any thread.
class NodeHealth {
 public:
  explicit NodeHealth(const NodeLifecycleOptions& options)
      : observation_period_(std::min(options.monitor_period, options.grace_period / 4)),
        zones_(options.zones) {}

  struct Observation {
    bool first = false;         // the node is new
    bool was_ready = false;     // at the last reconcile
    Clock::MonotonicTime last;  // heartbeat
  };

  // Records the heartbeats of a node and its Lease, which may be null.
  Observation Observe(const Node& node, const Lease* lease, Clock::MonotonicTime now)
      EXCLUDES(mutex_) {
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

  // Counts the node as ready or not ready in its zone.
  void Count(const Node& node, bool ready, Clock::MonotonicTime now) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool all_were_disrupted = zones_.AllAreDisrupted();
    zones_.Put(node.metadata.name, ZoneOf(node), ready, now);
    State& known = nodes_[node.metadata.name];
    if (ready) known.failed.reset();
    if (!ready && !known.failed) known.failed = now;
    // No node reported for a while, so that the network of this process may have failed: all grace
    // periods start again.
    if (all_were_disrupted && !zones_.AllAreDisrupted()) {
      for (auto& [name, state] : nodes_) {
        state.last = now;
        if (state.failed) state.failed = now;
      }
    }
  }
  // Records that the reconcile for this readiness is complete.
  void MarkProcessed(const Node& node, bool ready) EXCLUDES(mutex_) {
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
  // Whether the node may get the NoExecute taint now. Nodes that fail together are not observed at
  // the same moment, so the first one waits until the number of failed nodes is known.
  bool MayTaint(const std::string& node, Clock::MonotonicTime now) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto known = nodes_.find(node);
    if (known == nodes_.end() || !known->second.failed) return false;
    if (now - *known->second.failed < observation_period_) return false;
    const auto time = zones_.TaintTimeOf(node, now);
    return time && *time <= now;
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

  const std::chrono::nanoseconds observation_period_;

  Mutex mutex_;
  std::unordered_map<std::string, State> nodes_ GUARDED_BY(mutex_);
  NodeZones zones_ GUARDED_BY(mutex_);
};

// One reconcile of a node.
class NodeSync {
 public:
  NodeSync(ReconcileContext& context, const NodeLifecycleOptions& options, NodeHealth& health)
      : context_(context),
        options_(options),
        health_(health),
        now_(context.clock.MonotonicNow()),
        wall_now_(Time::Now(context.clock)) {}

  Result<Outcome> Run(const Node& cached) {
    Node node = cached;
    const auto lease = context_.Cached<Lease>().Get({kLeases, node.metadata.name});
    const NodeHealth::Observation observation = health_.Observe(node, lease.get(), now_);
    if (observation.first) {
      RecordEvent(node, "RegisteredNode",
                  fmt::format("event: Registered Node {} in Controller", node.metadata.name));
    }
    const nanoseconds left = TimeLeft(node, observation);
    if (left <= nanoseconds(0) && MarkUnknown(node, wall_now_)) {
      ASSIGN_OR_RETURN(node, context_.client.UpdateStatus(node, {.stop = context_.stop}));
    }
    const NodeReadiness readiness = ReadinessOf(node);
    const bool ready = readiness == NodeReadiness::kReady;
    const bool failed = observation.was_ready && !ready;
    health_.Count(node, ready, now_);
    RETURN_IF_ERROR(WriteTaints(node));
    if (failed || readiness == NodeReadiness::kUnknown) RETURN_IF_ERROR(MarkPodsNotReady());
    if (failed) RecordEvent(node, "NodeNotReady", "status is now: NodeNotReady");
    health_.MarkProcessed(node, ready);
    const nanoseconds next = left > nanoseconds(0) ? left : options_.grace_period;
    return Outcome::RequeueAfter(ready ? next : std::min(next, options_.monitor_period));
  }

 private:
  nanoseconds TimeLeft(const Node& node, const NodeHealth::Observation& observation) const {
    if (ReadinessOf(node) == NodeReadiness::kNew) {
      return node.metadata.creation_timestamp.value() + options_.startup_grace_period -
             context_.clock.Now();
    }
    return observation.last + options_.grace_period - now_;
  }

  Result<void> WriteTaints(const Node& node) {
    Node changed = node;
    bool writes = SetNoScheduleTaints(changed, wall_now_);
    writes |= SetNoExecuteTaint(changed, NoExecuteKey(node), wall_now_);
    writes |= SetBetaLabels(changed);
    if (!writes) return {};
    return IgnoreNotFound(context_.client.Update(changed, {.stop = context_.stop}));
  }

  // The key of the NoExecute taint that the node should have; empty: none.
  std::string_view NoExecuteKey(const Node& node) {
    const NodeReadiness readiness = ReadinessOf(node);
    if (readiness == NodeReadiness::kReady || readiness == NodeReadiness::kNew) return "";
    if (health_.AllAreDisrupted()) return "";
    const bool tainted = HasTaint(node, kNotReadyTaint, "NoExecute") ||
                         HasTaint(node, kUnreachableTaint, "NoExecute");
    if (!tainted && !health_.MayTaint(node.metadata.name, now_)) return "";
    return readiness == NodeReadiness::kNotReady ? kNotReadyTaint : kUnreachableTaint;
  }

  // The kubelet of an unreachable node cannot report that its Pods are not ready.
  Result<void> MarkPodsNotReady() {
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

  void RecordEvent(const Node& node, std::string_view reason, std::string_view message) {
    context_.events.Event(ReferenceTo(node), EventType::kNormal, reason,
                          fmt::format("Node {} {}", node.metadata.name, message));
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
  ControllerFor<Node> controller(
      {.name = "node-lifecycle-controller",
       .event_source = "node-controller",
       .max_concurrent_reconciles = 4,
       .rate_limiter = {.max_delay = std::chrono::seconds(5), .qps = 0}});
  controller.Reads<Pod>()
      .Index<Pod>(kPodsByNode, NodeOfPod)
      .Watches<Lease>(
          [](const Lease& lease) {
            return std::vector{ObjectKey{"", lease.metadata.name}};
          },
          {.scope = {.namespace_name = kLeases}})
      .RequiresAccess<Pod>({"update"}, "status")
      .Reconciles([options, health](ReconcileContext& context, const Node& node) {
        return NodeSync(context, options, *health).Run(node);
      })
      .OnDeleted([health](ReconcileContext& context) -> Result<Outcome> {
        health->Forget(context.key.name, context.clock.MonotonicNow());
        return Outcome::Done();
      });
  return controller;
}

}  // namespace kubexms
