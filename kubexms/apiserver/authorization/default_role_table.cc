#include "kubexms/apiserver/authorization/default_role_table.h"

namespace kubexms {

const std::string_view kDefaultClusterRoles = R"(
admin =admin
cluster-admin
  *: * @*
  * paths: *
edit +admin =edit
system:aggregate-to-admin +admin
  create: localsubjectaccessreviews @authorization.k8s.io
  read write: rolebindings roles @rbac.authorization.k8s.io
system:aggregate-to-edit +edit
  read: pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy
  impersonate: serviceaccounts
  write: pods pods/attach pods/exec pods/portforward pods/proxy
  create: pods/eviction
  write: configmaps events persistentvolumeclaims replicationcontrollers
    replicationcontrollers/scale secrets serviceaccounts services services/proxy
  create: serviceaccounts/token
  write: daemonsets deployments deployments/rollback deployments/scale replicasets
    replicasets/scale statefulsets statefulsets/scale @apps
  write: horizontalpodautoscalers @autoscaling
  write: cronjobs jobs @batch
  write: daemonsets deployments deployments/rollback deployments/scale ingresses
    networkpolicies replicasets replicasets/scale replicationcontrollers/scale @extensions
  write: poddisruptionbudgets @policy
  write: ingresses networkpolicies @networking.k8s.io
  read write: leases @coordination.k8s.io
  write: resourceclaims resourceclaimtemplates @resource.k8s.io
system:aggregate-to-view +view
  read: configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods
    replicationcontrollers replicationcontrollers/scale serviceaccounts services
    services/status
  read: bindings events limitranges namespaces/status pods/log pods/status
    replicationcontrollers/status resourcequotas resourcequotas/status
  read: namespaces
  read: endpointslices @discovery.k8s.io
  read: controllerrevisions daemonsets daemonsets/status deployments deployments/scale
    deployments/status replicasets replicasets/scale replicasets/status statefulsets
    statefulsets/scale statefulsets/status @apps
  read: horizontalpodautoscalers horizontalpodautoscalers/status @autoscaling
  read: cronjobs cronjobs/status jobs jobs/status @batch
  read: daemonsets daemonsets/status deployments deployments/scale deployments/status
    ingresses ingresses/status networkpolicies replicasets replicasets/scale
    replicasets/status replicationcontrollers/scale @extensions
  read: poddisruptionbudgets poddisruptionbudgets/status @policy
  read: ingresses ingresses/status networkpolicies @networking.k8s.io
  read: resourceclaims resourceclaims/status resourceclaimtemplates @resource.k8s.io
system:auth-delegator
  create: tokenreviews @authentication.k8s.io
  create: subjectaccessreviews @authorization.k8s.io
system:basic-user
  create: selfsubjectaccessreviews selfsubjectrulesreviews @authorization.k8s.io
  create: selfsubjectreviews @authentication.k8s.io
system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create: certificatesigningrequests/nodeclient @certificates.k8s.io
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create: certificatesigningrequests/selfnodeclient @certificates.k8s.io
system:certificates.k8s.io:kube-apiserver-client-approver
  approve: signers @certificates.k8s.io #kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve: signers @certificates.k8s.io #kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver
  approve: signers @certificates.k8s.io #kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver
  approve: signers @certificates.k8s.io #kubernetes.io/legacy-unknown
system:discovery
  get paths: /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version
    /version/
system:heapster
  read: events namespaces nodes pods
  read: deployments @extensions
system:kube-aggregator
  read: endpoints services
system:kube-controller-manager
  events
  create: leases @coordination.k8s.io
  get update: leases @coordination.k8s.io #kube-controller-manager
  create: secrets serviceaccounts
  delete: secrets
  get: configmaps namespaces secrets serviceaccounts
  update: secrets serviceaccounts
  create: tokenreviews @authentication.k8s.io
  create: subjectaccessreviews @authorization.k8s.io
  list watch: * @*
  create: serviceaccounts/token
system:kube-dns
  list watch: endpoints services
system:kube-scheduler
  events
  create: leases @coordination.k8s.io
  get list update watch: leases @coordination.k8s.io #kube-scheduler
  read write: leasecandidates @coordination.k8s.io
  read: nodes
  delete get list watch: pods
  create: bindings pods/binding
  patch update: pods/status
  read: replicationcontrollers services
  read: replicasets @apps @extensions
  read: statefulsets @apps
  read: poddisruptionbudgets @policy
  read: persistentvolumeclaims persistentvolumes
  create: tokenreviews @authentication.k8s.io
  create: subjectaccessreviews @authorization.k8s.io
  read: csinodes @storage.k8s.io
  read: volumeattachments @storage.k8s.io
  read: namespaces
  read: csidrivers @storage.k8s.io
  read: csistoragecapacities @storage.k8s.io
  read: deviceclasses @resource.k8s.io
  get list patch update watch: resourceclaims @resource.k8s.io
  get list patch update watch: resourceclaims/status @resource.k8s.io
  update: pods/finalizers
  read: resourceslices @resource.k8s.io
system:kubelet-api-admin
  read: nodes
  proxy: nodes
  *: nodes/log nodes/metrics nodes/proxy nodes/stats
  *: nodes/configz nodes/healthz nodes/pods
system:monitoring
  get paths: /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*
  get: nodes/metrics
system:node
  create: tokenreviews @authentication.k8s.io
  create: localsubjectaccessreviews subjectaccessreviews @authorization.k8s.io
  read: services
  create get list watch: nodes
  patch update: nodes/status
  patch update: nodes
  create patch update: events
  read: pods
  create delete: pods
  patch update: pods/status
  create: pods/eviction
  read: configmaps secrets
  get: persistentvolumeclaims persistentvolumes
  get: endpoints
  create get list watch: certificatesigningrequests @certificates.k8s.io
  create delete get patch update: leases @coordination.k8s.io
  get: volumeattachments @storage.k8s.io
  create: serviceaccounts/token
  get patch update: persistentvolumeclaims/status
  read: csidrivers @storage.k8s.io
  create delete get patch update: csinodes @storage.k8s.io
  read: runtimeclasses @node.k8s.io
  get: resourceclaims @resource.k8s.io
  deletecollection: resourceslices @resource.k8s.io
  get: serviceaccounts
system:node-bootstrapper
  create get list watch: certificatesigningrequests @certificates.k8s.io
system:node-problem-detector
  get: nodes
  patch: nodes/status
  events
system:node-proxier
  list watch: endpoints services
  read: nodes
  events
  list watch: servicecidrs @networking.k8s.io
  list watch: endpointslices @discovery.k8s.io
system:persistent-volume-provisioner
  create delete get list watch: persistentvolumes
  get list update watch: persistentvolumeclaims
  read: storageclasses @storage.k8s.io
  watch: events
  events
system:public-info-viewer
  get paths: /healthz /livez /readyz /version /version/
system:service-account-issuer-discovery
  get paths: /.well-known/openid-configuration /.well-known/openid-configuration/
    /openid/v1/jwks /openid/v1/jwks/
system:volume-scheduler
  get list patch update watch: persistentvolumes
  read: storageclasses @storage.k8s.io
  get list patch update watch: persistentvolumeclaims
view +edit =view
)";

