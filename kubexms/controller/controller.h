#pragma once

// The builder of a controller: the kind that it reconciles, the kinds that it owns and watches, and
// its reconciler. A Manager runs it.
//
//   manager.Add(ControllerFor<Hello>({.name = "hello", .max_concurrent_reconciles = 2})
//                   .Owns<corev1::ConfigMap>()
//                   .Watches<corev1::Secret>(HellosThatUse)
//                   .Reconciles(ReconcileHello));

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/controller/informers/informer.h"
#include "kubexms/controller/predicate.h"
#include "kubexms/controller/queue/rate_limiter.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/controller/source.h"

namespace kubexms {

struct ControllerOptions {
  std::string name;          // unique in the process: in logs, metrics and configuration
  std::string event_source;  // source component of its events; empty: the name of the manager

  // Maximum number of objects that are reconciled at the same time.
  int max_concurrent_reconciles = 1;
  // How often an object is retried after errors that are not the server's; none: without a limit.
  std::optional<int> max_retries;
  // Of retries.
  RateLimiterOptions rate_limiter;
  std::chrono::nanoseconds reconcile_timeout{0};  // 0: none
  // Period after which all objects are reconciled without a change, ± 10 %; 0: never.
  std::chrono::nanoseconds resync_period = std::chrono::hours(10);
};

struct RuleOptions {
  InformerScope scope;                // an empty namespace: that of the controller
  bool all_namespaces = false;        // even if the controller has a namespace
  std::vector<Predicate> predicates;  // all must match
  // Of Owns(): reconcile all owners, not only the controller of the object.
  bool match_every_owner = false;
};

// A condition for the start of a controller.
struct Precondition {
  std::string name;
  std::function<Result<void>(std::stop_token stop)> check;  // repeated until it succeeds
};

// Access to a resource that a controller needs: the source of its RBAC rules.
struct ResourceAccess {
  ResourceType resource;
  std::string subresource;
  std::vector<std::string> verbs;
  // Empty: all namespaces. None: the namespace of the objects that the controller reconciles.
  std::optional<std::string> namespace_name = std::nullopt;
};

// Appends the keys to reconcile when `object` changes.
using ObjectMapper = std::function<void(const DeclaredCaches& caches, const CachedObject& object,
                                        std::vector<ObjectKey>& keys)>;

// A kind that a controller watches, and the keys that its changes enqueue.
struct WatchRule {
  ObjectForm form;
  InformerScope scope;
  std::vector<Predicate> predicates;
  ObjectMapper mapper;
  std::string reason;
};

struct CacheIndex {
  ObjectForm form;
  std::string name;
  ObjectCache::IndexFunction function;
};

// The parts that do not depend on a C++ type; also used directly by controllers that reconcile keys
// without a kind.
class Controller {
 public:
  // `object` is empty if it does not exist, or if the controller reconciles no kind.
  using ReconcileFunction =
      std::function<Result<Outcome>(ReconcileContext& context, const CachedObject& object)>;

  explicit Controller(ControllerOptions options);
  Controller(const Controller&);
  Controller(Controller&&) noexcept;
  Controller& operator=(const Controller&);
  Controller& operator=(Controller&&) noexcept;
  ~Controller();

  void AddRule(WatchRule rule);
  void AddAccess(ResourceAccess access);
  void AddIndex(CacheIndex index);
  void AddSource(std::shared_ptr<Source> source);
  void AddPrecondition(Precondition condition);
  void AddPredecessor(std::string controller);
  void SetReconcile(ReconcileFunction reconcile) { reconcile_ = std::move(reconcile); }
  // The client of its reconciles, for controllers with their own user; null: the manager's. Caches
  // always use the client of the manager. It must outlive the manager.
  void SetClient(Client* client) { client_ = client; }
  // Sets the kind to reconcile. Call it before AddRule().
  void SetFor(WatchRule rule);
  void AddForPredicate(Predicate predicate);
  // Applies to all its watches.
  void AddEventFilter(Predicate predicate);

