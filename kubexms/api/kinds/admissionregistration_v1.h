#pragma once

// admissionregistration.k8s.io/v1: webhooks and policies that look at requests before they are
// stored.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::admissionregistrationv1 {

struct AuditAnnotation : Struct {
  std::string key;
  std::string value_expression;

  static void Describe(Type<AuditAnnotation>& type);
};

struct ExpressionWarning : Struct {
  std::string field_ref;
  std::string warning;

  static void Describe(Type<ExpressionWarning>& type);
};

struct MatchCondition : Struct {
  std::string expression;
  std::string name;

  static void Describe(Type<MatchCondition>& type);
};

struct NamedRuleWithOperations : Struct {
  std::vector<std::string> api_groups;
  std::vector<std::string> api_versions;
  std::vector<std::string> operations;
  std::vector<std::string> resource_names;
  std::vector<std::string> resources;
  std::string scope;

  static void Describe(Type<NamedRuleWithOperations>& type);
};

struct MatchResources : Struct {
  std::vector<NamedRuleWithOperations> exclude_resource_rules;
  std::string match_policy;
  Optional<LabelSelector> namespace_selector;
  Optional<LabelSelector> object_selector;
  std::vector<NamedRuleWithOperations> resource_rules;

  static void Describe(Type<MatchResources>& type);
};

struct ServiceReference : Struct {
  std::string name;
  std::string namespace_name;
  std::string path;
  Optional<int32_t> port;

  static void Describe(Type<ServiceReference>& type);
};

struct WebhookClientConfig : Struct {
  Bytes ca_bundle;
  Optional<ServiceReference> service;
  std::string url;

  static void Describe(Type<WebhookClientConfig>& type);
};

struct RuleWithOperations : Struct {
  std::vector<std::string> api_groups;
  std::vector<std::string> api_versions;
  std::vector<std::string> operations;
  std::vector<std::string> resources;
  std::string scope;

  static void Describe(Type<RuleWithOperations>& type);
};

struct MutatingWebhook : Struct {
  std::vector<std::string> admission_review_versions;
  WebhookClientConfig client_config;
  std::string failure_policy;
  std::vector<MatchCondition> match_conditions;
  std::string match_policy;
  std::string name;
  Optional<LabelSelector> namespace_selector;
  Optional<LabelSelector> object_selector;
  std::string reinvocation_policy;
  std::vector<RuleWithOperations> rules;
  std::string side_effects;
  Optional<int32_t> timeout_seconds;

  static void Describe(Type<MutatingWebhook>& type);
};

struct MutatingWebhookConfiguration : Struct {
  static constexpr KindName kKind{
      .group = "admissionregistration.k8s.io",
      .version = "v1",
      .kind = "MutatingWebhookConfiguration",
      .scope = Scope::kCluster,
      .doc = "A named set of webhooks that may change objects as they are admitted.",
      .categories = "api-extensions"};

  ObjectMeta metadata;
  std::vector<MutatingWebhook> webhooks;

  static void Describe(Type<MutatingWebhookConfiguration>& type);
};

struct ParamKind : Struct {
  std::string api_version;
  std::string kind;

  static void Describe(Type<ParamKind>& type);
};

struct ParamRef : Struct {
  std::string name;
  std::string namespace_name;
  std::string parameter_not_found_action;
  Optional<LabelSelector> selector;

  static void Describe(Type<ParamRef>& type);
};

struct TypeChecking : Struct {
  std::vector<ExpressionWarning> expression_warnings;

  static void Describe(Type<TypeChecking>& type);
};

struct Validation : Struct {
  std::string expression;
  std::string message;
  std::string message_expression;
  std::string reason;

  static void Describe(Type<Validation>& type);
};

struct Variable : Struct {
  std::string expression;
  std::string name;

  static void Describe(Type<Variable>& type);
};

struct ValidatingAdmissionPolicySpec : Struct {
  std::vector<AuditAnnotation> audit_annotations;
  std::string failure_policy;
  std::vector<MatchCondition> match_conditions;
  Optional<MatchResources> match_constraints;
  Optional<ParamKind> param_kind;
  std::vector<Validation> validations;
  std::vector<Variable> variables;

  static void Describe(Type<ValidatingAdmissionPolicySpec>& type);
};

struct ValidatingAdmissionPolicyStatus : Struct {
  std::vector<Condition> conditions;
  int64_t observed_generation = 0;
  Optional<TypeChecking> type_checking;

  static void Describe(Type<ValidatingAdmissionPolicyStatus>& type);
};

struct ValidatingAdmissionPolicy : Struct {
  static constexpr KindName kKind{.group = "admissionregistration.k8s.io",
                                  .version = "v1",
                                  .kind = "ValidatingAdmissionPolicy",
                                  .scope = Scope::kCluster,
                                  .doc =
                                      "CEL rules that accept or refuse requests inside the server, "
                                      "without a webhook; in force where a binding names it.",
                                  .categories = "api-extensions"};

  ObjectMeta metadata;
  ValidatingAdmissionPolicySpec spec;
  ValidatingAdmissionPolicyStatus status;

  static void Describe(Type<ValidatingAdmissionPolicy>& type);
};

struct ValidatingAdmissionPolicyBindingSpec : Struct {
  Optional<MatchResources> match_resources;
  Optional<ParamRef> param_ref;
  std::string policy_name;
  std::vector<std::string> validation_actions;

  static void Describe(Type<ValidatingAdmissionPolicyBindingSpec>& type);
};

struct ValidatingAdmissionPolicyBinding : Struct {
  static constexpr KindName kKind{
      .group = "admissionregistration.k8s.io",
      .version = "v1",
      .kind = "ValidatingAdmissionPolicyBinding",
      .scope = Scope::kCluster,
      .doc =
          "Puts a validating policy into force for some requests, with parameters if it needs any.",
      .categories = "api-extensions"};

  ObjectMeta metadata;
  ValidatingAdmissionPolicyBindingSpec spec;

  static void Describe(Type<ValidatingAdmissionPolicyBinding>& type);
};

struct ValidatingWebhook : Struct {
  std::vector<std::string> admission_review_versions;
  WebhookClientConfig client_config;
  std::string failure_policy;
  std::vector<MatchCondition> match_conditions;
  std::string match_policy;
  std::string name;
  Optional<LabelSelector> namespace_selector;
  Optional<LabelSelector> object_selector;
  std::vector<RuleWithOperations> rules;
  std::string side_effects;
  Optional<int32_t> timeout_seconds;

  static void Describe(Type<ValidatingWebhook>& type);
};

struct ValidatingWebhookConfiguration : Struct {
  static constexpr KindName kKind{
      .group = "admissionregistration.k8s.io",
      .version = "v1",
      .kind = "ValidatingWebhookConfiguration",
      .scope = Scope::kCluster,
      .doc = "A named set of webhooks that may refuse objects as they are admitted.",
      .categories = "api-extensions"};

  ObjectMeta metadata;
  std::vector<ValidatingWebhook> webhooks;

  static void Describe(Type<ValidatingWebhookConfiguration>& type);
};

}  // namespace kubexms::admissionregistrationv1
