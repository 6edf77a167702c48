#include "kubexms/builtin/workloads/daemon_set/daemon_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kubexms/builtin/namespaces/active_namespace.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/builtin/shared/write_status.h"
#include "kubexms/builtin/workloads/daemon_set/daemon_set_plan.h"
#include "kubexms/builtin/workloads/daemon_set/daemon_set_pod.h"
#include "kubexms/builtin/workloads/daemon_set/failed_pod_backoff.h"
#include "kubexms/builtin/workloads/dependents.h"
#include "kubexms/builtin/workloads/pod_writer.h"
#include "kubexms/builtin/workloads/revision_history.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using appsv1::ControllerRevision;
using appsv1::DaemonSet;
using corev1::Node;
using corev1::Pod;
using std::chrono::nanoseconds;

Result<Selector> SelectorOfSet(const DaemonSet& set) { return Selector::From(set.spec.selector); }

std::string LabelOf(const ObjectMeta& metadata, const char* key) {
  const auto label = metadata.labels.find(key);
  return label == metadata.labels.end() ? "" : label->second;
}

// The label value of the Pods of a revision. A revision without a hash label, which another client
// created, is identified by its name.
std::string HashOf(const ControllerRevision& revision) {
  const std::string hash = LabelOf(revision.metadata, kRevisionLabel);
  return hash.empty() ? revision.metadata.name : hash;
}

// One reconcile of a DaemonSet.
class DaemonSetSync {
 public:
  DaemonSetSync(ReconcileContext& context, const DaemonSet& set, ParallelWrites& writes,
                FailedPodBackoff& backoff)
      : context_(context),
        set_(set),
        writer_(context, ReferenceTo(set), writes),
        backoff_(backoff) {}

  Result<Outcome> Run() {
    if (!set_.metadata.deletion_timestamp.IsZero()) return Outcome::Done();
    ASSIGN_OR_RETURN(const Selector selector, SelectorOfSet(set_));
    ASSIGN_OR_RETURN(pods_, (ClaimDependents<Pod, DaemonSet>(context_, set_, selector)));
    const Result<void> found = FindRevisions(selector);
    if (!found.ok()) {
      RETURN_IF_ERROR(IgnoreTerminating(found.error()));
      return Outcome::Done();
    }
    EvaluateNodes();
    return Sync();
  }

 private:
  Result<Outcome> Sync() {
    const Result<void> done = Execute(PlanDaemonSet(GoalOf(set_, nodes_), nodes_, States()));
    // The caches contain this reconcile's own writes.
    pods_ = context_.Cached<Pod>().ByIndex(kControllerIndex, set_.metadata.uid);
    const Result<void> written = ReportStatus();
    if (!done.ok()) return done.error();
    if (!written.ok()) return written.error();
    RETURN_IF_ERROR(
        TruncateHistory(context_, history_, LiveRevisions(), set_.spec.revision_history_limit));
    return outcome_.And(RequeueWhenAvailable(pods_, MinReadySeconds(), context_.clock.Now()));
  }

  // ---- Observed state.

  Result<void> FindRevisions(const Selector& selector) {
    ASSIGN_OR_RETURN(history_, ConstructHistory(context_, set_, selector, kRevisionLabel));
    hash_ = HashOf(history_.newest());
    return {};
  }

  void EvaluateNodes() {
    const corev1::PodSpec& spec = set_.spec.template_.spec;
    const std::vector<corev1::Toleration> tolerations = DaemonTolerations(spec);
    for (const auto& node : context_.Cached<Node>().List()) {
      nodes_.push_back(EvaluateNode(spec, tolerations, *node));
    }
    std::sort(nodes_.begin(), nodes_.end(),
              [](const DaemonNode& a, const DaemonNode& b) { return a.name < b.name; });
  }

  std::vector<DaemonPod> States() const {
    std::vector<DaemonPod> states;
    states.reserve(pods_.size());
    for (const PodPointer& pod : pods_) states.push_back(StateOf(*pod));
    return states;
  }

  DaemonPod StateOf(const Pod& pod) const {
    return {.node = TargetNode(pod.spec),
            .bound = !pod.spec.node_name.empty(),
            .failed = pod.status.phase == "Failed",
            .succeeded = pod.status.phase == "Succeeded",
            .terminating = IsBeingDeleted(pod),
            .ready = IsReady(pod),
            .available = IsAvailable(pod, MinReadySeconds(), context_.clock.Now()),
            .updated = LabelOf(pod.metadata, kRevisionLabel) == hash_,
            .created = pod.metadata.creation_timestamp};
  }

  int32_t MinReadySeconds() const { return set_.spec.min_ready_seconds.value_or(0); }

