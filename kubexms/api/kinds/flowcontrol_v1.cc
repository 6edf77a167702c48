#include "kubexms/api/kinds/flowcontrol_v1.h"

namespace kubexms::flowcontrolv1 {

void ExemptPriorityLevelConfiguration::Describe(Type<ExemptPriorityLevelConfiguration>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration")
      .Doc("Seats that a priority level without limits lends to others.");
  type.Field("lendablePercent", &ExemptPriorityLevelConfiguration::lendable_percent,
             "Percentage of the nominal seats that others may borrow; 0 by default.")
      .Default(0)
      .Minimum(0)
      .Maximum(100);
  type.Field("nominalConcurrencyShares",
             &ExemptPriorityLevelConfiguration::nominal_concurrency_shares,
             "Weight when seats are divided among levels; 0 by default. Does not limit this level.")
      .Default(0)
      .Minimum(0);
}

void FlowDistinguisherMethod::Describe(Type<FlowDistinguisherMethod>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod")
      .Doc("How requests of one schema are divided into flows that get fair shares.");
  type.Field("type", &FlowDistinguisherMethod::type,
             "ByUser makes a flow of each user, ByNamespace of each namespace.")
      .Required()
      .Enum({"ByUser", "ByNamespace"});
}

void PriorityLevelConfigurationReference::Describe(
    Type<PriorityLevelConfigurationReference>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference")
      .Doc("Names a priority level.");
  type.Field("name", &PriorityLevelConfigurationReference::name,
             "Name of the PriorityLevelConfiguration.")
      .Required();
}

void NonResourcePolicyRule::Describe(Type<NonResourcePolicyRule>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.NonResourcePolicyRule")
      .Doc("Requests for URL paths that are no API resources.");
  type.Field("nonResourceURLs", &NonResourcePolicyRule::non_resource_urls,
             "Paths; one may end in /* to include all below, and * alone is all.")
      .Required()
      .ListSet();
  type.Field("verbs", &NonResourcePolicyRule::verbs, "Verbs in lower case; * stands for all.")
      .Required()
      .ListSet();
}

void ResourcePolicyRule::Describe(Type<ResourcePolicyRule>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.ResourcePolicyRule").Doc("Requests for API resources.");
  type.Field("apiGroups", &ResourcePolicyRule::api_groups,
             "API groups; an empty string is the core group and * stands for all.")
      .Required()
      .ListSet();
  type.Field("clusterScope", &ResourcePolicyRule::cluster_scope,
             "True to include requests without a namespace.");
  type.Field("namespaces", &ResourcePolicyRule::namespaces,
             "Namespaces to include; * stands for all, none leaves requests with a namespace out.")
      .ListSet();
  type.Field("resources", &ResourcePolicyRule::resources,
             "Resources in the plural, with subresources after a slash; * stands for all.")
      .Required()
      .ListSet();
  type.Field("verbs", &ResourcePolicyRule::verbs, "Verbs in lower case; * stands for all.")
      .Required()
      .ListSet();
}

void GroupSubject::Describe(Type<GroupSubject>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.GroupSubject").Doc("Requests by members of a group.");
  type.Field("name", &GroupSubject::name, "Group name; * stands for all.").Required();
}

void ServiceAccountSubject::Describe(Type<ServiceAccountSubject>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.ServiceAccountSubject")
      .Doc("Requests by a service account.");
  type.Field("name", &ServiceAccountSubject::name,
             "Service account name; * stands for all in the namespace.")
      .Required();
  type.Field("namespace", &ServiceAccountSubject::namespace_name,
             "Namespace of the service account.")
      .Required();
}

void UserSubject::Describe(Type<UserSubject>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.UserSubject").Doc("Requests by a user.");
  type.Field("name", &UserSubject::name, "User name; * stands for all.").Required();
}

void Subject::Describe(Type<Subject>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.Subject")
      .Doc("A kind of caller; the field for kind is set, the others are not.");
  type.Field("group", &Subject::group, "For kind Group.");
  type.Field("kind", &Subject::kind, "Which of the other fields is meant.")
      .Required()
      .Enum({"User", "Group", "ServiceAccount"});
  type.Field("serviceAccount", &Subject::service_account, "For kind ServiceAccount.");
  type.Field("user", &Subject::user, "For kind User.");
}

void PolicyRulesWithSubjects::Describe(Type<PolicyRulesWithSubjects>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects")
      .Doc("Requests by certain callers for certain things.");
  type.Field("nonResourceRules", &PolicyRulesWithSubjects::non_resource_rules,
             "Matching requests for URL paths; this or resourceRules is needed.")
      .ListAtomic();
  type.Field("resourceRules", &PolicyRulesWithSubjects::resource_rules,
             "Matching requests for API resources; this or nonResourceRules is needed.")
      .ListAtomic();
  type.Field("subjects", &PolicyRulesWithSubjects::subjects, "Callers; one match is enough.")
      .Required()
      .ListAtomic();
}

void FlowSchemaSpec::Describe(Type<FlowSchemaSpec>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowSchemaSpec")
      .Doc("Which requests a schema takes, and where it sends them.");
  type.Field("distinguisherMethod", &FlowSchemaSpec::distinguisher_method,
             "How its requests are divided into flows; absent makes them one flow.");
  type.Field("matchingPrecedence", &FlowSchemaSpec::matching_precedence,
             "Schemas are tried from the lowest number up; 1 to 10000, 1000 by default.")
      .Default(1000)
      .Minimum(1)
      .Maximum(10000);
  type.Field("priorityLevelConfiguration", &FlowSchemaSpec::priority_level_configuration,
             "Priority level for the requests.")
      .Required();
  type.Field("rules", &FlowSchemaSpec::rules,
             "Requests that the schema takes; one match is enough, and none takes no requests.")
      .ListAtomic();
}

void FlowSchemaCondition::Describe(Type<FlowSchemaCondition>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowSchemaCondition")
      .Doc("One aspect of the current state of a flow schema.");
  type.Field("lastTransitionTime", &FlowSchemaCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", &FlowSchemaCondition::message, "Explanation for people.");
  type.Field("reason", &FlowSchemaCondition::reason,
             "Short explanation for programs, one word in CamelCase.");
  type.Field("status", &FlowSchemaCondition::status, "True, False or Unknown.");
  type.Field("type", &FlowSchemaCondition::type,
             "Dangling tells whether the priority level is missing.");
}

void FlowSchemaStatus::Describe(Type<FlowSchemaStatus>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowSchemaStatus").Doc("Findings about a flow schema.");
  type.Field("conditions", &FlowSchemaStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
}

void FlowSchema::Describe(Type<FlowSchema>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowSchema");
  type.Field("metadata", &FlowSchema::metadata);
  type.Field("spec", &FlowSchema::spec, "Which requests, and which priority level.");
  type.Field("status", &FlowSchema::status, "Findings about the schema.");
}

void QueuingConfiguration::Describe(Type<QueuingConfiguration>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.QueuingConfiguration")
      .Doc("Queues for requests that wait for a seat.");
  type.Field("handSize", &QueuingConfiguration::hand_size,
             "Queues that are candidates for a flow, of which the shortest is used; 8 by default, "
             "not above queues.")
      .Default(8)
      .Minimum(1);
  type.Field("queueLengthLimit", &QueuingConfiguration::queue_length_limit,
             "Requests that may wait in one queue; more are rejected. 50 by default.")
      .Default(50)
      .Minimum(1);
  type.Field("queues", &QueuingConfiguration::queues,
             "Number of queues; 64 by default, 1 switches fair division off.")
      .Default(64)
      .Minimum(1)
      .Maximum(10000000);
}

void LimitResponse::Describe(Type<LimitResponse>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.LimitResponse")
      .Doc("What happens to requests that find no free seat.");
  type.Field("queuing", &LimitResponse::queuing, "Queue sizes; only for Queue.");
  type.Field("type", &LimitResponse::type,
             "Queue makes requests wait, Reject answers at once with status 429.")
      .Required()
      .Enum({"Queue", "Reject"});
}

void LimitedPriorityLevelConfiguration::Describe(Type<LimitedPriorityLevelConfiguration>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration")
      .Doc("How many requests a priority level may run at a time.");
  type.Field("borrowingLimitPercent", &LimitedPriorityLevelConfiguration::borrowing_limit_percent,
             "Seats it may borrow, as a percentage of its nominal ones; absent sets no limit, 0 "
             "allows none.")
      .Minimum(0);
  type.Field("lendablePercent", &LimitedPriorityLevelConfiguration::lendable_percent,
             "Percentage of the nominal seats that others may borrow; 0 by default.")
      .Default(0)
      .Minimum(0)
      .Maximum(100);
  type.Field("limitResponse", &LimitedPriorityLevelConfiguration::limit_response,
             "What happens to requests above the limit.");
  type.Field("nominalConcurrencyShares",
             &LimitedPriorityLevelConfiguration::nominal_concurrency_shares,
             "Weight when seats are divided among levels; 30 by default, 0 leaves only borrowed "
             "seats.")
      .Default(30)
      .Minimum(0);
}

void PriorityLevelConfigurationSpec::Describe(Type<PriorityLevelConfigurationSpec>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec")
      .Doc("Whether requests of a level are limited, and how.");
  type.Field("exempt", &PriorityLevelConfigurationSpec::exempt,
             "Settings for Exempt; must be absent otherwise.");
  type.Field("limited", &PriorityLevelConfigurationSpec::limited,
             "Settings for Limited; must be absent otherwise.");
  type.Field("type", &PriorityLevelConfigurationSpec::type,
             "Exempt requests never wait; Limited ones share the seats of the level.")
      .Required()
      .Enum({"Exempt", "Limited"});
}

void PriorityLevelConfigurationCondition::Describe(
    Type<PriorityLevelConfigurationCondition>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition")
      .Doc("One aspect of the current state of a priority level.");
  type.Field("lastTransitionTime", &PriorityLevelConfigurationCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", &PriorityLevelConfigurationCondition::message, "Explanation for people.");
  type.Field("reason", &PriorityLevelConfigurationCondition::reason,
             "Short explanation for programs, one word in CamelCase.");
  type.Field("status", &PriorityLevelConfigurationCondition::status, "True, False or Unknown.");
  type.Field("type", &PriorityLevelConfigurationCondition::type, "Which aspect this is about.");
}

void PriorityLevelConfigurationStatus::Describe(Type<PriorityLevelConfigurationStatus>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus")
      .Doc("Findings about a priority level.");
  type.Field("conditions", &PriorityLevelConfigurationStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
}

void PriorityLevelConfiguration::Describe(Type<PriorityLevelConfiguration>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration");
  type.Field("metadata", &PriorityLevelConfiguration::metadata);
  type.Field("spec", &PriorityLevelConfiguration::spec, "Limits of the level.");
  type.Field("status", &PriorityLevelConfiguration::status, "Findings about the level.");
}

}  // namespace kubexms::flowcontrolv1
