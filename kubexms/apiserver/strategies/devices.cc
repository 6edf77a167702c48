#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kubexms/api/schema/pattern.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/pod.h"
#include "kubexms/apiserver/strategies/volume_sources.h"

// The kinds of resource.k8s.io: devices and claims of devices.

namespace kubexms {
namespace {

constexpr int64_t kMaxItems = 32;
constexpr int64_t kMaxAlternatives = 8;
constexpr int64_t kMaxExpression = 10 * 1024;
constexpr int64_t kMaxParameters = 10 * 1024;
constexpr int64_t kMaxPoolName = 253;
constexpr int64_t kMaxDevices = 128;
constexpr int64_t kMaxAttributeText = 64;
constexpr size_t kMaxAttributes = 32;
constexpr int64_t kMaxDomain = 63;
constexpr int64_t kMaxIdentifier = 32;

// The default of `count`, unless the request is for all devices.
void SetDeviceCount(JsonObject& request) {
  if (TextAt(request, "allocationMode") == "ExactCount") SetDefault(request, "count", 1);
}

void SetClaimDefaults(JsonObject& spec) {
  ForEachObject(spec, "devices.requests", [](JsonObject& request) {
    if (JsonObject* exactly = FindObject(request, "exactly")) SetDeviceCount(*exactly);
    ForEachObject(request, "firstAvailable", SetDeviceCount);
  });
}

// Validates the items of a list of limited length.
template <class Check>
void ForEachItem(const Field& list, int64_t maximum, Check check) {
  if (maximum >= 0 && static_cast<int64_t>(list.size()) > maximum) list.TooMany(maximum);
  for (const Field& item : list.Items()) check(item);
}

// As above, for items that are unique in the text of `key`, or in their own text.
template <class Check>
void ForEachDistinct(const Field& list, int64_t maximum, std::string_view key, Check check) {
  std::set<std::string_view> seen;
  ForEachItem(list, maximum, [&](const Field& item) {
    check(item);
    const Field identity =
        key.empty() ? item : Field(item[key].value(), item.path().Child(key), item.errors());
    if (!seen.insert(identity.Text()).second) identity.Duplicate(Json(identity.Text()));
  });
}

void MustBeLabelEvenEmpty(const Field& field) {
  for (const std::string& problem : ValidateDns1123Label(field.Text()))
    field.Invalid(Json(field.Text()), problem);
}

void ValidateSelectors(const Field& selectors) {
  ForEachItem(selectors, kMaxItems, [](const Field& selector) {
    const Field cel = selector["cel"];
    if (!cel) return cel.Required();
    const Field expression = cel["expression"];
    if (static_cast<int64_t>(expression.size()) > kMaxExpression)
      return expression.TooLong(kMaxExpression);
    if (expression.empty())
      expression.Invalid(Json(""),
                         "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input "
                         "'<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', "
                         "'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}");
  });
}

// The rules that both forms of a request share.
void ValidateDeviceRequest(const Field& request) {
  const Field device_class = request["deviceClassName"];
  if (device_class.MustBeSet()) device_class.MustBeSubdomain();
  ValidateSelectors(request["selectors"]);
  const Field mode = request["allocationMode"];
  const Field count = request["count"];
  if (mode.Text() == "All") {
    if (count.Int() != 0) count.Invalid("must not be specified when allocationMode is 'All'");
  } else if (mode.Text() == "ExactCount") {
    if (count.Int() <= 0) count.Invalid(Json(count.Int()), "must be greater than zero");
  } else {
    mode.NotSupported({"All", "ExactCount"});
  }
  const Field tolerations = request["tolerations"];
  for (const Field& toleration : tolerations.Items()) {
    const Field key = toleration["key"];
    const Field op = toleration["operator"];
    if (!key.empty()) key.Report(ValidateQualifiedName(key.Text()));
    op.MustBeOneOf({"Equal", "Exists"});
    if (key.empty() && op.Text() == "Equal")
      key.Required("must not be empty when operator is Equal");
    if (const Field effect = toleration["effect"]; !effect.empty())
      effect.MustBeOneOf({"NoExecute", "NoSchedule"});
  }
}

void ValidateRequest(const Field& request) {
  MustBeLabelEvenEmpty(request["name"]);
  const Field alternatives = request["firstAvailable"];
  const Field exactly = request["exactly"];
  ForEachDistinct(alternatives, kMaxAlternatives, "name", [](const Field& alternative) {
    MustBeLabelEvenEmpty(alternative["name"]);
    ValidateDeviceRequest(alternative);
  });
  if (exactly) ValidateDeviceRequest(exactly);
  if (alternatives.empty() && !exactly)
    request.Required("exactly one of `exactly` or `firstAvailable` is required");
  if (!alternatives.empty() && exactly)
    request.InvalidAs("null",
                      "exactly one of `exactly` or `firstAvailable` is required, but multiple "
                      "fields are set");
}

// The names of a claim's requests and of their subrequests.
class RequestNames {
 public:
  explicit RequestNames(const Field& requests) {
    for (const Field& request : requests.Items()) {
      std::set<std::string_view>& names = names_[request["name"].Text()];
      const Field alternatives = request["firstAvailable"];
      for (const Field& alternative : alternatives.Items())
        names.insert(alternative["name"].Text());
    }
  }

