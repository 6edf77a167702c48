#include "kubexms/api/kinds/scheduling_v1.h"

namespace kubexms::schedulingv1 {

void PriorityClass::Describe(Type<PriorityClass>& type) {
  type.Name("io.k8s.api.scheduling.v1.PriorityClass");
  type.Field("description", 4, &PriorityClass::description,
             "When the class should be used, for people.");
  type.Field("globalDefault", 3, &PriorityClass::global_default,
             "True for the class of pods that name none; without one, they get priority 0.");
  type.Field("metadata", 1, &PriorityClass::metadata);
  type.Field("preemptionPolicy", 5, &PriorityClass::preemption_policy,
             "PreemptLowerPriority (default) lets pods displace others of lower priority; Never "
             "makes them wait.")
      .Pointer()
      .Default("PreemptLowerPriority")
      .Enum({"PreemptLowerPriority", "Never"})
      .Immutable();
  type.Field(
          "value", 2, &PriorityClass::value,
          "The priority; higher is more important. At most 1000000000, except for system classes.")
      .Required()
      .Immutable();
}

}  // namespace kubexms::schedulingv1
