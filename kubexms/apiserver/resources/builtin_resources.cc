#include "kubexms/apiserver/resources/builtin_resources.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "kubexms/api/builtin/builtin_kinds.h"
#include "kubexms/api/schema/zero_values.h"
#include "kubexms/apiserver/resources/custom_resource_definition.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/check.h"

namespace kubexms {
namespace {

// What a kind has besides the eight verbs. Lists are separated by spaces.
struct KindRules {
  std::string_view group;
  std::string_view kind;
  std::string_view subresources = {};
  std::string_view selectable_fields = {};
};

constexpr KindRules kRules[] = {
    {"", "Event", "",
     "involvedObject.apiVersion involvedObject.fieldPath involvedObject.kind involvedObject.name "
     "involvedObject.namespace involvedObject.resourceVersion involvedObject.uid reason "
     "reportingComponent source type"},
    {"", "Namespace", "finalize status", "status.phase"},
    {"", "Node", "status", "spec.unschedulable"},
    {"", "PersistentVolume", "status"},
    {"", "PersistentVolumeClaim", "status"},
    {"", "Pod", "binding ephemeralcontainers eviction resize status",
     "spec.hostNetwork spec.nodeName spec.restartPolicy spec.schedulerName "
     "spec.serviceAccountName status.nominatedNodeName status.phase status.podIP status.podIPs"},
    {"", "ReplicationController", "scale status", "status.replicas"},
    {"", "ResourceQuota", "status"},
    {"", "Secret", "", "type"},
    {"", "Service", "status", "spec.clusterIP spec.type"},
    {"", "ServiceAccount", "token"},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "status"},
    {"apiextensions.k8s.io", "CustomResourceDefinition", "status"},
    {"apiregistration.k8s.io", "APIService", "status"},
    {"apps", "DaemonSet", "status"},
    {"apps", "Deployment", "scale status"},
    {"apps", "ReplicaSet", "scale status", "status.replicas"},
    {"apps", "StatefulSet", "scale status"},
    {"autoscaling", "HorizontalPodAutoscaler", "status"},
    {"batch", "CronJob", "status"},
    {"batch", "Job", "status", "status.successful"},
    {"certificates.k8s.io", "CertificateSigningRequest", "approval status", "spec.signerName"},
    {"events.k8s.io", "Event", "",
     "reason regarding.apiVersion regarding.fieldPath regarding.kind regarding.name "
     "regarding.namespace regarding.resourceVersion regarding.uid reportingController type"},
    {"flowcontrol.apiserver.k8s.io", "FlowSchema", "status"},
    {"flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration", "status"},
    {"networking.k8s.io", "Ingress", "status"},
    {"networking.k8s.io", "ServiceCIDR", "status"},
    {"policy", "PodDisruptionBudget", "status"},
    {"resource.k8s.io", "ResourceClaim", "status"},
    {"resource.k8s.io", "ResourceSlice", "", "spec.driver spec.nodeName"},
    {"storage.k8s.io", "VolumeAttachment", "status"},
};

// A subresource with a kind of its own, or with other verbs than status.
struct SubresourceRules {
  std::string_view name;
  std::string_view verbs;
  std::string_view group = {};
  std::string_view version = {};
  std::string_view kind = {};
};

constexpr std::string_view kReadAndWrite = "get patch update";
constexpr SubresourceRules kSubresources[] = {
    {"binding", "create", "", "v1", "Binding"},
    {"eviction", "create", "policy", "v1", "Eviction"},
    {"finalize", "update"},
    {"scale", kReadAndWrite, "autoscaling", "v1", "Scale"},
    {"token", "create", "authentication.k8s.io", "v1", "TokenRequest"},
};

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    words.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return words;
}

// Descriptions have static storage duration, so the handle owns nothing.
SchemaHandle SchemaOfKind(const TypeInfo& type) {
  return {std::shared_ptr<const void>(), &type.schema};
}

