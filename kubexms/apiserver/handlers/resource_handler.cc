#include "kubexms/apiserver/handlers/resource_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/monotonic_resource.hpp>

#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/status.h"
#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/decoding/shape.h"
#include "kubexms/apiserver/decoding/strict_decoding.h"
#include "kubexms/apiserver/handlers/flow_schemas.h"
#include "kubexms/apiserver/handlers/subresources.h"
#include "kubexms/apiserver/request/scope.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/apiserver/watch/watch_stream.h"
#include "kubexms/apiserver/write/field_management.h"
#include "kubexms/apiserver/write/patch.h"

namespace kubexms {
namespace {

using Change = ObjectWriter::Change;

// A message has no more of a patch.
constexpr size_t kMaxShownPatch = 16 * 1024;

struct RequestPatch {
  PatchType type;
  Json document;
  std::vector<std::string> duplicates;  // what is twice in it, as messages
};

Result<RequestPatch> ReadPatch(PatchType type, std::string_view body) {
  RequestPatch patch{.type = type};
  std::vector<std::string> duplicates;
  ASSIGN_OR_RETURN(patch.document, ParseJson(body, {.duplicates = &duplicates}));
  if (duplicates.empty()) return patch;
  for (const std::string& error : FindStrictErrors(body, nullptr)) {
    patch.duplicates.push_back(type == PatchType::kJson ? "json patch " + error : error);
  }
  return patch;
}

// What a write through one resource needs to know: the resource of the request, that of the stored
// objects, who writes and how.
class WriteCall {
 public:
  WriteCall(const ResourceCall& call, WriteQuery options)
      : call_(call),
        options_(std::move(options)),
        manager_(options_.field_manager.empty() ? DefaultFieldManager(call.http.headers)
                                                : options_.field_manager),
        storage_(StorageResource(call)) {}

  static Result<WriteCall> Make(const ResourceCall& call, std::string_view options_kind) {
    ASSIGN_OR_RETURN(WriteQuery options, ReadWriteQuery(call.query, options_kind));
    return WriteCall(call, std::move(options));
  }

