#include "kubexms/api/kinds/node_v1.h"

namespace kubexms::nodev1 {

void Overhead::Describe(Type<Overhead>& type) {
  type.Name("io.k8s.api.node.v1.Overhead")
      .Doc("What the sandbox of a pod uses in addition to its containers.");
  type.Field("podFixed", 1, &Overhead::pod_fixed,
             "Amount of each resource per pod, counted in scheduling and quota.");
}

void Scheduling::Describe(Type<Scheduling>& type) {
  type.Name("io.k8s.api.node.v1.Scheduling").Doc("Nodes that have a runtime.");
  type.Field("nodeSelector", 1, &Scheduling::node_selector,
             "Labels the nodes must have; merged into the pods, which are rejected if theirs "
             "conflict.")
      .MapAtomic();
  type.Field("tolerations", 2, &Scheduling::tolerations,
             "Added to the tolerations of pods of this class.")
      .ListAtomic();
}

void RuntimeClass::Describe(Type<RuntimeClass>& type) {
  type.Name("io.k8s.api.node.v1.RuntimeClass");
  type.Field("handler", 2, &RuntimeClass::handler,
             "Name of the configuration in the node's container runtime, a DNS label.")
      .Required()
      .Immutable();
  type.Field("metadata", 1, &RuntimeClass::metadata);
  type.Field("overhead", 3, &RuntimeClass::overhead,
             "Added to the resources of pods of this class; absent adds nothing.");
  type.Field("scheduling", 4, &RuntimeClass::scheduling,
             "Keeps pods on nodes that have the runtime; absent assumes that all have it.");
}

}  // namespace kubexms::nodev1
