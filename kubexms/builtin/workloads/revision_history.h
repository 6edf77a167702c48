#pragma once

// The history of an owner's Pod template as ControllerRevisions. StatefulSets and DaemonSets
// compare the revision of a Pod with it, `kubectl rollout history` shows it, and `kubectl rollout
// undo` rolls back to one: a revision holds a patch of its owner that restores the template.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/builtin/workloads/dependents.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

using RevisionPointer = std::shared_ptr<const appsv1::ControllerRevision>;

// The label of a Pod with the name (StatefulSet) or the hash (DaemonSet) of its revision.
inline constexpr const char* kRevisionLabel = "controller-revision-hash";

// The data of a revision: {"spec":{"template":{"$patch":"replace",…}}}.
std::string TemplatePatch(const corev1::PodTemplateSpec& pod_template);
Result<corev1::PodTemplateSpec> TemplateOf(const appsv1::ControllerRevision& revision);

// ---- Decisions. Histories are sorted from the oldest revision to the newest.

// The revision that equals the template of the owner, and the number that makes it the newest.
struct RevisionChoice {
  RevisionPointer existing;  // null: to be created
  int64_t number = 1;

  bool operator==(const RevisionChoice&) const = default;
};
RevisionChoice ChooseRevision(std::span<const RevisionPointer> history, std::string_view patch);

// The oldest revisions beyond `limit`, without those named in `live`, which do not count.
std::vector<RevisionPointer> SurplusRevisions(std::span<const RevisionPointer> history,
                                              const std::set<std::string, std::less<>>& live,
                                              int32_t limit);

// ---- Writes.

// The owner of a history. Borrowed for the duration of the call.
struct RevisionOwner {
  KindName kind;
  const ObjectMeta& metadata;
  const corev1::PodTemplateSpec& pod_template;
  std::string_view hash_label;  // of its revisions
  int32_t collision_count = 0;  // status.collisionCount
};

struct RevisionHistory {
  std::vector<RevisionPointer> revisions;  // by number; the last one has the owner's template
  int32_t collision_count = 0;

  const appsv1::ControllerRevision& newest() const { return *revisions.back(); }
  // Null if no revision has the name.
  RevisionPointer Find(std::string_view name) const;
};

// Adds a revision with the owner's template to `revisions`, or renumbers the one that has it,
// unless it is the newest already.
Result<RevisionHistory> ConstructHistory(ReconcileContext& context, const RevisionOwner& owner,
                                         std::vector<RevisionPointer> revisions);

// The same for a StatefulSet or DaemonSet: adopts the revisions that `selector` matches first.
template <Kind Owner>
Result<RevisionHistory> ConstructHistory(ReconcileContext& context, const Owner& owner,
                                         const Selector& selector, std::string_view hash_label) {
  ASSIGN_OR_RETURN(auto revisions,
                   (ClaimDependents<appsv1::ControllerRevision, Owner>(context, owner, selector)));
  return ConstructHistory(context,
                          {.kind = Owner::kKind,
                           .metadata = owner.metadata,
                           .pod_template = owner.spec.template_,
                           .hash_label = hash_label,
                           .collision_count = owner.status.collision_count.value_or(0)},
                          std::move(revisions));
}

// Deletes SurplusRevisions(); a missing `limit` is the API's default of 10.
Result<void> TruncateHistory(ReconcileContext& context, const RevisionHistory& history,
                             const std::set<std::string, std::less<>>& live,
                             const Optional<int32_t>& limit);

}  // namespace kubexms
