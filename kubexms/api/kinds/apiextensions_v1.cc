#include "kubexms/api/kinds/apiextensions_v1.h"

namespace kubexms::apiextensionsv1 {

void CustomResourceColumnDefinition::Describe(Type<CustomResourceColumnDefinition>& type) {
  type.Name(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition")
      .Doc("A column that kubectl get shows for a custom resource.");
  type.Field("description", 4, &CustomResourceColumnDefinition::description,
             "Meaning of the column, for people.");
  type.Field("format", 3, &CustomResourceColumnDefinition::format,
             "OpenAPI format, such as date-time.");
  type.Field("jsonPath", 6, &CustomResourceColumnDefinition::json_path,
             "Where the value is in each object, starting with a dot, such as .spec.size; arrays "
             "are not supported.")
      .Required();
  type.Field("name", 1, &CustomResourceColumnDefinition::name, "Heading of the column.").Required();
  type.Field("priority", 5, &CustomResourceColumnDefinition::priority,
             "0 shows the column always, more only in wide output.")
      .OmitZero();
  type.Field("type", 2, &CustomResourceColumnDefinition::type,
             "OpenAPI type of the value; date prints how long ago it was.")
      .Required();
}

void ServiceReference::Describe(Type<ServiceReference>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference")
      .Doc("A service in the cluster that converts custom objects.");
  type.Field("name", 2, &ServiceReference::name).Required();
  type.Field("namespace", 1, &ServiceReference::namespace_name).Required();
  type.Field("path", 3, &ServiceReference::path, "URL path to call; empty is the root.").Pointer();
  type.Field("port", 4, &ServiceReference::port, "Service port, 1 to 65535; 443 by default.")
      .Default(443)
      .Minimum(1)
      .Maximum(65535);
}

void WebhookClientConfig::Describe(Type<WebhookClientConfig>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig")
      .Doc("Where a converter is and how its certificate is verified; either a service or a URL.");
  type.Field("caBundle", 2, &WebhookClientConfig::ca_bundle,
             "PEM certificates that must have signed the converter's; absent trusts the roots of "
             "the server's system.");
  type.Field("service", 1, &WebhookClientConfig::service,
             "Service in front of the converter; not together with url.");
  type.Field("url", 3, &WebhookClientConfig::url,
             "Address that starts with https:// and has no user, query or fragment; not together "
             "with service.")
      .Pointer();
}

void WebhookConversion::Describe(Type<WebhookConversion>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion")
      .Doc("A webhook that converts custom objects between versions.");
  type.Field("clientConfig", 2, &WebhookConversion::client_config,
             "How the server reaches the converter; required.");
  type.Field("conversionReviewVersions", 3, &WebhookConversion::conversion_review_versions,
             "ConversionReview versions the converter understands, preferred first; the server "
             "uses the first that it knows.")
      .Required()
      .ListAtomic();
}

void CustomResourceConversion::Describe(Type<CustomResourceConversion>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion")
      .Doc("How objects are converted between the versions of a custom resource.");
  type.Field("strategy", 1, &CustomResourceConversion::strategy,
             "None changes only apiVersion; Webhook calls a converter.")
      .Required();
  type.Field("webhook", 2, &CustomResourceConversion::webhook,
             "The converter; required for Webhook, forbidden for None.");
}

void CustomResourceDefinitionNames::Describe(Type<CustomResourceDefinitionNames>& type) {
  type.Name(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames")
      .Doc("What a custom resource is called in different places.");
  type.Field("categories", 6, &CustomResourceDefinitionNames::categories,
             "Groups of resources that it belongs to, such as all.")
      .ListAtomic();
  type.Field("kind", 4, &CustomResourceDefinitionNames::kind,
             "Kind of the objects, in CamelCase and singular.")
      .Required();
  type.Field("listKind", 5, &CustomResourceDefinitionNames::list_kind,
             "Kind of a list of them; the kind followed by List by default.");
  type.Field("plural", 1, &CustomResourceDefinitionNames::plural,
             "Name in URLs, in lower case; the name of the definition begins with it.")
      .Required();
  type.Field("shortNames", 3, &CustomResourceDefinitionNames::short_names,
             "Abbreviations for the command line, in lower case.")
      .ListAtomic();
  type.Field("singular", 2, &CustomResourceDefinitionNames::singular,
             "Name of one object on the command line; the kind in lower case by default.");
}

void ExternalDocumentation::Describe(Type<ExternalDocumentation>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation")
      .Doc("A link to more documentation.");
  type.Field("description", 1, &ExternalDocumentation::description);
  type.Field("url", 2, &ExternalDocumentation::url);
}

void ValidationRule::Describe(Type<ValidationRule>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule")
      .Doc("A CEL rule for a value of a custom object.");
  type.Field(
      "fieldPath", 5, &ValidationRule::field_path,
      "Field to blame, relative to the value, such as .size; absent blames the value itself.");
  type.Field("message", 2, &ValidationRule::message,
             "Text for a violation; must be set when the rule spans lines.");
  type.Field(
      "messageExpression", 3, &ValidationRule::message_expression,
      "CEL expression for the text of a violation; message is used when it fails or is empty.");
  type.Field("optionalOldSelf", 6, &ValidationRule::optional_old_self,
             "True to evaluate rules with oldSelf also at creation, where it is an empty optional.")
      .Pointer();
  type.Field("reason", 4, &ValidationRule::reason,
             "Reason for a violation in the response; FieldValueInvalid when absent.")
      .Pointer()
      .Enum({"FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired",
             "FieldValueDuplicate"});
  type.Field("rule", 1, &ValidationRule::rule,
             "CEL expression that must be true; self is the value, oldSelf what it was before an "
             "update.")
      .Required();
}

void JSONSchemaProps::Describe(Type<JSONSchemaProps>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps")
      .Doc("OpenAPI v3 schema of a value, with the extensions for Kubernetes objects.");
  type.Field("$ref", 3, &JSONSchemaProps::ref, "Not allowed in structural schemas.").Pointer();
  type.Field("$schema", 2, &JSONSchemaProps::schema, "URI of the schema dialect; not evaluated.");
  type.Field("additionalItems", 33, &JSONSchemaProps::additional_items,
             "Not allowed in structural schemas.")
      .ProtobufAs(ProtobufForm::kSchemaOrBool);
  type.Field("additionalProperties", 30, &JSONSchemaProps::additional_properties,
             "Makes the object a map: the schema of its values, or true for any; not together with "
             "properties.")
      .ProtobufAs(ProtobufForm::kSchemaOrBool);
  type.Field("allOf", 25, &JSONSchemaProps::all_of, "All of these must hold in addition.")
      .ListAtomic();
  type.Field("anyOf", 27, &JSONSchemaProps::any_of, "At least one of these must hold in addition.")
      .ListAtomic();
  type.Field("default", 8, &JSONSchemaProps::default_,
             "Filled in when the value is absent, on writing and on reading.");
  type.Field("definitions", 34, &JSONSchemaProps::definitions,
             "Not allowed in structural schemas.");
  type.Field("dependencies", 32, &JSONSchemaProps::dependencies,
             "Not allowed in structural schemas.")
      .ProtobufAs(ProtobufForm::kSchemaOrStrings);
  type.Field("description", 4, &JSONSchemaProps::description, "Text that kubectl explain shows.");
  type.Field("enum", 20, &JSONSchemaProps::enum_, "The only values that are allowed.").ListAtomic();
  type.Field("example", 36, &JSONSchemaProps::example, "A sample value, for people.");
  type.Field("exclusiveMaximum", 10, &JSONSchemaProps::exclusive_maximum,
             "True if maximum itself is too large.");
  type.Field("exclusiveMinimum", 12, &JSONSchemaProps::exclusive_minimum,
             "True if minimum itself is too small.");
  type.Field("externalDocs", 35, &JSONSchemaProps::external_docs, "Where to read more.");
  type.Field("format", 6, &JSONSchemaProps::format,
             "Form of the value, such as date-time, int32 or uuid; unknown ones are ignored.");
  type.Field("id", 1, &JSONSchemaProps::id, "Not allowed in structural schemas.");
  type.Field("items", 24, &JSONSchemaProps::items,
             "Schema of the items of an array; required for one.")
      .ProtobufAs(ProtobufForm::kSchemaOrList);
  type.Field("maxItems", 16, &JSONSchemaProps::max_items, "Largest number of items of an array.");
  type.Field("maxLength", 13, &JSONSchemaProps::max_length,
             "Largest number of characters of a string.");
  type.Field("maxProperties", 21, &JSONSchemaProps::max_properties,
             "Largest number of entries of an object.");
  type.Field("maximum", 9, &JSONSchemaProps::maximum,
             "Largest number allowed; see exclusiveMaximum.");
  type.Field("minItems", 17, &JSONSchemaProps::min_items, "Smallest number of items of an array.");
  type.Field("minLength", 14, &JSONSchemaProps::min_length,
             "Smallest number of characters of a string.");
  type.Field("minProperties", 22, &JSONSchemaProps::min_properties,
             "Smallest number of entries of an object.");
  type.Field("minimum", 11, &JSONSchemaProps::minimum,
             "Smallest number allowed; see exclusiveMinimum.");
  type.Field("multipleOf", 19, &JSONSchemaProps::multiple_of,
             "The number must be a multiple of this.");
  type.Field("not", 28, &JSONSchemaProps::not_, "Must not hold.");
  type.Field(
      "nullable", 37, &JSONSchemaProps::nullable,
      "True if null is a valid value; otherwise null is replaced by the default or removed.");
  type.Field("oneOf", 26, &JSONSchemaProps::one_of, "Exactly one of these must hold in addition.")
      .ListAtomic();
  type.Field("pattern", 15, &JSONSchemaProps::pattern,
             "Regular expression that a string must match somewhere; anchor it with ^ and $ for "
             "the whole.");
  type.Field("patternProperties", 31, &JSONSchemaProps::pattern_properties,
             "Not allowed in structural schemas.");
  type.Field("properties", 29, &JSONSchemaProps::properties, "Schemas of the fields of an object.");
  type.Field("required", 23, &JSONSchemaProps::required, "Fields that must be present.")
      .ListAtomic();
  type.Field("title", 7, &JSONSchemaProps::title, "Heading, for people.");
  type.Field("type", 5, &JSONSchemaProps::type,
             "Type of the value; required unless the value is int-or-string or of unknown form.")
      .Enum({"array", "boolean", "integer", "number", "object", "string"});
  type.Field("uniqueItems", 18, &JSONSchemaProps::unique_items,
             "Must not be true; use list type set.");
  type.Field("x-kubernetes-embedded-resource", 39, &JSONSchemaProps::x_kubernetes_embedded_resource,
             "True if the object is a whole API object, with apiVersion, kind and metadata.");
  type.Field("x-kubernetes-int-or-string", 40, &JSONSchemaProps::x_kubernetes_int_or_string,
             "True if the value is an integer or a string; type must then be absent.");
  type.Field("x-kubernetes-list-map-keys", 41, &JSONSchemaProps::x_kubernetes_list_map_keys,
             "Fields that together identify an item; only for list type map, and required or with "
             "defaults.")
      .ListAtomic();
  type.Field("x-kubernetes-list-type", 42, &JSONSchemaProps::x_kubernetes_list_type,
             "How lists are merged: atomic (used when absent) as a whole, set by value, map by key "
             "fields.")
      .Pointer()
      .Enum({"atomic", "set", "map"});
  type.Field(
          "x-kubernetes-map-type", 43, &JSONSchemaProps::x_kubernetes_map_type,
          "How objects are merged: granular (used when absent) field by field, atomic as a whole.")
      .Pointer()
      .Enum({"granular", "atomic"});
  type.Field("x-kubernetes-preserve-unknown-fields", 38,
             &JSONSchemaProps::x_kubernetes_preserve_unknown_fields,
             "True to preserve fields that the schema does not specify; otherwise absent.")
      .Pointer();
  type.Field("x-kubernetes-validations", 44, &JSONSchemaProps::x_kubernetes_validations,
             "CEL rules that the value must satisfy.")
      .ListMap({"rule"})
      .PatchMerge("rule");
}

void CustomResourceValidation::Describe(Type<CustomResourceValidation>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation")
      .Doc("What objects of one version look like.");
  type.Field("openAPIV3Schema", 1, &CustomResourceValidation::open_api_v3_schema,
             "Structural OpenAPI v3 schema; the root is an object. Fields that it does not name "
             "are dropped.");
}

void SelectableField::Describe(Type<SelectableField>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField")
      .Doc("A field of a custom resource that can be used in field selectors.");
  type.Field("jsonPath", 1, &SelectableField::json_path,
             "Path of a string, integer or boolean field outside lists, such as .spec.color; not "
             "in metadata.")
      .Required();
}

void CustomResourceSubresourceScale::Describe(Type<CustomResourceSubresourceScale>& type) {
  type.Name(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale")
      .Doc("Where the size of a custom object is, for the scale subresource.");
  type.Field("labelSelectorPath", 3, &CustomResourceSubresourceScale::label_selector_path,
             "Path of the pod selector as text, below .status or .spec; needed for autoscaling.")
      .Pointer();
  type.Field("specReplicasPath", 1, &CustomResourceSubresourceScale::spec_replicas_path,
             "Path of the wanted size, below .spec.")
      .Required();
  type.Field("statusReplicasPath", 2, &CustomResourceSubresourceScale::status_replicas_path,
             "Path of the present size, below .status; a missing value counts as 0.")
      .Required();
}

void CustomResourceSubresources::Describe(Type<CustomResourceSubresources>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources")
      .Doc("Subresources of a custom resource.");
  type.Field("scale", 2, &CustomResourceSubresources::scale,
             "Lets kubectl scale and autoscalers set the size; absent for none.");
  type.Field("status", 1, &CustomResourceSubresources::status,
             "Present to have /status: it then writes only status, and all other writes leave "
             "status alone.");
}

void CustomResourceDefinitionVersion::Describe(Type<CustomResourceDefinitionVersion>& type) {
  type.Name(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
          "CustomResourceDefinitionVersion")
      .Doc("One version of a custom resource.");
  type.Field("additionalPrinterColumns", 6,
             &CustomResourceDefinitionVersion::additional_printer_columns,
             "Columns for kubectl get; by default the age of the object.")
      .ListAtomic();
  type.Field("deprecated", 7, &CustomResourceDefinitionVersion::deprecated,
             "True to warn everyone who uses this version.");
  type.Field("deprecationWarning", 8, &CustomResourceDefinitionVersion::deprecation_warning,
             "Own text for that warning, at most 256 bytes; only if deprecated.")
      .Pointer();
  type.Field("name", 1, &CustomResourceDefinitionVersion::name,
             "Version such as v1 or v1beta1, a DNS label.")
      .Required();
  type.Field("schema", 4, &CustomResourceDefinitionVersion::schema,
             "What objects look like; required.");
  type.Field("selectableFields", 9, &CustomResourceDefinitionVersion::selectable_fields,
             "Fields that can be used in field selectors; at most 8.")
      .ListAtomic();
  type.Field("served", 2, &CustomResourceDefinitionVersion::served,
             "True if the version can be used through the API.")
      .Required();
  type.Field("storage", 3, &CustomResourceDefinitionVersion::storage,
             "True for the one version in which objects are stored.")
      .Required();
  type.Field("subresources", 5, &CustomResourceDefinitionVersion::subresources,
             "Whether objects have status and scale; absent is neither.");
}

void CustomResourceDefinitionSpec::Describe(Type<CustomResourceDefinitionSpec>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec")
      .Doc("Names, scope, versions and conversion of a custom resource.");
  type.Field("conversion", 9, &CustomResourceDefinitionSpec::conversion,
             "How versions are converted; by default only apiVersion changes.")
      .DefaultJson("{\"strategy\":\"None\"}");
  type.Field("group", 1, &CustomResourceDefinitionSpec::group,
             "API group of the resource; the name of the definition ends with it.")
      .Required()
      .Immutable();
  type.Field("names", 3, &CustomResourceDefinitionSpec::names, "What the resource is called.")
      .Required();
  type.Field(
      "preserveUnknownFields", 10, &CustomResourceDefinitionSpec::preserve_unknown_fields,
      "Deprecated and must be false; use x-kubernetes-preserve-unknown-fields in the schema.");
  type.Field("scope", 4, &CustomResourceDefinitionSpec::scope,
             "Whether objects live in namespaces or in the cluster as a whole; fixed once "
             "established.")
      .Required()
      .Enum({"Cluster", "Namespaced"});
  type.Field("versions", 7, &CustomResourceDefinitionSpec::versions,
             "Versions of the resource; exactly one of them is stored.")
      .Required()
      .ListAtomic();
}

void CustomResourceDefinitionCondition::Describe(Type<CustomResourceDefinitionCondition>& type) {
  type.Name(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
          "CustomResourceDefinitionCondition")
      .Doc("One aspect of the current state of a custom resource definition.");
  type.Field("lastTransitionTime", 3, &CustomResourceDefinitionCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 5, &CustomResourceDefinitionCondition::message,
             "Human-readable explanation.");
  type.Field("reason", 4, &CustomResourceDefinitionCondition::reason,
             "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &CustomResourceDefinitionCondition::status, "True, False or Unknown.")
      .Required();
  type.Field("type", 1, &CustomResourceDefinitionCondition::type,
             "Established, NamesAccepted, Terminating, NonStructuralSchema or "
             "KubernetesAPIApprovalPolicyConformant.")
      .Required();
}

void CustomResourceDefinitionStatus::Describe(Type<CustomResourceDefinitionStatus>& type) {
  type.Name(
          "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus")
      .Doc("The observed state of a custom resource definition.");
  type.Field("acceptedNames", 2, &CustomResourceDefinitionStatus::accepted_names,
             "Names in effect; they differ from the wanted ones while another resource has those.")
      .WriteZero();
  type.Field("conditions", 1, &CustomResourceDefinitionStatus::conditions,
             "Current state; Established means that objects can be created.")
      .WriteZero()
      .ListMap({"type"});
  type.Field("storedVersions", 3, &CustomResourceDefinitionStatus::stored_versions,
             "Versions in which objects were ever stored; none can be dropped from the spec while "
             "listed.")
      .WriteZero()
      .ListAtomic();
}

void CustomResourceDefinition::Describe(Type<CustomResourceDefinition>& type) {
  type.Name("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition");
  type.Field("metadata", 1, &CustomResourceDefinition::metadata);
  type.Field("spec", 2, &CustomResourceDefinition::spec,
             "Names, scope and versions of the resource.")
      .Required();
  type.Field("status", 3, &CustomResourceDefinition::status,
             "Names in effect and versions ever stored.");
}

}  // namespace kubexms::apiextensionsv1
