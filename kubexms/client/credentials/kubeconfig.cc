#include "kubexms/client/credentials/kubeconfig.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "kubexms/api/codec.h"
#include "kubexms/api/schema/type.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/base/small_file.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/net/client/proxy.h"
#include "kubexms/net/http/http.h"

namespace kubexms {
namespace {

constexpr size_t kMaxFileBytes = size_t{16} * 1024 * 1024;

// ---- The file, as it is written ----

struct ExtensionEntry : Struct {
  std::string name;
  RawJson extension;

  static void Describe(Type<ExtensionEntry>& type) {
    type.Field("name", &ExtensionEntry::name);
    type.Field("extension", &ExtensionEntry::extension);
  }
};

struct ClusterFields : Struct {
  std::string server;
  std::string server_name;
  bool insecure = false;
  std::string ca_file;
  std::string ca_data;
  std::string proxy_url;
  std::vector<ExtensionEntry> extensions;

  static void Describe(Type<ClusterFields>& type) {
    type.Field("server", &ClusterFields::server);
    type.Field("tls-server-name", &ClusterFields::server_name);
    type.Field("insecure-skip-tls-verify", &ClusterFields::insecure);
    type.Field("certificate-authority", &ClusterFields::ca_file);
    type.Field("certificate-authority-data", &ClusterFields::ca_data);
    type.Field("proxy-url", &ClusterFields::proxy_url);
    type.Field("extensions", &ClusterFields::extensions);
  }
};

struct EnvironmentEntry : Struct {
  std::string name;
  std::string value;

  static void Describe(Type<EnvironmentEntry>& type) {
    type.Field("name", &EnvironmentEntry::name);
    type.Field("value", &EnvironmentEntry::value);
  }
};

struct ExecFields : Struct {
  std::string api_version;
  std::string command;
  std::vector<std::string> arguments;
  std::vector<EnvironmentEntry> environment;
  std::string install_hint;
  std::string interactive_mode;
  bool provide_cluster_info = false;

  static void Describe(Type<ExecFields>& type) {
    type.Field("apiVersion", &ExecFields::api_version);
    type.Field("command", &ExecFields::command);
    type.Field("args", &ExecFields::arguments);
    type.Field("env", &ExecFields::environment);
    type.Field("installHint", &ExecFields::install_hint);
    type.Field("interactiveMode", &ExecFields::interactive_mode);
    type.Field("provideClusterInfo", &ExecFields::provide_cluster_info);
  }
};

struct UserFields : Struct {
  std::string certificate_file;
  std::string certificate_data;
  std::string key_file;
  std::string key_data;
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  std::string impersonate;
  std::string impersonate_uid;
  std::vector<std::string> impersonate_groups;
  StringKeyed<std::vector<std::string>> impersonate_extra;
  RawJson auth_provider;
  Optional<ExecFields> exec;

  static void Describe(Type<UserFields>& type) {
    type.Field("client-certificate", &UserFields::certificate_file);
    type.Field("client-certificate-data", &UserFields::certificate_data);
    type.Field("client-key", &UserFields::key_file);
    type.Field("client-key-data", &UserFields::key_data);
    type.Field("token", &UserFields::token);
    type.Field("tokenFile", &UserFields::token_file);
    type.Field("username", &UserFields::username);
    type.Field("password", &UserFields::password);
    type.Field("as", &UserFields::impersonate);
    type.Field("as-uid", &UserFields::impersonate_uid);
    type.Field("as-groups", &UserFields::impersonate_groups);
    type.Field("as-user-extra", &UserFields::impersonate_extra);
    type.Field("auth-provider", &UserFields::auth_provider);
    type.Field("exec", &UserFields::exec);
  }
};

struct ContextFields : Struct {
  std::string cluster;
  std::string user;
  std::string namespace_name;

  static void Describe(Type<ContextFields>& type) {
    type.Field("cluster", &ContextFields::cluster);
    type.Field("user", &ContextFields::user);
    type.Field("namespace", &ContextFields::namespace_name);
  }
};

struct ClusterEntry : Struct {
  std::string name;
  ClusterFields fields;

  static void Describe(Type<ClusterEntry>& type) {
    type.Field("name", &ClusterEntry::name);
    type.Field("cluster", &ClusterEntry::fields);
  }
};

struct UserEntry : Struct {
  std::string name;
  UserFields fields;

