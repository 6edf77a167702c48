#include "kubexms/apiserver/bootstrap.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>
#include <vector>

#include "kubexms/apiserver/authorization/default_roles.h"
#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/services/service_ip_range.h"

namespace kubexms {
namespace {

constexpr std::string_view kManager = "kube-apiserver";
constexpr std::string_view kClientAuthority = "client-ca-file";
// Objects that are made at the same time share commits to disk.
constexpr size_t kParallel = 32;

const UserInfo& Self() {
  static const UserInfo kSelf{.name = "system:apiserver", .groups = {"system:masters"}};
  return kSelf;
}

JsonObject Metadata(std::string_view name) { return {{"name", name}}; }

Json MakeNamespace(std::string_view name) {
  return JsonObject{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Metadata(name)}};
}

Json MakePriorityClass(std::string_view name, int64_t value, std::string_view description) {
  return JsonObject{{"apiVersion", "scheduling.k8s.io/v1"},
                    {"kind", "PriorityClass"},
                    {"metadata", Metadata(name)},
                    {"value", value},
                    {"description", description}};
}

Json MakeServiceCidr(const std::string& ranges) {
  JsonArray cidrs;
  const std::vector<ServiceIpRange> parsed = ParseServiceIpRanges(ranges).value();
  for (const ServiceIpRange& range : parsed) {
    cidrs.push_back(Json(range.text()));
  }
  return JsonObject{{"apiVersion", "networking.k8s.io/v1"},
                    {"kind", "ServiceCIDR"},
                    {"metadata", Metadata("kubernetes")},
                    {"spec", JsonObject{{"cidrs", std::move(cidrs)}}}};
}

JsonObject ApiServerMetadata(std::string_view label, std::string_view value) {
  return {{"name", "kubernetes"}, {"namespace", "default"}, {"labels", JsonObject{{label, value}}}};
}

Json MakeKubernetesService(const BootstrapOptions& options) {
  const JsonObject port{
      {"name", "https"}, {"port", 443}, {"protocol", "TCP"}, {"targetPort", options.port}};
  return JsonObject{
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata",
       JsonObject{{"name", "kubernetes"},
                  {"namespace", "default"},
                  {"labels", JsonObject{{"component", "apiserver"}, {"provider", "kubernetes"}}}}},
      {"spec", JsonObject{{"type", "ClusterIP"},
                          {"clusterIP", FirstClusterIp(options.cluster_ip_range)},
                          {"ports", JsonArray{port}}}}};
}

Json MakeKubernetesEndpoints(const BootstrapOptions& options) {
  const JsonObject port{{"name", "https"}, {"port", options.port}, {"protocol", "TCP"}};
  return JsonObject{
      {"apiVersion", "v1"},
      {"kind", "Endpoints"},
      {"metadata", ApiServerMetadata("endpointslice.kubernetes.io/skip-mirror", "true")},
      {"subsets",
       JsonArray{JsonObject{{"addresses", JsonArray{JsonObject{{"ip", options.advertise_address}}}},
                            {"ports", JsonArray{port}}}}}};
}

Json MakeKubernetesEndpointSlice(const BootstrapOptions& options) {
  const JsonObject port{{"name", "https"}, {"port", options.port}, {"protocol", "TCP"}};
  return JsonObject{
      {"apiVersion", "discovery.k8s.io/v1"},
      {"kind", "EndpointSlice"},
      {"metadata", ApiServerMetadata("kubernetes.io/service-name", "kubernetes")},
      {"addressType", options.advertise_address.find(':') == std::string::npos ? "IPv4" : "IPv6"},
      {"endpoints", JsonArray{JsonObject{{"addresses", JsonArray{options.advertise_address}},
                                         {"conditions", JsonObject{{"ready", true}}}}}},
      {"ports", JsonArray{port}}};
}

// Where servers that extend the API learn whose client certificates to trust.
Json MakeAuthenticationConfigMap(const std::string& authority_pem) {
  return JsonObject{{"apiVersion", "v1"},
                    {"kind", "ConfigMap"},
                    {"metadata", JsonObject{{"name", "extension-apiserver-authentication"},
                                            {"namespace", "kube-system"}}},
                    {"data", JsonObject{{kClientAuthority, authority_pem}}}};
}

