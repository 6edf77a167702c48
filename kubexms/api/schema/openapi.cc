#include "kubexms/api/schema/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kubexms/api/schema/schema_json.h"

namespace kubexms {
namespace {

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
using ContentTypes = std::span<const std::string_view>;
constexpr std::string_view kJsonTypes[] = {"application/json", "application/yaml"};
// Only built-in kinds accept the last one; kubectl uses it for every kind that lists it.
constexpr std::string_view kPatchTypes[] = {
    "application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml",
    "application/strategic-merge-patch+json"};

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  auto operator<=>(const GroupVersionKind&) const = default;

  JsonObject ToJson() const { return {{"group", group}, {"kind", kind}, {"version", version}}; }
};

struct Parameter {
  std::string_view name;
  std::string_view type;
  std::string_view doc;
};

constexpr Parameter kName = {"name", "string", "Name of the object."};
constexpr Parameter kNamespace = {"namespace", "string", "Namespace of the object."};
constexpr Parameter kPretty = {"pretty", "string", "Indent the answer when \"true\"."};
constexpr Parameter kListParameters[] = {
    {"allowWatchBookmarks", "boolean", "Send bookmarks into a watch."},
    {"continue", "string", "Where the previous page ended."},
    {"fieldSelector", "string", "Restrict to objects whose fields match."},
    {"labelSelector", "string", "Restrict to objects whose labels match."},
    {"limit", "integer", "The most objects to answer with."},
    {"resourceVersion", "string", "The version that the answer must reach."},
    {"resourceVersionMatch", "string", "How resourceVersion is meant."},
    {"sendInitialEvents", "boolean", "Begin a watch with the objects that exist."},
    {"timeoutSeconds", "integer", "How long a watch lasts."},
    {"watch", "boolean", "Stay and send every change."},
};
constexpr Parameter kWriteParameters[] = {
    {"dryRun", "string", "\"All\": do everything except storing the result."},
    {"fieldManager", "string", "Who the changed fields belong to afterwards."},
    {"fieldValidation", "string",
     "What to do about unknown and duplicate fields: Ignore, Warn or Strict."},
};
constexpr Parameter kForce = {"force", "boolean", "Take fields from other managers when applying."};
constexpr Parameter kDeleteParameters[] = {
    {"dryRun", "string", "\"All\": do everything except storing the result."},
    {"gracePeriodSeconds", "integer", "How long the object may take to end."},
    {"orphanDependents", "boolean", "Keep what the object owns."},
    {"propagationPolicy", "string",
     "What happens to what the object owns: Orphan, Background or Foreground."},
};

// One method of one path.
struct Operation {
  std::string method;
  std::string action;  // x-kubernetes-action
  std::string id;
  std::string doc;
  GroupVersionKind kind;
  std::vector<Parameter> query;
  std::string body;  // definition, empty for none
  ContentTypes body_types = kJsonTypes;
  std::string response;   // definition
  bool created = false;   // may respond with 201
  bool accepted = false;  // may respond with 202
};

struct Path {
  std::vector<Parameter> parameters;
  std::vector<Operation> operations;
};

std::string Capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
  return out;
}

// "rbac.authorization.k8s.io" → "RbacAuthorization".
std::string GroupWords(std::string_view group) {
  if (group.empty()) return "Core";
  if (group.ends_with(".k8s.io")) group.remove_suffix(7);
  std::string words;
  while (!group.empty()) {
    const size_t end = std::min(group.find_first_of(".-"), group.size());
    words += Capitalised(group.substr(0, end));
    group.remove_prefix(std::min(end + 1, group.size()));
  }
  return words;
}

std::string GroupVersionPath(const ResourceDescription& resource) {
  return resource.group.empty() ? "/api/" + resource.version
                                : fmt::format("/apis/{}/{}", resource.group, resource.version);
}