  const Resource& resource() const { return *call_.resource; }
  const WriteQuery& options() const { return options_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  WriteRequest Request() const {
    return {.resource = storage_,
            .requested = &resource(),
            .subresource = call_.attributes.subresource,
            .namespace_name = call_.attributes.namespace_name,
            .name = call_.attributes.name,
            .user = call_.user,
            .manager = manager_,
            .dry_run = options_.dry_run};
  }

  FieldManagement Management(Time now) const {
    return {resource(), call_.attributes.subresource, manager_, now};
  }

  // The body as an object of the resource's kind, without defaults.
  Result<Json> ReadBody(BodyFormat format, const JsonStorage& storage) {
    std::vector<std::string> problems;
    const GroupVersionKind kind = Kind();
    ASSIGN_OR_RETURN(Json document, ParseBody(call_.http.body, format, kind, storage, problems));
    RETURN_IF_ERROR(CheckKind(document, kind, resource().custom));
    RETURN_IF_ERROR(Handled(CheckAndPrune(document, resource(), problems)));
    problems = ArrangeProblems(std::move(problems), call_.http.body, format, resource());
    RETURN_IF_ERROR(Handled(Judge(std::move(problems))));
    return document;
  }

  // The body of an apply, without defaults. Fields that the kind does not have are refused.
  Result<Json> ReadConfiguration() {
    std::vector<std::string> problems;
    ASSIGN_OR_RETURN(Json document, ParseConfiguration(call_.http.body, Kind(), problems));
    if (MetadataOf(std::as_const(document)).contains("managedFields")) {
      return Error::BadRequest("metadata.managedFields must be nil");
    }
    const size_t duplicates = problems.size();
    RETURN_IF_ERROR(Handled(CheckAndPrune(document, resource(), problems)));
    RemoveNulls(document, *resource().schema);
    if (problems.size() > duplicates) RETURN_IF_ERROR(CheckDeclared());
    const Result<void> judged = Judge(std::move(problems));
    if (!judged.ok()) return judged.error().WithContext("error strict decoding YAML");
    return document;
  }

  // A document of the resource's kind that is to be stored.
  Result<Json> Complete(Json document) {
    RETURN_IF_ERROR(FillDefaults(document, resource()));
    RETURN_IF_ERROR(ConvertDocument(document, storage_));
    return document;
  }

  // The stored object as a document of the resource's kind.
  Result<Json> Shown(const Json& stored) {
    Json document = stored;
    RETURN_IF_ERROR(ConvertDocument(document, resource()));
    return document;
  }

  // The stored object as a patch changes it.
  Result<Change> Patched(const Json& stored, const RequestPatch& patch) {
    ASSIGN_OR_RETURN(Json document, ApplyPatch(stored, patch));
    RETURN_IF_ERROR(CheckKind(document, Kind(), resource().custom));
    std::vector<std::string> problems = patch.duplicates;
    Result<void> readable = CheckAndPrune(document, resource(), problems);
    if (readable.ok()) readable = Judge(std::move(problems));
    if (!readable.ok()) return WrongPatch(stored, patch, readable.error());
    ASSIGN_OR_RETURN(Json complete, Complete(std::move(document)));
    return Change{std::move(complete)};
  }

 private:
  Result<void> Judge(std::vector<std::string> problems) {
    ASSIGN_OR_RETURN(warnings_, JudgeProblems(std::move(problems), options_.field_validation));
    return {};
  }

  Result<void> Handled(Result<void> read) const {
    if (read.ok()) return read;
    return CannotBeHandled(read.error(), resource().kind, resource().version);
  }

  Result<Json> ApplyPatch(const Json& stored, const RequestPatch& patch) {
    ASSIGN_OR_RETURN(Json shown, Shown(stored));
    return kubexms::ApplyPatch(patch.type, std::move(shown), patch.document, *resource().schema);
  }

  // An object that cannot be read is the fault of the patch that made it.
  Error WrongPatch(const Json& stored, const RequestPatch& patch, const Error& error) {
    std::string shown;
    if (patch.type == PatchType::kStrategicMerge) {
      shown = PrintAsGo(patch.document);
    } else if (const Result<Json> patched = ApplyPatch(stored, patch); patched.ok()) {
      shown = WriteJson(*patched);
    }
    if (shown.size() > kMaxShownPatch) shown.resize(kMaxShownPatch);
    return Error::Invalid("", "", {Invalid(FieldPath("patch"), Json(shown), error.message())});
  }

  // What apply says of the body with all its fields.
  Result<void> CheckDeclared() const {
    std::vector<std::string> duplicates;
    ASSIGN_OR_RETURN(const Json given, ParseConfiguration(call_.http.body, Kind(), duplicates));
    RETURN_IF_ERROR(ApplyConfiguration(nullptr, given, Management(Time()), /*force=*/true));
    return {};
  }

  static const Resource& StorageResource(const ResourceCall& call) {
    const Resource& resource = *call.resource;
    if (resource.version == resource.storage_version && !resource.storage_group) return resource;
    const ResourcePtr* storage = call.resources.Find(
        resource.storage_group.value_or(resource.group), resource.storage_version, resource.plural);
    return storage == nullptr ? resource : **storage;
  }

  GroupVersionKind Kind() const { return {resource().group, resource().version, resource().kind}; }

  const ResourceCall& call_;
  const WriteQuery options_;
  const std::string manager_;
  const Resource& storage_;
  std::vector<std::string> warnings_;
};

// Objects are made where all of them are, and changed at their own place.
bool IsMisplaced(const RequestAttributes& attributes) {
  if (attributes.verb == "create") return !attributes.name.empty();
  const bool change = attributes.verb == "update" || attributes.verb == "patch";
  return change && attributes.name.empty();
}

// Restricts a watch of one object, named by its path or by the selector itself, to that object.
Result<void> SelectName(const std::string& name, ListQuery& query) {
  if (name.empty()) return {};
  if (query.fields.IsEverything()) query.fields = FieldSelector::Equal("metadata.name", name);
  if (query.fields.RequiredValue("metadata.name") == name) return {};
  return Error::BadRequest("fieldSelector metadata.name doesn't match requested name");
}

constexpr std::string_view kDamagedRemoved =
    "the stored object was damaged: it was removed without regard to finalizers, dependents and "
    "preconditions";

// Kinds whose deletion answers with the object rather than with a Status.
bool ReturnsDeletedObject(const Resource& resource) {
  constexpr std::string_view kCore[] = {"pods",
                                        "services",
                                        "serviceaccounts",
                                        "persistentvolumes",
                                        "podtemplates",
                                        "persistentvolumeclaims",
                                        "resourcequotas"};
  if (resource.group.empty()) return std::ranges::count(kCore, resource.plural) > 0;
  return resource.group == "storage.k8s.io" || resource.group == "resource.k8s.io";
}

// The error, with a token by which the client may go on all the same.
HttpResponse ExpiredPage(const Error& error, std::string_view continue_token) {
  Json status = StatusOf(error);
  const std::string token = TokenForNewest(continue_token);
  if (!token.empty()) ObjectMember(status.get_object(), "metadata")["continue"] = token;
  return HttpResponse::Text(error.code(), "application/json", WriteJson(status));
}

// Kinds that are not replaced without saying which version is replaced.
Result<void> CheckUnconditional(const ResourceCall& call) {
  const Resource& resource = *call.resource;
  constexpr std::string_view kGroups[] = {"admissionregistration.k8s.io", "apiextensions.k8s.io",
                                          "apiregistration.k8s.io", "coordination.k8s.io",
                                          "node.k8s.io"};
  constexpr std::string_view kStorage[] = {"csidrivers", "csinodes", "csistoragecapacities",
                                           "volumeattachments"};
  const bool bound =
      resource.custom || std::ranges::count(kGroups, resource.group) > 0 ||
      resource.Is("policy", "poddisruptionbudgets") ||
      (resource.group == "storage.k8s.io" && std::ranges::count(kStorage, resource.plural) > 0);
  if (!bound) return {};
  const FieldPath metadata("metadata");
  const FieldPath path = metadata.Child("resourceVersion");
  return Error::Invalid(resource.qualified_name(), call.attributes.name,
                        {Invalid(path, 0, "must be specified for an update")});
}

constexpr std::string_view kPodsAreLeft =
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
    "to "
    "remove them or set propagationPolicy=Orphan to suppress this warning";

bool LeavesPods(const Resource& resource, const DeleteQuery& options) {
  return resource.Is("batch", "jobs") && options.propagation == Propagation::kDefault;
}

std::string SuccessOf(const Resource& resource, std::string_view name, const std::string& uid) {
  JsonObject details{{"name", name}, {"kind", resource.plural}, {"uid", uid}};
  if (!resource.group.empty()) details["group"] = resource.group;
  return WriteJson(JsonObject{{"apiVersion", "v1"},
                              {"kind", "Status"},
                              {"metadata", JsonObject()},
                              {"status", "Success"},
                              {"details", std::move(details)}});
}

}  // namespace

Result<HttpResponse> ResourceHandler::Handle(const ResourceCall& call) {
  const RequestAttributes& attributes = call.attributes;
  if (!attributes.subresource.empty()) return HandleSubresource(call);
  if (!call.resource->Allows(attributes.verb) || IsMisplaced(attributes)) {
    return Error(405, "MethodNotAllowed",
                 "the server does not allow this method on the requested resource");
  }
  if (attributes.verb == "get") return Get(call);
  if (attributes.verb == "list") return List(call);
  if (attributes.verb == "watch") return Watch(call);
  if (attributes.verb == "create") return Create(call);
  if (attributes.verb == "update") return Update(call);
  if (attributes.verb == "patch") return Patch(call);
  if (attributes.verb == "delete") return Delete(call);
  return DeleteCollection(call);
}

Result<void> ResourceHandler::MarkFlowSchemas(const ResourceSet& resources) {
  return MarkDanglingFlowSchemas(resources, environment_.store, environment_.writer,
                                 Time::Now(environment_.clock));
}

Result<HttpResponse> ResourceHandler::Get(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.http, call.query));
  ASSIGN_OR_RETURN(const store::RecordPtr record, ReadOne(call));
  ASSIGN_OR_RETURN(SharedBytes bytes, ReadBytes(*call.resource, record));
  return representation.Object(200, *call.resource, std::move(bytes));
}

