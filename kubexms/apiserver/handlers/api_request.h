#pragma once

// One request to a resource as the handlers see it, whether it arrived as an HTTP request
// (HttpApiRequest) or is a call of this process (LocalApiRequest in local_request.h). Everything
// from authorization to the API audit log works with this interface, so both take the same path.
//
// Options are read when a handler asks for them: Kubernetes refuses a request for the first of its
// faults in the order in which the handler meets them.

#include <string>
#include <string_view>
#include <utility>

#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/request/accept.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/table/table.h"
#include "kubexms/client/request.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

class ApiRequest {
 public:
  explicit ApiRequest(RequestAttributes attributes) : attributes_(std::move(attributes)) {}
  virtual ~ApiRequest() = default;

  const RequestAttributes& attributes() const { return attributes_; }

  // For the API audit log. A request of this process has no source address.
  virtual std::string Uri() const = 0;
  virtual std::string_view UserAgent() const = 0;
  virtual std::string_view SourceAddress() const = 0;

  // The object, the patch or the DeleteOptions. `custom`: of a custom resource, which accepts
  // fewer formats.
  virtual std::string_view Body() const = 0;
  virtual Result<BodyFormat> ReadBodyFormat(bool custom) const = 0;
  virtual Result<PatchType> ReadPatchType(bool custom) const = 0;

  // The form of the response. NotAcceptable when the server has none that the client accepts.
  virtual Result<ResponseForm> NegotiateForm(ResponseSubject subject) const = 0;
  // Of a response as a table: the part of each object that its row includes.
  virtual Result<RowObject> ReadRowObject() const = 0;

  // Of get: the resourceVersion that the response must not be older than.
  virtual Result<ResourceVersion> ReadResourceVersion() const = 0;
  virtual Result<ListQuery> ReadListOptions(bool watch) const = 0;
  // `options_kind` as for ReadWriteQuery().
  virtual Result<WriteQuery> ReadWriteOptions(std::string_view options_kind) const = 0;
  // `body` has the DeleteOptions: the body of the request, or a member of it.
  virtual Result<DeleteQuery> ReadDeleteOptions(std::string_view body) const = 0;

 private:
  const RequestAttributes attributes_;
};

// A request from the network, whose options are in the query and in the headers. Borrows `http`.
class HttpApiRequest final : public ApiRequest {
 public:
  HttpApiRequest(const HttpRequest& http, QueryParameters query, RequestAttributes attributes)
      : ApiRequest(std::move(attributes)), http_(http), query_(std::move(query)) {}

  std::string Uri() const override { return http_.target; }
  std::string_view UserAgent() const override;
  std::string_view SourceAddress() const override;
  std::string_view Body() const override { return http_.body; }
  Result<BodyFormat> ReadBodyFormat(bool custom) const override;
  Result<PatchType> ReadPatchType(bool custom) const override;
  Result<ResponseForm> NegotiateForm(ResponseSubject subject) const override;
  Result<RowObject> ReadRowObject() const override;
  Result<ResourceVersion> ReadResourceVersion() const override;
  Result<ListQuery> ReadListOptions(bool watch) const override;
  Result<WriteQuery> ReadWriteOptions(std::string_view options_kind) const override;
  Result<DeleteQuery> ReadDeleteOptions(std::string_view body) const override;

 private:
  const HttpRequest& http_;
  const QueryParameters query_;
};

}  // namespace kubexms
