#include "kubexms/controller/informer.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/stored_object.h"

namespace kubexms {
namespace {

ReflectorOptions ReflectorOptionsOf(const InformerOptions& options) {
  return {.resource = options.form.resource,
          .name_space = options.scope.name_space,
          .label_selector = options.scope.label_selector,
          .field_selector = options.scope.field_selector,
          .metadata_only = options.form.metadata_only,
          .streaming_list = options.streaming_list,
          .list_timeout = options.list_timeout,
          .watch_timeout = options.watch_timeout,
          .backoff = options.backoff};
}

std::vector<std::string> MetricLabels() { return {"group", "version", "resource"}; }

}  // namespace

Informer::Informer(InformerOptions options, Environment environment)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      reflector_(ReflectorOptionsOf(options_), *this,
                 {environment_.client, environment_.clock, environment_.random, environment_.log}) {
  reflector_.Begin(stopping_.get_token());
  if (environment_.metrics == nullptr) return;
  const ResourceType& resource = options_.form.resource;
  const auto of_resource = [&](auto family) {
    return family.With({resource.group, resource.version, resource.plural});
  };
  MetricsRegistry& metrics = *environment_.metrics;
  objects_ = of_resource(metrics.AddGauge(
      {.name = "informer_objects", .help = "Cached objects.", .labels = MetricLabels()}));
  bytes_ = of_resource(metrics.AddGauge({.name = "informer_bytes",
                                         .help = "JSON bytes of the cached objects.",
                                         .labels = MetricLabels()}));
  version_ = of_resource(metrics.AddGauge({.name = "informer_store_resource_version",
                                           .help = "Newest version in the cache.",
                                           .labels = MetricLabels()}));
  decode_errors_ = of_resource(metrics.AddCounter(
      {.name = "informer_decode_errors_total",
       .help = "Objects that are not in the cache because they could not be decoded.",
       .labels = MetricLabels()}));
}

Informer::~Informer() = default;

void Informer::Run(std::stop_token stop) {
  const std::stop_callback end(stop, [this] { Stop(); });
  reflector_.Run(stopping_.get_token());
  EndHandlers();
}

bool Informer::Work(const std::function<void()>& ready) {
  if (reflector_.Work(ready)) return true;
  EndHandlers();
  return false;
}

void Informer::Stop() {
  stopping_.request_stop();
  WakeWaiters();
}

void Informer::EndHandlers() {
  // The threads must not be joined under the lock that they take.
  std::map<HandlerId, Handler> handlers;
  {
    MutexLock lock(delivery_mutex_);
    handlers.swap(handlers_);
  }
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
  }
  for (CachedObject& object : cache_.Told()) {
    DeliverTo(handler,
              {.type = CacheEvent::Type::kAdd, .object = std::move(object), .initial = true});
  }
  if (listed_ && handler.buffer != nullptr) handler.buffer->EndFirstList();
  return id;
}

