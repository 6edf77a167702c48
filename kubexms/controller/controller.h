#pragma once

// A controller: which objects it is about, what else it watches, and what it does. This is the
// description; a Manager runs it.
//
//   manager.Add(ControllerFor<Hello>({.name = "hello", .workers = 2})
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
#include "kubexms/controller/reconcile.h"
#include "kubexms/controller/source.h"

namespace kubexms {

struct ControllerOptions {
  std::string name;          // unique in the process; it names logs, metrics and settings
  std::string event_source;  // who its events are from; empty: the manager

  int workers = 1;
  // Fewer than `workers` reconcile at a time; 0: as many as there are.
  int max_concurrent_reconciles = 0;
  // How often an object is tried again after errors that are not the server's; none: for ever.
  std::optional<int> max_retries;
  std::chrono::nanoseconds base_delay = std::chrono::milliseconds(5);
  std::chrono::nanoseconds max_delay = std::chrono::seconds(1000);
  double qps = 10;  // of all retries together; 0: no limit beyond the delays
  int burst = 100;
  std::chrono::nanoseconds reconcile_timeout{0};  // 0: none
  // How often everything is reconciled without a change, give or take a tenth; 0: never.
  std::chrono::nanoseconds resync_period = std::chrono::hours(10);
};

struct RuleOptions {
  InformerScope scope;                // without a namespace, it has that of the controller
  bool all_namespaces = false;        // although the controller has a namespace
  std::vector<Predicate> predicates;  // all must say yes
  // Of Owns(): owners that are not the object's controller count too.
  bool every_owner = false;
};

// Something that must be so before a controller starts.
struct Precondition {
  std::string name;
  std::function<Result<void>(std::stop_token stop)> check;  // asked again until it succeeds
};

// What a controller does with objects of a resource, for the roles that it needs.
struct ResourceAccess {
  ResourceType resource;
  std::string subresource;
  std::vector<std::string> verbs;
  // Empty: all of them. None: that of the objects which the controller reconciles.
  std::optional<std::string> namespace_name = std::nullopt;
};

// Which keys an object concerns.
using ObjectMapper = std::function<void(const DeclaredCaches& caches, const CachedObject& object,
                                        std::vector<ObjectKey>& keys)>;

// One kind of objects that a controller watches, and what their changes mean to it.
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

// The parts that do not depend on a C++ type; also for controllers that are about keys of their own
// and no kind of object.
class Controller {
 public:
  // `object` is empty when there is none with this key, or when the controller is about no kind.
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
  // What reconciles are given as their client, instead of the manager's: for controllers that act
  // as a user of their own. Caches are filled by the manager's client all the same. It must outlive
  // the manager.
  void SetClient(Client* client) { client_ = client; }
  // Makes the controller one of these objects: they are what is reconciled. Before AddRule().
  void SetFor(WatchRule rule);
  void AddForPredicate(Predicate predicate);
  // Of all its watches.
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

  // Everything that is wrong with the description.
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

// The mappers that every controller needs.
ObjectMapper ItsOwnKey();
// The owners of this kind; only the one that is the object's controller, unless every_owner is set.
ObjectMapper ItsOwners(const ResourceType& owner, bool every_owner);

// What controllers usually do with the objects they reconcile, own, or only watch.
std::vector<ResourceAccess> AccessToReconciled(const ResourceType& resource);
std::vector<ResourceAccess> AccessToOwned(const ResourceType& resource);
std::vector<ResourceAccess> AccessToWatched(const ResourceType& resource);

// A controller of the objects of kind T.
template <Kind T>
class ControllerFor : public Controller {
 public:
  using Function = std::function<Result<Outcome>(ReconcileContext& context, const T& object)>;
  using DeletedFunction = std::function<Result<Outcome>(ReconcileContext& context)>;

