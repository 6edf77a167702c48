#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

// Kinds of which the schema says almost everything.

namespace kubexms {
namespace {

// Creation starts with an empty status.
class StatusStrategy : public FixedFieldsStrategy {
 public:
  StatusStrategy(bool counts_generations, std::vector<std::string_view> fixed = {})
      : FixedFieldsStrategy({.has_status = true, .counts_generations = counts_generations},
                            std::move(fixed)) {}

  void PrepareForCreate(JsonObject& object) const override { object["status"] = JsonObject(); }
};

class PriorityLevelStrategy : public StatusStrategy {
 public:
  PriorityLevelStrategy() : StatusStrategy(true) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field limited = spec["limited"];
    const Field exempt = spec["exempt"];
    if (spec["type"].Text() == "Exempt" && limited)
      limited.Forbidden("must be nil if the type is not Limited");
    if (spec["type"].Text() == "Limited" && exempt)
      exempt.Forbidden("must be nil if the type is Limited");
    if (spec["type"].Text() == "Limited" && !limited)
      limited.Required("must not be empty when type is Limited");
  }
};

class ApiServiceStrategy : public StatusStrategy {
 public:
  ApiServiceStrategy() : StatusStrategy(false) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const std::string wanted =
        std::string(spec["version"].Text()) + "." + std::string(spec["group"].Text());
    const Field name = root["metadata.name"];
    if (!name.empty() && name.Text() != wanted)
      name.Invalid("must be `spec.version+\".\"+spec.group`: \"" + wanted + "\"");
    const Field bundle = spec["caBundle"];
    if (!bundle.empty() && spec["insecureSkipTLSVerify"].IsTrue())
      spec["insecureSkipTLSVerify"].Invalid("may not be true if caBundle is present");
    spec["groupPriorityMinimum"].Between(1, 20000);
    spec["versionPriority"].Between(1, 1000);
  }
};

// So many devices of a request, unless it wants all that there are.
void SetDeviceCount(JsonObject& request) {
  if (TextAt(request, "allocationMode") == "ExactCount") SetDefault(request, "count", 1);
}

void SetClaimDefaults(JsonObject& spec) {
  ForEachObject(spec, "devices.requests", [](JsonObject& request) {
    if (JsonObject* exactly = FindObject(request, "exactly")) SetDeviceCount(*exactly);
    ForEachObject(request, "firstAvailable", SetDeviceCount);
  });
}

class ResourceClaimStrategy : public StatusStrategy {
 public:
  ResourceClaimStrategy() : StatusStrategy(false, {"spec"}) {}

  void SetDefaults(JsonObject& claim) const override {
    if (JsonObject* spec = FindObject(claim, "spec")) SetClaimDefaults(*spec);
  }
};

class ResourceClaimTemplateStrategy : public FixedFieldsStrategy {
 public:
  ResourceClaimTemplateStrategy() : FixedFieldsStrategy({}, {"spec"}) {}

  void SetDefaults(JsonObject& claim) const override {
    if (JsonObject* spec = FindObject(claim, "spec.spec")) SetClaimDefaults(*spec);
  }
};

std::unique_ptr<Strategy> Fixed(const KindTraits& traits, std::vector<std::string_view> fixed) {
  return std::make_unique<FixedFieldsStrategy>(traits, std::move(fixed));
}

}  // namespace

void AddOtherStrategies(StrategyTable& table) {
  constexpr std::string_view kFlow = "flowcontrol.apiserver.k8s.io";
  table.Add(kFlow, "FlowSchema", std::make_unique<StatusStrategy>(true));
  table.Add(kFlow, "PriorityLevelConfiguration", std::make_unique<PriorityLevelStrategy>());
  constexpr std::string_view kDevices = "resource.k8s.io";
  table.Add(kDevices, "ResourceClaim", std::make_unique<ResourceClaimStrategy>());
  table.Add(kDevices, "ResourceClaimTemplate", std::make_unique<ResourceClaimTemplateStrategy>());
  table.Add(
      kDevices, "ResourceSlice",
      Fixed({.counts_generations = true}, {"spec.driver", "spec.nodeName", "spec.pool.name"}));
  table.Add(kDevices, "DeviceClass", Fixed({.counts_generations = true}, {}));
  table.Add("apiregistration.k8s.io", "APIService", std::make_unique<ApiServiceStrategy>());
}

}  // namespace kubexms
