#pragma once

// A resource that the server serves: its names, kind, verbs and rules. Built-in resources and those
// of CustomResourceDefinitions have the same structure, so handlers, discovery, tables and OpenAPI
// have one code path for both.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/group_version.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

class Strategy;
struct ZeroForm;

// An entry of additionalPrinterColumns of a CustomResourceDefinition.
struct PrinterColumn {
  std::string name;
  std::string type;    // integer, number, string, boolean, date
  std::string format;  // may be empty
  std::string description;
  int priority = 0;  // above zero: only with `-o wide`
  std::string json_path;
};

// The paths of the scale subresource of a custom resource: ".spec.replicas".
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;  // may be empty
};

// A subresource: pods/status, deployments/scale.
struct Subresource {
  std::string name;
  std::vector<std::string> verbs;
  // The kind of its documents; empty when that is the kind of the resource.
  GroupVersionKind kind;
  SchemaHandle schema;  // of that kind; null when that is the schema of the resource
};

struct Resource {
  std::string group;  // empty for core
  std::string version;
  std::string kind;
  std::string plural;
  std::string singular;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  // A subset of create, delete, deletecollection, get, list, patch, update, watch; sorted.
  std::vector<std::string> verbs;
  std::vector<Subresource> subresources;

  SchemaHandle schema;  // of the whole object
  // How zero values are encoded; null for custom resources, which are stored as written.
  const ZeroForm* zero_form = nullptr;
  Json zero = JsonObject();            // the encoding of an object with no field set
  const Strategy* strategy = nullptr;  // never null; lives as long as the server
  // Fields that `fieldSelector` may name besides metadata.name and metadata.namespace:
  // "spec.nodeName".
  std::vector<std::string> selectable_fields;

  // The version in which objects are stored. Other versions are converted.
  std::string storage_version;
  // The group under which objects are stored, if not `group`: events have two groups.
  std::optional<std::string> storage_group;
  // An update must name the resourceVersion that it replaces.
  bool requires_resource_version = false;
  // The response to a deletion is the object, and not a Status.
  bool returns_deleted_object = false;
  // A deletion without a propagation policy orphans the dependents.
  bool orphans_dependents = false;
  // The warning about a deletion without a propagation policy; empty: none.
  std::string propagation_warning;

  std::string deprecation;  // the warning that clients get with every answer; empty: none

  bool custom = false;  // the following members are set for custom resources only
  std::vector<PrinterColumn> printer_columns;
  std::optional<ScalePaths> scale;
  std::string definition_uid;  // of the CustomResourceDefinition
  bool terminating = false;    // the definition is being deleted: no object can be created
  // Objects written at or before this revision may lack defaults of the schema; 0: none do.
  uint64_t defaults_revision = 0;
  // Whether the server records the creator of every object, in an annotation that clients cannot
  // set.
  bool records_creator = false;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // "pods" or "deployments.apps", as in error messages.
  std::string qualified_name() const { return group.empty() ? plural : plural + "." + group; }
  // "Pod" or "Deployment.apps".
  std::string qualified_kind() const { return group.empty() ? kind : kind + "." + group; }

  // Whether this is the built-in resource of that group and plural.
  bool Is(std::string_view of_group, std::string_view of_plural) const {
    return group == of_group && plural == of_plural;
  }
  bool Allows(std::string_view verb) const;
  const Subresource* FindSubresource(std::string_view name) const;
};

using ResourcePtr = std::shared_ptr<const Resource>;

// The key prefix of a resource in the store: "/registry/apps/deployments/"; the core group is
// "core".
std::string StoragePrefix(std::string_view group, std::string_view plural);
// The prefix of one namespace, or of all namespaces when empty.
std::string StoragePrefix(const Resource& resource, std::string_view namespace_name);
// The key of one object. `namespace_name` is empty for cluster-scoped resources.
std::string StorageKey(const Resource& resource, std::string_view namespace_name,
                       std::string_view name);

}  // namespace kubexms
