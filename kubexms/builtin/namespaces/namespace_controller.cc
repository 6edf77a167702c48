#include "kubexms/builtin/namespaces/namespace_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kubexms/api/condition.h"

namespace kubexms {
namespace {

using corev1::Namespace;
using corev1::NamespaceCondition;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::string_view kFinalizer = "kubernetes";
// Retries after conflicts with other writers.
constexpr int kAttempts = 5;
// The delay before the second pass over a namespace with remaining content.
constexpr nanoseconds kInitialDelay = milliseconds(200);

// The type, reasons and messages that clients know.
struct ConditionTexts {
  std::string_view type;
  std::string_view good_reason;
  std::string_view good_message;
  std::string_view bad_reason;
};
constexpr std::array<ConditionTexts, 5> kConditions = {{
    {"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered",
     "All resources successfully discovered", "DiscoveryFailed"},
    {"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
     "All legacy kube types successfully parsed", "GroupVersionParsingFailed"},
    {"NamespaceDeletionContentFailure", "ContentDeleted",
     "All content successfully deleted, may be waiting on finalization", "ContentDeletionFailed"},
    {"NamespaceContentRemaining", "ContentRemoved", "All content successfully removed",
     "SomeResourcesRemain"},
    {"NamespaceFinalizersRemaining", "ContentHasNoFinalizers",
     "All content-preserving finalizers finished", "SomeFinalizersRemain"},
}};

std::string FailureMessage(std::vector<std::string> failures) {
  if (failures.empty()) return "";
  std::sort(failures.begin(), failures.end());
  return fmt::format("Failed to delete all resource types, {} remaining: {}", failures.size(),
                     fmt::join(failures, ", "));
}

std::string RemainingMessage(const std::map<std::string, size_t>& remaining) {
  std::vector<std::string> texts;
  for (const auto& [resource, count] : remaining) {
    texts.push_back(fmt::format("{} has {} resource instances", resource, count));
  }
  if (texts.empty()) return "";
  return fmt::format("Some resources are remaining: {}", fmt::join(texts, ", "));
}

std::string FinalizersMessage(const std::map<std::string, size_t>& finalizers) {
  std::vector<std::string> texts;
  for (const auto& [finalizer, count] : finalizers) {
    texts.push_back(fmt::format("{} in {} resource instances", finalizer, count));
  }
  if (texts.empty()) return "";
  return fmt::format("Some content in the namespace has finalizers remaining: {}",
                     fmt::join(texts, ", "));
}

// Sets the condition; an empty message means no failure.
bool SetCondition(const ConditionTexts& texts, const std::string& bad_message, Time now,
                  std::vector<NamespaceCondition>& conditions) {
  const bool bad = !bad_message.empty();
  const std::string_view status = bad ? kConditionTrue : kConditionFalse;
  const std::string_view reason = bad ? texts.bad_reason : texts.good_reason;
  const std::string_view message = bad ? std::string_view(bad_message) : texts.good_message;
  auto condition = std::find_if(conditions.begin(), conditions.end(),
                                [&](const auto& other) { return other.type == texts.type; });
  if (condition == conditions.end()) {
    condition = conditions.emplace(conditions.end());
    condition->type = texts.type;
  }
  if (condition->status == status && condition->reason == reason && condition->message == message) {
    return false;
  }
  if (condition->status != status) condition->last_transition_time = now;
  condition->status = status;
  condition->reason = reason;
  condition->message = message;
  return true;
}

bool HasContentFinalizer(const Namespace& object) {
  const auto& finalizers = object.spec.finalizers;
  return std::find(finalizers.begin(), finalizers.end(), kFinalizer) != finalizers.end();
}

// Whether the namespace is terminating and has the content finalizer. Another namespace may have
// the name by now.
bool NeedsContentDeletion(const Namespace& object, const std::string& uid) {
  return object.metadata.uid == uid && !object.metadata.deletion_timestamp.IsZero() &&
         HasContentFinalizer(object);
}

class Deletion {
 public:
  Deletion(ReconcileContext& context, Namespace object)
      : context_(context), uid_(object.metadata.uid), object_(std::move(object)) {}

