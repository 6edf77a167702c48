#include "kubexms/platform/user_kubeconfig.h"

#include <fmt/format.h>

#include "kubexms/base/json/json.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/client/credentials/kubeconfig.h"
#include "kubexms/platform/names.h"

namespace kubexms::platform {
namespace {

constexpr const char* kCluster = "sealos";

Error InvalidToken(std::string_view why) {
  return Error::BadRequest(fmt::format("invalid ServiceAccount token: {}", why));
}

std::chrono::sys_seconds SecondsOf(const Json& claims, std::string_view name) {
  const Json* value = FindMember(claims, name);
  if (value == nullptr || !value->is_number()) return {};
  return std::chrono::sys_seconds(std::chrono::seconds(value->to_number<int64_t>()));
}

std::string SecretUid(const Json& claims) {
  const Json* value = FindMember(claims, "kubernetes.io");
  for (const std::string_view member : {"secret", "uid"}) {
    if (value != nullptr) value = FindMember(*value, member);
  }
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

}  // namespace

std::string UserKubeconfig(std::string_view user, const ServerAddress& server,
                           std::string_view token) {
  const std::string context = fmt::format("{}@{}", user, kCluster);
  JsonObject cluster{{"server", server.url}};
  if (!server.authority_pem.empty()) {
    cluster["certificate-authority-data"] = EncodeBase64(server.authority_pem);
  }
  return WriteYaml(JsonObject{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", JsonArray{JsonObject{{"name", kCluster}, {"cluster", std::move(cluster)}}}},
      {"users", JsonArray{JsonObject{{"name", user}, {"user", JsonObject{{"token", token}}}}}},
      {"contexts", JsonArray{JsonObject{{"name", context},
                                        {"context", JsonObject{{"cluster", kCluster},
                                                               {"namespace", WorkspaceOf(user)},
                                                               {"user", user}}}}}},
      {"current-context", context}});
}

Result<TokenClaims> ReadToken(std::string_view token) {
  const size_t begin = token.find('.');
  const size_t end = begin == std::string_view::npos ? begin : token.find('.', begin + 1);
  if (end == std::string_view::npos) return InvalidToken("not a JSON Web Token");
  ASSIGN_OR_RETURN(const std::string payload,
                   DecodeBase64(token.substr(begin + 1, end - begin - 1), Base64Form::kUrl));
  ASSIGN_OR_RETURN(const Json claims, ParseJson(payload));
  TokenClaims result{.token = std::string(token),
                     .issued = SecondsOf(claims, "iat"),
                     .expires = SecondsOf(claims, "exp"),
                     .secret_uid = SecretUid(claims)};
  if (result.expires == std::chrono::sys_seconds()) return InvalidToken("the claim exp is missing");
  return result;
}

std::optional<TokenClaims> TokenIn(std::string_view kubeconfig) {
  if (kubeconfig.empty()) return std::nullopt;
  const Result<ClientConfig> config = ParseKubeconfig(kubeconfig);
  if (!config.ok()) return std::nullopt;
  const Result<TokenClaims> result = ReadToken(config->user.token.Reveal());
  if (!result.ok()) return std::nullopt;
  return *result;
}

}  // namespace kubexms::platform