  std::set<std::string, std::less<>> LiveRevisions() const {
    std::set<std::string, std::less<>> hashes;
    for (const PodPointer& pod : pods_) hashes.insert(LabelOf(pod->metadata, kRevisionLabel));
    std::set<std::string, std::less<>> live = {history_.newest().metadata.name};
    for (const RevisionPointer& revision : history_.revisions) {
      if (hashes.contains(HashOf(*revision))) live.insert(revision->metadata.name);
    }
    return live;
  }

  // ---- Writes.

  Result<void> Execute(const DaemonSetPlan& plan) {
    std::vector<PodPointer> remove;
    for (const size_t index : plan.remove) remove.push_back(pods_[index]);
    AddFinished(plan, remove);
    const Result<void> removed = writer_.DeleteEach(remove);
    std::vector<Pod> create;
    for (const std::string& node : plan.create) create.push_back(NewDaemonPod(set_, node, hash_));
    const Result<void> created = writer_.CreateEach(create);
    return removed.ok() ? created : removed;
  }

  void AddFinished(const DaemonSetPlan& plan, std::vector<PodPointer>& remove) {
    for (const size_t index : plan.succeeded) {
      RecordPodEvent(*pods_[index], EventType::kNormal, "SucceededDaemonPod",
                     "Found succeeded daemon pod {} on node {}, will try to delete it");
      remove.push_back(pods_[index]);
    }
    for (const size_t index : plan.failed) {
      const Pod& pod = *pods_[index];
      const nanoseconds wait =
          backoff_.Reserve(fmt::format("{}/{}/{}", set_.metadata.uid, hash_, pod.spec.node_name),
                           context_.clock.MonotonicNow());
      if (wait > nanoseconds(0)) {
        outcome_ = outcome_.And(Outcome::RequeueAfter(wait));
        continue;
      }
      RecordPodEvent(pod, EventType::kWarning, "FailedDaemonPod",
                     "Found failed daemon pod {} on node {}, will try to kill it");
      remove.push_back(pods_[index]);
    }
  }

  void RecordPodEvent(const Pod& pod, EventType type, std::string_view reason,
                      std::string_view message) {
    const std::string name = pod.metadata.namespace_name + "/" + pod.metadata.name;
    context_.events.Event(ReferenceTo(set_), type, reason,
                          fmt::format(fmt::runtime(message), name, pod.spec.node_name));
  }

  Result<void> ReportStatus() {
    DaemonSet changed = set_;
    changed.status = StatusOf(nodes_, States(), set_.status);
    changed.status.observed_generation = set_.metadata.generation.value_or(0);
    if (history_.collision_count > 0) changed.status.collision_count = history_.collision_count;
    return WriteStatus(context_, set_, changed);
  }

  ReconcileContext& context_;
  const DaemonSet& set_;
  PodWriter writer_;
  FailedPodBackoff& backoff_;
  std::vector<PodPointer> pods_;
  std::vector<DaemonNode> nodes_;
  RevisionHistory history_;
  std::string hash_;
  Outcome outcome_ = Outcome::Done();
};

// Whether DaemonSets may treat the node differently.
bool NodeChanged(const Node& before, const Node& after) {
  const auto taints = [](const Node& node) {
    std::vector<std::string> texts;
    for (const corev1::Taint& taint : node.spec.taints) texts.push_back(Encode(taint));
    return texts;
  };
  return before.metadata.labels != after.metadata.labels || taints(before) != taints(after);
}

// The DaemonSets whose Pods may run on a node. Called with the node before and after a change.
std::vector<ObjectKey> DaemonSetsForNode(const DeclaredCaches& caches, const Node& node) {
  std::vector<ObjectKey> keys;
  for (const auto& set : caches.Cached<DaemonSet>().List()) {
    const corev1::PodSpec& spec = set->spec.template_.spec;
    if (EvaluateNode(spec, DaemonTolerations(spec), node).should_continue_running) {
      keys.push_back(ObjectKey::Of(set->metadata));
    }
  }
  return keys;
}

}  // namespace

Controller DaemonSetController(std::shared_ptr<ParallelWrites> writes) {
  ControllerFor<DaemonSet> controller({.name = "daemonset-controller",
                                       .max_concurrent_reconciles = 2,
                                       .rate_limiter = {.max_delay = std::chrono::minutes(1)}});
  WatchDependents<Pod>(controller, &SelectorOfSet);
  WatchDependents<ControllerRevision>(controller, &SelectorOfSet);
  controller.Watches<Node>(&DaemonSetsForNode, {.predicates = {Changed<Node>(&NodeChanged)}})
      .Reconciles([writes = std::move(writes), backoff = std::make_shared<FailedPodBackoff>()](
                      ReconcileContext& context, const DaemonSet& set) {
        return DaemonSetSync(context, set, *writes, *backoff).Run();
      });
  return controller;
}

}  // namespace kubexms
