#include "kubexms/apiserver/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <system_error>
#include <thread>

#include "kubexms/apiserver/admission/builtin_admissions.h"
#include "kubexms/apiserver/authentication/server_credentials.h"
#include "kubexms/apiserver/authentication/store_object_lookup.h"
#include "kubexms/apiserver/bootstrap.h"
#include "kubexms/apiserver/custom_resources/custom_resources.h"
#include "kubexms/apiserver/event_expiry.h"
#include "kubexms/apiserver/handlers/api_handler.h"
#include "kubexms/apiserver/handlers/flow_schemas.h"
#include "kubexms/apiserver/local_client.h"
#include "kubexms/apiserver/resources/builtin_resources.h"
#include "kubexms/apiserver/role_aggregation.h"
#include "kubexms/apiserver/services/service_addresses.h"
#include "kubexms/base/random.h"
#include "kubexms/net/http/http.h"
#include "kubexms/net/server/server.h"
#include "kubexms/store/compactor.h"
#include "kubexms/store/memory_store.h"
#include "kubexms/store/rocksdb_store.h"

namespace kubexms {
namespace {

Result<std::unique_ptr<store::Store>> OpenStore(const ApiServerOptions& options) {
  if (options.store == "memory") return store::MakeMemoryStore();
  if (options.store == "rocksdb") {
    return store::OpenRocksDbStore({.directory = ApiServer::StoreDirectory(options.data_directory),
                                    .log = options.log.Named("store")});
  }
  if (options.store == "etcd" && options.etcd) return store::OpenEtcdStore(*options.etcd);
  return Error::BadRequest(fmt::format(
      "the store must be rocksdb, memory or etcd://HOST:PORT, not \"{}\"", options.store));
}

// An existing directory keeps its mode.
Result<void> CreateDataDirectory(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_new = !fs::exists(path, error);
  if (!error) fs::create_directories(path, error);
  if (!error && is_new) fs::permissions(path, fs::perms::owner_all, error);
  if (!error) return {};
  return Error::Internal(
      fmt::format("cannot create the data directory {}: {}", path.string(), error.message()));
}

// All requests but reads, at level Metadata.
Json DefaultAuditPolicy() {
  return JsonObject{{"apiVersion", "audit.k8s.io/v1"},
                    {"kind", "Policy"},
                    {"rules", JsonArray{JsonObject{{"level", "None"},
                                                   {"verbs", JsonArray{"get", "list", "watch"}}}}}};
}

// Null when the options disable the API audit log.
Result<std::unique_ptr<AuditLog>> OpenAuditLog(const ApiServerOptions& options) {
  if (options.audit_log == "-") return std::unique_ptr<AuditLog>();
  const Json policy = options.audit_policy.is_null() ? DefaultAuditPolicy() : options.audit_policy;
  AuditLog::Options audit{
      .path = options.audit_log.empty() ? options.data_directory + "/audit.log" : options.audit_log,
      .logger = options.log.Named("audit")};
  ASSIGN_OR_RETURN(audit.policy, AuditPolicy::Parse(policy));
  return AuditLog::Open(std::move(audit));
}

// The address for clients on this machine. A server that listens on all IPv6 addresses listens on
// all IPv4 addresses, too.
std::string ReachableAddress(const std::string& bind_address) {
  return bind_address == "0.0.0.0" || bind_address == "::" ? "127.0.0.1" : bind_address;
}

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : std::string();
}

// The canonical text of an IP address, as in certificates; nothing for other names.
std::optional<std::string> CanonicalIp(const std::string& name) {
  for (const int family : {AF_INET, AF_INET6}) {
    unsigned char address[sizeof(in6_addr)];
    char text[INET6_ADDRSTRLEN] = "";
    if (inet_pton(family, name.c_str(), address) != 1) continue;
    return inet_ntop(family, address, text, sizeof(text));
  }
  return std::nullopt;
}

CredentialOptions CredentialsFor(const ApiServerOptions& options) {
  CredentialOptions wanted{
      .directory = options.data_directory + "/pki",
      .dns_names = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
                    "kubernetes.default.svc.cluster.local"},
      .ip_addresses = {"127.0.0.1", "::1", FirstClusterIp(options.addresses.cluster_ip_range)}};
  std::vector<std::string> names = options.names;
  names.push_back(ReachableAddress(options.bind_address));
  if (const std::string host = HostName(); !host.empty()) names.push_back(host);
  for (const std::string& name : names) {
    const std::optional<std::string> ip = CanonicalIp(name);
    std::vector<std::string>& list = ip ? wanted.ip_addresses : wanted.dns_names;
    const std::string& text = ip ? *ip : name;
    if (std::ranges::find(list, text) == list.end()) list.push_back(text);
  }
  return wanted;
}