bool Has(const std::vector<std::string>& verbs, std::string_view verb) {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

template <class Range>
std::vector<Parameter> With(std::vector<Parameter> parameters, const Range& more) {
  parameters.insert(parameters.end(), std::begin(more), std::end(more));
  return parameters;
}

// The kind of a subresource's objects, as a resource.
ResourceDescription KindOf(const SubresourceDescription& part) {
  return {.group = part.group, .version = part.version, .kind = part.kind, .schema = part.schema};
}

// The paths of one resource, and their operations.
class PathMaker {
 public:
  PathMaker(const ResourceDescription& resource, std::map<std::string, Path>& paths)
      : resource_(resource),
        paths_(paths),
        kind_{resource.group, resource.version, resource.kind},
        definition_(DefinitionName(resource)) {}

  void Make() {
    const std::string root = GroupVersionPath(resource_);
    const std::string scoped = resource_.namespaced ? root + "/namespaces/{namespace}" : root;
    const std::string collection = scoped + "/" + resource_.resource;
    AddCollection(collection);
    if (resource_.namespaced && Has(resource_.verbs, "list")) {
      paths_[root + "/" + resource_.resource].operations.push_back(
          List("list" + Words() + resource_.kind + "ForAllNamespaces"));
    }
    AddItem(collection + "/{name}");
    for (const SubresourceDescription& part : resource_.subresources) {
      AddSubresource(collection + "/{name}/" + part.name, part);
    }
  }

 private:
  std::string Words() const { return GroupWords(resource_.group) + Capitalised(resource_.version); }
  std::string Scope() const { return resource_.namespaced ? "Namespaced" : ""; }
  std::string Id(std::string_view verb, std::string_view suffix = {}) const {
    return fmt::format("{}{}{}{}{}", verb, Words(), Scope(), resource_.kind, suffix);
  }

  Operation List(std::string id) const {
    return {.method = "get",
            .action = "list",
            .id = std::move(id),
            .doc = "list or watch objects of kind " + resource_.kind,
            .kind = kind_,
            .query = With({kPretty}, kListParameters),
            .response = definition_ + "List"};
  }

  Operation DeleteWith(std::string_view action, std::string id, std::string doc) const {
    return {.method = "delete",
            .action = std::string(action),
            .id = std::move(id),
            .doc = std::move(doc),
            .kind = kind_,
            .query = With({kPretty}, kDeleteParameters),
            .body = std::string(kMeta) + "DeleteOptions",
            .response = std::string(kMeta) + "Status"};
  }

  static Operation Read(std::string id, const std::string& what, GroupVersionKind kind,
                        std::string response) {
    return {.method = "get",
            .action = "get",
            .id = std::move(id),
            .doc = "read " + what,
            .kind = std::move(kind),
            .query = {kPretty},
            .response = std::move(response)};
  }

  static Operation Write(std::string_view method, std::string id, std::string doc,
                         GroupVersionKind kind, const std::string& definition) {
    return {.method = std::string(method),
            .action = std::string(method),
            .id = std::move(id),
            .doc = std::move(doc),
            .kind = std::move(kind),
            .query = With({kPretty}, kWriteParameters),
            .body = definition,
            .response = definition,
            .created = true};
  }

  Operation PatchWith(std::string id, const std::string& what, GroupVersionKind kind,
                      const std::string& definition) const {
    Operation patch =
        Write("patch", std::move(id), "partially update " + what, std::move(kind), definition);
    patch.query.push_back(kForce);
    patch.body = std::string(kMeta) + "Patch";
    const ContentTypes types = kPatchTypes;
    patch.body_types = resource_.strategic_patch ? types : types.first(types.size() - 1);
    return patch;
  }

  std::vector<Parameter> NamespaceParameter() const {
    return resource_.namespaced ? std::vector{kNamespace} : std::vector<Parameter>();
  }

  void Put(const std::string& path, std::vector<Parameter> parameters,
           std::vector<Operation> operations) {
    if (operations.empty()) return;
    paths_[path] = {std::move(parameters), std::move(operations)};
  }

  void AddCollection(const std::string& path) {
    std::vector<Operation> operations;
    if (Has(resource_.verbs, "list")) operations.push_back(List(Id("list")));
    if (Has(resource_.verbs, "create")) {
      Operation create = Write("post", Id("create"), "create an object of kind " + resource_.kind,
                               kind_, definition_);
      create.accepted = true;
      operations.push_back(std::move(create));
    }
    if (Has(resource_.verbs, "deletecollection")) {
      operations.push_back(
          DeleteWith("deletecollection",
                     fmt::format("delete{}Collection{}{}", Words(), Scope(), resource_.kind),
                     "delete the selected objects of kind " + resource_.kind));
    }
    Put(path, NamespaceParameter(), std::move(operations));
  }

  void AddItem(const std::string& path) {
    std::vector<Operation> operations;
    const std::string what = "an object of kind " + resource_.kind;
    if (Has(resource_.verbs, "get"))
      operations.push_back(Read(Id("read"), what, kind_, definition_));
    if (Has(resource_.verbs, "update"))
      operations.push_back(Write("put", Id("replace"), "replace " + what, kind_, definition_));
    if (Has(resource_.verbs, "patch"))
      operations.push_back(PatchWith(Id("patch"), what, kind_, definition_));
    if (Has(resource_.verbs, "delete"))
      operations.push_back(DeleteWith("delete", Id("delete"), "delete " + what));
    Put(path, With({kName}, NamespaceParameter()), std::move(operations));
  }

  void AddSubresource(const std::string& path, const SubresourceDescription& part) {
    const bool own = part.kind.empty();
    const GroupVersionKind kind =
        own ? kind_ : GroupVersionKind{part.group, part.version, part.kind};
    const std::string definition = own ? definition_ : DefinitionName(KindOf(part));
    const std::string suffix = Capitalised(part.name);
    const std::string what = fmt::format("{} of an object of kind {}", part.name, resource_.kind);
    std::vector<Operation> operations;
    if (Has(part.verbs, "get"))
      operations.push_back(Read(Id("read", suffix), what, kind, definition));
    if (Has(part.verbs, "create"))
      operations.push_back(Write("post", Id("create", suffix), "create " + what, kind, definition));
    if (Has(part.verbs, "update"))
      operations.push_back(
          Write("put", Id("replace", suffix), "replace " + what, kind, definition));
    if (Has(part.verbs, "patch"))
      operations.push_back(PatchWith(Id("patch", suffix), what, kind, definition));
    Put(path, With({kName}, NamespaceParameter()), std::move(operations));
  }

  const ResourceDescription& resource_;
  std::map<std::string, Path>& paths_;
  const GroupVersionKind kind_;
  const std::string definition_;
};

// Every definition that the resources need, by name.
class DefinitionMaker {
 public:
  DefinitionMaker(SchemaDialect dialect, const OpenApiOptions& options)
      : dialect_(dialect), options_(options) {}

  JsonObject Make(std::span<const ResourceDescription> resources) {
    AddCommon();
    for (const ResourceDescription& resource : resources) AddKind(resource);
    for (const ResourceDescription& resource : resources) AddSubresourceKinds(resource);
    JsonObject definitions;
    for (auto& [name, definition] : definitions_) definitions[name] = std::move(definition);
    return definitions;
  }

 private:
  void AddKind(const ResourceDescription& resource) {
    const std::string name = DefinitionName(resource);
    JsonObject definition = resource.schema == nullptr
                                ? JsonObject{{"type", "object"}}
                                : SchemaToOpenApi(*resource.schema, dialect_);
    if (resource.schema != nullptr) AddReferenced(*resource.schema);
    AddTypeMeta(definition);
    AddGroupVersionKind(resource.group, resource.version, resource.kind, definition);
    definitions_[name] = std::move(definition);
    if (Has(resource.verbs, "list")) AddList(resource, name);
  }

  // Adds apiVersion, kind and metadata to kinds whose schema lacks them, such as custom resources.
  void AddTypeMeta(JsonObject& definition) {
    Json& properties = definition["properties"];
    if (!properties.is_object()) properties = JsonObject();
    JsonObject& fields = properties.get_object();
    for (const auto& [name, doc] :
         {std::pair("apiVersion", "Group and version of the object's schema."),
          {"kind", "Name of the object's schema."}}) {
      if (!fields.contains(name))
        fields[name] = JsonObject{{"type", "string"}, {"description", doc}};
    }
    if (options_.object_meta == nullptr || options_.object_meta->Resolve().definition.empty()) {
      if (!fields.contains("metadata")) fields["metadata"] = JsonObject{{"type", "object"}};
      return;
    }
    const Json* metadata = fields.if_contains("metadata");
    const bool described = metadata != nullptr && (FindMember(*metadata, "$ref") != nullptr ||
                                                   FindMember(*metadata, "allOf") != nullptr);
    if (described) return;
    fields["metadata"] = Reference(options_.object_meta->Resolve().definition);
    AddReferenced(*options_.object_meta);
    AddDefinition(*options_.object_meta);
  }

  JsonObject Reference(std::string_view name) const {
    return {{"$ref", DefinitionReference(name, dialect_)}};
  }

  static void AddGroupVersionKind(std::string_view group, std::string_view version,
                                  std::string_view kind, JsonObject& definition) {
    Json& list = definition["x-kubernetes-group-version-kind"];
    if (!list.is_array()) list = JsonArray();
    list.get_array().push_back(JsonObject{{"group", group}, {"kind", kind}, {"version", version}});
  }

  void AddList(const ResourceDescription& resource, const std::string& name) {
    JsonObject list{
        {"description", fmt::format("A list of objects of kind {}.", resource.kind)},
        {"type", "object"},
        {"required", JsonArray{"items"}},
        {"properties",
         JsonObject{{"apiVersion", JsonObject{{"type", "string"}}},
                    {"kind", JsonObject{{"type", "string"}}},
                    {"metadata", Reference(std::string(kMeta) + "ListMeta")},
                    {"items", JsonObject{{"type", "array"}, {"items", Reference(name)}}}}}};
    AddGroupVersionKind(resource.group, resource.version, resource.kind + "List", list);
    definitions_[name + "List"] = std::move(list);
  }

  // Subresources may have kinds that are no resources of the group, such as Scale.
  void AddSubresourceKinds(const ResourceDescription& resource) {
    for (const SubresourceDescription& part : resource.subresources) {
      if (!part.kind.empty() && !definitions_.contains(DefinitionName(KindOf(part)))) {
        AddKind(KindOf(part));
      }
    }
  }

  void AddDefinition(const Schema& schema) {
    const Schema& shape = schema.Resolve();
    if (!definitions_.contains(shape.definition)) {
      definitions_[shape.definition] = SchemaToOpenApi(shape, dialect_);
    }
  }

  // The definitions that `schema` refers to.
  void AddReferenced(const Schema& schema) {
    const Schema& shape = schema.Resolve();
    if (!seen_.insert(&shape).second) return;
    const auto add = [&](const Schema* part) {
      if (part == nullptr) return;
      if (!part->Resolve().definition.empty()) AddDefinition(*part);
      AddReferenced(*part);
    };
    for (const Property& property : shape.properties) add(property.schema);
    add(shape.additional_properties);
    add(shape.items);
    for (const auto* parts : {&shape.all_of, &shape.any_of, &shape.one_of}) {
      for (const Schema* part : *parts) add(part);
    }
    add(shape.negation);
  }

  static JsonObject PlainObject(std::string_view doc,
                                std::initializer_list<std::pair<const char*, const char*>> fields) {
    JsonObject properties;
    for (const auto& [name, type] : fields) properties[name] = JsonObject{{"type", type}};
    return {{"description", doc}, {"type", "object"}, {"properties", std::move(properties)}};
  }

  void AddCommon() {
    const std::string meta(kMeta);
    definitions_[meta + "Patch"] =
        JsonObject{{"description", "A patch of any of the kinds."}, {"type", "object"}};
    definitions_[meta + "ListMeta"] =
        PlainObject("What every list has.", {{"continue", "string"},
                                             {"remainingItemCount", "integer"},
                                             {"resourceVersion", "string"},
                                             {"selfLink", "string"}});
    definitions_[meta + "Status"] = PlainObject("How a request ended.", {{"apiVersion", "string"},
                                                                         {"code", "integer"},
                                                                         {"details", "object"},
                                                                         {"kind", "string"},
                                                                         {"message", "string"},
                                                                         {"metadata", "object"},
                                                                         {"reason", "string"},
                                                                         {"status", "string"}});
    definitions_[meta + "DeleteOptions"] =
        PlainObject("How to delete.", {{"apiVersion", "string"},
                                       {"gracePeriodSeconds", "integer"},
                                       {"kind", "string"},
                                       {"orphanDependents", "boolean"},
                                       {"preconditions", "object"},
                                       {"propagationPolicy", "string"}});
    definitions_[meta + "DeleteOptions"]["properties"].as_object()["dryRun"] =
        JsonObject{{"type", "array"}, {"items", JsonObject{{"type", "string"}}}};
  }

  const SchemaDialect dialect_;
  const OpenApiOptions& options_;
  std::map<std::string, JsonObject> definitions_;
  std::set<const Schema*> seen_;
};

JsonArray ToArray(ContentTypes types) { return JsonArray(types.begin(), types.end()); }

// The part of an operation that both versions share.
JsonObject WriteCommon(const Operation& operation) {
  std::string tag = GroupWords(operation.kind.group);
  std::transform(tag.begin(), tag.end(), tag.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {{"description", operation.doc},
          {"operationId", operation.id},
          {"tags", JsonArray{fmt::format("{}_{}", tag, operation.kind.version)}},
          {"x-kubernetes-action", operation.action},
          {"x-kubernetes-group-version-kind", operation.kind.ToJson()}};
}

// Calls `write(code, doc)` for each status code of a successful response.
template <class Write>
JsonObject WriteResponses(const Operation& operation, Write write) {
  JsonObject responses;
  responses["200"] = write("OK");
  if (operation.created) responses["201"] = write("Created");
  if (operation.accepted) responses["202"] = write("Accepted");
  responses["401"] = JsonObject{{"description", "Unauthorized"}};
  return responses;
}

JsonObject ReferenceTo(std::string_view definition, SchemaDialect dialect) {
  return {{"$ref", DefinitionReference(definition, dialect)}};
}

struct WriterV2 {
  static JsonObject WriteParameter(const Parameter& parameter, std::string_view place) {
    return {{"name", parameter.name},
            {"in", place},
            {"type", parameter.type},
            {"description", parameter.doc},
            {"uniqueItems", true}};
  }

  static JsonObject WriteOperation(const Operation& operation) {
    JsonObject out = WriteCommon(operation);
    JsonArray parameters;
    if (!operation.body.empty()) {
      parameters.push_back(
          JsonObject{{"name", "body"},
                     {"in", "body"},
                     {"required", operation.method != "delete"},
                     {"schema", ReferenceTo(operation.body, SchemaDialect::kOpenApiV2)}});
    }
    for (const Parameter& parameter : operation.query) {
      parameters.push_back(WriteParameter(parameter, "query"));
    }
    out["parameters"] = std::move(parameters);
    out["consumes"] =
        operation.method == "patch" ? ToArray(operation.body_types) : JsonArray{"*/*"};
    out["produces"] = ToArray(kJsonTypes);
    out["schemes"] = JsonArray{"https"};
    out["responses"] = WriteResponses(operation, [&](std::string_view doc) {
      return JsonObject{{"description", doc},
                        {"schema", ReferenceTo(operation.response, SchemaDialect::kOpenApiV2)}};
    });
    return out;
  }
};

struct WriterV3 {
  static JsonObject WriteParameter(const Parameter& parameter, std::string_view place) {
    return {{"name", parameter.name},
            {"in", place},
            {"schema", JsonObject{{"type", parameter.type}, {"uniqueItems", true}}},
            {"description", parameter.doc}};
  }

  static JsonObject WriteContent(ContentTypes types, std::string_view definition) {
    JsonObject content;
    for (std::string_view type : types) {
      content[type] = JsonObject{{"schema", ReferenceTo(definition, SchemaDialect::kOpenApiV3)}};
    }
    return content;
  }

  static JsonObject WriteOperation(const Operation& operation) {
    JsonObject out = WriteCommon(operation);
    JsonArray parameters;
    for (const Parameter& parameter : operation.query) {
      parameters.push_back(WriteParameter(parameter, "query"));
    }
    out["parameters"] = std::move(parameters);
    if (!operation.body.empty()) {
      JsonObject body{{"content", WriteContent(operation.body_types, operation.body)}};
      if (operation.method != "delete") body["required"] = true;
      out["requestBody"] = std::move(body);
    }
    out["responses"] = WriteResponses(operation, [&](std::string_view doc) {
      return JsonObject{{"description", doc},
                        {"content", WriteContent(kJsonTypes, operation.response)}};
    });
    return out;
  }
};

template <class Writer>
JsonObject WritePath(const Path& path) {
  JsonObject out;
  for (const Operation& operation : path.operations) {
    out[operation.method] = Writer::WriteOperation(operation);
  }
  JsonArray parameters;
  for (const Parameter& parameter : path.parameters) {
    JsonObject written = Writer::WriteParameter(parameter, "path");
    written["required"] = true;
    parameters.push_back(std::move(written));
  }
  if (!parameters.empty()) out["parameters"] = std::move(parameters);
  return out;
}

template <class Writer>
JsonObject WritePaths(std::span<const ResourceDescription> resources) {
  std::map<std::string, Path> paths;
  for (const ResourceDescription& resource : resources) PathMaker(resource, paths).Make();
  JsonObject written;
  for (const auto& [path, content] : paths) written[path] = WritePath<Writer>(content);
  return written;
}

JsonObject WriteInfo(const OpenApiOptions& options) {
  return {{"title", options.title}, {"version", options.version}};
}

}  // namespace

Json MakeOpenApiV2(std::span<const ResourceDescription> resources, const OpenApiOptions& options) {
  return JsonObject{
      {"swagger", "2.0"},
      {"info", WriteInfo(options)},
      {"paths", WritePaths<WriterV2>(resources)},
      {"definitions", DefinitionMaker(SchemaDialect::kOpenApiV2, options).Make(resources)}};
}

Json MakeOpenApiV3(std::span<const ResourceDescription> resources, const OpenApiOptions& options) {
  return JsonObject{
      {"openapi", "3.0.0"},
      {"info", WriteInfo(options)},
      {"paths", WritePaths<WriterV3>(resources)},
      {"components",
       JsonObject{
           {"schemas", DefinitionMaker(SchemaDialect::kOpenApiV3, options).Make(resources)}}}};
}

Json MakeOpenApiV3Index(std::span<const std::pair<std::string, std::string>> documents) {
  JsonObject paths;
  for (const auto& [path, hash] : documents) {
    paths[path] =
        JsonObject{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, hash)}};
  }
  return JsonObject{{"paths", std::move(paths)}};
}

std::string DefinitionName(const ResourceDescription& resource) {
  if (resource.schema != nullptr && !resource.schema->Resolve().definition.empty()) {
    return resource.schema->Resolve().definition;
  }
  std::string name;
  std::string_view rest = resource.group;
  while (!rest.empty()) {
    const size_t dot = rest.rfind('.');
    const size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
    name += fmt::format("{}.", rest.substr(begin));
    rest = rest.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return name + resource.version + "." + resource.kind;
}

}  // namespace kubexms
