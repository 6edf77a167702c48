#pragma once

// The contract of a reconciler, the function that the author of a controller writes: it compares
// the desired state of an object with the actual state, and changes the actual state. It is called
// when a watched object changes, after failures, and periodically (resync), so it must be
// idempotent and must not depend on the change that caused the call.
//
//   Result<Outcome> Reconcile(ReconcileContext& context, const Hello& hello);
//
// It may block. At most one worker reconciles an object at a time.

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/informers/informer.h"

namespace kubexms {

class EventRecorder;

// The result of a successful reconcile (controller-runtime's reconcile.Result). Errors instead:
//   Terminal(error)      recorded as an event, and not retried until a watched object changes;
//   transient errors     of `context.client` (error.IsTransient(): a conflict, a timeout, an
//                        unreachable server): retried with exponential backoff without a limit, but
//                        not before the Retry-After of the server;
//   any other error      retried with exponential backoff, up to max_retries times.
class Outcome {
 public:
  // Reconcile again when a watched object changes.
  static Outcome Done() { return Outcome(std::nullopt); }
  // Reconcile again after this time, or earlier if a watched object changes. Times below the
  // base_delay of the controller, also negative ones, requeue with exponential backoff.
  static Outcome RequeueAfter(std::chrono::nanoseconds time) { return Outcome(time); }

  const std::optional<std::chrono::nanoseconds>& requeue_after() const { return requeue_after_; }
  // The earlier of both requeues.
  Outcome And(const Outcome& other) const;

  bool operator==(const Outcome&) const = default;

 private:
  explicit Outcome(std::optional<std::chrono::nanoseconds> time) : requeue_after_(time) {}

  std::optional<std::chrono::nanoseconds> requeue_after_;
};

// A cache of a kind that the controller reconciles, owns, watches or reads.
struct DeclaredCache {
  ObjectForm form;
  std::shared_ptr<Informer> informer;
};

// All caches of a controller. Access to a cache that was not declared fails the reconcile with an
// error that says which declaration is missing.
struct DeclaredCaches {
  const std::string& controller;  // its name
  std::span<const DeclaredCache> caches;

  // The cached objects of a kind that the controller watches as type T. If it watches the kind in
  // several scopes, the scope is required.
  template <Kind T>
  Lister<T> Cached() const {
    return Lister<T>(CacheOf(FormOf<T>()));
  }
  template <Kind T>
  Lister<T> Cached(const InformerScope& scope) const {
    return Lister<T>(CacheOf(FormOf<T>(), &scope));
  }
  // For code that does not know the C++ type.
  const ObjectCache& CacheOf(const ResourceType& resource) const;
  // The cache of objects with the C++ type of the form, with any transform.
  const ObjectCache& CacheOf(const ObjectForm& form, const InformerScope* scope = nullptr) const;
};

// The arguments of a reconcile besides the object. Valid during the call.
struct ReconcileContext {
  // The name of the controller.
  const std::string& controller;
  const ObjectKey& key;
  // The reconcileID in every line of `log`.
  const std::string& id;
  // Why the key was enqueued ("changed", "owned ConfigMap changed", "retry" …) and how long it
  // waited for a worker.
  std::span<const std::string_view> reasons;
  std::chrono::nanoseconds waited;
  // Number of failures in a row.
  int failures;
  // Requested when the reconcile exceeds reconcile_timeout, or when the process ends. Pass it to
  // blocking calls. `client` has it: calls without their own stop token end with it, and all later
  // calls are refused.
  std::stop_token stop;

  // Its writes are visible in the caches at once (read-your-writes): Cached() and the next
  // reconcile return objects that are at least as new.
  Client& client;
  const EventRecorder& events;
  Clock& clock;
  MetricsRegistry& metrics;
  Logger log;

  std::span<const DeclaredCache> caches;

  // See DeclaredCaches.
  template <Kind T>
  Lister<T> Cached() const {
    return Declared().Cached<T>();
  }
  template <Kind T>
  Lister<T> Cached(const InformerScope& scope) const {
    return Declared().Cached<T>(scope);
  }
  const ObjectCache& CacheOf(const ResourceType& resource) const {
    return Declared().CacheOf(resource);
  }
  const ObjectCache& CacheOf(const ObjectForm& form, const InformerScope* scope = nullptr) const {
    return Declared().CacheOf(form, scope);
  }
  DeclaredCaches Declared() const { return {controller, caches}; }
};

}  // namespace kubexms
