#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kubexms/apiserver/builtin_resources.h"
#include "kubexms/apiserver/component_statuses.h"
#include "kubexms/apiserver/resource_handler.h"
#include "kubexms/apiserver/service_addresses.h"
#include "kubexms/base/check.h"
#include "kubexms/net/certificates.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

// An API over a store in memory, without the network, authentication and authorization around it.
struct Api {
  Api()
      : addresses(ServiceAddresses::Create({}, *store, random).value()),
        tokens(TokenIssuer::FromKey(MakePrivateKey().value(), {.clock = &clock, .random = &random})
                   .value()) {
    KUBEXMS_CHECK(Answer("POST /api/v1/namespaces", R"({"metadata":{"name":"a"}})") == 201);
    KUBEXMS_CHECK(Answer("POST /api/v1/namespaces/a/configmaps", R"({"metadata":{"name":"b"}})") ==
                  201);
  }

  // The status of the answer. `head` is "METHOD TARGET CONTENT-TYPE".
  int Answer(std::string_view head, std::string_view body) {
    const auto word = [&head] {
      const size_t space = head.find(' ');
      const std::string_view first = head.substr(0, space);
      head = space == std::string_view::npos ? std::string_view() : head.substr(space + 1);
      return std::string(first);
    };
    HttpRequest request{.method = word(), .target = word()};
    request.headers.Add("Content-Type", word());
    request.body = body;
    const Result<QueryParameters> query = QueryParameters::Parse(request.query());
    if (!query.ok()) return query.error().code();
    const Result<RequestAttributes> attributes = ReadAttributes(request, *query);
    if (!attributes.ok()) return attributes.error().code();
    const ResourcePtr* resource =
        resources.Find(attributes->group, attributes->version, attributes->resource);
    if (!attributes->is_resource || resource == nullptr) return 404;
    const Result<HttpResponse> response =
        handler.Handle({request, *query, *attributes, user, resources, *resource});
    return response.ok() ? response->status : response.error().code();
  }

  const UserInfo user{.name = "fuzzer", .groups = {std::string(kMastersGroup)}};
  std::unique_ptr<store::Store> store = store::MakeMemoryStore();
  ManualClock clock;
  SeededRandom random{1};
  AdmissionChain admissions;
  ServiceAddresses addresses;
  TokenIssuer tokens;
  ResourceSet resources{BuiltinResources()};
  ObjectReader reader{*store};
  ObjectWriter writer{{*store, clock, random, admissions, addresses}};
  WakeTimer timer;
  OpenWatches watches;
  const ComponentStatuses components{{}};
  std::unique_ptr<RbacAuthorizer> authorizer = RbacAuthorizer::Open(*store).value();
  ResourceHandler handler{
      {*store, reader, writer, timer, watches, random, clock, tokens, components, *authorizer}};
};

}  // namespace
}  // namespace kubexms

// The first line is "METHOD TARGET CONTENT-TYPE", the rest the body. Whatever comes, there is an
// answer, and the server goes on: an object that was there can still be read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  static auto api = std::make_unique<kubexms::Api>();
  static int calls = 0;
  if (++calls % 1000 == 0) api = std::make_unique<kubexms::Api>();
  const int status = api->Answer(text.substr(0, line), text.substr(line + 1));
  KUBEXMS_CHECK(status >= 200 && status < 600);
  const int after = api->Answer("GET /api/v1/namespaces/a/configmaps/b", "");
  KUBEXMS_CHECK(after == 200 || after == 404);
  return 0;
}