  Result<Outcome> Run() {
    const NamespaceContentReport report =
        DeleteNamespaceContent(context_.client, context_.key.name,
                               object_.metadata.deletion_timestamp, context_.clock, context_.stop);
    RETURN_IF_ERROR(WriteConditions(report));
    if (report.failed()) return FailureOf(report);
    if (!report.remaining.empty()) return Outcome::RequeueAfter(RequeueDelay(report));
    RETURN_IF_ERROR(RemoveFinalizer());
    return Outcome::Done();
  }

 private:
  // Applies `change` and writes the namespace, unless `change` returns false.
  template <class Change>
  Result<void> Write(std::string_view subresource, const Change& change) {
    Result<void> result;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (!NeedsContentDeletion(object_, uid_) || !change(object_)) return {};
      Result<Namespace> written = context_.client.Update(
          object_, {.subresource = std::string(subresource), .stop = context_.stop});
      if (!written.ok() && written.error().IsConflict()) {
        result = written.error();
        written = context_.client.Get<Namespace>(context_.key, {.stop = context_.stop});
        if (written.ok()) {
          object_ = *std::move(written);
          continue;
        }
      }
      if (!written.ok()) return IgnoreNotFound(Result<void>(written.error()));
      object_ = *std::move(written);
      return {};
    }
    return result;
  }

  Result<void> WriteConditions(const NamespaceContentReport& report) {
    return Write("status", [&](Namespace& object) {
      const bool changed = SetDeletionConditions(report, Time::Now(context_.clock), object.status);
      const bool new_phase = std::exchange(object.status.phase, "Terminating") != "Terminating";
      return changed || new_phase;
    });
  }

  Result<void> RemoveFinalizer() {
    return Write("finalize", [](Namespace& object) {
      return std::erase(object.spec.finalizers, kFinalizer) > 0;
    });
  }

  static Error FailureOf(const NamespaceContentReport& report) {
    std::vector<std::string> texts = report.failures;
    for (const std::string* other : {&report.discovery_failure, &report.parsing_failure}) {
      if (!other->empty()) texts.push_back(*other);
    }
    return Error::Internal(fmt::format("{}", fmt::join(texts, "; ")));
  }

  // The delay grows with the age of the deletion, up to the time that the content may need.
  nanoseconds RequeueDelay(const NamespaceContentReport& report) const {
    const nanoseconds age = context_.clock.Now() - object_.metadata.deletion_timestamp.value();
    const nanoseconds most = report.estimate / 2 + std::chrono::seconds(1);
    return std::clamp(age / 4, kInitialDelay, most);
  }

  ReconcileContext& context_;
  const std::string uid_;
  Namespace object_;
};

Result<Outcome> Reconcile(ReconcileContext& context, const Namespace& cached,
                          nanoseconds grace_period) {
  if (cached.metadata.deletion_timestamp.IsZero() || !HasContentFinalizer(cached)) {
    return Outcome::Done();
  }
  const nanoseconds wait =
      cached.metadata.deletion_timestamp.value() + grace_period - context.clock.Now();
  if (grace_period > nanoseconds(0) && wait > nanoseconds(0)) return Outcome::RequeueAfter(wait);
  const Result<Namespace> live = context.client.Get<Namespace>(context.key, {.stop = context.stop});
  if (!live.ok() && live.error().IsNotFound()) return Outcome::Done();
  if (!live.ok()) return live.error();
  if (!NeedsContentDeletion(*live, live->metadata.uid)) return Outcome::Done();
  return Deletion(context, *live).Run();
}

}  // namespace

bool SetDeletionConditions(const NamespaceContentReport& report, Time now,
                           corev1::NamespaceStatus& status) {
  const std::array<std::string, kConditions.size()> messages = {
      report.discovery_failure, report.parsing_failure, FailureMessage(report.failures),
      RemainingMessage(report.remaining), FinalizersMessage(report.finalizers)};
  bool changed = false;
  for (size_t i = 0; i < kConditions.size(); ++i) {
    changed |= SetCondition(kConditions[i], messages[i], now, status.conditions);
  }
  return changed;
}

Controller NamespaceController(const NamespaceControllerOptions& options) {
  ControllerFor<Namespace> controller({.name = "namespace-controller",
                                       .max_concurrent_reconciles = 4,
                                       .rate_limiter = {.max_delay = std::chrono::minutes(1)}});
  controller.Reconciles(
      [grace = options.grace_period](ReconcileContext& context, const Namespace& object) {
        return Reconcile(context, object, grace);
      });
  return controller;
}

}  // namespace kubexms
