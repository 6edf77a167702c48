#include "kubexms/apiserver/write/deletion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/time_left.h"

namespace kubexms {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

int64_t IntegerAt(const Json* value, int64_t fallback) {
  return value != nullptr && value->is_int64() ? value->get_int64() : fallback;
}

// Sets the finalizer of the garbage collector that orphans or deletes the dependents.
void SetPropagation(JsonObject& metadata, Propagation propagation) {
  if (propagation == Propagation::kDefault) return;
  JsonArray finalizers;
  if (const Json* old = metadata.if_contains("finalizers"); old != nullptr && old->is_array()) {
    for (const Json& finalizer : old->get_array()) {
      if (finalizer != Json(kOrphan) && finalizer != Json(kForeground)) {
        finalizers.push_back(finalizer);
      }
    }
  }
  if (propagation == Propagation::kOrphan) finalizers.emplace_back(kOrphan);
  if (propagation == Propagation::kForeground) finalizers.emplace_back(kForeground);
  if (finalizers.empty()) {
    metadata.erase("finalizers");
  } else {
    metadata["finalizers"] = std::move(finalizers);
  }
}

Propagation PropagationOf(const Resource& resource, const DeleteQuery& options) {
  if (options.propagation == Propagation::kDefault && resource.orphans_dependents) {
    return Propagation::kOrphan;
  }
  return options.propagation;
}

void SetDeletionTime(JsonObject& metadata, const Resource& resource, int64_t grace, Time now) {
  const bool first = !metadata.contains("deletionTimestamp");
  const int64_t before = IntegerAt(metadata.if_contains("deletionGracePeriodSeconds"), grace);
  if (!first && before <= grace) return;
  metadata["deletionTimestamp"] = Time(now.value() + BoundedSeconds(grace)).ToString();
  if (!resource.strategy->CountsDeletions()) return;
  metadata["deletionGracePeriodSeconds"] = grace;
  if (first && resource.strategy->CountsGenerations()) {
    metadata["generation"] = IntegerAt(metadata.if_contains("generation"), 0) + 1;
  }
}

}  // namespace

Result<void> CheckPreconditions(const Json& object, const DeleteQuery& options,
                                const Resource& resource) {
  const auto conflict = [&](std::string_view what, std::string_view wanted,
                            std::string_view actual) {
    return Error::Conflict(
        resource.qualified_kind(), NameOf(object),
        fmt::format("the {} in the precondition ({}) does not match the {} in record ({}). The "
                    "object might have been {}",
                    what, wanted, what, actual,
                    what == "UID" ? "deleted and then recreated" : "modified"));
  };
  if (!options.precondition_uid.empty() && options.precondition_uid != UidOf(object)) {
    return conflict("UID", options.precondition_uid, UidOf(object));
  }
  if (!options.precondition_version.empty() &&
      options.precondition_version != ResourceVersionOf(object)) {
    return conflict("ResourceVersion", options.precondition_version, ResourceVersionOf(object));
  }
  return {};
}

bool MarkForDeletion(Json& object, const Resource& resource, const DeleteQuery& options, Time now) {
  const Strategy& strategy = *resource.strategy;
  SetPropagation(MetadataOf(object), PropagationOf(resource, options));
  strategy.PrepareForDelete(object.get_object());
  const std::optional<int64_t> grace =
      strategy.GracePeriod(object.get_object(), options.grace_period_seconds);
  const bool removable = grace.value_or(0) == 0 && !HasFinalizers(object) &&
                         !strategy.HasContentFinalizers(object.get_object());
  // The last event of a kind with a grace period shows the object in deletion.
  if (!removable || grace) SetDeletionTime(MetadataOf(object), resource, grace.value_or(0), now);
  if (!removable) strategy.MarkTerminating(object.get_object());
  return removable;
}

}  // namespace kubexms
