#include "kubexms/apiserver/handlers/resource_handler.h"

#include <algorithm>

#include "kubexms/api/status.h"
#include "kubexms/apiserver/handlers/subresources.h"
#include "kubexms/apiserver/request/scope.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/watch/watch_stream.h"
#include "kubexms/apiserver/write/patch.h"

namespace kubexms {
namespace {

// The resource in the version in which its objects are stored.
const Resource& StorageResource(const ResourceCall& call) {
  const Resource& resource = *call.resource;
  if (resource.version == resource.storage_version && !resource.storage_group) return resource;
  const ResourcePtr* storage = call.resources.Find(resource.storage_group.value_or(resource.group),
                                                   resource.storage_version, resource.plural);
  return storage == nullptr ? resource : **storage;
}

WriteAttributes WriteAttributesOf(const ResourceCall& call, const WriteQuery& options) {
  return {.resource = StorageResource(call),
          .requested = call.resource.get(),
          .subresource = call.attributes.subresource,
          .namespace_name = call.attributes.namespace_name,
          .name = call.attributes.name,
          .user = call.user,
          .manager = FieldManagerOf(call, options),
          .dry_run = options.dry_run,
          .field_validation = options.field_validation,
          .force = options.force};
}

// A create must not name an object in its path; an update and a patch must.
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
    "the stored object was damaged and has been removed without regard to finalizers, dependents "
    "and preconditions";

// The error, with a token for the rest of the list in the newest state.
HttpResponse ExpiredPage(const Error& error, std::string_view continue_token) {
  Json status = StatusOf(error);
  const std::string token = TokenForNewest(continue_token);
  if (!token.empty()) ObjectMember(status.get_object(), "metadata")["continue"] = token;
  return HttpResponse::Text(error.code(), "application/json", WriteJson(status));
}

void AddPropagationWarning(const Resource& resource, const DeleteQuery& options,
                           HttpResponse& response) {
  if (resource.propagation_warning.empty()) return;
  if (options.propagation != Propagation::kDefault) return;
  response.headers.Add("Warning", WarningHeader(resource.propagation_warning));
}

Result<HttpResponse> RespondWritten(const ResourceCall& call, const Representation& representation,
                                    Result<Written> written,
                                    const std::vector<std::string>& warnings) {
  if (!written.ok()) return written.error();
  ASSIGN_OR_RETURN(std::string bytes, ConvertBytes(*call.resource, std::move(written->object)));
  return representation.Object(written->created ? 201 : 200, *call.resource,
                               SharedBytes(std::move(bytes)), warnings);
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

std::string FieldManagerOf(const ResourceCall& call, const WriteQuery& options) {
  return options.field_manager.empty() ? DefaultFieldManager(call.request.UserAgent())
                                       : options.field_manager;
}

Result<HttpResponse> ResourceHandler::Handle(const ResourceCall& call) {
  const RequestAttributes& attributes = call.attributes;
  if (!attributes.subresource.empty()) return HandleSubresource(call);
  if (!call.resource->Allows(attributes.verb) || IsMisplaced(attributes)) {
    return MethodNotAllowed();
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

Result<HttpResponse> ResourceHandler::Get(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(const store::RecordPtr record, ReadOne(call));
  ASSIGN_OR_RETURN(SharedBytes bytes, ReadBytes(*call.resource, record));
  return representation.Object(200, *call.resource, std::move(bytes));
}

Result<HttpResponse> ResourceHandler::List(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(const ListQuery query, call.request.ReadListOptions(false));
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
                   Representation::Of(call.request, ResponseSubject::kEvents));
  ASSIGN_OR_RETURN(ListQuery query, call.request.ReadListOptions(true));
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
    return MakeSubresources().BindPod(call);
  }
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(ObjectWrite write, BeginWrite(call, "CreateOptions"));
  ASSIGN_OR_RETURN(const BodyFormat format, call.request.ReadBodyFormat(call.resource->custom));
  return RespondWritten(call, representation, write.CreateFrom(call.request.Body(), format),
                        write.warnings());
}

Result<HttpResponse> ResourceHandler::Update(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(ObjectWrite write, BeginWrite(call, "UpdateOptions"));
  ASSIGN_OR_RETURN(const BodyFormat format, call.request.ReadBodyFormat(call.resource->custom));
  Result<Written> written =
      write.ReplaceFrom(call.request.Body(), format, [&] { return AuthorizeCreation(call); });
  return RespondWritten(call, representation, std::move(written), write.warnings());
}

Result<HttpResponse> ResourceHandler::Patch(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(const PatchType type, call.request.ReadPatchType(call.resource->custom));
  ASSIGN_OR_RETURN(const WriteQuery options, call.request.ReadWriteOptions("PatchOptions"));
  RETURN_IF_ERROR(CheckPatchOptions(type, options));
  ObjectWrite write = environment_.writer.Begin(WriteAttributesOf(call, options));
  Result<Written> written =
      write.PatchFrom(call.request.Body(), type, [&] { return AuthorizeCreation(call); });
  return RespondWritten(call, representation, std::move(written), write.warnings());
}

Result<ObjectWrite> ResourceHandler::BeginWrite(const ResourceCall& call,
                                                std::string_view options_kind) {
  ASSIGN_OR_RETURN(const WriteQuery options, call.request.ReadWriteOptions(options_kind));
  return environment_.writer.Begin(WriteAttributesOf(call, options));
}

Result<void> ResourceHandler::AuthorizeCreation(const ResourceCall& call) {
  RequestAttributes creation = call.attributes;
  creation.verb = "create";
  return environment_.authorizer.CheckAllowed(call.user, creation);
}

Result<HttpResponse> ResourceHandler::Delete(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(const DeleteQuery options, call.request.ReadDeleteOptions(call.request.Body()));
  ASSIGN_OR_RETURN(
      Deleted deleted,
      environment_.writer.Delete(WriteAttributesOf(call, {.dry_run = options.dry_run}), options));
  if (deleted.damaged || (deleted.completed && !call.resource->returns_deleted_object)) {
    HttpResponse response = HttpResponse::Text(
        200, "application/json", SuccessOf(*call.resource, call.attributes.name, deleted.uid));
    if (deleted.damaged) response.headers.Add("Warning", WarningHeader(kDamagedRemoved));
    return response;
  }
  ASSIGN_OR_RETURN(std::string bytes, ConvertBytes(*call.resource, std::move(deleted.object)));
  ASSIGN_OR_RETURN(HttpResponse response,
                   representation.Object(200, *call.resource, SharedBytes(std::move(bytes))));
  AddPropagationWarning(*call.resource, options, response);
  return response;
}

Result<HttpResponse> ResourceHandler::DeleteCollection(const ResourceCall& call) {
  ASSIGN_OR_RETURN(const Representation representation, Representation::Of(call.request));
  ASSIGN_OR_RETURN(const ListQuery query, call.request.ReadListOptions(false));
  ASSIGN_OR_RETURN(const DeleteQuery options, call.request.ReadDeleteOptions(call.request.Body()));
  ASSIGN_OR_RETURN(ObjectList list, ReadMany(call, query));
  std::vector<std::string_view> names;
  names.reserve(list.records.size());
  for (const auto& records : {std::cref(list.records), std::cref(list.damaged)}) {
    for (const store::RecordPtr& record : records.get()) {
      names.push_back(record->key.substr(record->key.rfind('/') + 1));
    }
  }
  RETURN_IF_ERROR(environment_.writer.DeleteEach(
      WriteAttributesOf(call, {.dry_run = options.dry_run}), names, options));
  ASSIGN_OR_RETURN(HttpResponse response, representation.List(*call.resource, std::move(list)));
  AddPropagationWarning(*call.resource, options, response);
  return response;
}

Result<HttpResponse> ResourceHandler::HandleSubresource(const ResourceCall& call) {
  const Subresource* subresource = call.resource->FindSubresource(call.attributes.subresource);
  if (subresource == nullptr) return NoSuchResource();
  if (std::ranges::count(subresource->verbs, call.attributes.verb) == 0) {
    return MethodNotAllowed();
  }
  if (subresource->kind.kind.empty()) {
    // The subresource is a part of the object.
    if (call.attributes.verb == "get") return Get(call);
    return call.attributes.verb == "update" ? Update(call) : Patch(call);
  }
  return MakeSubresources().Handle(call, *subresource);
}

Result<store::RecordPtr> ResourceHandler::ReadOne(const ResourceCall& call) {
  const RequestAttributes& attributes = call.attributes;
  if (ComponentStatuses::Serves(*call.resource)) {
    return environment_.components.Get(attributes.name);
  }
  ASSIGN_OR_RETURN(const ResourceVersion version, call.request.ReadResourceVersion());
  return environment_.reader.Get(*call.resource, attributes.namespace_name, attributes.name,
                                 version);
}

Result<ObjectList> ResourceHandler::ReadMany(const ResourceCall& call, const ListQuery& query) {
  ASSIGN_OR_RETURN(const ObjectFilter filter, ObjectFilter::Make(*call.resource, query));
  if (ComponentStatuses::Serves(*call.resource)) return environment_.components.List(filter);
  return environment_.reader.List(*call.resource, call.attributes.namespace_name, query, filter);
}

Subresources ResourceHandler::MakeSubresources() {
  return Subresources({.writer = environment_.writer,
                       .reader = environment_.reader,
                       .clock = environment_.clock,
                       .tokens = environment_.tokens});
}

}  // namespace kubexms