Result<HttpResponse> ResourceHandler::List(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.http, call.query));
  ASSIGN_OR_RETURN(const ListQuery query, ReadListQuery(call.query, false));
  Result<ObjectList> read = ReadMany(call, query);
  const bool continues = call.direct == nullptr && !query.continue_token.empty();
  if (!read.ok() && read.error().IsExpired() && continues) {
    return ExpiredPage(read.error(), query.continue_token);
  }
  ASSIGN_OR_RETURN(ObjectList list, std::move(read));
  if (call.direct != nullptr && !call.direct->with_body) {
    ASSIGN_OR_RETURN(call.direct->page, representation.Page(*call.resource, std::move(list)));
    return HttpResponse();
  }
  if (call.direct != nullptr) {
    ASSIGN_OR_RETURN(call.direct->page, representation.Page(*call.resource, list));
  }
  return representation.List(*call.resource, std::move(list));
}

Result<HttpResponse> ResourceHandler::Watch(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation,
                   Representation::Of(call.http, call.query, ResponseSubject::kEvents));
  ASSIGN_OR_RETURN(ListQuery query, ReadListQuery(call.query, true));
  RETURN_IF_ERROR(SelectName(call.attributes.name, query));
  ASSIGN_OR_RETURN(std::unique_ptr<WatchEvents> events,
                   WatchEvents::Open({.store = environment_.store,
                                      .reader = environment_.reader,
                                      .open = environment_.watches,
                                      .random = environment_.random,
                                      .resource = call.resource,
                                      .namespace_name = call.attributes.namespace_name,
                                      .query = std::move(query),
                                      .format = representation.Events(*call.resource)}));
  if (call.direct != nullptr) {
    call.direct->events = std::move(events);
    call.direct->timer = &environment_.timer;
    return HttpResponse();
  }
  HttpResponse response(
      200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}});
  response.stream = MakeWatchStream(std::move(events), environment_.timer);
  return response;
}