class Bootstrapper {
 public:
  Bootstrapper(store::Store& store, const ResourceSet& resources, ObjectWriter& writer, Logger log)
      : store_(store), resources_(resources), writer_(writer), log_(std::move(log)) {}

  // Makes the objects that are missing, many at a time.
  Result<void> EnsureAll(const std::vector<Json>& objects) {
    std::vector<Result<void>> results(objects.size());
    std::atomic<size_t> next = 0;
    const auto work = [&] {
      for (size_t i = next++; i < objects.size(); i = next++) results[i] = Ensure(objects[i]);
    };
    {
      std::vector<std::jthread> threads;
      for (size_t i = 0; i < std::min(kParallel, objects.size()); ++i) threads.emplace_back(work);
    }
    for (const Result<void>& result : results) RETURN_IF_ERROR(result);
    return {};
  }

  // Makes the object, or adds the authority to those of other servers.
  Result<void> PublishAuthority(const std::string& authority_pem) {
    const Json object = MakeAuthenticationConfigMap(authority_pem);
    const Resource& resource = ResourceOf(object);
    RETURN_IF_ERROR(FindSound(resource, object));
    const Result<Written> written = writer_.Update(
        RequestFor(resource, object), [&](const Json& old) -> Result<ObjectWriter::Change> {
          Json document = old;
          JsonObject& data = ObjectMember(document.get_object(), "data");
          const std::string known(FindString(Json(data), kClientAuthority));
          if (known.find(authority_pem) == std::string::npos) {
            data[kClientAuthority] = known + authority_pem;
          }
          return ObjectWriter::Change{std::move(document)};
        });
    if (written.ok()) return {};
    if (written.error().IsNotFound()) return Ensure(object);
    if (!written.error().IsInvalid()) return written.error();
    // What somebody made of it must not keep the server from starting.
    log_.Error("the certificate authority of clients could not be published",
               {{"name", NameOf(object)}, {"error", written.error()}});
    return {};
  }

  // Makes the object, or gives the existing one the content that it should have.
  Result<void> Replace(const Json& object) {
    const Resource& resource = ResourceOf(object);
    const WriteRequest request = RequestFor(resource, object);
    RETURN_IF_ERROR(FindSound(resource, object));
    Result<Written> written =
        writer_.Update(request, [&](const Json& old) -> Result<ObjectWriter::Change> {
          Json document = Completed(object, resource);
          MetadataOf(document)["labels"] = MetadataOf(object).at("labels");
          MetadataOf(document)["uid"] = UidOf(old);
          return ObjectWriter::Change{std::move(document)};
        });
    if (written.ok()) return {};
    // What cannot be changed, such as the kind of its addresses, is made anew.
    if (written.error().IsInvalid()) RETURN_IF_ERROR(writer_.Delete(request, {}));
    if (!written.error().IsNotFound() && !written.error().IsInvalid()) return written.error();
    return Ensure(object);
  }

 private:
  const Resource& ResourceOf(const Json& object) const {
    const std::string_view api_version = FindString(object, "apiVersion");
    for (const ResourcePtr& resource : resources_.all()) {
      if (resource->kind == FindString(object, "kind") && resource->api_version() == api_version) {
        return *resource;
      }
    }
    KUBEXMS_CHECK(false);
    return *resources_.all().front();
  }

  static WriteRequest RequestFor(const Resource& resource, const Json& object) {
    return {.resource = resource,
            .subresource = "",
            .namespace_name = NamespaceOf(object),
            .name = NameOf(object),
            .user = Self(),
            .manager = kManager};
  }

  static Json Completed(Json object, const Resource& resource) {
    KUBEXMS_CHECK(FillDefaults(object, resource).ok());  // objects of our own are small
    return object;
  }

