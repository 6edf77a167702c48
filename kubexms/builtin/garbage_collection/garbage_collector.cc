#include "kubexms/builtin/garbage_collection/garbage_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "kubexms/api/codec.h"

namespace kubexms {
namespace {

using Item = OwnerGraph::Item;
using std::chrono::seconds;

// Somebody else may change the object at the same moment.
constexpr int kAttempts = 5;
// A definition may be known before the server serves it, and be gone before its objects are.
constexpr auto kSecondLook = seconds(1);

constexpr std::string_view kOrphanPolicy = "Orphan";
constexpr std::string_view kForegroundPolicy = "Foreground";
constexpr std::string_view kBackgroundPolicy = "Background";

// A transform: what the collector looks at, and nothing else.
void KeepOwnership(MetadataObject& object) {
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
  // Events are many, own nothing, and expire by themselves.
  if (resource.type.plural == "events" &&
      (resource.type.group.empty() || resource.type.group == "events.k8s.io")) {
    return false;
  }
  return resource.Supports(Verb::kDelete) && resource.Supports(Verb::kList) &&
         resource.Supports(Verb::kWatch);
}

// Of each resource the version that the server prefers.
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

// True when there was such a reference.
bool RemoveReferences(const std::set<std::string>& uids, ObjectMeta& metadata) {
  return std::erase_if(metadata.owner_references, [&](const OwnerReference& reference) {
           return uids.contains(reference.uid);
         }) > 0;
}

// The server stores it only if the object is still the one that was read.
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
  DeleteOptions options;
  options.propagation_policy = propagation;
  Preconditions preconditions;
  preconditions.uid = metadata.uid;
  if (of_this_version) preconditions.resource_version = metadata.resource_version;
  options.preconditions = std::move(preconditions);
  return options;
}

}  // namespace

// The owners of an object by what is known of them.
struct GarbageCollector::Owners {
  std::set<std::string> solid;
  std::set<std::string> dangling;
  std::set<std::string> waiting;
  std::set<std::string> left;  // that leave their dependents behind
  // One of them exists but no informer has told of it yet.
  bool unseen = false;
  // An object of the cluster has an owner in a namespace: nobody can say which.
  bool impossible = false;
};

GarbageCollector::GarbageCollector(GarbageCollectorOptions options, Environment environment)
    : options_(options),
      environment_(std::move(environment)),
      queue_({.name = "garbage_collector", .metrics = environment_.metrics}, &environment_.clock,
             DefaultRateLimiter<std::string>({.max_delay = options.max_delay, .qps = 0},
                                             &environment_.clock)),
      discovery_errors_(
          environment_.metrics == nullptr
              ? Counter()
              : environment_.metrics
                    ->AddCounter({.name = "garbagecollector_controller_resources_sync_error_total",
                                  .help = "Times that the kinds to watch could not be found out."})
                    .With({})) {}

GarbageCollector::~GarbageCollector() = default;

Result<void> GarbageCollector::Run(std::stop_token stop) {
  const std::stop_callback forward(stop, [this] {
    stopping_.request_stop();
    MutexLock lock(kinds_mutex_);
    kinds_changed_.NotifyAll();
  });
  while (!UpdateMonitors(stop).ok()) {
    if (!environment_.clock.SleepFor(kSecondLook, stop)) break;
  }
  WaitForMonitors(stop);
  queue_.CallWorkers(options_.workers,
                     [this] { workers_.Start("garbage-collector", [this] { Work(); }); });
  working_ = true;
  environment_.log.Info("working", {{"workers", options_.workers}, {"objects", graph_.size()}});
  FollowKinds(stop);
  working_ = false;
  queue_.ShutDown();
  queue_.AwaitWorkers();
  for (const auto& [type, monitor] : monitors_) RemoveMonitor(monitor);
  monitors_.clear();
  return {};
}

// ---- Which kinds there are.

