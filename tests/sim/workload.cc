#include "tests/sim/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/controller/finalizer.h"

namespace kubexms::sim {
namespace {

using corev1::ConfigMap;
using corev1::Secret;
using std::chrono::milliseconds;

constexpr int kParents = 6;
constexpr int kMaxChildren = 4;
constexpr int kCounters = 2;
constexpr const char* kFinalizer = "example.io/children";

int NumberIn(const StringMap& data, std::string_view key) {
  const auto text = data.find(key);
  return text == data.end() ? 0 : std::stoi(text->second);
}

std::string TextIn(const StringMap& data, std::string_view key) {
  const auto text = data.find(key);
  return text == data.end() ? "" : text->second;
}

ObjectKey KeyOf(std::string name) { return {kNamespace, std::move(name)}; }
std::string ParentName(uint64_t i) { return fmt::format("parent-{}", i); }
std::string ChildName(const std::string& parent, int i) { return fmt::format("{}-{}", parent, i); }
std::string CounterName(uint64_t i) { return fmt::format("counter-{}", i); }

ConfigMap ConfigMapNamed(std::string name, const std::string& role) {
  ConfigMap map;
  map.metadata.name = std::move(name);
  map.metadata.namespace_name = kNamespace;
  map.metadata.labels["role"] = role;
  return map;
}

InformerScope ScopeOf(const std::string& role) {
  return {.namespace_name = kNamespace, .label_selector = Selector::Parse("role=" + role).value()};
}

ControllerOptions OptionsOf(std::string name, int workers) {
  return {.name = std::move(name),
          .max_concurrent_reconciles = workers,
          .rate_limiter = {.max_delay = std::chrono::seconds(3)}};
}

DeleteOptions ThisOne(const ObjectMeta& metadata) {
  DeleteOptions options;
  options.preconditions.emplace().uid = metadata.uid;
  return options;
}

// One reconcile whose reads and writes are checked.
class Run {
 public:
  Run(ReconcileContext& context, Observer& observer, std::string_view controller)
      : context_(context),
        observer_(observer),
        work_(observer.ledger, observer.process,
              fmt::format("{} {}", controller, context.key.ToString())),
        client_(context.client, observer.writes) {}

  Client& client() { return client_; }

  template <Kind T>
  std::shared_ptr<const T> Cached(const ObjectKey& key) {
    const ResourceType resource = ResourceType::Of<T>();
    return observer_.writes
        .Checked(resource, key, [&] { return context_.CacheOf(resource).Get(key); })
        .template As<T>();
  }

