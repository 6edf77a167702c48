#pragma once

// The client of the API server's own process. A request takes the same way as one from the network,
// from authorization over admission and validation to the audit log and the metrics; what is left
// out is the connection and the proof of who asks. Objects are not copied: what is read, listed and
// watched has the bytes that the store holds. Calls run on the caller's thread, and a watch has no
// thread of its own.
//
// Made by ApiServer::NewClient().

#include <memory>
#include <string>
#include <string_view>

#include "kubexms/apiserver/request/user.h"
#include "kubexms/client/client.h"

namespace kubexms {

class ApiHandler;

class LocalClient final : public Client {
 public:
  // Acts as `user`, who counts as authenticated. `user_agent` is what the audit log shows, and the
  // manager of fields where a write names none. `handler` must outlive the client and its watches.
  LocalClient(ApiHandler& handler, UserInfo user, std::string user_agent);

  // The stop token is looked at before a call begins; a call that has begun is completed.
  Result<SharedBytes> Do(const ClientRequest& request) override;
  // All objects in one page, unless the request has a limit.
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  // The error of a reader that is cut off for being too slow is TooManyRequests: a watch after the
  // version of the last event goes on without loss.
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop) override;

 private:
  ApiHandler& handler_;
  const UserInfo user_;
  const std::string user_agent_;
};

}  // namespace kubexms