  static void Describe(Type<UserEntry>& type) {
    type.Field("name", &UserEntry::name);
    type.Field("user", &UserEntry::fields);
  }
};

struct ContextEntry : Struct {
  std::string name;
  ContextFields fields;

  static void Describe(Type<ContextEntry>& type) {
    type.Field("name", &ContextEntry::name);
    type.Field("context", &ContextEntry::fields);
  }
};

struct KubeconfigFields : Struct {
  std::string current_context;
  std::vector<ClusterEntry> clusters;
  std::vector<UserEntry> users;
  std::vector<ContextEntry> contexts;

  static void Describe(Type<KubeconfigFields>& type) {
    type.Field("current-context", &KubeconfigFields::current_context);
    type.Field("clusters", &KubeconfigFields::clusters);
    type.Field("users", &KubeconfigFields::users);
    type.Field("contexts", &KubeconfigFields::contexts);
  }
};

// One file: its fields, and how errors and relative paths refer to it.
struct KubeconfigFile {
  std::string name;
  std::string directory;
  KubeconfigFields fields;
};

Result<KubeconfigFile> ParseFile(std::string_view text, std::string name, std::string directory) {
  KubeconfigFile file{std::move(name), std::move(directory), {}};
  const Result<std::vector<YamlDocument>> documents = ParseYaml(text);
  if (!documents.ok()) return documents.error().WithContext(file.name);
  if (documents->size() > 1) {
    return Error::BadRequest(file.name + ": has several documents: leave one");
  }
  if (documents->empty() || documents->front().value.is_null()) return file;
  Result<KubeconfigFields> fields = FromJson<KubeconfigFields>(documents->front().value);
  if (!fields.ok()) return fields.error().WithContext(file.name);
  file.fields = std::move(*fields);
  return file;
}

// Nothing when there is no such file.
Result<std::optional<KubeconfigFile>> ReadKubeconfig(const std::string& path) {
  ASSIGN_OR_RETURN(const auto text, ReadSmallFile(path, kMaxFileBytes));
  if (!text) return std::optional<KubeconfigFile>();
  const std::string directory = std::filesystem::path(path).parent_path().string();
  ASSIGN_OR_RETURN(KubeconfigFile file, ParseFile(*text, path, directory));
  return std::optional(std::move(file));
}

// ---- What it means ----

// An entry and the file that has it.
template <class Fields>
struct Found {
  const KubeconfigFile* file;
  const Fields* fields;
  std::string field;  // "users[admin].user"

  Error Wrong(std::string_view member, std::string_view what) const {
    return Error::BadRequest(fmt::format("{}: {}.{}: {}", file->name, field, member, what));
  }

  std::string Absolute(const std::string& path) const {
    return std::filesystem::path(path).is_absolute() || file->directory.empty()
               ? path
               : (std::filesystem::path(file->directory) / path).string();
  }

  // The contents that one of two members give, the data before the file, and the file if they are
  // from there.
  Result<void> TakePem(std::string_view member, const std::string& data, const std::string& path,
                       std::string& pem, std::string& pem_file) const {
    if (!data.empty()) {
      Result<std::string> decoded = DecodeBase64(data);
      if (!decoded.ok()) return Wrong(std::string(member) + "-data", "is not base64");
      pem = std::move(*decoded);
      return {};
    }
    if (path.empty()) return {};
    pem_file = Absolute(path);
    ASSIGN_OR_RETURN(auto text, ReadSmallFile(pem_file, kMaxFileBytes));
    if (!text) return Wrong(member, fmt::format("there is no file {}", pem_file));
    if (text->empty()) return Wrong(member, fmt::format("the file {} is empty", pem_file));
    pem = std::move(*text);
    return {};
  }
};

bool IsHeaderValue(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return std::iscntrl(c) != 0; });
}

class Resolver {
 public:
  explicit Resolver(std::vector<KubeconfigFile> files) : files_(std::move(files)) {}

  Result<ClientConfig> Resolve(const std::string& wanted) const {
    ASSIGN_OR_RETURN(const auto context, FindContext(wanted));
    ClientConfig config;
    if (!context.fields->namespace_name.empty())
      config.namespace_name = context.fields->namespace_name;
    const auto cluster =
        Find<ClusterFields>(&KubeconfigFields::clusters, context.fields->cluster, "cluster");
    if (!cluster) {
      return context.Wrong("cluster", Unknown("cluster", context.fields->cluster));
    }
    RETURN_IF_ERROR(TakeCluster(*cluster, config));
    if (context.fields->user.empty()) return config;
    const auto user = Find<UserFields>(&KubeconfigFields::users, context.fields->user, "user");
    if (!user) return context.Wrong("user", Unknown("user", context.fields->user));
    RETURN_IF_ERROR(TakeUser(*user, *cluster, config));
    return config;
  }

