#pragma once

// A reconciler as a list of named stages over one state. Each stage has one job and is plain
// blocking code; what all of them need is done here, on every way out of a stage: its condition,
// its event, its metric, and one write of the status after all of them.
//
//   Result<StageOutcome> SyncSecret(ReconcileContext& context, Devbox& devbox, DevboxState& state)
//   {
//     ASSIGN_OR_RETURN(const auto made, CreateOrUpdate<corev1::Secret>(context.client, …));
//     state.secret = made.object;
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
// What a stage is given. The state is made anew for every reconcile. The object is a copy: what a
// stage changes in its status is written at the end, what it changes elsewhere is not. A stage that
// writes the object itself puts what the server answers in its place:
//   ASSIGN_OR_RETURN(devbox, context.client.Update(devbox));
// Its status keeps what the stages before it found, their conditions too: what they changed is
// changed in the answer when the stage returns.
//
// What becomes of a stage, and of its condition:
//   Done                  True, with the reason "Succeeded"
//   Skip                  as the stage says (SkippedCondition), with the reason that was given
//   Wait                  False, with the reason that was given; not a failure
//   an error, a throw     False, with the reason of the error
//   stopped meanwhile     Unknown, "Interrupted": the reconcile took too long or the process ends
//   not run               as it was; Unknown, "NotRun", if there was none
// A condition that stays as it was says by its observedGeneration for which spec it was found.
// The time of transition is that of the last change of True, False or Unknown. Keep messages free
// of what differs from run to run (versions, times): every new message is a write.
//
// What the reconcile comes to: a failure that can pass is returned as an error, so it is tried
// again with growing delays; if all failures are terminal, so is the error, unless a stage asked to
// be run again after a time. Without failures the earliest of those times counts.
//
// The status needs a member `conditions`. `phase` and `observed_generation` are filled in where
// there are such members. Objects that are being deleted are not reconciled: with a finalizer the
// cleanups of the stages run, the last stage's first, and the object stays until all succeeded.
// Before the first cleanup runs, the phase becomes "Terminating" and a true Ready condition False.

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
  kRunAll,       // every stage runs, whatever became of those before it
  kStopAtFirst,  // the first stage that fails or waits is the last one to run
};

// What the condition of a skipped stage says.
enum class SkippedCondition {
  kTrue,   // nothing to do is as good as done
  kFalse,  // the object is not ready because of it
  kNone,   // there is no condition
};

// What a stage that did not fail came to. An error is the other possibility, Terminal(error) for
// one that no retry can mend.
class StageOutcome {
 public:
  enum class Type { kDone, kSkipped, kWaiting };

  static StageOutcome Done(std::string message = "") {
    return StageOutcome(Type::kDone, "Succeeded", std::move(message));
  }
  // There was nothing to do for this object: "NotConfigured".
  static StageOutcome Skip(std::string reason, std::string message = "") {
    return StageOutcome(Type::kSkipped, std::move(reason), std::move(message));
  }
  // All was done that can be now: "PodStarting". Goes on when something that the controller watches
  // changes, or AgainAfter() a time.
  static StageOutcome Wait(std::string reason, std::string message = "") {
    return StageOutcome(Type::kWaiting, std::move(reason), std::move(message));
  }

  // The same, and the object is reconciled again after this time at the latest.
  StageOutcome AgainAfter(std::chrono::nanoseconds time) && {
    again_after_ = time;
    return std::move(*this);
  }

  Type type() const { return type_; }
  const std::string& reason() const { return reason_; }
  const std::string& message() const { return message_; }
  const std::optional<std::chrono::nanoseconds>& again_after() const { return again_after_; }

 private:
  StageOutcome(Type type, std::string reason, std::string message)
      : type_(type), reason_(std::move(reason)), message_(std::move(message)) {}

  Type type_;
  std::string reason_;
  std::string message_;
  std::optional<std::chrono::nanoseconds> again_after_;
};

struct StagesOptions {
  StagePolicy policy = StagePolicy::kRunAll;

  // The rest is of the whole reconciler, not of lists inside another one.

