#include "kubexms/apiserver/role_aggregation.h"

#include <vector>

#include "kubexms/apiserver/default_roles.h"

namespace kubexms {

RoleAggregation::RoleAggregation(store::Store& store, ObjectWriter& writer, ResourcePtr roles)
    : store_(store),
      writer_(writer),
      roles_resource_(std::move(roles)),
      self_{.name = "system:apiserver", .groups = {"system:masters"}} {}

Result<void> RoleAggregation::Sync() {
  MutexLock lock(mutex_);
  // A role may select one that is itself made of others: go on until nothing changes. Each round
  // settles one more level, so there are at most as many rounds as roles.
  for (size_t round = 0; round <= roles_.size(); ++round) {
    ASSIGN_OR_RETURN(const bool changed, ReadChanges());
    if (!changed) return {};
    std::vector<Json> all;
    for (const auto& [name, role] : roles_) all.push_back(role);
    for (const auto& [name, role] : roles_) {
      const std::optional<JsonArray> rules = AggregatedRules(role, all);
      if (!rules) continue;
      const Json* current = FindMember(role, "rules");
      if (current != nullptr && JsonEqual(*current, Json(*rules))) continue;
      RETURN_IF_ERROR(Write(name, *rules));
    }
  }
  return {};
}

Result<bool> RoleAggregation::ReadChanges() {
  const std::string prefix = StoragePrefix(*roles_resource_, "");
  bool changed = false;
  for (;;) {
    if (watch_ == nullptr) {
      ASSIGN_OR_RETURN(const store::ListPage page, store_.List({.prefix = prefix}));
      roles_.clear();
      for (const store::RecordPtr& record : page.records) RETURN_IF_ERROR(Take(*record));
      ASSIGN_OR_RETURN(watch_,
                       store_.OpenWatch({.prefix = prefix, .after_revision = page.revision}));
      changed = true;
    }
    const Result<store::WatchBatch> batch = watch_->Poll();
    if (!batch.ok()) {
      watch_.reset();
      continue;
    }
    if (batch->events.empty()) return changed;
    for (const store::EventPtr& event : batch->events) RETURN_IF_ERROR(Take(*event->record));
    changed = true;
  }
}

Result<void> RoleAggregation::Take(const store::Record& record) {
  const std::string name = record.key.substr(StoragePrefix(*roles_resource_, "").size());
  if (record.deleted) {
    roles_.erase(name);
    return {};
  }
  ASSIGN_OR_RETURN(roles_[name], ParseJson(record.value));
  return {};
}

Result<void> RoleAggregation::Write(const std::string& name, const JsonArray& rules) {
  const Result<Written> written =
      writer_.Update({.resource = *roles_resource_,
                      .subresource = "",
                      .name_space = "",
                      .name = name,
                      .user = self_,
                      .manager = "clusterrole-aggregation-controller"},
                     [&](const Json& old) -> Result<ObjectWriter::Change> {
                       Json role = old;
                       role.get_object()["rules"] = rules;
                       return ObjectWriter::Change{std::move(role)};
                     });
  return IgnoreNotFound(written);
}

}  // namespace kubexms
