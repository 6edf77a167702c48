#include "kubexms/controller/stages.h"

#include <fmt/format.h>

#include "kubexms/base/utf8.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms::stages_internal {
namespace {

// Kubernetes allows 32768 bytes.
constexpr size_t kMaxMessageBytes = 4096;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsReasonCharacter(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == ',' || c == ':';
}

// As Kubernetes wants the reason of a condition: an identifier, never empty.
bool IsReason(std::string_view text) {
  return !text.empty() && IsLetter(text.front()) && text.back() != ',' && text.back() != ':' &&
         std::all_of(text.begin(), text.end(), IsReasonCharacter);
}

std::string ReasonOf(const Error& error) {
  return IsReason(error.reason()) && error.reason() != "Unknown" ? error.reason() : "Failed";
}

std::string_view StatusOf(Fate fate) {
  switch (fate) {
    case Fate::kGood: return kConditionTrue;
    case Fate::kInterrupted: return kConditionUnknown;
    case Fate::kWaiting:
    case Fate::kFailed: break;
  }
  return kConditionFalse;
}

}  // namespace

bool HasPhaseNamed(const TypeInfo& status, const std::string& phase) {
  const auto property =
      std::find_if(status.schema.properties.begin(), status.schema.properties.end(),
                   [](const Property& other) { return other.name == "phase"; });
  if (phase.empty() || property == status.schema.properties.end()) return false;
  const auto& phases = property->schema->enum_values;
  return phases.empty() || std::find(phases.begin(), phases.end(), Json(phase)) != phases.end();
}

Error NoFinalizer(const std::string& controller) {
  return Terminal(Error::Internal(
      fmt::format("controller \"{}\": a stage has a cleanup, but the stages have no finalizer: set "
                  "StagesOptions::finalizer",
                  controller)));
}

std::string DefaultPhase(const Finding& all) {
  switch (all.fate) {
    case Fate::kGood: return "Ready";
    case Fate::kFailed: return "Failed";
    case Fate::kWaiting:
    case Fate::kInterrupted: break;
  }
  return "Pending";
}

void Findings::Add(const std::string& name, const Finding& finding) {
  if (finding.fate == Fate::kGood) return;
  if (finding.fate > all_.fate) {
    all_.fate = finding.fate;
    all_.reason = finding.reason;
  }
  if (!all_.message.empty()) all_.message += "; ";
  all_.message += finding.message.empty() ? name : fmt::format("{}: {}", name, finding.message);
}

StageRun::StageRun(ReconcileContext& context, corev1::ObjectReference object,
                   const ObjectMeta& metadata, std::vector<Condition>& conditions, Purpose purpose)
    : context_(context),
      object_(std::move(object)),
      generation_(metadata.generation),
      conditions_(conditions),
      purpose_(purpose) {}

Finding StageRun::RunStage(const StageInfo& stage, const std::string& path, const StageCall& call) {
  if (context_.stop.stop_requested()) return Interrupted(stage);
  return RunEvenIfStopped(stage, path, call);
}

Finding StageRun::RunEvenIfStopped(const StageInfo& stage, const std::string& path,
                                   const StageCall& call) {
  const auto begun = context_.clock.MonotonicNow();
  const Result<StageOutcome> result = Guarded("the stage", call);
  Measure(path + stage.name, context_.clock.MonotonicNow() - begun, !result.ok());
  if (result.ok()) return Conclude(stage, path, *result);
  return Conclude(stage, path, result.error());
}

Finding StageRun::Interrupted(const StageInfo& stage) {
  NotRun(stage);
  const bool told = std::any_of(failures_.begin(), failures_.end(), [](const Failure& failure) {
    return failure.fate == Fate::kInterrupted;
  });
  if (!told) {
    failures_.push_back(
        {stage.name, Fate::kInterrupted, Error::Timeout("the reconcile was stopped before it")});
  }
  return {Fate::kInterrupted, "Interrupted", "did not run, because the reconcile was stopped"};
}

Finding StageRun::Conclude(const StageInfo& stage, const std::string& path,
                           const StageOutcome& outcome) {
  if (outcome.requeue_after())
    outcome_ = outcome_.And(Outcome::RequeueAfter(*outcome.requeue_after()));
  Finding finding{Fate::kGood, outcome.reason(), outcome.message()};
  if (!IsReason(finding.reason)) finding.reason = "Unspecified";
  context_.log.Debug("stage ended", {{"stage", path + stage.name}, {"reason", finding.reason}});
  switch (outcome.type()) {
    case StageOutcome::Type::kDone: break;
    case StageOutcome::Type::kWaiting: finding.fate = Fate::kWaiting; break;
    case StageOutcome::Type::kSkipped:
      if (purpose_ == Purpose::kCleanup) return finding;
      if (stage.skipped == SkippedCondition::kFalse) finding.fate = Fate::kWaiting;
      if (stage.skipped == SkippedCondition::kNone) {
        RemoveCondition(conditions_, stage.condition);
        return finding;
      }
      Set(stage.condition, StatusOf(finding.fate), finding);
      return finding;
  }
  if (finding.fate == Fate::kGood) Succeed(stage, finding);
  if (finding.fate == Fate::kWaiting) Set(stage.condition, kConditionFalse, finding);
  return finding;
}

