#pragma once

// A cache that follows a server, and tells handlers what changes: a Reflector, an ObjectCache and
// the handlers, for the objects of one resource in one scope.
//
//   Informer pods({.form = FormOf<corev1::Pod>(&StripManagedFields)}, environment);
//   pods.AddHandler([](const CacheEvent& event) { … event.object.As<corev1::Pod>() … });
//   std::jthread thread([&](std::stop_token stop) { pods.Run(stop); });
//
// Controllers get theirs from an InformerSet, which shares them.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/informers/handler_buffer.h"
#include "kubexms/controller/informers/object_cache.h"
#include "kubexms/controller/informers/reflector.h"

namespace kubexms {

struct ObjectHeader;

// Which objects of a resource are cached.
struct InformerScope {
  std::string namespace_name;  // empty: all
  Selector label_selector;
  FieldSelector field_selector;

  bool operator==(const InformerScope&) const = default;
};

struct InformerOptions {
  ObjectForm form;
  InformerScope scope;
  // How much JSON the cached objects may have been; 0: no bound. An informer that would need more
  // keeps what it has, is not healthy, and says so.
  size_t max_bytes = 0;
  bool streaming_list = false;
  std::chrono::seconds list_timeout = std::chrono::minutes(2);
  std::chrono::seconds watch_timeout = std::chrono::minutes(5);
  BackoffOptions backoff;
};

struct HandlerOptions {
  // 0: the handler runs on the informer's thread, so it must be quick, must not block, and must not
  // add or remove handlers. Otherwise it has a thread of its own and this many objects may wait for
  // it (see HandlerBuffer).
  size_t buffer = 0;
};

// What one of several adds to a gauge. For one thread at a time.
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
  // Everything is borrowed and must outlive the informer.
  struct Environment {
    Client& client;
    Clock& clock;
    Random& random;
    Logger log;
    MetricsRegistry* metrics = nullptr;
  };

  Informer(InformerOptions options, Environment environment);
  ~Informer() override;

  // Follows the server until `stop` is requested, and joins what it started. To be called once.
  void Run(std::stop_token stop);

  // The same without a thread of its own. Work() does what there is to do. True: it is to be called
  // again, by any one thread, after `ready` was called; from any thread, and it must not call the
  // informer. False: it has ended, after Stop() was called.
  bool Work(const std::function<void()>& ready) EXCLUDES(delivery_mutex_, sync_mutex_);

  // The rest may be called from any thread.

  void Stop() EXCLUDES(sync_mutex_);

  // The handler first gets what is there already, as additions with `initial`, and then every
  // change. What it throws, or a check that fails in it, is logged, and the event is over.
  // Waits while the informer waits for a handler whose buffer is full.
  using HandlerId = uint64_t;
  HandlerId AddHandler(EventHandler handler, HandlerOptions options = {})
      EXCLUDES(delivery_mutex_, sync_mutex_);
  // When this returns the handler is not running and will not be called again.
  void RemoveHandler(HandlerId id) EXCLUDES(delivery_mutex_, sync_mutex_);
  // Tells the handler of every object, without a change of it.
  void Resync(HandlerId id) EXCLUDES(delivery_mutex_);

  ObjectCache& cache() { return cache_; }
  const ObjectCache& cache() const { return cache_; }
  const InformerOptions& options() const { return options_; }
  // Whether it would show an object of this resource and namespace, and knows of own writes of it:
  // labels may still keep it out.
  bool Covers(const ResourceType& resource, std::string_view namespace_name) const;

  // Whether the first list is in the cache and every handler has seen it.
  bool HasSynced() const EXCLUDES(sync_mutex_);
  // False when `stop` was requested first.
  bool WaitForSync(std::stop_token stop) EXCLUDES(sync_mutex_);
  // What is wrong with it, if anything: the cache is full, or the server has been silent for longer
  // than a living watch can be.
  Result<void> Health() const EXCLUDES(sync_mutex_);
  // Objects that cannot be decoded. The cache keeps what it had of them until they can be decoded
  // again, or are deleted.
  std::vector<ObjectKey> UnreadableObjects() const EXCLUDES(sync_mutex_);
  ReflectorStats stats() const { return reflector_.stats(); }

 private:
  struct Handler {
    EventHandler function;
    HandlerOptions options;
    std::shared_ptr<HandlerBuffer> buffer;  // null: none
    std::jthread buffer_thread;
  };

  Result<void> Replace(std::vector<SharedBytes> objects, const std::string& version) override;
  Result<std::string> Apply(const ObjectEvent& event) override;

  using Unreadables = ObjectCache::Unreadable;

  std::vector<CachedObject> DecodeAll(const std::vector<SharedBytes>& objects, uint64_t version,
                                      Unreadables& unreadable);
  std::optional<CachedObject> DecodeOne(std::string_view json, Unreadables& unreadable);
  std::optional<CachedObject> FindKnown(const ObjectHeader& header) const;
  CachedObject LastOf(const ObjectHeader& header, std::string_view json) const;
  // The version of what was put or removed; empty when it is not known.
  Result<std::string> Put(const ObjectHeader& header, std::string_view json)
      EXCLUDES(delivery_mutex_, sync_mutex_);
  std::string Remove(const ObjectHeader& header, std::string_view json)
      EXCLUDES(delivery_mutex_, sync_mutex_);
  void NoteUnreadable(const ObjectKey& key, Unreadables found) EXCLUDES(sync_mutex_);
  Result<void> CheckRoom(size_t bytes);
  void End() EXCLUDES(delivery_mutex_, sync_mutex_);
  void Deliver(const std::vector<CacheEvent>& events) REQUIRES(delivery_mutex_);
  void DeliverTo(Handler& handler, const CacheEvent& event);
  void Call(const EventHandler& function, const CacheEvent& event) const;
  // Nothing up to this version is still to come.
  void NoteVersion(uint64_t version);
  void UpdateMetrics() REQUIRES(delivery_mutex_) EXCLUDES(sync_mutex_);
  void WakeWaiters() EXCLUDES(sync_mutex_);

  const InformerOptions options_;
  const Environment environment_;
  ObjectCache cache_;
  Reflector reflector_;
  Gauge version_;
  Counter decode_errors_;

  // Held while handlers are called, so that each sees changes in their order.
  mutable Mutex delivery_mutex_;
  MetricShare objects_ GUARDED_BY(delivery_mutex_);
  MetricShare bytes_ GUARDED_BY(delivery_mutex_);
  MetricShare unreadable_count_ GUARDED_BY(delivery_mutex_);
  std::map<HandlerId, Handler> handlers_ GUARDED_BY(delivery_mutex_);
  HandlerId next_id_ GUARDED_BY(delivery_mutex_) = 1;
  std::stop_source stopping_;

  std::atomic<bool> listed_ = false;
  mutable Mutex sync_mutex_;  // after delivery_mutex_; nobody waits while it is held
  CondVar synced_;
  std::optional<Error> failure_ GUARDED_BY(sync_mutex_);
  Unreadables unreadable_ GUARDED_BY(sync_mutex_);
  // Those of the handlers, so that they can be looked at while one of them is full.
  std::map<HandlerId, std::shared_ptr<HandlerBuffer>> buffers_ GUARDED_BY(sync_mutex_);
};

// The objects of an informer with their C++ type. A cheap handle; the informer must outlive it.
template <class T>
class Lister {
 public:
  explicit Lister(const ObjectCache& cache) : cache_(&cache) {}

  // Null when there is none.
  std::shared_ptr<const T> Get(const ObjectKey& key) const { return cache_->Get(key).As<T>(); }
  // In no order. An empty namespace: of all.
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
