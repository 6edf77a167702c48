#include "kubexms/api/kinds/apiregistration_v1.h"

namespace kubexms::apiregistrationv1 {

void ServiceReference::Describe(Type<ServiceReference>& type) {
  type.Name("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference")
      .Doc("A service that serves part of the API.");
  type.Field("name", 2, &ServiceReference::name);
  type.Field("namespace", 1, &ServiceReference::namespace_name);
  type.Field("port", 3, &ServiceReference::port, "Service port, 1 to 65535; 443 by default.")
      .Default(443)
      .Minimum(1)
      .Maximum(65535);
}

void APIServiceSpec::Describe(Type<APIServiceSpec>& type) {
  type.Name("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec")
      .Doc("A group and version, and the server that answers for it.");
  type.Field("caBundle", 5, &APIServiceSpec::ca_bundle,
             "PEM certificates that must have signed the other server's; not together with "
             "insecureSkipTLSVerify.");
  type.Field("group", 2, &APIServiceSpec::group, "API group; empty is the core group.");
  type.Field("groupPriorityMinimum", 7, &APIServiceSpec::group_priority_minimum,
             "Rank of the group, 1 to 20000; groups with higher numbers are listed and preferred "
             "first.")
      .Required()
      .Minimum(1)
      .Maximum(20000);
  type.Field("insecureSkipTLSVerify", 4, &APIServiceSpec::insecure_skip_tls_verify,
             "True to accept any certificate; for tests only.");
  type.Field("service", 1, &APIServiceSpec::service,
             "Service that answers; absent if this server does so itself.");
  type.Field("version", 3, &APIServiceSpec::version, "API version, such as v1.");
  type.Field("versionPriority", 8, &APIServiceSpec::version_priority,
             "Rank of the version within its group, 1 to 1000; higher comes first, and ties go by "
             "version name.")
      .Required()
      .Minimum(1)
      .Maximum(1000);
}

void APIServiceCondition::Describe(Type<APIServiceCondition>& type) {
  type.Name("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition")
      .Doc("One aspect of the current state of an API service.");
  type.Field("lastTransitionTime", 3, &APIServiceCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 5, &APIServiceCondition::message, "Human-readable explanation.");
  type.Field("reason", 4, &APIServiceCondition::reason, "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &APIServiceCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &APIServiceCondition::type,
             "Available says whether requests can be forwarded.")
      .Required();
}

void APIServiceStatus::Describe(Type<APIServiceStatus>& type) {
  type.Name("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus")
      .Doc("Whether an API service can be used.");
  type.Field("conditions", 1, &APIServiceStatus::conditions,
             "Current state, one entry for each aspect.")
      .ListMap({"type"})
      .PatchMerge("type");
}

void APIService::Describe(Type<APIService>& type) {
  type.Name("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService");
  type.Field("metadata", 1, &APIService::metadata);
  type.Field("spec", 2, &APIService::spec, "Which group and version, and who serves it.");
  type.Field("status", 3, &APIService::status, "Whether the other server can be used.");
}

}  // namespace kubexms::apiregistrationv1
