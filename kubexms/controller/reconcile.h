#pragma once

// The contract between a controller and the code that its author writes. A reconciler is one
// function: it is given an object, compares what is declared with what is there, and changes what
// is there. It is called again whenever anything it watches changes, after failures, and now and
// then without a reason; so it must not depend on how often it runs or on what changed.
//
//   Result<Outcome> Reconcile(ReconcileContext& context, const Hello& hello);
//
// It may block: it runs on a worker of its controller. An object is never reconciled by two workers
// at a time.

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

// What a reconcile that did not fail came to. An error is the other possibility:
//   Terminal(error)      no retry can mend it: recorded, and not tried again until something
//                        changes;
//   of the server        one that error.IsTransient() says can pass (a conflict, a time-out, a
//                        server that is away) and that `client` got: tried again with growing
//                        delays for as long as it takes, or when the server said to;
//   any other            of the author's own code, whatever its code: tried again with growing
//                        delays, up to max_retries times.
class Outcome {
 public:
  // Nothing to do until something changes.
  static Outcome Done() { return Outcome(std::nullopt); }
  // Again after this time, or earlier if something changes. Less than the controller's base_delay,
  // zero or a time that has passed means at once, but as a retry does: after growing delays while
  // it goes on like that.
  static Outcome RequeueAfter(std::chrono::nanoseconds time) { return Outcome(time); }

  const std::optional<std::chrono::nanoseconds>& requeue_after() const { return requeue_after_; }
  // Both: the sooner time of the two.
  Outcome And(const Outcome& other) const;

  bool operator==(const Outcome&) const = default;

 private:
  explicit Outcome(std::optional<std::chrono::nanoseconds> time) : requeue_after_(time) {}

  std::optional<std::chrono::nanoseconds> requeue_after_;
};

// A cache that the controller declared it needs.
struct DeclaredCache {
  ObjectForm form;
  std::shared_ptr<Informer> informer;
};

// All of them: of the objects that a controller reconciles, and of what it owns, watches and reads.
// Asking for another cache is a bug of the author: it ends the call, by an error of the reconcile
// that names what to declare.
struct DeclaredCaches {
  const std::string& controller;  // its name
  std::span<const DeclaredCache> caches;

  // The cached objects of a kind that the controller watches: not of one that it watches only in
  // another form (their metadata). Where it watches the kind in several scopes, say which.
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
  // Of objects with the C++ type of the form, however they are changed before they are kept.
  const ObjectCache& CacheOf(const ObjectForm& form, const InformerScope* scope = nullptr) const;
};

// What a reconcile is given besides the object. Valid for the time of the call.
struct ReconcileContext {
  // The name of the controller.
  const std::string& controller;
  const ObjectKey& key;
  // Of this run: it stands in every line of `log`.
  const std::string& id;
  // Why it runs ("changed", "ConfigMap it owns changed", "retry" …) and how long it waited for a
  // worker.
  std::span<const std::string_view> reasons;
  std::chrono::nanoseconds waited;
  // How often it has failed in a row.
  int failures;
  // Requested when the run takes longer than reconcile_timeout, or when the process has to end.
  // Give it to whatever takes long. `client` has it: calls without a stop token of their own end
  // with it, and from then on every call is refused.
  std::stop_token stop;

  // What it writes is seen at once by the caches: the next run of the same object, and everything
  // read from Cached() from now on, is at least as new.
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
