#include "kubexms/apiserver/custom_resources/custom_resources.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/resources/custom_resource_definition.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/strategies/strategy.h"

namespace kubexms {
namespace {

constexpr std::chrono::milliseconds kCleanUpInterval(200);
constexpr std::chrono::milliseconds kIdleInterval(std::chrono::seconds(30));
constexpr size_t kCleanUpPage = 500;

const Json& NamesOf(const Json& definition) {
  return MemberOrNull(MemberOrNull(definition, "spec"), "names");
}

std::string_view GroupOf(const Json& definition) {
  return FindString(MemberOrNull(definition, "spec"), "group");
}

// Sets a condition; lastTransitionTime changes only with the status.
void SetCondition(JsonObject& status, std::string_view type, bool is_true, std::string_view reason,
                  std::string_view message, Time now) {
  Json& conditions = status["conditions"];
  if (!conditions.is_array()) conditions.emplace_array();
  const std::string_view value = is_true ? "True" : "False";
  for (Json& condition : conditions.get_array()) {
    if (FindString(condition, "type") != type) continue;
    JsonObject& object = condition.get_object();
    if (FindString(condition, "status") != value) object["lastTransitionTime"] = now.ToString();
    object["status"] = value;
    object["reason"] = reason;
    object["message"] = message;
    return;
  }
  conditions.get_array().push_back(JsonObject{{"type", type},
                                              {"status", value},
                                              {"reason", reason},
                                              {"message", message},
                                              {"lastTransitionTime", now.ToString()}});
}

}  // namespace

CustomResources::CustomResources(store::Store& store, ResourceRegistry& registry,
                                 ObjectWriter& writer, ResourcePtr definitions, const Clock& clock,
                                 Logger log)
    : store_(store),
      registry_(registry),
      writer_(writer),
      definitions_resource_(std::move(definitions)),
      clock_(clock),
      log_(std::move(log)),
      self_{.name = "system:apiserver", .groups = {"system:masters"}} {}

Result<void> CustomResources::Sync() {
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(ReadChanges());
  for (auto& [name, definition] : definitions_) {
    const Result<void> updated = UpdateStatus(name, definition);
    // An error in one definition must not prevent serving the others.
    if (!updated.ok()) {
      log_.Error("cannot update the status of a CustomResourceDefinition",
                 {{"name", name}, {"error", updated.error()}});
    }
  }
  PublishResources();
  return {};
}

Result<void> CustomResources::ReadChanges() {
  const std::string prefix = StoragePrefix(*definitions_resource_, "");
  for (;;) {
    if (watch_ == nullptr) {
      ASSIGN_OR_RETURN(const store::ListPage page, store_.List({.prefix = prefix}));
      definitions_.clear();
      for (const store::RecordPtr& record : page.records) ApplyRecord(*record);
      ASSIGN_OR_RETURN(watch_, store_.OpenWatch({.prefix = prefix,
                                                 .after_revision = page.revision,
                                                 .on_ready = [this] { Signal(); }}));
    }
    Result<store::WatchBatch> batch = watch_->Poll();
    if (!batch.ok()) {
      // The watch fell behind, or its revision was compacted: list again.
      watch_.reset();
      continue;
    }
    if (batch->events.empty()) return {};
    for (const store::EventPtr& event : batch->events) ApplyRecord(*event->record);
  }
}

void CustomResources::ApplyRecord(const store::Record& record) {
  const std::string name(record.key.substr(StoragePrefix(*definitions_resource_, "").size()));
  if (record.deleted) {
    definitions_.erase(name);
    return;
  }
  Result<Json> document = ReadDocument(*definitions_resource_, record);
  if (!document.ok()) {
    log_.Error("cannot decode a CustomResourceDefinition; its resources are not served",
               {{"key", record.key}, {"error", document.error()}});
    definitions_.erase(name);
    return;
  }
  Definition& definition = definitions_[name];
  definition.resources = MakeCustomResources(*document);
  definition.document = std::move(*document);
}

std::string CustomResources::FindNameConflict(const std::string& name,
                                              const Definition& definition) const {
  for (const auto& [other_name, other] : definitions_) {
    if (other_name == name || !other.names_accepted ||
        GroupOf(other.document) != GroupOf(definition.document)) {
      continue;
    }
    for (const std::string_view key : {"plural", "singular", "kind", "listKind"}) {
      const std::string_view wanted = FindString(NamesOf(definition.document), key);
      if (wanted == FindString(NamesOf(other.document), key)) {
        return fmt::format("\"{}\" is already in use", wanted);
      }
    }
  }
  return {};
}

Result<void> CustomResources::UpdateStatus(const std::string& name, Definition& definition) {
  const std::string conflict = FindNameConflict(name, definition);
  definition.names_accepted = conflict.empty();
  const Time now = Time::Now(clock_);
  const auto with_conditions = [&](const Json& old) -> Result<ObjectWriter::Change> {
    Json document = old;
    Json& status = document.get_object()["status"];
    if (!status.is_object()) status.emplace_object();
    JsonObject& object = status.get_object();
    if (conflict.empty()) {
      object["acceptedNames"] = NamesOf(document);
      SetCondition(object, "NamesAccepted", true, "NoConflicts", "no conflicts found", now);
      SetCondition(object, "Established", true, "InitialNamesAccepted",
                   "the initial names have been accepted", now);
    } else {
      SetCondition(object, "NamesAccepted", false, "NamesConflict", conflict, now);
      SetCondition(object, "Established", false, "NotAccepted", "not all names are accepted", now);
    }
    if (IsBeingDeleted(document)) {
      SetCondition(object, "Terminating", true, "InstanceDeletionInProgress",
                   "CustomResource deletion is in progress", now);
    }
    return ObjectWriter::Change{std::move(document)};
  };
  ASSIGN_OR_RETURN(const ObjectWriter::Change wanted, with_conditions(definition.document));
  if (JsonEqual(wanted.document, definition.document)) return {};
  const Result<Written> written = writer_.Update({.resource = *definitions_resource_,
                                                  .subresource = "status",
                                                  .namespace_name = "",
                                                  .name = name,
                                                  .user = self_,
                                                  .manager = "kube-apiserver"},
                                                 with_conditions);
  if (!written.ok()) return IgnoreNotFound(written);
  ASSIGN_OR_RETURN(definition.document, ParseJson(written->object));
  return {};
}

void CustomResources::PublishResources() {
  std::vector<ResourcePtr> all;
  for (const auto& [name, definition] : definitions_) {
    if (!definition.names_accepted) continue;
    all.insert(all.end(), definition.resources.begin(), definition.resources.end());
  }
  registry_.ReplaceCustom(all);
}

void CustomResources::Run(std::stop_token stop) {
  const std::stop_callback on_stop(stop, [this] { Signal(); });
  while (!stop.stop_requested()) {
    const Result<void> synced = Sync();
    if (!synced.ok()) {
      log_.Warn("cannot read the CustomResourceDefinitions; retrying",
                {{"error", synced.error().message()}});
    }
    const bool busy = CleanUp() || !synced.ok();
    WaitForSignal(busy ? kCleanUpInterval : kIdleInterval);
  }
}

bool CustomResources::CleanUp() {
  std::vector<Json> deleting;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, definition] : definitions_) {
      if (IsBeingDeleted(definition.document)) deleting.push_back(definition.document);
    }
  }
  bool waiting = false;
  for (const Json& definition : deleting) {
    const Result<bool> done = CleanUpOne(definition);
    if (!done.ok()) {
      log_.Warn("cannot delete the objects of a deleted CustomResourceDefinition; retrying",
                {{"definition", NameOf(definition)}, {"error", done.error().message()}});
    }
    waiting |= !done.ok() || !*done;
  }
  return waiting;
}