  // Without a name it is called after the kind. `scope` is that of the T; its namespace also that
  // of all other watches which do not have their own.
  explicit ControllerFor(ControllerOptions options = {}, InformerScope scope = {})
      : Controller(std::move(options)), scope_(std::move(scope)) {
    if (mutable_options().name.empty()) mutable_options().name = ResourceType::Of<T>().plural;
    SetFor({.form = FormOf<T>(&StripManagedFields<T>),
            .scope = scope_,
            .mapper = ItsOwnKey(),
            .reason = "changed"});
    Allow(AccessToReconciled(ResourceType::Of<T>()), scope_.namespace_name);
  }

  // Only such events of the reconciled objects themselves.
  ControllerFor& When(Predicate predicate) {
    AddForPredicate(std::move(predicate));
    return *this;
  }

  // Only such events of all that it watches, those of Owns() and Watches() too.
  ControllerFor& WithEventFilter(Predicate predicate) {
    AddEventFilter(std::move(predicate));
    return *this;
  }

  // Objects that have a T as their owner: a change of one reconciles the owner.
  template <Kind Owned>
  ControllerFor& Owns(RuleOptions options = {}) {
    AddKind<Owned>(ItsOwners(ResourceType::Of<T>(), options.every_owner), options,
                   std::string(Owned::kKind.kind) + " it owns changed");
    Allow(AccessToOwned(ResourceType::Of<Owned>()), ScopeOf<Owned>(options).namespace_name);
    return *this;
  }

  // Other objects: `map` says which T a changed one concerns. It must be quick; it is asked about
  // the object before and after the change.
  template <Kind Other>
  ControllerFor& Watches(std::function<std::vector<ObjectKey>(const Other&)> map,
                         RuleOptions options = {}) {
    return Watches<Other>(
        [map = std::move(map)](const DeclaredCaches&, const Other& object) { return map(object); },
        std::move(options));
  }
  // The same where the answer is in the controller's caches:
  //   caches.Cached<T>().ByIndex("bySecret", secret.metadata.name)
  // They can be incomplete until all first lists are there; nothing is lost by that, as every T is
  // reconciled then.
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

  // Keeps a cache of a kind that reconciles read, without being called when it changes.
  template <Kind Other>
  ControllerFor& Reads(RuleOptions options = {}) {
    AddKind<Other>([](const DeclaredCaches&, const CachedObject&, std::vector<ObjectKey>&) {},
                   options, "");
    Allow(AccessToWatched(ResourceType::Of<Other>()), ScopeOf<Other>(options).namespace_name);
    return *this;
  }

  // An index for Lister<Other>::ByIndex(), of a kind that the controller watches.
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

  // What else it does with a kind, for RBAC: Touches<corev1::Secret>({"create"}). In the namespace
  // of the controller's scope, unless another one is given; empty: in all.
  template <Kind Other>
  ControllerFor& Touches(std::vector<std::string> verbs, std::string subresource = "",
                         std::optional<std::string> namespace_name = std::nullopt) {
    AddAccess({ResourceType::Of<Other>(), std::move(subresource), std::move(verbs),
               std::move(namespace_name)});
    return *this;
  }

  ControllerFor& From(std::shared_ptr<Source> source) {
    AddSource(std::move(source));
    return *this;
  }
  // Starts only once that controller of the same manager works.
  ControllerFor& WaitFor(std::string controller) {
    AddPredecessor(std::move(controller));
    return *this;
  }
  // Starts only once the condition holds.
  ControllerFor& WaitUntil(Precondition condition) {
    AddPrecondition(std::move(condition));
    return *this;
  }

  // Is not called for keys whose object is gone: see OnDeleted().
  ControllerFor& Reconciles(Function reconcile) {
    reconcile_object_ = std::move(reconcile);
    UseFunctions();
    return *this;
  }
  // For controllers that have something to do when an object is gone for good. What must not be
  // forgotten belongs into a finalizer: after a restart, deletions that happened meanwhile are not
  // known.
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
