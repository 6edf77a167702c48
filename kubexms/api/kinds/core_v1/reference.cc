#include "kubexms/api/kinds/core_v1/reference.h"

namespace kubexms::corev1 {

void ConfigMapKeySelector::Describe(Type<ConfigMapKeySelector>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMapKeySelector")
      .Atomic()
      .Doc("Points to one key of a config map.");
  type.Field("key", 2, &ConfigMapKeySelector::key, "Key whose value is used.").Required();
  type.Field("name", {1, 1}, &ConfigMapKeySelector::name, "Config map in the pod's namespace.");
  type.Field("optional", 3, &ConfigMapKeySelector::optional,
             "Tolerates a missing config map or key; false by default.");
}

void FileKeySelector::Describe(Type<FileKeySelector>& type) {
  type.Name("io.k8s.api.core.v1.FileKeySelector")
      .Atomic()
      .Doc("Points to one key in an environment file on an emptyDir volume.");
  type.Field("key", 3, &FileKeySelector::key, "Name of the variable inside the file.").Required();
  type.Field("optional", 4, &FileKeySelector::optional,
             "Leaves the variable unset when the file or key is missing, instead of failing the "
             "start.")
      .Default(false);
  type.Field("path", 2, &FileKeySelector::path, "File to read, relative to the volume root.")
      .Required();
  type.Field("volumeName", 1, &FileKeySelector::volume_name,
             "Volume of the pod that holds the file.")
      .Required();
}

void KeyToPath::Describe(Type<KeyToPath>& type) {
  type.Name("io.k8s.api.core.v1.KeyToPath")
      .Doc("Puts one key of a config map or secret at a chosen path.");
  type.Field("key", 1, &KeyToPath::key, "Key whose value is written.").Required();
  type.Field("mode", 3, &KeyToPath::mode,
             "Permission bits of the file; absent means the volume's defaultMode.")
      .Minimum(0)
      .Maximum(511);
  type.Field("path", 2, &KeyToPath::path,
             "Relative path of the file; may not contain a parent directory step.")
      .Required();
}

void LocalObjectReference::Describe(Type<LocalObjectReference>& type) {
  type.Name("io.k8s.api.core.v1.LocalObjectReference")
      .Atomic()
      .Doc("Names an object in the same namespace.");
  type.Field("name", 1, &LocalObjectReference::name,
             "Name of the object; an empty name is accepted for old objects but finds nothing.");
}

void NodeSelectorRequirement::Describe(Type<NodeSelectorRequirement>& type) {
  type.Name("io.k8s.api.core.v1.NodeSelectorRequirement")
      .Doc("Compares one label or field of a node with values.");
  type.Field("key", 1, &NodeSelectorRequirement::key,
             "Label key, or metadata.name among the field rules.")
      .Required();
  type.Field("operator", 2, &NodeSelectorRequirement::operator_,
             "Way of comparing; Gt and Lt compare integers.")
      .Required()
      .Enum({"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
  type.Field(
          "values", 3, &NodeSelectorRequirement::values,
          "Empty for Exists and DoesNotExist, exactly one for Gt and Lt, otherwise at least one.")
      .ListAtomic();
}

void NodeSelectorTerm::Describe(Type<NodeSelectorTerm>& type) {
  type.Name("io.k8s.api.core.v1.NodeSelectorTerm")
      .Atomic()
      .Doc("Requirements that must all hold; a term without any matches no node.");
  type.Field("matchExpressions", 1, &NodeSelectorTerm::match_expressions,
             "Requirements on the node's labels.")
      .ListAtomic();
  type.Field("matchFields", 2, &NodeSelectorTerm::match_fields,
             "Requirements on the node's fields; only metadata.name is supported.")
      .ListAtomic();
}

void NodeSelector::Describe(Type<NodeSelector>& type) {
  type.Name("io.k8s.api.core.v1.NodeSelector")
      .Atomic()
      .Doc("Picks nodes; a node matches if at least one term does.");
  type.Field("nodeSelectorTerms", 1, &NodeSelector::node_selector_terms,
             "Alternatives of which one has to match; at least one is needed.")
      .Required()
      .ListAtomic();
}

void ObjectFieldSelector::Describe(Type<ObjectFieldSelector>& type) {
  type.Name("io.k8s.api.core.v1.ObjectFieldSelector").Atomic().Doc("Points to a field of the pod.");
  type.Field("apiVersion", 1, &ObjectFieldSelector::api_version,
             "API version in which the path is written; v1 unless set.")
      .Default("v1");
  type.Field("fieldPath", 2, &ObjectFieldSelector::field_path,
             "Path of the field, such as metadata.name or metadata.labels['app'].")
      .Required();
}

void ObjectReference::Describe(Type<ObjectReference>& type) {
  type.Name("io.k8s.api.core.v1.ObjectReference")
      .Atomic()
      .Doc("Names any object of the cluster; empty members are not compared.");
  type.Field("apiVersion", 5, &ObjectReference::api_version, "API version of the object.");
  type.Field(
      "fieldPath", 7, &ObjectReference::field_path,
      "Part of the object that is meant, such as spec.containers{web}; empty means the whole.");
  type.Field("kind", 1, &ObjectReference::kind, "Kind of the object.");
  type.Field("name", 3, &ObjectReference::name);
  type.Field("namespace", 2, &ObjectReference::namespace_name);
  type.Field("resourceVersion", 6, &ObjectReference::resource_version,
             "Exact version that is meant; empty means any.");
  type.Field("uid", 4, &ObjectReference::uid,
             "Identity of the object; empty means any object of that name.");
}

void ResourceFieldSelector::Describe(Type<ResourceFieldSelector>& type) {
  type.Name("io.k8s.api.core.v1.ResourceFieldSelector")
      .Atomic()
      .Doc("Points to a resource limit or request of a container.");
  type.Field("containerName", 1, &ResourceFieldSelector::container_name,
             "Container that is meant; required in volumes, otherwise the container itself.");
  type.Field("divisor", 3, &ResourceFieldSelector::divisor,
             "Unit the value is divided by, rounding up; 0 or absent means 1.")
      .WriteZero()
      .Default("0");
  type.Field("resource", 2, &ResourceFieldSelector::resource,
             "Resource to read, such as limits.cpu or requests.memory.")
      .Required();
}

void SecretKeySelector::Describe(Type<SecretKeySelector>& type) {
  type.Name("io.k8s.api.core.v1.SecretKeySelector").Atomic().Doc("Points to one key of a secret.");
  type.Field("key", 2, &SecretKeySelector::key, "Key whose value is used.").Required();
  type.Field("name", {1, 1}, &SecretKeySelector::name, "Secret in the pod's namespace.");
  type.Field("optional", 3, &SecretKeySelector::optional,
             "Tolerates a missing secret or key; false by default.");
}

void SecretReference::Describe(Type<SecretReference>& type) {
  type.Name("io.k8s.api.core.v1.SecretReference").Atomic().Doc("Names a secret in any namespace.");
  type.Field("name", 1, &SecretReference::name);
  type.Field("namespace", 2, &SecretReference::namespace_name);
}

void TopologySelectorLabelRequirement::Describe(Type<TopologySelectorLabelRequirement>& type) {
  type.Name("io.k8s.api.core.v1.TopologySelectorLabelRequirement")
      .Doc("Restricts a node label to certain values.");
  type.Field("key", 1, &TopologySelectorLabelRequirement::key, "Node label that is restricted.")
      .Required();
  type.Field("values", 2, &TopologySelectorLabelRequirement::values,
             "Allowed values; one of them has to match.")
      .Required()
      .ListAtomic();
}

void TopologySelectorTerm::Describe(Type<TopologySelectorTerm>& type) {
  type.Name("io.k8s.api.core.v1.TopologySelectorTerm")
      .Atomic()
      .Doc("Restricts where volumes are made; all requirements must hold.");
  type.Field("matchLabelExpressions", 1, &TopologySelectorTerm::match_label_expressions,
             "Requirements on node labels.")
      .ListAtomic();
}

void TypedLocalObjectReference::Describe(Type<TypedLocalObjectReference>& type) {
  type.Name("io.k8s.api.core.v1.TypedLocalObjectReference")
      .Atomic()
      .Doc("Names an object of any kind in the same namespace.");
  type.Field("apiGroup", 1, &TypedLocalObjectReference::api_group,
             "API group of the kind; absent or empty means the core group.")
      .WriteNull();
  type.Field("kind", 2, &TypedLocalObjectReference::kind).Required();
  type.Field("name", 3, &TypedLocalObjectReference::name).Required();
}

void TypedObjectReference::Describe(Type<TypedObjectReference>& type) {
  type.Name("io.k8s.api.core.v1.TypedObjectReference")
      .Doc("Names an object of any kind, possibly in another namespace.");
  type.Field("apiGroup", 1, &TypedObjectReference::api_group,
             "API group of the kind; absent or empty means the core group.")
      .WriteNull();
  type.Field("kind", 2, &TypedObjectReference::kind).Required();
  type.Field("name", 3, &TypedObjectReference::name).Required();
  type.Field("namespace", 4, &TypedObjectReference::namespace_name,
             "Namespace of the object; absent means the same one; others need a ReferenceGrant.")
      .Pointer();
}

}  // namespace kubexms::corev1
