#pragma once

// flowcontrol.apiserver.k8s.io/v1: fairness between the clients of the API server.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::flowcontrolv1 {

struct ExemptPriorityLevelConfiguration : Struct {
  Optional<int32_t> lendable_percent;
  Optional<int32_t> nominal_concurrency_shares;

  static void Describe(Type<ExemptPriorityLevelConfiguration>& type);
};

struct FlowDistinguisherMethod : Struct {
  std::string type;

  static void Describe(Type<FlowDistinguisherMethod>& type);
};

struct PriorityLevelConfigurationReference : Struct {
  std::string name;

  static void Describe(Type<PriorityLevelConfigurationReference>& type);
};

struct NonResourcePolicyRule : Struct {
  std::vector<std::string> non_resource_urls;
  std::vector<std::string> verbs;

  static void Describe(Type<NonResourcePolicyRule>& type);
};

struct ResourcePolicyRule : Struct {
  std::vector<std::string> api_groups;
  bool cluster_scope = false;
  std::vector<std::string> namespaces;
  std::vector<std::string> resources;
  std::vector<std::string> verbs;

  static void Describe(Type<ResourcePolicyRule>& type);
};

struct GroupSubject : Struct {
  std::string name;

  static void Describe(Type<GroupSubject>& type);
};

struct ServiceAccountSubject : Struct {
  std::string name;
  std::string namespace_name;

  static void Describe(Type<ServiceAccountSubject>& type);
};

struct UserSubject : Struct {
  std::string name;

  static void Describe(Type<UserSubject>& type);
};

struct Subject : Struct {
  Optional<GroupSubject> group;
  std::string kind;
  Optional<ServiceAccountSubject> service_account;
  Optional<UserSubject> user;

  static void Describe(Type<Subject>& type);
};

struct PolicyRulesWithSubjects : Struct {
  std::vector<NonResourcePolicyRule> non_resource_rules;
  std::vector<ResourcePolicyRule> resource_rules;
  std::vector<Subject> subjects;

  static void Describe(Type<PolicyRulesWithSubjects>& type);
};

struct FlowSchemaSpec : Struct {
  Optional<FlowDistinguisherMethod> distinguisher_method;
  Optional<int32_t> matching_precedence;
  PriorityLevelConfigurationReference priority_level_configuration;
  std::vector<PolicyRulesWithSubjects> rules;

  static void Describe(Type<FlowSchemaSpec>& type);
};

struct FlowSchemaCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<FlowSchemaCondition>& type);
};

struct FlowSchemaStatus : Struct {
  std::vector<FlowSchemaCondition> conditions;

  static void Describe(Type<FlowSchemaStatus>& type);
};

struct FlowSchema : Struct {
  static constexpr KindName kKind{
      .group = "flowcontrol.apiserver.k8s.io",
      .version = "v1",
      .kind = "FlowSchema",
      .scope = Scope::kCluster,
      .doc = "Assigns some of the requests to the server to a priority level."};

  ObjectMeta metadata;
  FlowSchemaSpec spec;
  FlowSchemaStatus status;

  static void Describe(Type<FlowSchema>& type);
};

struct QueuingConfiguration : Struct {
  Optional<int32_t> hand_size;
  Optional<int32_t> queue_length_limit;
  Optional<int32_t> queues;

  static void Describe(Type<QueuingConfiguration>& type);
};

struct LimitResponse : Struct {
  Optional<QueuingConfiguration> queuing;
  std::string type;

  static void Describe(Type<LimitResponse>& type);
};

struct LimitedPriorityLevelConfiguration : Struct {
  Optional<int32_t> borrowing_limit_percent;
  Optional<int32_t> lendable_percent;
  Optional<LimitResponse> limit_response;
  Optional<int32_t> nominal_concurrency_shares;

  static void Describe(Type<LimitedPriorityLevelConfiguration>& type);
};

struct PriorityLevelConfigurationSpec : Struct {
  Optional<ExemptPriorityLevelConfiguration> exempt;
  Optional<LimitedPriorityLevelConfiguration> limited;
  std::string type;

  static void Describe(Type<PriorityLevelConfigurationSpec>& type);
};

struct PriorityLevelConfigurationCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<PriorityLevelConfigurationCondition>& type);
};

struct PriorityLevelConfigurationStatus : Struct {
  std::vector<PriorityLevelConfigurationCondition> conditions;

  static void Describe(Type<PriorityLevelConfigurationStatus>& type);
};

struct PriorityLevelConfiguration : Struct {
  static constexpr KindName kKind{
      .group = "flowcontrol.apiserver.k8s.io",
      .version = "v1",
      .kind = "PriorityLevelConfiguration",
      .scope = Scope::kCluster,
      .doc = "A share of the server's capacity that some requests compete for among themselves."};

  ObjectMeta metadata;
  PriorityLevelConfigurationSpec spec;
  PriorityLevelConfigurationStatus status;

  static void Describe(Type<PriorityLevelConfiguration>& type);
};

}  // namespace kubexms::flowcontrolv1