Finding StageRun::Conclude(const StageInfo& stage, const std::string& path, const Error& error) {
  const bool stopped = context_.stop.stop_requested() && !error.terminal();
  const Fate fate = stopped ? Fate::kInterrupted : Fate::kFailed;
  Finding finding{fate, stopped ? "Interrupted" : ReasonOf(error), error.message()};
  if (purpose_ == Purpose::kCleanup && !stopped) finding.reason = "CleanupFailed";
  context_.log.Warn("stage failed", {{"stage", path + stage.name},
                                     {"error", error},
                                     {"terminal", error.terminal()},
                                     {"stopped", stopped}});
  failures_.push_back({stage.name, fate, error});
  Set(stage.condition, StatusOf(fate), finding);
  return finding;
}

Finding StageRun::RecordList(const StageInfo& stage, const Finding& finding) {
  if (finding.fate == Fate::kGood) {
    Succeed(stage, finding);
  } else {
    Set(stage.condition, StatusOf(finding.fate), finding);
  }
  return finding;
}

// A successful cleanup records nothing: the object is about to be deleted.
void StageRun::Succeed(const StageInfo& stage, const Finding& finding) {
  if (purpose_ == Purpose::kCleanup || stage.condition.empty()) return;
  if (!IsConditionTrue(conditions_, stage.condition)) {
    successes_.emplace_back(stage.condition,
                            finding.message.empty() ? stage.name + " succeeded" : finding.message);
  }
  Set(stage.condition, kConditionTrue, finding);
}

void StageRun::Set(const std::string& type, std::string_view status, const Finding& finding) {
  if (type.empty()) return;
  Condition condition;
  condition.type = type;
  condition.status = status;
  condition.reason = finding.reason;
  condition.message = CutUtf8(ToValidUtf8(finding.message), kMaxMessageBytes);
  condition.observed_generation = generation_;
  SetCondition(conditions_, std::move(condition), context_.clock);
}

void StageRun::NotRun(const StageInfo& stage) {
  if (purpose_ == Purpose::kCleanup || stage.condition.empty()) return;
  if (FindCondition(conditions_, stage.condition) != nullptr) return;
  Set(stage.condition, kConditionUnknown,
      {Fate::kInterrupted, "NotRun", "earlier stages are not done"});
}

void StageRun::SummariseAs(const std::string& condition, const Finding& all) {
  Finding summary = all;
  if (all.fate == Fate::kGood) summary.reason = "Ready";
  Set(condition, StatusOf(all.fate), summary);
}

void StageRun::SetTerminating(const std::string& condition) {
  if (!IsConditionTrue(conditions_, condition)) return;
  Set(condition, kConditionFalse, {Fate::kWaiting, "Terminating", "the object is being deleted"});
}

void StageRun::NoteTerminating(const Result<StatusPatched>& written) const {
  if (written.ok()) return;
  context_.log.Warn("cannot write the terminating phase to the status",
                    {{"error", written.error()}});
}

void StageRun::Measure(const std::string& stage, std::chrono::nanoseconds took, bool failed) {
  context_.metrics
      .AddHistogram({.name = "controller_stage_duration_seconds",
                     .help = "Duration of the stages of reconciles.",
                     .labels = {"controller", "stage"}},
                    ExponentialBuckets(0.001, 2, 16))
      .With({context_.controller, stage})
      .Observe(took);
  const Counter failures =
      context_.metrics
          .AddCounter({.name = "controller_stage_failures_total",
                       .help = "Number of stages that failed or were interrupted.",
                       .labels = {"controller", "stage"}})
          .With({context_.controller, stage});
  if (failed) failures.Increment();
}

Result<Outcome> StageRun::Finish(const Result<StatusPatched>& written) {
  for (const Failure& failure : failures_) {
    if (failure.fate != Fate::kFailed) continue;
    context_.events.Event(object_, EventType::kWarning, failure.stage + "Failed",
                          failure.error.message());
  }
  if (!written.ok()) {
    failures_.push_back({"status", Fate::kFailed, written.error()});
  } else if (written->result != StatusWrite::kGone) {
    // Only after the write: otherwise the next reconcile would record the success again.
    for (const auto& [condition, message] : successes_) {
      context_.events.Event(object_, EventType::kNormal, condition, message);
    }
  }
  if (failures_.empty()) return outcome_;
  const Error error = CombinedError();
  if (error.terminal() && outcome_.requeue_after()) return outcome_;
  return error;
}

// A transient error decides over terminal ones, so that the stages are retried.
Error StageRun::CombinedError() const {
  const auto severity = [](const Error& error) {
    return error.terminal() ? 2 : error.IsTransient() ? 0 : 1;
  };
  const auto decisive = std::min_element(
      failures_.begin(), failures_.end(),
      [&](const Failure& a, const Failure& b) { return severity(a.error) < severity(b.error); });
  std::string message;
  for (const Failure& failure : failures_) {
    if (!message.empty()) message += "; ";
    message += fmt::format("{}: {}", failure.stage, failure.error.message());
  }
  const Error error(decisive->error.code(), decisive->error.reason(), std::move(message),
                    decisive->error.details());
  return decisive->error.terminal() ? Terminal(error) : error;
}

}  // namespace kubexms::stages_internal
