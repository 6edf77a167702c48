#include "kubexms/controller/status_patch.h"

#include <fmt/format.h>

#include <vector>

#include "kubexms/api/condition.h"
#include "kubexms/api/patch/merge_patch.h"
#include "kubexms/base/json/json.h"

namespace kubexms::status_patch_internal {
namespace {

// Attempts in spite of concurrent changes of the object.
constexpr int kAttempts = 5;

using Conditions = std::vector<Condition>;

// The one member of a status that all kinds have in common.
struct StatusWithConditions : Struct {
  Conditions conditions;

  static void Describe(Type<StatusWithConditions>& type) {
    type.Field("conditions", &StatusWithConditions::conditions);
  }
};

Result<Conditions> ConditionsOf(std::string_view status) {
  ASSIGN_OR_RETURN(StatusWithConditions decoded, Decode<StatusWithConditions>(status));
  return std::move(decoded.conditions);
}

// The changes of a status.
struct Difference {
  JsonObject members;  // a merge patch of all but the conditions
  Conditions set;
  std::vector<std::string> removed;

  bool HasConditions() const { return !set.empty() || !removed.empty(); }
  bool IsEmpty() const { return members.empty() && !HasConditions(); }
};

void CompareConditions(const Conditions& before, const Conditions& after, Difference& difference) {
  for (const Condition& condition : after) {
    const Condition* old = FindCondition(before, condition.type);
    if (old == nullptr || !SemanticEqual(*old, condition)) difference.set.push_back(condition);
  }
  for (const Condition& condition : before) {
    if (FindCondition(after, condition.type) == nullptr) {
      difference.removed.push_back(condition.type);
    }
  }
}

Result<Difference> Compare(const std::string& before, const std::string& after) {
  ASSIGN_OR_RETURN(const Json old_status, ParseJson(before));
  ASSIGN_OR_RETURN(const Json new_status, ParseJson(after));
  Difference difference;
  difference.members = CreateMergePatch(old_status, new_status).as_object();
  if (difference.members.erase("conditions") == 0) return difference;
  ASSIGN_OR_RETURN(const Conditions old_conditions, ConditionsOf(before));
  ASSIGN_OR_RETURN(const Conditions new_conditions, ConditionsOf(after));
  CompareConditions(old_conditions, new_conditions, difference);
  return difference;
}

// The changed list of conditions: a merge patch replaces it as a whole.
Json Changed(Conditions conditions, const Difference& difference, const Clock& clock) {
  for (const Condition& condition : difference.set) SetCondition(conditions, condition, clock);
  for (const std::string& type : difference.removed) RemoveCondition(conditions, type);
  if (conditions.empty()) return nullptr;
  JsonArray list;
  for (const Condition& condition : conditions) list.push_back(ToJson(condition));
  return list;
}

// Includes the resourceVersion, because the list of conditions is replaced as a whole.
std::string PatchFor(const Difference& difference, Conditions conditions,
                     const std::string& version, const Clock& clock) {
  JsonObject status = difference.members;
  if (difference.HasConditions()) {
    status["conditions"] = Changed(std::move(conditions), difference, clock);
  }
  return WriteJson(JsonObject{{"metadata", JsonObject{{"resourceVersion", version}}},
                              {"status", std::move(status)}});
}

// The object that the next attempt is made from.
struct Target {
  std::string version;
  Conditions conditions;
};

Error Outdated(const Change& change) {
  return Error::Conflict(change.type.QualifiedName(), change.metadata.name,
                         "the object changed after the new status was computed");
}

// Nothing if the object does not exist.
Result<std::optional<Target>> Refresh(Client& client, const Change& change,
                                      const std::stop_token& stop) {
  const Result<SharedBytes> answer =
      client.Do(Client::GetRequest(change.type, ObjectKey::Of(change.metadata), {.stop = stop}));
  if (!answer.ok() && answer.error().IsNotFound()) return std::optional<Target>();
  if (!answer.ok()) return answer.error();
  ASSIGN_OR_RETURN(const DynamicObject fresh, DynamicObject::Decode(answer->view()));
  if (fresh.metadata.uid != change.metadata.uid) return std::optional<Target>();
  if (change.only_if) {
    ASSIGN_OR_RETURN(const bool applies, change.only_if(answer->view()));
    if (!applies) return Outdated(change);
  }
  Target target{fresh.metadata.resource_version, {}};
  if (const Json* status = fresh.content.if_contains("status")) {
    ASSIGN_OR_RETURN(target.conditions, ConditionsOf(WriteJson(*status)));
  }
  return std::optional(std::move(target));
}

Result<SharedBytes> Send(Client& client, const Change& change, std::string patch,
                         const std::stop_token& stop) {
  return client.Do(Client::PatchRequest(change.type, ObjectKey::Of(change.metadata),
                                        {.type = PatchType::kMerge, .body = std::move(patch)},
                                        {.subresource = "status", .stop = stop}));
}

}  // namespace

Result<StatusPatched> Patch(Client& client, const Change& change, const Clock& clock,
                            const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const Difference difference, Compare(change.before, change.after));
  if (difference.IsEmpty()) return StatusPatched{StatusWrite::kUnchanged, {}};
  Target target{change.metadata.resource_version, {}};
  ASSIGN_OR_RETURN(target.conditions, ConditionsOf(change.before));
  for (int attempt = 1;; ++attempt) {
    Result<SharedBytes> stored =
        Send(client, change, PatchFor(difference, target.conditions, target.version, clock), stop);
    if (stored.ok()) return StatusPatched{StatusWrite::kWritten, std::move(*stored)};
    const Error& refusal = stored.error();
    if (!refusal.IsConflict() && !refusal.IsNotFound()) return refusal;
    ASSIGN_OR_RETURN(std::optional<Target> fresh, Refresh(client, change, stop));
    if (!fresh) return StatusPatched{StatusWrite::kGone, {}};
    // NotFound for an existing object: its kind has no status subresource.
    if (refusal.IsNotFound() || attempt == kAttempts) return refusal;
    target = *std::move(fresh);
  }
}

Result<std::string> Merge(const std::string& before, const std::string& ours,
                          const std::string& theirs, const Clock& clock) {
  ASSIGN_OR_RETURN(Difference difference, Compare(before, theirs));
  if (difference.HasConditions()) {
    ASSIGN_OR_RETURN(Conditions conditions, ConditionsOf(ours));
    difference.members["conditions"] = Changed(std::move(conditions), difference, clock);
  }
  ASSIGN_OR_RETURN(Json merged, ParseJson(ours));
  return WriteJson(ApplyMergePatch(std::move(merged), difference.members));
}

}  // namespace kubexms::status_patch_internal
