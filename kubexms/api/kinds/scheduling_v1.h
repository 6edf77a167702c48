#pragma once

// scheduling.k8s.io/v1: PriorityClass.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::schedulingv1 {

struct PriorityClass : Struct {
  static constexpr KindName kKind{.group = "scheduling.k8s.io",
                                  .version = "v1",
                                  .kind = "PriorityClass",
                                  .scope = Scope::kCluster,
                                  .doc = "Gives a name to a pod priority.",
                                  .short_names = "pc"};

  std::string description;
  bool global_default = false;
  ObjectMeta metadata;
  std::string preemption_policy;
  int32_t value = 0;

  static void Describe(Type<PriorityClass>& type);
};

}  // namespace kubexms::schedulingv1
