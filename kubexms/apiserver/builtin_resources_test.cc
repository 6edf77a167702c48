#include "kubexms/apiserver/builtin_resources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kubexms {
namespace {

const Resource& Find(std::string_view group, std::string_view version, std::string_view plural) {
  static const std::vector<ResourcePtr> resources = BuiltinResources();
  const auto found = std::ranges::find_if(resources, [&](const ResourcePtr& resource) {
    return resource->group == group && resource->version == version && resource->plural == plural;
  });
  KUBEXMS_CHECK(found != resources.end());
  return **found;
}

// group/version, plural, singular, kind, N or C for the scope, short names, categories, number of
// verbs, subresources.
std::string Describe(const Resource& resource) {
  std::vector<std::string> subresources;
  for (const Subresource& subresource : resource.subresources) {
    subresources.push_back(subresource.name);
  }
  return fmt::format("{} {} {} {} {} [{}] [{}] {} [{}]", resource.api_version(), resource.plural,
                     resource.singular, resource.kind, resource.namespaced ? "N" : "C",
                     fmt::join(resource.short_names, ","), fmt::join(resource.categories, ","),
                     resource.verbs.size(), fmt::join(subresources, ","));
}

TEST(BuiltinResourcesTest, AreThoseOfKubernetes) {
  const std::set<std::string> expected = {
      // clang-format off
      "v1 bindings binding Binding N [] [] 1 []",
      "v1 componentstatuses componentstatus ComponentStatus C [cs] [] 2 []",
      "v1 configmaps configmap ConfigMap N [cm] [] 8 []",
      "v1 endpoints endpoints Endpoints N [ep] [] 8 []",
      "v1 events event Event N [ev] [] 8 []",
      "v1 limitranges limitrange LimitRange N [limits] [] 8 []",
      "v1 namespaces namespace Namespace C [ns] [] 7 [finalize,status]",
      "v1 nodes node Node C [no] [] 8 [status]",
      "v1 persistentvolumeclaims persistentvolumeclaim PersistentVolumeClaim N [pvc] [] 8 [status]",
      "v1 persistentvolumes persistentvolume PersistentVolume C [pv] [] 8 [status]",
      "v1 pods pod Pod N [po] [all] 8 [binding,ephemeralcontainers,eviction,resize,status]",
      "v1 podtemplates podtemplate PodTemplate N [] [] 8 []",
      "v1 replicationcontrollers replicationcontroller ReplicationController N [rc] [all] 8 [scale,status]",
      "v1 resourcequotas resourcequota ResourceQuota N [quota] [] 8 [status]",
      "v1 secrets secret Secret N [] [] 8 []",
      "v1 serviceaccounts serviceaccount ServiceAccount N [sa] [] 8 [token]",
      "v1 services service Service N [svc] [all] 8 [status]",
      "apiregistration.k8s.io/v1 apiservices apiservice APIService C [] [api-extensions] 8 [status]",
      "apps/v1 controllerrevisions controllerrevision ControllerRevision N [] [] 8 []",
      "apps/v1 daemonsets daemonset DaemonSet N [ds] [all] 8 [status]",
      "apps/v1 deployments deployment Deployment N [deploy] [all] 8 [scale,status]",
      "apps/v1 replicasets replicaset ReplicaSet N [rs] [all] 8 [scale,status]",
      "apps/v1 statefulsets statefulset StatefulSet N [sts] [all] 8 [scale,status]",
      "events.k8s.io/v1 events event Event N [ev] [] 8 []",
      "authentication.k8s.io/v1 selfsubjectreviews selfsubjectreview SelfSubjectReview C [] [] 1 []",
      "authentication.k8s.io/v1 tokenreviews tokenreview TokenReview C [] [] 1 []",
      "authorization.k8s.io/v1 localsubjectaccessreviews localsubjectaccessreview LocalSubjectAccessReview N [] [] 1 []",
      "authorization.k8s.io/v1 selfsubjectaccessreviews selfsubjectaccessreview SelfSubjectAccessReview C [] [] 1 []",
      "authorization.k8s.io/v1 selfsubjectrulesreviews selfsubjectrulesreview SelfSubjectRulesReview C [] [] 1 []",
      "authorization.k8s.io/v1 subjectaccessreviews subjectaccessreview SubjectAccessReview C [] [] 1 []",
      "autoscaling/v2 horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler N [hpa] [all] 8 [status]",
      "autoscaling/v1 horizontalpodautoscalers horizontalpodautoscaler HorizontalPodAutoscaler N [hpa] [all] 8 [status]",
      "batch/v1 cronjobs cronjob CronJob N [cj] [all] 8 [status]",
      "batch/v1 jobs job Job N [] [all] 8 [status]",
      "certificates.k8s.io/v1 certificatesigningrequests certificatesigningrequest CertificateSigningRequest C [csr] [] 8 [approval,status]",
      "networking.k8s.io/v1 ingressclasses ingressclass IngressClass C [] [] 8 []",
      "networking.k8s.io/v1 ingresses ingress Ingress N [ing] [] 8 [status]",
      "networking.k8s.io/v1 ipaddresses ipaddress IPAddress C [ip] [] 8 []",
      "networking.k8s.io/v1 networkpolicies networkpolicy NetworkPolicy N [netpol] [] 8 []",
      "networking.k8s.io/v1 servicecidrs servicecidr ServiceCIDR C [] [] 8 [status]",
      "policy/v1 poddisruptionbudgets poddisruptionbudget PodDisruptionBudget N [pdb] [] 8 [status]",
      "rbac.authorization.k8s.io/v1 clusterrolebindings clusterrolebinding ClusterRoleBinding C [] [] 8 []",
      "rbac.authorization.k8s.io/v1 clusterroles clusterrole ClusterRole C [] [] 8 []",
      "rbac.authorization.k8s.io/v1 rolebindings rolebinding RoleBinding N [] [] 8 []",
      "rbac.authorization.k8s.io/v1 roles role Role N [] [] 8 []",
      "storage.k8s.io/v1 csidrivers csidriver CSIDriver C [] [] 8 []",
      "storage.k8s.io/v1 csinodes csinode CSINode C [] [] 8 []",
      "storage.k8s.io/v1 csistoragecapacities csistoragecapacity CSIStorageCapacity N [] [] 8 []",
      "storage.k8s.io/v1 storageclasses storageclass StorageClass C [sc] [] 8 []",
      "storage.k8s.io/v1 volumeattachments volumeattachment VolumeAttachment C [] [] 8 [status]",
      "storage.k8s.io/v1 volumeattributesclasses volumeattributesclass VolumeAttributesClass C [vac] [] 8 []",
      "admissionregistration.k8s.io/v1 mutatingwebhookconfigurations mutatingwebhookconfiguration MutatingWebhookConfiguration C [] [api-extensions] 8 []",
      "admissionregistration.k8s.io/v1 validatingadmissionpolicies validatingadmissionpolicy ValidatingAdmissionPolicy C [] [api-extensions] 8 [status]",
      "admissionregistration.k8s.io/v1 validatingadmissionpolicybindings validatingadmissionpolicybinding ValidatingAdmissionPolicyBinding C [] [api-extensions] 8 []",
      "admissionregistration.k8s.io/v1 validatingwebhookconfigurations validatingwebhookconfiguration ValidatingWebhookConfiguration C [] [api-extensions] 8 []",
      "apiextensions.k8s.io/v1 customresourcedefinitions customresourcedefinition CustomResourceDefinition C [crd,crds] [api-extensions] 8 [status]",
      "scheduling.k8s.io/v1 priorityclasses priorityclass PriorityClass C [pc] [] 8 []",
      "coordination.k8s.io/v1 leases lease Lease N [] [] 8 []",
      "node.k8s.io/v1 runtimeclasses runtimeclass RuntimeClass C [] [] 8 []",
      "discovery.k8s.io/v1 endpointslices endpointslice EndpointSlice N [] [] 8 []",
      "resource.k8s.io/v1 deviceclasses deviceclass DeviceClass C [] [] 8 []",
      "resource.k8s.io/v1 resourceclaims resourceclaim ResourceClaim N [] [] 8 [status]",
      "resource.k8s.io/v1 resourceclaimtemplates resourceclaimtemplate ResourceClaimTemplate N [] [] 8 []",
      "resource.k8s.io/v1 resourceslices resourceslice ResourceSlice C [] [] 8 []",
      "flowcontrol.apiserver.k8s.io/v1 flowschemas flowschema FlowSchema C [] [] 8 [status]",
      "flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations prioritylevelconfiguration PriorityLevelConfiguration C [] [] 8 [status]",
      // clang-format on
  };
  std::set<std::string> actual;
  for (const ResourcePtr& resource : BuiltinResources()) actual.insert(Describe(*resource));
  for (const std::string& line : expected) EXPECT_TRUE(actual.contains(line)) << line;
  for (const std::string& line : actual) EXPECT_TRUE(expected.contains(line)) << line;
}

TEST(BuiltinResourcesTest, AreComplete) {
  for (const ResourcePtr& resource : BuiltinResources()) {
    EXPECT_NE(resource->schema, nullptr) << resource->plural;
    EXPECT_NE(resource->schema->FindProperty("metadata"), nullptr) << resource->plural;
    EXPECT_NE(resource->strategy, nullptr) << resource->plural;
    EXPECT_FALSE(resource->custom);
    EXPECT_EQ(resource->list_kind, resource->kind + "List");
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

TEST(BuiltinResourcesTest, SubresourcesKnowTheirKind) {
  const Resource& pods = Find("", "v1", "pods");
  EXPECT_EQ(pods.FindSubresource("eviction")->kind.ToString(), "policy/v1, Kind=Eviction");
  EXPECT_NE(pods.FindSubresource("eviction")->schema, nullptr);
  EXPECT_EQ(pods.FindSubresource("status")->schema, nullptr);
  EXPECT_EQ(pods.FindSubresource("status")->verbs,
            (std::vector<std::string>{"get", "patch", "update"}));
  EXPECT_EQ(Find("apps", "v1", "deployments").FindSubresource("scale")->kind.ApiVersion(),
            "autoscaling/v1");
}

TEST(BuiltinResourcesTest, StoresOneFormOfWhatHasTwo) {
  EXPECT_EQ(Find("autoscaling", "v1", "horizontalpodautoscalers").storage_version, "v2");
  EXPECT_EQ(StoragePrefix(Find("", "v1", "events"), "shop"), "/registry/core/events/shop/");
  EXPECT_EQ(StoragePrefix(Find("events.k8s.io", "v1", "events"), "shop"),
            "/registry/core/events/shop/");
  EXPECT_EQ(StoragePrefix(Find("apps", "v1", "deployments"), ""), "/registry/apps/deployments/");
}

}  // namespace
}  // namespace kubexms
