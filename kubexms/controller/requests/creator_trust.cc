#include "kubexms/controller/requests/creator_trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/api/creator.h"
#include "kubexms/api/kinds/apiextensions_v1.h"
#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

using admissionregistrationv1::ValidatingAdmissionPolicy;
using admissionregistrationv1::ValidatingAdmissionPolicyBinding;
using apiextensionsv1::CustomResourceDefinition;

constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";
constexpr const char* kFieldManager = "kubexms";

std::string Annotation(const ObjectMeta& metadata, std::string_view name) {
  const auto found = metadata.annotations.find(name);
  return found == metadata.annotations.end() ? "" : found->second;
}

std::vector<std::string> ReadGroups(const std::string& json) {
  std::vector<std::string> groups;
  const Result<Json> list = ParseJson(json);
  if (!list.ok() || !list->is_array()) return groups;
  for (const Json& item : list->get_array()) {
    if (item.is_string()) groups.emplace_back(item.get_string());
  }
  return groups;
}

// The groups that the authenticator of every Kubernetes puts a user of this name in.
std::vector<std::string> GroupsByName(std::string_view user) {
  std::vector<std::string> groups{"system:authenticated"};
  if (!user.starts_with(kServiceAccountPrefix)) return groups;
  user.remove_prefix(kServiceAccountPrefix.size());
  groups.emplace_back("system:serviceaccounts");
  groups.push_back(fmt::format("system:serviceaccounts:{}", user.substr(0, user.find(':'))));
  return groups;
}

Result<bool> IsKubexms(Client& client, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const SharedBytes answer, client.GetPath("/version", stop));
  ASSIGN_OR_RETURN(const Json version, ParseJson(answer.view()));
  return FindString(version, "gitVersion").find("+kubexms") != std::string_view::npos;
}

// None where the object is missing or may not be read.
template <Kind T>
Result<std::optional<T>> Find(Client& client, const std::string& name,
                              const std::stop_token& stop) {
  Result<T> object = client.Get<T>({"", name}, {.stop = stop});
  if (object.ok()) return std::optional<T>(*std::move(object));
  const Error& error = object.error();
  if (error.IsNotFound() || error.IsForbidden()) return std::optional<T>();
  return error;
}

// A CEL expression: the creator that `object` names, or "".
std::string CreatorNamedBy(std::string_view object) {
  return fmt::format(
      "{0} != null && has({0}.metadata.annotations) && '{1}' in {0}.metadata.annotations ? "
      "{0}.metadata.annotations['{1}'] : ''",
      object, kCreatorAnnotation);
}

Result<CreatorTrust> TrustInKubexms(Client& client, const ResourceType& resource,
                                    const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const auto definition,
                   Find<CustomResourceDefinition>(client, resource.QualifiedName(), stop));
  const bool records =
      definition && Annotation(definition->metadata, kRecordCreatorAnnotation) == "true";
  return CreatorTrust{records ? CreatorTrust::Source::kServer : CreatorTrust::Source::kNone, {}};
}

// A policy that an administrator weakened, such as by a match condition, is not trusted.
Result<CreatorTrust> TrustInPolicy(Client& client, const ResourceType& resource,
                                   const std::stop_token& stop) {
  const CreatorPolicy wanted = CreatorPolicyFor(resource);
  const std::string& name = wanted.policy.metadata.name;
  ASSIGN_OR_RETURN(const auto policy, Find<ValidatingAdmissionPolicy>(client, name, stop));
  if (!policy || Encode(policy->spec) != Encode(wanted.policy.spec)) return CreatorTrust();
  ASSIGN_OR_RETURN(const auto binding, Find<ValidatingAdmissionPolicyBinding>(client, name, stop));
  if (!binding || Encode(binding->spec) != Encode(wanted.binding.spec)) return CreatorTrust();
  const Time made =
      std::max(policy->metadata.creation_timestamp, binding->metadata.creation_timestamp);
  return CreatorTrust{CreatorTrust::Source::kPolicy, Time(made.value() + kCreatorPolicyDelay)};
}

}  // namespace

Result<CreatorTrust> FindCreatorTrust(Client& client, const ResourceType& resource,
                                      std::stop_token stop) {
  ASSIGN_OR_RETURN(const bool is_kubexms, IsKubexms(client, stop));
  return is_kubexms ? TrustInKubexms(client, resource, stop)
                    : TrustInPolicy(client, resource, stop);
}

