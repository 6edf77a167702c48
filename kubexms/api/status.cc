#include "kubexms/api/status.h"

#include <fmt/format.h>

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
  if (retry_after != nullptr && retry_after->is_int64()) {
    details.retry_after = std::chrono::seconds(retry_after->get_int64());
  }
  return details;
}

}  // namespace

Json StatusOf(const Error& error) {
  JsonObject status{{"apiVersion", "v1"},       {"code", error.code()},
                    {"kind", "Status"},         {"message", error.message()},
                    {"metadata", JsonObject()}, {"status", "Failure"}};
  SetUnlessEmpty(status, "reason", error.reason());
  if (error.details() != ErrorDetails()) status["details"] = DetailsToJson(error.details());
  return status;
}

Error ErrorFromStatus(int code, std::string_view body) {
  const Result<Json> status = ParseJson(body);
  if (!status.ok() || FindString(*status, "kind") != "Status") {
    std::string text(body.substr(0, 1024));
    if (text.empty()) text = fmt::format("the server answered with code {} and no text", code);
    return {code, "", std::move(text)};
  }
  const Json* details = FindMember(*status, "details");
  return {code, FindString(*status, "reason"), std::string(FindString(*status, "message")),
          details == nullptr ? ErrorDetails() : DetailsFromJson(*details)};
}

}  // namespace kubexms
