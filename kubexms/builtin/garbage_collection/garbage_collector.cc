#include "kubexms/builtin/garbage_collection/garbage_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/builtin/shared/delete_by_uid.h"

namespace kubexms {
namespace {

using Item = OwnerGraph::Item;
using std::chrono::seconds;

// Retries after conflicts with other writers.
constexpr int kAttempts = 5;
// Discovery may be behind a new definition, and objects may outlive a deleted one.
constexpr auto kDiscoveryRetry = seconds(1);

constexpr std::string_view kOrphanPolicy = "Orphan";
constexpr std::string_view kForegroundPolicy = "Foreground";
constexpr std::string_view kBackgroundPolicy = "Background";

// A transform of the informers: retains what the collector needs.
void StripToOwnership(MetadataObject& object) {
  object.api_version.clear();
  object.kind.clear();
  ObjectMeta& metadata = object.metadata;
  metadata.annotations.clear();
  metadata.labels.clear();
  metadata.managed_fields.clear();
  metadata.generate_name.clear();
  metadata.self_link.clear();
}

bool IsCollected(const DiscoveredResource& resource) {
  // Events are numerous, have no dependents, and expire.
  if (resource.type.plural == "events" &&
      (resource.type.group.empty() || resource.type.group == "events.k8s.io")) {
    return false;
  }
  return resource.Supports(Verb::kDelete) && resource.Supports(Verb::kList) &&
         resource.Supports(Verb::kWatch);
}

// Each resource in the version that the server prefers.
std::set<ResourceType> TypesToWatch(const Discovery& discovery) {
  std::set<ResourceType> types;
  std::set<std::pair<std::string, std::string>> known;
  for (const DiscoveredResource& resource : discovery.resources) {
    if (!IsCollected(resource)) continue;
    if (known.emplace(resource.type.group, resource.type.plural).second)
      types.insert(resource.type);
  }
  return types;
}

bool DefinesKinds(const ResourceType& type) {
  return type.group == "apiextensions.k8s.io" || type.group == "apiregistration.k8s.io";
}

bool IsDeleting(const ObjectMeta& metadata) { return !metadata.deletion_timestamp.IsZero(); }

Json ReferencesJson(const std::vector<OwnerReference>& references) {
  JsonArray array;
  for (const OwnerReference& reference : references) array.push_back(ToJson(reference));
  return array;
}

bool SameOwners(const ObjectMeta& a, const ObjectMeta& b) {
  return ReferencesJson(a.owner_references) == ReferencesJson(b.owner_references);
}

// True if a reference was removed.
bool RemoveReferences(const std::set<std::string>& uids, ObjectMeta& metadata) {
  return std::erase_if(metadata.owner_references, [&](const OwnerReference& reference) {
           return uids.contains(reference.uid);
         }) > 0;
}

// UID and resourceVersion are preconditions.
std::string MetadataPatch(const ObjectMeta& metadata) {
  JsonArray finalizers;
  for (const std::string& finalizer : metadata.finalizers) finalizers.emplace_back(finalizer);
  return WriteJson(JsonObject{
      {"metadata", JsonObject{{"uid", metadata.uid},
                              {"resourceVersion", metadata.resource_version},
                              {"finalizers", std::move(finalizers)},
                              {"ownerReferences", ReferencesJson(metadata.owner_references)}}}});
}

DeleteOptions DeletionOf(const ObjectMeta& metadata, std::string_view propagation,
                         bool of_this_version) {
  DeleteOptions options = UidPrecondition(metadata);
  options.propagation_policy = propagation;
  if (of_this_version) options.preconditions->resource_version = metadata.resource_version;
  return options;
}

}  // namespace

// The owners of an object by their state.
struct GarbageCollector::Owners {
  std::set<std::string> solid;
  std::set<std::string> dangling;
  std::set<std::string> waiting;
  std::set<std::string> orphaning;  // that orphan their dependents
  // An owner exists that no informer has delivered yet.
  bool not_cached = false;
  // A cluster-scoped object has a namespaced owner, whose namespace is unknown.
  bool invalid_scope = false;
};

GarbageCollector::GarbageCollector(GarbageCollectorOptions options, Environment environment)
    : options_(options),
      environment_(std::move(environment)),
      queue_({.name = "garbage_collector",
              .rate_limiter = {.max_delay = options.max_delay, .qps = 0},
              .metrics = environment_.metrics},
             &environment_.clock),
      discovery_errors_(
          environment_.metrics == nullptr
              ? Counter()
              : environment_.metrics
                    ->AddCounter({.name = "garbagecollector_controller_resources_sync_error_total",
                                  .help = "Number of failed or incomplete discoveries of the "
                                          "resources to watch."})
                    .With({})) {}

GarbageCollector::~GarbageCollector() = default;

Result<void> GarbageCollector::Run(std::stop_token stop) {
  const std::stop_callback forward(stop, [this] {
    stopping_.request_stop();
    MutexLock lock(kinds_mutex_);
    kinds_changed_.NotifyAll();
  });
  while (!UpdateMonitors(stop).ok()) {
    if (!environment_.clock.SleepFor(kDiscoveryRetry, stop)) break;
  }
  WaitForMonitors(stop);
  queue_.StartWorkersOnDemand(options_.workers,
                              [this] { workers_.Start("garbage-collector", [this] { Work(); }); });
  running_ = true;
  environment_.log.Info("garbage collector started",
                        {{"workers", options_.workers}, {"objects", graph_.size()}});
  SyncMonitors(stop);
  running_ = false;
  queue_.ShutDown();
  queue_.AwaitWorkers();
  for (const auto& [type, monitor] : monitors_) RemoveMonitor(monitor);
  monitors_.clear();
  return {};
}

// ---- Discovery and monitors.

void GarbageCollector::SyncMonitors(const std::stop_token& stop) {
  std::chrono::nanoseconds wait = options_.discovery_period;
  while (true) {
    const bool changed = WaitForKindChange(wait, stop);
    if (stop.stop_requested()) return;
    const bool known = UpdateMonitors(stop).ok();
    wait = changed || !known ? kDiscoveryRetry : options_.discovery_period;
  }
}

// True if a CustomResourceDefinition or APIService has changed.
bool GarbageCollector::WaitForKindChange(std::chrono::nanoseconds most,
                                         const std::stop_token& stop) {
  const auto deadline = environment_.clock.MonotonicNow() + most;
  MutexLock lock(kinds_mutex_);
  while (!kinds_may_have_changed_ && !stop.stop_requested() &&
         environment_.clock.MonotonicNow() < deadline) {
    environment_.clock.WaitUntil(kinds_changed_, kinds_mutex_, deadline);
  }
  return std::exchange(kinds_may_have_changed_, false);
}

Result<void> GarbageCollector::UpdateMonitors(const std::stop_token& stop) {
  const Result<Discovery> discovery = Discover(environment_.client, stop);
  if (!discovery.ok() || !discovery->failures.empty()) discovery_errors_.Increment();
  if (!discovery.ok()) {
    environment_.log.Warn("cannot discover the resources to watch", {{"error", discovery.error()}});
    return discovery.error();
  }
  {
    MutexLock lock(kinds_mutex_);
    kinds_.clear();
    for (const DiscoveredResource& resource : discovery->resources) {
      const ResourceType& type = resource.type;
      kinds_.emplace(GroupVersionKind{type.group, type.version, type.kind}, type);
    }
  }
  // Monitors of groups whose discovery failed are retained.
  std::set<std::string> unknown;
  for (const DiscoveryFailure& failure : discovery->failures) {
    const Result<GroupVersion> version = GroupVersion::Parse(failure.group_version);
    if (version.ok()) unknown.insert(version->group);
  }
  const std::set<ResourceType> types = TypesToWatch(*discovery);
  for (const ResourceType& type : types) {
    if (!monitors_.contains(type)) AddMonitor(type);
  }
  for (auto it = monitors_.begin(); it != monitors_.end();) {
    Monitor& monitor = it->second;
    const bool served = types.contains(it->first) || unknown.contains(it->first.group);
    if (served) monitor.missing_since.reset();
    if (served || IsStillNeeded(monitor)) {
      ++it;
      continue;
    }
    RemoveMonitor(monitor);
    Apply(graph_.Forget(it->first));
    it = monitors_.erase(it);
  }
  return {};
}

// A resource that is no longer served is watched a little longer: the watch may still deliver the
// deletion of its last objects.
bool GarbageCollector::IsStillNeeded(Monitor& monitor) const {
  const auto now = environment_.clock.MonotonicNow();
  if (!monitor.missing_since) monitor.missing_since = now;
  return now - *monitor.missing_since < kDiscoveryRetry;
}

void GarbageCollector::AddMonitor(const ResourceType& type) {
  Monitor monitor{
      .type = std::make_shared<const ResourceType>(type),
      .informer = environment_.informers.Get(FormOf<MetadataObject>(type, &StripToOwnership))};
  monitor.handler = monitor.informer->AddHandler(
      [this, watched = monitor.type](const CacheEvent& event) { OnEvent(watched, event); });
  monitors_.emplace(type, std::move(monitor));
}

void GarbageCollector::RemoveMonitor(const Monitor& monitor) {
  monitor.informer->RemoveHandler(monitor.handler);
  environment_.informers.Remove(monitor.informer);
}

void GarbageCollector::WaitForMonitors(const std::stop_token& stop) {
  std::stop_source timed_out;
  const std::stop_callback forward(stop, [&] { timed_out.request_stop(); });
  const std::jthread timer([&](std::stop_token synced) {
    if (environment_.clock.SleepFor(options_.sync_timeout, synced)) timed_out.request_stop();
  });
  for (const auto& [type, monitor] : monitors_) {
    if (monitor.informer->WaitForSync(timed_out.get_token()) || stop.stop_requested()) continue;
    environment_.log.Warn("starting before the first list of a resource is complete",
                          {{"resource", type.QualifiedName()}});
  }
}

void GarbageCollector::OnEvent(const OwnerGraph::TypePtr& type, const CacheEvent& event) {
  if (event.type == CacheEvent::Type::kDelete) {
    Apply(graph_.Remove(event.object.uid()));
  } else {
    Apply(graph_.Put(type, event.object));
  }
  if (!DefinesKinds(*type) || event.initial) return;
  MutexLock lock(kinds_mutex_);
  kinds_may_have_changed_ = true;
  kinds_changed_.NotifyAll();
}

void GarbageCollector::Apply(const OwnerGraph::Changes& changes) {
  for (const std::string& uid : changes.to_process) queue_.Add(uid, {.reason = "owners changed"});
  for (const OwnerGraph::InvalidReference& reference : changes.invalid_references) {
    environment_.events.Event(
        ReferenceTo(reference.type->ApiVersion(), reference.type->kind, *reference.object.metadata),
        EventType::kWarning, "OwnerRefInvalidNamespace",
        fmt::format("ownerRef {} does not exist in namespace \"{}\"", reference.owner,
                    reference.object.metadata->namespace_name));
  }
}

// ---- Processing of one object.

void GarbageCollector::Work() {
  while (const auto work = queue_.Get(stopping_.get_token())) {
    const Result<bool> again = Process(work->key);
    if (!again.ok()) {
      environment_.log.Warn("cannot process an object; retrying with backoff",
                            {{"uid", work->key}, {"error", again.error()}});
    }
    if (again.ok() && !*again) {
      queue_.Forget(work->key);
    } else {
      queue_.AddRateLimited(work->key, "retry");
    }
    queue_.Done(work->key);
  }
}

Result<bool> GarbageCollector::Process(const std::string& uid) {
  const std::optional<Item> item = graph_.Find(uid);
  if (!item) return false;
  if (item->orphaning) {
    RETURN_IF_ERROR(Orphan(uid, *item));
    return false;
  }
  if (item->deleting_dependents) {
    if (item->blocked) return false;  // queued again when the last blocking dependent is deleted
    RETURN_IF_ERROR(PatchMetadata(*item, [](ObjectMeta& metadata) {
      return RemoveFinalizer(metadata, kForegroundFinalizer);
    }));
    return false;
  }
  if (item->deleted || IsDeleting(*item->object.metadata)) return false;
  return Collect(uid, *item);
}

Result<bool> GarbageCollector::Collect(const std::string& uid, const Item& item) {
  ASSIGN_OR_RETURN(Owners owners, Classify(item));
  if (owners.invalid_scope) return false;
  if (!owners.orphaning.empty()) {
    // The informer delivers the patched object, and then the other owners are checked.
    RETURN_IF_ERROR(PatchMetadata(
        item, [&](ObjectMeta& metadata) { return RemoveReferences(owners.orphaning, metadata); }));
    return false;
  }
  if (!owners.solid.empty()) {
    // This object stays, so that an owner in foreground deletion must not wait for it.
    std::set<std::string> others = std::move(owners.dangling);
    others.merge(owners.waiting);
    if (others.empty()) return owners.not_cached;
    RETURN_IF_ERROR(PatchMetadata(
        item, [&](ObjectMeta& metadata) { return RemoveReferences(others, metadata); }));
    return owners.not_cached;
  }
  const ObjectMeta& metadata = *item.object.metadata;
  if (!owners.waiting.empty() && item.has_dependents) {
    if (graph_.HasWaitingDependent(uid)) RETURN_IF_ERROR(Unblock(item));
    RETURN_IF_ERROR(Delete(item, kForegroundPolicy));
  } else if (!owners.waiting.empty() || !owners.dangling.empty()) {
    RETURN_IF_ERROR(Delete(item, HasFinalizer(metadata, kOrphanFinalizer) ? kOrphanPolicy
                                 : HasFinalizer(metadata, kForegroundFinalizer)
                                     ? kForegroundPolicy
                                     : kBackgroundPolicy));
  } else {
    return false;
  }
  graph_.MarkDeleted(uid);
  return false;
}

Result<GarbageCollector::Owners> GarbageCollector::Classify(const Item& item) {
  Owners owners;
  const ObjectMeta& metadata = *item.object.metadata;
  for (const OwnerReference& owner : metadata.owner_references) {
    OwnerState state = graph_.StateOf(owner, metadata.namespace_name);
    if (state == OwnerState::kUnknown) {
      ASSIGN_OR_RETURN(state, FetchOwner(owner, item, owners));
    }
    if (state == OwnerState::kSolid) owners.solid.insert(owner.uid);
    if (state == OwnerState::kWaiting) owners.waiting.insert(owner.uid);
    if (state == OwnerState::kAbsent) owners.dangling.insert(owner.uid);
    if (state == OwnerState::kOrphaning) owners.orphaning.insert(owner.uid);
  }
  return owners;
}

Result<OwnerState> GarbageCollector::FetchOwner(const OwnerReference& owner, const Item& item,
                                                Owners& owners) {
  ResourceType type;
  {
    ASSIGN_OR_RETURN(const GroupVersionKind kind,
                     GroupVersionKind::Parse(owner.api_version, owner.kind));
    MutexLock lock(kinds_mutex_);
    const auto known = kinds_.find(kind);
    if (known == kinds_.end()) {
      return Error::ServiceUnavailable(
          fmt::format("the server does not serve kind {} of an owner of {} {}", kind.ToString(),
                      item.type->QualifiedName(), item.object.key().ToString()));
    }
    type = known->second;
  }
  const std::string& namespace_name = item.object.metadata->namespace_name;
  if (type.namespaced && namespace_name.empty()) {
    owners.invalid_scope = true;
    return OwnerState::kUnknown;
  }
  const ObjectKey key{type.namespaced ? namespace_name : "", owner.name};
  const Result<ObjectMeta> live = GetMetadata(type, key);
  if (!live.ok() && !live.error().IsNotFound()) return live.error();
  if (!live.ok() || live->uid != owner.uid) {
    graph_.MarkAbsent(owner, key.namespace_name);
    return OwnerState::kAbsent;
  }
  owners.not_cached = true;
  const bool waits = IsDeleting(*live) && HasFinalizer(*live, kForegroundFinalizer);
  return waits ? OwnerState::kWaiting : OwnerState::kSolid;
}

Result<void> GarbageCollector::Orphan(const std::string& uid, const Item& item) {
  graph_.MarkOrphaning(uid);
  for (const Item& dependent : graph_.DependentsOf(uid)) {
    if (stopping_.stop_requested()) return Error::ServiceUnavailable("stopping");
    RETURN_IF_ERROR(PatchMetadata(
        dependent, [&](ObjectMeta& metadata) { return RemoveReferences({uid}, metadata); }));
  }
  return PatchMetadata(
      item, [](ObjectMeta& metadata) { return RemoveFinalizer(metadata, kOrphanFinalizer); });
}

// ---- Writes.

// Deletes the version whose owners were checked. If the object has changed but its owner references
// have not, the version is no precondition: else a frequent writer could prevent the deletion.
Result<void> GarbageCollector::Delete(const Item& item, std::string_view propagation) {
  const ObjectMeta& metadata = *item.object.metadata;
  const ObjectKey key = item.object.key();
  Client& client = environment_.client;
  Result<void> deleted = client.Delete(*item.type, key, DeletionOf(metadata, propagation, true));
  if (deleted.ok() || !deleted.error().IsConflict()) return IgnoreNotFound(deleted);
  const Result<ObjectMeta> live = GetMetadata(*item.type, key);
  if (!live.ok()) return IgnoreNotFound(live);
  if (live->uid != metadata.uid) return {};
  if (!SameOwners(*live, metadata)) return deleted;
  return IgnoreNotFound(client.Delete(*item.type, key, DeletionOf(metadata, propagation, false)));
}

// Clears blockOwnerDeletion, so that owners do not wait for the object: they may wait in a cycle.
Result<void> GarbageCollector::Unblock(const Item& item) {
  return PatchMetadata(item, [](ObjectMeta& metadata) {
    bool changed = false;
    for (OwnerReference& owner : metadata.owner_references) {
      changed |= owner.block_owner_deletion.value_or(false);
      if (owner.block_owner_deletion) owner.block_owner_deletion = false;
    }
    return changed;
  });
}

// `change` returns whether it changed the metadata. Retried with the current metadata after a
// conflict.
template <class Change>
Result<void> GarbageCollector::PatchMetadata(const Item& item, const Change& change) {
  ObjectMeta metadata = *item.object.metadata;
  Result<void> result;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (metadata.uid != item.object.uid() || !change(metadata)) return {};
    const Result<SharedBytes> patched = environment_.client.Do(
        Client::PatchRequest(*item.type, item.object.key(),
                             {.type = PatchType::kMerge, .body = MetadataPatch(metadata)}));
    if (patched.ok() || !patched.error().IsConflict()) return IgnoreNotFound(patched);
    result = patched.error();
    Result<ObjectMeta> live = GetMetadata(*item.type, item.object.key());
    if (!live.ok()) return IgnoreNotFound(live);
    metadata = *std::move(live);
  }
  return result;
}

Result<ObjectMeta> GarbageCollector::GetMetadata(const ResourceType& type, const ObjectKey& key) {
  ClientRequest request = Client::GetRequest(type, key, {.stop = stopping_.get_token()});
  request.metadata_only = true;
  const Result<SharedBytes> answer = environment_.client.Do(request);
  if (!answer.ok()) {
    // The resource is not served, which says nothing about the object.
    const bool kind_is_missing =
        answer.error().IsNotFound() && answer.error().details().name.empty();
    return kind_is_missing ? Error::ServiceUnavailable(answer.error().message()) : answer.error();
  }
  ASSIGN_OR_RETURN(MetadataObject object, Decode<MetadataObject>(answer->view()));
  return std::move(object.metadata);
}

}  // namespace kubexms