 private:
  static std::string Unknown(std::string_view what, const std::string& name) {
    if (name.empty()) return fmt::format("is empty: name one of the {}s", what);
    return fmt::format("there is no {} \"{}\"", what, name);
  }

  template <class Fields, class Entry>
  std::optional<Found<Fields>> Find(std::vector<Entry> KubeconfigFields::*list,
                                    const std::string& name, std::string_view what) const {
    for (const KubeconfigFile& file : files_) {
      for (const Entry& entry : file.fields.*list) {
        if (entry.name != name) continue;
        return Found<Fields>{&file, &entry.fields, fmt::format("{}s[{}].{}", what, name, what)};
      }
    }
    return std::nullopt;
  }

  std::string Files() const {
    std::string names;
    for (const KubeconfigFile& file : files_) names += (names.empty() ? "" : ", ") + file.name;
    return names;
  }

  std::string ContextNames() const {
    std::string names;
    for (const KubeconfigFile& file : files_) {
      for (const ContextEntry& entry : file.fields.contexts) {
        names += (names.empty() ? "" : ", ") + entry.name;
      }
    }
    return names.empty() ? "there are none" : "there are " + names;
  }

  Result<Found<ContextFields>> FindContext(std::string name) const {
    for (const KubeconfigFile& file : files_) {
      if (name.empty()) name = file.fields.current_context;
    }
    if (name.empty()) {
      return Error::BadRequest(
          fmt::format("{}: current-context: is empty: set it, or choose a context; {}", Files(),
                      ContextNames()));
    }
    const auto context = Find<ContextFields>(&KubeconfigFields::contexts, name, "context");
    if (context) return *context;
    return Error::BadRequest(
        fmt::format("{}: contexts: there is no context \"{}\"; {}", Files(), name, ContextNames()));
  }

  static Result<void> TakeCluster(const Found<ClusterFields>& cluster, ClientConfig& config) {
    const ClusterFields& fields = *cluster.fields;
    if (const auto url = Url::Parse(fields.server); !url.ok()) {
      return cluster.Wrong("server", "must be a URL such as https://api.example.com:6443");
    }
    config.server = fields.server;
    config.proxy = Secret(fields.proxy_url);
    if (const auto proxy = Proxy::Parse(config.proxy); !config.proxy.empty() && !proxy.ok()) {
      return cluster.Wrong("proxy-url", proxy.error().message());
    }
    config.server_name = fields.server_name;
    config.insecure_skip_verify = fields.insecure;
    RETURN_IF_ERROR(cluster.TakePem("certificate-authority", fields.ca_data, fields.ca_file,
                                    config.ca_pem, config.ca_file));
    if (fields.insecure && !config.ca_pem.empty()) {
      return cluster.Wrong("insecure-skip-tls-verify",
                           "contradicts certificate-authority: remove one of them");
    }
    return {};
  }

  static Result<void> TakeUser(const Found<UserFields>& user, const Found<ClusterFields>& cluster,
                               ClientConfig& config) {
    const UserFields& fields = *user.fields;
    if (!fields.auth_provider.text.empty()) {
      return user.Wrong("auth-provider", "is not supported: use exec, a token or a certificate");
    }
    RETURN_IF_ERROR(TakeImpersonation(user, config.user.impersonate));
    RETURN_IF_ERROR(TakeCertificate(user, config.user));
    config.user.token = Secret(fields.token);
    if (!fields.token_file.empty()) config.user.token_file = user.Absolute(fields.token_file);
    config.user.username = fields.username;
    config.user.password = Secret(fields.password);
    if (!fields.exec) return {};
    ASSIGN_OR_RETURN(config.user.exec, Plugin(user));
    if (fields.exec->provide_cluster_info) {
      config.user.exec->cluster_json = ClusterJson(config, *cluster.fields);
    }
    return {};
  }