Result<HttpResponse> ResourceHandler::Create(const ResourceCall& call) {
  if (call.resource->Is("", "bindings")) {
    return OtherKinds().BindPod(call);
  }
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.http, call.query));
  ASSIGN_OR_RETURN(WriteCall write, WriteCall::Make(call, "CreateOptions"));
  ASSIGN_OR_RETURN(const BodyFormat format, BodyFormatOf(call.http.headers, call.resource->custom));
  const JsonStorage storage = boost::json::make_shared_resource<boost::json::monotonic_resource>();
  ASSIGN_OR_RETURN(Json document, write.ReadBody(format, storage));
  ASSIGN_OR_RETURN(document, write.Complete(std::move(document)));
  ASSIGN_OR_RETURN(Written written,
                   environment_.writer.Create(write.Request(), std::move(document)));
  ASSIGN_OR_RETURN(std::string bytes, ConvertBytes(*call.resource, std::move(written.object)));
  return representation.Object(201, *call.resource, SharedBytes(std::move(bytes)),
                               write.warnings());
}

Result<HttpResponse> ResourceHandler::Update(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.http, call.query));
  ASSIGN_OR_RETURN(WriteCall write, WriteCall::Make(call, "UpdateOptions"));
  ASSIGN_OR_RETURN(const BodyFormat format, BodyFormatOf(call.http.headers, call.resource->custom));
  ASSIGN_OR_RETURN(Json document, write.ReadBody(format, {}));
  const std::string_view version = ResourceVersionOf(document);
  const bool unconditional = version.empty() || version == "0";
  RETURN_IF_ERROR(CheckName(document, call.attributes.name));
  ASSIGN_OR_RETURN(const Json complete, write.Complete(std::move(document)));
  std::optional<ObjectWriter::Creation> creation;
  if (call.resource->strategy->AllowsCreateOnUpdate() && call.attributes.subresource.empty()) {
    creation = {.make = [&]() -> Result<Change> { return Change{complete}; },
                .authorize = [&] { return AuthorizeCreation(call); }};
  }
  ASSIGN_OR_RETURN(Written written, environment_.writer.Update(
                                        write.Request(),
                                        [&](const Json&) -> Result<Change> {
                                          if (unconditional)
                                            RETURN_IF_ERROR(CheckUnconditional(call));
                                          return Change{complete};
                                        },
                                        creation));
  ASSIGN_OR_RETURN(std::string bytes, ConvertBytes(*call.resource, std::move(written.object)));
  return representation.Object(written.created ? 201 : 200, *call.resource,
                               SharedBytes(std::move(bytes)), write.warnings());
}