const std::string_view kDefaultControllerRoles = R"(
attachdetach-controller
  list watch: persistentvolumeclaims persistentvolumes
  read: nodes
  patch update: nodes/status
  list watch: pods
  events
  create delete get list watch: volumeattachments @storage.k8s.io
  read: csidrivers @storage.k8s.io
  read: csinodes @storage.k8s.io
certificate-controller
  delete get list watch: certificatesigningrequests @certificates.k8s.io
  update: certificatesigningrequests/approval certificatesigningrequests/status
    @certificates.k8s.io
  approve: signers @certificates.k8s.io #kubernetes.io/kube-apiserver-client-kubelet
  sign: signers @certificates.k8s.io #kubernetes.io/kube-apiserver-client
    #kubernetes.io/kube-apiserver-client-kubelet #kubernetes.io/kubelet-serving
    #kubernetes.io/legacy-unknown
  create: subjectaccessreviews @authorization.k8s.io
  events
clusterrole-aggregation-controller
  escalate get list patch update watch: clusterroles @rbac.authorization.k8s.io
cronjob-controller
  get list update watch: cronjobs @batch
  create delete get list patch update watch: jobs @batch
  update: cronjobs/status @batch
  update: cronjobs/finalizers @batch
  delete list watch: pods
  events
daemon-set-controller
  read: daemonsets @apps @extensions
  update: daemonsets/status @apps @extensions
  update: daemonsets/finalizers @apps @extensions
  list watch: nodes
  create delete list patch watch: pods
  create: pods/binding
  create delete get list patch update watch: controllerrevisions @apps
  events
deployment-controller
  get list update watch: deployments @apps @extensions
  update: deployments/status @apps @extensions
  update: deployments/finalizers @apps @extensions
  create delete get list patch update watch: replicasets @apps @extensions
  get list update watch: pods
  events
disruption-controller
  read: deployments @apps @extensions
  read: replicasets @apps @extensions
  read: replicationcontrollers
  read: poddisruptionbudgets @policy
  read: statefulsets @apps
  update: poddisruptionbudgets/status @policy
  patch update: pods/status
  get: */scale @*
  events
endpoint-controller
  read: pods services
  create delete get list update watch: endpoints
  create: endpoints/restricted
  events
endpointslice-controller
  read: nodes pods services
  update: services/finalizers
  create delete get list update watch: endpointslices @discovery.k8s.io
  events
endpointslicemirroring-controller
  read: endpoints services
  update: services/finalizers
  update: endpoints/finalizers
  create delete get list update watch: endpointslices @discovery.k8s.io
  events
ephemeral-volume-controller
  read: pods
  update: pods/finalizers
  create get list watch: persistentvolumeclaims
  events
