#include "kubexms/builtin/scheduler/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/controller/status_patch.h"

namespace kubexms {
namespace {

using corev1::Pod;
using corev1::PodCondition;

constexpr const char* kScheduled = "PodScheduled";
constexpr const char* kUnschedulable = "Unschedulable";
constexpr const char* kSchedulerError = "SchedulerError";
// How often assumptions are checked for expiry.
constexpr auto kAssumptionsPeriod = std::chrono::seconds(10);
// Every scheduling attempt records an Event, and thousands of Pods may be scheduled in a second.
constexpr size_t kMaxEvents = 10'000;

EventBroadcasterOptions EventOptions(const Scheduler::Environment& environment) {
  return {.queue_capacity = kMaxEvents,
          .client = &environment.client,
          .clock = &environment.clock,
          .random = &environment.random,
          .metrics = environment.metrics,
          .logger = environment.log};
}

bool HasCondition(const Pod& pod, const std::string& reason, const std::string& message) {
  const PodCondition* condition = FindPodCondition(pod.status, kScheduled);
  return condition != nullptr && condition->status == "False" && condition->reason == reason &&
         condition->message == message;
}

Selector SelectorOf(const corev1::ReplicationController& controller) {
  return Selector::FromLabels(controller.spec.selector);
}

template <Kind T>
Selector SelectorOf(const T& workload) {
  return Selector::From(workload.spec.selector).value_or(Selector::Nothing());
}

}  // namespace

// ---- Metrics.

Scheduler::Metrics::Metrics(MetricsRegistry* registry, const std::string& profile) {
  if (registry == nullptr) return;
  const auto pending =
      registry->AddGauge({.name = "scheduler_pending_pods",
                          .help = "Number of pending Pods, by the queue that they are in.",
                          .labels = {"queue"}});
  active = pending.With({"active"});
  backoff = pending.With({"backoff"});
  unschedulable = pending.With({"unschedulable"});
  gated = pending.With({"gated"});
  const auto attempts =
      registry->AddCounter({.name = "scheduler_schedule_attempts_total",
                            .help = "Number of attempts to schedule Pods, by result.",
                            .labels = {"result", "profile"}});
  scheduled = attempts.With({"scheduled", profile});
  rejected = attempts.With({"unschedulable", profile});
  failed = attempts.With({"error", profile});
  const auto times = registry->AddHistogram(
      {.name = "scheduler_scheduling_attempt_duration_seconds",
       .help = "Duration of attempts to schedule a Pod, including the binding.",
       .labels = {"result", "profile"}},
      ExponentialBuckets(0.001, 2, 15));
  scheduled_time = times.With({"scheduled", profile});
  rejected_time = times.With({"unschedulable", profile});
  failed_time = times.With({"error", profile});
}

void Scheduler::UpdateMetrics() {
  const SchedulingQueue::Sizes sizes = queue_.sizes();
  metrics_.active.Set(static_cast<double>(sizes.active));
  metrics_.backoff.Set(static_cast<double>(sizes.backoff));
  metrics_.unschedulable.Set(static_cast<double>(sizes.unschedulable));
  metrics_.gated.Set(static_cast<double>(sizes.gated));
}

// ---- The loop.

Scheduler::Scheduler(SchedulerOptions options, Environment environment)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      metrics_(environment_.metrics, options_.name),
      broadcaster_(EventOptions(environment_)),
      events_(broadcaster_, options_.name),
      queue_(options_.queue),
      chooser_(environment_.random) {}

Result<void> Scheduler::Run(std::stop_token stop) {
  WatchAll();
  {
    const std::jthread events([this](std::stop_token end) { broadcaster_.Run(std::move(end)); });
    const bool synced = std::ranges::all_of(
        sources_, [&](const Source& source) { return source.informer->WaitForSync(stop); });
    threads_.emplace();
    if (synced) Loop(stop);
    stop_writes_.request_stop();
    threads_.reset();
  }
  for (const Source& source : sources_) source.informer->RemoveHandler(source.handler);
  return {};
}

template <Kind T>
void Scheduler::Watch(ClusterEvents (Scheduler::*apply)(const CachedObject& object, bool deleted)) {
  Source source{.informer = environment_.informers.Get<T>(), .apply = apply};
  source.handler =
      source.informer->AddHandler([this, number = sources_.size()](const CacheEvent& event) {
        inbox_.Push({number, event.object, event.type == CacheEvent::Type::kDelete});
      });
  sources_.push_back(std::move(source));
}

void Scheduler::WatchAll() {
  Watch<corev1::Node>(&Scheduler::ApplyNode);
  Watch<corev1::Namespace>(&Scheduler::ApplyNamespace);
  Watch<corev1::Service>(&Scheduler::ApplyService);
  Watch<corev1::ReplicationController>(&Scheduler::ApplyWorkload<corev1::ReplicationController>);
  Watch<appsv1::ReplicaSet>(&Scheduler::ApplyWorkload<appsv1::ReplicaSet>);
  Watch<appsv1::StatefulSet>(&Scheduler::ApplyWorkload<appsv1::StatefulSet>);
  Watch<corev1::PersistentVolumeClaim>(&Scheduler::ApplyClaim);
  Watch<corev1::PersistentVolume>(&Scheduler::ApplyVolume);
  Watch<Pod>(&Scheduler::ApplyPod);
}

void Scheduler::Loop(const std::stop_token& stop) {
  environment_.log.Info("scheduler started", {{"writers", options_.writers}});
  while (!stop.stop_requested()) {
    DrainInbox();
    UpdateMetrics();
    const TimePoint now = environment_.clock.MonotonicNow();
    if (pending_writes_ < options_.max_writes) {
      if (std::optional<Item> item = queue_.Pop(now)) {
        Schedule(*std::move(item));
        continue;
      }
    }
    inbox_.Wait(environment_.clock, NextChange(), stop);
  }
}

Scheduler::TimePoint Scheduler::NextChange() const {
  // With the maximum of pending writes, only a finished write makes progress possible.
  const bool has_room = pending_writes_ < options_.max_writes;
  const TimePoint next = has_room ? queue_.NextChange() : TimePoint::max();
  return assumptions_.empty() ? next : std::min(next, next_assumption_check_);
}

void Scheduler::DrainInbox() {
  const SchedulerInbox::Contents contents = inbox_.Drain();
  ClusterEvents events = kNoEvents;
  for (const ObjectChange& change : contents.changes) {
    events |= (this->*sources_[change.source].apply)(change.object, change.deleted);
  }
  for (const WriteOutcome& outcome : contents.outcomes) events |= ApplyOutcome(outcome);
  const TimePoint now = environment_.clock.MonotonicNow();
  if (now >= next_assumption_check_) events |= ExpireAssumptions(now);
  queue_.MoveOnEvents(events, now);
}

// ---- Changes from the inbox.

ClusterEvents Scheduler::ApplyNode(const CachedObject& object, bool deleted) {
  if (deleted) return snapshot_.RemoveNode(object.metadata->name);
  return snapshot_.SetNode(object.As<corev1::Node>());
}

ClusterEvents Scheduler::ApplyNamespace(const CachedObject& object, bool deleted) {
  if (!deleted) return snapshot_.SetNamespace(object.metadata->name, object.metadata->labels);
  snapshot_.RemoveNamespace(object.metadata->name);
  return kNoEvents;
}

ClusterEvents Scheduler::ApplyService(const CachedObject& object, bool deleted) {
  if (deleted) {
    workloads_.RemoveService(object.key());
  } else {
    workloads_.SetService(object.key(), object.As<corev1::Service>()->spec.selector);
  }
  return kNoEvents;
}

template <Kind T>
ClusterEvents Scheduler::ApplyWorkload(const CachedObject& object, bool deleted) {
  const std::string kind(T::kKind.kind);
  if (deleted) {
    workloads_.RemoveOwner(kind, object.key());
  } else {
    workloads_.SetOwner(kind, object.key(), SelectorOf(*object.As<T>()));
  }
  return kNoEvents;
}

ClusterEvents Scheduler::ApplyClaim(const CachedObject& object, bool deleted) {
  if (deleted) {
    volumes_.RemoveClaim(object.key());
  } else {
    volumes_.SetClaim(object.As<corev1::PersistentVolumeClaim>());
  }
  return kVolumes;
}

ClusterEvents Scheduler::ApplyVolume(const CachedObject& object, bool deleted) {
  if (deleted) {
    volumes_.RemoveVolume(object.metadata->name);
  } else {
    volumes_.SetVolume(object.As<corev1::PersistentVolume>());
  }
  return kVolumes;
}

ClusterEvents Scheduler::ApplyPod(const CachedObject& object, bool deleted) {
  const ObjectKey key = object.key();
  const PodPtr pod = object.As<Pod>();
  if (deleted || IsFinished(*pod)) return ForgetPod(key);
  if (!pod->spec.node_name.empty()) return ApplyAssignedPod(key, pod);
  if (pod->spec.scheduler_name != options_.name) return kNoEvents;
  return ApplyPendingPod(key, pod);
}

ClusterEvents Scheduler::ForgetPod(const ObjectKey& key) {
  queue_.Remove(key);
  assumptions_.erase(key);
  return snapshot_.Remove(key);
}

ClusterEvents Scheduler::ApplyAssignedPod(const ObjectKey& key, const PodPtr& pod) {
  queue_.Remove(key);
  assumptions_.erase(key);
  const SchedulerSnapshot::PlacedPod* placed = snapshot_.FindPod(key);
  const bool as_known = placed != nullptr && SameForScheduling(*placed->pod->pod, *pod) &&
                        snapshot_.node(placed->slot).name == pod->spec.node_name;
  if (!as_known) return snapshot_.Place(MakeSchedulerPod(pod), pod->spec.node_name, false);
  snapshot_.Refresh(pod);
  return kNoEvents;
}

ClusterEvents Scheduler::ApplyPendingPod(const ObjectKey& key, const PodPtr& pod) {
  ClusterEvents events = kNoEvents;
  if (const SchedulerSnapshot::PlacedPod* placed = snapshot_.FindPod(key)) {
    if (placed->pod->uid() == pod->metadata.uid) {
      // The watch is behind the decision. If the binding fails, this version of the Pod is queued.
      const auto assumption = assumptions_.find(key);
      if (assumption != assumptions_.end()) assumption->second.item.pod = MakeSchedulerPod(pod);
      return events;
    }
    events = ForgetPod(key);
  }
  if (!pod->metadata.deletion_timestamp.IsZero()) {
    queue_.Remove(key);
    return events;
  }
  const SchedulerPod* queued = queue_.Find(key);
  if (queued != nullptr && SameForScheduling(*queued->pod, *pod)) {
    queue_.Refresh(pod);
  } else {
    queue_.Add(MakeSchedulerPod(pod), environment_.clock.MonotonicNow());
  }
  return events;
}

ClusterEvents Scheduler::ApplyOutcome(const WriteOutcome& outcome) {
  --pending_writes_;
  if (!outcome.was_binding) return kNoEvents;
  const TimePoint now = environment_.clock.MonotonicNow();
  (outcome.error ? metrics_.failed : metrics_.scheduled).Increment();
  (outcome.error ? metrics_.failed_time : metrics_.scheduled_time).Observe(now - outcome.begun);
  const auto found = assumptions_.find(outcome.pod);
  // The Pod was deleted, or the watch has already confirmed the binding.
  if (found == assumptions_.end() || found->second.item.pod->uid() != outcome.uid) return kNoEvents;
  Assumption& assumption = found->second;
  if (!outcome.error) {
    assumption.bound = true;
    assumption.since = now;
    return kNoEvents;
  }
  Item item = std::move(assumption.item);
  const ClusterEvents events = ForgetPod(outcome.pod);
  // The Pod was bound by another scheduler or deleted; the watch will deliver that.
  const bool is_benign = outcome.error->IsConflict() || outcome.error->IsNotFound();
  if (!is_benign) {
    Report(item.pod->pod, kSchedulerError, "binding rejected: " + outcome.error->message());
  }
  if (!item.pod->is_terminating()) queue_.AddBackoff(std::move(item), now);
  return events;
}

// The server accepted the bindings but the watch did not deliver them: the server may have been
// restored from a backup.
ClusterEvents Scheduler::ExpireAssumptions(TimePoint now) {
  next_assumption_check_ = now + kAssumptionsPeriod;
  std::vector<Item> old;
  for (const auto& [key, assumption] : assumptions_) {
    const bool is_old = assumption.bound && now - assumption.since > options_.assumption_timeout;
    if (is_old) old.push_back(assumption.item);
  }
  ClusterEvents events = kNoEvents;
  for (Item& item : old) {
    environment_.log.Warn("the watch did not confirm a binding; queueing the pod again",
                          {{"pod", item.pod->key.ToString()}});
    events |= ForgetPod(item.pod->key);
    queue_.AddBackoff(std::move(item), now);
  }
  return events;
}

// ---- Scheduling.

void Scheduler::Schedule(Item item) {
  const TimePoint begun = environment_.clock.MonotonicNow();
  snapshot_.Trim();
  const SchedulerPod& pod = *item.pod;
  const SchedulerVolumes::PodVolumes volumes = volumes_.RulesFor(pod);
  if (!volumes.reason.empty()) {
    const Diagnosis diagnosis{.pod_reason = volumes.reason,
                              .all_nodes = snapshot_.node_count(),
                              .filters = SetOf(Filter::kVolumeBinding)};
    return MarkUnschedulable(std::move(item), diagnosis, begun);
  }
  const Decision decision = chooser_.Decide(
      {.pod = pod, .workload = workloads_.SelectorFor(pod.pod->metadata), .volumes = volumes.rules},
      snapshot_);
  if (!decision.node) return MarkUnschedulable(std::move(item), decision.diagnosis, begun);
  Assume(std::move(item), snapshot_.node(*decision.node).name, begun);
}

void Scheduler::Assume(Item item, const std::string& node, TimePoint begun) {
  const ObjectKey key = item.pod->key;
  Write write{.pod = item.pod->pod, .node = node, .begun = begun};
  const ClusterEvents events = snapshot_.Place(item.pod, node, true);
  assumptions_.insert_or_assign(key, Assumption{.item = std::move(item)});
  Submit(std::move(write));
  queue_.MoveOnEvents(events, begun);
}

void Scheduler::MarkUnschedulable(Item item, const Diagnosis& diagnosis, TimePoint begun) {
  const std::string message = diagnosis.Message();
  const TimePoint now = environment_.clock.MonotonicNow();
  metrics_.rejected.Increment();
  metrics_.rejected_time.Observe(now - begun);
  Report(item.pod->pod, kUnschedulable, message);
  queue_.AddUnschedulable(std::move(item), QueueingHints(diagnosis.filters), now);
}

void Scheduler::Report(const PodPtr& pod, const std::string& reason, const std::string& message) {
  events_.Event(ReferenceTo(*pod), EventType::kWarning, "FailedScheduling", message);
  if (HasCondition(*pod, reason, message)) return;
  Submit({.pod = pod, .reason = reason, .message = message});
}

void Scheduler::Submit(Write write) {
  // A report on a failed write may exceed the limit and is then dropped; the next attempt reports
  // again.
  {
    MutexLock lock(writes_mutex_);
    if (writes_.size() >= options_.max_writes) return;
    writes_.push_back(std::move(write));
    ++pending_writes_;
    if (writers_ >= options_.writers) return;
    ++writers_;
  }
  threads_->Start("scheduler-write", [this] { RunWriter(stop_writes_.get_token()); });
}

// ---- On the writer threads.

void Scheduler::RunWriter(const std::stop_token& stop) {
  while (const std::optional<Write> write = NextWrite(stop)) {
    const bool is_binding = !write->node.empty();
    const Result<void> result = is_binding ? Bind(*write, stop) : SetCondition(*write, stop);
    if (!result.ok()) {
      environment_.log.Debug(
          is_binding ? "cannot bind a pod" : "cannot set condition PodScheduled of a pod",
          {{"pod", ObjectKey::Of(write->pod->metadata).ToString()}, {"error", result.error()}});
    }
    WriteOutcome outcome{.pod = ObjectKey::Of(write->pod->metadata),
                         .uid = write->pod->metadata.uid,
                         .was_binding = is_binding,
                         .begun = write->begun};
    if (!result.ok()) outcome.error = result.error();
    inbox_.Push(std::move(outcome));
  }
}

std::optional<Scheduler::Write> Scheduler::NextWrite(const std::stop_token& stop) {
  MutexLock lock(writes_mutex_);
  if (stop.stop_requested() || writes_.empty()) {
    --writers_;
    return std::nullopt;
  }
  Write write = std::move(writes_.front());
  writes_.pop_front();
  return write;
}

Result<void> Scheduler::Bind(const Write& write, const std::stop_token& stop) {
  const ObjectMeta& pod = write.pod->metadata;
  corev1::Binding binding;
  binding.metadata.namespace_name = pod.namespace_name;
  binding.metadata.name = pod.name;
  binding.metadata.uid = pod.uid;
  binding.target.kind = "Node";
  binding.target.name = write.node;
  RETURN_IF_ERROR(environment_.client.Do(
      Client::WriteRequest(Verb::kCreate, ResourceType::Of<Pod>(), binding.metadata,
                           Encode(binding), {.subresource = "binding", .stop = stop})));
  events_.Event(
      ReferenceTo(*write.pod), EventType::kNormal, "Scheduled",
      fmt::format("Successfully assigned {}/{} to {}", pod.namespace_name, pod.name, write.node));
  return {};
}

Result<void> Scheduler::SetCondition(const Write& write, const std::stop_token& stop) {
  PodCondition condition;
  condition.type = kScheduled;
  condition.status = "False";
  condition.reason = write.reason;
  condition.message = write.message;
  Pod changed = *write.pod;
  SetPodCondition(changed.status, std::move(condition), Time::Now(environment_.clock));
  const auto patched = PatchStatus(
      environment_.client, *write.pod, changed, environment_.clock,
      {.only_if = [](const Pod& fresh) { return fresh.spec.node_name.empty(); }, .stop = stop});
  if (!patched.ok()) return patched.error();
  return {};
}

}  // namespace kubexms
