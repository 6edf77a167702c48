#pragma once

// core/v1: references from one object to another and selectors of keys and fields.

#include <string>
#include <vector>

#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::corev1 {

struct ConfigMapKeySelector : Struct {
  std::string key;
  std::string name;
  Optional<bool> optional;

  static void Describe(Type<ConfigMapKeySelector>& type);
};

struct FileKeySelector : Struct {
  std::string key;
  Optional<bool> optional;
  std::string path;
  std::string volume_name;

  static void Describe(Type<FileKeySelector>& type);
};

struct KeyToPath : Struct {
  std::string key;
  Optional<int32_t> mode;
  std::string path;

  static void Describe(Type<KeyToPath>& type);
};

struct LocalObjectReference : Struct {
  std::string name;

  static void Describe(Type<LocalObjectReference>& type);
};

struct NodeSelectorRequirement : Struct {
  std::string key;
  std::string operator_;
  std::vector<std::string> values;

  static void Describe(Type<NodeSelectorRequirement>& type);
};

struct NodeSelectorTerm : Struct {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;

  static void Describe(Type<NodeSelectorTerm>& type);
};

struct NodeSelector : Struct {
  std::vector<NodeSelectorTerm> node_selector_terms;

  static void Describe(Type<NodeSelector>& type);
};

struct ObjectFieldSelector : Struct {
  std::string api_version;
  std::string field_path;

  static void Describe(Type<ObjectFieldSelector>& type);
};

struct ObjectReference : Struct {
  std::string api_version;
  std::string field_path;
  std::string kind;
  std::string name;
  std::string namespace_name;
  std::string resource_version;
  std::string uid;

  static void Describe(Type<ObjectReference>& type);
};

struct ResourceFieldSelector : Struct {
  std::string container_name;
  Optional<Quantity> divisor;
  std::string resource;

  static void Describe(Type<ResourceFieldSelector>& type);
};

struct SecretKeySelector : Struct {
  std::string key;
  std::string name;
  Optional<bool> optional;

  static void Describe(Type<SecretKeySelector>& type);
};

struct SecretReference : Struct {
  std::string name;
  std::string namespace_name;

  static void Describe(Type<SecretReference>& type);
};

struct TopologySelectorLabelRequirement : Struct {
  std::string key;
  std::vector<std::string> values;

  static void Describe(Type<TopologySelectorLabelRequirement>& type);
};

struct TopologySelectorTerm : Struct {
  std::vector<TopologySelectorLabelRequirement> match_label_expressions;

  static void Describe(Type<TopologySelectorTerm>& type);
};

struct TypedLocalObjectReference : Struct {
  std::string api_group;
  std::string kind;
  std::string name;

  static void Describe(Type<TypedLocalObjectReference>& type);
};

struct TypedObjectReference : Struct {
  std::string api_group;
  std::string kind;
  std::string name;
  std::string namespace_name;

  static void Describe(Type<TypedObjectReference>& type);
};

}  // namespace kubexms::corev1