// A built-in resource in version v1.
const ResourcePtr& FindResource(const ResourceSet& resources, std::string_view group,
                                std::string_view plural) {
  const ResourcePtr* found = resources.Find(group, "v1", plural);
  KUBEXMS_CHECK(found != nullptr);
  return *found;
}

}  // namespace

// The parts, in the order in which they depend on each other.
class ApiServer::Impl {
 public:
  static Result<std::unique_ptr<Impl>> Create(ApiServerOptions options);

  void Run(std::stop_token stop);
  std::unique_ptr<Client> NewClient(UserInfo user, std::string user_agent) {
    return std::make_unique<LocalClient>(handler_, std::move(user), std::move(user_agent));
  }
  Result<void> CompactNow();
  void DropWatches() { watches_.DropAll(); }

  uint16_t port() const { return http_->port(); }
  std::string url() const { return "https://" + address(); }
  const std::string& authority_pem() const { return credentials_.authority_pem; }
  const std::string& kubeconfig() const { return kubeconfig_; }
  const std::string& kubeconfig_path() const { return kubeconfig_path_; }

 private:
  Impl(ApiServerOptions options, std::unique_ptr<store::Store> store, ServiceAddresses addresses,
       std::unique_ptr<RbacAuthorizer> authorizer, TokenIssuer tokens, TokenFile token_file,
       std::unique_ptr<AuditLog> audit, AdmissionChain admissions);

  // "127.0.0.1:6443", "[::1]:6443".
  std::string address() const {
    return Url{.host = ReachableAddress(options_.bind_address), .port = port()}.Authority();
  }
  Result<void> Listen();
  Result<void> WriteKubeconfig();
  std::map<std::string, AfterWriteHook, std::less<>> AfterWriteHooks();
  std::vector<HealthCheck> Components();
  std::vector<HealthCheck> Checks();

  const ApiServerOptions options_;
  SystemClock system_clock_;
  Clock& clock_;
  SystemRandom random_;
  MetricsRegistry own_metrics_;
  ServerCredentials credentials_;
  std::unique_ptr<store::Store> store_;
  ServiceAddresses addresses_;
  std::unique_ptr<RbacAuthorizer> authorizer_;
  std::unique_ptr<AuditLog> audit_;
  TokenIssuer tokens_;
  StoreObjectLookup lookup_;
  Authenticator authenticator_;
  AdmissionChain admissions_;
  ResourceRegistry registry_;
  ObjectReader reader_;
  ObjectWriter writer_;
  CustomResources custom_resources_;
  WakeTimer timer_;
  OpenWatches watches_;
  const ComponentStatuses components_;
  ResourceHandler resource_handler_;
  Documents documents_;
  ApiHandler handler_;
  std::unique_ptr<HttpServer> http_;
  std::string kubeconfig_;
  std::string kubeconfig_path_;
  std::atomic<bool> stopping_ = false;
};

Result<std::unique_ptr<ApiServer::Impl>> ApiServer::Impl::Create(ApiServerOptions options) {
  static SystemClock system_clock;
  static SystemRandom random;
  RETURN_IF_ERROR(CreateDataDirectory(options.data_directory));
  // The store comes first: a second server on this directory fails to lock it, and changes nothing.
  ASSIGN_OR_RETURN(std::unique_ptr<store::Store> store, OpenStore(options));
  ASSIGN_OR_RETURN(ServiceAddresses addresses,
                   ServiceAddresses::Create(options.addresses, *store, random));
  ASSIGN_OR_RETURN(ServerCredentials credentials,
                   LoadOrCreateCredentials(CredentialsFor(options), system_clock.Now()));
  ASSIGN_OR_RETURN(auto authorizer,
                   RbacAuthorizer::Open(*store, options.log.Named("authorization")));
  ASSIGN_OR_RETURN(TokenIssuer tokens,
                   TokenIssuer::Open(options.data_directory + "/pki/service-account.key",
                                     {.max_lifetime = options.max_token_lifetime,
                                      .clock = options.clock ? options.clock : &system_clock,
                                      .random = &random}));
  TokenFile token_file;
  if (!options.token_file.empty()) {
    ASSIGN_OR_RETURN(token_file, TokenFile::Load(options.token_file, random));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<AuditLog> audit, OpenAuditLog(options));
  ASSIGN_OR_RETURN(AdmissionChain admissions,
                   BuiltinAdmissions({*store, *authorizer, system_clock, random},
                                     options.disabled_admission_plugins));
  std::unique_ptr<Impl> impl(
      new Impl(std::move(options), std::move(store), std::move(addresses), std::move(authorizer),
               std::move(tokens), std::move(token_file), std::move(audit), std::move(admissions)));
  impl->credentials_ = std::move(credentials);
  RETURN_IF_ERROR(impl->Listen());
  return impl;
}