  const ControllerOptions& options() const { return options_; }
  ControllerOptions& mutable_options() { return options_; }
  bool has_for() const { return has_for_; }
  const std::vector<WatchRule>& rules() const { return rules_; }
  const std::vector<Predicate>& event_filters() const { return event_filters_; }
  const std::vector<ResourceAccess>& access() const { return access_; }
  const std::vector<CacheIndex>& indexes() const { return indexes_; }
  const std::vector<std::shared_ptr<Source>>& sources() const { return sources_; }
  const std::vector<Precondition>& preconditions() const { return preconditions_; }
  const std::vector<std::string>& predecessors() const { return predecessors_; }
  const ReconcileFunction& reconcile() const { return reconcile_; }
  // Null: the manager's.
  Client* client() const { return client_; }

  Result<void> Validate() const;

 private:
  ControllerOptions options_;
  bool has_for_ = false;
  std::vector<WatchRule> rules_;
  std::vector<Predicate> event_filters_;
  std::vector<ResourceAccess> access_;
  std::vector<CacheIndex> indexes_;
  std::vector<std::shared_ptr<Source>> sources_;
  std::vector<Precondition> preconditions_;
  std::vector<std::string> predecessors_;
  ReconcileFunction reconcile_;
  Client* client_ = nullptr;
};

// Enqueues the changed object itself.
ObjectMapper EnqueueObject();
// Enqueues the owner of this kind: the controller of the object, or with match_every_owner all.
ObjectMapper EnqueueOwner(const ResourceType& owner, bool match_every_owner);

// The usual access to objects that a controller reconciles, owns, or only watches.
std::vector<ResourceAccess> AccessToReconciled(const ResourceType& resource);
std::vector<ResourceAccess> AccessToOwned(const ResourceType& resource);
std::vector<ResourceAccess> AccessToWatched(const ResourceType& resource);

// A controller that reconciles objects of kind T.
template <Kind T>
class ControllerFor : public Controller {
 public:
  using Function = std::function<Result<Outcome>(ReconcileContext& context, const T& object)>;
  using DeletedFunction = std::function<Result<Outcome>(ReconcileContext& context)>;

  // The name defaults to the plural of the kind. `scope` limits the objects of kind T; its
  // namespace is also the default of all other watches.
  explicit ControllerFor(ControllerOptions options = {}, InformerScope scope = {})
      : Controller(std::move(options)), scope_(std::move(scope)) {
    if (mutable_options().name.empty()) mutable_options().name = ResourceType::Of<T>().plural;
    SetFor({.form = FormOf<T>(&StripManagedFields<T>),
            .scope = scope_,
            .mapper = EnqueueObject(),
            .reason = "changed"});
    Allow(AccessToReconciled(ResourceType::Of<T>()), scope_.namespace_name);
  }

  // Filters the events of the reconciled kind: all predicates must match.
  template <class... Predicates>
  ControllerFor& WithPredicates(Predicates... predicates) {
    (AddForPredicate(std::move(predicates)), ...);
    return *this;
  }

  // Filters the events of all kinds that it watches, including those of Owns() and Watches().
  ControllerFor& WithEventFilter(Predicate predicate) {
    AddEventFilter(std::move(predicate));
    return *this;
  }

  // Watches objects that are owned by a T: a change of one reconciles the owner.
  template <Kind Owned>
  ControllerFor& Owns(RuleOptions options = {}) {
    AddKind<Owned>(EnqueueOwner(ResourceType::Of<T>(), options.match_every_owner), options,
                   "owned " + std::string(Owned::kKind.kind) + " changed");
    Allow(AccessToOwned(ResourceType::Of<Owned>()), ScopeOf<Owned>(options).namespace_name);
    return *this;
  }

  // Watches another kind: `map` returns the keys of the T to reconcile. It must be quick; it is
  // called with the object before and after the change.
  template <Kind Other>
  ControllerFor& Watches(std::function<std::vector<ObjectKey>(const Other&)> map,
                         RuleOptions options = {}) {
    return Watches<Other>(
        [map = std::move(map)](const DeclaredCaches&, const Other& object) { return map(object); },
        std::move(options));
  }
  // The same for a `map` that reads the caches of the controller:
  //   caches.Cached<T>().ByIndex("bySecret", secret.metadata.name)
  // The caches can be incomplete until they have synced; then every T is reconciled anyway.
  template <Kind Other>
  ControllerFor& Watches(
      std::function<std::vector<ObjectKey>(const DeclaredCaches& caches, const Other&)> map,
      RuleOptions options = {}) {
    AddKind<Other>(
        [map = std::move(map)](const DeclaredCaches& caches, const CachedObject& object,
                               std::vector<ObjectKey>& keys) {
          for (ObjectKey& key : map(caches, *object.As<Other>())) keys.push_back(std::move(key));
        },
        options, std::string(Other::kKind.kind) + " changed");
    Allow(AccessToWatched(ResourceType::Of<Other>()), ScopeOf<Other>(options).namespace_name);
    return *this;
  }

