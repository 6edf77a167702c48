// Columns of quotas, budgets, role bindings and admission policies.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kubexms/apiserver/table/printers/printer.h"

namespace kubexms::printers {
namespace {

constexpr Column kBudgetColumns[] = {
    kName,
    Text("Min Available", "The number of pods that must remain available."),
    Text("Max Unavailable", "The number of pods that may be unavailable."),
    Integer("Allowed Disruptions", "The number of pods that may currently be evicted."),
    kAge,
};

void PrintBudget(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  row.Add(Name(object), spec["minAvailable"].ToText("N/A"), spec["maxUnavailable"].ToText("N/A"),
          object["status"]["disruptionsAllowed"].Number(), row.Age(object));
}

constexpr Column kQuotaColumns[] = {
    kName,
    Text("Request", "The used and the allowed amounts of requests and object counts."),
    Text("Limit", "The used and the allowed amounts of limits."),
    kAge,
};

void PrintQuota(JsonView object, Row& row) {
  const JsonView used = object["status"]["used"];
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const auto& [resource, hard] : object["status"]["hard"].Members()) {
    auto& column = resource.starts_with("limits.") ? limits : requests;
    column.push_back(fmt::format("{}: {}/{}", resource, used[resource].ToText("0"), hard.ToText()));
  }
  std::ranges::sort(requests);
  std::ranges::sort(limits);
  row.Add(Name(object), fmt::format("{}", fmt::join(requests, ", ")),
          fmt::format("{}", fmt::join(limits, ", ")), row.Age(object));
}

constexpr Column kBindingColumns[] = {
    kName,
    Text("Role", "The role that is granted."),
    kAge,
    Wide("Users", "The users in the subjects of the binding."),
    Wide("Groups", "The groups in the subjects of the binding."),
    Wide("ServiceAccounts", "The service accounts in the subjects of the binding."),
};

std::string SubjectNames(JsonView subjects, std::string_view kind) {
  std::vector<std::string> names;
  for (const JsonView& subject : subjects.Items()) {
    if (subject["kind"].Text() != kind) continue;
    std::string name(subject["name"].Text());
    if (kind == "ServiceAccount") name = fmt::format("{}/{}", subject["namespace"].Text(), name);
    names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void PrintBinding(JsonView object, Row& row) {
  const JsonView role = object["roleRef"];
  const JsonView subjects = object["subjects"];
  row.Add(Name(object), fmt::format("{}/{}", role["kind"].Text(), role["name"].Text()),
          row.Age(object), SubjectNames(subjects, "User"), SubjectNames(subjects, "Group"),
          SubjectNames(subjects, "ServiceAccount"));
}

constexpr Column kWebhookColumns[] = {
    kName,
    Integer("Webhooks", "The number of webhooks."),
    kAge,
};

void PrintWebhooks(JsonView object, Row& row) {
  row.Add(Name(object), object["webhooks"].size(), row.Age(object));
}

constexpr Column kPolicyColumns[] = {
    kName,
    Integer("Validations", "The number of validation expressions."),
    Text("ParamKind", "The kind of its parameters."),
    kAge,
};

void PrintPolicy(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  const JsonView kind = spec["paramKind"];
  row.Add(Name(object), spec["validations"].size(),
          kind ? fmt::format("{}/{}", kind["apiVersion"].Text(), kind["kind"].Text()) : "<unset>",
          row.Age(object));
}

constexpr Column kPolicyBindingColumns[] = {
    kName,
    Text("PolicyName", "The policy that the binding activates."),
    Text("ParamRef", "The parameter object of the policy."),
    kAge,
};

std::string ParameterReference(JsonView reference) {
  const std::string_view name = reference["name"].Text();
  if (!name.empty()) return fmt::format("{}/{}", reference["namespace"].Text("*"), name);
  return reference["selector"] ? FormatSelector(reference["selector"]) : "<unset>";
}

void PrintPolicyBinding(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  row.Add(Name(object), spec["policyName"].Text(), ParameterReference(spec["paramRef"]),
          row.Age(object));
}

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

constexpr Printer kPrinters[] = {
    {"", "v1", "ResourceQuota", kQuotaColumns, PrintQuota},
    {kAdmission, "v1", "MutatingWebhookConfiguration", kWebhookColumns, PrintWebhooks},
    {kAdmission, "v1", "ValidatingAdmissionPolicy", kPolicyColumns, PrintPolicy},
    {kAdmission, "v1", "ValidatingAdmissionPolicyBinding", kPolicyBindingColumns,
     PrintPolicyBinding},
    {kAdmission, "v1", "ValidatingWebhookConfiguration", kWebhookColumns, PrintWebhooks},
    {"policy", "v1", "PodDisruptionBudget", kBudgetColumns, PrintBudget},
    {kRbac, "v1", "ClusterRoleBinding", kBindingColumns, PrintBinding},
    {kRbac, "v1", "RoleBinding", kBindingColumns, PrintBinding},
};

}  // namespace

std::span<const Printer> PolicyPrinters() { return kPrinters; }

}  // namespace kubexms::printers
