#pragma once

// node.k8s.io/v1: RuntimeClass, the ways a node can run containers.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::nodev1 {

struct Overhead : Struct {
  StringKeyed<Quantity> pod_fixed;

  static void Describe(Type<Overhead>& type);
};

struct Scheduling : Struct {
  StringMap node_selector;
  std::vector<corev1::Toleration> tolerations;

  static void Describe(Type<Scheduling>& type);
};

struct RuntimeClass : Struct {
  static constexpr KindName kKind{
      .group = "node.k8s.io",
      .version = "v1",
      .kind = "RuntimeClass",
      .scope = Scope::kCluster,
      .doc = "A way of running containers that pods can choose by name."};

  std::string handler;
  ObjectMeta metadata;
  Optional<Overhead> overhead;
  Optional<Scheduling> scheduling;

  static void Describe(Type<RuntimeClass>& type);
};

}  // namespace kubexms::nodev1
