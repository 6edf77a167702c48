#include "tests/api/kubeconfig.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "kubexms/base/json/yaml.h"
#include "kubexms/base/text/base64.h"

namespace kubexms::transcripts {
namespace {

// `section` of the entry called `name` in `list`: users[name=…].user.
Result<const Json*> FindEntry(const Json& config, std::string_view list, std::string_view section,
                              std::string_view name) {
  const Json* entries = FindMember(config, list);
  if (entries != nullptr && entries->is_array()) {
    for (const Json& entry : entries->get_array()) {
      const Json* found = FindMember(entry, section);
      if (found != nullptr && FindString(entry, "name") == name) return found;
    }
  }
  return Error::BadRequest(fmt::format("the kubeconfig has no {} called \"{}\"", section, name));
}

Result<std::string> ReadFile(std::string_view path) {
  std::ifstream file{std::string(path), std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Error::BadRequest(fmt::format("cannot read {}", path));
  return std::move(text).str();
}

// The value of "FIELD-data", decoded, or the contents of the file that FIELD names.
Result<std::string> DataOrFile(const Json& entry, const std::string& field) {
  if (const auto data = FindString(entry, field + "-data"); !data.empty()) {
    return DecodeBase64(data);
  }
  const std::string_view path = FindString(entry, field);
  return path.empty() ? Result<std::string>(std::string()) : ReadFile(path);
}

Result<std::string> Token(const Json& user) {
  if (const auto token = FindString(user, "token"); !token.empty()) return std::string(token);
  const std::string_view path = FindString(user, "tokenFile");
  if (path.empty()) return std::string();
  ASSIGN_OR_RETURN(std::string token, ReadFile(path));
  token.erase(token.find_last_not_of(" \n") + 1);
  return token;
}

}  // namespace

Result<HttpClientOptions> ReadKubeconfig(std::string_view text) {
  ASSIGN_OR_RETURN(const Json config, ParseJsonOrYaml(text));
  ASSIGN_OR_RETURN(const Json* context,
                   FindEntry(config, "contexts", "context", FindString(config, "current-context")));
  ASSIGN_OR_RETURN(const Json* cluster,
                   FindEntry(config, "clusters", "cluster", FindString(*context, "cluster")));
  ASSIGN_OR_RETURN(const Json* user,
                   FindEntry(config, "users", "user", FindString(*context, "user")));

  HttpClientOptions options{.server = std::string(FindString(*cluster, "server"))};
  ASSIGN_OR_RETURN(options.ca_pem, DataOrFile(*cluster, "certificate-authority"));
  options.server_name = FindString(*cluster, "tls-server-name");
  const Json* insecure = FindMember(*cluster, "insecure-skip-tls-verify");
  options.insecure_skip_verify = insecure != nullptr && *insecure == Json(true);

  ASSIGN_OR_RETURN(const std::string certificate, DataOrFile(*user, "client-certificate"));
  ASSIGN_OR_RETURN(const std::string key, DataOrFile(*user, "client-key"));
  if (!certificate.empty()) {
    options.client_certificate = [pair = CertificateAndKey{certificate, key}] { return pair; };
  }
  ASSIGN_OR_RETURN(std::string token, Token(*user));
  if (!token.empty()) options.bearer_token = [token] { return token; };
  return options;
}

HttpClientOptions WithoutCredentials(HttpClientOptions options) {
  options.client_certificate = nullptr;
  options.bearer_token = nullptr;
  return options;
}

}  // namespace kubexms::transcripts
