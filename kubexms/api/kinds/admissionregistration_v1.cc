#include "kubexms/api/kinds/admissionregistration_v1.h"

namespace kubexms::admissionregistrationv1 {

void AuditAnnotation::Describe(Type<AuditAnnotation>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.AuditAnnotation")
      .Doc(
          "A value that a validating policy computes with CEL and adds to the audit event of a "
          "request.");
  type.Field("key", 1, &AuditAnnotation::key,
             "Last part of the annotation key; the policy name and a slash go before it. Unique "
             "within the policy.")
      .Required();
  type.Field("valueExpression", 2, &AuditAnnotation::value_expression,
             "CEL expression giving the text to record; a null result records nothing.")
      .Required();
}

void ExpressionWarning::Describe(Type<ExpressionWarning>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ExpressionWarning")
      .Doc("A problem that type checking found in one CEL expression of a policy.");
  type.Field("fieldRef", 2, &ExpressionWarning::field_ref,
             "Path, within the policy, of the expression at fault.")
      .Required();
  type.Field("warning", 3, &ExpressionWarning::warning,
             "What is wrong, with the type it was checked against.")
      .Required();
}

void MatchCondition::Describe(Type<MatchCondition>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.MatchCondition")
      .Doc("A CEL test that a request must pass before the webhook or policy is called.");
  type.Field("expression", 2, &MatchCondition::expression,
             "CEL expression with a boolean result; false skips the webhook or policy for this "
             "request.")
      .Required();
  type.Field("name", 1, &MatchCondition::name,
             "Identifies the condition in metrics and errors; unique in its list.")
      .Required();
}

void NamedRuleWithOperations::Describe(Type<NamedRuleWithOperations>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.NamedRuleWithOperations")
      .Atomic()
      .Doc("Operations on resources, optionally only on objects with certain names.");
  type.Field("apiGroups", {2, 2, 1}, &NamedRuleWithOperations::api_groups,
             "API groups; an empty string is the core group and * stands for all.")
      .ListAtomic();
  type.Field("apiVersions", {2, 2, 2}, &NamedRuleWithOperations::api_versions,
             "API versions; * stands for all.")
      .ListAtomic();
  type.Field("operations", {2, 1}, &NamedRuleWithOperations::operations,
             "Operations that match; * stands for all.")
      .Enum({"CREATE", "UPDATE", "DELETE", "CONNECT", "*"})
      .ListAtomic();
  type.Field("resourceNames", 1, &NamedRuleWithOperations::resource_names,
             "Object names that match; empty allows every name.")
      .ListAtomic();
  type.Field("resources", {2, 2, 3}, &NamedRuleWithOperations::resources,
             "Resources in the plural; pods/log is a subresource, pods/* all of its subresources, "
             "*/* everything.")
      .ListAtomic();
  type.Field("scope", {2, 2, 4}, &NamedRuleWithOperations::scope,
             "Cluster, Namespaced, or * (default) for both.")
      .Pointer()
      .Default("*")
      .Enum({"Cluster", "Namespaced", "*"});
}

void MatchResources::Describe(Type<MatchResources>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.MatchResources")
      .Atomic()
      .Doc("Which requests a policy or binding is about.");
  type.Field("excludeResourceRules", 4, &MatchResources::exclude_resource_rules,
             "Requests that match any of these are left out, even if resourceRules includes them.")
      .ListAtomic();
  type.Field("matchPolicy", 7, &MatchResources::match_policy,
             "Exact compares only the group and version of the request; Equivalent (default) also "
             "tries other versions of the same resource.")
      .Pointer()
      .Default("Equivalent")
      .Enum({"Exact", "Equivalent"});
  type.Field("namespaceSelector", 1, &MatchResources::namespace_selector,
             "Labels that the namespace of the object must have; empty selects all. Cluster-scoped "
             "objects other than namespaces always pass.")
      .DefaultJson("{}");
  type.Field("objectSelector", 2, &MatchResources::object_selector,
             "Labels that the new or the old object must have; empty selects all.")
      .DefaultJson("{}");
  type.Field("resourceRules", 3, &MatchResources::resource_rules,
             "Operations and resources that are included; one match is enough.")
      .ListAtomic();
}

void ServiceReference::Describe(Type<ServiceReference>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ServiceReference")
      .Doc("A service in the cluster that answers webhook calls.");
  type.Field("name", 2, &ServiceReference::name).Required();
  type.Field("namespace", 1, &ServiceReference::namespace_name).Required();
  type.Field("path", 3, &ServiceReference::path, "URL path to call; empty is the root.").Pointer();
  type.Field("port", 4, &ServiceReference::port, "Service port, 1 to 65535; 443 by default.")
      .Default(443)
      .Minimum(1)
      .Maximum(65535);
}

void WebhookClientConfig::Describe(Type<WebhookClientConfig>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.WebhookClientConfig")
      .Doc("Where a webhook is and how its certificate is verified; either a service or a URL.");
  type.Field("caBundle", 2, &WebhookClientConfig::ca_bundle,
             "PEM certificates that must have signed the webhook's; absent trusts the roots of the "
             "server's system.");
  type.Field("service", 1, &WebhookClientConfig::service,
             "Service in front of the webhook; not together with url.");
  type.Field("url", 3, &WebhookClientConfig::url,
             "Address that starts with https:// and has no user, query or fragment; not together "
             "with service.")
      .Pointer();
}

void RuleWithOperations::Describe(Type<RuleWithOperations>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.RuleWithOperations")
      .Doc("Operations on resources for which a webhook is called.");
  type.Field("apiGroups", {2, 1}, &RuleWithOperations::api_groups,
             "API groups; an empty string is the core group and * stands for all.")
      .ListAtomic();
  type.Field("apiVersions", {2, 2}, &RuleWithOperations::api_versions,
             "API versions; * stands for all.")
      .ListAtomic();
  type.Field("operations", 1, &RuleWithOperations::operations,
             "Operations that match; * stands for all.")
      .Enum({"CREATE", "UPDATE", "DELETE", "CONNECT", "*"})
      .ListAtomic();
  type.Field("resources", {2, 3}, &RuleWithOperations::resources,
             "Resources in the plural; pods/log is a subresource, pods/* all of its subresources, "
             "*/* everything.")
      .ListAtomic();
  type.Field("scope", {2, 4}, &RuleWithOperations::scope,
             "Cluster, Namespaced, or * (default) for both.")
      .Pointer()
      .Default("*")
      .Enum({"Cluster", "Namespaced", "*"});
}

void MutatingWebhook::Describe(Type<MutatingWebhook>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.MutatingWebhook")
      .Doc("An HTTPS endpoint that may change objects before they are validated and stored.");
  type.Field("admissionReviewVersions", 8, &MutatingWebhook::admission_review_versions,
             "AdmissionReview versions the webhook understands, preferred first; the server uses "
             "the first that it knows.")
      .Required()
      .ListAtomic();
  type.Field("clientConfig", 2, &MutatingWebhook::client_config,
             "How the server reaches the webhook.")
      .Required();
  type.Field(
          "failurePolicy", 4, &MutatingWebhook::failure_policy,
          "What a failed call means: Fail (default) rejects the request, Ignore lets it through.")
      .Pointer()
      .Default("Fail")
      .Enum({"Ignore", "Fail"});
  type.Field("matchConditions", 12, &MutatingWebhook::match_conditions,
             "CEL tests, at most 64, that must all be true for the webhook to be called.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("matchPolicy", 9, &MutatingWebhook::match_policy,
             "Exact compares only the group and version of the request; Equivalent (default) also "
             "tries other versions of the same resource.")
      .Pointer()
      .Default("Equivalent")
      .Enum({"Exact", "Equivalent"});
  type.Field("name", 1, &MutatingWebhook::name,
             "Name of at least three dot-separated parts, such as inject.pods.example.com.")
      .Required();
  type.Field("namespaceSelector", 5, &MutatingWebhook::namespace_selector,
             "Labels that the namespace of the object must have; empty selects all. Cluster-scoped "
             "objects other than namespaces always pass.")
      .DefaultJson("{}");
  type.Field("objectSelector", 11, &MutatingWebhook::object_selector,
             "Labels that the new or the old object must have; empty selects all.")
      .DefaultJson("{}");
  type.Field("reinvocationPolicy", 10, &MutatingWebhook::reinvocation_policy,
             "Whether the webhook is called again when a later one changed the object: Never "
             "(default) or IfNeeded.")
      .Pointer()
      .Default("Never")
      .Enum({"Never", "IfNeeded"});
  type.Field("rules", 3, &MutatingWebhook::rules,
             "Requests that are sent to the webhook; one matching rule is enough.")
      .ListAtomic();
  type.Field("sideEffects", 6, &MutatingWebhook::side_effects,
             "Whether a call changes anything elsewhere: None never does, NoneOnDryRun does unless "
             "the request is a dry run.")
      .WriteNull()
      .Required()
      .Enum({"None", "NoneOnDryRun"});
  type.Field("timeoutSeconds", 7, &MutatingWebhook::timeout_seconds,
             "Seconds to wait for an answer, 1 to 30; 10 by default.")
      .Default(10)
      .Minimum(1)
      .Maximum(30);
}

void MutatingWebhookConfiguration::Describe(Type<MutatingWebhookConfiguration>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration");
  type.Field("metadata", 1, &MutatingWebhookConfiguration::metadata);
  type.Field("webhooks", 2, &MutatingWebhookConfiguration::webhooks,
             "The webhooks; names are unique in the list.")
      .ListMap({"name"})
      .PatchMerge("name");
}

void ParamKind::Describe(Type<ParamKind>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ParamKind")
      .Atomic()
      .Doc("The kind of the objects that supply parameters to a policy.");
  type.Field("apiVersion", 1, &ParamKind::api_version, "Group and version of the parameter kind.");
  type.Field("kind", 2, &ParamKind::kind, "Parameter kind.");
}

void ParamRef::Describe(Type<ParamRef>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ParamRef")
      .Atomic()
      .Doc("Which parameter objects a binding hands to its policy; either a name or a selector.");
  type.Field("name", 1, &ParamRef::name,
             "Name of the one parameter object; not together with selector.");
  type.Field("namespace", 2, &ParamRef::namespace_name,
             "Where to look for namespaced parameters; empty means the namespace of the object "
             "under review.");
  type.Field("parameterNotFoundAction", 4, &ParamRef::parameter_not_found_action,
             "What to do when no parameter object exists: Allow passes the request, Deny applies "
             "the failure policy.")
      .Pointer()
      .Enum({"Allow", "Deny"});
  type.Field("selector", 3, &ParamRef::selector,
             "Labels of the parameter objects, all of which are evaluated; an empty selector takes "
             "every one.");
}

void TypeChecking::Describe(Type<TypeChecking>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.TypeChecking")
      .Doc("What type checking the CEL expressions of a policy brought to light.");
  type.Field("expressionWarnings", 1, &TypeChecking::expression_warnings,
             "One entry for each expression with a problem.")
      .ListAtomic();
}

void Validation::Describe(Type<Validation>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.Validation")
      .Doc("One CEL rule of a validating policy.");
  type.Field("expression", 1, &Validation::expression,
             "CEL expression that must be true; it sees object, oldObject, request, params, "
             "namespaceObject and variables.")
      .Required();
  type.Field("message", 2, &Validation::message,
             "Text for a violation; must be set when the expression spans lines.");
  type.Field(
      "messageExpression", 4, &Validation::message_expression,
      "CEL expression for the text of a violation; message is used when it fails or is empty.");
  type.Field("reason", 3, &Validation::reason,
             "Reason in the response to a denied request; Invalid when absent.")
      .Pointer()
      .Enum({"Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"});
}

void Variable::Describe(Type<Variable>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.Variable")
      .Atomic()
      .Doc("A CEL expression with a name, evaluated at most once per request.");
  type.Field("expression", 2, &Variable::expression,
             "CEL expression for the value; evaluated only when used.")
      .Required();
  type.Field("name", 1, &Variable::name, "CEL identifier; other expressions write variables.NAME.")
      .Required();
}

void ValidatingAdmissionPolicySpec::Describe(Type<ValidatingAdmissionPolicySpec>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec")
      .Doc("The requests a policy is about, and what must hold for them.");
  type.Field("auditAnnotations", 5, &ValidatingAdmissionPolicySpec::audit_annotations,
             "Values to add to audit events; at least one of these or of validations is needed.")
      .ListAtomic();
  type.Field("failurePolicy", 4, &ValidatingAdmissionPolicySpec::failure_policy,
             "What an error in the policy or its setup means: Fail (default) rejects the request, "
             "Ignore lets it through.")
      .Pointer()
      .Default("Fail")
      .Enum({"Ignore", "Fail"});
  type.Field("matchConditions", 6, &ValidatingAdmissionPolicySpec::match_conditions,
             "CEL tests, at most 64, that must all be true for the policy to be evaluated.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("matchConstraints", 2, &ValidatingAdmissionPolicySpec::match_constraints,
             "Requests that the policy is about; required, with at least one resource rule.");
  type.Field("paramKind", 1, &ValidatingAdmissionPolicySpec::param_kind,
             "Kind of the parameter objects; absent for a policy without parameters.");
  type.Field("validations", 3, &ValidatingAdmissionPolicySpec::validations,
             "CEL rules that a request must satisfy.")
      .ListAtomic();
  type.Field("variables", 7, &ValidatingAdmissionPolicySpec::variables,
             "Named expressions for use in the others; each may use those before it.")
      .ListMap({"name"})
      .PatchMerge("name");
}

void ValidatingAdmissionPolicyStatus::Describe(Type<ValidatingAdmissionPolicyStatus>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus")
      .Doc("Findings of the server about a validating policy.");
  type.Field("conditions", 3, &ValidatingAdmissionPolicyStatus::conditions,
             "Current state of the policy.")
      .ListMap({"type"});
  type.Field("observedGeneration", 1, &ValidatingAdmissionPolicyStatus::observed_generation,
             "Generation of the policy that this status describes.");
  type.Field("typeChecking", 2, &ValidatingAdmissionPolicyStatus::type_checking,
             "Problems found in the expressions; absent until the check has run.");
}

void ValidatingAdmissionPolicy::Describe(Type<ValidatingAdmissionPolicy>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy");
  type.Field("metadata", 1, &ValidatingAdmissionPolicy::metadata);
  type.Field("spec", 2, &ValidatingAdmissionPolicy::spec,
             "What is checked and for which requests.");
  type.Field("status", 3, &ValidatingAdmissionPolicy::status, "Findings about the policy itself.");
}

void ValidatingAdmissionPolicyBindingSpec::Describe(
    Type<ValidatingAdmissionPolicyBindingSpec>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec")
      .Doc("Ties a policy to requests, parameters and consequences.");
  type.Field("matchResources", 3, &ValidatingAdmissionPolicyBindingSpec::match_resources,
             "Narrows the requests further than the policy does; absent leaves them as they are.");
  type.Field(
      "paramRef", 2, &ValidatingAdmissionPolicyBindingSpec::param_ref,
      "Parameters for the policy; required if it declares a paramKind, forbidden otherwise.");
  type.Field("policyName", 1, &ValidatingAdmissionPolicyBindingSpec::policy_name,
             "Policy to put into force; a binding to one that does not exist does nothing.");
  type.Field("validationActions", 4, &ValidatingAdmissionPolicyBindingSpec::validation_actions,
             "Consequences of a violation: Deny, Warn and Audit; Deny and Warn exclude each other.")
      .Enum({"Deny", "Warn", "Audit"})
      .ListSet();
}

void ValidatingAdmissionPolicyBinding::Describe(Type<ValidatingAdmissionPolicyBinding>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding");
  type.Field("metadata", 1, &ValidatingAdmissionPolicyBinding::metadata);
  type.Field("spec", 2, &ValidatingAdmissionPolicyBinding::spec,
             "Which policy, for which requests, and what a violation leads to.");
}

void ValidatingWebhook::Describe(Type<ValidatingWebhook>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ValidatingWebhook")
      .Doc("An HTTPS endpoint that may refuse requests but not change them.");
  type.Field("admissionReviewVersions", 8, &ValidatingWebhook::admission_review_versions,
             "AdmissionReview versions the webhook understands, preferred first; the server uses "
             "the first that it knows.")
      .Required()
      .ListAtomic();
  type.Field("clientConfig", 2, &ValidatingWebhook::client_config,
             "How the server reaches the webhook.")
      .Required();
  type.Field(
          "failurePolicy", 4, &ValidatingWebhook::failure_policy,
          "What a failed call means: Fail (default) rejects the request, Ignore lets it through.")
      .Pointer()
      .Default("Fail")
      .Enum({"Ignore", "Fail"});
  type.Field("matchConditions", 11, &ValidatingWebhook::match_conditions,
             "CEL tests, at most 64, that must all be true for the webhook to be called.")
      .ListMap({"name"})
      .PatchMerge("name");
  type.Field("matchPolicy", 9, &ValidatingWebhook::match_policy,
             "Exact compares only the group and version of the request; Equivalent (default) also "
             "tries other versions of the same resource.")
      .Pointer()
      .Default("Equivalent")
      .Enum({"Exact", "Equivalent"});
  type.Field("name", 1, &ValidatingWebhook::name,
             "Name of at least three dot-separated parts, such as check.pods.example.com.")
      .Required();
  type.Field("namespaceSelector", 5, &ValidatingWebhook::namespace_selector,
             "Labels that the namespace of the object must have; empty selects all. Cluster-scoped "
             "objects other than namespaces always pass.")
      .DefaultJson("{}");
  type.Field("objectSelector", 10, &ValidatingWebhook::object_selector,
             "Labels that the new or the old object must have; empty selects all.")
      .DefaultJson("{}");
  type.Field("rules", 3, &ValidatingWebhook::rules,
             "Requests that are sent to the webhook; one matching rule is enough.")
      .ListAtomic();
  type.Field("sideEffects", 6, &ValidatingWebhook::side_effects,
             "Whether a call changes anything elsewhere: None never does, NoneOnDryRun does unless "
             "the request is a dry run.")
      .WriteNull()
      .Required()
      .Enum({"None", "NoneOnDryRun"});
  type.Field("timeoutSeconds", 7, &ValidatingWebhook::timeout_seconds,
             "Seconds to wait for an answer, 1 to 30; 10 by default.")
      .Default(10)
      .Minimum(1)
      .Maximum(30);
}

void ValidatingWebhookConfiguration::Describe(Type<ValidatingWebhookConfiguration>& type) {
  type.Name("io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration");
  type.Field("metadata", 1, &ValidatingWebhookConfiguration::metadata);
  type.Field(
          "webhooks", 2, &ValidatingWebhookConfiguration::webhooks,
          "The webhooks; names are unique in the list. All that match are called at the same time.")
      .ListMap({"name"})
      .PatchMerge("name");
}

}  // namespace kubexms::admissionregistrationv1
