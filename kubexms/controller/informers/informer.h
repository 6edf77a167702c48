#pragma once

// A cache of the objects of one resource in one scope, with event handlers: a Reflector fills an
// ObjectCache, and every change is delivered to the handlers.
//
//   Informer pods({.form = FormOf<corev1::Pod>(&StripManagedFields)}, environment);
//   pods.AddHandler([](const CacheEvent& event) { … event.object.As<corev1::Pod>() … });
//   std::jthread thread([&](std::stop_token stop) { pods.Run(stop); });
//
// The informers of controllers are shared by an InformerSet.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/informers/object_cache.h"
#include "kubexms/controller/informers/reflector.h"

namespace kubexms {

struct ObjectHeader;

// Runs on the thread of the informer: it must be quick, must not block, and must not add or remove
// handlers.
using EventHandler = std::function<void(const CacheEvent&)>;

// The objects of a resource that are cached.
struct InformerScope {
  std::string namespace_name;  // empty: all namespaces
  Selector label_selector;
  FieldSelector field_selector;

  bool operator==(const InformerScope&) const = default;
};

// What all informers of a manager have in common.
struct CacheOptions {
  // Maximum total JSON size of the cached objects of one informer; 0: no limit. An informer over
  // the limit stops updating its cache and reports itself as unhealthy.
  size_t max_bytes = 0;
  ReflectorOptions reflector;
};

struct InformerOptions {
  ObjectForm form;
  InformerScope scope;
  CacheOptions cache;
};

// The part of one informer in a gauge that several informers share. For one thread at a time.
class MetricShare {
 public:
  MetricShare() = default;
  explicit MetricShare(Gauge total) : total_(total) {}

  void Set(double value) { total_.Increment(value - std::exchange(share_, value)); }

 private:
  Gauge total_;
  double share_ = 0;
};

class Informer final : private ReflectorTarget {
 public:
  // All references are borrowed and must outlive the informer.
  struct Environment {
    Client& client;
    Clock& clock;
    Random& random;
    Logger log;
    MetricsRegistry* metrics = nullptr;
  };

  Informer(InformerOptions options, Environment environment);
  ~Informer() override;

  // Lists and watches until `stop` is requested. Call it once.
  void Run(std::stop_token stop);

  // The same without a dedicated thread: Work() runs until it would block. If it returns true, call
  // it again, from any single thread, once it has called `ready`, which may happen on any thread;
  // `ready` must not call the informer. It returns false when the informer has ended after Stop().
  bool Work(const std::function<void()>& ready) EXCLUDES(delivery_mutex_, sync_mutex_);

  // The functions below may be called from any thread.

  void Stop() EXCLUDES(sync_mutex_);

  // Delivers the objects in the cache to the handler, as additions with `initial`, and then every
  // change. An exception of the handler, or a failed check in it, is logged.
  using HandlerId = uint64_t;
  HandlerId AddHandler(EventHandler handler) EXCLUDES(delivery_mutex_);
  // When this returns, the handler is not running and will not be called again.
  void RemoveHandler(HandlerId id) EXCLUDES(delivery_mutex_);
  // Delivers every object to the handler as an update with `resync`.
  void Resync(HandlerId id) EXCLUDES(delivery_mutex_);

  ObjectCache& cache() { return cache_; }
  const ObjectCache& cache() const { return cache_; }
  const InformerOptions& options() const { return options_; }
  // Whether the cache can contain objects of this resource and namespace, unless its label selector
  // excludes them. Caches with a field selector are never covered: whether an object that this
  // process wrote matches it is not known.
  bool Covers(const ResourceType& resource, std::string_view namespace_name) const;

  // Whether the initial list is in the cache and was delivered to every handler.
  bool HasSynced() const { return listed_; }
  // False if `stop` was requested before the sync.
  bool WaitForSync(std::stop_token stop) EXCLUDES(sync_mutex_);
  // An error if the cache exceeds its limit, or if its watch is stale.
  Result<void> Health() const EXCLUDES(sync_mutex_);
  // Objects that cannot be decoded. The cache retains their last decodable state until they can be
  // decoded again or are deleted.
  std::vector<ObjectKey> UnreadableObjects() const EXCLUDES(sync_mutex_);
  ReflectorStats stats() const { return reflector_.stats(); }

