#include "kubexms/api/builtin/builtin_kinds.h"

#include <algorithm>

#include "kubexms/api/kinds/admissionregistration_v1.h"
#include "kubexms/api/kinds/apiextensions_v1.h"
#include "kubexms/api/kinds/apiregistration_v1.h"
#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/authentication_v1.h"
#include "kubexms/api/kinds/authorization_v1.h"
#include "kubexms/api/kinds/autoscaling_v1.h"
#include "kubexms/api/kinds/autoscaling_v2.h"
#include "kubexms/api/kinds/batch_v1.h"
#include "kubexms/api/kinds/certificates_v1.h"
#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/api/kinds/core_v1/volume.h"
#include "kubexms/api/kinds/discovery_v1.h"
#include "kubexms/api/kinds/events_v1.h"
#include "kubexms/api/kinds/flowcontrol_v1.h"
#include "kubexms/api/kinds/networking_v1.h"
#include "kubexms/api/kinds/node_v1.h"
#include "kubexms/api/kinds/policy_v1.h"
#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/api/kinds/resource_v1.h"
#include "kubexms/api/kinds/scheduling_v1.h"
#include "kubexms/api/kinds/storage_v1.h"

namespace kubexms {

const std::vector<const TypeInfo*>& BuiltinKinds() {
  static const std::vector<const TypeInfo*> kKinds = {
      &TypeOf<corev1::Binding>(),
      &TypeOf<corev1::ComponentStatus>(),
      &TypeOf<corev1::ConfigMap>(),
      &TypeOf<corev1::Endpoints>(),
      &TypeOf<corev1::Event>(),
      &TypeOf<corev1::LimitRange>(),
      &TypeOf<corev1::Namespace>(),
      &TypeOf<corev1::Node>(),
      &TypeOf<corev1::PersistentVolume>(),
      &TypeOf<corev1::PersistentVolumeClaim>(),
      &TypeOf<corev1::Pod>(),
      &TypeOf<corev1::PodTemplate>(),
      &TypeOf<corev1::ReplicationController>(),
      &TypeOf<corev1::ResourceQuota>(),
      &TypeOf<corev1::Secret>(),
      &TypeOf<corev1::Service>(),
      &TypeOf<corev1::ServiceAccount>(),
      &TypeOf<admissionregistrationv1::MutatingWebhookConfiguration>(),
      &TypeOf<admissionregistrationv1::ValidatingAdmissionPolicy>(),
      &TypeOf<admissionregistrationv1::ValidatingAdmissionPolicyBinding>(),
      &TypeOf<admissionregistrationv1::ValidatingWebhookConfiguration>(),
      &TypeOf<apiextensionsv1::CustomResourceDefinition>(),
      &TypeOf<apiregistrationv1::APIService>(),
      &TypeOf<appsv1::ControllerRevision>(),
      &TypeOf<appsv1::DaemonSet>(),
      &TypeOf<appsv1::Deployment>(),
      &TypeOf<appsv1::ReplicaSet>(),
      &TypeOf<appsv1::StatefulSet>(),
      &TypeOf<authenticationv1::SelfSubjectReview>(),
      &TypeOf<authenticationv1::TokenRequest>(),
      &TypeOf<authenticationv1::TokenReview>(),
      &TypeOf<authorizationv1::LocalSubjectAccessReview>(),
      &TypeOf<authorizationv1::SelfSubjectAccessReview>(),
      &TypeOf<authorizationv1::SelfSubjectRulesReview>(),
      &TypeOf<authorizationv1::SubjectAccessReview>(),
      &TypeOf<autoscalingv1::HorizontalPodAutoscaler>(),
      &TypeOf<autoscalingv1::Scale>(),
      &TypeOf<autoscalingv2::HorizontalPodAutoscaler>(),
      &TypeOf<batchv1::CronJob>(),
      &TypeOf<batchv1::Job>(),
      &TypeOf<certificatesv1::CertificateSigningRequest>(),
      &TypeOf<coordinationv1::Lease>(),
      &TypeOf<discoveryv1::EndpointSlice>(),
      &TypeOf<eventsv1::Event>(),
      &TypeOf<flowcontrolv1::FlowSchema>(),
      &TypeOf<flowcontrolv1::PriorityLevelConfiguration>(),
      &TypeOf<networkingv1::IPAddress>(),
      &TypeOf<networkingv1::Ingress>(),
      &TypeOf<networkingv1::IngressClass>(),
      &TypeOf<networkingv1::NetworkPolicy>(),
      &TypeOf<networkingv1::ServiceCIDR>(),
      &TypeOf<nodev1::RuntimeClass>(),
      &TypeOf<policyv1::Eviction>(),
      &TypeOf<policyv1::PodDisruptionBudget>(),
      &TypeOf<rbacv1::ClusterRole>(),
      &TypeOf<rbacv1::ClusterRoleBinding>(),
      &TypeOf<rbacv1::Role>(),
      &TypeOf<rbacv1::RoleBinding>(),
      &TypeOf<resourcev1::DeviceClass>(),
      &TypeOf<resourcev1::ResourceClaim>(),
      &TypeOf<resourcev1::ResourceClaimTemplate>(),
      &TypeOf<resourcev1::ResourceSlice>(),
      &TypeOf<schedulingv1::PriorityClass>(),
      &TypeOf<storagev1::CSIDriver>(),
      &TypeOf<storagev1::CSINode>(),
      &TypeOf<storagev1::CSIStorageCapacity>(),
      &TypeOf<storagev1::StorageClass>(),
      &TypeOf<storagev1::VolumeAttachment>(),
      &TypeOf<storagev1::VolumeAttributesClass>(),
  };
  return kKinds;
}

const TypeInfo* FindBuiltinKind(std::string_view group, std::string_view version,
                                std::string_view kind) {
  const auto& kinds = BuiltinKinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const TypeInfo* type) {
    const KindName& name = *type->kind_name;
    return name.group == group && name.version == version && name.kind == kind;
  });
  return it == kinds.end() ? nullptr : *it;
}

}  // namespace kubexms