  // "request" or "request/subrequest".
  void ValidateReference(const Field& reference) const {
    constexpr std::string_view kRule =
        "must be the name of a request in the claim or the name of a request and a subrequest "
        "separated by '/'";
    const std::string_view text = reference.Text();
    const size_t slash = text.find('/');
    if (slash != text.rfind('/')) return reference.Invalid(kRule);
    for (std::string_view part : {text.substr(0, slash), AfterSlash(text, slash)}) {
      if (part.data() == nullptr) continue;
      for (const std::string& problem : ValidateDns1123Label(part))
        reference.Invalid(Json(part), problem);
    }
    if (!Has(text, slash)) reference.Invalid(Json(text), kRule);
  }

 private:
  // Null data where the text has no slash.
  static std::string_view AfterSlash(std::string_view text, size_t slash) {
    return slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
  }

  bool Has(std::string_view text, size_t slash) const {
    const auto found = names_.find(text.substr(0, slash));
    if (found == names_.end()) return false;
    return slash == std::string_view::npos || found->second.contains(AfterSlash(text, slash));
  }

  std::map<std::string_view, std::set<std::string_view>> names_;
};

bool IsIdentifier(std::string_view text) {
  static const CompiledPattern kPattern;
  return kPattern.Matches("^[A-Za-z_][A-Za-z0-9_]*$", text);
}

void ValidateIdentifier(const Field& shown, std::string_view identifier) {
  if (identifier.empty()) return shown.Required("the name must not be empty");
  if (static_cast<int64_t>(identifier.size()) > kMaxIdentifier)
    return shown.TooLong(kMaxIdentifier);
  if (!IsIdentifier(identifier))
    shown.Invalid(Json(identifier),
                  "a valid C identifier must start with alphabetic character or '_', followed by "
                  "a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
                  "'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')");
}

void ValidateDomain(const Field& shown, std::string_view domain) {
  if (domain.empty()) return shown.Required("the domain must not be empty");
  if (static_cast<int64_t>(domain.size()) > kMaxDomain) shown.TooLong(kMaxDomain);
  for (const std::string& problem : ValidateDns1123Subdomain(domain))
    shown.Invalid(Json(domain), problem);
}

// "domain/identifier".
void ValidateAttributeName(const Field& name, bool needs_domain) {
  const std::string_view text = name.Text();
  const size_t slash = text.find('/');
  if (needs_domain && text.empty()) return name.Required("must include a domain");
  if (slash == std::string_view::npos) {
    if (needs_domain) name.Invalid("must include a domain");
    return ValidateIdentifier(name, text);
  }
  ValidateDomain(name, text.substr(0, slash));
  ValidateIdentifier(name, text.substr(slash + 1));
}

void ValidateOpaque(const Field& config) {
  const Field opaque = config["opaque"];
  if (!opaque) return opaque.Required();
  ValidateDriverName(opaque["driver"]);
  const Field parameters = opaque["parameters"];
  if (!parameters) return parameters.Required();
  if (static_cast<int64_t>(WriteJson(parameters.ToJson()).size()) > kMaxParameters)
    return parameters.TooLong(kMaxParameters);
  if (!parameters.value()->is_object())
    parameters.InvalidAs("\"<value omitted>\"", "must be a valid JSON object");
}

void ValidateDeviceClaim(const Field& devices) {
  const Field requests = devices["requests"];
  const RequestNames names(requests);
  ForEachDistinct(requests, kMaxItems, "name", ValidateRequest);
  const auto validate_references = [&](const Field& item) {
    ForEachDistinct(item["requests"], kMaxItems, "",
                    [&](const Field& reference) { names.ValidateReference(reference); });
  };
  ForEachItem(devices["constraints"], kMaxItems, [&](const Field& constraint) {
    validate_references(constraint);
    const Field attribute = constraint["matchAttribute"];
    const Field distinct = constraint["distinctAttribute"];
    if (attribute) {
      ValidateAttributeName(attribute, true);
    } else if (distinct) {
      ValidateAttributeName(distinct, true);
    } else {
      attribute.Required();
    }
  });
  ForEachItem(devices["config"], kMaxItems, [&](const Field& config) {
    validate_references(config);
    ValidateOpaque(config);
  });
}

class ResourceClaimStrategy : public ImmutableFieldsStrategy {
 public:
  ResourceClaimStrategy()
      : ImmutableFieldsStrategy({.has_status = true, .status_retains_metadata = true}, {"spec"}) {}

