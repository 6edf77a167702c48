#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

// "a.example.com": webhooks have fully qualified names.
void ValidateFullyQualifiedName(const Field& name) {
  if (!name.MustBeSet()) return;
  const Messages problems = ValidateDns1123Subdomain(name.Text());
  name.Report(problems);
  const auto dots = std::count(name.Text().begin(), name.Text().end(), '.');
  if (problems.empty() && dots < 2)
    name.Invalid("should be a domain with at least three segments separated by dots");
}

void ValidateServicePath(const Field& path) {
  std::string_view rest = path.Text();
  if (rest.empty() || rest == "/") return;
  if (rest == "//") return path.Invalid("segment[0] may not be empty");
  if (!rest.starts_with('/')) path.Invalid("must start with a '/'");
  rest.remove_prefix(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t i = 0;; ++i) {
    const size_t slash = rest.find('/');
    const std::string_view step = rest.substr(0, slash);
    if (step.empty()) path.Invalid(fmt::format("segment[{}] may not be empty", i));
    if (!step.empty()) {
      for (const std::string& problem : ValidateDns1123Subdomain(step))
        path.Invalid(fmt::format("segment[{}]: {}", i, problem));
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void ValidateClientConfig(const Field& config) {
  const Field url = config["url"];
  const Field service = config["service"];
  if (bool(url) == bool(service))
    return config.Required("exactly one of url or service is required");
  if (url && !url.Text().starts_with("https://"))
    url.Invalid("'https' is the only allowed URL scheme; desired format: https://host[/path]");
  if (!service) return;
  service["name"].MustBeSet();
  service["namespace"].MustBeSet();
  const Field port = service["port"];
  if (port && (port.Int() < 1 || port.Int() > 65535))
    port.Invalid("port is not valid: must be between 1 and 65535, inclusive");
  ValidateServicePath(service["path"]);
}

// A list with the wildcard "*" may have no other item.
void ValidateWildcard(const Field& list) {
  if (list.size() < 2) return;
  for (const Field& item : list.Items()) {
    if (item.Text() != "*") continue;
    list.Invalid("if '*' is present, must not specify other values");
    return;
  }
}

void ValidateRule(const Field& rule) {
  const Field operations = rule["operations"];
  operations.MustBeSet();
  ValidateWildcard(operations);
  for (const Field& operation : operations.Items())
    operation.OneOf({"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
  for (std::string_view name : {"apiGroups", "apiVersions"}) {
    const Field list = rule[name];
    list.MustBeSet();
    ValidateWildcard(list);
  }
  for (std::string_view name : {"apiVersions", "resources"}) {
    const Field list = rule[name];
    for (const Field& item : list.Items()) item.MustBeSet();
  }
  rule["resources"].MustBeSet();
  rule["scope"].OneOf({"*", "Cluster", "Namespaced"});
}

// matchConditions of a webhook or policy.
void ValidateMatchConditions(const Field& conditions) {
  if (conditions.size() > 64) conditions.TooMany(64);
  UniqueTexts names;
  for (const Field& condition : conditions.Items()) {
    condition["expression"].MustBeSet();
    const Field name = condition["name"];
    if (name.MustBeSet()) name.Report(ValidateQualifiedName(name.Text()));
    names.Add(name);
  }
}

void ValidateWebhook(const Field& hook, UniqueTexts& names) {
  const Field name = hook["name"];
  ValidateFullyQualifiedName(name);
  names.Add(name);
  const Field config = hook["clientConfig"];
  ValidateClientConfig(config);
  const Field rules = hook["rules"];
  for (const Field& rule : rules.Items()) ValidateRule(rule);
  hook["failurePolicy"].OneOf({"Fail", "Ignore"});
  hook["matchPolicy"].OneOf({"Equivalent", "Exact"});
  hook["sideEffects"].SetAndOneOf({"None", "NoneOnDryRun"});
  const Field versions = hook["admissionReviewVersions"];
  if (versions.empty()) {
    versions.Required("must specify one of v1, v1beta1");
  } else {
    bool known = false;
    for (const Field& version : versions.Items())
      known = known || version.Text() == "v1" || version.Text() == "v1beta1";
    if (!known) versions.Invalid("must include at least one of v1, v1beta1");
  }
  std::set<std::string_view> seen;
  for (const Field& version : versions.Items()) {
    if (!seen.insert(version.Text()).second) version.Invalid("duplicate version");
  }
  const Field timeout = hook["timeoutSeconds"];
  if (timeout && (timeout.Int() < 1 || timeout.Int() > 30))
    timeout.Invalid("the timeout value must be between 1 and 30 seconds");
  for (std::string_view selector : {"namespaceSelector", "objectSelector"}) {
    const Field field = hook[selector];
    ValidateLabelSelector(field);
  }
  ValidateMatchConditions(hook["matchConditions"]);
}

class WebhookConfigurationStrategy : public KindStrategy {
 public:
  WebhookConfigurationStrategy() : KindStrategy({.counts_generations = true}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field hooks = root["webhooks"];
    UniqueTexts names;
    for (const Field& hook : hooks.Items()) ValidateWebhook(hook, names);
  }
};

class PolicyStrategy : public KindStrategy {
 public:
  PolicyStrategy()
      : KindStrategy(
            {.has_status = true, .counts_generations = true, .status_retains_metadata = true}) {}

  void PrepareForCreate(JsonObject& policy) const override { policy["status"] = JsonObject(); }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    spec["failurePolicy"].SetAndOneOf({"Fail", "Ignore"});
    const Field rules = spec["matchConstraints.resourceRules"];
    if (!spec["matchConstraints"]) {
      spec["matchConstraints"].Required();
    } else {
      rules.MustBeSet();
    }
    for (const Field& rule : rules.Items()) ValidateRule(rule);
    const Field validations = spec["validations"];
    if (validations.empty() && spec["auditAnnotations"].empty())
      validations.Required("validations or auditAnnotations must contain at least one item");
    for (const Field& validation : validations.Items())
      validation["expression"].MustBeSet("expression is not specified");
    if (const Field kind = spec["paramKind"]) ValidateParamKind(kind);
    ValidateAuditAnnotations(spec["auditAnnotations"], root["metadata.name"].Text());
    ValidateMatchConditions(spec["matchConditions"]);
    const Field variables = spec["variables"];
    for (const Field& variable : variables.Items()) {
      variable["name"].MustBeSet("name is not specified");
      variable["expression"].MustBeSet("expression is not specified");
    }
  }

 private:
  static void ValidateParamKind(const Field& param) {
    const Field version = param["apiVersion"];
    if (version.MustBeSet()) {
      const std::string_view text = version.Text();
      const size_t slash = text.find('/');
      const std::string_view last = slash == std::string_view::npos ? text : text.substr(slash + 1);
      if (slash != std::string_view::npos) {
        for (const std::string& problem : ValidateDns1123Subdomain(text.substr(0, slash)))
          version.Invalid(Json(text.substr(0, slash)), problem);
      }
      for (const std::string& problem : ValidateDns1035Label(last))
        version.Invalid(Json(last), problem);
    }
    const Field kind = param["kind"];
    if (!kind.MustBeSet()) return;
    std::string lower(kind.Text());
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const std::string& problem : ValidateDns1035Label(lower))
      kind.Invalid("may have mixed case, but should otherwise match: " + problem);
  }

  static void ValidateAuditAnnotations(const Field& annotations, std::string_view policy) {
    if (annotations.size() > 20) annotations.TooMany(20);
    UniqueTexts keys;
    for (const Field& annotation : annotations.Items()) {
      const Field key = annotation["key"];
      const std::string name = fmt::format("{}/{}", policy, key.Text());
      for (const std::string& problem : ValidateQualifiedName(name))
        key.Invalid(Json(name), problem);
      keys.Add(key);
      annotation["valueExpression"].MustBeSet("valueExpression is not specified");
    }
  }
};

class PolicyBindingStrategy : public KindStrategy {
 public:
  PolicyBindingStrategy() : KindStrategy({.counts_generations = true}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field policy = spec["policyName"];
    if (policy.MustBeSet()) policy.MustBeSubdomain();
    if (const Field param = spec["paramRef"]) ValidateParamRef(param);
    for (std::string_view name : {"namespaceSelector", "objectSelector"}) {
      const Field match = spec["matchResources"];
      const Field selector = match[name];
      ValidateLabelSelector(selector);
    }
    const Field actions = spec["validationActions"];
    actions.MustBeSet();
    UniqueTexts seen;
    for (const Field& action : actions.Items()) {
      action.OneOf({"Audit", "Deny", "Warn"});
      seen.Add(action);
    }
    if (seen.Contains("Deny") && seen.Contains("Warn"))
      actions.Invalid(
          "must not contain both Deny and Warn (repeating the same validation failure "
          "information in the API response and headers serves no purpose)");
  }

 private:
  static void ValidateParamRef(const Field& param) {
    const Field name = param["name"];
    const Field selector = param["selector"];
    if (!name.empty() && selector) {
      name.Forbidden("name and selector are mutually exclusive");
    } else if (name.empty() && !selector) {
      param.Required("one of name or selector must be specified");
    }
    if (!name.empty()) name.Report(ValidatePathSegmentName(name.Text()));
    ValidateLabelSelector(selector);
    const Field action = param["parameterNotFoundAction"];
    if (!action) return action.Required();
    action.MustBeOneOf({"Allow", "Deny"});
  }
};

}  // namespace

void AddAdmissionStrategies(StrategyTable& table) {
  table.Add(kGroup, "ValidatingWebhookConfiguration",
            std::make_unique<WebhookConfigurationStrategy>());
  table.Add(kGroup, "MutatingWebhookConfiguration",
            std::make_unique<WebhookConfigurationStrategy>());
  table.Add(kGroup, "ValidatingAdmissionPolicy", std::make_unique<PolicyStrategy>());
  table.Add(kGroup, "ValidatingAdmissionPolicyBinding", std::make_unique<PolicyBindingStrategy>());
}

}  // namespace kubexms
