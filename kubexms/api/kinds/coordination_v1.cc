#include "kubexms/api/kinds/coordination_v1.h"

namespace kubexms::coordinationv1 {

void LeaseSpec::Describe(Type<LeaseSpec>& type) {
  type.Name("io.k8s.api.coordination.v1.LeaseSpec").Doc("Holder and times of a lease.");
  type.Field("acquireTime", 3, &LeaseSpec::acquire_time, "When the holder took the lease.")
      .Pointer();
  type.Field("holderIdentity", 1, &LeaseSpec::holder_identity,
             "Identity of the holder; absent or empty means that the lease is free.");
  type.Field("leaseDurationSeconds", 2, &LeaseSpec::lease_duration_seconds,
             "Seconds after renewTime until others may take the lease; above 0.")
      .Minimum(1);
  type.Field("leaseTransitions", 5, &LeaseSpec::lease_transitions,
             "How often the holder has changed.")
      .Minimum(0);
  type.Field("preferredHolder", 7, &LeaseSpec::preferred_holder,
             "Candidate that should take over at the next chance; only with strategy.")
      .Pointer();
  type.Field("renewTime", 4, &LeaseSpec::renew_time,
             "When the holder last confirmed that it is alive.")
      .Pointer();
  type.Field("strategy", 6, &LeaseSpec::strategy,
             "How the server picks the holder, such as OldestEmulationVersion; absent lets "
             "candidates race for it.")
      .Pointer();
}

void Lease::Describe(Type<Lease>& type) {
  type.Name("io.k8s.api.coordination.v1.Lease");
  type.Field("metadata", 1, &Lease::metadata);
  type.Field("spec", 2, &Lease::spec, "Who holds the lease and until when.");
}

}  // namespace kubexms::coordinationv1