Result<bool> CustomResources::CleanUpOne(const Json& definition) {
  const ResourcePtr resource = MakeStorageResource(definition);
  if (resource == nullptr) return true;
  ASSIGN_OR_RETURN(const store::ListPage page,
                   store_.List({.prefix = StoragePrefix(*resource, ""), .limit = kCleanUpPage}));
  for (const store::RecordPtr& record : page.records) {
    // A damaged object is removed by its key.
    const Result<Json> object = ReadDocument(*resource, *record);
    if (object.ok() && IsBeingDeleted(*object)) continue;
    std::string_view name = record->key.substr(StoragePrefix(*resource, "").size());
    std::string_view namespace_name;
    if (resource->namespaced) {
      namespace_name = name.substr(0, name.find('/'));
      name.remove_prefix(std::min(namespace_name.size() + 1, name.size()));
    }
    const Result<Deleted> deleted = writer_.Delete({.resource = *resource,
                                                    .subresource = "",
                                                    .namespace_name = namespace_name,
                                                    .name = name,
                                                    .user = self_,
                                                    .manager = "kube-apiserver"},
                                                   {});
    if (!deleted.ok() && !deleted.error().IsNotFound()) return deleted.error();
  }
  ASSIGN_OR_RETURN(const store::ListPage left,
                   store_.List({.prefix = StoragePrefix(*resource, ""), .limit = 1}));
  if (!left.records.empty()) return false;
  // Only now may the definition be removed: without it, remaining objects could not be read.
  const auto without_finalizer = [](const Json& old) -> Result<ObjectWriter::Change> {
    Json document = old;
    JsonObject& metadata = MetadataOf(document);
    if (Json* list = metadata.if_contains("finalizers"); list != nullptr && list->is_array()) {
      JsonArray& finalizers = list->get_array();
      const auto found = std::ranges::find(finalizers, Json(kCustomResourceCleanup));
      if (found != finalizers.end()) finalizers.erase(found);
      if (finalizers.empty()) metadata.erase("finalizers");
    }
    return ObjectWriter::Change{std::move(document)};
  };
  const Result<Written> written = writer_.Update({.resource = *definitions_resource_,
                                                  .subresource = "",
                                                  .namespace_name = "",
                                                  .name = NameOf(definition),
                                                  .user = self_,
                                                  .manager = "kube-apiserver"},
                                                 without_finalizer);
  if (!written.ok() && !written.error().IsNotFound()) return written.error();
  return true;
}

void CustomResources::Signal() {
  MutexLock lock(signal_mutex_);
  signal_ = true;
  signaled_.NotifyAll();
}

void CustomResources::WaitForSignal(std::chrono::milliseconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  MutexLock lock(signal_mutex_);
  while (!signal_ && signaled_.WaitUntil(signal_mutex_, deadline)) {
  }
  signal_ = false;
}

}  // namespace kubexms
