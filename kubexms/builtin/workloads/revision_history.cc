#include "kubexms/builtin/workloads/revision_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "kubexms/base/check.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/workloads/pod_template.h"

namespace kubexms {
namespace {

using appsv1::ControllerRevision;

// Names tried for a new revision, each of which may belong to another owner or to another template
// with the same hash, before the reconcile fails and is retried with backoff.
constexpr int kMaxCollisions = 100;
constexpr int32_t kDefaultHistoryLimit = 10;
// Useless in a revision, and as large as the owner.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

bool IsOlder(const RevisionPointer& a, const RevisionPointer& b) {
  return std::tie(a->revision, a->metadata.creation_timestamp, a->metadata.name) <
         std::tie(b->revision, b->metadata.creation_timestamp, b->metadata.name);
}

ControllerRevision NewRevision(const RevisionOwner& owner, std::string patch, int64_t number,
                               int32_t collision_count) {
  const std::optional<int32_t> salt =
      collision_count > 0 ? std::optional(collision_count) : std::nullopt;
  const std::string hash = TemplateHash(owner.pod_template, salt);
  ControllerRevision revision;
  revision.metadata.namespace_name = owner.metadata.namespace_name;
  revision.metadata.name = fmt::format("{}-{}", owner.metadata.name, hash);
  revision.metadata.labels = owner.pod_template.metadata.labels;
  revision.metadata.labels[std::string(owner.hash_label)] = hash;
  revision.metadata.annotations = owner.metadata.annotations;
  revision.metadata.annotations.erase(std::string(kLastApplied));
  const Result<void> owned = SetControllerReference(revision.metadata, owner.kind, owner.metadata);
  KUBEXMS_CHECK(owned.ok());  // a new one has no other controller
  revision.data.text = std::move(patch);
  revision.revision = number;
  return revision;
}

// AlreadyExists means either that an earlier reconcile created this revision and its response was
// lost, or a hash collision: then another name is tried.
Result<ControllerRevision> CreateRevision(ReconcileContext& context, const RevisionOwner& owner,
                                          const std::string& patch, int64_t number,
                                          int32_t& collision_count) {
  for (int attempt = 0; attempt <= kMaxCollisions; ++attempt) {
    const ControllerRevision revision = NewRevision(owner, patch, number, collision_count);
    Result<ControllerRevision> created = context.client.Create(revision, {.stop = context.stop});
    if (created.ok() || !created.error().IsAlreadyExists()) return created;
    Result<ControllerRevision> other = context.client.Get<ControllerRevision>(
        ObjectKey::Of(revision.metadata), {.stop = context.stop});
    if (!other.ok()) return other;
    if (IsControlledBy(other->metadata, owner.metadata.uid) && other->data == revision.data) {
      return other;
    }
    ++collision_count;
  }
  return Error::Conflict("controllerrevisions", owner.metadata.name,
                         "a hundred hash collisions: no free name for a new revision was found");
}

// Makes an old revision the newest one, as a rollback does.
Result<ControllerRevision> Renumber(ReconcileContext& context, const ControllerRevision& revision,
                                    int64_t number) {
  ControllerRevision renumbered = revision;
  renumbered.revision = number;
  return context.client.Update(renumbered, {.stop = context.stop});
}

// Kubernetes writes empty resources, too, and revisions are compared as text.
void WriteEmptyResources(Json& pod_template) {
  Json* spec = FindMember(pod_template, "spec");
  for (const char* list : {"containers", "initContainers"}) {
    Json* containers = spec == nullptr ? nullptr : FindMember(*spec, list);
    if (containers == nullptr) continue;
    for (Json& container : containers->as_array()) {
      if (FindMember(container, "resources") == nullptr) {
        container.as_object()["resources"] = JsonObject();
      }
    }
  }
}

}  // namespace

std::string TemplatePatch(const corev1::PodTemplateSpec& pod_template) {
  Json document = ToJson(pod_template);
  WriteEmptyResources(document);
  document.as_object()["$patch"] = "replace";
  return fmt::format(R"({{"spec":{{"template":{}}}}})", WriteJson(document));
}

Result<corev1::PodTemplateSpec> TemplateOf(const ControllerRevision& revision) {
  ASSIGN_OR_RETURN(Json document, ParseJson(revision.data.text));
  Json* spec = FindMember(document, "spec");
  Json* pod_template = spec == nullptr ? nullptr : FindMember(*spec, "template");
  if (pod_template == nullptr || !pod_template->is_object()) {
    return Error::Internal(fmt::format(
        "ControllerRevision {}: data.spec.template: expected the template of a Pod; delete the "
        "revision if it is not needed",
        revision.metadata.name));
  }
  pod_template->as_object().erase("$patch");
  return FromJson<corev1::PodTemplateSpec>(*pod_template);
}

RevisionChoice ChooseRevision(std::span<const RevisionPointer> history, std::string_view patch) {
  if (history.empty()) return {};
  const auto equal =
      std::find_if(history.rbegin(), history.rend(),
                   [&](const RevisionPointer& other) { return other->data.text == patch; });
  const int64_t highest = history.back()->revision;
  if (equal == history.rend()) return {.number = highest + 1};
  if (equal == history.rbegin()) return {.existing = *equal, .number = highest};
  return {.existing = *equal, .number = highest + 1};
}

std::vector<RevisionPointer> SurplusRevisions(std::span<const RevisionPointer> history,
                                              const std::set<std::string, std::less<>>& live,
                                              int32_t limit) {
  std::vector<RevisionPointer> unused;
  for (const RevisionPointer& revision : history) {
    if (!live.contains(revision->metadata.name)) unused.push_back(revision);
  }
  const auto retained = static_cast<size_t>(std::max(limit, 0));
  unused.resize(unused.size() > retained ? unused.size() - retained : 0);
  return unused;
}

RevisionPointer RevisionHistory::Find(std::string_view name) const {
  const auto found = std::find_if(
      revisions.begin(), revisions.end(),
      [&](const RevisionPointer& revision) { return revision->metadata.name == name; });
  return found == revisions.end() ? nullptr : *found;
}

Result<RevisionHistory> ConstructHistory(ReconcileContext& context, const RevisionOwner& owner,
                                         std::vector<RevisionPointer> revisions) {
  std::sort(revisions.begin(), revisions.end(), IsOlder);
  RevisionHistory history{.revisions = std::move(revisions),
                          .collision_count = owner.collision_count};
  const std::string patch = TemplatePatch(owner.pod_template);
  const RevisionChoice choice = ChooseRevision(history.revisions, patch);
  if (choice.existing != nullptr && choice.existing->revision == choice.number) return history;
  Result<ControllerRevision> newest =
      choice.existing != nullptr
          ? Renumber(context, *choice.existing, choice.number)
          : CreateRevision(context, owner, patch, choice.number, history.collision_count);
  if (!newest.ok()) return newest.error();
  std::erase(history.revisions, choice.existing);
  history.revisions.push_back(std::make_shared<const ControllerRevision>(*std::move(newest)));
  return history;
}

Result<void> TruncateHistory(ReconcileContext& context, const RevisionHistory& history,
                             const std::set<std::string, std::less<>>& live,
                             const Optional<int32_t>& limit) {
  for (const RevisionPointer& surplus :
       SurplusRevisions(history.revisions, live, limit.value_or(kDefaultHistoryLimit))) {
    RETURN_IF_ERROR(IgnoreNoLongerExists(context.client.Delete<ControllerRevision>(
        ObjectKey::Of(surplus->metadata), UidPrecondition(surplus->metadata))));
  }
  return {};
}

}  // namespace kubexms