ApiServer::Impl::Impl(ApiServerOptions options, std::unique_ptr<store::Store> store,
                      ServiceAddresses addresses, std::unique_ptr<RbacAuthorizer> authorizer,
                      TokenIssuer tokens, TokenFile token_file, std::unique_ptr<AuditLog> audit,
                      AdmissionChain admissions)
    : options_(std::move(options)),
      clock_(options_.clock == nullptr ? system_clock_ : *options_.clock),
      store_(std::move(store)),
      addresses_(std::move(addresses)),
      authorizer_(std::move(authorizer)),
      audit_(std::move(audit)),
      tokens_(std::move(tokens)),
      lookup_(*store_),
      authenticator_(
          {.token_file = std::move(token_file), .issuer = &tokens_, .objects = &lookup_}),
      admissions_(std::move(admissions)),
      registry_(BuiltinResources()),
      reader_(*store_, options_.log.Named("objects")),
      writer_(
          {*store_, clock_, random_, admissions_, {&addresses_}, options_.log.Named("objects")}),
      custom_resources_(
          *store_, registry_, writer_,
          FindResource(*registry_.Current(), "apiextensions.k8s.io", "customresourcedefinitions"),
          clock_, options_.log.Named("customresources")),
      components_(Components()),
      resource_handler_({*store_, reader_, writer_, timer_, watches_, random_, clock_, tokens_,
                         components_, *authorizer_}),
      documents_(registry_, KUBEXMS_VERSION),
      handler_({.registry = registry_,
                .resources = resource_handler_,
                .authenticator = authenticator_,
                .authorizer = *authorizer_,
                .tokens = tokens_,
                .documents = documents_,
                .metrics = options_.metrics == nullptr ? own_metrics_ : *options_.metrics,
                .clock = clock_,
                .audit = audit_.get(),
                .random = random_,
                .store_is_local = options_.store != "etcd",
                .after_write = AfterWriteHooks()},
               Checks()) {}

Result<void> ApiServer::Impl::Listen() {
  ASSIGN_OR_RETURN(http_,
                   HttpServer::Create({.bind_address = options_.bind_address,
                                       .port = options_.port,
                                       .tls = {{.certificate = credentials_.server,
                                                .client_ca_pem = credentials_.authority_pem}},
                                       .limits = options_.limits,
                                       .max_in_flight = options_.max_in_flight,
                                       .io_threads = options_.io_threads,
                                       .workers = options_.workers,
                                       .error_response = ErrorResponse},
                                      handler_));
  documents_.SetServerAddress(address());
  RETURN_IF_ERROR(Bootstrap({.cluster_ip_range = options_.addresses.cluster_ip_range,
                             .advertise_address = ReachableAddress(options_.bind_address),
                             .port = port(),
                             .client_authority_pem = credentials_.authority_pem},
                            *store_, *registry_.Current(), writer_, options_.log));
  RETURN_IF_ERROR(custom_resources_.Sync());
  RETURN_IF_ERROR(AggregateRoles(*store_, writer_,
                                 *FindResource(*registry_.Current(), kRbacGroup, "clusterroles"),
                                 options_.log));
  return WriteKubeconfig();
}

Result<void> ApiServer::Impl::WriteKubeconfig() {
  kubeconfig_ = MakeKubeconfig(credentials_, url());
  kubeconfig_path_ = options_.kubeconfig_path.empty()
                         ? options_.data_directory + "/admin.kubeconfig"
                         : options_.kubeconfig_path;
  RemoveTemporaryFiles(kubeconfig_path_);
  return WritePrivateFile(kubeconfig_path_, kubeconfig_);
}

