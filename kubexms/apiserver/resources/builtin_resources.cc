#include "kubexms/apiserver/resources/builtin_resources.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "kubexms/api/builtin/builtin_kinds.h"
#include "kubexms/api/schema/zero_values.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/check.h"

namespace kubexms {
namespace {

constexpr std::string_view kAllVerbs = "create delete deletecollection get list patch update watch";
// Kinds that are only used as the body of a subresource have no resource.
constexpr std::string_view kNoResource = "";

// How a kind is served, where that differs from the defaults. Lists are separated by spaces.
struct KindRules {
  std::string_view group;
  std::string_view kind;
  std::string_view subresources = {};
  std::string_view selectable_fields = {};
  std::string_view verbs = kAllVerbs;
  std::string_view storage_version = {};  // empty: the served version
  std::optional<std::string_view> storage_group = {};
  std::string_view deprecation = {};  // Kubernetes' warning
  // A member of `spec` that Kubernetes declares as a pointer: it is omitted where nothing is set.
  std::string_view optional_spec_member = {};
};

constexpr KindRules kRules[] = {
    {.group = "", .kind = "Binding", .verbs = "create"},
    {.group = "",
     .kind = "ComponentStatus",
     .verbs = "get list",
     .deprecation = "v1 ComponentStatus is deprecated in v1.19+"},
    {.group = "",
     .kind = "Endpoints",
     .deprecation = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"},
    {.group = "",
     .kind = "Event",
     .selectable_fields =
         "involvedObject.apiVersion involvedObject.fieldPath involvedObject.kind "
         "involvedObject.name "
         "involvedObject.namespace involvedObject.resourceVersion involvedObject.uid reason "
         "reportingComponent source type"},
    {.group = "",
     .kind = "Namespace",
     .subresources = "finalize status",
     .selectable_fields = "status.phase",
     .verbs = "create delete get list patch update watch"},
    {.group = "",
     .kind = "Node",
     .subresources = "status",
     .selectable_fields = "spec.unschedulable"},
    {.group = "", .kind = "PersistentVolume", .subresources = "status"},
    {.group = "", .kind = "PersistentVolumeClaim", .subresources = "status"},
    {.group = "",
     .kind = "Pod",
     .subresources = "binding ephemeralcontainers eviction resize status",
     .selectable_fields = "spec.hostNetwork spec.nodeName spec.restartPolicy spec.schedulerName "
                          "spec.serviceAccountName status.nominatedNodeName status.phase "
                          "status.podIP status.podIPs"},
    {.group = "",
     .kind = "ReplicationController",
     .subresources = "scale status",
     .selectable_fields = "status.replicas",
     .optional_spec_member = "template"},
    {.group = "", .kind = "ResourceQuota", .subresources = "status"},
    {.group = "", .kind = "Secret", .selectable_fields = "type"},
    {.group = "",
     .kind = "Service",
     .subresources = "status",
     .selectable_fields = "spec.clusterIP spec.type"},
    {.group = "", .kind = "ServiceAccount", .subresources = "token"},
    {.group = "admissionregistration.k8s.io",
     .kind = "ValidatingAdmissionPolicy",
     .subresources = "status"},
    {.group = "apiextensions.k8s.io", .kind = "CustomResourceDefinition", .subresources = "status"},
    {.group = "apiregistration.k8s.io", .kind = "APIService", .subresources = "status"},
    {.group = "apps", .kind = "DaemonSet", .subresources = "status"},
    {.group = "apps", .kind = "Deployment", .subresources = "scale status"},
    {.group = "apps",
     .kind = "ReplicaSet",
     .subresources = "scale status",
     .selectable_fields = "status.replicas"},
    {.group = "apps", .kind = "StatefulSet", .subresources = "scale status"},
    {.group = "authentication.k8s.io", .kind = "SelfSubjectReview", .verbs = "create"},
    {.group = "authentication.k8s.io", .kind = "TokenReview", .verbs = "create"},
    {.group = "authentication.k8s.io", .kind = "TokenRequest", .verbs = kNoResource},
    {.group = "authorization.k8s.io", .kind = "LocalSubjectAccessReview", .verbs = "create"},
    {.group = "authorization.k8s.io", .kind = "SelfSubjectAccessReview", .verbs = "create"},
    {.group = "authorization.k8s.io", .kind = "SelfSubjectRulesReview", .verbs = "create"},
    {.group = "authorization.k8s.io", .kind = "SubjectAccessReview", .verbs = "create"},
    {.group = "autoscaling",
     .kind = "HorizontalPodAutoscaler",
     .subresources = "status",
     .storage_version = "v2"},
    {.group = "autoscaling", .kind = "Scale", .verbs = kNoResource},
    {.group = "batch", .kind = "CronJob", .subresources = "status"},
    {.group = "batch",
     .kind = "Job",
     .subresources = "status",
     .selectable_fields = "status.successful"},
    {.group = "certificates.k8s.io",
     .kind = "CertificateSigningRequest",
     .subresources = "approval status",
     .selectable_fields = "spec.signerName"},
    {.group = "events.k8s.io",
     .kind = "Event",
     .selectable_fields =
         "reason regarding.apiVersion regarding.fieldPath regarding.kind regarding.name "
         "regarding.namespace regarding.resourceVersion regarding.uid reportingController type",
     .storage_group = ""},
    {.group = "flowcontrol.apiserver.k8s.io", .kind = "FlowSchema", .subresources = "status"},
    {.group = "flowcontrol.apiserver.k8s.io",
     .kind = "PriorityLevelConfiguration",
     .subresources = "status"},
    {.group = "networking.k8s.io", .kind = "Ingress", .subresources = "status"},
    {.group = "networking.k8s.io", .kind = "ServiceCIDR", .subresources = "status"},
    {.group = "policy", .kind = "PodDisruptionBudget", .subresources = "status"},
    {.group = "policy", .kind = "Eviction", .verbs = kNoResource},
    {.group = "resource.k8s.io", .kind = "ResourceClaim", .subresources = "status"},
    {.group = "resource.k8s.io",
     .kind = "ResourceSlice",
     .selectable_fields = "spec.driver spec.nodeName"},
    {.group = "storage.k8s.io", .kind = "VolumeAttachment", .subresources = "status"},
};

const KindRules& RulesOf(const KindName& name) {
  static constexpr KindRules kDefault{};
  for (const KindRules& rules : kRules) {
    if (rules.group == name.group && rules.kind == name.kind) return rules;
  }
  return kDefault;
}

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

// The response to their deletion is the object.
bool ReturnsDeletedObject(const KindName& name) {
  constexpr std::string_view kCore[] = {"PersistentVolume", "PersistentVolumeClaim", "Pod",
                                        "PodTemplate",      "ResourceQuota",         "Service",
                                        "ServiceAccount"};
  if (name.group.empty()) return std::ranges::count(kCore, name.kind) > 0;
  return name.group == "storage.k8s.io" || name.group == "resource.k8s.io";
}

// They have no unconditional update.
bool RequiresResourceVersion(const KindName& name) {
  constexpr std::string_view kGroups[] = {"admissionregistration.k8s.io", "apiextensions.k8s.io",
                                          "apiregistration.k8s.io", "coordination.k8s.io",
                                          "node.k8s.io"};
  constexpr std::string_view kStorage[] = {"CSIDriver", "CSINode", "CSIStorageCapacity",
                                           "VolumeAttachment"};
  if (name.group == "policy") return name.kind == "PodDisruptionBudget";
  if (name.group == "storage.k8s.io") return std::ranges::count(kStorage, name.kind) > 0;
  return std::ranges::count(kGroups, name.group) > 0;
}

constexpr std::string_view kJobPropagationWarning =
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
    "to remove them or set propagationPolicy=Orphan to suppress this warning";

// These kinds are older than garbage collection: by default, their Pods remain.
void ApplyPropagationRules(Resource& resource) {
  const bool is_job = resource.Is("batch", "jobs");
  resource.orphans_dependents = is_job || resource.Is("", "replicationcontrollers");
  if (is_job) resource.propagation_warning = kJobPropagationWarning;
}

Json ZeroObject(const TypeInfo& type, const KindRules& rules) {
  Json zero = JsonObject();
  AddZeroValues(zero, ZeroFormOf(type));
  if (!rules.optional_spec_member.empty()) {
    zero.at("spec").as_object().erase(rules.optional_spec_member);
  }
  return zero;
}

ResourcePtr MakeResource(const TypeInfo& type) {
  const KindName& name = *type.kind_name;
  const KindRules& rules = RulesOf(name);
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
      .verbs = Words(rules.verbs),
      .schema = SchemaOfKind(type),
      .zero_form = &ZeroFormOf(type),
      .zero = ZeroObject(type, rules),
      .strategy = BuiltinStrategy(name.group, name.kind),
      .selectable_fields = Words(rules.selectable_fields),
      .storage_version =
          std::string(rules.storage_version.empty() ? name.version : rules.storage_version),
      .requires_resource_version = RequiresResourceVersion(name),
      .returns_deleted_object = ReturnsDeletedObject(name),
      .deprecation = std::string(rules.deprecation),
  });
  ApplyPropagationRules(*resource);
  if (rules.storage_group) resource->storage_group = *rules.storage_group;
  for (const std::string& subresource : Words(rules.subresources)) {
    resource->subresources.push_back(MakeSubresource(subresource));
  }
  return resource;
}

}  // namespace

std::vector<ResourcePtr> BuiltinResources() {
  std::vector<ResourcePtr> resources;
  for (const TypeInfo* type : BuiltinKinds()) {
    if (!RulesOf(*type->kind_name).verbs.empty()) resources.push_back(MakeResource(*type));
  }
  std::ranges::sort(resources, {}, [](const ResourcePtr& resource) {
    return std::tie(resource->group, resource->version, resource->plural);
  });
  return resources;
}

}  // namespace kubexms
