#pragma once

// Generates the OpenAPI documents of a server: one of version 2 for all resources (/openapi/v2),
// one of version 3 for each group version (/openapi/v3/…). kubectl uses them for `explain`, for
// client-side validation, and for the parameters of operations.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// pods/status, deployments/scale.
struct SubresourceDescription {
  std::string name;
  std::vector<std::string> verbs;
  // The kind of the subresource's objects; empty for the kind of the resource.
  std::string group;
  std::string version;
  std::string kind;
  const Schema* schema = nullptr;  // of that kind; borrowed
};

struct ResourceDescription {
  std::string group;  // empty for core
  std::string version;
  std::string kind;
  std::string resource;  // "pods"
  bool namespaced = true;
  // get, list, watch, create, update, patch, delete, deletecollection.
  std::vector<std::string> verbs;
  // Whether the resource accepts strategic merge patches; custom resources do not.
  bool strategic_patch = true;
  std::vector<SubresourceDescription> subresources;
  // Of the kind. Borrowed; null for a kind without a schema.
  const Schema* schema = nullptr;
};

struct OpenApiOptions {
  std::string title = "Kubernetes";
  std::string version = "v1.34.0";
  // The schema of metadata, for kinds whose schema lacks it. Borrowed.
  const Schema* object_meta = nullptr;
};

Json MakeOpenApiV2(std::span<const ResourceDescription> resources,
                   const OpenApiOptions& options = {});

// `resources` are those of one group and version.
Json MakeOpenApiV3(std::span<const ResourceDescription> resources,
                   const OpenApiOptions& options = {});

// The index at /openapi/v3. Each entry is the path of a group version, "api/v1" or "apis/apps/v1",
// and the hash of its document, by which clients cache the document.
Json MakeOpenApiV3Index(std::span<const std::pair<std::string, std::string>> documents);

// The name of a kind's definition. Custom resources, whose schemas have no name, are named after
// their group: example.com/v1 Widget → "com.example.v1.Widget".
std::string DefinitionName(const ResourceDescription& resource);

}  // namespace kubexms
