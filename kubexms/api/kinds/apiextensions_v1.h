#pragma once

// apiextensions.k8s.io/v1: CustomResourceDefinition.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::apiextensionsv1 {

struct CustomResourceColumnDefinition : Struct {
  std::string description;
  std::string format;
  std::string json_path;
  std::string name;
  Optional<int32_t> priority;
  std::string type;

  static void Describe(Type<CustomResourceColumnDefinition>& type);
};

struct ServiceReference : Struct {
  std::string name;
  std::string namespace_name;
  std::string path;
  Optional<int32_t> port;

  static void Describe(Type<ServiceReference>& type);
};

struct WebhookClientConfig : Struct {
  Bytes ca_bundle;
  Optional<ServiceReference> service;
  std::string url;

  static void Describe(Type<WebhookClientConfig>& type);
};

struct WebhookConversion : Struct {
  Optional<WebhookClientConfig> client_config;
  std::vector<std::string> conversion_review_versions;

  static void Describe(Type<WebhookConversion>& type);
};

struct CustomResourceConversion : Struct {
  std::string strategy;
  Optional<WebhookConversion> webhook;

  static void Describe(Type<CustomResourceConversion>& type);
};

struct CustomResourceDefinitionNames : Struct {
  std::vector<std::string> categories;
  std::string kind;
  std::string list_kind;
  std::string plural;
  std::vector<std::string> short_names;
  std::string singular;

  static void Describe(Type<CustomResourceDefinitionNames>& type);
};

struct ExternalDocumentation : Struct {
  std::string description;
  std::string url;

  static void Describe(Type<ExternalDocumentation>& type);
};

struct ValidationRule : Struct {
  std::string field_path;
  std::string message;
  std::string message_expression;
  bool optional_old_self = false;
  std::string reason;
  std::string rule;

  static void Describe(Type<ValidationRule>& type);
};

struct JSONSchemaProps : Struct {
  std::string ref;
  std::string schema;
  RawJson additional_items;
  RawJson additional_properties;
  std::vector<JSONSchemaProps> all_of;
  std::vector<JSONSchemaProps> any_of;
  RawJson default_;
  StringKeyed<JSONSchemaProps> definitions;
  StringKeyed<RawJson> dependencies;
  std::string description;
  std::vector<RawJson> enum_;
  RawJson example;
  bool exclusive_maximum = false;
  bool exclusive_minimum = false;
  Optional<ExternalDocumentation> external_docs;
  std::string format;
  std::string id;
  RawJson items;
  Optional<int64_t> max_items;
  Optional<int64_t> max_length;
  Optional<int64_t> max_properties;
  Optional<double> maximum;
  Optional<int64_t> min_items;
  Optional<int64_t> min_length;
  Optional<int64_t> min_properties;
  Optional<double> minimum;
  Optional<double> multiple_of;
  Optional<JSONSchemaProps> not_;
  bool nullable = false;
  std::vector<JSONSchemaProps> one_of;
  std::string pattern;
  StringKeyed<JSONSchemaProps> pattern_properties;
  StringKeyed<JSONSchemaProps> properties;
  std::vector<std::string> required;
  std::string title;
  std::string type;
  bool unique_items = false;
  bool x_kubernetes_embedded_resource = false;
  bool x_kubernetes_int_or_string = false;
  std::vector<std::string> x_kubernetes_list_map_keys;
  std::string x_kubernetes_list_type;
  std::string x_kubernetes_map_type;
  bool x_kubernetes_preserve_unknown_fields = false;
  std::vector<ValidationRule> x_kubernetes_validations;

  static void Describe(Type<JSONSchemaProps>& type);
};

struct CustomResourceValidation : Struct {
  Optional<JSONSchemaProps> open_api_v3_schema;

  static void Describe(Type<CustomResourceValidation>& type);
};

struct SelectableField : Struct {
  std::string json_path;

  static void Describe(Type<SelectableField>& type);
};

struct CustomResourceSubresourceScale : Struct {
  std::string label_selector_path;
  std::string spec_replicas_path;
  std::string status_replicas_path;

  static void Describe(Type<CustomResourceSubresourceScale>& type);
};

struct CustomResourceSubresources : Struct {
  Optional<CustomResourceSubresourceScale> scale;
  RawJson status;

  static void Describe(Type<CustomResourceSubresources>& type);
};

struct CustomResourceDefinitionVersion : Struct {
  std::vector<CustomResourceColumnDefinition> additional_printer_columns;
  bool deprecated = false;
  std::string deprecation_warning;
  std::string name;
  Optional<CustomResourceValidation> schema;
  std::vector<SelectableField> selectable_fields;
  bool served = false;
  bool storage = false;
  Optional<CustomResourceSubresources> subresources;

  static void Describe(Type<CustomResourceDefinitionVersion>& type);
};

struct CustomResourceDefinitionSpec : Struct {
  Optional<CustomResourceConversion> conversion;
  std::string group;
  CustomResourceDefinitionNames names;
  bool preserve_unknown_fields = false;
  std::string scope;
  std::vector<CustomResourceDefinitionVersion> versions;

  static void Describe(Type<CustomResourceDefinitionSpec>& type);
};

struct CustomResourceDefinitionCondition : Struct {
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<CustomResourceDefinitionCondition>& type);
};

struct CustomResourceDefinitionStatus : Struct {
  Optional<CustomResourceDefinitionNames> accepted_names;
  std::vector<CustomResourceDefinitionCondition> conditions;
  std::vector<std::string> stored_versions;

  static void Describe(Type<CustomResourceDefinitionStatus>& type);
};

struct CustomResourceDefinition : Struct {
  static constexpr KindName kKind{
      .group = "apiextensions.k8s.io",
      .version = "v1",
      .kind = "CustomResourceDefinition",
      .scope = Scope::kCluster,
      .doc = "Adds a resource of one's own to the API; its name is plural.group.",
      .short_names = "crd crds",
      .categories = "api-extensions"};

  ObjectMeta metadata;
  CustomResourceDefinitionSpec spec;
  CustomResourceDefinitionStatus status;

  static void Describe(Type<CustomResourceDefinition>& type);
};

}  // namespace kubexms::apiextensionsv1
