#include "kubexms/apiserver/handlers/api_request.h"

#include "kubexms/apiserver/write/patch.h"

namespace kubexms {

std::string_view HttpApiRequest::UserAgent() const {
  return http_.headers.Get("User-Agent").value_or("");
}

std::string_view HttpApiRequest::SourceAddress() const {
  return http_.peer == nullptr ? std::string_view() : http_.peer->address;
}

Result<BodyFormat> HttpApiRequest::ReadBodyFormat(bool custom) const {
  return BodyFormatOf(http_.headers, custom);
}

Result<PatchType> HttpApiRequest::ReadPatchType(bool custom) const {
  return PatchTypeOf(http_.headers, custom);
}

Result<ResponseForm> HttpApiRequest::NegotiateForm(ResponseSubject subject) const {
  return NegotiateResponse(http_.headers, query_, subject);
}

Result<RowObject> HttpApiRequest::ReadRowObject() const {
  return ParseRowObject(query_.Get("includeObject").value_or(""));
}

Result<ResourceVersion> HttpApiRequest::ReadResourceVersion() const {
  return ResourceVersion::Parse(query_.Get("resourceVersion").value_or(""));
}

Result<ListQuery> HttpApiRequest::ReadListOptions(bool watch) const {
  return ReadListQuery(query_, watch);
}

Result<WriteQuery> HttpApiRequest::ReadWriteOptions(std::string_view options_kind) const {
  return ReadWriteQuery(query_, options_kind);
}

Result<DeleteQuery> HttpApiRequest::ReadDeleteOptions(std::string_view body) const {
  return ReadDeleteQuery(query_, body);
}

}  // namespace kubexms
