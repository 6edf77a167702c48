#pragma once

// A reconciler as a list of named stages that share a state. A stage is plain blocking code; the
// framework sets its condition, event and metrics, and writes the status once after all stages.
//
//   Result<StageOutcome> SyncSecret(ReconcileContext& context, Devbox& devbox, DevboxState& state)
//   {
//     ASSIGN_OR_RETURN(const auto written, CreateOrUpdate<corev1::Secret>(context.client, …));
//     state.secret = written.object;
//     return StageOutcome::Done();
//   }
//
//   manager.Add(ControllerFor<Devbox>({.name = "devbox"}).Owns<corev1::Secret>().Reconciles(
//       Stages<Devbox, DevboxState>({.policy = StagePolicy::kStopAtFirst})
//           .Add({.name = "Secret", .condition = "SecretSynced", .run = SyncSecret})
//           .Add({.name = "Network", .condition = "NetworkSynced", .stages = NetworkStages()})
//           .Add({.name = "Pod", .condition = "PodSynced", .run = SyncPod})
//           .Phase(DevboxPhase)));
//
// Each reconcile has a new state and a copy of the object. Changes of its status are written at the
// end, other changes are not. A stage that writes the object assigns the response:
//   ASSIGN_OR_RETURN(devbox, context.client.Update(devbox));
// The status changes and conditions of the earlier stages are then merged into the response.
//
// The condition of a stage by its outcome:
//   Done                  True, reason "Succeeded"
//   Skip                  see SkippedCondition, reason of the outcome
//   Wait                  False, reason of the outcome; not a failure
//   error, exception      False, reason of the error
//   stopped               Unknown, "Interrupted": reconcile timeout, or the process ends
//   not run               unchanged; Unknown, "NotRun", if it did not exist
// The observedGeneration of a condition is that of the spec for which it was set; its
// lastTransitionTime changes with its status. Messages should not contain values that differ in
// every reconcile (versions, times), because every new message is a write.
//
// The result of the reconcile: an error if a stage failed, which is terminal if all failures are
// terminal and no stage has a RequeueAfter(). Without failures, the earliest RequeueAfter().
//
// The status needs a member `conditions`; members `phase` and `observed_generation` are set if they
// exist. Objects that are being deleted are not reconciled. With a finalizer, the cleanups of the
// stages run in reverse order, and the finalizer is removed after all have succeeded. Before the
// first cleanup, the phase becomes "Terminating" and a true Ready condition False.

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/condition.h"
#include "kubexms/base/check.h"
#include "kubexms/controller/events/object_reference.h"
#include "kubexms/controller/finalizer.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/controller/status_patch.h"
#include "kubexms/controller/support/guarded.h"

namespace kubexms {

enum class StagePolicy {
  kRunAll,       // run every stage, even if earlier ones failed
  kStopAtFirst,  // stop after the first stage that fails or waits
};

// The status of the condition of a skipped stage.
enum class SkippedCondition {
  kTrue,
  kFalse,  // the object is not Ready
  kNone,   // the condition is removed
};

// The result of a successful stage. A stage returns Terminal(error) for errors that must not be
// retried.
class StageOutcome {
 public:
  enum class Type { kDone, kSkipped, kWaiting };

  static StageOutcome Done(std::string message = "") {
    return StageOutcome(Type::kDone, "Succeeded", std::move(message));
  }
  // The stage does not apply to this object, reason for example "NotConfigured".
  static StageOutcome Skip(std::string reason, std::string message = "") {
    return StageOutcome(Type::kSkipped, std::move(reason), std::move(message));
  }
  // The stage waits, reason for example "PodStarting": for a change of a watched object, or for
  // RequeueAfter().
  static StageOutcome Wait(std::string reason, std::string message = "") {
    return StageOutcome(Type::kWaiting, std::move(reason), std::move(message));
  }

  // Reconciles the object again after this time at the latest.
  StageOutcome RequeueAfter(std::chrono::nanoseconds time) && {
    requeue_after_ = time;
    return std::move(*this);
  }

  Type type() const { return type_; }
  const std::string& reason() const { return reason_; }
  const std::string& message() const { return message_; }
  const std::optional<std::chrono::nanoseconds>& requeue_after() const { return requeue_after_; }

 private:
  StageOutcome(Type type, std::string reason, std::string message)
      : type_(type), reason_(std::move(reason)), message_(std::move(message)) {}

  Type type_;
  std::string reason_;
  std::string message_;
  std::optional<std::chrono::nanoseconds> requeue_after_;
};

struct StagesOptions {
  StagePolicy policy = StagePolicy::kRunAll;

  // The options below have no effect on nested lists of stages.

