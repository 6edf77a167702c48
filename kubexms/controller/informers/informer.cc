#include "kubexms/controller/informers/informer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kubexms/api/stored_object.h"
#include "kubexms/controller/support/guarded.h"

namespace kubexms {
namespace {

ReflectorOptions ReflectorOptionsOf(const InformerOptions& options) {
  return {.resource = options.form.resource,
          .namespace_name = options.scope.namespace_name,
          .label_selector = options.scope.label_selector,
          .field_selector = options.scope.field_selector,
          .metadata_only = options.form.metadata_only,
          .streaming_list = options.streaming_list,
          .list_timeout = options.list_timeout,
          .watch_timeout = options.watch_timeout,
          .backoff = options.backoff};
}

std::string VersionText(const ObjectHeader& header) {
  return header.resource_version == 0 ? "" : std::to_string(header.resource_version);
}

// Empty for everything there is, as labels are that a series does not have.
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
      reflector_(ReflectorOptionsOf(options_), *this,
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
  objects_ =
      MetricShare(of_this(metrics.AddGauge(options_of("informer_objects", "Cached objects."))));
  bytes_ = MetricShare(
      of_this(metrics.AddGauge(options_of("informer_bytes", "JSON bytes of the cached objects."))));
  version_ = of_this(metrics.AddGauge(
      options_of("informer_store_resource_version", "Newest version in the cache.")));
  decode_errors_ = of_this(metrics.AddCounter(
      options_of("informer_decode_errors_total",
                 "Objects that could not be decoded, so that the cache has old states of them.")));
  unreadable_count_ = MetricShare(of_this(metrics.AddGauge(
      options_of("informer_unreadable_objects",
                 "Objects that cannot be decoded now; the cache has old states of them."))));
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
  // The threads must not be joined under the lock that they take.
  std::map<HandlerId, Handler> handlers;
  {
    MutexLock lock(delivery_mutex_);
    handlers.swap(handlers_);
    objects_.Set(0);
    bytes_.Set(0);
  }
  MutexLock lock(sync_mutex_);
  buffers_.clear();
}

Informer::HandlerId Informer::AddHandler(EventHandler function, HandlerOptions options) {
  MutexLock lock(delivery_mutex_);
  const HandlerId id = next_id_++;
  Handler& handler = handlers_[id];
  handler.function = std::move(function);
  handler.options = options;
  if (options.buffer > 0) {
    handler.buffer = std::make_shared<HandlerBuffer>(options.buffer);
    handler.buffer_thread = std::jthread(
        [this, buffer = handler.buffer, inner = handler.function](std::stop_token stop) {
          buffer->Run([&](const CacheEvent& event) { Call(inner, event); }, stop);
        });
    MutexLock buffers_lock(sync_mutex_);
    buffers_[id] = handler.buffer;
  }
  for (CachedObject& object : cache_.Told()) {
    DeliverTo(handler,
              {.type = CacheEvent::Type::kAdd, .object = std::move(object), .initial = true});
  }
  if (listed_ && handler.buffer != nullptr) handler.buffer->EndFirstList();
  return id;
}

void Informer::RemoveHandler(HandlerId id) {
  {
    MutexLock lock(sync_mutex_);
    const auto buffer = buffers_.find(id);
    if (buffer != buffers_.end()) {
      buffer->second->Close();  // the informer may wait for it
      buffers_.erase(buffer);
    }
  }
  Handler removed;
  MutexLock lock(delivery_mutex_);
  const auto handler = handlers_.find(id);
  if (handler == handlers_.end()) return;
  removed = std::move(handler->second);
  handlers_.erase(handler);
}

void Informer::Resync(HandlerId id) {
  MutexLock lock(delivery_mutex_);
  const auto handler = handlers_.find(id);
  if (handler == handlers_.end()) return;
  for (CachedObject& object : cache_.Told()) {
    DeliverTo(handler->second,
              {.type = CacheEvent::Type::kUpdate, .object = object, .old = object, .resync = true});
  }
}

void Informer::Deliver(const std::vector<CacheEvent>& events) {
  for (const CacheEvent& event : events) {
    for (auto& [id, handler] : handlers_) DeliverTo(handler, event);
  }
}

void Informer::DeliverTo(Handler& handler, const CacheEvent& event) {
  if (handler.buffer != nullptr) {
    handler.buffer->Push(event, stopping_.get_token());
  } else {
    Call(handler.function, event);
  }
}

void Informer::Call(const EventHandler& function, const CacheEvent& event) const {
  const Result<void> handled = Guarded("it", [&]() -> Result<void> {
    function(event);
    return {};
  });
  if (handled.ok()) return;
  environment_.log.Error("an event handler failed",
                         {{"object", event.object.key().ToString()}, {"error", handled.error()}});
}

bool Informer::Covers(const ResourceType& resource, std::string_view namespace_name) const {
  const InformerScope& scope = options_.scope;
  const bool same_namespace =
      scope.namespace_name.empty() || scope.namespace_name == namespace_name;
  return options_.form.resource == resource && same_namespace &&
         scope.field_selector.IsEverything();
}

// Nothing when it cannot be decoded; then it is noted.
std::optional<CachedObject> Informer::DecodeOne(std::string_view json, Unreadables& unreadable) {
  Result<CachedObject> object =
      Guarded("its transform", [&] { return options_.form.Decode(json); });
  if (object.ok()) return std::move(*object);
  decode_errors_.Increment();
  const ObjectHeader header = ReadHeader(json).value_or({});
  const ObjectKey key{header.namespace_name, header.name};
  environment_.log.Error("an object cannot be decoded; the cache keeps what it had of it",
                         {{"resource", options_.form.resource.QualifiedName()},
                          {"object", key.ToString()},
                          {"error", object.error()}});
  unreadable.insert_or_assign(key, header.uid);
  return std::nullopt;
}

void Informer::NoteUnreadable(const ObjectKey& key, Unreadables found) {
  MutexLock lock(sync_mutex_);
  unreadable_.erase(key);
  unreadable_.merge(found);
}

// What need not be decoded, as this version of it is there.
std::optional<CachedObject> Informer::FindKnown(const ObjectHeader& header) const {
  CachedObject known =
      cache_.OfVersion({header.namespace_name, header.name}, header.resource_version);
  if (!known || known.uid() != header.uid) return std::nullopt;
  return known;
}

// What was told last is what a deleted object was like; only its version is another one. Empty when
// nothing is known of it.
CachedObject Informer::LastOf(const ObjectHeader& header, std::string_view json) const {
  const ObjectKey key{header.namespace_name, header.name};
  CachedObject last = cache_.Told(key);
  const bool is_it = last && header.resource_version != 0 && last.uid() == header.uid;
  if (!is_it) {
    Result<CachedObject> decoded =
        Guarded("its transform", [&] { return options_.form.Decode(json); });
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
  const bool may_be_known = listed_ && !cache_.WentBack(version);
  for (const SharedBytes& object : objects) {
    std::optional<CachedObject> made;
    if (may_be_known) {
      const Result<ObjectHeader> header = ReadHeader(object.view());
      if (header.ok()) made = FindKnown(*header);
    }
    if (!made) made = DecodeOne(object.view(), unreadable);
    if (made) decoded.push_back(std::move(*made));
  }
  return decoded;
}

Result<void> Informer::CheckRoom(size_t bytes) {
  const bool fits = options_.max_bytes == 0 || bytes <= options_.max_bytes;
  MutexLock lock(sync_mutex_);
  failure_.reset();
  if (fits) return {};
  failure_ = Terminal(Error::Internal(fmt::format(
      "the cache of {} needs {} bytes and may have {}: raise max_bytes, or narrow its namespace or "
      "selectors",
      options_.form.resource.QualifiedName(), bytes, options_.max_bytes)));
  return *failure_;
}

Result<void> Informer::Replace(std::vector<SharedBytes> objects, const std::string& version) {
  size_t bytes = 0;
  for (const SharedBytes& object : objects) bytes += object.size();
  RETURN_IF_ERROR(CheckRoom(bytes));
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
    for (auto& [id, handler] : handlers_) {
      if (initial && handler.buffer != nullptr) handler.buffer->EndFirstList();
    }
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
    NoteVersion(VersionNumber(bookmark.metadata.resource_version));
    return bookmark.metadata.resource_version;
  }
  ASSIGN_OR_RETURN(const ObjectHeader header, ReadHeader(event.object.view()));
  if (event.type == ObjectEventType::kDeleted) return Remove(header, event.object.view());
  return Put(header, event.object.view());
}

Result<std::string> Informer::Put(const ObjectHeader& header, std::string_view json) {
  const ObjectKey key{header.namespace_name, header.name};
  RETURN_IF_ERROR(CheckRoom(cache_.BytesWith(key, header.resource_version, json.size())));
  Unreadables unreadable;
  std::optional<CachedObject> object = FindKnown(header);
  if (!object) object = DecodeOne(json, unreadable);
  NoteUnreadable(key, std::move(unreadable));
  std::string version = object ? object->metadata->resource_version : VersionText(header);
  MutexLock lock(delivery_mutex_);
  if (object) {
    Deliver(cache_.Put(*std::move(object)));
  } else if (const CachedObject known = cache_.Told(key); known && known.uid() != header.uid) {
    Deliver(cache_.Remove(known));  // what cannot be decoded took its place
  }
  NoteVersion(header.resource_version);
  UpdateMetrics();
  return version;
}

std::string Informer::Remove(const ObjectHeader& header, std::string_view json) {
  NoteUnreadable({header.namespace_name, header.name}, {});
  const CachedObject last = LastOf(header, json);
  MutexLock lock(delivery_mutex_);
  if (last) Deliver(cache_.Remove(last));
  NoteVersion(header.resource_version);
  UpdateMetrics();
  if (header.resource_version == 0 && last) return last.metadata->resource_version;
  return VersionText(header);
}

void Informer::NoteVersion(uint64_t version) {
  version_.Set(static_cast<double>(cache_.Progress(version)));
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

bool Informer::HasSynced() const {
  if (!listed_) return false;
  MutexLock lock(sync_mutex_);
  return std::all_of(buffers_.begin(), buffers_.end(),
                     [](const auto& buffer) { return buffer.second->caught_up(); });
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
    return Error::ServiceUnavailable(fmt::format("nothing was heard of {} for too long",
                                                 options_.form.resource.QualifiedName()));
  }
  return {};
}

}  // namespace kubexms