  // The stored object, null when there is none. One that is damaged is removed: all that is made
  // here can be made anew.
  Result<store::RecordPtr> FindSound(const Resource& resource, const Json& object) {
    const std::string_view namespace_name = resource.namespaced ? NamespaceOf(object) : "";
    ASSIGN_OR_RETURN(store::RecordPtr existing,
                     store_.Get(StorageKey(resource, namespace_name, NameOf(object))));
    if (existing == nullptr) return existing;
    const Result<Json> readable = ReadDocument(resource, *existing);
    if (readable.ok()) return existing;
    log_.Error("an object of the system is damaged: it is made anew",
               {{"key", existing->key}, {"error", readable.error()}});
    RETURN_IF_ERROR(IgnoreNotFound(writer_.Delete(RequestFor(resource, object), {})));
    return store::RecordPtr();
  }

  Result<void> Ensure(const Json& object) {
    const Resource& resource = ResourceOf(object);
    ASSIGN_OR_RETURN(const store::RecordPtr existing, FindSound(resource, object));
    if (existing == nullptr) return Make(resource, object);
    return Mend(resource, object, *existing);
  }

  Result<void> Make(const Resource& resource, const Json& object) {
    const Result<Written> created =
        writer_.Create(RequestFor(resource, object), Completed(object, resource));
    if (created.ok() || created.error().IsAlreadyExists()) return {};
    // Another server on the same store may have been faster, also with an address.
    const std::string_view namespace_name = resource.namespaced ? NamespaceOf(object) : "";
    ASSIGN_OR_RETURN(const store::RecordPtr existing,
                     store_.Get(StorageKey(resource, namespace_name, NameOf(object))));
    if (existing != nullptr) return {};
    return created.error().WithContext(fmt::format("make {} {}", resource.kind, NameOf(object)));
  }

  // Default roles and bindings grow with the versions of Kubernetes.
  Result<void> Mend(const Resource& resource, const Json& object, const store::Record& existing) {
    if (resource.group != "rbac.authorization.k8s.io") return {};
    ASSIGN_OR_RETURN(const Json stored, ReadDocument(resource, existing));
    const bool binding = resource.plural.ends_with("bindings");
    const std::optional<Json> mended =
        binding ? ReconcileBinding(stored, object) : ReconcileRole(stored, object);
    if (!mended) return {};
    const Result<Written> written = writer_.Update(
        RequestFor(resource, object),
        [&](const Json&) -> Result<ObjectWriter::Change> { return ObjectWriter::Change{*mended}; });
    if (written.ok() || !written.error().IsInvalid()) return IgnoreNotFound(written);
    // What somebody made of it must not keep the server from starting.
    log_.Error("a default role or binding could not be completed",
               {{"key", existing.key}, {"error", written.error()}});
    return {};
  }

  store::Store& store_;
  const ResourceSet& resources_;
  ObjectWriter& writer_;
  const Logger log_;
};

}  // namespace

std::string FirstClusterIp(std::string_view ranges) {
  return ParseServiceIpRanges(ranges).value().front().At(0);
}

Result<void> Bootstrap(const BootstrapOptions& options, store::Store& store,
                       const ResourceSet& resources, ObjectWriter& writer, const Logger& log) {
  Bootstrapper bootstrapper(store, resources, writer, log);
  RETURN_IF_ERROR(
      bootstrapper.EnsureAll({MakeNamespace("default"), MakeNamespace("kube-system"),
                              MakeNamespace("kube-public"), MakeNamespace("kube-node-lease")}));
  std::vector<Json> objects = DefaultRbacObjects();
  objects.push_back(MakePriorityClass("system-node-critical", 2'000'001'000,
                                      "For what a node cannot do without."));
  objects.push_back(MakePriorityClass("system-cluster-critical", 2'000'000'000,
                                      "For what the cluster cannot do without."));
  objects.push_back(MakeServiceCidr(options.cluster_ip_range));
  objects.push_back(MakeKubernetesService(options));
  RETURN_IF_ERROR(bootstrapper.EnsureAll(objects));
  if (!options.client_authority_pem.empty()) {
    RETURN_IF_ERROR(bootstrapper.PublishAuthority(options.client_authority_pem));
  }
  RETURN_IF_ERROR(bootstrapper.Replace(MakeKubernetesEndpoints(options)));
  return bootstrapper.Replace(MakeKubernetesEndpointSlice(options));
}

}  // namespace kubexms