  // Caches a kind that the reconciler reads; changes of it do not enqueue anything.
  template <Kind Other>
  ControllerFor& Reads(RuleOptions options = {}) {
    AddKind<Other>([](const DeclaredCaches&, const CachedObject&, std::vector<ObjectKey>&) {},
                   options, "");
    Allow(AccessToWatched(ResourceType::Of<Other>()), ScopeOf<Other>(options).namespace_name);
    return *this;
  }

  // Adds an index for Lister<Other>::ByIndex() to the cache of a kind that the controller watches.
  template <Kind Other>
  ControllerFor& Index(std::string name,
                       std::function<std::vector<std::string>(const Other&)> values) {
    AddIndex({.form = FormOf<Other>(&StripManagedFields<Other>),
              .name = std::move(name),
              .function = [values = std::move(values)](const CachedObject& object) {
                return values(*object.As<Other>());
              }});
    return *this;
  }

  // Declares further access for RBAC: RequiresAccess<corev1::Secret>({"create"}). The namespace
  // defaults to that of the scope of the controller; empty: all namespaces.
  template <Kind Other>
  ControllerFor& RequiresAccess(std::vector<std::string> verbs, std::string subresource = "",
                                std::optional<std::string> namespace_name = std::nullopt) {
    AddAccess({ResourceType::Of<Other>(), std::move(subresource), std::move(verbs),
               std::move(namespace_name)});
    return *this;
  }

  // Enqueues the keys of a source other than watches.
  ControllerFor& WatchesRawSource(std::shared_ptr<Source> source) {
    AddSource(std::move(source));
    return *this;
  }
  // Starts after that controller of the same manager has started.
  ControllerFor& WaitFor(std::string controller) {
    AddPredecessor(std::move(controller));
    return *this;
  }
  // Starts once the condition is met.
  ControllerFor& WaitUntil(Precondition condition) {
    AddPrecondition(std::move(condition));
    return *this;
  }

  // Sets the reconciler. It is not called for deleted objects: see OnDeleted().
  ControllerFor& Reconciles(Function reconcile) {
    reconcile_object_ = std::move(reconcile);
    UseFunctions();
    return *this;
  }
  // Called after an object was deleted, for example to release memory. Use a finalizer for cleanup
  // that must not be missed: deletions while the process does not run are not observed.
  ControllerFor& OnDeleted(DeletedFunction deleted) {
    deleted_ = std::move(deleted);
    UseFunctions();
    return *this;
  }

 private:
  template <Kind Other>
  InformerScope ScopeOf(const RuleOptions& options) const {
    InformerScope scope = options.scope;
    const bool inherits = scope.namespace_name.empty() && !options.all_namespaces;
    if (inherits && Other::kKind.scope == Scope::kNamespaced) {
      scope.namespace_name = scope_.namespace_name;
    }
    return scope;
  }

  void Allow(std::vector<ResourceAccess> accesses, const std::string& namespace_name) {
    for (ResourceAccess& access : accesses) {
      access.namespace_name = namespace_name;
      AddAccess(std::move(access));
    }
  }

  template <Kind Other>
  void AddKind(ObjectMapper mapper, const RuleOptions& options, std::string reason) {
    AddRule({.form = FormOf<Other>(&StripManagedFields<Other>),
             .scope = ScopeOf<Other>(options),
             .predicates = options.predicates,
             .mapper = std::move(mapper),
             .reason = std::move(reason)});
  }

  void UseFunctions() {
    SetReconcile([reconcile = reconcile_object_, deleted = deleted_](
                     ReconcileContext& context, const CachedObject& object) -> Result<Outcome> {
      if (object) return reconcile ? reconcile(context, *object.As<T>()) : Outcome::Done();
      return deleted ? deleted(context) : Outcome::Done();
    });
  }

  InformerScope scope_;
  Function reconcile_object_;
  DeletedFunction deleted_;
};

}  // namespace kubexms
