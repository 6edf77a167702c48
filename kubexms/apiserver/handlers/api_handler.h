#pragma once

// The front of the API: every request is identified, authorized, sent to what serves its path,
// audited and counted. Requests come from the network, or from this process, where who makes them
// is known: all but the identification is the same.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/apiserver/audit/audit.h"
#include "kubexms/apiserver/authentication/authentication.h"
#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/custom_resources/custom_resources.h"
#include "kubexms/apiserver/discovery/documents.h"
#include "kubexms/apiserver/handlers/health.h"
#include "kubexms/apiserver/handlers/request_metrics.h"
#include "kubexms/apiserver/handlers/resource_handler.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/net/server/server.h"

namespace kubexms {

// An error as the client sees it: a Status.
HttpResponse ErrorResponse(const Error& error);

class ApiHandler final : public HttpHandler {
 public:
  // Everything is borrowed and must outlive the handler.
  struct Environment {
    ResourceRegistry& registry;
    ResourceHandler& resources;
    CustomResources& custom_resources;
    const Authenticator& authenticator;
    RbacAuthorizer& authorizer;
    const TokenIssuer& tokens;
    Documents& documents;
    MetricsRegistry& metrics;
    const Clock& clock;
    AuditLog* audit;  // null: none
    Random& random;
    // Reads of single objects are answered on the I/O thread: the store answers from memory.
    bool store_is_local = true;
  };

  ApiHandler(Environment environment, std::vector<HealthCheck> checks);

  Where Dispatch(const HttpRequest& request) override;
  HttpResponse Handle(HttpRequest request) override;

  // A request of this process by `user`. Lists and watches are answered in `direct`.
  Result<HttpResponse> HandleAs(const UserInfo& user, const HttpRequest& request,
                                DirectAnswer& direct);

 private:
  // Who makes a request, and whom it acts as.
  struct Identity {
    UserInfo user;
    std::optional<UserInfo> impersonated;

    const UserInfo& acting() const { return impersonated ? *impersonated : user; }
  };

  // Where a request comes from.
  struct Origin {
    const UserInfo* user = nullptr;  // null: the request has to prove it
    DirectAnswer* direct = nullptr;
    bool* authenticated = nullptr;  // set to true once the request has proved whose it is
  };

  Result<HttpResponse> Serve(const HttpRequest& request, const Origin& origin);
  // `identity` is filled in as soon as it is known.
  Result<HttpResponse> Answer(const HttpRequest& request, const QueryParameters& query,
                              const RequestAttributes& attributes, const Origin& origin,
                              Identity& identity);
  Result<void> Identify(const HttpRequest& request, const Origin& origin, Identity& identity);
  void Audit(const HttpRequest& request, const RequestAttributes& attributes,
             const Identity& identity, Clock::WallTime received,
             const Result<HttpResponse>& answer);
  Result<HttpResponse> AnswerResource(const ResourceCall& call);
  // What other parts of the server must know of before a write is answered.
  Result<void> FollowWrite(const ResourceCall& call);
  Result<HttpResponse> AnswerReview(const ResourceCall& call);
  Result<HttpResponse> AnswerPath(const HttpRequest& request, std::string_view path);

  Environment environment_;
  const std::vector<HealthCheck> checks_;
  const RequestMetrics request_metrics_;
};

}  // namespace kubexms
