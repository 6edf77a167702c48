#include "kubexms/apiserver/handlers/local_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/apiserver/request/scope.h"
#include "kubexms/apiserver/write/patch.h"

namespace kubexms {
namespace {

// A name with a slash would be the storage key of another object.
Result<void> CheckSegment(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return NoSuchResource();
  if (name != "." && name != ".." && name.find('\0') == std::string_view::npos) return {};
  return Error::BadRequest("a name or namespace must not be '.' or '..' or contain a NUL byte");
}

// A list and a deletion of a collection select objects by selectors only: to ignore the name would
// delete more objects than the caller means.
Result<void> CheckNoName(const ClientRequest& request) {
  const bool many = request.verb == Verb::kList || request.verb == Verb::kDeleteCollection;
  if (!many || request.name.empty()) return {};
  return Error::BadRequest(
      fmt::format("{} {}: the request must not name an object; use a field selector",
                  VerbName(request.verb), request.resource.QualifiedName()));
}

Result<RequestAttributes> AttributesOf(const ClientRequest& request) {
  RequestAttributes attributes{.verb = std::string(VerbName(request.verb)),
                               .group = request.resource.group,
                               .version = request.resource.version,
                               .resource = request.resource.plural,
                               .subresource = request.subresource};
  if (request.resource.namespaced) attributes.namespace_name = request.namespace_name;
  attributes.name = request.name;
  RETURN_IF_ERROR(CheckNoName(request));
  RETURN_IF_ERROR(CheckSegment(attributes.namespace_name));
  RETURN_IF_ERROR(CheckSegment(attributes.name));
  // A Namespace is part of itself, so that roles in it can be about it.
  if (attributes.group.empty() && attributes.resource == "namespaces") {
    // Namespaces are in no namespace: authorization must not be decided by another one.
    if (!attributes.namespace_name.empty()) return NoSuchResource();
    attributes.namespace_name = attributes.name;
  }
  const bool reads_many = request.verb == Verb::kList || request.verb == Verb::kWatch;
  if (reads_many && attributes.name.empty()) {
    attributes.name = SelectedName(request.field_selector);
  }
  return attributes;
}

}  // namespace

Result<LocalApiRequest> LocalApiRequest::Make(const ClientRequest& request,
                                              std::string_view user_agent) {
  ASSIGN_OR_RETURN(RequestAttributes attributes, AttributesOf(request));
  return LocalApiRequest(request, user_agent, std::move(attributes));
}

std::string LocalApiRequest::Uri() const {
  ClientRequest whole = request_;
  whole.page_size = 0;  // lists in this process have no pages unless the request has a limit
  return whole.Path() + whole.Query();
}

Result<BodyFormat> LocalApiRequest::ReadBodyFormat(bool) const { return BodyFormat::kJson; }

Result<PatchType> LocalApiRequest::ReadPatchType(bool custom) const {
  RETURN_IF_ERROR(CheckPatchType(request_.patch_type, custom));
  return request_.patch_type;
}

Result<ResponseForm> LocalApiRequest::NegotiateForm(ResponseSubject) const {
  if (!request_.metadata_only) return ResponseForm();
  return ResponseForm{.kind = request_.verb == Verb::kList
                                  ? ResponseKind::kPartialObjectMetadataList
                                  : ResponseKind::kPartialObjectMetadata,
                      .version = "v1"};
}

Result<RowObject> LocalApiRequest::ReadRowObject() const { return RowObject::kMetadata; }

Result<ResourceVersion> LocalApiRequest::ReadResourceVersion() const {
  return ResourceVersion::Parse(request_.resource_version);
}

Result<ListQuery> LocalApiRequest::ReadListOptions(bool watch) const {
  ListQuery query{.labels = request_.label_selector,
                  .fields = request_.field_selector,
                  .limit = static_cast<size_t>(std::max<int64_t>(request_.limit, 0)),
                  .continue_token = request_.continue_token,
                  .bookmarks = request_.bookmarks};
  ASSIGN_OR_RETURN(query.version, ReadResourceVersion());
  ASSIGN_OR_RETURN(query.match, ParseVersionMatch(request_.resource_version_match));
  if (request_.send_initial_events) query.send_initial_events = true;
  if (request_.timeout) query.timeout_seconds = request_.timeout->count();
  RETURN_IF_ERROR(CheckListQuery(query, watch));
  return query;
}

Result<WriteQuery> LocalApiRequest::ReadWriteOptions(std::string_view options_kind) const {
  ASSIGN_OR_RETURN(WriteQuery query,
                   MakeWriteQuery(request_.field_manager, request_.field_validation, options_kind));
  query.dry_run = request_.dry_run;
  query.force = request_.force;
  return query;
}

Result<DeleteQuery> LocalApiRequest::ReadDeleteOptions(std::string_view body) const {
  DeleteQuery query{.dry_run = request_.dry_run};
  RETURN_IF_ERROR(AddDeleteOptions(body, query));
  return query;
}

}  // namespace kubexms