Result<HttpResponse> ResourceHandler::Patch(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.http, call.query));
  ASSIGN_OR_RETURN(const PatchType type, PatchTypeOf(call.http.headers, call.resource->custom));
  ASSIGN_OR_RETURN(WriteCall write, WriteCall::Make(call, "PatchOptions"));
  RETURN_IF_ERROR(CheckPatchOptions(type, write.options()));
  const auto respond = [&](Result<Written> written) -> Result<HttpResponse> {
    if (!written.ok()) return written.error();
    ASSIGN_OR_RETURN(std::string bytes, ConvertBytes(*call.resource, std::move(written->object)));
    return representation.Object(written->created ? 201 : 200, *call.resource,
                                 SharedBytes(std::move(bytes)), write.warnings());
  };
  if (type != PatchType::kApply) {
    ASSIGN_OR_RETURN(const RequestPatch patch, ReadPatch(type, call.http.body));
    return respond(environment_.writer.Update(
        write.Request(), [&](const Json& old) { return write.Patched(old, patch); }));
  }
  ASSIGN_OR_RETURN(Json config, write.ReadConfiguration());
  RETURN_IF_ERROR(SetNamespace(config, *call.resource, call.attributes.namespace_name));
  const auto apply = [&](const Json* live) -> Result<Change> {
    ASSIGN_OR_RETURN(
        Json applied,
        ApplyConfiguration(live, config, write.Management(Time::Now(environment_.clock)),
                           write.options().force));
    RETURN_IF_ERROR(CheckName(applied, call.attributes.name));
    ASSIGN_OR_RETURN(Json complete, write.Complete(std::move(applied)));
    return Change{std::move(complete), true};
  };
  std::optional<ObjectWriter::Creation> creation;
  if (call.attributes.subresource.empty()) {
    creation = {.make = [&] { return apply(nullptr); },
                .authorize = [&] { return AuthorizeCreation(call); }};
  }
  return respond(environment_.writer.Update(
      write.Request(),
      [&](const Json& old) -> Result<Change> {
        ASSIGN_OR_RETURN(const Json shown, write.Shown(old));
        return apply(&shown);
      },
      creation));
}

Result<void> ResourceHandler::AuthorizeCreation(const ResourceCall& call) {
  RequestAttributes creation = call.attributes;
  creation.verb = "create";
  return environment_.authorizer.CheckAllowed(call.user, creation);
}

