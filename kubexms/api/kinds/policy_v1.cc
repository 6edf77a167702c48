#include "kubexms/api/kinds/policy_v1.h"

namespace kubexms::policyv1 {

void Eviction::Describe(Type<Eviction>& type) {
  type.Name("io.k8s.api.policy.v1.Eviction");
  type.Field("deleteOptions", 2, &Eviction::delete_options,
             "Options for the deletion, such as a grace period.");
  type.Field("metadata", 1, &Eviction::metadata);
}

void PodDisruptionBudgetSpec::Describe(Type<PodDisruptionBudgetSpec>& type) {
  type.Name("io.k8s.api.policy.v1.PodDisruptionBudgetSpec")
      .Doc("Which pods are protected and how many must stay; one of the two limits is set.");
  type.Field("maxUnavailable", 3, &PodDisruptionBudgetSpec::max_unavailable,
             "Pods, as a number or percentage, that may be missing; 0 forbids evictions. Not "
             "together with minAvailable.");
  type.Field("minAvailable", 1, &PodDisruptionBudgetSpec::min_available,
             "Pods, as a number or percentage, that must stay; 100% forbids evictions. Not "
             "together with maxUnavailable.");
  type.Field(
      "selector", 2, &PodDisruptionBudgetSpec::selector,
      "Pods that are protected; an empty selector takes all of the namespace, absent takes none.");
  type.Field("unhealthyPodEvictionPolicy", 4,
             &PodDisruptionBudgetSpec::unhealthy_pod_eviction_policy,
             "For running pods that are not ready: IfHealthyBudget (used when absent) needs a "
             "healthy group, AlwaysAllow does not.")
      .Pointer()
      .Enum({"IfHealthyBudget", "AlwaysAllow"});
}

void PodDisruptionBudgetStatus::Describe(Type<PodDisruptionBudgetStatus>& type) {
  type.Name("io.k8s.api.policy.v1.PodDisruptionBudgetStatus")
      .Doc("How many evictions a budget allows now.");
  type.Field("conditions", 7, &PodDisruptionBudgetStatus::conditions,
             "DisruptionAllowed says whether an eviction is allowed, with the reason.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("currentHealthy", 4, &PodDisruptionBudgetStatus::current_healthy, "Ready pods now.")
      .Required()
      .Minimum(0);
  type.Field("desiredHealthy", 5, &PodDisruptionBudgetStatus::desired_healthy,
             "Ready pods that must stay.")
      .Required()
      .Minimum(0);
  type.Field("disruptedPods", 2, &PodDisruptionBudgetStatus::disrupted_pods,
             "Pods whose eviction was granted but is not seen yet, with the time it was granted.");
  type.Field("disruptionsAllowed", 3, &PodDisruptionBudgetStatus::disruptions_allowed,
             "Evictions that are possible now.")
      .Required()
      .Minimum(0);
  type.Field("expectedPods", 6, &PodDisruptionBudgetStatus::expected_pods,
             "Pods that the group should have.")
      .Required()
      .Minimum(0);
  type.Field(
      "observedGeneration", 1, &PodDisruptionBudgetStatus::observed_generation,
      "Generation of the spec that this status belongs to; evictions wait until it is current.");
}

void PodDisruptionBudget::Describe(Type<PodDisruptionBudget>& type) {
  type.Name("io.k8s.api.policy.v1.PodDisruptionBudget");
  type.Field("metadata", 1, &PodDisruptionBudget::metadata);
  type.Field("spec", 2, &PodDisruptionBudget::spec, "Which pods, and how many must stay.");
  type.Field("status", 3, &PodDisruptionBudget::status, "How many may be evicted now.");
}

}  // namespace kubexms::policyv1
