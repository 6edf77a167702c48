#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kubexms/apiserver/authorization/rbac.h"
#include "kubexms/apiserver/bootstrap.h"
#include "kubexms/apiserver/custom_resources/custom_resources.h"
#include "kubexms/apiserver/handlers/component_statuses.h"
#include "kubexms/apiserver/handlers/resource_handler.h"
#include "kubexms/apiserver/resources/builtin_resources.h"
#include "kubexms/apiserver/role_aggregation.h"
#include "kubexms/apiserver/services/service_addresses.h"
#include "kubexms/base/check.h"
#include "kubexms/net/tls/certificates.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

// Kinds that the server itself reads, and one that it does not.
struct StoredRecord {
  std::string_view key;
  std::string_view path;
};
constexpr StoredRecord kStoredRecords[] = {
    {"/registry/core/configmaps/default/x", "/api/v1/namespaces/default/configmaps/x"},
    {"/registry/core/endpoints/default/kubernetes",
     "/api/v1/namespaces/default/endpoints/kubernetes"},
    {"/registry/core/services/default/x", "/api/v1/namespaces/default/services/x"},
    {"/registry/rbac.authorization.k8s.io/clusterroles/edit",
     "/apis/rbac.authorization.k8s.io/v1/clusterroles/edit"},
    {"/registry/rbac.authorization.k8s.io/clusterrolebindings/x",
     "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/x"},
    {"/registry/apiextensions.k8s.io/customresourcedefinitions/x.example.com",
     "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x.example.com"},
};

// A server must start on a store with such a record, and the record can be deleted.
void StartServerWith(const StoredRecord& record, std::string_view value) {
  const std::unique_ptr<store::Store> store = store::MakeMemoryStore();
  KUBEXMS_CHECK(
      store->Commit(store::Transaction().Put(std::string(record.key), std::string(value))).ok());
  static ManualClock clock;
  static SeededRandom random{1};
  static TokenIssuer tokens =
      TokenIssuer::FromKey(MakePrivateKey().value(), {.clock = &clock, .random = &random}).value();
  AdmissionChain admissions;
  ServiceAddresses addresses(ServiceAddresses::Create({}, *store, random).value());
  ResourceRegistry registry{BuiltinResources()};
  ObjectReader reader(*store);
  ObjectWriter writer{{*store, clock, random, admissions, {&addresses}}};
  const std::unique_ptr<RbacAuthorizer> authorizer = RbacAuthorizer::Open(*store, {}).value();
  const std::shared_ptr<const ResourceSet> builtin = registry.Current();
  KUBEXMS_CHECK(
      Bootstrap(
          {.cluster_ip_range = "10.96.0.0/12", .advertise_address = "127.0.0.1", .port = 6443},
          *store, *builtin, writer)
          .ok());
  CustomResources custom(*store, registry, writer,
                         *builtin->Find("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
                         clock, {});
  KUBEXMS_CHECK(custom.Sync().ok());
  KUBEXMS_CHECK(
      AggregateRoles(*store, writer, **builtin->Find(kRbacGroup, "v1", "clusterroles")).ok());

  WakeTimer timer;
  OpenWatches watches;
  const ComponentStatuses components{{}};
  ResourceHandler handler{
      {*store, reader, writer, timer, watches, random, clock, tokens, components, *authorizer}};
  const UserInfo user{.name = "root", .groups = {"system:masters"}};
  const auto answer = [&](std::string method, std::string_view path) {
    HttpRequest request{.method = std::move(method), .target = std::string(path)};
    const RequestAttributes attributes = ReadAttributes(request, {}).value();
    const ResourcePtr* resource =
        builtin->Find(attributes.group, attributes.version, attributes.resource);
    const HttpApiRequest api_request(request, {}, attributes);
    return handler.Handle({api_request, attributes, user, *builtin, *resource});
  };
  // Of duplicate keys, readers use the last one.
  std::vector<std::string> duplicates;
  const auto is_json = [&](const HttpResponse& response) {
    return ParseJson(Flatten(response.body), {.duplicates = &duplicates}).ok();
  };
  const std::string_view all = record.path.substr(0, record.path.rfind('/'));
  const Result<HttpResponse> list = answer("GET", all);
  KUBEXMS_CHECK(list.ok() && is_json(*list));
  const Result<HttpResponse> read = answer("GET", record.path);
  if (read.ok()) KUBEXMS_CHECK(is_json(*read));
  const Result<HttpResponse> deleted = answer("DELETE", record.path);
  KUBEXMS_CHECK(deleted.ok() || deleted.error().IsNotFound());
}

}  // namespace
}  // namespace kubexms

// The first byte selects the key, the rest is the stored value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view value(reinterpret_cast<const char*>(data) + 1, size - 1);
  kubexms::StartServerWith(kubexms::kStoredRecords[data[0] % std::size(kubexms::kStoredRecords)],
                           value);
  return 0;
}