  // Finalizer of every object, such as "devbox.example.io/cleanup"; required if a stage has a
  // cleanup.
  std::string finalizer;
  // Condition that summarizes all stages; empty: none.
  std::string ready_condition = "Ready";
  // Phase of an object during its cleanups; empty: unchanged. If it is not in the Enum of the
  // phases of the kind, the phase function decides.
  std::string terminating_phase = "Terminating";
};

struct NoState {};

template <Kind T, class State>
struct Stage;

// ---- The parts of the templates below that do not depend on the C++ types.

namespace stages_internal {

// The state of a stage or of a list of stages, in ascending severity.
enum class Fate { kGood, kWaiting, kInterrupted, kFailed };

struct Finding {
  Fate fate = Fate::kGood;
  std::string reason = "Succeeded";
  std::string message;
};

struct StageInfo {
  const std::string& name;
  const std::string& condition;
  SkippedCondition skipped;
};

using StageCall = std::function<Result<StageOutcome>()>;

// The summary of a list of stages.
class Findings {
 public:
  explicit Findings(StagePolicy policy) : policy_(policy) {}

  bool MayGoOn() const { return policy_ == StagePolicy::kRunAll || all_.fate == Fate::kGood; }
  void Add(const std::string& name, const Finding& finding);
  const Finding& all() const { return all_; }

 private:
  const StagePolicy policy_;
  Finding all_;
};

// One reconcile by stages.
class StageRun {
 public:
  enum class Purpose { kReconcile, kCleanup };

  // `conditions` are those of the status that is to be written.
  StageRun(ReconcileContext& context, corev1::ObjectReference object, const ObjectMeta& metadata,
           std::vector<Condition>& conditions, Purpose purpose = Purpose::kReconcile);

  // Runs a stage, unless the reconcile was stopped, and records its result. `path` has the names of
  // the lists around it.
  Finding RunStage(const StageInfo& stage, const std::string& path, const StageCall& call);
  Finding RunEvenIfStopped(const StageInfo& stage, const std::string& path, const StageCall& call);
  // Records the result of a nested list.
  Finding RecordList(const StageInfo& stage, const Finding& finding);
  void NotRun(const StageInfo& stage);
  void SummariseAs(const std::string& condition, const Finding& all);
  // Makes the condition False, if it is true.
  void SetTerminating(const std::string& condition);
  // Logs that the status could not be written before the cleanups.
  void NoteTerminating(const Result<StatusPatched>& written) const;

  // Records the events and returns the result of the reconcile. Call it after the status was
  // written.
  Result<Outcome> Finish(const Result<StatusPatched>& written);
  bool Failed() const { return !failures_.empty(); }

 private:
  struct Failure {
    std::string stage;
    Fate fate;
    Error error;
  };

  Finding Interrupted(const StageInfo& stage);
  Finding Conclude(const StageInfo& stage, const std::string& path, const StageOutcome& outcome);
  Finding Conclude(const StageInfo& stage, const std::string& path, const Error& error);
  void Set(const std::string& condition, std::string_view status, const Finding& finding);
  void Succeed(const StageInfo& stage, const Finding& finding);
  void Measure(const std::string& stage, std::chrono::nanoseconds took, bool failed);
  Error CombinedError() const;

  ReconcileContext& context_;
  const corev1::ObjectReference object_;
  const std::optional<int64_t> generation_;
  std::vector<Condition>& conditions_;
  const Purpose purpose_;
  std::vector<Failure> failures_;
  std::vector<std::pair<std::string, std::string>> successes_;  // new ones: condition and message
  Outcome outcome_ = Outcome::Done();
};

// Whether a status may have this phase; false for an empty one.
bool HasPhaseNamed(const TypeInfo& status, const std::string& phase);

// The error of stages with cleanups but without a finalizer.
Error NoFinalizer(const std::string& controller);

// "Ready", "Pending" or "Failed".
std::string DefaultPhase(const Finding& all);

template <class Status>
concept HasPhase = requires(Status status) {
  status.phase = std::string();
};
template <class Status>
concept HasObservedGeneration = requires(Status status) {
  status.observed_generation = int64_t{1};
};

}  // namespace stages_internal

// A list of stages: a reconciler for ControllerFor::Reconciles, or a stage of another list. It can
// be copied.
template <Kind T, class State = NoState>
class Stages {
 public:
  // Derives the phase from the object, whose conditions are those of this reconcile.
  using PhaseFunction = std::function<std::string(const T& object, const State& state)>;

  Stages() = default;
  explicit Stages(StagesOptions options) : options_(std::move(options)) {}

  // Stages run in the order in which they are added.
  Stages& Add(Stage<T, State> stage) {
    KUBEXMS_CHECK(!stage.name.empty());
    KUBEXMS_CHECK((stage.run != nullptr) == stage.stages.stages_.empty());
    KUBEXMS_CHECK(stage.stages.options_.finalizer.empty() && !stage.stages.phase_);
    stages_.push_back(std::move(stage));
    return *this;
  }