Requester RequesterOf(const ObjectMeta& metadata, const CreatorTrust& trust) {
  std::string creator = Annotation(metadata, kCreatorAnnotation);
  if (trust.source == CreatorTrust::Source::kServer) {
    return {.user = std::move(creator),
            .groups = ReadGroups(Annotation(metadata, kCreatorGroupsAnnotation))};
  }
  const bool checked = trust.source == CreatorTrust::Source::kPolicy && !creator.empty() &&
                       metadata.creation_timestamp >= trust.since;
  if (!checked) return {.claimed = std::move(creator)};
  std::vector<std::string> groups = GroupsByName(creator);
  return {.user = std::move(creator), .groups = std::move(groups)};
}

CreatorPolicy CreatorPolicyFor(const ResourceType& resource) {
  CreatorPolicy made;
  const std::string name = "kubexms-creator." + resource.QualifiedName();
  made.policy.metadata.name = name;
  admissionregistrationv1::ValidatingAdmissionPolicySpec& spec = made.policy.spec;
  spec.failure_policy = "Fail";
  admissionregistrationv1::MatchResources& match = spec.match_constraints.emplace();
  match.match_policy = "Equivalent";
  match.namespace_selector.emplace();
  match.object_selector.emplace();
  admissionregistrationv1::NamedRuleWithOperations rule;
  rule.api_groups = {resource.group};
  rule.api_versions = {"*"};
  rule.operations = {"CREATE", "UPDATE"};
  rule.resources = {resource.plural};
  rule.scope = "*";
  match.resource_rules.push_back(std::move(rule));
  const auto add_variable = [&spec](std::string_view variable, std::string expression) {
    admissionregistrationv1::Variable added;
    added.name = variable;
    added.expression = std::move(expression);
    spec.variables.push_back(std::move(added));
  };
  add_variable("creator", CreatorNamedBy("object"));
  add_variable("recorded", CreatorNamedBy("oldObject"));
  admissionregistrationv1::Validation at_creation;
  at_creation.expression =
      "request.operation != 'CREATE' || variables.creator in ['', request.userInfo.username]";
  at_creation.message_expression = fmt::format(
      "'the annotation {} must be ' + request.userInfo.username + ', who creates the object'",
      kCreatorAnnotation);
  spec.validations.push_back(std::move(at_creation));
  admissionregistrationv1::Validation later;
  later.expression = "request.operation == 'CREATE' || variables.creator == variables.recorded";
  later.message =
      fmt::format("the annotation {} cannot be changed after creation", kCreatorAnnotation);
  spec.validations.push_back(std::move(later));
  made.binding.metadata.name = name;
  made.binding.spec.policy_name = name;
  made.binding.spec.validation_actions = {"Deny"};
  return made;
}

Result<void> InstallCreatorPolicies(Client& client, const std::vector<ResourceType>& resources,
                                    Clock& clock, std::stop_token stop) {
  ASSIGN_OR_RETURN(const bool is_kubexms, IsKubexms(client, stop));
  if (is_kubexms) return {};
  const ApplyOptions options{.field_manager = kFieldManager, .force = true, .stop = stop};
  bool is_new = false;
  for (const ResourceType& resource : resources) {
    const CreatorPolicy wanted = CreatorPolicyFor(resource);
    const std::string& name = wanted.policy.metadata.name;
    ASSIGN_OR_RETURN(const auto known, Find<ValidatingAdmissionPolicyBinding>(client, name, stop));
    is_new = is_new || !known;
    const auto applied = client.Apply(wanted.policy, options);
    // Kubernetes before v1.30.
    if (!applied.ok() && applied.error().IsNotFound()) return {};
    if (!applied.ok()) return applied.error().WithContext("install the policy " + name);
    RETURN_IF_ERROR(client.Apply(wanted.binding, options));
  }
  if (is_new && !clock.SleepFor(kCreatorPolicyDelay, stop)) {
    return Error::Timeout("stopped before the policies about creators were in force");
  }
  return {};
}

std::vector<ResourceAccess> AccessToCreatorTrust() {
  return {{ResourceType::Of<CustomResourceDefinition>(), "", {"get"}},
          {ResourceType::Of<ValidatingAdmissionPolicy>(), "", {"get"}},
          {ResourceType::Of<ValidatingAdmissionPolicyBinding>(), "", {"get"}}};
}

std::vector<ResourceAccess> AccessToInstallCreatorPolicies() {
  return {{ResourceType::Of<ValidatingAdmissionPolicy>(), "", {"create", "patch"}},
          {ResourceType::Of<ValidatingAdmissionPolicyBinding>(), "", {"create", "patch"}}};
}

}  // namespace kubexms
