#include "kubexms/apiserver/handlers/api_handler.h"

#include <fmt/format.h>

#include "kubexms/api/status.h"
#include "kubexms/apiserver/authorization/reviews.h"
#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/decoding/shape.h"
#include "kubexms/apiserver/handlers/representation.h"
#include "kubexms/apiserver/request/scope.h"

namespace kubexms {
namespace {

constexpr std::string_view kJson = "application/json";

bool IsDocumentPath(std::string_view path) {
  return path == "/version" || path == "/api" || path == "/apis" || path.starts_with("/api/") ||
         path.starts_with("/apis/") || path.starts_with("/openapi/");
}

bool IsReview(const Resource& resource) {
  return resource.group == "authentication.k8s.io" || resource.group == "authorization.k8s.io";
}

// Health checks and leases: if they time out under load, a supervisor restarts the server, or a
// leader steps down.
bool IsUrgent(const HttpRequest& request) {
  constexpr size_t kMaxLease = size_t{64} * 1024;
  constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/";
  if (IsHealthPath(request.path())) return true;
  if (!request.path().starts_with(kLeases) || request.body.size() > kMaxLease) return false;
  const std::string_view rest = request.path().substr(kLeases.size());
  const size_t slash = rest.find('/');
  return slash != std::string_view::npos && rest.substr(slash).starts_with("/leases/");
}

// Lists and watches may take long to start, so they do not run on the I/O thread.
bool IsGetOfOneObject(const HttpRequest& request) {
  if (request.method != "GET" || !request.query().empty()) return false;
  const Result<RequestAttributes> attributes = ReadAttributes(request, {});
  return attributes.ok() && attributes->verb == "get" && attributes->is_resource;
}

bool IsRead(std::string_view verb) { return verb == "get" || verb == "list" || verb == "watch"; }

bool IsAnonymous(const UserInfo& user) { return user.name == kAnonymousUser; }

}  // namespace

HttpResponse ErrorResponse(const Error& error) {
  // Like kube-apiserver, answers an unknown path with plain text.
  if (error.code() == 404 && error.reason().empty()) {
    return HttpResponse::Text(404, "text/plain; charset=utf-8", error.message());
  }
  HttpResponse response = HttpResponse::Text(error.code(), kJson, WriteJson(StatusOf(error)));
  if (error.details().retry_after) {
    response.headers.Set("Retry-After", std::to_string(error.details().retry_after->count()));
  }
  if (error.code() == 401) response.headers.Set("WWW-Authenticate", "Bearer");
  return response;
}

ApiHandler::ApiHandler(Environment environment, std::vector<HealthCheck> checks)
    : environment_(environment),
      checks_(std::move(checks)),
      request_metrics_(environment.metrics) {}

HttpHandler::Where ApiHandler::Dispatch(const HttpRequest& request) {
  if (environment_.store_is_local && IsGetOfOneObject(request)) return Where::kInline;
  return IsUrgent(request) ? Where::kUrgent : Where::kWorker;
}

HttpResponse ApiHandler::Handle(HttpRequest request) {
  bool authenticated = false;
  Result<HttpResponse> answer = Serve({.http = &request, .authenticated = &authenticated});
  HttpResponse response = answer.ok() ? std::move(*answer) : ErrorResponse(answer.error());
  response.client_authenticated = authenticated;
  return response;
}

Result<HttpResponse> ApiHandler::HandleLocal(const UserInfo& user, const ApiRequest& request,
                                             DirectResult& direct) {
  return Process(request, {.user = &user, .direct = &direct});
}

Result<HttpResponse> ApiHandler::HandleLocalPath(const UserInfo& user, const HttpRequest& request) {
  return Serve({.http = &request, .user = &user});
}

Result<HttpResponse> ApiHandler::Serve(const Origin& origin) {
  const HttpRequest& http = *origin.http;
  ASSIGN_OR_RETURN(QueryParameters query, QueryParameters::Parse(http.query()));
  if (IsHealthPath(http.path())) return AnswerHealth(checks_, http.path(), query);
  ASSIGN_OR_RETURN(RequestAttributes attributes, ReadAttributes(http, query));
  if (attributes.verb != "watch") RETURN_IF_ERROR(CheckTimeout(query));
  return Process(HttpApiRequest(http, std::move(query), std::move(attributes)), origin);
}

Result<HttpResponse> ApiHandler::Process(const ApiRequest& request, const Origin& origin) {
  const auto start = std::chrono::steady_clock::now();
  const Clock::WallTime received = environment_.clock.Now();
  Identity identity;
  Result<HttpResponse> answer = Answer(request, origin, identity);
  if (environment_.audit != nullptr) Audit(request, identity, received, answer);
  request_metrics_.Record(request.attributes(), *environment_.registry.Current(),
                          answer.ok() ? answer->status : answer.error().code(),
                          std::chrono::steady_clock::now() - start);
  return answer;
}

Result<HttpResponse> ApiHandler::Answer(const ApiRequest& request, const Origin& origin,
                                        Identity& identity) {
  const RequestAttributes& attributes = request.attributes();
  RETURN_IF_ERROR(Identify(origin, identity));
  const UserInfo& user = identity.acting();
  const std::shared_ptr<const ResourceSet> resources = environment_.registry.Current();
  const ResourcePtr* resource =
      resources->Find(attributes.group, attributes.version, attributes.resource);
  if (attributes.is_resource && resource != nullptr) {
    RETURN_IF_ERROR(CheckScope(**resource, attributes));
  }
  RETURN_IF_ERROR(environment_.authorizer.CheckAllowed(user, attributes));
  if (!attributes.is_resource) return AnswerPath(*origin.http);
  if (origin.direct != nullptr && environment_.audit != nullptr) {
    origin.direct->with_body =
        environment_.audit->LevelFor(*identity.user, attributes) == AuditLevel::kRequestResponse;
  }
  if (resource == nullptr) {
    const bool known = resources->HasGroupVersion(attributes.group, attributes.version);
    return known ? NoSuchResource() : Error(404, "", "404 page not found\n");
  }
  return AnswerResource({request, attributes, user, *resources, *resource, origin.direct});
}

Result<void> ApiHandler::Identify(const Origin& origin, Identity& identity) {
  if (origin.user != nullptr) {
    identity.user = origin.user;
  } else {
    ASSIGN_OR_RETURN(identity.authenticated, environment_.authenticator.Authenticate(*origin.http));
  }
  if (IsAnonymous(*identity.user)) return Error::Unauthorized("Unauthorized");
  if (origin.user != nullptr) return {};
  if (origin.authenticated != nullptr) *origin.authenticated = true;
  ASSIGN_OR_RETURN(std::optional<Impersonation> impersonation,
                   ParseImpersonation(origin.http->headers));
  if (!impersonation) return {};
  for (const RequestAttributes& required : impersonation->required) {
    RETURN_IF_ERROR(environment_.authorizer.CheckAllowed(*identity.user, required));
  }
  identity.impersonated = std::move(impersonation->user);
  return {};
}

void ApiHandler::Audit(const ApiRequest& request, const Identity& identity,
                       Clock::WallTime received, const Result<HttpResponse>& answer) {
  const RequestAttributes& attributes = request.attributes();
  const AuditLevel level = environment_.audit->LevelFor(*identity.user, attributes);
  if (level == AuditLevel::kNone) return;
  const std::string uri = request.Uri();
  const std::string id = environment_.random.Uuid();
  const bool streams = answer.ok() && attributes.verb == "watch";
  std::string answered;
  if (level == AuditLevel::kRequestResponse && !streams) {
    answered = Flatten(answer.ok() ? answer->body : ErrorResponse(answer.error()).body);
  }
  environment_.audit->Write(
      {.level = level,
       .stage = streams ? AuditStage::kResponseStarted : AuditStage::kResponseComplete,
       .id = id,
       .request_uri = uri,
       .request = attributes,
       .user = *identity.user,
       .impersonated_user = identity.impersonated ? &*identity.impersonated : nullptr,
       .source_address = request.SourceAddress(),
       .user_agent = request.UserAgent(),
       .received = received,
       .stage_time = environment_.clock.Now(),
       .code = answer.ok() ? answer->status : answer.error().code(),
       .error = answer.ok() ? nullptr : &answer.error(),
       .request_object = request.Body(),
       .response_object = answered});
}

Result<HttpResponse> ApiHandler::AnswerResource(const ResourceCall& call) {
  const Resource& resource = *call.resource;
  RETURN_IF_ERROR(CheckPath(resource, call.attributes));
  if (IsReview(resource) && call.attributes.verb == "create") {
    return AnswerReview(call);
  }
  Result<HttpResponse> response = environment_.resources.Handle(call);
  if (response.ok() && !resource.deprecation.empty()) {
    response->headers.Add("Warning", WarningHeader(resource.deprecation));
  }
  if (!IsRead(call.attributes.verb) && response.ok()) RETURN_IF_ERROR(RunAfterWrite(call));
  return response;
}

Result<void> ApiHandler::RunAfterWrite(const ResourceCall& call) {
  const auto hook = environment_.after_write.find(call.resource->group);
  return hook == environment_.after_write.end() ? Result<void>() : hook->second(call.resources);
}

Result<HttpResponse> ApiHandler::AnswerReview(const ResourceCall& call) {
  const ApiRequest& request = call.request;
  const UserInfo& user = call.user;
  const Resource& resource = *call.resource;
  ASSIGN_OR_RETURN(const Representation representation,
                   Representation::Of(request, ResponseSubject::kDocument));
  StrictErrors errors;
  const GroupVersionKind kind{resource.group, resource.version, resource.kind};
  ASSIGN_OR_RETURN(const BodyFormat format, request.ReadBodyFormat(false));
  ASSIGN_OR_RETURN(Json review, ParseBody(request.Body(), format, kind, {}, errors));
  RETURN_IF_ERROR(CheckKind(review, kind, false));
  const Result<void> readable = CheckAndPrune(review, resource, errors);
  if (!readable.ok()) return CannotBeHandled(readable.error(), kind.kind, kind.version);
  const auto answer = [&]() -> Result<Json> {
    const std::string& plural = resource.plural;
    if (plural == "tokenreviews") {
      return EvaluateTokenReview(std::move(review), environment_.authenticator);
    }
    if (plural == "selfsubjectreviews") {
      return EvaluateSelfSubjectReview(std::move(review), user, environment_.clock);
    }
    if (plural == "subjectaccessreviews") {
      return EvaluateSubjectAccessReview(std::move(review), environment_.authorizer);
    }
    if (plural == "localsubjectaccessreviews") {
      return EvaluateLocalSubjectAccessReview(std::move(review), call.attributes.namespace_name,
                                              environment_.authorizer);
    }
    if (plural == "selfsubjectaccessreviews") {
      return EvaluateSelfSubjectAccessReview(std::move(review), user, environment_.authorizer);
    }
    return EvaluateSelfSubjectRulesReview(review, user, environment_.authorizer);
  };
  ASSIGN_OR_RETURN(const Json answered, answer());
  return representation.Object(201, resource, SharedBytes(WriteJson(answered)));
}

Result<HttpResponse> ApiHandler::AnswerPath(const HttpRequest& request) {
  const std::string_view path = request.path();
  if (request.method != "GET" && request.method != "HEAD") {
    return MethodNotAllowed();
  }
  if (IsDocumentPath(path)) return environment_.documents.Handle(request);
  if (path == "/metrics") {
    return HttpResponse::Text(200, MetricsRegistry::kContentType, environment_.metrics.Collect());
  }
  if (path == "/.well-known/openid-configuration") {
    return HttpResponse::Text(200, kJson, WriteJson(environment_.tokens.DiscoveryDocument()));
  }
  if (path == "/openid/v1/jwks") {
    return HttpResponse::Text(200, "application/jwk-set+json",
                              WriteJson(environment_.tokens.KeySet()));
  }
  if (path == "/") {
    return HttpResponse::Text(
        200, kJson,
        WriteJson(JsonObject{
            {"paths", JsonArray{"/.well-known/openid-configuration", "/api", "/api/v1", "/apis",
                                "/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3",
                                "/openid/v1/jwks", "/readyz", "/version"}}}));
  }
  return Error(404, "", "404 page not found\n");
}

}  // namespace kubexms
