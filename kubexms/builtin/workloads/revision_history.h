#pragma once

// The templates that an owner has had, as ControllerRevisions: StatefulSets and DaemonSets know by
// them which Pods are up to date, and `kubectl rollout history|undo` shows them and goes back to
// one. A revision holds a patch of its owner, so that to go back is to send it.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

using RevisionPointer = std::shared_ptr<const appsv1::ControllerRevision>;

// The label by which a Pod says of which revision it is.
inline constexpr const char* kRevisionLabel = "controller-revision-hash";

// What a revision holds: {"spec":{"template":{"$patch":"replace",…}}}.
std::string TemplatePatch(const corev1::PodTemplateSpec& pod_template);
Result<corev1::PodTemplateSpec> TemplateOf(const appsv1::ControllerRevision& revision);

// ---- What is to be done to a history, from the oldest revision to the newest.

// The revision of the present template: one that is there, or a new one; and its number, which must
// be the highest.
struct RevisionChoice {
  RevisionPointer known;  // null: to be made
  int64_t number = 1;

  bool operator==(const RevisionChoice&) const = default;
};
RevisionChoice ChooseRevision(std::span<const RevisionPointer> history, std::string_view patch);

// Those beyond `limit` that none of the names in `live` is of; the oldest first.
std::vector<RevisionPointer> SurplusRevisions(std::span<const RevisionPointer> history,
                                              const std::set<std::string, std::less<>>& live,
                                              int32_t limit);

// ---- And doing it.

// Whose history it is; borrowed for the time of the call.
struct RevisionOwner {
  KindName kind;
  const ObjectMeta& metadata;
  const corev1::PodTemplateSpec& pod_template;
  std::string_view hash_label;  // of its revisions
  // How often a name was taken, from the owner's status.
  int32_t collision_count = 0;
};

struct RevisionHistory {
  std::vector<RevisionPointer> revisions;  // by number: the last is that of the present template
  int32_t collision_count = 0;

  const appsv1::ControllerRevision& present() const { return *revisions.back(); }
  // Null when there is none of that name.
  RevisionPointer Find(std::string_view name) const;
};

// Makes the history of what the owner has, `revisions`, end with its present template. Nothing is
// written when it does already.
Result<RevisionHistory> RecordRevision(ReconcileContext& context, const RevisionOwner& owner,
                                       std::vector<RevisionPointer> revisions);

// Deletes the surplus (SurplusRevisions).
Result<void> TrimHistory(ReconcileContext& context, const RevisionHistory& history,
                         const std::set<std::string, std::less<>>& live, int32_t limit);

}  // namespace kubexms