  // Sets the phase function. By default the phase is "Ready" if every stage is done, "Failed" if
  // one failed, and otherwise "Pending". If the function throws, the phase is unchanged and the
  // object is not Ready. It is called even after a stop of the reconcile, so it must be quick.
  Stages& Phase(PhaseFunction phase) {
    static_assert(stages_internal::HasPhase<decltype(T::status)>, "the status has no phase");
    phase_ = std::move(phase);
    return *this;
  }

  Result<Outcome> operator()(ReconcileContext& context, const T& object) const {
    if (!options_.finalizer.empty()) return ReconcileFinalized(context, object);
    if (HasCleanup()) return stages_internal::NoFinalizer(context.controller);
    if (!object.metadata.deletion_timestamp.IsZero()) return Outcome::Done();
    return Reconcile(context, object);
  }

 private:
  using Finding = stages_internal::Finding;
  using Findings = stages_internal::Findings;
  using StageRun = stages_internal::StageRun;

  struct Run {
    StageRun record;
    ReconcileContext& context;
    const T& original;
    T& object;
    State& state;

    Result<StageOutcome> Call(const typename Stage<T, State>::Function& function) {
      // Cached objects have no managedFields but all responses of servers do: they show whether the
      // stage replaced the object, even by a response of the same version.
      object.metadata.managed_fields.clear();
      const std::string version = object.metadata.resource_version;
      const auto status = object.status;
      Result<StageOutcome> result =
          Guarded("the stage", [&] { return function(context, object, state); });
      if (object.metadata.resource_version == version && object.metadata.managed_fields.empty()) {
        return result;
      }
      ASSIGN_OR_RETURN(object.status,
                       MergeStatus(original.status, status, object.status, context.clock));
      return result;
    }
  };

  Result<Outcome> Reconcile(ReconcileContext& context, const T& object) const {
    T changed = object;
    State state{};
    Run run{StageRun(context, ReferenceTo(object), object.metadata, changed.status.conditions),
            context, object, changed, state};
    SumUp(run, RunAll(run, ""));
    if constexpr (stages_internal::HasObservedGeneration<decltype(T::status)>) {
      if (object.metadata.generation) {
        // NOLINTNEXTLINE(bugprone-optional-value-conversion): some kinds have a plain number
        changed.status.observed_generation = *object.metadata.generation;
      }
    }
    // Written even after a stop, so that the conditions are visible.
    return run.record.Finish(PatchStatus(context.client, object, changed, context.clock));
  }

  Result<Outcome> ReconcileFinalized(ReconcileContext& context, const T& object) const {
    Outcome outcome = Outcome::Done();
    bool waits = false;
    const Result<Outcome> result =
        WithFinalizer(context.client, object, options_.finalizer,
                      {.apply = [&](const T& stored) -> Result<Outcome> {
                         ASSIGN_OR_RETURN(outcome, Reconcile(context, stored));
                         return outcome;
                       },
                       .cleanup = [&](const T& stored) -> Result<Outcome> {
                         ASSIGN_OR_RETURN(waits, CleanUp(context, stored, outcome));
                         // Any error retains the finalizer; this one is not returned.
                         if (waits) return Error::Conflict("", "", "a cleanup waits");
                         return Outcome::Done();
                       }},
                      context.stop);
    if (!result.ok() && !waits) return result.error();
    return outcome;
  }

  // True if the cleanup waits without a failure.
  Result<bool> CleanUp(ReconcileContext& context, const T& object, Outcome& outcome) const {
    T changed = object;
    State state{};
    Run run{StageRun(context, ReferenceTo(object), object.metadata, changed.status.conditions,
                     StageRun::Purpose::kCleanup),
            context, object, changed, state};
    SetTerminating(run);
    const Finding all = CleanUpAll(run, "");
    if (all.fate == stages_internal::Fate::kGood && !run.record.Failed()) return false;
    run.record.SummariseAs(options_.ready_condition, all);
    ASSIGN_OR_RETURN(
        outcome, run.record.Finish(PatchStatus(context.client, object, changed, context.clock)));
    return true;
  }

  // Written before the cleanups, which can take long. They run even if the write fails.
  void SetTerminating(Run& run) const {
    if (!HasCleanup()) return;
    run.record.SetTerminating(options_.ready_condition);
    SetTerminatingPhase(run);
    const Result<StatusPatched> written =
        PatchStatus(run.context.client, run.original, run.object, run.context.clock);
    run.record.NoteTerminating(written);
    if constexpr (stages_internal::HasPhase<decltype(T::status)>) {
      // So that the next write includes the phase again.
      if (!written.ok()) run.object.status.phase = run.original.status.phase;
    }
  }

