#include "kubexms/builtin/simulated_nodes/simulated_nodes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/base/mutex.h"
#include "kubexms/builtin/nodes/pods_by_node.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/builtin/simulated_nodes/pod_addresses.h"
#include "kubexms/builtin/simulated_nodes/simulated_node.h"
#include "kubexms/builtin/simulated_nodes/simulated_pod.h"

namespace kubexms {
namespace {

using coordinationv1::Lease;
using corev1::Node;
using corev1::Pod;
using std::chrono::nanoseconds;

bool IsSimulated(std::string_view node, int count) {
  const auto number = SimulatedNodeNumber(node);
  return number && *number <= count;
}

// ---- Nodes.

class NodeHeartbeats {
 public:
  explicit NodeHeartbeats(const SimulatedNodesOptions& options)
      : options_(options), nodes_(static_cast<size_t>(options.count) + 1) {}

  // Creates the node of the key, once.
  Result<Outcome> Register(ReconcileContext& context) EXCLUDES(mutex_) {
    const auto number = SimulatedNodeNumber(context.key.name);
    if (!number || *number > options_.count || !IsNew(*number)) return Outcome::Done();
    const Result<Node> created = context.client.Create(
        MakeSimulatedNode(*number, Time::Now(context.clock)), {.stop = context.stop});
    if (!created.ok() && !created.error().IsAlreadyExists()) return created.error();
    return created.ok() ? Beat(context, *created) : Outcome::Done();
  }

  Result<Outcome> Beat(ReconcileContext& context, const Node& node) EXCLUDES(mutex_) {
    const int number = *SimulatedNodeNumber(node.metadata.name);
    MarkKnown(number);
    if (IsStopped(node)) return Outcome::Done();
    RETURN_IF_ERROR(WriteNode(context, number, node));
    const Clock::MonotonicTime now = context.clock.MonotonicNow();
    const Clock::MonotonicTime due = LeaseDue(number);
    if (now < due) return Outcome::RequeueAfter(due - now);
    RETURN_IF_ERROR(RenewLease(context, node));
    return Outcome::RequeueAfter(PlanNextLease(number, now));
  }

 private:
  struct State {
    bool known = false;
    // Zero: not renewed yet.
    Clock::MonotonicTime lease_due;
  };

  bool IsNew(int number) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return !nodes_[static_cast<size_t>(number)].known;
  }
  void MarkKnown(int number) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    nodes_[static_cast<size_t>(number)].known = true;
  }
  Clock::MonotonicTime LeaseDue(int number) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return nodes_[static_cast<size_t>(number)].lease_due;
  }

  // The delay until the next renewal. The first one differs from node to node, so that the renewals
  // are spread over time.
  nanoseconds PlanNextLease(int number, Clock::MonotonicTime now) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    State& state = nodes_[static_cast<size_t>(number)];
    const bool first = state.lease_due == Clock::MonotonicTime();
    const nanoseconds period = options_.lease_period;
    const nanoseconds wait = first ? period * number / options_.count : period;
    state.lease_due = now + wait;
    return wait;
  }

  Result<void> WriteNode(ReconcileContext& context, int number, const Node& node) const {
    Node changed = node;
    if (changed.spec.pod_cidr.empty()) {
      const Node made = MakeSimulatedNode(number, Time::Now(context.clock));
      changed.spec.pod_cidr = made.spec.pod_cidr;
      changed.spec.pod_cidrs = made.spec.pod_cidrs;
      ASSIGN_OR_RETURN(changed, context.client.Update(changed, {.stop = context.stop}));
    }
    if (!RefreshNodeStatus(number, Time::Now(context.clock), options_.status_period, changed)) {
      return {};
    }
    return IgnoreNotFound(context.client.UpdateStatus(changed, {.stop = context.stop}));
  }

  Result<void> RenewLease(ReconcileContext& context, const Node& node) const {
    const MicroTime now = MicroTime::Now(context.clock);
    const Result<Lease> renewed = context.client.Patch<Lease>(
        {kNodeLeaseNamespace, node.metadata.name},
        {.body = NodeLeaseRenewal(node, options_.lease_duration, now)}, {.stop = context.stop});
    if (renewed.ok()) return {};
    if (!renewed.error().IsNotFound()) return renewed.error();
    RETURN_IF_ERROR(context.client.Create(MakeNodeLease(node, options_.lease_duration, now),
                                          {.stop = context.stop}));
    return {};
  }

  const SimulatedNodesOptions options_;
  Mutex mutex_;
  std::vector<State> nodes_ GUARDED_BY(mutex_);  // by number
};

