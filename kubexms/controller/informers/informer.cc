#include "kubexms/controller/informers/informer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kubexms/api/stored_object.h"
#include "kubexms/controller/support/guarded.h"

namespace kubexms {
namespace {

ReflectorScope ReflectorScopeOf(const InformerOptions& options) {
  return {.resource = options.form.resource,
          .namespace_name = options.scope.namespace_name,
          .label_selector = options.scope.label_selector,
          .field_selector = options.scope.field_selector,
          .metadata_only = options.form.metadata_only};
}

std::string VersionText(const ObjectHeader& header) {
  return header.resource_version == 0 ? "" : std::to_string(header.resource_version);
}

// The value of the label "scope"; empty if all objects of the resource are cached.
std::string ScopeText(const InformerOptions& options) {
  std::vector<std::string> parts;
  if (options.form.metadata_only) parts.push_back("metadata only");
  if (!options.scope.namespace_name.empty())
    parts.push_back("namespace " + options.scope.namespace_name);
  for (const std::string& selector :
       {options.scope.label_selector.ToString(), options.scope.field_selector.ToString()}) {
    if (!selector.empty()) parts.push_back(selector);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Informer::Informer(InformerOptions options, Environment environment)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      reflector_(ReflectorScopeOf(options_), options_.cache.reflector, *this,
                 {environment_.client, environment_.clock, environment_.random, environment_.log}) {
  reflector_.Begin(stopping_.get_token());
  if (environment_.metrics == nullptr) return;
  const auto options_of = [](std::string name, std::string help) {
    return MetricOptions{.name = std::move(name),
                         .help = std::move(help),
                         .labels = {"group", "version", "resource", "scope"}};
  };
  const ResourceType& resource = options_.form.resource;
  const auto of_this = [&, scope = ScopeText(options_)](auto family) {
    return family.With({resource.group, resource.version, resource.plural, scope});
  };
  MetricsRegistry& metrics = *environment_.metrics;
  objects_ = MetricShare(
      of_this(metrics.AddGauge(options_of("informer_objects", "Number of cached objects."))));
  bytes_ = MetricShare(of_this(
      metrics.AddGauge(options_of("informer_bytes", "JSON size of the cached objects in bytes."))));
  version_ = of_this(metrics.AddGauge(
      options_of("informer_store_resource_version", "Newest resourceVersion of the cache.")));
  decode_errors_ = of_this(metrics.AddCounter(options_of(
      "informer_decode_errors_total", "Number of received objects that could not be decoded.")));
  unreadable_count_ = MetricShare(of_this(metrics.AddGauge(options_of(
      "informer_unreadable_objects",
      "Number of objects that cannot be decoded; the cache retains an older state of them."))));
}

Informer::~Informer() = default;

void Informer::Run(std::stop_token stop) {
  const std::stop_callback end(stop, [this] { Stop(); });
  reflector_.Run(stopping_.get_token());
  End();
}

bool Informer::Work(const std::function<void()>& ready) {
  if (reflector_.Work(ready)) return true;
  End();
  return false;
}

void Informer::Stop() {
  stopping_.request_stop();
  WakeWaiters();
}

void Informer::End() {
  MutexLock lock(delivery_mutex_);
  handlers_.clear();
  objects_.Set(0);
  bytes_.Set(0);
}

Informer::HandlerId Informer::AddHandler(EventHandler handler) {
  MutexLock lock(delivery_mutex_);
  for (CachedObject& object : cache_.Delivered()) {
    Call(handler, {.type = CacheEvent::Type::kAdd, .object = std::move(object), .initial = true});
  }
  const HandlerId id = next_id_++;
  handlers_.emplace(id, std::move(handler));
  return id;
}

void Informer::RemoveHandler(HandlerId id) {
  MutexLock lock(delivery_mutex_);
  handlers_.erase(id);
}

void Informer::Resync(HandlerId id) {
  MutexLock lock(delivery_mutex_);
  const auto handler = handlers_.find(id);
  if (handler == handlers_.end()) return;
  for (CachedObject& object : cache_.Delivered()) {
    Call(handler->second,
         {.type = CacheEvent::Type::kUpdate, .object = object, .old = object, .resync = true});
  }
}

void Informer::Deliver(const std::vector<CacheEvent>& events) {
  for (const CacheEvent& event : events) {
    for (const auto& [id, handler] : handlers_) Call(handler, event);
  }
}

void Informer::Call(const EventHandler& handler, const CacheEvent& event) const {
  const Result<void> handled = Guarded("the event handler", [&]() -> Result<void> {
    handler(event);
    return {};
  });
  if (handled.ok()) return;
  environment_.log.Error("event handler failed",
                         {{"object", event.object.key().ToString()}, {"error", handled.error()}});
}

bool Informer::Covers(const ResourceType& resource, std::string_view namespace_name) const {
  const InformerScope& scope = options_.scope;
  const bool same_namespace =
      scope.namespace_name.empty() || scope.namespace_name == namespace_name;
  return options_.form.resource == resource && same_namespace &&
         scope.field_selector.IsEverything();
}

// Adds an object that cannot be decoded to `unreadable` and returns nothing.
std::optional<CachedObject> Informer::DecodeOne(std::string_view json, Unreadables& unreadable) {
  Result<CachedObject> object =
      Guarded("the transform", [&] { return options_.form.Decode(json); });
  if (object.ok()) return std::move(*object);
  decode_errors_.Increment();
  const ObjectHeader header = ReadHeader(json).value_or({});
  const ObjectKey key{header.namespace_name, header.name};
  environment_.log.Error("cannot decode an object; the cache retains its last decodable state",
                         {{"resource", options_.form.resource.QualifiedName()},
                          {"object", key.ToString()},
                          {"error", object.error()}});
  unreadable.insert_or_assign(key, header.uid);
  return std::nullopt;
}

void Informer::UpdateUnreadable(const ObjectKey& key, Unreadables found) {
  MutexLock lock(sync_mutex_);
  unreadable_.erase(key);
  unreadable_.merge(found);
}

// This version of the object, if the cache has it: it need not be decoded again.
std::optional<CachedObject> Informer::FindCached(const ObjectHeader& header) const {
  CachedObject known =
      cache_.FindVersion({header.namespace_name, header.name}, header.resource_version);
  if (!known || known.uid() != header.uid) return std::nullopt;
  return known;
}

// The state of a deleted object, with the resourceVersion of the deletion: the one that was
// delivered last, which differs from `json` in the version only, or else the decoded `json`. Empty
// if the object is unknown and cannot be decoded.
CachedObject Informer::LastStateOf(const ObjectHeader& header, std::string_view json) const {
  const ObjectKey key{header.namespace_name, header.name};
  CachedObject last = cache_.Delivered(key);
  const bool is_same = last && header.resource_version != 0 && last.uid() == header.uid;
  if (!is_same) {
    Result<CachedObject> decoded =
        Guarded("the transform", [&] { return options_.form.Decode(json); });
    if (decoded.ok()) return std::move(*decoded);
    if (!last) last = cache_.Get(key);
  }
  last.version = header.resource_version;
  return last;
}

std::vector<CachedObject> Informer::DecodeAll(const std::vector<SharedBytes>& objects,
                                              uint64_t version, Unreadables& unreadable) {
  std::vector<CachedObject> decoded;
  decoded.reserve(objects.size());
  const bool may_be_cached = listed_ && !cache_.HasRegressed(version);
  for (const SharedBytes& object : objects) {
    std::optional<CachedObject> found;
    if (may_be_cached) {
      const Result<ObjectHeader> header = ReadHeader(object.view());
      if (header.ok()) found = FindCached(*header);
    }
    if (!found) found = DecodeOne(object.view(), unreadable);
    if (found) decoded.push_back(std::move(*found));
  }
  return decoded;
}

Result<void> Informer::CheckSize(size_t bytes) {
  const size_t limit = options_.cache.max_bytes;
  const bool fits = limit == 0 || bytes <= limit;
  MutexLock lock(sync_mutex_);
  failure_.reset();
  if (fits) return {};
  failure_ = Terminal(Error::Internal(
      fmt::format("the cache of {} needs {} bytes, but its limit is {} bytes: raise max_bytes, or "
                  "narrow its namespace or selectors",
                  options_.form.resource.QualifiedName(), bytes, limit)));
  return *failure_;
}

Result<void> Informer::Replace(std::vector<SharedBytes> objects, const std::string& version) {
  size_t bytes = 0;
  for (const SharedBytes& object : objects) bytes += object.size();
  RETURN_IF_ERROR(CheckSize(bytes));
  Unreadables unreadable;
  std::vector<CachedObject> decoded = DecodeAll(objects, VersionNumber(version), unreadable);
  objects.clear();
  {
    MutexLock lock(sync_mutex_);
    unreadable_ = unreadable;
  }
  {
    MutexLock lock(delivery_mutex_);
    const bool initial = !listed_;
    std::vector<CacheEvent> events =
        cache_.Replace(std::move(decoded), VersionNumber(version), unreadable);
    for (CacheEvent& event : events) event.initial = initial;
    Deliver(events);
    listed_ = true;
    UpdateMetrics();
  }
  version_.Set(static_cast<double>(VersionNumber(version)));
  WakeWaiters();
  return {};
}

Result<std::string> Informer::Apply(const ObjectEvent& event) {
  if (event.type == ObjectEventType::kBookmark) {
    ASSIGN_OR_RETURN(const DynamicObject bookmark, DynamicObject::Decode(event.object.view()));
    AdvanceTo(VersionNumber(bookmark.metadata.resource_version));
    return bookmark.metadata.resource_version;
  }
  ASSIGN_OR_RETURN(const ObjectHeader header, ReadHeader(event.object.view()));
  if (event.type == ObjectEventType::kDeleted) return Remove(header, event.object.view());
  return Put(header, event.object.view());
}

Result<std::string> Informer::Put(const ObjectHeader& header, std::string_view json) {
  const ObjectKey key{header.namespace_name, header.name};
  RETURN_IF_ERROR(CheckSize(cache_.BytesWith(key, header.resource_version, json.size())));
  Unreadables unreadable;
  std::optional<CachedObject> object = FindCached(header);
  if (!object) object = DecodeOne(json, unreadable);
  UpdateUnreadable(key, std::move(unreadable));
  std::string version = object ? object->metadata->resource_version : VersionText(header);
  MutexLock lock(delivery_mutex_);
  if (object) {
    Deliver(cache_.Put(*std::move(object)));
  } else if (const CachedObject known = cache_.Delivered(key); known && known.uid() != header.uid) {
    Deliver(cache_.Remove(known));  // replaced by an object that cannot be decoded
  }
  AdvanceTo(header.resource_version);
  UpdateMetrics();
  return version;
}

std::string Informer::Remove(const ObjectHeader& header, std::string_view json) {
  UpdateUnreadable({header.namespace_name, header.name}, {});
  const CachedObject last = LastStateOf(header, json);
  MutexLock lock(delivery_mutex_);
  if (last) Deliver(cache_.Remove(last));
  AdvanceTo(header.resource_version);
  UpdateMetrics();
  if (header.resource_version == 0 && last) return last.metadata->resource_version;
  return VersionText(header);
}

void Informer::AdvanceTo(uint64_t version) {
  version_.Set(static_cast<double>(cache_.AdvanceTo(version)));
}

void Informer::UpdateMetrics() {
  objects_.Set(static_cast<double>(cache_.size()));
  bytes_.Set(static_cast<double>(cache_.bytes()));
  MutexLock lock(sync_mutex_);
  unreadable_count_.Set(static_cast<double>(unreadable_.size()));
}

std::vector<ObjectKey> Informer::UnreadableObjects() const {
  MutexLock lock(sync_mutex_);
  std::vector<ObjectKey> keys;
  for (const auto& [key, uid] : unreadable_) keys.push_back(key);
  return keys;
}

bool Informer::WaitForSync(std::stop_token stop) {
  const std::stop_callback wake(stop, [this] { WakeWaiters(); });
  MutexLock lock(sync_mutex_);
  while (!listed_ && !stop.stop_requested() && !stopping_.stop_requested())
    synced_.Wait(sync_mutex_);
  return listed_;
}

void Informer::WakeWaiters() {
  MutexLock lock(sync_mutex_);
  synced_.NotifyAll();
}

Result<void> Informer::Health() const {
  MutexLock lock(sync_mutex_);
  if (failure_) return *failure_;
  if (reflector_.IsStale()) {
    return Error::ServiceUnavailable(fmt::format(
        "the watch of {} is stale: the server sent neither events nor bookmarks for too long",
        options_.form.resource.QualifiedName()));
  }
  return {};
}

}  // namespace kubexms
