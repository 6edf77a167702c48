#include "kubexms/api/status.h"

#include <fmt/format.h>

#include <algorithm>

namespace kubexms {
namespace {

void SetUnlessEmpty(JsonObject& object, std::string_view key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

Json DetailsToJson(const ErrorDetails& details) {
  JsonObject json;
  SetUnlessEmpty(json, "name", details.name);
  SetUnlessEmpty(json, "group", details.group);
  SetUnlessEmpty(json, "kind", details.kind);
  SetUnlessEmpty(json, "uid", details.uid);
  if (!details.causes.empty()) {
    JsonArray causes;
    for (const ErrorCause& cause : details.causes) {
      JsonObject item;
      SetUnlessEmpty(item, "reason", cause.reason);
      SetUnlessEmpty(item, "message", cause.message);
      SetUnlessEmpty(item, "field", cause.field);
      causes.push_back(std::move(item));
    }
    json["causes"] = std::move(causes);
  }
  if (details.retry_after) json["retryAfterSeconds"] = details.retry_after->count();
  return json;
}

ErrorDetails DetailsFromJson(const Json& json) {
  ErrorDetails details;
  details.name = FindString(json, "name");
  details.group = FindString(json, "group");
  details.kind = FindString(json, "kind");
  details.uid = FindString(json, "uid");
  const Json* causes = FindMember(json, "causes");
  if (causes != nullptr && causes->is_array()) {
    for (const Json& cause : causes->get_array()) {
      details.causes.push_back({std::string(FindString(cause, "reason")),
                                std::string(FindString(cause, "message")),
                                std::string(FindString(cause, "field"))});
    }
  }
  const Json* retry_after = FindMember(json, "retryAfterSeconds");
  // Zero means that the field is absent.
  if (retry_after != nullptr && retry_after->is_int64() && retry_after->get_int64() > 0) {
    details.retry_after = BoundedRetryAfter(retry_after->get_int64());
  }
  return details;
}

// The reason for an HTTP status, for response bodies that are no Status: those of proxies, and of
// servers for unknown paths.
std::string_view ReasonOf(int code) {
  switch (code) {
    case 400: return "BadRequest";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "NotFound";
    case 405: return "MethodNotAllowed";
    case 406: return "NotAcceptable";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "RequestEntityTooLarge";
    case 415: return "UnsupportedMediaType";
    case 422: return "Invalid";
    case 429: return "TooManyRequests";
    case 500: return "InternalError";
    case 503: return "ServiceUnavailable";
    case 504: return "Timeout";
    default: return "";
  }
}

// Reasons for which Kubernetes always writes details, even empty ones.
bool AlwaysHasDetails(int code) {
  return code == 403 || code == 404 || code == 405 || code == 406 || code == 415 || code == 422;
}

int CodeOf(const Json& status, int fallback) {
  const Json* code = FindMember(status, "code");
  const bool sensible =
      code != nullptr && code->is_int64() && code->get_int64() >= 400 && code->get_int64() < 600;
  return sensible ? static_cast<int>(code->get_int64()) : fallback;
}

}  // namespace

Json StatusOf(const Error& error) {
  JsonObject status{{"apiVersion", "v1"},       {"code", error.code()},
                    {"kind", "Status"},         {"message", error.message()},
                    {"metadata", JsonObject()}, {"status", "Failure"}};
  SetUnlessEmpty(status, "reason", error.reason());
  if (error.details() != ErrorDetails() || AlwaysHasDetails(error.code())) {
    status["details"] = DetailsToJson(error.details());
  }
  return status;
}

Error ErrorFromStatus(int code, std::string_view body) {
  const Result<Json> status = ParseJson(body);
  if (!status.ok() || FindString(*status, "kind") != "Status") {
    std::string text(body.substr(0, 1024));
    if (text.empty()) text = fmt::format("the server answered with code {} and no text", code);
    return {code, ReasonOf(code), std::move(text)};
  }
  const Json* details = FindMember(*status, "details");
  return {CodeOf(*status, code), FindString(*status, "reason"),
          std::string(FindString(*status, "message")),
          details == nullptr ? ErrorDetails() : DetailsFromJson(*details)};
}

std::chrono::seconds BoundedRetryAfter(int64_t seconds) {
  constexpr std::chrono::seconds kHour = std::chrono::hours(1);
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 1, kHour.count()));
}

}  // namespace kubexms
