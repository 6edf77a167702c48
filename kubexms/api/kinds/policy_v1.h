#pragma once

// policy/v1: PodDisruptionBudget and Eviction.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::policyv1 {

struct Eviction : Struct {
  static constexpr KindName kKind{.group = "policy",
                                  .version = "v1",
                                  .kind = "Eviction",
                                  .doc =
                                      "Asks for the deletion of a pod, granted only if disruption "
                                      "budgets permit; posted to pods/eviction."};

  Optional<DeleteOptions> delete_options;
  ObjectMeta metadata;

  static void Describe(Type<Eviction>& type);
};

struct PodDisruptionBudgetSpec : Struct {
  Optional<IntOrString> max_unavailable;
  Optional<IntOrString> min_available;
  Optional<LabelSelector> selector;
  std::string unhealthy_pod_eviction_policy;

  static void Describe(Type<PodDisruptionBudgetSpec>& type);
};

struct PodDisruptionBudgetStatus : Struct {
  std::vector<Condition> conditions;
  int32_t current_healthy = 0;
  int32_t desired_healthy = 0;
  StringKeyed<Time> disrupted_pods;
  int32_t disruptions_allowed = 0;
  int32_t expected_pods = 0;
  int64_t observed_generation = 0;

  static void Describe(Type<PodDisruptionBudgetStatus>& type);
};

struct PodDisruptionBudget : Struct {
  static constexpr KindName kKind{
      .group = "policy",
      .version = "v1",
      .kind = "PodDisruptionBudget",
      .doc = "Limits how many of a group of pods may be evicted at the same time.",
      .short_names = "pdb"};

  ObjectMeta metadata;
  PodDisruptionBudgetSpec spec;
  PodDisruptionBudgetStatus status;

  static void Describe(Type<PodDisruptionBudget>& type);
};

}  // namespace kubexms::policyv1