  void SetDefaults(JsonObject& claim) const override {
    if (JsonObject* spec = FindObject(claim, "spec")) SetClaimDefaults(*spec);
  }
  void PrepareForCreate(JsonObject& claim) const override { claim["status"] = JsonObject(); }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    ValidateDeviceClaim(root["spec.devices"]);
  }
};

class ResourceClaimTemplateStrategy : public ImmutableFieldsStrategy {
 public:
  ResourceClaimTemplateStrategy() : ImmutableFieldsStrategy({}, {"spec"}) {}

  void SetDefaults(JsonObject& claim) const override {
    if (JsonObject* spec = FindObject(claim, "spec.spec")) SetClaimDefaults(*spec);
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field metadata = root["spec.metadata"];
    ValidateAnnotations(metadata["annotations"]);
    ValidateLabels(metadata["labels"]);
    for (std::string_view name : metadata.Keys()) {
      if (name != "annotations" && name != "labels")
        metadata[name].Forbidden("field is not allowed in template metadata");
    }
    ValidateDeviceClaim(root["spec.spec.devices"]);
  }
};

class DeviceClassStrategy : public KindStrategy {
 public:
  DeviceClassStrategy() : KindStrategy({.counts_generations = true}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    ValidateSelectors(spec["selectors"]);
    ForEachItem(spec["config"], kMaxItems, ValidateOpaque);
  }
};

void ValidateAttribute(const Field& attribute) {
  size_t count = 0;
  for (std::string_view name : {"bool", "int", "string", "version"}) {
    const Field value = attribute[name];
    if (!value) continue;
    ++count;
    if (name == "version") {
      static const CompiledPattern kVersion;
      if (!kVersion.Matches(
              R"(^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$)",
              value.Text()))
        value.Invalid("must be a string compatible with semver.org spec 2.0.0");
    }
    if (value.IsText() && static_cast<int64_t>(value.size()) > kMaxAttributeText)
      value.TooLong(kMaxAttributeText);
  }
  if (count == 0) attribute.Required("exactly one value must be specified");
  if (count > 1) attribute.Invalid("exactly one value must be specified");
}

void ValidateNames(const Field& map) {
  for (std::string_view key : map.Keys()) {
    const Json text(key);
    const FieldPath path = map.path().Key(key);
    ValidateAttributeName(Field(&text, path, map.errors()), false);
  }
}

void ValidateDevice(const Field& device) {
  MustBeLabelEvenEmpty(device["name"]);
  const Field attributes = device["attributes"];
  const Field capacity = device["capacity"];
  const size_t total = attributes.size() + capacity.size();
  if (total > kMaxAttributes)
    device.Invalid(Json(static_cast<int64_t>(total)),
                   fmt::format("the total number of attributes and capacities must not exceed {}",
                               kMaxAttributes));
  ValidateNames(attributes);
  for (std::string_view key : attributes.Keys()) ValidateAttribute(attributes.Entry(key));
  ValidateNames(capacity);
}

class ResourceSliceStrategy : public ImmutableFieldsStrategy {
 public:
  ResourceSliceStrategy()
      : ImmutableFieldsStrategy({.counts_generations = true},
                                {"spec.driver", "spec.nodeName", "spec.pool.name"}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    ValidateDriverName(spec["driver"]);
    const Field pool = spec["pool"];
    ValidatePool(pool);
    ValidateNodes(spec);
    ForEachDistinct(spec["devices"], kMaxDevices, "name", ValidateDevice);
  }