Subresource MakeSubresource(std::string_view name) {
  const auto rules = std::ranges::find(kSubresources, name, &SubresourceRules::name);
  if (rules == std::end(kSubresources)) {
    return {.name = std::string(name), .verbs = Words(kReadAndWrite)};
  }
  Subresource subresource{.name = std::string(name), .verbs = Words(rules->verbs)};
  if (!rules->kind.empty()) {
    const TypeInfo* type = FindBuiltinKind(rules->group, rules->version, rules->kind);
    KUBEXMS_CHECK(type != nullptr);
    subresource.kind = {std::string(rules->group), std::string(rules->version),
                        std::string(rules->kind)};
    subresource.schema = SchemaOfKind(*type);
  }
  return subresource;
}

// Kinds that are only used as the body of a subresource have no resource.
bool HasResource(const KindName& name) {
  return name.kind != "Scale" && name.kind != "Eviction" && name.kind != "TokenRequest";
}

// Reviews are evaluated and not stored.
bool IsReview(const KindName& name) {
  return name.group == "authentication.k8s.io" || name.group == "authorization.k8s.io" ||
         (name.group.empty() && name.kind == "Binding");
}

std::vector<std::string> VerbsOf(const KindName& name) {
  if (IsReview(name)) return {"create"};
  if (name.kind == "ComponentStatus") return {"get", "list"};
  std::vector<std::string> verbs =
      Words("create delete deletecollection get list patch update watch");
  if (name.group.empty() && name.kind == "Namespace") std::erase(verbs, "deletecollection");
  return verbs;
}

// Kubernetes' deprecation warnings.
std::string_view DeprecationOf(const KindName& name) {
  if (!name.group.empty()) return "";
  if (name.kind == "ComponentStatus") return "v1 ComponentStatus is deprecated in v1.19+";
  if (name.kind == "Endpoints") {
    return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
  }
  return "";
}

void ApplyRules(Resource& resource) {
  for (const KindRules& rules : kRules) {
    if (rules.group != resource.group || rules.kind != resource.kind) continue;
    for (const std::string& name : Words(rules.subresources)) {
      resource.subresources.push_back(MakeSubresource(name));
    }
    resource.selectable_fields = Words(rules.selectable_fields);
  }
  if (resource.group == "autoscaling") resource.storage_version = "v2";
  if (resource.group == "events.k8s.io") resource.storage_group = "";
}

Json ZeroObject(const TypeInfo& type) {
  Json zero = JsonObject();
  AddZeroValues(zero, ZeroFormOf(type));
  return zero;
}

ResourcePtr MakeResource(const TypeInfo& type) {
  const KindName& name = *type.kind_name;
  auto resource = std::make_shared<Resource>(Resource{
      .group = std::string(name.group),
      .version = std::string(name.version),
      .kind = std::string(name.kind),
      .plural = name.Plural(),
      .singular = name.Singular(),
      .list_kind = std::string(name.kind) + "List",
      .short_names = Words(name.short_names),
      .categories = Words(name.categories),
      .namespaced = name.scope == Scope::kNamespaced,
      .verbs = VerbsOf(name),
      .schema = SchemaOfKind(type),
      .zero_form = &ZeroFormOf(type),
      .zero = ZeroObject(type),
      .strategy = name.kind == "CustomResourceDefinition" ? CustomResourceDefinitionStrategy()
                                                          : BuiltinStrategy(name.group, name.kind),
      .storage_version = std::string(name.version),
      .deprecation = std::string(DeprecationOf(name)),
  });
  ApplyRules(*resource);
  // Kubernetes declares this template as a pointer: it is omitted where nothing is set.
  if (name.kind == "ReplicationController") {
    resource->zero.at("spec").as_object().erase("template");
  }
  return resource;
}

}  // namespace

std::vector<ResourcePtr> BuiltinResources() {
  std::vector<ResourcePtr> resources;
  for (const TypeInfo* type : BuiltinKinds()) {
    if (HasResource(*type->kind_name)) resources.push_back(MakeResource(*type));
  }
  std::ranges::sort(resources, {}, [](const ResourcePtr& resource) {
    return std::tie(resource->group, resource->version, resource->plural);
  });
  return resources;
}

}  // namespace kubexms