std::map<std::string, AfterWriteHook, std::less<>> ApiServer::Impl::AfterWriteHooks() {
  return {{"apiextensions.k8s.io", [this](const ResourceSet&) { return custom_resources_.Sync(); }},
          {std::string(kFlowControlGroup), [this](const ResourceSet& resources) -> Result<void> {
             // The write is committed: a condition that cannot be updated is no failure of it.
             (void)MarkDanglingFlowSchemas(resources, *store_, writer_, Time::Now(clock_));
             return {};
           }}};
}

std::vector<HealthCheck> ApiServer::Impl::Components() {
  std::vector<HealthCheck> components = options_.components;
  components.push_back({.name = "etcd-0", .check = [this] { return store_->CheckWritable(); }});
  return components;
}

std::vector<HealthCheck> ApiServer::Impl::Checks() {
  std::vector<HealthCheck> checks = {
      {.name = "ping", .check = [] { return Result<void>(); }},
      {.name = "etcd",
       .check = [this]() -> Result<void> {
         const Result<uint64_t> revision = store_->CurrentRevision();
         return revision.ok() ? Result<void>() : Result<void>(revision.error());
       }},
      {.name = "storage", .check = [this] { return store_->CheckWritable(); }, .live = false},
      {.name = "shutdown",
       .check = [this]() -> Result<void> {
         if (stopping_) return Error::ServiceUnavailable("the server is stopping");
         return {};
       },
       .live = false}};
  for (const HealthCheck& check : options_.health_checks) checks.push_back(check);
  return checks;
}

void ApiServer::Impl::Run(std::stop_token stop) {
  const std::stop_callback on_stop(stop, [this] { stopping_ = true; });
  store::Compactor compactor(store_.get(), &system_clock_, {}, [this](const Error& error) {
    options_.log.Warn("compaction failed; retrying", {{"error", error.message()}});
  });
  EventExpiry expiry(*store_, clock_, options_.event_lifetime, options_.log.Named("events"));
  std::jthread timer([this](std::stop_token token) { timer_.Run(std::move(token)); });
  std::jthread custom([this](std::stop_token token) { custom_resources_.Run(std::move(token)); });
  std::jthread compaction([&](std::stop_token token) { compactor.Run(std::move(token)); });
  std::jthread events([&](std::stop_token token) { expiry.Run(std::move(token)); });
  std::jthread renewal([this](const std::stop_token& token) {
    const auto use = [this](const ServerCredentials& credentials) -> Result<void> {
      RETURN_IF_ERROR(http_->ReplaceCertificate(credentials.server));
      return WritePrivateFile(kubeconfig_path_, MakeKubeconfig(credentials, url()));
    };
    RenewCredentials(CredentialsFor(options_), credentials_, system_clock_,
                     options_.log.Named("certificates"), use, token);
  });
  http_->Run(std::move(stop));
}

Result<void> ApiServer::Impl::CompactNow() {
  // A new commit, so that even the newest resourceVersion known to clients is compacted.
  ASSIGN_OR_RETURN(const store::CommitResult commit,
                   store_->Commit(store::Transaction().Put("/kubexms/compacted", "")));
  return store_->Compact(commit.revision);
}

ApiServer::ApiServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiServer::~ApiServer() = default;

Result<std::unique_ptr<ApiServer>> ApiServer::Create(ApiServerOptions options) {
  ASSIGN_OR_RETURN(std::unique_ptr<Impl> impl, Impl::Create(std::move(options)));
  return std::unique_ptr<ApiServer>(new ApiServer(std::move(impl)));
}

void ApiServer::Run(std::stop_token stop) { impl_->Run(std::move(stop)); }
std::unique_ptr<Client> ApiServer::NewClient(UserInfo user, std::string user_agent) {
  return impl_->NewClient(std::move(user), std::move(user_agent));
}
Result<void> ApiServer::CompactNow() { return impl_->CompactNow(); }
void ApiServer::DropWatches() { impl_->DropWatches(); }
uint16_t ApiServer::port() const { return impl_->port(); }
std::string ApiServer::url() const { return impl_->url(); }
const std::string& ApiServer::authority_pem() const { return impl_->authority_pem(); }
const std::string& ApiServer::kubeconfig() const { return impl_->kubeconfig(); }
const std::string& ApiServer::kubeconfig_path() const { return impl_->kubeconfig_path(); }

}  // namespace kubexms
