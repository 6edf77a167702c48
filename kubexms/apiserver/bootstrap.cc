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
// Objects that are created concurrently share commits to disk.
constexpr size_t kParallel = 32;

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

// Tells extension API servers which client certificates to trust.
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

  // Creates the missing objects, several at a time.
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

  // Creates the object, or adds the CA to those of other servers.
  Result<void> PublishAuthority(const std::string& authority_pem) {
    const Json object = MakeAuthenticationConfigMap(authority_pem);
    const Resource& resource = ResourceOf(object);
    RETURN_IF_ERROR(FindSound(resource, object));
    const Result<Written> written = writer_.Update(
        AttributesOf(resource, object), [&](const Json& old) -> Result<ObjectWriter::Change> {
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
    // A ConfigMap that was made invalid must not prevent the server from starting.
    log_.Error("cannot publish the certificate authority of clients",
               {{"name", NameOf(object)}, {"error", written.error()}});
    return {};
  }

  // Creates the object, or replaces the content of the existing one.
  Result<void> Replace(const Json& object) {
    const Resource& resource = ResourceOf(object);
    const WriteAttributes attributes = AttributesOf(resource, object);
    RETURN_IF_ERROR(FindSound(resource, object));
    Result<Written> written =
        writer_.Update(attributes, [&](const Json& old) -> Result<ObjectWriter::Change> {
          Json document = Completed(object, resource);
          MetadataOf(document)["labels"] = MetadataOf(object).at("labels");
          MetadataOf(document)["uid"] = UidOf(old);
          return ObjectWriter::Change{std::move(document)};
        });
    if (written.ok()) return {};
    // Immutable fields, such as addressType, change only with a new object.
    if (written.error().IsInvalid()) RETURN_IF_ERROR(writer_.Delete(attributes, {}));
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

  static WriteAttributes AttributesOf(const Resource& resource, const Json& object) {
    return {.resource = resource,
            .subresource = "",
            .namespace_name = NamespaceOf(object),
            .name = NameOf(object),
            .user = ApiServerUser(),
            .manager = std::string(kManager)};
  }

  static Json Completed(Json object, const Resource& resource) {
    KUBEXMS_CHECK(FillDefaults(object, resource).ok());  // objects of our own are small
    return object;
  }

  // The stored object, or null. Removes a damaged object: all objects here can be created anew.
  Result<store::RecordPtr> FindSound(const Resource& resource, const Json& object) {
    const std::string_view namespace_name = resource.namespaced ? NamespaceOf(object) : "";
    ASSIGN_OR_RETURN(store::RecordPtr existing,
                     store_.Get(StorageKey(resource, namespace_name, NameOf(object))));
    if (existing == nullptr) return existing;
    const Result<Json> readable = ReadDocument(resource, *existing);
    if (readable.ok()) return existing;
    log_.Error("a system object is damaged; creating it anew",
               {{"key", existing->key}, {"error", readable.error()}});
    RETURN_IF_ERROR(IgnoreNotFound(writer_.Delete(AttributesOf(resource, object), {})));
    return store::RecordPtr();
  }

  Result<void> Ensure(const Json& object) {
    const Resource& resource = ResourceOf(object);
    ASSIGN_OR_RETURN(const store::RecordPtr existing, FindSound(resource, object));
    if (existing == nullptr) return Create(resource, object);
    return Reconcile(resource, object, *existing);
  }

  Result<void> Create(const Resource& resource, const Json& object) {
    const Result<Written> created =
        writer_.Create(AttributesOf(resource, object), Completed(object, resource));
    if (created.ok() || created.error().IsAlreadyExists()) return {};
    // Another server on the same store may have created the object, or taken its address, first.
    const std::string_view namespace_name = resource.namespaced ? NamespaceOf(object) : "";
    ASSIGN_OR_RETURN(const store::RecordPtr existing,
                     store_.Get(StorageKey(resource, namespace_name, NameOf(object))));
    if (existing != nullptr) return {};
    return created.error().WithContext(fmt::format("create {} {}", resource.kind, NameOf(object)));
  }

  // Adds what a new version of the server has added to the default roles and bindings.
  Result<void> Reconcile(const Resource& resource, const Json& object,
                         const store::Record& existing) {
    if (resource.group != "rbac.authorization.k8s.io") return {};
    ASSIGN_OR_RETURN(const Json stored, ReadDocument(resource, existing));
    const bool binding = resource.plural.ends_with("bindings");
    const std::optional<Json> reconciled =
        binding ? ReconcileBinding(stored, object) : ReconcileRole(stored, object);
    if (!reconciled) return {};
    const Result<Written> written = writer_.Update(
        AttributesOf(resource, object), [&](const Json&) -> Result<ObjectWriter::Change> {
          return ObjectWriter::Change{*reconciled};
        });
    if (written.ok() || !written.error().IsInvalid()) return IgnoreNotFound(written);
    // A role that was made invalid must not prevent the server from starting.
    log_.Error("cannot reconcile a default role or binding",
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
                                      "For Pods that a node cannot run without."));
  objects.push_back(MakePriorityClass("system-cluster-critical", 2'000'000'000,
                                      "For Pods that the cluster cannot run without."));
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