expand-controller
  get list patch update watch: persistentvolumes
  patch update: persistentvolumeclaims/status
  read: persistentvolumeclaims
  events
  get: services
generic-garbage-collector
  delete get list patch update watch: * @*
  events
horizontal-pod-autoscaler
  read: horizontalpodautoscalers @autoscaling
  update: horizontalpodautoscalers/status @autoscaling
  get update: */scale @*
  list watch: pods
  list watch: pods @metrics.k8s.io
  read: * @custom.metrics.k8s.io
  read: * @external.metrics.k8s.io
  events
job-controller
  get list patch update watch: jobs @batch
  update: jobs/status @batch
  update: jobs/finalizers @batch
  create delete list patch watch: pods
  events
legacy-service-account-token-cleaner
  get: configmaps #kube-apiserver-legacy-service-account-token-tracking
  delete patch: secrets
namespace-controller
  delete get list watch: namespaces
  update: namespaces/finalize namespaces/status
  delete deletecollection get list watch: * @*
node-controller
  delete get list patch update watch: nodes
  patch update: nodes/status
  patch update: pods/status
  delete get list watch: pods
  events
persistent-volume-binder
  create delete get list update watch: persistentvolumes
  update: persistentvolumes/status
  get list update watch: persistentvolumeclaims
  update: persistentvolumeclaims/status
  create delete get list watch: pods
  read: storageclasses @storage.k8s.io
  list watch: nodes
  events
  watch: events
  get: services
pod-garbage-collector
  delete list watch: pods
  read: nodes
  patch: pods/status
pv-protection-controller
  get list update watch: persistentvolumes
  events
pvc-protection-controller
  get list update watch: persistentvolumeclaims
  read: pods
  events
replicaset-controller
  get list update watch: replicasets @apps @extensions
  update: replicasets/status @apps @extensions
  update: replicasets/finalizers @apps @extensions
  create delete list patch watch: pods
  events
replication-controller
  get list update watch: replicationcontrollers
  update: replicationcontrollers/status
  update: replicationcontrollers/finalizers
  create delete list patch watch: pods
  events
resource-claim-controller
  read: pods
  update: pods/finalizers
  create delete get list watch: resourceclaims @resource.k8s.io
  patch update: resourceclaims resourceclaims/status @resource.k8s.io
  patch update: pods/status
  events
resourcequota-controller
  list watch: * @*
  update: resourcequotas/status
  events
root-ca-cert-publisher
  create update: configmaps
  events
route-controller
  list watch: nodes
  patch: nodes/status
  events
selinux-warning-controller
  events
  read: persistentvolumes
  read: persistentvolumeclaims
  read: pods
  read: csidrivers @storage.k8s.io
service-account-controller
  create: serviceaccounts
  events
service-cidrs-controller
  get list patch update watch: servicecidrs @networking.k8s.io
  patch update: servicecidrs/finalizers @networking.k8s.io
  patch update: servicecidrs/status @networking.k8s.io
  read: ipaddresses @networking.k8s.io
  events
service-controller
  read: services
  patch update: services/status
  list watch: nodes
  events
statefulset-controller
  list watch: pods
  read: statefulsets @apps
  update: statefulsets/status @apps
  update: statefulsets/finalizers @apps
  create delete get patch update: pods
  create delete get list patch update watch: controllerrevisions @apps
  create get list watch: persistentvolumeclaims
  events
  delete update: persistentvolumeclaims
  update: pods/finalizers
ttl-after-finished-controller
  delete get list watch: jobs @batch
  events
ttl-controller
  list patch update watch: nodes
  events
validatingadmissionpolicy-status-controller
  read: validatingadmissionpolicies @admissionregistration.k8s.io
  get patch update: validatingadmissionpolicies/status @admissionregistration.k8s.io
  events
volumeattributesclass-protection-controller
  read: persistentvolumeclaims
  read: persistentvolumes
  get list update watch: volumeattributesclasses @storage.k8s.io
  events
)";

const std::string_view kDefaultSystemNamespaceRoles = R"(
extension-apiserver-authentication-reader
  read: configmaps #extension-apiserver-authentication
system::leader-locking-kube-controller-manager
  watch: configmaps
  get update: configmaps #kube-controller-manager
  create get list update watch: leases @coordination.k8s.io
  create get list update watch: leasecandidates @coordination.k8s.io
system::leader-locking-kube-scheduler
  watch: configmaps
  get update: configmaps #kube-scheduler
  create get list update watch: leases @coordination.k8s.io
  create get list update watch: leasecandidates @coordination.k8s.io
system:controller:bootstrap-signer
  read: secrets
system:controller:cloud-provider
  create get list watch: configmaps
system:controller:token-cleaner
  delete get list watch: secrets
  events
)";

const std::string_view kDefaultPublicNamespaceRoles = R"(
system:controller:bootstrap-signer
  read: configmaps
  update: configmaps #cluster-info
  events
)";

}  // namespace kubexms
