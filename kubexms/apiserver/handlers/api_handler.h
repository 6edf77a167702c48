#pragma once

// The entry of the API: authenticates and authorizes every request, passes it to the handler of its
// path, and records it in the API audit log and the metrics. Requests come from the network, or
// from a client of this process, whose user is known: only authentication differs.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/apiserver/audit/audit.h"
#include "kubexms/apiserver/authentication/authentication.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/discovery/documents.h"
#include "kubexms/apiserver/handlers/api_request.h"
#include "kubexms/apiserver/handlers/health.h"
#include "kubexms/apiserver/handlers/request_metrics.h"
#include "kubexms/apiserver/handlers/resource_handler.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/net/server/server.h"

namespace kubexms {

// The response for an error: a Status.
HttpResponse ErrorResponse(const Error& error);

// Called after a successful write of an object of an API group, before the response: for parts of
// the server that depend on the objects of that group.
using AfterWriteHook = std::function<Result<void>(const ResourceSet& resources)>;

class ApiHandler final : public HttpHandler {
 public:
  // Everything is borrowed and must outlive the handler.
  struct Environment {
    ResourceRegistry& registry;
    ResourceHandler& resources;
    const Authenticator& authenticator;
    RbacAuthorizer& authorizer;
    const TokenIssuer& tokens;
    Documents& documents;
    MetricsRegistry& metrics;
    const Clock& clock;
    AuditLog* audit;  // null: no API audit log
    Random& random;
    // True when the store reads from memory: then the I/O thread itself reads single objects.
    bool store_is_local = true;
    std::map<std::string, AfterWriteHook, std::less<>> after_write = {};  // by API group
  };

  ApiHandler(Environment environment, std::vector<HealthCheck> checks);

  Where Dispatch(const HttpRequest& request) override;
  HttpResponse Handle(HttpRequest request) override;

  // A request to a resource by `user` of this process. `direct` receives the result of a list or a
  // watch.
  Result<HttpResponse> HandleLocal(const UserInfo& user, const ApiRequest& request,
                                   DirectResult& direct);
  // A request by `user` of this process for a path outside the resources.
  Result<HttpResponse> HandleLocalPath(const UserInfo& user, const HttpRequest& request);

 private:
  // The user of a request, and the user that it impersonates.
  struct Identity {
    Identity() = default;
    Identity(const Identity&) = delete;
    Identity& operator=(const Identity&) = delete;

    UserInfo authenticated;
    const UserInfo* user = &authenticated;
    std::optional<UserInfo> impersonated;

    const UserInfo& acting() const { return impersonated ? *impersonated : *user; }
  };

  // The source of a request.
  struct Origin {
    const HttpRequest* http = nullptr;  // null: a request of this process to a resource
    const UserInfo* user = nullptr;     // null: the HTTP request is to be authenticated
    DirectResult* direct = nullptr;
    bool* authenticated = nullptr;  // set to true once the HTTP request is authenticated
  };

  Result<HttpResponse> Serve(const Origin& origin);
  // Answers a request, and records it in the API audit log and the metrics.
  Result<HttpResponse> Process(const ApiRequest& request, const Origin& origin);
  // Sets `identity` as soon as it is known.
  Result<HttpResponse> Answer(const ApiRequest& request, const Origin& origin, Identity& identity);
  Result<void> Identify(const Origin& origin, Identity& identity);
  void Audit(const ApiRequest& request, const Identity& identity, Clock::WallTime received,
             const Result<HttpResponse>& answer);
  Result<HttpResponse> AnswerResource(const ResourceCall& call);
  Result<void> RunAfterWrite(const ResourceCall& call);
  Result<HttpResponse> AnswerReview(const ResourceCall& call);
  Result<HttpResponse> AnswerPath(const HttpRequest& request);

  Environment environment_;
  const std::vector<HealthCheck> checks_;
  const RequestMetrics request_metrics_;
};

}  // namespace kubexms