 private:
  ReconcileContext& context_;
  Observer& observer_;
  const WorkLedger::Work work_;
  RecordingClient client_;
};

Result<void> EnsureChild(Run& run, const ConfigMap& parent, int i) {
  const std::string name = ChildName(parent.metadata.name, i);
  const std::string content = TextIn(parent.data, "content");
  const auto existing = run.Cached<Secret>(KeyOf(name));
  if (existing == nullptr) {
    Secret child;
    child.metadata.name = name;
    child.metadata.namespace_name = kNamespace;
    child.metadata.annotations["content"] = content;
    RETURN_IF_ERROR(SetControllerReference(child.metadata, parent));
    RETURN_IF_ERROR(run.client().Create(child));
    return {};
  }
  if (!IsControlledBy(existing->metadata, parent.metadata.uid)) {
    return Error::ServiceUnavailable("a child of an earlier parent has the name");
  }
  if (TextIn(existing->metadata.annotations, "content") == content) return {};
  Secret changed = *existing;
  changed.metadata.annotations["content"] = content;
  RETURN_IF_ERROR(run.client().Update(changed));
  return {};
}

Result<void> RemoveChild(Run& run, const ConfigMap& parent, int i) {
  const auto existing = run.Cached<Secret>(KeyOf(ChildName(parent.metadata.name, i)));
  if (existing == nullptr || !IsControlledBy(existing->metadata, parent.metadata.uid)) return {};
  return IgnoreNotFound(
      run.client().Delete<Secret>(ObjectKey::Of(existing->metadata), ThisOne(existing->metadata)));
}

Result<Outcome> EnsureChildren(Run& run, const ConfigMap& parent) {
  const int desired = NumberIn(parent.data, "children");
  for (int i = 0; i < kMaxChildren; ++i) {
    RETURN_IF_ERROR(i < desired ? EnsureChild(run, parent, i) : RemoveChild(run, parent, i));
  }
  const std::string observed = fmt::format("{} × {}", desired, TextIn(parent.data, "content"));
  if (TextIn(parent.metadata.annotations, "observed") == observed) return Outcome::Done();
  ConfigMap changed = parent;
  changed.metadata.annotations["observed"] = observed;
  RETURN_IF_ERROR(run.client().Update(changed));
  return Outcome::Done();
}

// Lists the children from the server: the cache may miss one whose creation got no response.
Result<Outcome> RemoveChildren(Run& run, const ConfigMap& parent) {
  ASSIGN_OR_RETURN(const auto children,
                   run.client().List<Secret>(ListOptions{.namespace_name = kNamespace}));
  for (const Secret& child : children.items) {
    if (!IsControlledBy(child.metadata, parent.metadata.uid)) continue;
    RETURN_IF_ERROR(IgnoreNotFound(
        run.client().Delete<Secret>(ObjectKey::Of(child.metadata), ThisOne(child.metadata))));
  }
  return Outcome::Done();
}

Controller Parents(Observer& observer) {
  return ControllerFor<ConfigMap>(OptionsOf("parents", 3), ScopeOf("parent"))
      .Owns<Secret>()
      .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
        Run run(context, observer, "parents");
        const auto parent = run.Cached<ConfigMap>(context.key);
        if (parent == nullptr) return Outcome::Done();
        return WithFinalizer(
            run.client(), *parent, kFinalizer,
            {.apply = [&](const ConfigMap& stored) { return EnsureChildren(run, stored); },
             .cleanup = [&](const ConfigMap& stored) { return RemoveChildren(run, stored); }},
            context.stop);
      });
}

// Removes children whose parent no longer exists. The cache may be stale, so the server is asked.
Controller Orphans(Observer& observer) {
  const auto all_children = [](const ConfigMap& parent) {
    std::vector<ObjectKey> keys;
    for (int i = 0; i < kMaxChildren; ++i)
      keys.push_back(KeyOf(ChildName(parent.metadata.name, i)));
    return keys;
  };
  return ControllerFor<Secret>(OptionsOf("orphans", 2), {.namespace_name = kNamespace})
      .Watches<ConfigMap>(all_children, {.scope = ScopeOf("parent")})
      .Reconciles([&](ReconcileContext& context, const Secret&) -> Result<Outcome> {
        Run run(context, observer, "orphans");
        const auto child = run.Cached<Secret>(context.key);
        const OwnerReference* owner = child == nullptr ? nullptr : ControllerOf(child->metadata);
        if (owner == nullptr) return Outcome::Done();
        const Result<ConfigMap> parent = run.client().Get<ConfigMap>(KeyOf(owner->name));
        if (parent.ok() && parent->metadata.uid == owner->uid) return Outcome::Done();
        if (!parent.ok() && !parent.error().IsNotFound()) return parent.error();
        RETURN_IF_ERROR(
            IgnoreNotFound(run.client().Delete<Secret>(context.key, ThisOne(child->metadata))));
        return Outcome::Done();
      });
}

Controller Counters(Observer& observer) {
  return ControllerFor<ConfigMap>(OptionsOf("counters", 1), ScopeOf("counter"))
      .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
        Run run(context, observer, "counters");
        const auto counter = run.Cached<ConfigMap>(context.key);
        if (counter == nullptr) return Outcome::Done();
        const std::string sum = TextIn(counter->data, "sum");
        if (TextIn(counter->metadata.annotations, "copy") == sum) return Outcome::Done();
        ConfigMap changed = *counter;
        changed.metadata.annotations["copy"] = sum;
        RETURN_IF_ERROR(run.client().Update(changed));
        return Outcome::Done();
      });
}

