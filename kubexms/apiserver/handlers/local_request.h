#pragma once

// A call of this process as a request to the server: the members of the ClientRequest are used as
// they are, without a URL and headers in between. What a URL cannot express is refused here, too.

#include <string_view>

#include "kubexms/apiserver/handlers/api_request.h"

namespace kubexms {

// Borrows the ClientRequest and the user agent.
class LocalApiRequest final : public ApiRequest {
 public:
  // Fails when a name of the request cannot be a segment of a path.
  static Result<LocalApiRequest> Make(const ClientRequest& request, std::string_view user_agent);

  // As the URL of an HTTP request with the same options would be.
  std::string Uri() const override;
  std::string_view UserAgent() const override { return user_agent_; }
  std::string_view SourceAddress() const override { return {}; }
  std::string_view Body() const override { return request_.body; }
  Result<BodyFormat> ReadBodyFormat(bool custom) const override;
  Result<PatchType> ReadPatchType(bool custom) const override;
  Result<ResponseForm> NegotiateForm(ResponseSubject subject) const override;
  Result<RowObject> ReadRowObject() const override;
  Result<ResourceVersion> ReadResourceVersion() const override;
  Result<ListQuery> ReadListOptions(bool watch) const override;
  Result<WriteQuery> ReadWriteOptions(std::string_view options_kind) const override;
  Result<DeleteQuery> ReadDeleteOptions(std::string_view body) const override;

 private:
  LocalApiRequest(const ClientRequest& request, std::string_view user_agent,
                  RequestAttributes attributes)
      : ApiRequest(std::move(attributes)), request_(request), user_agent_(user_agent) {}

  const ClientRequest& request_;
  const std::string_view user_agent_;
};

}  // namespace kubexms
