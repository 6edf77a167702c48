#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/values/quantity.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kFinalizer = "kubernetes";

class NamespaceStrategy : public KindStrategy {
 public:
  NamespaceStrategy() : KindStrategy({.has_status = true, .validate_name = ValidateDns1123Label}) {}

  void SetDefaults(JsonObject& namespace_name) const override {
    const std::string name(TextAt(namespace_name, "metadata.name"));
    if (!name.empty()) EnsureObject(namespace_name, "metadata.labels")[kNameLabel] = name;
  }
  void PrepareForCreate(JsonObject& namespace_name) const override {
    SetDefaults(namespace_name);  // a generated name is known only now
    namespace_name["status"] = JsonObject{{"phase", "Active"}};
    JsonObject& spec = EnsureObject(namespace_name, "spec");
    JsonArray* finalizers = FindArray(spec, "finalizers");
    if (finalizers == nullptr) finalizers = &spec["finalizers"].emplace_array();
    const bool there =
        std::any_of(finalizers->begin(), finalizers->end(), [](const Json& finalizer) {
          return finalizer.is_string() && AsView(finalizer.get_string()) == kFinalizer;
        });
    if (!there) finalizers->push_back(Json(kFinalizer));
  }
  bool CountsDeletions() const override { return false; }

  bool HasContentFinalizers(const JsonObject& namespace_name) const override {
    const Json* finalizers = Find(namespace_name, "spec.finalizers");
    return finalizers != nullptr && finalizers->is_array() && !finalizers->get_array().empty();
  }
  void MarkTerminating(JsonObject& namespace_name) const override {
    EnsureObject(namespace_name, "status")["phase"] = "Terminating";
  }
  // Finalizers change with the finalize subresource only.
  void PrepareForUpdate(JsonObject& namespace_name, const JsonObject& old) const override {
    CopyMember(namespace_name, old, "spec");
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field finalizers = root["spec.finalizers"];
    for (const Field& finalizer : finalizers.Items())
      finalizer.Report(ValidateQualifiedName(finalizer.Text()));
  }
};

class NodeStrategy : public KindStrategy {
 public:
  NodeStrategy() : KindStrategy({.has_status = true}) {}

  // A kubelet registers its node with its status.
  bool AllowsStatusOnCreate() const override { return true; }

  void SetDefaults(JsonObject& node) const override {
    if (JsonObject* spec = FindObject(node, "spec")) MatchPodRanges(*spec);
    JsonObject* status = FindObject(node, "status");
    if (status == nullptr) return;
    if (const JsonObject* capacity = FindObject(std::as_const(*status), "capacity")) {
      const JsonObject copy = *capacity;
      SetDefault(*status, "allocatable", copy);
    }
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field taints = root["spec.taints"];
    // Kubernetes reports these as errors of the metadata.
    const FieldPath metadata("metadata");
    ValidateTaints(Field(taints.value(), metadata.Child("taints"), errors));
    const Field ranges = root["spec.podCIDRs"];
    for (const Field& range : ranges.Items()) range.Report(ValidateCidr(range.Text()));
    if (!IsOneOfEachFamily(ranges))
      ranges.Invalid("may specify no more than one CIDR for each IP family");
  }
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field old_root(old_object);
    const Field spec = root["spec"];
    const Field old = old_root["spec"];
    if (!old["podCIDRs"].empty() && !spec["podCIDRs"].SameAs(old["podCIDRs"]))
      spec["podCIDRs"].Forbidden("node updates may not change podCIDR except from \"\" to valid");
    if (!old["providerID"].empty() && !spec["providerID"].SameAs(old["providerID"]))
      spec["providerID"].Forbidden(
          "node updates may not change providerID except from \"\" to valid");
  }

 private:
  // podCIDR equals the first item of podCIDRs.
  static void MatchPodRanges(JsonObject& spec) {
    const std::string first(TextAt(spec, "podCIDR"));
    const JsonArray* ranges = FindArray(spec, "podCIDRs");
    const bool has_ranges = ranges != nullptr && !ranges->empty();
    if (first.empty() && has_ranges) {
      const Json range = ranges->front();
      spec["podCIDR"] = range;
    } else if (!first.empty() && (!has_ranges || ranges->front() != Json(first))) {
      spec["podCIDRs"] = JsonArray{Json(first)};
    }
  }

  static void ValidateTaints(const Field& taints) {
    std::vector<std::pair<std::string_view, std::string_view>> seen;
    for (const Field& taint : taints.Items()) {
      const Field key = taint["key"];
      key.Report(ValidateQualifiedName(key.Text()));
      const Field value = taint["value"];
      value.Report(ValidateLabelValue(value.Text()));
      const Field effect = taint["effect"];
      effect.SetAndOneOf({"NoSchedule", "PreferNoSchedule", "NoExecute"});
      const std::pair identity(key.Text(), effect.Text());
      if (std::find(seen.begin(), seen.end(), identity) != seen.end()) taint.Duplicate();
      seen.push_back(identity);
    }
  }
};