Result<void> ChangeParent(Client& client, Random& random) {
  const std::string name = ParentName(random.Below(kParents));
  Result<ConfigMap> parent = client.Get<ConfigMap>(KeyOf(name));
  if (!parent.ok() && !parent.error().IsNotFound()) return parent.error();
  const bool make = !parent.ok();
  ConfigMap changed = make ? ConfigMapNamed(name, "parent") : *parent;
  changed.data["children"] = std::to_string(random.Below(kMaxChildren + 1));
  changed.data["content"] = random.NameSuffix();
  RETURN_IF_ERROR(make ? client.Create(changed) : client.Update(changed));
  return {};
}

Result<void> MutateChild(Client& client, Random& random) {
  ASSIGN_OR_RETURN(auto children, client.List<Secret>(ListOptions{.namespace_name = kNamespace}));
  if (children.items.empty()) return {};
  Secret& child = children.items[random.Below(children.items.size())];
  if (random.Below(2) == 0) return client.Delete<Secret>(ObjectKey::Of(child.metadata));
  child.metadata.annotations["content"] = "wrong";
  RETURN_IF_ERROR(client.Update(child));
  return {};
}

Result<void> Mutate(Client& client, Random& random) {
  switch (random.Below(6)) {
    case 0: return client.Delete<ConfigMap>(KeyOf(ParentName(random.Below(kParents))));
    case 1:
    case 2: return MutateChild(client, random);
    default: return ChangeParent(client, random);
  }
}

// Increment number `turn` of the writer. The writer's own number, which is written together with
// the sum, shows whether an earlier attempt without a response was performed.
Result<void> CountOnce(Client& client, const ObjectKey& key, const std::string& writer, int turn) {
  ASSIGN_OR_RETURN(ConfigMap counter, client.Get<ConfigMap>(key));
  if (NumberIn(counter.data, writer) == turn) return {};
  counter.data[writer] = std::to_string(turn);
  counter.data["sum"] = std::to_string(NumberIn(counter.data, "sum") + 1);
  RETURN_IF_ERROR(client.Update(counter));
  return {};
}

std::string UnfinishedParent(const ConfigMap& parent, const std::vector<Secret>& children) {
  const int desired = NumberIn(parent.data, "children");
  const std::string content = TextIn(parent.data, "content");
  const std::string& name = parent.metadata.name;
  if (!parent.metadata.deletion_timestamp.IsZero()) return name + " is still being deleted";
  int found = 0;
  for (const Secret& child : children) {
    if (!IsControlledBy(child.metadata, parent.metadata.uid)) continue;
    ++found;
    if (TextIn(child.metadata.annotations, "content") != content) {
      return child.metadata.name + " has the wrong content";
    }
  }
  if (found != desired) return fmt::format("{} has {} of {} children", name, found, desired);
  if (TextIn(parent.metadata.annotations, "observed") != fmt::format("{} × {}", desired, content)) {
    return name + " has an outdated annotation observed";
  }
  return "";
}

bool HasParent(const Secret& child, const std::vector<ConfigMap>& maps) {
  return std::any_of(maps.begin(), maps.end(), [&](const ConfigMap& map) {
    return IsControlledBy(child.metadata, map.metadata.uid);
  });
}

// Each object as "namespace/name uid version".
using Contents = std::set<std::string>;

std::string LineOf(const ObjectMeta& metadata) {
  return fmt::format("{} {} {}", ObjectKey::Of(metadata).ToString(), metadata.uid,
                     metadata.resource_version);
}

Contents LinesOf(const std::vector<CachedObject>& objects) {
  Contents lines;
  for (const CachedObject& object : objects) lines.insert(LineOf(*object.metadata));
  return lines;
}