 private:
  Result<void> Replace(std::vector<SharedBytes> objects, const std::string& version) override;
  Result<std::string> Apply(const ObjectEvent& event) override;

  using Unreadables = ObjectCache::Unreadable;

  std::vector<CachedObject> DecodeAll(const std::vector<SharedBytes>& objects, uint64_t version,
                                      Unreadables& unreadable);
  std::optional<CachedObject> DecodeOne(std::string_view json, Unreadables& unreadable);
  std::optional<CachedObject> FindCached(const ObjectHeader& header) const;
  CachedObject LastStateOf(const ObjectHeader& header, std::string_view json) const;
  // Both return the resourceVersion of the object; empty if it is unknown.
  Result<std::string> Put(const ObjectHeader& header, std::string_view json)
      EXCLUDES(delivery_mutex_, sync_mutex_);
  std::string Remove(const ObjectHeader& header, std::string_view json)
      EXCLUDES(delivery_mutex_, sync_mutex_);
  void UpdateUnreadable(const ObjectKey& key, Unreadables found) EXCLUDES(sync_mutex_);
  Result<void> CheckSize(size_t bytes);
  void End() EXCLUDES(delivery_mutex_);
  void Deliver(const std::vector<CacheEvent>& events) REQUIRES(delivery_mutex_);
  void Call(const EventHandler& handler, const CacheEvent& event) const;
  // All events up to this version have been received.
  void AdvanceTo(uint64_t version);
  void UpdateMetrics() REQUIRES(delivery_mutex_) EXCLUDES(sync_mutex_);
  void WakeWaiters() EXCLUDES(sync_mutex_);

  const InformerOptions options_;
  const Environment environment_;
  ObjectCache cache_;
  Reflector reflector_;
  Gauge version_;
  Counter decode_errors_;

  // Locked while handlers are called, so that each receives events in order.
  mutable Mutex delivery_mutex_;
  MetricShare objects_ GUARDED_BY(delivery_mutex_);
  MetricShare bytes_ GUARDED_BY(delivery_mutex_);
  MetricShare unreadable_count_ GUARDED_BY(delivery_mutex_);
  std::map<HandlerId, EventHandler> handlers_ GUARDED_BY(delivery_mutex_);
  HandlerId next_id_ GUARDED_BY(delivery_mutex_) = 1;
  std::stop_source stopping_;

  std::atomic<bool> listed_ = false;
  mutable Mutex sync_mutex_;  // locked after delivery_mutex_
  CondVar synced_;
  std::optional<Error> failure_ GUARDED_BY(sync_mutex_);
  Unreadables unreadable_ GUARDED_BY(sync_mutex_);
};

// Typed access to the objects of an informer. Cheap to copy; the informer must outlive it.
template <class T>
class Lister {
 public:
  explicit Lister(const ObjectCache& cache) : cache_(&cache) {}

  // Null if the object does not exist.
  std::shared_ptr<const T> Get(const ObjectKey& key) const { return cache_->Get(key).As<T>(); }
  // In no particular order. An empty namespace stands for all namespaces.
  std::vector<std::shared_ptr<const T>> List(std::string_view namespace_name = "",
                                             const Selector& selector = {}) const {
    return Typed(cache_->List(namespace_name, selector));
  }
  std::vector<std::shared_ptr<const T>> ByIndex(std::string_view index,
                                                std::string_view value) const {
    return Typed(cache_->ByIndex(index, value));
  }

 private:
  static std::vector<std::shared_ptr<const T>> Typed(const std::vector<CachedObject>& objects) {
    std::vector<std::shared_ptr<const T>> typed;
    typed.reserve(objects.size());
    for (const CachedObject& object : objects) typed.push_back(object.As<T>());
    return typed;
  }

  const ObjectCache* cache_;
};

}  // namespace kubexms
