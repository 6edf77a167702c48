#include "kubexms/apiserver/write/deletion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kubexms/apiserver/resources/custom_resource_definition.h"
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

// Only Pods are given time; one that runs nowhere or has ended needs none.
int64_t GracePeriod(const Json& object, const Resource& resource, const DeleteQuery& options) {
  if (!resource.Is("", "pods")) return 0;
  const Json* spec = FindMember(object, "spec");
  const Json* status = FindMember(object, "status");
  const std::string_view phase = status == nullptr ? "" : FindString(*status, "phase");
  if (spec == nullptr || FindString(*spec, "nodeName").empty()) return 0;
  if (phase == "Succeeded" || phase == "Failed") return 0;
  const int64_t own = IntegerAt(FindMember(*spec, "terminationGracePeriodSeconds"), 30);
  // A negative period of the Pod itself means the shortest one.
  const int64_t wanted = options.grace_period_seconds.value_or(own);
  return wanted < 0 ? 1 : wanted;
}

// Who takes care of the dependents, as a finalizer.
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

// A definition goes after the objects it defines.
void HoldUntilCleanedUp(JsonObject& metadata) {
  if (metadata.contains("deletionTimestamp")) return;
  Json& finalizers = metadata["finalizers"];
  if (!finalizers.is_array()) finalizers.emplace_array();
  const Json cleanup(kCustomResourceCleanup);
  if (std::ranges::count(finalizers.get_array(), cleanup) == 0) {
    finalizers.get_array().push_back(cleanup);
  }
}

// Those that are older than garbage collection leave their Pods unless told otherwise.
bool OrphansByDefault(const Resource& resource) {
  return resource.Is("batch", "jobs") || resource.Is("", "replicationcontrollers");
}

Propagation PropagationOf(const Resource& resource, const DeleteQuery& options) {
  if (options.propagation == Propagation::kDefault && OrphansByDefault(resource)) {
    return Propagation::kOrphan;
  }
  return options.propagation;
}

void SetDeletionTime(JsonObject& metadata, const Resource& resource, int64_t grace, Time now) {
  const bool first = !metadata.contains("deletionTimestamp");
  const int64_t before = IntegerAt(metadata.if_contains("deletionGracePeriodSeconds"), grace);
  if (!first && before <= grace) return;
  metadata["deletionTimestamp"] = Time(now.value() + BoundedSeconds(grace)).ToString();
  // Definitions and Namespaces have no grace period: the server sets only their timestamp.
  if (resource.group == "apiextensions.k8s.io" || resource.Is("", "namespaces")) return;
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
  JsonObject& metadata = MetadataOf(object);
  SetPropagation(metadata, PropagationOf(resource, options));
  if (resource.group == "apiextensions.k8s.io") HoldUntilCleanedUp(metadata);
  const int64_t grace = GracePeriod(object, resource, options);
  const bool over = grace == 0 && !HasFinalizers(object) && !HasContentFinalizers(object, resource);
  // The last that is seen of a Pod is that it is being deleted.
  if (!over || resource.Is("", "pods")) SetDeletionTime(metadata, resource, grace, now);
  if (over) return true;
  if (resource.Is("", "namespaces")) {
    Json& status = object.get_object()["status"];
    if (!status.is_object()) status.emplace_object();
    status.get_object()["phase"] = "Terminating";
  }
  return false;
}

bool HasContentFinalizers(const Json& object, const Resource& resource) {
  if (!resource.Is("", "namespaces")) return false;
  const Json* spec = FindMember(object, "spec");
  const Json* finalizers = spec == nullptr ? nullptr : FindMember(*spec, "finalizers");
  return finalizers != nullptr && finalizers->is_array() && !finalizers->get_array().empty();
}

}  // namespace kubexms