// The cache and the objects delivered to handlers must both equal those of the server.
template <Kind T>
std::string Difference(InformerSet& informers, const InformerScope& scope, Client& server) {
  const auto informer = informers.Get<T>(scope);
  const auto stored = server.List<T>(
      {.namespace_name = scope.namespace_name, .label_selector = scope.label_selector});
  Contents expected;
  for (const T& object : stored.value().items) expected.insert(LineOf(object.metadata));
  const Contents seen = LinesOf(informer->cache().List());
  const Contents told = LinesOf(informer->cache().Delivered());
  if (seen == expected && told == expected) return "";
  return fmt::format("{}: the server has [{}], the cache [{}], handlers were told [{}]",
                     ResourceType::Of<T>().plural, fmt::join(expected, ", "), fmt::join(seen, ", "),
                     fmt::join(told, ", "));
}

}  // namespace

void AddControllers(Manager& manager, Observer& observer) {
  manager.Add(Parents(observer));
  manager.Add(Orphans(observer));
  manager.Add(Counters(observer));
}

void CreateCounters(Client& client) {
  for (int i = 0; i < kCounters; ++i) {
    ConfigMap counter = ConfigMapNamed(CounterName(static_cast<uint64_t>(i)), "counter");
    counter.data["sum"] = "0";
    client.Create(counter).value();
  }
}

void MutateParents(Client& client, Clock& clock, Random& random, std::stop_token stop) {
  while (clock.SleepFor(milliseconds(random.Below(200)), stop)) {
    (void)Mutate(client, random).ok();  // the controllers have to handle any result
  }
}

uint64_t CountUp(Client& client, Clock& clock, Random& random, const std::string& writer,
                 std::stop_token stop) {
  uint64_t counted = 0;
  std::vector<int> turns(kCounters, 0);
  while (clock.SleepFor(milliseconds(random.Below(200)), stop)) {
    const uint64_t which = random.Below(kCounters);
    const int turn = ++turns[which];
    // Retried until it succeeds, so that the number of increments is known.
    while (!CountOnce(client, KeyOf(CounterName(which)), writer, turn).ok()) {
      clock.SleepFor(milliseconds(20));
    }
    ++counted;
  }
  return counted;
}

std::string Unfinished(Client& client) {
  const auto maps = client.List<ConfigMap>(ListOptions{.namespace_name = kNamespace}).value();
  const auto children = client.List<Secret>(ListOptions{.namespace_name = kNamespace}).value();
  for (const ConfigMap& map : maps.items) {
    const std::string role = TextIn(map.metadata.labels, "role");
    if (role == "parent") {
      std::string unfinished = UnfinishedParent(map, children.items);
      if (!unfinished.empty()) return unfinished;
    }
    if (role == "counter" && TextIn(map.metadata.annotations, "copy") != TextIn(map.data, "sum")) {
      return map.metadata.name + " is not copied";
    }
  }
  for (const Secret& child : children.items) {
    if (!HasParent(child, maps.items)) return child.metadata.name + " has no parent";
  }
  return "";
}

std::string DifferenceToServer(InformerSet& informers, Client& server) {
  std::string difference = Difference<ConfigMap>(informers, ScopeOf("parent"), server);
  if (difference.empty()) difference = Difference<ConfigMap>(informers, ScopeOf("counter"), server);
  if (!difference.empty()) return difference;
  return Difference<Secret>(informers, {.namespace_name = kNamespace}, server);
}

uint64_t SumOfCounters(Client& client) {
  uint64_t sum = 0;
  for (int i = 0; i < kCounters; ++i) {
    const auto counter =
        client.Get<ConfigMap>(KeyOf(CounterName(static_cast<uint64_t>(i)))).value();
    sum += static_cast<uint64_t>(NumberIn(counter.data, "sum"));
  }
  return sum;
}

}  // namespace kubexms::sim
