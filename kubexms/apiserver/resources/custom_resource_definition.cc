#include "kubexms/apiserver/resources/custom_resource_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kubexms/api/crd/crd_schema.h"
#include "kubexms/api/creator.h"
#include "kubexms/api/kinds/autoscaling_v1.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/base/text/lower_case.h"

namespace kubexms {
namespace {

std::vector<std::string> Strings(const Json& value, std::string_view key) {
  std::vector<std::string> strings;
  for (const Json& item : MemberItems(value, key)) {
    if (item.is_string()) strings.emplace_back(AsView(item.get_string()));
  }
  return strings;
}

// The schema of whole objects: the definition's schema and the metadata that all objects have.
SchemaHandle WithMetadata(const SchemaHandle& schema) {
  struct Nodes {
    SchemaArena arena;
    SchemaHandle rest;
  };
  auto nodes = std::make_shared<Nodes>();
  nodes->rest = schema;
  Schema* root = nodes->arena.Copy(*schema);
  Schema* text = nodes->arena.New();
  text->type = SchemaType::kString;
  Schema* metadata = nodes->arena.New();
  metadata->ref = &TypeOf<ObjectMeta>().schema;
  std::erase_if(root->properties, [](const Property& property) {
    return property.name == "apiVersion" || property.name == "kind" || property.name == "metadata";
  });
  root->properties.push_back({"apiVersion", text});
  root->properties.push_back({"kind", text});
  root->properties.push_back({"metadata", metadata});
  std::ranges::sort(root->properties, {}, &Property::name);
  return {nodes, root};
}

bool HasDefaults(const Schema& schema) {
  const Schema& shape = schema.Resolve();
  if (schema.default_value || shape.default_value) return true;
  const auto below = [](const Schema* part) { return part != nullptr && HasDefaults(*part); };
  return below(shape.items) || below(shape.additional_properties) ||
         std::ranges::any_of(shape.properties,
                             [&](const Property& property) { return below(property.schema); });
}

std::vector<PrinterColumn> ReadColumns(const Json& version) {
  std::vector<PrinterColumn> columns;
  for (const Json& column : MemberItems(version, "additionalPrinterColumns")) {
    const Json& priority = MemberOrNull(column, "priority");
    columns.push_back({.name = std::string(FindString(column, "name")),
                       .type = std::string(FindString(column, "type")),
                       .format = std::string(FindString(column, "format")),
                       .description = std::string(FindString(column, "description")),
                       .priority = priority.is_int64() ? static_cast<int>(priority.get_int64()) : 0,
                       .json_path = std::string(FindString(column, "jsonPath"))});
  }
  return columns;
}

void ReadSubresources(const Json& version, Resource& resource) {
  const Json& subresources = MemberOrNull(version, "subresources");
  const bool has_status = !MemberOrNull(subresources, "status").is_null();
  resource.strategy = CustomResourceStrategy(has_status);
  if (has_status) {
    resource.subresources.push_back({.name = "status", .verbs = {"get", "patch", "update"}});
  }
  const Json& scale = MemberOrNull(subresources, "scale");
  if (scale.is_null()) return;
  resource.scale =
      ScalePaths{.spec_replicas = std::string(FindString(scale, "specReplicasPath")),
                 .status_replicas = std::string(FindString(scale, "statusReplicasPath")),
                 .label_selector = std::string(FindString(scale, "labelSelectorPath"))};
  const Schema& schema = TypeOf<autoscalingv1::Scale>().schema;
  resource.subresources.push_back({.name = "scale",
                                   .verbs = {"get", "patch", "update"},
                                   .kind = {"autoscaling", "v1", "Scale"},
                                   .schema = SchemaHandle(std::shared_ptr<void>(), &schema)});
}

// The best served version that is newer and not deprecated; empty: none.
std::string_view Successor(const Json& versions, std::string_view deprecated) {
  std::string_view best = deprecated;
  for (const Json& version : versions.as_array()) {
    const std::string_view name = FindString(version, "name");
    if (IsMemberTrue(version, "deprecated") || !IsMemberTrue(version, "served")) continue;
    if (IsPreferredVersion(name, best)) best = name;
  }
  return best == deprecated ? std::string_view() : best;
}

std::string DeprecationOf(const Resource& resource, const Json& versions, const Json& version) {
  if (!IsMemberTrue(version, "deprecated")) return {};
  const std::string_view warning = FindString(version, "deprecationWarning");
  if (!warning.empty()) return std::string(warning);
  const std::string_view successor = Successor(versions, resource.version);
  const std::string deprecated =
      fmt::format("{} {} is deprecated", resource.api_version(), resource.kind);
  if (successor.empty()) return deprecated;
  return fmt::format("{}; use {}/{} {}", deprecated, resource.group, successor, resource.kind);
}

ResourcePtr MakeResource(const Json& definition, const Json& version) {
  const Json& spec = MemberOrNull(definition, "spec");
  const Json& names = MemberOrNull(spec, "names");
  auto resource = std::make_shared<Resource>();
  resource->group = FindString(spec, "group");
  resource->version = FindString(version, "name");
  resource->kind = FindString(names, "kind");
  resource->plural = FindString(names, "plural");
  resource->singular = FindString(names, "singular");
  resource->list_kind = FindString(names, "listKind");
  resource->short_names = Strings(names, "shortNames");
  resource->categories = Strings(names, "categories");
  resource->namespaced = FindString(spec, "scope") == "Namespaced";
  resource->verbs = {"create", "delete", "deletecollection", "get",
                     "list",   "patch",  "update",           "watch"};
  resource->custom = true;
  resource->requires_resource_version = true;
  resource->definition_uid = UidOf(definition);
  resource->terminating = IsBeingDeleted(definition);
  resource->deprecation = DeprecationOf(*resource, MemberOrNull(spec, "versions"), version);
  if (const Json* annotations = MetadataOf(definition).if_contains("annotations")) {
    resource->records_creator = FindString(*annotations, kRecordCreatorAnnotation) == "true";
  }
  ReadSubresources(version, *resource);
  resource->printer_columns = ReadColumns(version);
  for (const Json& field : MemberItems(version, "selectableFields")) {
    std::string path(FindString(field, "jsonPath"));
    if (path.starts_with('.')) path.erase(0, 1);
    resource->selectable_fields.push_back(std::move(path));
  }
  const FieldPath path;
  const CrdSchema schema =
      ParseCrdSchema(MemberOrNull(MemberOrNull(version, "schema"), "openAPIV3Schema"), path);
  if (schema.schema != nullptr) {
    resource->schema = WithMetadata(schema.schema);
    if (HasDefaults(*schema.schema)) {
      resource->defaults_revision = ParseUint64(ResourceVersionOf(definition)).value_or(0);
    }
  } else {
    // The definition was written by a server with other rules: serve it with an empty schema.
    auto any = std::make_shared<Schema>();
    any->type = SchemaType::kObject;
    any->preserve_unknown_fields = true;
    resource->schema = WithMetadata(any);
  }
  for (const Json& other : MemberItems(spec, "versions")) {
    if (IsMemberTrue(other, "storage")) resource->storage_version = FindString(other, "name");
  }
  return resource;
}

}  // namespace

std::vector<ResourcePtr> MakeCustomResources(const Json& definition) {
  std::vector<ResourcePtr> resources;
  for (const Json& version : MemberItems(MemberOrNull(definition, "spec"), "versions")) {
    if (IsMemberTrue(version, "served")) resources.push_back(MakeResource(definition, version));
  }
  return resources;
}

ResourcePtr MakeStorageResource(const Json& definition) {
  for (const Json& version : MemberItems(MemberOrNull(definition, "spec"), "versions")) {
    if (IsMemberTrue(version, "storage")) return MakeResource(definition, version);
  }
  return nullptr;
}

}  // namespace kubexms
