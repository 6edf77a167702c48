#include "kubexms/api/kinds/authorization_v1.h"

namespace kubexms::authorizationv1 {

void FieldSelectorAttributes::Describe(Type<FieldSelectorAttributes>& type) {
  type.Name("io.k8s.api.authorization.v1.FieldSelectorAttributes")
      .Doc("Field selector of a request, so that access can depend on it.");
  type.Field("rawSelector", 1, &FieldSelectorAttributes::raw_selector,
             "The selector as written in the query; not together with requirements.");
  type.Field("requirements", 2, &FieldSelectorAttributes::requirements,
             "The selector in parsed form; all must hold.")
      .ListAtomic();
}

void LabelSelectorAttributes::Describe(Type<LabelSelectorAttributes>& type) {
  type.Name("io.k8s.api.authorization.v1.LabelSelectorAttributes")
      .Doc("Label selector of a request, so that access can depend on it.");
  type.Field("rawSelector", 1, &LabelSelectorAttributes::raw_selector,
             "The selector as written in the query; not together with requirements.");
  type.Field("requirements", 2, &LabelSelectorAttributes::requirements,
             "The selector in parsed form; all must hold.")
      .ListAtomic();
}

void NonResourceAttributes::Describe(Type<NonResourceAttributes>& type) {
  type.Name("io.k8s.api.authorization.v1.NonResourceAttributes")
      .Doc("A request for a path that is no API resource, such as /healthz.");
  type.Field("path", 1, &NonResourceAttributes::path, "URL path of the request.");
  type.Field("verb", 2, &NonResourceAttributes::verb, "HTTP method in lower case.");
}

void ResourceAttributes::Describe(Type<ResourceAttributes>& type) {
  type.Name("io.k8s.api.authorization.v1.ResourceAttributes")
      .Doc("A request for an API resource, as an authorizer sees it.");
  type.Field("fieldSelector", 8, &ResourceAttributes::field_selector,
             "Field selector of the request; only for list, watch and deletecollection.");
  type.Field("group", 3, &ResourceAttributes::group,
             "API group; empty is the core group, * stands for all.");
  type.Field("labelSelector", 9, &ResourceAttributes::label_selector,
             "Label selector of the request; only for list, watch and deletecollection.");
  type.Field("name", 7, &ResourceAttributes::name,
             "Object name; empty means all objects, or none in particular.");
  type.Field("namespace", 1, &ResourceAttributes::namespace_name,
             "Namespace; empty means all namespaces, or a cluster-scoped resource.");
  type.Field("resource", 5, &ResourceAttributes::resource,
             "Resource in the plural; * stands for all.");
  type.Field("subresource", 6, &ResourceAttributes::subresource,
             "Subresource such as status; empty for the resource itself.");
  type.Field("verb", 2, &ResourceAttributes::verb,
             "get, list, watch, create, update, patch, delete, deletecollection or another; * "
             "stands for all.");
  type.Field("version", 4, &ResourceAttributes::version, "API version; * stands for all.");
}

void SubjectAccessReviewSpec::Describe(Type<SubjectAccessReviewSpec>& type) {
  type.Name("io.k8s.api.authorization.v1.SubjectAccessReviewSpec")
      .Doc(
          "Who would make the request, and the request itself; exactly one kind of attributes is "
          "set.");
  type.Field("extra", 5, &SubjectAccessReviewSpec::extra,
             "Further attributes of the user, by lower-case key.");
  type.Field("groups", 4, &SubjectAccessReviewSpec::groups,
             "Groups of the user; user or groups must be set.")
      .ListAtomic();
  type.Field("nonResourceAttributes", 2, &SubjectAccessReviewSpec::non_resource_attributes,
             "A request for a URL path.");
  type.Field("resourceAttributes", 1, &SubjectAccessReviewSpec::resource_attributes,
             "A request for an API resource.");
  type.Field("uid", 6, &SubjectAccessReviewSpec::uid, "Unique identity of the user, if known.");
  type.Field("user", 3, &SubjectAccessReviewSpec::user,
             "Name of the user; empty asks about the groups alone.");
}

void SubjectAccessReviewStatus::Describe(Type<SubjectAccessReviewStatus>& type) {
  type.Name("io.k8s.api.authorization.v1.SubjectAccessReviewStatus")
      .Doc("The verdict on a request.");
  type.Field("allowed", 1, &SubjectAccessReviewStatus::allowed,
             "True if the request would be let through.")
      .Required();
  type.Field("denied", 4, &SubjectAccessReviewStatus::denied,
             "True if an authorizer denied it; false with allowed false means that no authorizer "
             "allowed it.");
  type.Field("evaluationError", 3, &SubjectAccessReviewStatus::evaluation_error,
             "What went wrong while judging; the verdict can still stand.");
  type.Field("reason", 2, &SubjectAccessReviewStatus::reason, "Why, for people to read.");
}

void LocalSubjectAccessReview::Describe(Type<LocalSubjectAccessReview>& type) {
  type.Name("io.k8s.api.authorization.v1.LocalSubjectAccessReview");
  type.Field("metadata", 1, &LocalSubjectAccessReview::metadata);
  type.Field("spec", 2, &LocalSubjectAccessReview::spec,
             "Who and what; its namespace must be the one of the request.")
      .Required();
  type.Field("status", 3, &LocalSubjectAccessReview::status, "The verdict.");
}

void NonResourceRule::Describe(Type<NonResourceRule>& type) {
  type.Name("io.k8s.api.authorization.v1.NonResourceRule")
      .Doc("Verbs that are allowed on URL paths.");
  type.Field("nonResourceURLs", 2, &NonResourceRule::non_resource_urls,
             "Paths; a * may stand alone or end one.")
      .ListAtomic();
  type.Field("verbs", 1, &NonResourceRule::verbs, "HTTP methods in lower case; * stands for all.")
      .Required()
      .ListAtomic();
}

void ResourceRule::Describe(Type<ResourceRule>& type) {
  type.Name("io.k8s.api.authorization.v1.ResourceRule").Doc("Verbs that are allowed on resources.");
  type.Field("apiGroups", 2, &ResourceRule::api_groups,
             "API groups; an empty string is the core group and * stands for all.")
      .ListAtomic();
  type.Field("resourceNames", 4, &ResourceRule::resource_names, "Object names; empty allows all.")
      .ListAtomic();
  type.Field("resources", 3, &ResourceRule::resources,
             "Resources in the plural, with subresources after a slash; * stands for all.")
      .ListAtomic();
  type.Field("verbs", 1, &ResourceRule::verbs, "Allowed verbs; * stands for all.")
      .Required()
      .ListAtomic();
}

void SelfSubjectAccessReviewSpec::Describe(Type<SelfSubjectAccessReviewSpec>& type) {
  type.Name("io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec")
      .Doc("The request to authorize; exactly one of the two fields is set.");
  type.Field("nonResourceAttributes", 2, &SelfSubjectAccessReviewSpec::non_resource_attributes,
             "A request for a URL path.");
  type.Field("resourceAttributes", 1, &SelfSubjectAccessReviewSpec::resource_attributes,
             "A request for an API resource.");
}

void SelfSubjectAccessReview::Describe(Type<SelfSubjectAccessReview>& type) {
  type.Name("io.k8s.api.authorization.v1.SelfSubjectAccessReview");
  type.Field("metadata", 1, &SelfSubjectAccessReview::metadata);
  type.Field("spec", 2, &SelfSubjectAccessReview::spec, "What the caller would like to do.")
      .Required();
  type.Field("status", 3, &SelfSubjectAccessReview::status, "The verdict.");
}

void SelfSubjectRulesReviewSpec::Describe(Type<SelfSubjectRulesReviewSpec>& type) {
  type.Name("io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec")
      .Doc("The namespace to list rules for.");
  type.Field("namespace", 1, &SelfSubjectRulesReviewSpec::namespace_name,
             "Required; rules for the whole cluster are included in the answer.");
}

void SubjectRulesReviewStatus::Describe(Type<SubjectRulesReviewStatus>& type) {
  type.Name("io.k8s.api.authorization.v1.SubjectRulesReviewStatus")
      .Doc("The rules that apply to a caller.");
  type.Field("evaluationError", 4, &SubjectRulesReviewStatus::evaluation_error,
             "Why the list is incomplete.");
  type.Field("incomplete", 3, &SubjectRulesReviewStatus::incomplete,
             "True if some authorizer could not list its rules.")
      .Required();
  type.Field("nonResourceRules", 2, &SubjectRulesReviewStatus::non_resource_rules,
             "What is allowed on URL paths.")
      .Required()
      .ListAtomic();
  type.Field("resourceRules", 1, &SubjectRulesReviewStatus::resource_rules,
             "What is allowed on resources; the order means nothing and entries may repeat.")
      .Required()
      .ListAtomic();
}

void SelfSubjectRulesReview::Describe(Type<SelfSubjectRulesReview>& type) {
  type.Name("io.k8s.api.authorization.v1.SelfSubjectRulesReview");
  type.Field("metadata", 1, &SelfSubjectRulesReview::metadata);
  type.Field("spec", 2, &SelfSubjectRulesReview::spec, "The namespace.").Required();
  type.Field("status", 3, &SelfSubjectRulesReview::status, "The rules that apply to the caller.");
}

void SubjectAccessReview::Describe(Type<SubjectAccessReview>& type) {
  type.Name("io.k8s.api.authorization.v1.SubjectAccessReview");
  type.Field("metadata", 1, &SubjectAccessReview::metadata);
  type.Field("spec", 2, &SubjectAccessReview::spec, "Who and what.").Required();
  type.Field("status", 3, &SubjectAccessReview::status, "The verdict.");
}

}  // namespace kubexms::authorizationv1
