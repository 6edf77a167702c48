#pragma once

// The OpenAPI documents that a server publishes about its resources: one of version 2 for all of
// them (/openapi/v2), one of version 3 for each group and version (/openapi/v3/…). They hold what
// kubectl needs to explain kinds, to check what it applies, and to see which parameters an
// operation takes.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// A part of a resource: pods/status, deployments/scale.
struct SubresourceDescription {
  std::string name;
  std::vector<std::string> verbs;
  // The kind that it speaks of; empty for the kind of the resource.
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
  // Whether it takes strategic merge patches, as the built-in kinds do.
  bool strategic_patch = true;
  std::vector<SubresourceDescription> subresources;
  // Of the kind. Borrowed; null for a kind whose fields are not known.
  const Schema* schema = nullptr;
};

struct OpenApiOptions {
  std::string title = "Kubernetes";
  std::string version = "v1.34.0";
  // The schema of metadata, for kinds whose own schema does not have it. Borrowed.
  const Schema* object_meta = nullptr;
};

Json MakeOpenApiV2(std::span<const ResourceDescription> resources,
                   const OpenApiOptions& options = {});

// `resources` are those of one group and version.
Json MakeOpenApiV3(std::span<const ResourceDescription> resources,
                   const OpenApiOptions& options = {});

// The list at /openapi/v3. Each entry is the path of a group version, "api/v1" or "apis/apps/v1",
// and a hash of its document, by which clients cache it.
Json MakeOpenApiV3Index(std::span<const std::pair<std::string, std::string>> documents);

// The name of a kind's definition: its own, or for one that has none (a custom resource) made from
// its group: example.com/v1 Widget → "com.example.v1.Widget".
std::string DefinitionName(const ResourceDescription& resource);

}  // namespace kubexms
