#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kubexms/apiserver/admission/builtin_admissions.h"
#include "kubexms/apiserver/authentication/store_object_lookup.h"
#include "kubexms/apiserver/bootstrap.h"
#include "kubexms/apiserver/custom_resources/custom_resources.h"
#include "kubexms/apiserver/handlers/api_handler.h"
#include "kubexms/apiserver/handlers/component_statuses.h"
#include "kubexms/apiserver/handlers/resource_handler.h"
#include "kubexms/apiserver/resources/builtin_resources.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/services/service_addresses.h"
#include "kubexms/base/check.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/net/tls/certificates.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

constexpr std::string_view kTokens =
    "admin,root,1,system:masters\n"
    "editor,eve,2,\"editors\"\n";
constexpr std::string_view kDefinition = R"({
  "metadata": {"name": "widgets.example.com", "annotations": {"kubexms.io/record-creator": "true"}},
  "spec": {"group": "example.com", "scope": "Namespaced",
           "names": {"plural": "widgets", "kind": "Widget"},
           "versions": [
             {"name": "v1", "served": true, "storage": true,
              "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                                                       "statusReplicasPath": ".status.replicas"}},
              "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                         "properties": {"replicas": {"type": "integer", "default": 1}}},
                "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}},
             {"name": "v2", "served": true, "storage": false,
              "schema": {"openAPIV3Schema": {"type": "object",
                                             "x-kubernetes-preserve-unknown-fields": true}}}]}})";
constexpr std::string_view kBinding = R"({
  "metadata": {"name": "editors"},
  "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"},
  "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "editors"}]})";

// The whole API over a store in memory: authentication, authorization, admission, custom resources.
// Only the network is missing.
class Api {
 public:
  Api() {
    KUBEXMS_CHECK(
        Bootstrap(
            {.cluster_ip_range = "10.96.0.0/12", .advertise_address = "127.0.0.1", .port = 6443},
            *store_, *registry_.Current(), writer_)
            .ok());
    Must("POST /api/v1/namespaces", R"({"metadata":{"name":"a"}})");
    Must("POST /api/v1/namespaces/a/configmaps", R"({"metadata":{"name":"b"}})");
    Must("POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", kDefinition);
    Must("POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings", kBinding);
    Must("POST /apis/example.com/v1/namespaces/a/widgets", R"({"metadata":{"name":"w"}})");
  }

  // `head` is "METHOD TARGET CONTENT-TYPE", followed by a line "@Name: value" for each further
  // header.
  HttpResponse Handle(std::string_view head, std::string_view body) {
    HttpRequest request = ReadHead(head);
    request.body = body;
    return handler_.Handle(std::move(request));
  }

  // All stored objects can be read, listed, patched, replaced and deleted.
  void CheckStored() {
    const store::ListPage page = store_->List({.prefix = "/registry/"}).value();
    for (const store::RecordPtr& record : page.records) {
      if (record->mod_revision <= checked_ || record->key.starts_with("/registry/kubexms.io/")) {
        continue;
      }
      KUBEXMS_CHECK(CheckSound(*record).ok());
      const Result<Json> object = ParseJson(record->value);
      KUBEXMS_CHECK(object.ok());
      CheckUsable(*object);
    }
    checked_ = page.revision;
  }

 private:
  static HttpRequest ReadHead(std::string_view head) {
    const auto take = [](std::string_view& text, char end) {
      const size_t at = std::min(text.find(end), text.size());
      const std::string_view first = text.substr(0, at);
      text.remove_prefix(std::min(at + 1, text.size()));
      return std::string(first);
    };
    std::string line = take(head, '\n');
    std::string_view words = line;
    HttpRequest request{.method = take(words, ' '), .target = take(words, ' ')};
    request.headers.Add("Content-Type", words);
    while (head.starts_with('@')) {
      line = take(head, '\n');
      const size_t colon = std::min(line.find(':'), line.size());
      request.headers.Add(line.substr(1, std::max<size_t>(colon, 1) - 1),
                          line.substr(std::min(colon + 2, line.size())));
    }
    if (!request.headers.Get("Authorization")) {
      request.headers.Add("Authorization", "Bearer admin");
    }
    return request;
  }

  void Must(std::string_view head, std::string_view body) {
    KUBEXMS_CHECK(Handle(fmt::format("{} application/json", head), body).status == 201);
  }