void Informer::RemoveHandler(HandlerId id) {
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

void Informer::Deliver(const CacheEvent& event) {
  for (auto& [id, handler] : handlers_) DeliverTo(handler, event);
}

void Informer::DeliverTo(Handler& handler, const CacheEvent& event) {
  if (handler.buffer != nullptr) {
    handler.buffer->Push(event, stopping_.get_token());
  } else {
    Call(handler.function, event);
  }
}

void Informer::Call(const EventHandler& function, const CacheEvent& event) const {
  try {
    function(event);
  } catch (const std::exception& exception) {
    environment_.log.Error("an event handler threw",
                           {{"object", event.object.key().ToString()}, {"what", exception.what()}});
  } catch (...) {
    environment_.log.Error("an event handler threw", {{"object", event.object.key().ToString()}});
  }
}

std::optional<CachedObject> Informer::DecodeOne(std::string_view json) {
  Result<CachedObject> object = options_.form.Decode(json);
  if (object.ok()) return std::move(*object);
  decode_errors_.Increment();
  const Result<ObjectHeader> header = ReadHeader(json);
  environment_.log.Error(
      "an object cannot be decoded and is left out of the cache",
      {{"resource", options_.form.resource.QualifiedName()},
       {"object", header.ok() ? ObjectKey{header->namespace_, header->name}.ToString() : ""},
       {"error", object.error()}});
  return std::nullopt;
}

// What was told last is what a deleted object was like; only its version is another one.
std::optional<CachedObject> Informer::FindKnown(const ObjectHeader& header, bool removed) const {
  const ObjectKey key{header.namespace_, header.name};
  CachedObject known = removed ? cache_.Told(key) : cache_.OfVersion(key, header.resource_version);
  if (!known || header.resource_version == 0 || known.uid() != header.uid) return std::nullopt;
  known.version = header.resource_version;
  return known;
}

std::vector<CachedObject> Informer::DecodeAll(const std::vector<SharedBytes>& objects,
                                              uint64_t version) {
  std::vector<CachedObject> decoded;
  decoded.reserve(objects.size());
  const bool may_be_known = listed_ && !cache_.WentBack(version);
  for (const SharedBytes& object : objects) {
    if (may_be_known) {
      const Result<ObjectHeader> header = ReadHeader(object.view());
      std::optional<CachedObject> known =
          header.ok() ? FindKnown(*header, false) : std::optional<CachedObject>();
      if (known) {
        decoded.push_back(std::move(*known));
        continue;
      }
    }
    std::optional<CachedObject> made = DecodeOne(object.view());
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
  std::vector<CachedObject> decoded = DecodeAll(objects, VersionNumber(version));
  objects.clear();
  {
    MutexLock lock(delivery_mutex_);
    const bool initial = !listed_;
    for (CacheEvent& event : cache_.Replace(std::move(decoded), VersionNumber(version))) {
      event.initial = initial;
      Deliver(event);
    }
    for (auto& [id, handler] : handlers_) {
      if (initial && handler.buffer != nullptr) handler.buffer->EndFirstList();
    }
    listed_ = true;
  }
  version_.Set(static_cast<double>(VersionNumber(version)));
  UpdateMetrics();
  WakeWaiters();
  return {};
}

Result<std::string> Informer::Apply(const ObjectEvent& event) {
  if (event.type == ObjectEventType::kBookmark) {
    ASSIGN_OR_RETURN(const DynamicObject bookmark, DynamicObject::Decode(event.object.view()));
    const uint64_t number = VersionNumber(bookmark.metadata.resource_version);
    cache_.Progress(number);
    version_.Set(static_cast<double>(number));
    return bookmark.metadata.resource_version;
  }
  ASSIGN_OR_RETURN(const ObjectHeader header, ReadHeader(event.object.view()));
  const bool removed = event.type == ObjectEventType::kDeleted;
  if (!removed) {
    RETURN_IF_ERROR(CheckRoom(cache_.BytesWith({header.namespace_, header.name},
                                               header.resource_version, event.object.size())));
  }
  std::optional<CachedObject> object = FindKnown(header, removed);
  std::string version = std::to_string(header.resource_version);
  if (!object) {
    object = DecodeOne(event.object.view());
    if (!object) return version;
    version = object->metadata->resource_version;
  }
  {
    MutexLock lock(delivery_mutex_);
    const std::vector<CacheEvent> changes =
        removed ? cache_.Remove(*object) : cache_.Put(std::move(*object));
    for (const CacheEvent& change : changes) Deliver(change);
  }
  UpdateMetrics();
  return version;
}

void Informer::UpdateMetrics() {
  objects_.Set(static_cast<double>(cache_.size()));
  bytes_.Set(static_cast<double>(cache_.bytes()));
}

bool Informer::HasSynced() const {
  if (!listed_) return false;
  MutexLock lock(delivery_mutex_);
  return std::all_of(handlers_.begin(), handlers_.end(), [](const auto& handler) {
    return handler.second.buffer == nullptr || handler.second.buffer->caught_up();
  });
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