void GarbageCollector::FollowKinds(const std::stop_token& stop) {
  std::chrono::nanoseconds wait = options_.discovery_period;
  while (true) {
    const bool changed = WaitForKinds(wait, stop);
    if (stop.stop_requested()) return;
    const bool known = UpdateMonitors(stop).ok();
    wait = changed || !known ? kSecondLook : options_.discovery_period;
  }
}

// True when there is a sign of a new kind, or of one that is gone.
bool GarbageCollector::WaitForKinds(std::chrono::nanoseconds most, const std::stop_token& stop) {
  const auto deadline = environment_.clock.MonotonicNow() + most;
  MutexLock lock(kinds_mutex_);
  while (!look_for_kinds_ && !stop.stop_requested() &&
         environment_.clock.MonotonicNow() < deadline) {
    environment_.clock.WaitUntil(kinds_changed_, kinds_mutex_, deadline);
  }
  return std::exchange(look_for_kinds_, false);
}

Result<void> GarbageCollector::UpdateMonitors(const std::stop_token& stop) {
  const Result<Discovery> discovery = Discover(environment_.client, stop);
  if (!discovery.ok() || !discovery->failures.empty()) discovery_errors_.Increment();
  if (!discovery.ok()) {
    environment_.log.Warn("cannot find out which kinds there are", {{"error", discovery.error()}});
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
  // What could not be asked about stays as it is.
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

// What is no longer served is followed a little longer: its watch may still have to tell that the
// last objects are gone.
bool GarbageCollector::IsStillNeeded(Monitor& monitor) const {
  const auto now = environment_.clock.MonotonicNow();
  if (!monitor.missing_since) monitor.missing_since = now;
  return now - *monitor.missing_since < kSecondLook;
}

void GarbageCollector::AddMonitor(const ResourceType& type) {
  Monitor monitor{
      .type = std::make_shared<const ResourceType>(type),
      .informer = environment_.informers.Get(FormOf<MetadataObject>(type, &KeepOwnership))};
  monitor.handler = monitor.informer->AddHandler(
      [this, watched = monitor.type](const CacheEvent& event) { OnEvent(watched, event); });
  monitors_.emplace(type, std::move(monitor));
}

void GarbageCollector::RemoveMonitor(const Monitor& monitor) {
  monitor.informer->RemoveHandler(monitor.handler);
  environment_.informers.Remove(monitor.informer);
}

void GarbageCollector::WaitForMonitors(const std::stop_token& stop) {
  std::stop_source give_up;
  const std::stop_callback forward(stop, [&] { give_up.request_stop(); });
  const std::jthread timer([&](std::stop_token synced) {
    if (environment_.clock.SleepFor(options_.sync_timeout, synced)) give_up.request_stop();
  });
  for (const auto& [type, monitor] : monitors_) {
    if (monitor.informer->WaitForSync(give_up.get_token()) || stop.stop_requested()) continue;
    environment_.log.Warn("begins without a first list", {{"resource", type.QualifiedName()}});
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
  look_for_kinds_ = true;
  kinds_changed_.NotifyAll();
}

void GarbageCollector::Apply(const OwnerGraph::Changes& changes) {
  for (const std::string& uid : changes.look_at) queue_.Add(uid, {.reason = "owners changed"});
  for (const OwnerGraph::Stray& stray : changes.strays) {
    environment_.events.Event(
        ReferenceTo(stray.type->ApiVersion(), stray.type->kind, *stray.object.metadata),
        EventType::kWarning, "OwnerRefInvalidNamespace",
        fmt::format("ownerRef {} does not exist in namespace \"{}\"", stray.owner,
                    stray.object.metadata->namespace_name));
  }
}

// ---- One object.

void GarbageCollector::Work() {
  while (const auto work = queue_.Get(stopping_.get_token())) {
    const Result<bool> again = Process(work->key);
    if (!again.ok()) {
      environment_.log.Warn("an object cannot be looked at; it will be tried again",
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
    if (item->blocked) return false;  // it is looked at when that changes
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
  if (owners.impossible) return false;
  if (!owners.left.empty()) {
    // The others are looked at when that is seen.
    RETURN_IF_ERROR(PatchMetadata(
        item, [&](ObjectMeta& metadata) { return RemoveReferences(owners.left, metadata); }));
    return false;
  }
  if (!owners.solid.empty()) {
    // One that waits for its dependents need not wait for this one, which stays.
    std::set<std::string> others = std::move(owners.dangling);
    others.merge(owners.waiting);
    if (others.empty()) return owners.unseen;
    RETURN_IF_ERROR(PatchMetadata(
        item, [&](ObjectMeta& metadata) { return RemoveReferences(others, metadata); }));
    return owners.unseen;
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
      ASSIGN_OR_RETURN(state, AskForOwner(owner, item, owners));
    }
    if (state == OwnerState::kSolid) owners.solid.insert(owner.uid);
    if (state == OwnerState::kWaiting) owners.waiting.insert(owner.uid);
    if (state == OwnerState::kAbsent) owners.dangling.insert(owner.uid);
    if (state == OwnerState::kLeft) owners.left.insert(owner.uid);
  }
  return owners;
}

Result<OwnerState> GarbageCollector::AskForOwner(const OwnerReference& owner, const Item& item,
                                                 Owners& owners) {
  ResourceType type;
  {
    ASSIGN_OR_RETURN(const GroupVersionKind kind,
                     GroupVersionKind::Parse(owner.api_version, owner.kind));
    MutexLock lock(kinds_mutex_);
    const auto known = kinds_.find(kind);
    if (known == kinds_.end()) {
      return Error::ServiceUnavailable(
          fmt::format("the server has no kind {}, of which {} {} has an owner", kind.ToString(),
                      item.type->QualifiedName(), item.object.key().ToString()));
    }
    type = known->second;
  }
  const std::string& namespace_name = item.object.metadata->namespace_name;
  if (type.namespaced && namespace_name.empty()) {
    owners.impossible = true;
    return OwnerState::kUnknown;
  }
  const ObjectKey key{type.namespaced ? namespace_name : "", owner.name};
  const Result<ObjectMeta> live = GetMetadata(type, key);
  if (!live.ok() && !live.error().IsNotFound()) return live.error();
  if (!live.ok() || live->uid != owner.uid) {
    graph_.NoteAbsent(owner, key.namespace_name);
    return OwnerState::kAbsent;
  }
  owners.unseen = true;
  const bool waits = IsDeleting(*live) && HasFinalizer(*live, kForegroundFinalizer);
  return waits ? OwnerState::kWaiting : OwnerState::kSolid;
}

Result<void> GarbageCollector::Orphan(const std::string& uid, const Item& item) {
  graph_.NoteLeft(uid);
  for (const Item& dependent : graph_.DependentsOf(uid)) {
    if (stopping_.stop_requested()) return Error::ServiceUnavailable("stopping");
    RETURN_IF_ERROR(PatchMetadata(
        dependent, [&](ObjectMeta& metadata) { return RemoveReferences({uid}, metadata); }));
  }
  return PatchMetadata(
      item, [](ObjectMeta& metadata) { return RemoveFinalizer(metadata, kOrphanFinalizer); });
}

// ---- What is done to objects.

// Of the version whose owners were looked at. When it has changed since, but not its owners, its
// version does not matter: else somebody who writes all the time could keep it.
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

// Its owners no longer wait for it.
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

// `change` says whether it changed anything. Begins again when somebody else was faster.
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
    // Not the object is missing but its kind.
    const bool kind_is_missing =
        answer.error().IsNotFound() && answer.error().details().name.empty();
    return kind_is_missing ? Error::ServiceUnavailable(answer.error().message()) : answer.error();
  }
  ASSIGN_OR_RETURN(MetadataObject object, Decode<MetadataObject>(answer->view()));
  return std::move(object.metadata);
}

}  // namespace kubexms