Result<HttpResponse> ResourceHandler::Delete(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.http, call.query));
  ASSIGN_OR_RETURN(const DeleteQuery options, ReadDeleteQuery(call.query, call.http.body));
  const WriteCall write(call, {.dry_run = options.dry_run});
  ASSIGN_OR_RETURN(Deleted deleted, environment_.writer.Delete(write.Request(), options));
  std::vector<std::string> warnings;
  if (LeavesPods(*call.resource, options)) warnings.emplace_back(kPodsAreLeft);
  if (deleted.damaged || (deleted.completed && !ReturnsDeletedObject(*call.resource))) {
    HttpResponse response = HttpResponse::Text(
        200, "application/json", SuccessOf(*call.resource, call.attributes.name, deleted.uid));
    if (deleted.damaged) response.headers.Add("Warning", WarningHeader(kDamagedRemoved));
    return response;
  }
  ASSIGN_OR_RETURN(std::string bytes, ConvertBytes(*call.resource, std::move(deleted.object)));
  return representation.Object(200, *call.resource, SharedBytes(std::move(bytes)), warnings);
}

Result<HttpResponse> ResourceHandler::DeleteCollection(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.http, call.query));
  ASSIGN_OR_RETURN(const ListQuery query, ReadListQuery(call.query, false));
  ASSIGN_OR_RETURN(const DeleteQuery options, ReadDeleteQuery(call.query, call.http.body));
  ASSIGN_OR_RETURN(ObjectList list, ReadMany(call, query));
  const WriteCall write(call, {.dry_run = options.dry_run});
  std::vector<std::string_view> names;
  names.reserve(list.records.size());
  for (const auto& records : {std::cref(list.records), std::cref(list.damaged)}) {
    for (const store::RecordPtr& record : records.get()) {
      names.push_back(record->key.substr(record->key.rfind('/') + 1));
    }
  }
  RETURN_IF_ERROR(environment_.writer.DeleteEach(write.Request(), names, options));
  ASSIGN_OR_RETURN(HttpResponse response, representation.List(*call.resource, std::move(list)));
  if (LeavesPods(*call.resource, options)) {
    response.headers.Add("Warning", WarningHeader(kPodsAreLeft));
  }
  return response;
}

Result<HttpResponse> ResourceHandler::HandleSubresource(const ResourceCall& call) {
  const Subresource* subresource = call.resource->FindSubresource(call.attributes.subresource);
  if (subresource == nullptr) return NoSuchResource();
  if (std::ranges::count(subresource->verbs, call.attributes.verb) == 0) {
    return Error(405, "MethodNotAllowed",
                 "the server does not allow this method on the requested resource");
  }
  if (subresource->kind.kind.empty()) {
    // The object itself, of which the subresource writes a part.
    if (call.attributes.verb == "get") return Get(call);
    return call.attributes.verb == "update" ? Update(call) : Patch(call);
  }
  return OtherKinds().Handle(call, *subresource);
}

Result<store::RecordPtr> ResourceHandler::ReadOne(const ResourceCall& call) {
  const RequestAttributes& attributes = call.attributes;
  if (ComponentStatuses::Serves(*call.resource)) {
    return environment_.components.Get(attributes.name);
  }
  ASSIGN_OR_RETURN(const ResourceVersion version,
                   ResourceVersion::Parse(call.query.Get("resourceVersion").value_or("")));
  return environment_.reader.Get(*call.resource, attributes.namespace_name, attributes.name,
                                 version);
}

Result<ObjectList> ResourceHandler::ReadMany(const ResourceCall& call, const ListQuery& query) {
  ASSIGN_OR_RETURN(const ObjectFilter filter, ObjectFilter::Make(*call.resource, query));
  if (ComponentStatuses::Serves(*call.resource)) return environment_.components.List(filter);
  return environment_.reader.List(*call.resource, call.attributes.namespace_name, query, filter);
}

Subresources ResourceHandler::OtherKinds() {
  return Subresources({.writer = environment_.writer,
                       .reader = environment_.reader,
                       .clock = environment_.clock,
                       .tokens = environment_.tokens});
}

}  // namespace kubexms