  // Uses dry-run requests, which change nothing.
  void CheckUsable(const Json& object) {
    const ResourcePtr* resource = nullptr;
    const std::shared_ptr<const ResourceSet> resources = registry_.Current();
    for (const ResourcePtr& one : resources->all()) {
      if (one->kind == FindString(object, "kind") &&
          one->api_version() == FindString(object, "apiVersion")) {
        resource = &one;
      }
    }
    if (resource == nullptr) return;  // its definition was deleted
    const Resource& of = **resource;
    const std::string place =
        fmt::format("/{}/{}{}{}", of.group.empty() ? "api" : "apis", of.api_version(),
                    of.namespaced ? "/namespaces/" : "", NamespaceOf(object));
    const std::string all = fmt::format("{}/{}", place, of.plural);
    const std::string one = fmt::format("{}/{}", all, PercentEncode(NameOf(object)));
    const HttpResponse read = Handle(fmt::format("GET {}", one), "");
    KUBEXMS_CHECK(read.status == 200);
    const std::string text = Flatten(read.body);
    KUBEXMS_CHECK(ParseJson(text).ok());
    for (const std::string_view accept :
         {"application/json", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"}) {
      const HttpResponse list =
          Handle(fmt::format("GET {}?includeObject=Object \n@Accept: {}", all, accept), "");
      KUBEXMS_CHECK(list.status == 200);
      KUBEXMS_CHECK(ParseJsonOrYaml(Flatten(list.body)).ok());
    }
    CheckUsableResponse(Handle(fmt::format("PATCH {}?dryRun=All application/merge-patch+json", one),
                               R"({"metadata":{"annotations":{"fuzz":"1"}}})"));
    CheckUsableResponse(Handle(fmt::format("PUT {}?dryRun=All application/json", one), text));
    CheckUsableResponse(Handle(fmt::format("DELETE {}?dryRun=All application/json", one), ""));
  }

  // Verbs that a kind does not support and forbidden requests are not failures.
  static void CheckUsableResponse(const HttpResponse& response) {
    const int status = response.status;
    KUBEXMS_CHECK((status >= 200 && status < 300) || status == 403 || status == 405);
  }

  std::unique_ptr<store::Store> store_ = store::MakeMemoryStore();
  ManualClock clock_;
  SeededRandom random_{1};
  ServiceAddresses addresses_{ServiceAddresses::Create({}, *store_, random_).value()};
  std::unique_ptr<RbacAuthorizer> authorizer_{RbacAuthorizer::Open(*store_, {}).value()};
  TokenIssuer tokens_{
      TokenIssuer::FromKey(MakePrivateKey().value(), {.clock = &clock_, .random = &random_})
          .value()};
  StoreObjectLookup lookup_{*store_};
  Authenticator authenticator_{{.token_file = TokenFile::Parse(kTokens, random_).value(),
                                .issuer = &tokens_,
                                .objects = &lookup_}};
  // Without the plugin that waits for service accounts.
  AdmissionChain admissions_{
      BuiltinAdmissions({*store_, *authorizer_, clock_, random_}, {"ServiceAccount"}).value()};
  ResourceRegistry registry_{BuiltinResources()};
  ObjectReader reader_{*store_};
  ObjectWriter writer_{{*store_, clock_, random_, admissions_, {&addresses_}}};
  CustomResources custom_resources_{
      *store_,
      registry_,
      writer_,
      *registry_.Current()->Find("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
      clock_,
      {}};
  WakeTimer timer_;
  OpenWatches watches_;
  const ComponentStatuses components_{{}};
  ResourceHandler resources_{{*store_, reader_, writer_, timer_, watches_, random_, clock_, tokens_,
                              components_, *authorizer_}};
  Documents documents_{registry_, "fuzz"};
  MetricsRegistry metrics_;
  ApiHandler handler_{
      {.registry = registry_,
       .resources = resources_,
       .authenticator = authenticator_,
       .authorizer = *authorizer_,
       .tokens = tokens_,
       .documents = documents_,
       .metrics = metrics_,
       .clock = clock_,
       .audit = nullptr,
       .random = random_,
       .after_write = {{"apiextensions.k8s.io",
                        [this](const ResourceSet&) { return custom_resources_.Sync(); }}}},
      {}};
  uint64_t checked_ = 0;
};

}  // namespace
}  // namespace kubexms

// The first line is "METHOD TARGET CONTENT-TYPE", then headers as "@Name: value", then the body.
// The server must answer every input, and stored objects must remain usable.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  while (text.substr(line + 1).starts_with('@')) {
    line = text.find('\n', line + 1);
    if (line == std::string_view::npos) return 0;
  }
  static auto api = std::make_unique<kubexms::Api>();
  static int calls = 0;
  if (++calls % 1000 == 0) api = std::make_unique<kubexms::Api>();
  const int status = api->Handle(text.substr(0, line), text.substr(line + 1)).status;
  KUBEXMS_CHECK(status >= 200 && status < 600);
  api->CheckStored();
  return 0;
}
