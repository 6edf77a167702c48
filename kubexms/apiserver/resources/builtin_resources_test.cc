#include "kubexms/apiserver/resources/builtin_resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace kubexms {
namespace {

const Resource& Find(std::string_view group, std::string_view version, std::string_view plural) {
  static const std::vector<ResourcePtr> kResources = BuiltinResources();
  const auto found = std::ranges::find_if(kResources, [&](const ResourcePtr& resource) {
    return resource->group == group && resource->version == version && resource->plural == plural;
  });
  KUBEXMS_CHECK(found != kResources.end());
  return **found;
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Plural, kind, N or C for the scope, short names, categories, number of verbs, subresources.
std::string Describe(const Resource& resource) {
  std::vector<std::string> subresources;
  for (const Subresource& subresource : resource.subresources) {
    subresources.push_back(subresource.name);
  }
  return fmt::format("{} {} {} [{}] [{}] {} [{}]", resource.plural, resource.kind,
                     resource.namespaced ? "N" : "C", fmt::join(resource.short_names, ","),
                     fmt::join(resource.categories, ","), resource.verbs.size(),
                     fmt::join(subresources, ","));
}

TEST(BuiltinResourcesTest, MatchKubernetes) {
  const std::map<std::string, std::set<std::string>> expected = {
      {"admissionregistration.k8s.io/v1",
       {"mutatingwebhookconfigurations MutatingWebhookConfiguration C [] [api-extensions] 8 []",
        "validatingadmissionpolicies ValidatingAdmissionPolicy C [] [api-extensions] 8 [status]",
        "validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding C [] [api-extensions] "
        "8 []",
        "validatingwebhookconfigurations ValidatingWebhookConfiguration C [] [api-extensions] 8 "
        "[]"}},
      {"apiextensions.k8s.io/v1",
       {"customresourcedefinitions CustomResourceDefinition C [crd,crds] [api-extensions] 8 "
        "[status]"}},
      {"apiregistration.k8s.io/v1", {"apiservices APIService C [] [api-extensions] 8 [status]"}},
      {"apps/v1",
       {"controllerrevisions ControllerRevision N [] [] 8 []",
        "daemonsets DaemonSet N [ds] [all] 8 [status]",
        "deployments Deployment N [deploy] [all] 8 [scale,status]",
        "replicasets ReplicaSet N [rs] [all] 8 [scale,status]",
        "statefulsets StatefulSet N [sts] [all] 8 [scale,status]"}},
      {"authentication.k8s.io/v1",
       {"selfsubjectreviews SelfSubjectReview C [] [] 1 []",
        "tokenreviews TokenReview C [] [] 1 []"}},
      {"authorization.k8s.io/v1",
       {"localsubjectaccessreviews LocalSubjectAccessReview N [] [] 1 []",
        "selfsubjectaccessreviews SelfSubjectAccessReview C [] [] 1 []",
        "selfsubjectrulesreviews SelfSubjectRulesReview C [] [] 1 []",
        "subjectaccessreviews SubjectAccessReview C [] [] 1 []"}},
      {"autoscaling/v1",
       {"horizontalpodautoscalers HorizontalPodAutoscaler N [hpa] [all] 8 [status]"}},
      {"autoscaling/v2",
       {"horizontalpodautoscalers HorizontalPodAutoscaler N [hpa] [all] 8 [status]"}},
      {"batch/v1", {"cronjobs CronJob N [cj] [all] 8 [status]", "jobs Job N [] [all] 8 [status]"}},
      {"certificates.k8s.io/v1",
       {"certificatesigningrequests CertificateSigningRequest C [csr] [] 8 [approval,status]"}},
      {"coordination.k8s.io/v1", {"leases Lease N [] [] 8 []"}},
      {"discovery.k8s.io/v1", {"endpointslices EndpointSlice N [] [] 8 []"}},
      {"events.k8s.io/v1", {"events Event N [ev] [] 8 []"}},
      {"flowcontrol.apiserver.k8s.io/v1",
       {"flowschemas FlowSchema C [] [] 8 [status]",
        "prioritylevelconfigurations PriorityLevelConfiguration C [] [] 8 [status]"}},
      {"networking.k8s.io/v1",
       {"ingressclasses IngressClass C [] [] 8 []", "ingresses Ingress N [ing] [] 8 [status]",
        "ipaddresses IPAddress C [ip] [] 8 []", "networkpolicies NetworkPolicy N [netpol] [] 8 []",
        "servicecidrs ServiceCIDR C [] [] 8 [status]"}},
      {"node.k8s.io/v1", {"runtimeclasses RuntimeClass C [] [] 8 []"}},
      {"policy/v1", {"poddisruptionbudgets PodDisruptionBudget N [pdb] [] 8 [status]"}},
      {"rbac.authorization.k8s.io/v1",
       {"clusterrolebindings ClusterRoleBinding C [] [] 8 []",
        "clusterroles ClusterRole C [] [] 8 []", "rolebindings RoleBinding N [] [] 8 []",
        "roles Role N [] [] 8 []"}},
      {"resource.k8s.io/v1",
       {"deviceclasses DeviceClass C [] [] 8 []", "resourceclaims ResourceClaim N [] [] 8 [status]",
        "resourceclaimtemplates ResourceClaimTemplate N [] [] 8 []",
        "resourceslices ResourceSlice C [] [] 8 []"}},
      {"scheduling.k8s.io/v1", {"priorityclasses PriorityClass C [pc] [] 8 []"}},
      {"storage.k8s.io/v1",
       {"csidrivers CSIDriver C [] [] 8 []", "csinodes CSINode C [] [] 8 []",
        "csistoragecapacities CSIStorageCapacity N [] [] 8 []",
        "storageclasses StorageClass C [sc] [] 8 []",
        "volumeattachments VolumeAttachment C [] [] 8 [status]",
        "volumeattributesclasses VolumeAttributesClass C [vac] [] 8 []"}},
      {"v1",
       {"bindings Binding N [] [] 1 []", "componentstatuses ComponentStatus C [cs] [] 2 []",
        "configmaps ConfigMap N [cm] [] 8 []", "endpoints Endpoints N [ep] [] 8 []",
        "events Event N [ev] [] 8 []", "limitranges LimitRange N [limits] [] 8 []",
        "namespaces Namespace C [ns] [] 7 [finalize,status]", "nodes Node C [no] [] 8 [status]",
        "persistentvolumeclaims PersistentVolumeClaim N [pvc] [] 8 [status]",
        "persistentvolumes PersistentVolume C [pv] [] 8 [status]",
        "pods Pod N [po] [all] 8 [binding,ephemeralcontainers,eviction,resize,status]",
        "podtemplates PodTemplate N [] [] 8 []",
        "replicationcontrollers ReplicationController N [rc] [all] 8 [scale,status]",
        "resourcequotas ResourceQuota N [quota] [] 8 [status]", "secrets Secret N [] [] 8 []",
        "serviceaccounts ServiceAccount N [sa] [] 8 [token]",
        "services Service N [svc] [all] 8 [status]"}},
  };
  std::map<std::string, std::set<std::string>> actual;
  for (const ResourcePtr& resource : BuiltinResources()) {
    actual[resource->api_version()].insert(Describe(*resource));
  }
  for (const auto& [version, resources] : expected) {
    EXPECT_EQ(actual[version], resources) << version;
  }
  EXPECT_EQ(actual.size(), expected.size());
}

TEST(BuiltinResourcesTest, AreComplete) {
  for (const ResourcePtr& resource : BuiltinResources()) {
    EXPECT_NE(resource->schema, nullptr) << resource->plural;
    EXPECT_NE(resource->schema->FindProperty("metadata"), nullptr) << resource->plural;
    EXPECT_NE(resource->strategy, nullptr) << resource->plural;
    EXPECT_FALSE(resource->custom);
    EXPECT_EQ(resource->list_kind, resource->kind + "List");
    EXPECT_EQ(resource->singular, Lower(resource->kind));
    EXPECT_TRUE(std::ranges::is_sorted(resource->verbs));
    EXPECT_TRUE(std::ranges::is_sorted(resource->selectable_fields)) << resource->plural;
  }
}

TEST(BuiltinResourcesTest, ReviewsAreOnlyCreated) {
  const std::vector<std::string> create = {"create"};
  EXPECT_EQ(Find("", "v1", "bindings").verbs, create);
  EXPECT_EQ(Find("authentication.k8s.io", "v1", "tokenreviews").verbs, create);
  EXPECT_EQ(Find("authorization.k8s.io", "v1", "subjectaccessreviews").verbs, create);
  EXPECT_FALSE(Find("", "v1", "namespaces").Allows("deletecollection"));
  EXPECT_TRUE(Find("", "v1", "pods").Allows("deletecollection"));
}

TEST(BuiltinResourcesTest, SubresourcesHaveTheirKind) {
  const Resource& pods = Find("", "v1", "pods");
  EXPECT_EQ(pods.FindSubresource("eviction")->kind.ToString(), "policy/v1, Kind=Eviction");
  EXPECT_NE(pods.FindSubresource("eviction")->schema, nullptr);
  EXPECT_EQ(pods.FindSubresource("status")->schema, nullptr);
  EXPECT_EQ(pods.FindSubresource("status")->verbs,
            (std::vector<std::string>{"get", "patch", "update"}));
  EXPECT_EQ(Find("apps", "v1", "deployments").FindSubresource("scale")->kind.ApiVersion(),
            "autoscaling/v1");
}

TEST(BuiltinResourcesTest, StoreKindsWithTwoVersionsInOne) {
  EXPECT_EQ(Find("autoscaling", "v1", "horizontalpodautoscalers").storage_version, "v2");
  EXPECT_EQ(StoragePrefix(Find("", "v1", "events"), "shop"), "/registry/core/events/shop/");
  EXPECT_EQ(StoragePrefix(Find("events.k8s.io", "v1", "events"), "shop"),
            "/registry/core/events/shop/");
  EXPECT_EQ(StoragePrefix(Find("apps", "v1", "deployments"), ""), "/registry/apps/deployments/");
}

}  // namespace
}  // namespace kubexms
