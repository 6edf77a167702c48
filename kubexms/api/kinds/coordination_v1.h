#pragma once

// coordination.k8s.io/v1: leases, for heartbeats and leader election.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::coordinationv1 {

struct LeaseSpec : Struct {
  MicroTime acquire_time;
  Optional<std::string> holder_identity;
  Optional<int32_t> lease_duration_seconds;
  Optional<int32_t> lease_transitions;
  std::string preferred_holder;
  MicroTime renew_time;
  std::string strategy;

  static void Describe(Type<LeaseSpec>& type);
};

struct Lease : Struct {
  static constexpr KindName kKind{
      .group = "coordination.k8s.io",
      .version = "v1",
      .kind = "Lease",
      .doc = "A lock with a time limit, used for leader election and for node heartbeats."};

  ObjectMeta metadata;
  LeaseSpec spec;

  static void Describe(Type<Lease>& type);
};

}  // namespace kubexms::coordinationv1