  static Result<void> TakeImpersonation(const Found<UserFields>& user, Impersonation& into) {
    const UserFields& fields = *user.fields;
    into = {.user = fields.impersonate,
            .uid = fields.impersonate_uid,
            .groups = fields.impersonate_groups,
            .extra = fields.impersonate_extra};
    std::vector<std::string> texts = into.groups;
    for (const auto& [key, values] : into.extra) {
      texts.insert(texts.end(), values.begin(), values.end());
    }
    texts.push_back(into.uid);
    const auto given = [](const std::string& text) { return !text.empty(); };
    if (into.user.empty() && std::any_of(texts.begin(), texts.end(), given)) {
      return user.Wrong("as", "is missing for as-uid, as-groups or as-user-extra");
    }
    texts.push_back(into.user);
    if (!std::all_of(texts.begin(), texts.end(), IsHeaderValue)) {
      return user.Wrong("as", "no name, group or extra value may have control characters");
    }
    return {};
  }

  static Result<void> TakeCertificate(const Found<UserFields>& user, UserCredentials& into) {
    const UserFields& fields = *user.fields;
    CertificateAndKey pair;
    RETURN_IF_ERROR(user.TakePem("client-certificate", fields.certificate_data,
                                 fields.certificate_file, pair.certificate_pem,
                                 into.certificate_file));
    RETURN_IF_ERROR(
        user.TakePem("client-key", fields.key_data, fields.key_file, pair.key_pem, into.key_file));
    if (pair.certificate_pem.empty() && pair.key_pem.empty()) return {};
    if (pair.key_pem.empty()) return user.Wrong("client-key", "is missing for client-certificate");
    if (pair.certificate_pem.empty()) {
      return user.Wrong("client-certificate", "is missing for client-key");
    }
    if (const auto checked = CheckKeyMatches(pair); !checked.ok()) {
      return user.Wrong("client-key", "does not belong to client-certificate");
    }
    into.certificate = std::move(pair);
    return {};
  }

  static Result<ExecPlugin> Plugin(const Found<UserFields>& user) {
    const ExecFields& fields = *user.fields->exec;
    constexpr std::array<std::string_view, 2> kVersions = {"client.authentication.k8s.io/v1",
                                                           "client.authentication.k8s.io/v1beta1"};
    if (std::find(kVersions.begin(), kVersions.end(), fields.api_version) == kVersions.end()) {
      return user.Wrong("exec.apiVersion",
                        fmt::format("must be {} or {}", kVersions[0], kVersions[1]));
    }
    if (fields.command.empty()) return user.Wrong("exec.command", "is empty: name a program");
    if (fields.interactive_mode == "Always") {
      return user.Wrong("exec.interactiveMode",
                        "Always is not supported: the program is given no terminal");
    }
    ExecPlugin plugin{.api_version = fields.api_version,
                      .command = fields.command,
                      .arguments = fields.arguments,
                      .install_hint = fields.install_hint};
    if (plugin.command.find('/') != std::string::npos) {
      plugin.command = user.Absolute(plugin.command);
    }
    for (const EnvironmentEntry& entry : fields.environment) {
      plugin.environment.emplace_back(entry.name, entry.value);
    }
    return plugin;
  }

  static std::string ClusterJson(const ClientConfig& config, const ClusterFields& fields) {
    JsonObject cluster{{"server", config.server}};
    if (!config.ca_pem.empty()) cluster["certificate-authority-data"] = EncodeBase64(config.ca_pem);
    if (!config.server_name.empty()) cluster["tls-server-name"] = config.server_name;
    if (config.insecure_skip_verify) cluster["insecure-skip-tls-verify"] = true;
    if (!config.proxy.empty()) cluster["proxy-url"] = config.proxy.Reveal();
    for (const ExtensionEntry& entry : fields.extensions) {
      if (entry.name != "client.authentication.k8s.io/exec" || entry.extension.text.empty())
        continue;
      cluster["config"] = ParseJson(entry.extension.text).value();
    }
    return WriteJson(cluster);
  }

  const std::vector<KubeconfigFile> files_;
};

// The parts of "a:b:c".
std::vector<std::string> SplitPaths(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const size_t end = std::min(list.find(':'), list.size());
    if (end > 0) paths.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return paths;
}

// Those of the files that are there.
Result<std::vector<KubeconfigFile>> ReadFiles(const std::vector<std::string>& paths) {
  std::vector<KubeconfigFile> files;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(auto file, ReadKubeconfig(path));
    if (file) files.push_back(std::move(*file));
  }
  return files;
}