void ValidateNotNegative(const Field& amounts) {
  for (std::string_view name : amounts.Keys()) {
    const Field amount = amounts.Entry(name);
    for (const std::string& problem : ValidateQualifiedName(name))
      amount.Invalid(Json(name), problem);
    const Result<Quantity> quantity = Quantity::Parse(amount.Text());
    if (quantity.ok() && quantity->Sign() < 0) amount.Invalid("must be greater than or equal to 0");
  }
}

class ResourceQuotaStrategy : public ImmutableFieldsStrategy {
 public:
  ResourceQuotaStrategy() : ImmutableFieldsStrategy({.has_status = true}, {"spec.scopes"}) {}

  void PrepareForCreate(JsonObject& quota) const override { quota["status"] = JsonObject(); }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field hard = root["spec.hard"];
    for (std::string_view name : hard.Keys()) ValidateQuotaName(hard.Entry(name), name);
    ValidateNotNegative(hard);
    for (std::string_view name : hard.Keys()) ValidateCount(hard.Entry(name), name);
    const Field scopes = root["spec.scopes"];
    for (const Field& scope : scopes.Items()) {
      if (!IsScope(scope.Text())) scopes.Invalid("unsupported scope");
      ValidateScopeFits(scope.Text(), hard,
                        [&] { scopes.Invalid("unsupported scope applied to resource"); });
    }
    for (const auto& [one, other] : kOpposites) {
      if (Has(scopes, one) && Has(scopes, other)) scopes.Invalid("conflicting scopes");
    }
    ValidateScopeSelector(root["spec"], hard);
  }

 private:
  static bool IsScope(std::string_view scope) {
    static constexpr std::string_view kScopes[] = {
        "BestEffort",           "CrossNamespacePodAffinity",
        "NotBestEffort",        "NotTerminating",
        "PriorityClass",        "Terminating",
        "VolumeAttributesClass"};
    return std::find(std::begin(kScopes), std::end(kScopes), scope) != std::end(kScopes);
  }

  // Some scopes apply to pods and to resources of pods, one applies to claims.
  template <class Refuse>
  static void ValidateScopeFits(std::string_view scope, const Field& hard, Refuse refuse) {
    static constexpr std::string_view kOfPods[] = {
        "cpu", "limits.cpu", "limits.memory", "memory", "pods", "requests.cpu", "requests.memory"};
    for (std::string_view name : hard.Keys()) {
      if (!IsStandardQuotaName(name)) continue;
      const bool of_pods =
          std::find(std::begin(kOfPods), std::end(kOfPods), name) != std::end(kOfPods);
      const bool fits = scope == "BestEffort" ? name == "pods"
                        : scope == "VolumeAttributesClass"
                            ? name == "persistentvolumeclaims" || name == "requests.storage"
                            : of_pods || !IsScope(scope);
      if (!fits) refuse();
    }
  }

  // Errors name the list, not its items.
  static void ValidateScopeSelector(const Field& spec, const Field& hard) {
    const Field expressions = spec["scopeSelector.matchExpressions"];
    for (const Field& expression : expressions.Items()) {
      const auto shown = [&](std::string_view name) {
        return Field(expression[name].value(), expressions.path().Child(name),
                     expressions.errors());
      };
      const Field scope = shown("scopeName");
      const Field op = shown("operator");
      const Field values = shown("values");
      if (!IsScope(scope.Text())) scope.Invalid(Json(scope.Text()), "unsupported scope");
      ValidateScopeFits(scope.Text(), hard,
                        [&] { expressions.Invalid("unsupported scope applied to resource"); });
      const bool by_existence = scope.Text() != "PriorityClass" &&
                                scope.Text() != "VolumeAttributesClass" && IsScope(scope.Text());
      if (by_existence && op.Text() != "Exists")
        op.Invalid(
            Json(op.Text()),
            "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
            "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
            "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity");
      if (op.Text() == "In" || op.Text() == "NotIn") {
        values.MustBeSet(
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
      } else if (op.Text() == "Exists" || op.Text() == "DoesNotExist") {
        if (!values.empty())
          values.Invalid(
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
      } else {
        op.Invalid(Json(op.Text()), "not a valid selector operator");
      }
    }
  }

  static constexpr std::pair<std::string_view, std::string_view> kOpposites[] = {
      {"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"}};

  static bool Has(const Field& scopes, std::string_view wanted) {
    for (const Field& scope : scopes.Items()) {
      if (scope.Text() == wanted) return true;
    }
    return false;
  }

  // Counts of objects are integers.
  static void ValidateCount(const Field& amount, std::string_view name) {
    static constexpr std::string_view kCounted[] = {"configmaps",
                                                    "persistentvolumeclaims",
                                                    "pods",
                                                    "replicationcontrollers",
                                                    "resourcequotas",
                                                    "secrets",
                                                    "services",
                                                    "services.loadbalancers",
                                                    "services.nodeports"};
    const bool counted =
        name.starts_with("count/") ||
        std::find(std::begin(kCounted), std::end(kCounted), name) != std::end(kCounted);
    const Result<Quantity> quantity = Quantity::Parse(amount.Text());
    if (counted && quantity.ok() && !quantity->AsInt64()) amount.Invalid("must be an integer");
  }

  static void ValidateQuotaName(const Field& amount, std::string_view name) {
    if (name.find('/') != std::string_view::npos || name.starts_with("hugepages-") ||
        name.starts_with("requests.hugepages-") || name.starts_with("limits.hugepages-"))
      return;
    if (!IsStandardQuotaName(name))
      amount.Invalid(Json(name), "must be a standard resource type or fully qualified");
  }

  static bool IsStandardQuotaName(std::string_view name) {
    static constexpr std::string_view kStandard[] = {"configmaps",
                                                     "cpu",
                                                     "ephemeral-storage",
                                                     "limits.cpu",
                                                     "limits.ephemeral-storage",
                                                     "limits.memory",
                                                     "memory",
                                                     "persistentvolumeclaims",
                                                     "pods",
                                                     "replicationcontrollers",
                                                     "requests.cpu",
                                                     "requests.ephemeral-storage",
                                                     "requests.memory",
                                                     "requests.storage",
                                                     "resourcequotas",
                                                     "secrets",
                                                     "services",
                                                     "services.loadbalancers",
                                                     "services.nodeports",
                                                     "storage"};
    return std::find(std::begin(kStandard), std::end(kStandard), name) != std::end(kStandard);
  }
};

class LimitRangeStrategy : public KindStrategy {
 public:
  LimitRangeStrategy() : KindStrategy({.allows_create_on_update = true}) {}

  void SetDefaults(JsonObject& range) const override {
    ForEachObject(range, "spec.limits", [](JsonObject& item) {
      if (TextAt(item, "type") != "Container") return;
      SetFromIfAbsent(item, "default", "max");
      SetFromIfAbsent(item, "defaultRequest", "default");
      SetFromIfAbsent(item, "defaultRequest", "min");
    });
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field limits = root["spec.limits"];
    UniqueTexts types;
    for (const Field& item : limits.Items()) {
      const Field type = item["type"];
      type.Report(ValidateQualifiedName(type.Text()));
      types.Add(type);
      for (std::string_view name : {"min", "max", "default", "defaultRequest"}) {
        const Field amounts = item[name];
        ValidateNotNegative(amounts);
      }
      for (std::string_view name : {"default", "defaultRequest"}) {
        if (type.Text() == "Pod" && !item[name].empty())
          item[name].Forbidden("may not be specified when `type` is 'Pod'");
      }
      if (type.Text() == "PersistentVolumeClaim" && !item["min.storage"] && !item["max.storage"])
        item["limits"].Required(
            "either minimum or maximum storage value is required, but neither was provided");
      for (const Order& order : kOrders) ValidateOrder(item, order);
      const Field ratios = item["maxLimitRequestRatio"];
      for (std::string_view name : ratios.Keys()) ValidateRatio(ratios.Entry(name));
    }
  }

 private:
  static void SetFromIfAbsent(JsonObject& item, std::string_view to, std::string_view from) {
    const JsonObject* amounts = FindObject(std::as_const(item), from);
    if (amounts == nullptr || amounts->empty()) return;
    const JsonObject copy = *amounts;
    JsonObject& target = EnsureObject(item, to);
    for (const auto& amount : copy) SetDefault(target, amount.key(), amount.value());
  }

  // Two amounts of which one must not exceed the other, their names in messages, and the field in
  // error.
  struct Order {
    std::string_view low;
    std::string_view low_name;
    std::string_view high;
    std::string_view high_name;
    std::string_view wrong;
  };
  static constexpr Order kOrders[] = {
      {"min", "min", "max", "max", "min"},
      {"min", "min", "defaultRequest", "default request", "defaultRequest"},
      {"defaultRequest", "default request", "max", "max", "defaultRequest"},
      {"defaultRequest", "default request", "default", "default limit", "defaultRequest"},
      {"min", "min", "default", "default", "default"},
      {"default", "default", "max", "max", "default"},
  };

  static void ValidateRatio(const Field& ratio) {
    const Result<Quantity> quantity = Quantity::Parse(ratio.Text());
    if (quantity.ok() && *quantity < *Quantity::Parse("1"))
      ratio.Invalid(fmt::format("ratio {} is less than 1", quantity->ToString()));
  }

  static void ValidateOrder(const Field& item, const Order& order) {
    const Field lows = item[order.low];
    const Field highs = item[order.high];
    const Field wrong = item[order.wrong];
    for (std::string_view name : lows.Keys()) {
      const Result<Quantity> low = Quantity::Parse(lows.Entry(name).Text());
      const Result<Quantity> high = Quantity::Parse(highs.Entry(name).Text());
      if (!highs.Entry(name) || !low.ok() || !high.ok() || *low <= *high) continue;
      wrong.Entry(name).Invalid(fmt::format("{} value {} is greater than {} value {}",
                                            order.low_name, low->ToString(), order.high_name,
                                            high->ToString()));
    }
  }
};

}  // namespace

void AddClusterStrategies(StrategyTable& table) {
  table.Add("", "Namespace", std::make_unique<NamespaceStrategy>());
  table.Add("", "Node", std::make_unique<NodeStrategy>());
  table.Add("", "ResourceQuota", std::make_unique<ResourceQuotaStrategy>());
  table.Add("", "LimitRange", std::make_unique<LimitRangeStrategy>());
}

}  // namespace kubexms
