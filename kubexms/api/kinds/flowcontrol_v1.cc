#include "kubexms/api/kinds/flowcontrol_v1.h"

namespace kubexms::flowcontrolv1 {

void ExemptPriorityLevelConfiguration::Describe(Type<ExemptPriorityLevelConfiguration>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration")
      .Doc("Seats that a priority level without limits lends to others.");
  type.Field("lendablePercent", 2, &ExemptPriorityLevelConfiguration::lendable_percent,
             "Percentage of the nominal seats that others may borrow; 0 by default.")
      .Default(0)
      .Minimum(0)
      .Maximum(100);
  type.Field("nominalConcurrencyShares", 1,
             &ExemptPriorityLevelConfiguration::nominal_concurrency_shares,
             "Weight when seats are divided among levels; 0 by default. Does not limit this level.")
      .Default(0)
      .Minimum(0);
}

void FlowDistinguisherMethod::Describe(Type<FlowDistinguisherMethod>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod")
      .Doc("How requests of one schema are divided into flows that get fair shares.");
  type.Field("type", 1, &FlowDistinguisherMethod::type,
             "ByUser makes a flow of each user, ByNamespace of each namespace.")
      .Required()
      .Enum({"ByUser", "ByNamespace"});
}

void PriorityLevelConfigurationReference::Describe(
    Type<PriorityLevelConfigurationReference>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference")
      .Doc("Names a priority level.");
  type.Field("name", 1, &PriorityLevelConfigurationReference::name,
             "Name of the PriorityLevelConfiguration.")
      .Required();
}

void NonResourcePolicyRule::Describe(Type<NonResourcePolicyRule>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.NonResourcePolicyRule")
      .Doc("Requests for URL paths that are no API resources.");
  type.Field("nonResourceURLs", 6, &NonResourcePolicyRule::non_resource_urls,
             "Paths; one may end in /* to include all below, and * alone is all.")
      .Required()
      .ListSet();
  type.Field("verbs", 1, &NonResourcePolicyRule::verbs, "Verbs in lower case; * stands for all.")
      .Required()
      .ListSet();
}

void ResourcePolicyRule::Describe(Type<ResourcePolicyRule>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.ResourcePolicyRule").Doc("Requests for API resources.");
  type.Field("apiGroups", 2, &ResourcePolicyRule::api_groups,
             "API groups; an empty string is the core group and * stands for all.")
      .Required()
      .ListSet();
  type.Field("clusterScope", 4, &ResourcePolicyRule::cluster_scope,
             "True to include requests without a namespace.");
  type.Field("namespaces", 5, &ResourcePolicyRule::namespaces,
             "Namespaces to include; * stands for all, none leaves requests with a namespace out.")
      .WriteZero()
      .ListSet();
  type.Field("resources", 3, &ResourcePolicyRule::resources,
             "Resources in the plural, with subresources after a slash; * stands for all.")
      .Required()
      .ListSet();
  type.Field("verbs", 1, &ResourcePolicyRule::verbs, "Verbs in lower case; * stands for all.")
      .Required()
      .ListSet();
}

void GroupSubject::Describe(Type<GroupSubject>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.GroupSubject").Doc("Requests by members of a group.");
  type.Field("name", 1, &GroupSubject::name, "Group name; * stands for all.").Required();
}

void ServiceAccountSubject::Describe(Type<ServiceAccountSubject>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.ServiceAccountSubject")
      .Doc("Requests by a service account.");
  type.Field("name", 2, &ServiceAccountSubject::name,
             "Service account name; * stands for all in the namespace.")
      .Required();
  type.Field("namespace", 1, &ServiceAccountSubject::namespace_name,
             "Namespace of the service account.")
      .Required();
}

void UserSubject::Describe(Type<UserSubject>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.UserSubject").Doc("Requests by a user.");
  type.Field("name", 1, &UserSubject::name, "User name; * stands for all.").Required();
}

void Subject::Describe(Type<Subject>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.Subject")
      .Doc("A kind of caller; the field for kind is set, the others are not.");
  type.Field("group", 3, &Subject::group, "For kind Group.");
  type.Field("kind", 1, &Subject::kind, "Which of the other fields is meant.")
      .Required()
      .Enum({"User", "Group", "ServiceAccount"});
  type.Field("serviceAccount", 4, &Subject::service_account, "For kind ServiceAccount.");
  type.Field("user", 2, &Subject::user, "For kind User.");
}

void PolicyRulesWithSubjects::Describe(Type<PolicyRulesWithSubjects>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects")
      .Doc("Requests by certain callers for certain things.");
  type.Field("nonResourceRules", 3, &PolicyRulesWithSubjects::non_resource_rules,
             "Matching requests for URL paths; this or resourceRules is needed.")
      .ListAtomic();
  type.Field("resourceRules", 2, &PolicyRulesWithSubjects::resource_rules,
             "Matching requests for API resources; this or nonResourceRules is needed.")
      .ListAtomic();
  type.Field("subjects", 1, &PolicyRulesWithSubjects::subjects, "Callers; one match is enough.")
      .Required()
      .ListAtomic();
}

void FlowSchemaSpec::Describe(Type<FlowSchemaSpec>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowSchemaSpec")
      .Doc("Which requests a schema matches, and their priority level.");
  type.Field("distinguisherMethod", 3, &FlowSchemaSpec::distinguisher_method,
             "How its requests are divided into flows; absent makes them one flow.");
  type.Field("matchingPrecedence", 2, &FlowSchemaSpec::matching_precedence,
             "Schemas are tried from the lowest number up; 1 to 10000, 1000 by default.")
      .WriteZero()
      .Default(1000)
      .Minimum(1)
      .Maximum(10000);
  type.Field("priorityLevelConfiguration", 1, &FlowSchemaSpec::priority_level_configuration,
             "Priority level for the requests.")
      .Required();
  type.Field("rules", 4, &FlowSchemaSpec::rules,
             "Requests that the schema matches; one rule is enough, and without rules it matches "
             "none.")
      .ListAtomic();
}

void FlowSchemaCondition::Describe(Type<FlowSchemaCondition>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowSchemaCondition")
      .Doc("One aspect of the current state of a flow schema.");
  type.Field("lastTransitionTime", 3, &FlowSchemaCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 5, &FlowSchemaCondition::message, "Human-readable explanation.");
  type.Field("reason", 4, &FlowSchemaCondition::reason, "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &FlowSchemaCondition::status, "True, False or Unknown.");
  type.Field("type", 1, &FlowSchemaCondition::type,
             "Dangling says whether the priority level is missing.");
}

void FlowSchemaStatus::Describe(Type<FlowSchemaStatus>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowSchemaStatus").Doc("Findings about a flow schema.");
  type.Field("conditions", 1, &FlowSchemaStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
}

void FlowSchema::Describe(Type<FlowSchema>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.FlowSchema");
  type.Field("metadata", 1, &FlowSchema::metadata);
  type.Field("spec", 2, &FlowSchema::spec, "Which requests, and which priority level.");
  type.Field("status", 3, &FlowSchema::status, "Findings about the schema.");
}

void QueuingConfiguration::Describe(Type<QueuingConfiguration>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.QueuingConfiguration")
      .Doc("Queues for requests that wait for a seat.");
  type.Field("handSize", 2, &QueuingConfiguration::hand_size,
             "Queues that are candidates for a flow, of which the shortest is used; 8 by default, "
             "not above queues.")
      .WriteZero()
      .Default(8)
      .Minimum(1);
  type.Field("queueLengthLimit", 3, &QueuingConfiguration::queue_length_limit,
             "Requests that may wait in one queue; more are rejected. 50 by default.")
      .WriteZero()
      .Default(50)
      .Minimum(1);
  type.Field("queues", 1, &QueuingConfiguration::queues,
             "Number of queues; 64 by default, 1 switches fair division off.")
      .WriteZero()
      .Default(64)
      .Minimum(1)
      .Maximum(10000000);
}

void LimitResponse::Describe(Type<LimitResponse>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.LimitResponse")
      .Doc("What happens to requests that find no free seat.");
  type.Field("queuing", 2, &LimitResponse::queuing, "Queue sizes; only for Queue.");
  type.Field("type", 1, &LimitResponse::type,
             "Queue makes requests wait, Reject answers at once with status 429.")
      .Required()
      .Enum({"Queue", "Reject"});
}

void LimitedPriorityLevelConfiguration::Describe(Type<LimitedPriorityLevelConfiguration>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration")
      .Doc("How many requests a priority level may run at a time.");
  type.Field("borrowingLimitPercent", 4,
             &LimitedPriorityLevelConfiguration::borrowing_limit_percent,
             "Seats it may borrow, as a percentage of its nominal ones; absent sets no limit, 0 "
             "allows none.")
      .Minimum(0);
  type.Field("lendablePercent", 3, &LimitedPriorityLevelConfiguration::lendable_percent,
             "Percentage of the nominal seats that others may borrow; 0 by default.")
      .Default(0)
      .Minimum(0)
      .Maximum(100);
  type.Field("limitResponse", 2, &LimitedPriorityLevelConfiguration::limit_response,
             "What happens to requests above the limit.")
      .WriteZero();
  type.Field("nominalConcurrencyShares", 1,
             &LimitedPriorityLevelConfiguration::nominal_concurrency_shares,
             "Weight when seats are divided among levels; 30 by default, 0 leaves only borrowed "
             "seats.")
      .WriteNull()
      .Default(30)
      .Minimum(0);
}

void PriorityLevelConfigurationSpec::Describe(Type<PriorityLevelConfigurationSpec>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec")
      .Doc("Whether requests of a level are limited, and how.");
  type.Field("exempt", 3, &PriorityLevelConfigurationSpec::exempt,
             "Settings for Exempt; must be absent otherwise.");
  type.Field("limited", 2, &PriorityLevelConfigurationSpec::limited,
             "Settings for Limited; must be absent otherwise.");
  type.Field("type", 1, &PriorityLevelConfigurationSpec::type,
             "Exempt requests never wait; Limited ones share the seats of the level.")
      .Required()
      .Enum({"Exempt", "Limited"});
}

void PriorityLevelConfigurationCondition::Describe(
    Type<PriorityLevelConfigurationCondition>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition")
      .Doc("One aspect of the current state of a priority level.");
  type.Field("lastTransitionTime", 3, &PriorityLevelConfigurationCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 5, &PriorityLevelConfigurationCondition::message,
             "Human-readable explanation.");
  type.Field("reason", 4, &PriorityLevelConfigurationCondition::reason,
             "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &PriorityLevelConfigurationCondition::status, "True, False or Unknown.");
  type.Field("type", 1, &PriorityLevelConfigurationCondition::type, "Which aspect this is about.");
}

void PriorityLevelConfigurationStatus::Describe(Type<PriorityLevelConfigurationStatus>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus")
      .Doc("Findings about a priority level.");
  type.Field("conditions", 1, &PriorityLevelConfigurationStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
}

void PriorityLevelConfiguration::Describe(Type<PriorityLevelConfiguration>& type) {
  type.Name("io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration");
  type.Field("metadata", 1, &PriorityLevelConfiguration::metadata);
  type.Field("spec", 2, &PriorityLevelConfiguration::spec, "Limits of the level.");
  type.Field("status", 3, &PriorityLevelConfiguration::status, "Findings about the level.");
}

}  // namespace kubexms::flowcontrolv1
