#include <fmt/format.h>

#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

void ValidateNodeRequirement(const Field& requirement) {
  const Field values = requirement["values"];
  const Field op = requirement["operator"];
  const std::string_view text = op.Text();
  if (text == "In" || text == "NotIn") {
    values.MustBeSet("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (text == "Exists" || text == "DoesNotExist") {
    if (!values.empty())
      values.Forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (text == "Gt" || text == "Lt") {
    if (values.size() != 1)
      values.Required("must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    op.Invalid("not a valid selector operator");
  }
}

// metadata.name is the only supported field.
void ValidateFieldRequirement(const Field& requirement) {
  const Field values = requirement["values"];
  const Field op = requirement["operator"];
  if (op.Text() != "In" && op.Text() != "NotIn") {
    op.Invalid("not a valid selector operator");
  } else if (values.size() != 1) {
    values.Required(
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  const Field key = requirement["key"];
  if (key.Text() != "metadata.name") return key.Invalid("not a valid field selector key");
  for (const Field& value : values.Items()) value.MustBeSubdomain();
}

// Invalid label values are tolerated in preferences.
enum class LabelValues { kAny, kValid };

void ValidateNodeTerm(const Field& term, LabelValues allowed) {
  const Field expressions = term["matchExpressions"];
  for (const Field& requirement : expressions.Items()) {
    ValidateNodeRequirement(requirement);
    const Field key = requirement["key"];
    key.Report(ValidateQualifiedName(key.Text()));
    const Field values = requirement["values"];
    if (allowed == LabelValues::kAny) continue;
    for (const Field& value : values.Items()) value.Report(ValidateLabelValue(value.Text()));
  }
  const Field fields = term["matchFields"];
  for (const Field& requirement : fields.Items()) ValidateFieldRequirement(requirement);
}

void ValidateWeight(const Field& preference) {
  const Field weight = preference["weight"];
  if (weight.Int() < 1 || weight.Int() > 100)
    weight.Invalid(Json(weight.Int()), "must be in the range 1-100");
}

void ValidateNodeAffinity(const Field& affinity) {
  if (const Field required = affinity["requiredDuringSchedulingIgnoredDuringExecution"])
    ValidateNodeSelector(required);
  const Field preferred = affinity["preferredDuringSchedulingIgnoredDuringExecution"];
  for (const Field& preference : preferred.Items()) {
    ValidateWeight(preference);
    const Field term = preference["preference"];
    ValidateNodeTerm(term, LabelValues::kAny);
  }
}

// matchLabelKeys and mismatchLabelKeys.
void ValidateLabelKeys(const Field& keys, const Field& selector) {
  if (keys.empty()) return;
  if (!selector) return keys.Forbidden("must not be specified when labelSelector is not set");
  for (const Field& key : keys.Items()) key.Report(ValidateQualifiedName(key.Text()));
}

void ValidateMatchLabelKeys(const Field& parent) {
  const Field selector = parent["labelSelector"];
  const Field matching = parent["matchLabelKeys"];
  const Field mismatching = parent["mismatchLabelKeys"];
  ValidateLabelKeys(matching, selector);
  ValidateLabelKeys(mismatching, selector);
  UniqueTexts excluded;
  for (const Field& key : mismatching.Items()) excluded.Insert(key.Text());
  for (const Field& key : matching.Items()) {
    if (excluded.Contains(key.Text()))
      key.Invalid("exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

void ValidatePodTerm(const Field& term) {
  const Field selector = term["labelSelector"];
  ValidateLabelSelector(selector);
  const Field namespace_selector = term["namespaceSelector"];
  ValidateLabelSelector(namespace_selector);
  ValidateMatchLabelKeys(term);
  const Field namespaces = term["namespaces"];
  for (const Field& name : namespaces.Items()) {
    const Field shown(name.value(), term.path().Child("namespace"), name.errors());
    shown.MustBeLabel();
  }
  const Field key = term["topologyKey"];
  key.MustBeSet("can not be empty");
  key.Report(ValidateQualifiedName(key.Text()));
}

void ValidatePodAffinity(const Field& affinity) {
  const Field required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  for (const Field& term : required.Items()) ValidatePodTerm(term);
  const Field preferred = affinity["preferredDuringSchedulingIgnoredDuringExecution"];
  for (const Field& preference : preferred.Items()) {
    ValidateWeight(preference);
    const Field term = preference["podAffinityTerm"];
    ValidatePodTerm(term);
  }
}

// The pair that must be unique among the constraints.
std::string PairOf(const Field& constraint) {
  return fmt::format("{{{}, {}}}", constraint["topologyKey"].Text(),
                     constraint["whenUnsatisfiable"].Text());
}

void ValidateSpreadConstraint(const Field& constraint) {
  const Field skew = constraint["maxSkew"];
  if (skew.Int() <= 0) skew.Invalid(Json(skew.Int()), "must be greater than zero");
  constraint["topologyKey"].MustBeSet("can not be empty");
  const Field when = constraint["whenUnsatisfiable"];
  when.MustBeOneOf({"DoNotSchedule", "ScheduleAnyway"});
  const Field domains = constraint["minDomains"];
  if (domains && domains.Int() <= 0) domains.Invalid("must be greater than zero");
  if (domains && when.Text() != "DoNotSchedule")
    domains.Invalid("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " +
                    std::string(when.Text()));
  for (std::string_view name : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
    if (const Field policy = constraint[name]) policy.MustBeOneOf({"Honor", "Ignore"});
  }
  ValidateMatchLabelKeys(constraint);
  const Field selector = constraint["labelSelector"];
  ValidateLabelSelector(selector);
}

void ValidateSpreadConstraints(const Field& constraints) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Field constraint = constraints.Item(i);
    ValidateSpreadConstraint(constraint);
    const std::string pair = PairOf(constraint);
    for (size_t other = i + 1; other < constraints.size(); ++other) {
      if (PairOf(constraints.Item(other)) != pair) continue;
      constraint["{topologyKey, whenUnsatisfiable}"].Duplicate(Json(pair));
      break;
    }
  }
}

void ValidateSchedulingGates(const Field& gates) {
  UniqueTexts names;
  for (const Field& gate : gates.Items()) {
    const Field name(gate["name"].value(), gate.path(), gate.errors());
    name.Report(ValidateQualifiedName(name.Text()));
    names.Add(name);
  }
}

void ValidateToleration(const Field& toleration) {
  const Field key = toleration["key"];
  const Field op = toleration["operator"];
  const Field value = toleration["value"];
  const Field effect = toleration["effect"];
  if (!key.empty()) key.Report(ValidateQualifiedName(key.Text()));
  if (key.empty() && op.Text() != "Exists")
    op.Invalid(
        "operator must be Exists when `key` is empty, which means \"match all values and all "
        "keys\"");
  if (toleration["tolerationSeconds"] && effect.Text() != "NoExecute")
    effect.Invalid("effect must be 'NoExecute' when `tolerationSeconds` is set");
  if (op.Text() == "Exists") {
    if (!value.empty())
      op.Invalid(value.ToJson(), "value must be empty when `operator` is 'Exists'");
  } else if (op.empty() || op.Text() == "Equal") {
    for (const std::string& problem : ValidateLabelValue(value.Text()))
      op.Invalid(value.ToJson(), problem);
  } else {
    op.NotSupported({"Equal", "Exists"});
  }
  effect.OneOf({"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

}  // namespace

void ValidateNodeSelector(const Field& node_selector) {
  const Field terms = node_selector["nodeSelectorTerms"];
  terms.MustBeSet("must have at least one node selector term");
  for (const Field& term : terms.Items()) ValidateNodeTerm(term, LabelValues::kValid);
}

void ValidateTolerations(const Field& tolerations) {
  for (const Field& toleration : tolerations.Items()) ValidateToleration(toleration);
}

void ValidateScheduling(const Field& spec) {
  const Field affinity = spec["affinity"];
  const Field node = affinity["nodeAffinity"];
  ValidateNodeAffinity(node);
  for (std::string_view name : {"podAffinity", "podAntiAffinity"}) {
    const Field pods = affinity[name];
    ValidatePodAffinity(pods);
  }
  const Field gates = spec["schedulingGates"];
  ValidateSchedulingGates(gates);
  const Field constraints = spec["topologySpreadConstraints"];
  ValidateSpreadConstraints(constraints);
}

}  // namespace kubexms