bool SaysNothing(const KubeconfigFile& file) {
  const KubeconfigFields& fields = file.fields;
  return fields.current_context.empty() && fields.clusters.empty() && fields.users.empty() &&
         fields.contexts.empty();
}

// ---- Inside a pod ----

Result<std::string> ReadAccountFile(const std::string& path) {
  ASSIGN_OR_RETURN(auto text, ReadSmallFile(path, kMaxFileBytes));
  if (!text) {
    return Error::BadRequest(
        fmt::format("{}: there is no such file: mount a service account token", path));
  }
  if (text->empty()) return Error::BadRequest(path + ": is empty");
  return std::move(*text);
}

Result<ClientConfig> InClusterConfig(const std::string& host, const std::string& port,
                                     const std::string& directory) {
  ClientConfig config;
  const bool ipv6 = host.find(':') != std::string::npos;
  config.server = fmt::format("https://{}{}{}:{}", ipv6 ? "[" : "", host, ipv6 ? "]" : "", port);
  if (!Url::Parse(config.server).ok()) {
    return Error::BadRequest(
        "$KUBERNETES_SERVICE_HOST and $KUBERNETES_SERVICE_PORT do not name a server");
  }
  config.ca_file = directory + "/ca.crt";
  ASSIGN_OR_RETURN(config.ca_pem, ReadAccountFile(config.ca_file));
  config.user.token_file = directory + "/token";
  RETURN_IF_ERROR(ReadAccountFile(config.user.token_file));
  ASSIGN_OR_RETURN(const auto namespace_name,
                   ReadSmallFile(directory + "/namespace", kMaxFileBytes));
  if (namespace_name && !namespace_name->empty()) {
    config.namespace_name = namespace_name->substr(0, namespace_name->find_last_not_of(" \n") + 1);
  }
  return config;
}

}  // namespace

EnvironmentReader SystemEnvironment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

namespace {

Result<ClientConfig> LoadWithoutEnvironmentsProxy(const LoadOptions& options) {
  const auto variable = [&](const char* name) { return options.environment(name).value_or(""); };
  const std::string listed =
      options.kubeconfig.empty() ? variable("KUBECONFIG") : options.kubeconfig;
  std::vector<std::string> paths = {variable("HOME") + "/.kube/config"};
  if (!listed.empty()) paths = SplitPaths(listed);
  if (!options.kubeconfig.empty()) paths = {options.kubeconfig};
  ASSIGN_OR_RETURN(std::vector<KubeconfigFile> files, ReadFiles(paths));

  const std::string host = variable("KUBERNETES_SERVICE_HOST");
  const std::string port = variable("KUBERNETES_SERVICE_PORT");
  const bool in_pod = !host.empty() && !port.empty();
  const bool chosen = !options.kubeconfig.empty() || !options.context.empty();
  if (in_pod && !chosen && std::all_of(files.begin(), files.end(), SaysNothing)) {
    return InClusterConfig(host, port, options.service_account_directory);
  }
  if (!files.empty()) return Resolver(std::move(files)).Resolve(options.context);
  if (!listed.empty()) return Error::BadRequest(listed + ": there is no such kubeconfig");
  return Error::BadRequest(
      "no server is configured: name a kubeconfig, set $KUBECONFIG, or write ~/.kube/config");
}

}  // namespace

Result<ClientConfig> LoadClientConfig(const LoadOptions& options) {
  ASSIGN_OR_RETURN(ClientConfig config, LoadWithoutEnvironmentsProxy(options));
  if (!config.proxy.empty()) return config;
  ASSIGN_OR_RETURN(const Url url, Url::Parse(config.server));
  config.proxy = ProxyOf(url, options.environment);
  if (config.proxy.empty()) return config;
  if (const auto proxy = Proxy::Parse(config.proxy); !proxy.ok()) {
    return proxy.error().WithContext(url.https ? "$HTTPS_PROXY" : "$HTTP_PROXY");
  }
  return config;
}

Result<ClientConfig> ParseKubeconfig(std::string_view text, const std::string& context,
                                     const std::string& directory) {
  ASSIGN_OR_RETURN(KubeconfigFile file, ParseFile(text, "kubeconfig", directory));
  return Resolver({std::move(file)}).Resolve(context);
}

}  // namespace kubexms