  // Kept on every object so that cleanups run before it goes: "devbox.example.io/cleanup". Required
  // if a stage has a cleanup.
  std::string finalizer;
  // The condition that sums up all stages; empty: none.
  std::string ready_condition = "Ready";
  // The phase of an object that is being deleted and waits for cleanups; empty: it stays as it was.
  // Where the phases of the kind are listed (Enum) and this is none of them, Phase() is asked.
  std::string terminating_phase = "Terminating";
};

struct NoState {};

template <Kind T, class State>
struct Stage;

// ---- What the templates below are made of, without the C++ types.

namespace stages_internal {

// What became of a stage or of a list of them; the greater, the worse.
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

// The findings of a list, as one.
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

  // Calls a stage, unless the reconcile was told to stop, and records what becomes of it. `path`
  // has the names of the lists around it.
  Finding RunStage(const StageInfo& stage, const std::string& path, const StageCall& call);
  Finding RunEvenIfStopped(const StageInfo& stage, const std::string& path, const StageCall& call);
  // Records what became of a list that is a stage.
  Finding RecordList(const StageInfo& stage, const Finding& finding);
  void NotRun(const StageInfo& stage);
  void SummariseAs(const std::string& condition, const Finding& all);
  // Makes the condition False, if it is true.
  void SetTerminating(const std::string& condition);
  // Logs that the status could not be written before the cleanups.
  void NoteTerminating(const Result<StatusPatched>& written) const;

  // To be called once the status was written: sends the events, and says what the reconcile comes
  // to.
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

// Of stages that have cleanups and no finalizer.
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

// A list of stages: a reconciler (give it to ControllerFor::Reconciles), or one of the stages of
// another list. A value: it can be copied and used in several places.
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

  // Without one the phase is "Ready" when every stage is done, "Failed" when one failed, and else
  // "Pending". If it throws, the phase stays as it was and the object is not Ready. Also called
  // when the reconcile was told to stop: it must be quick. For objects that are being
  // deleted, see terminating_phase.
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

  // What is passed through the lists.
  struct Run {
    StageRun record;
    ReconcileContext& context;
    const T& original;
    T& object;
    State& state;

    Result<StageOutcome> Call(const typename Stage<T, State>::Function& function) {
      // Caches are without them and all answers of servers have them, so they tell whether the
      // object was replaced, also by an answer of the same version.
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
    // Also when the reconcile was told to stop: what was found is to be known.
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
                         // Any error keeps the finalizer; this one is not seen by anybody.
                         if (waits) return Error::Conflict("", "", "a cleanup waits");
                         return Outcome::Done();
                       }},
                      context.stop);
    if (!result.ok() && !waits) return result.error();
    return outcome;
  }

  // True when it is not finished although nothing failed.
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

  // Written before the cleanups begin, as they can take long. If it cannot be written, they run all
  // the same.
  void SetTerminating(Run& run) const {
    if (!HasCleanup()) return;
    run.record.SetTerminating(options_.ready_condition);
    SetTerminatingPhase(run);
    const Result<StatusPatched> written =
        PatchStatus(run.context.client, run.original, run.object, run.context.clock);
    run.record.NoteTerminating(written);
    if constexpr (stages_internal::HasPhase<decltype(T::status)>) {
      // What the cleanups find can still be written.
      if (!written.ok()) run.object.status.phase = run.original.status.phase;
    }
  }

  // Where the kind has no such phase, the author's function says what it is.
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
    // From the conditions as they were, so that the time of transition is right.
    run.object.status.conditions = conditions;
    Findings findings(StagePolicy::kRunAll);
    findings.Add("Stages", all);
    findings.Add("Phase", phase);
    run.record.SummariseAs(options_.ready_condition, findings.all());
  }

  // What became of it. Also when the reconcile was told to stop: the conditions are written then,
  // too, and the phase has to fit them.
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
  // One of the two.
  Function run;
  Stages<T, State> stages;
  // Undoes what the stage did outside the object, before the object goes. Must not mind being
  // called again, or for a stage that never ran.
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
