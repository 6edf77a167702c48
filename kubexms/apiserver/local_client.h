#pragma once

// The client for the API server's own process. A call takes the same path as an HTTP request, from
// authorization, admission and validation to the API audit log and the metrics, but without a
// connection, a URL and authentication: the server gets the members of the ClientRequest as they
// are. Objects are not copied: get, list and watch return the bytes that the store holds. Calls run
// on the caller's thread, and a watch has no thread of its own.
//
// Created by ApiServer::NewClient().

#include <memory>
#include <string>
#include <string_view>

#include "kubexms/apiserver/request/user.h"
#include "kubexms/client/client.h"

namespace kubexms {

class ApiHandler;
struct DirectResult;
struct HttpResponse;

class LocalClient final : public Client {
 public:
  // Acts as `user`, who counts as authenticated. `user_agent` is recorded in the API audit log, and
  // is the field manager of writes that name none. `handler` must outlive the client and its
  // watches.
  LocalClient(ApiHandler& handler, UserInfo user, std::string user_agent);

  // The stop token is checked before a call starts; a call that has started is completed.
  Result<SharedBytes> Do(const ClientRequest& request) override;
  // All objects in one page, unless the request has a limit.
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  // A watch whose reader is too slow ends with TooManyRequests. A new watch from the
  // resourceVersion of the last event resumes it without loss.
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop) override;

 private:
  // `direct` receives the result of a list or a watch.
  Result<HttpResponse> Send(const ClientRequest& request, DirectResult& direct);

  ApiHandler& handler_;
  const UserInfo user_;
  const std::string user_agent_;
};

}  // namespace kubexms