  // The phase function decides if the kind does not have the terminating phase.
  void SetTerminatingPhase(Run& run) const {
    if constexpr (stages_internal::HasPhase<decltype(T::status)>) {
      const TypeInfo& status = TypeOf<decltype(T::status)>();
      if (stages_internal::HasPhaseNamed(status, options_.terminating_phase)) {
        run.object.status.phase = options_.terminating_phase;
      } else if (phase_ && !options_.terminating_phase.empty()) {
        const Result<std::string> phase = Guarded(
            "the phase", [&]() -> Result<std::string> { return phase_(run.object, run.state); });
        if (phase.ok()) run.object.status.phase = *phase;
      }
    }
  }

  Finding RunAll(Run& run, const std::string& path) const {
    Findings findings(options_.policy);
    for (const Stage<T, State>& stage : stages_) {
      if (findings.MayGoOn()) {
        findings.Add(stage.name, stage.Run(run, path));
      } else {
        stage.NotRun(run.record);
      }
    }
    return findings.all();
  }

  Finding CleanUpAll(Run& run, const std::string& path) const {
    Findings findings(options_.policy);
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
      if (!findings.MayGoOn()) break;
      findings.Add(stage->name, stage->CleanUp(run, path));
    }
    return findings.all();
  }

  void NotRun(StageRun& record) const {
    for (const Stage<T, State>& stage : stages_) stage.NotRun(record);
  }

  bool HasCleanup() const {
    return std::any_of(stages_.begin(), stages_.end(), [](const Stage<T, State>& stage) {
      return stage.cleanup != nullptr || stage.stages.HasCleanup();
    });
  }

  void SumUp(Run& run, const Finding& all) const {
    const std::vector<Condition> conditions = run.object.status.conditions;
    run.record.SummariseAs(options_.ready_condition, all);
    const Finding phase = SetPhase(run, all);
    if (phase.fate == stages_internal::Fate::kGood) return;
    // Restored first, so that lastTransitionTime is right.
    run.object.status.conditions = conditions;
    Findings findings(StagePolicy::kRunAll);
    findings.Add("Stages", all);
    findings.Add("Phase", phase);
    run.record.SummariseAs(options_.ready_condition, findings.all());
  }

  // Runs even after a stop: the conditions are written, and the phase must match them.
  Finding SetPhase(Run& run, const Finding& all) const {
    if constexpr (stages_internal::HasPhase<decltype(T::status)>) {
      if (phase_) {
        const std::string name = "Phase";
        const std::string none;
        return run.record.RunEvenIfStopped(
            {name, none, SkippedCondition::kNone}, "", [&]() -> Result<StageOutcome> {
              run.object.status.phase = phase_(run.object, run.state);
              return StageOutcome::Done();
            });
      }
      run.object.status.phase = stages_internal::DefaultPhase(all);
    }
    return {};
  }

  friend struct Stage<T, State>;

  StagesOptions options_;
  std::vector<Stage<T, State>> stages_;
  PhaseFunction phase_;
};

template <Kind T, class State = NoState>
struct Stage {
  using Function =
      std::function<Result<StageOutcome>(ReconcileContext& context, T& object, State& state)>;

  std::string name;       // "Secret": in logs, metrics and events ("SecretFailed")
  std::string condition;  // "SecretSynced"; empty: none
  SkippedCondition skipped = SkippedCondition::kTrue;
  // Set exactly one of these.
  Function run;
  Stages<T, State> stages;
  // Undoes the effects of the stage before the object is deleted. Must be idempotent, also for a
  // stage that never ran.
  Function cleanup;

 private:
  friend class Stages<T, State>;
  using Finding = stages_internal::Finding;
  using ListRun = typename Stages<T, State>::Run;

  stages_internal::StageInfo Info() const { return {name, condition, skipped}; }

  Finding Run(ListRun& list, const std::string& path) const {
    if (!run) return list.record.RecordList(Info(), stages.RunAll(list, path + name + "/"));
    return Call(run, list, path);
  }

  Finding CleanUp(ListRun& list, const std::string& path) const {
    Finding own = cleanup ? Call(cleanup, list, path) : Finding();
    if (own.fate != stages_internal::Fate::kGood) return own;
    return stages.CleanUpAll(list, path + name + "/");
  }

  Finding Call(const Function& function, ListRun& list, const std::string& path) const {
    return list.record.RunStage(Info(), path, [&] { return list.Call(function); });
  }

  void NotRun(stages_internal::StageRun& record) const {
    stages.NotRun(record);
    record.NotRun(Info());
  }
};

}  // namespace kubexms