Controller NodesController(const SimulatedNodesOptions& options) {
  const auto heartbeats = std::make_shared<NodeHeartbeats>(options);
  const auto requested =
      std::make_shared<ChannelSource>("simulated", static_cast<size_t>(options.count));
  for (int number = 1; number <= options.count; ++number) {
    requested->Send({"", SimulatedNodeName(number)});
  }
  ControllerFor<Node> controller(
      {.name = "simulated-nodes",
       .max_concurrent_reconciles = 2,
       .rate_limiter = {.max_delay = std::chrono::seconds(10), .qps = 0}});
  controller
      .WithPredicates(Matches<Node>([count = options.count](const Node& node) {
        return IsSimulated(node.metadata.name, count);
      }))
      .RequiresAccess<Lease>({"create", "patch"})
      .WatchesRawSource(requested)
      .Reconciles([heartbeats](ReconcileContext& context, const Node& node) {
        return heartbeats->Beat(context, node);
      })
      .OnDeleted([heartbeats](ReconcileContext& context) { return heartbeats->Register(context); });
  return controller;
}

// ---- Pods.

Result<void> Remove(ReconcileContext& context, const Pod& pod) {
  DeleteOptions options = UidPrecondition(pod.metadata);
  options.grace_period_seconds = 0;
  return IgnoreNoLongerExists(context.client.Delete<Pod>(context.key, options));
}

Result<void> WriteStatus(ReconcileContext& context, const Pod& pod, corev1::PodStatus status,
                         PodAddresses& addresses) {
  Pod changed = pod;
  changed.status = std::move(status);
  const Result<Pod> written = context.client.UpdateStatus(changed, {.stop = context.stop});
  // The Pod may have been deleted before it got its address.
  if (!written.ok() && pod.status.pod_ip.empty()) addresses.Release(pod.metadata.uid);
  return IgnoreNotFound(written);
}

Result<Outcome> ReconcilePod(ReconcileContext& context, const Pod& pod, PodAddresses& addresses) {
  const auto node = context.Cached<Node>().Get({"", pod.spec.node_name});
  if (node == nullptr || IsStopped(*node) || InternalIp(*node).empty()) return Outcome::Done();
  const Result<PodBehavior> behavior = BehaviorOf(pod);
  if (!behavior.ok()) return Terminal(behavior.error());
  PodAddressing addressing{.host_ip = InternalIp(*node)};
  if (IsActive(pod) && pod.status.pod_ip.empty() && !pod.spec.host_network) {
    ASSIGN_OR_RETURN(addressing.pod_ip, addresses.Assign(pod.metadata.uid, node->spec.pod_cidr));
  }
  const Clock::WallTime now = context.clock.Now();
  PodStep step = NextPodStep(pod, *behavior, addressing, now);
  if (step.status) RETURN_IF_ERROR(WriteStatus(context, pod, *std::move(step.status), addresses));
  if (step.remove) RETURN_IF_ERROR(Remove(context, pod));
  if (!step.next) return Outcome::Done();
  return Outcome::RequeueAfter(std::max<nanoseconds>(*step.next - now, nanoseconds(0)));
}

// Whether an update of a node affects its Pods.
bool AffectsPods(const Node& before, const Node& after) {
  return IsStopped(before) != IsStopped(after) || InternalIp(before) != InternalIp(after) ||
         before.spec.pod_cidr != after.spec.pod_cidr;
}

void TrackAddresses(Informer& pods, int count, const std::shared_ptr<PodAddresses>& addresses) {
  pods.AddHandler([count, addresses](const CacheEvent& event) {
    const auto pod = event.object.As<Pod>();
    if (!IsSimulated(pod->spec.node_name, count) || pod->spec.host_network) return;
    if (event.type == CacheEvent::Type::kDelete || IsFinished(*pod)) {
      addresses->Release(pod->metadata.uid);
    } else if (!pod->status.pod_ip.empty()) {
      addresses->Reserve(pod->metadata.uid, pod->status.pod_ip);
    }
  });
}

Controller PodsController(const SimulatedNodesOptions& options, InformerSet& informers) {
  const auto addresses = std::make_shared<PodAddresses>();
  const std::shared_ptr<Informer> pods = informers.Get<Pod>();
  TrackAddresses(*pods, options.count, addresses);
  ControllerFor<Pod> controller(
      {.name = "simulated-pods",
       .max_concurrent_reconciles = options.pod_workers,
       .rate_limiter = {.max_delay = std::chrono::seconds(10), .qps = 0}});
  controller
      .WithPredicates(Matches<Pod>([count = options.count](const Pod& pod) {
        return IsSimulated(pod.spec.node_name, count);
      }))
      .Index<Pod>(kPodsByNode, NodeOfPod)
      .Watches<Node>(&PodsOn,
                     {.predicates = {Matches<Node>([count = options.count](const Node& node) {
                                       return IsSimulated(node.metadata.name, count);
                                     }),
                                     Changed<Node>(AffectsPods)}})
      .RequiresAccess<Pod>({"delete"})
      .RequiresAccess<Pod>({"update"}, "status")
      .Reconciles([addresses](ReconcileContext& context, const Pod& pod) {
        return ReconcilePod(context, pod, *addresses);
      });
  return controller;
}

}  // namespace

void AddSimulatedNodes(const SimulatedNodesOptions& options, Client& client, Manager& manager) {
  for (Controller& controller :
       std::vector{NodesController(options), PodsController(options, manager.informers())}) {
    controller.SetClient(&client);
    manager.Add(std::move(controller));
  }
}

}  // namespace kubexms