 private:
  static void ValidatePool(const Field& pool) {
    const Field name = pool["name"];
    if (name.MustBeSet()) {
      if (static_cast<int64_t>(name.size()) > kMaxPoolName) name.TooLong(kMaxPoolName);
      std::string_view rest = name.Text();
      while (true) {
        const size_t slash = rest.find('/');
        for (const std::string& problem : ValidateDns1123Subdomain(rest.substr(0, slash)))
          name.Invalid(Json(rest.substr(0, slash)), problem);
        if (slash == std::string_view::npos) break;
        rest.remove_prefix(slash + 1);
      }
    }
    const Field count = pool["resourceSliceCount"];
    if (count.Int() <= 0) count.Invalid(Json(count.Int()), "must be greater than zero");
    const Field generation = pool["generation"];
    if (generation.Int() < 0) generation.Invalid("must be greater than or equal to zero");
  }

  // Exactly one field names the nodes that can use the devices.
  static void ValidateNodes(const Field& spec) {
    constexpr std::string_view kRule =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
        "required";
    std::vector<std::string> set;
    if (const Field node = spec["nodeName"]) {
      if (node.empty()) {
        node.Invalid("must be either unset or set to a non-empty string");
      } else {
        set.emplace_back("`nodeName`");
        node.MustBeSubdomain();
      }
    }
    if (const Field selector = spec["nodeSelector"]) {
      set.emplace_back("`nodeSelector`");
      ValidateNodeSelector(selector);
      const Field terms = selector["nodeSelectorTerms"];
      if (terms.size() != 1) terms.Invalid("must have exactly one node selector term");
    }
    for (std::string_view name : {"allNodes", "perDeviceNodeSelection"}) {
      const Field flag = spec[name];
      if (!flag) continue;
      if (flag.IsTrue()) {
        set.push_back(fmt::format("`{}`", name));
      } else {
        flag.Invalid("must be either unset or set to true");
      }
    }
    if (set.empty()) spec.Required(kRule);
    if (set.size() > 1)
      spec.Invalid(Json(fmt::format("{{{}}}", fmt::join(set, ", "))),
                   fmt::format("{}, but multiple fields are set", kRule));
  }
};

}  // namespace

void AddDeviceStrategies(StrategyTable& table) {
  constexpr std::string_view kGroup = "resource.k8s.io";
  table.Add(kGroup, "ResourceClaim", std::make_unique<ResourceClaimStrategy>());
  table.Add(kGroup, "ResourceClaimTemplate", std::make_unique<ResourceClaimTemplateStrategy>());
  table.Add(kGroup, "ResourceSlice", std::make_unique<ResourceSliceStrategy>());
  table.Add(kGroup, "DeviceClass", std::make_unique<DeviceClassStrategy>());
}

}  // namespace kubexms
