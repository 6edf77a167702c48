#pragma once

// A resource that the server serves: what it is called, which kind its objects are of, what may be
// done with it, and which rules hold for its objects. Built-in resources and those of
// CustomResourceDefinitions are the same structure, so everything behind it (handlers, discovery,
// tables, OpenAPI) has one code path for both.

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

// A column of `kubectl get` that a CustomResourceDefinition asks for.
struct PrinterColumn {
  std::string name;
  std::string type;    // integer, number, string, boolean, date
  std::string format;  // may be empty
  std::string description;
  int priority = 0;  // above zero: only with `-o wide`
  std::string json_path;
};

// Where a custom resource keeps what /scale shows: ".spec.replicas".
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;  // may be empty
};

// A part of a resource with a path of its own: pods/status, deployments/scale.
struct Subresource {
  std::string name;
  std::vector<std::string> verbs;
  // The kind it speaks of; empty group, version and kind for that of the resource.
  GroupVersionKind kind;
  SchemaHandle schema;  // of that kind; null for that of the resource
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
  // Out of create, delete, deletecollection, get, list, patch, update, watch; sorted.
  std::vector<std::string> verbs;
  std::vector<Subresource> subresources;

  SchemaHandle schema;  // of the whole object
  // How zero values are written; null for custom resources, which are kept as they are.
  const ZeroForm* zero_form = nullptr;
  Json zero = JsonObject();            // what an object consists of when nothing is set
  const Strategy* strategy = nullptr;  // never null; lives as long as the server
  // What `fieldSelector` may name besides metadata.name and metadata.namespace: "spec.nodeName".
  std::vector<std::string> selectable_fields;

  // The version in which objects are stored. Objects of other versions are converted.
  std::string storage_version;
  // The group under which they are stored, where that is not `group`: one event has two groups.
  std::optional<std::string> storage_group;
  std::string deprecation;  // the warning that clients get with every answer; empty: none

  bool custom = false;  // the rest is set for custom resources only
  std::vector<PrinterColumn> printer_columns;
  std::optional<ScalePaths> scale;
  std::string definition_uid;  // of the CustomResourceDefinition
  bool terminating = false;    // the definition is being deleted: nothing new
  // Objects that were written up to here may lack defaults of the schema; 0: none does.
  uint64_t defaults_revision = 0;
  // Every object says who created it, in an annotation that nobody can forge.
  bool records_creator = false;

  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // "pods" or "deployments.apps", as errors name it.
  std::string qualified_name() const { return group.empty() ? plural : plural + "." + group; }
  // "Pod" or "Deployment.apps".
  std::string qualified_kind() const { return group.empty() ? kind : kind + "." + group; }

  // Whether it is this one of the built-in resources.
  bool Is(std::string_view of_group, std::string_view of_plural) const {
    return group == of_group && plural == of_plural;
  }
  bool Allows(std::string_view verb) const;
  const Subresource* FindSubresource(std::string_view name) const;
};

using ResourcePtr = std::shared_ptr<const Resource>;

// Where the objects of a resource are stored: "/registry/apps/deployments/"; core is "core".
std::string StoragePrefix(std::string_view group, std::string_view plural);
// Of one namespace, or of all when it is empty.
std::string StoragePrefix(const Resource& resource, std::string_view namespace_name);
// Of one object. `namespace_name` is empty for resources of the cluster.
std::string StorageKey(const Resource& resource, std::string_view namespace_name,
                       std::string_view name);

}  // namespace kubexms
