#include <algorithm>

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

// "a.example.com": webhooks are named like hosts.
void ValidateFullyQualifiedName(const Field& name) {
  if (!name.MustBeSet()) return;
  const Messages problems = ValidateDns1123Subdomain(name.Text());
  name.Accept(problems);
  const auto dots = std::count(name.Text().begin(), name.Text().end(), '.');
  if (problems.empty() && dots < 2)
    name.Invalid("should be a domain with at least three segments separated by dots");
}

void ValidateClientConfig(const Field& config) {
  const Field url = config["url"];
  const Field service = config["service"];
  if (bool(url) == bool(service))
    return config.Required("exactly one of url or service is required");
  if (url && !url.Text().starts_with("https://"))
    url.Invalid("'https' is the only allowed URL scheme; desired format: https://host[/path]");
  if (!service) return;
  service["name"].MustBeSet("service name is required");
  service["namespace"].MustBeSet("service namespace is required");
  const Field port = service["port"];
  if (port && (port.Int() < 1 || port.Int() > 65535))
    port.Invalid("port is not valid: must be between 1 and 65535, inclusive");
}

// A list that names everything with "*" may name nothing else.
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
  rule["resources"].MustBeSet();
  rule["scope"].OneOf({"*", "Cluster", "Namespaced"});
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
  const Field timeout = hook["timeoutSeconds"];
  if (timeout && (timeout.Int() < 1 || timeout.Int() > 30))
    timeout.Invalid("the timeout value must be between 1 and 30 seconds");
  for (std::string_view selector : {"namespaceSelector", "objectSelector"}) {
    const Field field = hook[selector];
    ValidateLabelSelector(field);
  }
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
  PolicyStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

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
  }
};

class PolicyBindingStrategy : public KindStrategy {
 public:
  PolicyBindingStrategy() : KindStrategy({.counts_generations = true}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    spec["policyName"].MustBeSet();
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
