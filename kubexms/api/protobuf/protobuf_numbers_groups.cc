#include "kubexms/api/protobuf/protobuf_numbers.h"

namespace kubexms {
namespace {

constexpr MessageNumbers kAdmissionregistrationV1[] = {
    {"AuditAnnotation", "key=1 valueExpression=2"},
    {"ExpressionWarning", "fieldRef=2 warning=3"},
    {"MatchCondition", "name=1 expression=2"},
    {"MatchResources",
     "namespaceSelector=1 objectSelector=2 resourceRules=3 excludeResourceRules=4 matchPolicy=7"},
    {"MutatingWebhook",
     "name=1 clientConfig=2 rules=3 failurePolicy=4 namespaceSelector=5 sideEffects=6 "
     "timeoutSeconds=7 admissionReviewVersions=8 matchPolicy=9 reinvocationPolicy=10 "
     "objectSelector=11 matchConditions=12"},
    {"MutatingWebhookConfiguration", "metadata=1 webhooks=2"},
    {"NamedRuleWithOperations",
     "resourceNames=1 2(operations=1 2(apiGroups=1 apiVersions=2 resources=3 scope=4))"},
    {"ParamKind", "apiVersion=1 kind=2"},
    {"ParamRef", "name=1 namespace=2 selector=3 parameterNotFoundAction=4"},
    {"RuleWithOperations", "operations=1 2(apiGroups=1 apiVersions=2 resources=3 scope=4)"},
    {"ServiceReference", "namespace=1 name=2 path=3 port=4"},
    {"TypeChecking", "expressionWarnings=1"},
    {"ValidatingAdmissionPolicy", "metadata=1 spec=2 status=3"},
    {"ValidatingAdmissionPolicyBinding", "metadata=1 spec=2"},
    {"ValidatingAdmissionPolicyBindingSpec",
     "policyName=1 paramRef=2 matchResources=3 validationActions=4"},
    {"ValidatingAdmissionPolicySpec",
     "paramKind=1 matchConstraints=2 validations=3 failurePolicy=4 auditAnnotations=5 "
     "matchConditions=6 variables=7"},
    {"ValidatingAdmissionPolicyStatus", "observedGeneration=1 typeChecking=2 conditions=3"},
    {"ValidatingWebhook",
     "name=1 clientConfig=2 rules=3 failurePolicy=4 namespaceSelector=5 sideEffects=6 "
     "timeoutSeconds=7 admissionReviewVersions=8 matchPolicy=9 objectSelector=10 "
     "matchConditions=11"},
    {"ValidatingWebhookConfiguration", "metadata=1 webhooks=2"},
    {"Validation", "expression=1 message=2 reason=3 messageExpression=4"},
    {"Variable", "name=1 expression=2"},
    {"WebhookClientConfig", "service=1 caBundle=2 url=3"},
};

constexpr MessageNumbers kAppsV1[] = {
    {"ControllerRevision", "metadata=1 data=2 revision=3"},
    {"DaemonSet", "metadata=1 spec=2 status=3"},
    {"DaemonSetCondition", "type=1 status=2 lastTransitionTime=3 reason=4 message=5"},
    {"DaemonSetSpec",
     "selector=1 template=2 updateStrategy=3 minReadySeconds=4? revisionHistoryLimit=6"},
    {"DaemonSetStatus",
     "currentNumberScheduled=1 numberMisscheduled=2 desiredNumberScheduled=3 numberReady=4 "
     "observedGeneration=5 updatedNumberScheduled=6 numberAvailable=7 numberUnavailable=8 "
     "collisionCount=9 conditions=10"},
    {"DaemonSetUpdateStrategy", "type=1 rollingUpdate=2"},
    {"Deployment", "metadata=1 spec=2 status=3"},
    {"DeploymentCondition",
     "type=1 status=2 reason=4 message=5 lastUpdateTime=6 lastTransitionTime=7"},
    {"DeploymentSpec",
     "replicas=1 selector=2 template=3 strategy=4 minReadySeconds=5? revisionHistoryLimit=6 "
     "paused=7 progressDeadlineSeconds=9"},
    {"DeploymentStatus",
     "observedGeneration=1 replicas=2 updatedReplicas=3 availableReplicas=4 "
     "unavailableReplicas=5 conditions=6 readyReplicas=7 collisionCount=8 terminatingReplicas=9"},
    {"DeploymentStrategy", "type=1 rollingUpdate=2"},
    {"ReplicaSet", "metadata=1 spec=2 status=3"},
    {"ReplicaSetCondition", "type=1 status=2 lastTransitionTime=3 reason=4 message=5"},
    {"ReplicaSetSpec", "replicas=1 selector=2 template=3 minReadySeconds=4?"},
    {"ReplicaSetStatus",
     "replicas=1 fullyLabeledReplicas=2 observedGeneration=3 readyReplicas=4 "
     "availableReplicas=5 conditions=6 terminatingReplicas=7"},
    {"RollingUpdateDaemonSet", "maxUnavailable=1 maxSurge=2"},
    {"RollingUpdateDeployment", "maxUnavailable=1 maxSurge=2"},
    {"RollingUpdateStatefulSetStrategy", "partition=1 maxUnavailable=2"},
    {"StatefulSet", "metadata=1 spec=2 status=3"},
    {"StatefulSetCondition", "type=1 status=2 lastTransitionTime=3 reason=4 message=5"},
    {"StatefulSetOrdinals", "start=1"},
    {"StatefulSetPersistentVolumeClaimRetentionPolicy", "whenDeleted=1 whenScaled=2"},
    {"StatefulSetSpec",
     "replicas=1 selector=2 template=3 volumeClaimTemplates=4 serviceName=5 "
     "podManagementPolicy=6 updateStrategy=7 revisionHistoryLimit=8 minReadySeconds=9? "
     "persistentVolumeClaimRetentionPolicy=10 ordinals=11"},
    {"StatefulSetStatus",
     "observedGeneration=1 replicas=2 readyReplicas=3 currentReplicas=4 updatedReplicas=5 "
     "currentRevision=6 updateRevision=7 collisionCount=9 conditions=10 availableReplicas=11"},
    {"StatefulSetUpdateStrategy", "type=1 rollingUpdate=2"},
};

constexpr MessageNumbers kAuthenticationV1[] = {
    {"BoundObjectReference", "kind=1 apiVersion=2 name=3 uid=4"},
    {"SelfSubjectReview", "metadata=1 status=2"},
    {"SelfSubjectReviewStatus", "userInfo=1"},
    {"TokenRequest", "metadata=1 spec=2 status=3"},
    {"TokenRequestSpec", "audiences=1 boundObjectRef=3 expirationSeconds=4"},
    {"TokenRequestStatus", "token=1 expirationTimestamp=2"},
    {"TokenReview", "metadata=1 spec=2 status=3"},
    {"TokenReviewSpec", "token=1 audiences=2"},
    {"TokenReviewStatus", "authenticated=1 user=2 error=3 audiences=4"},
    {"UserInfo", "username=1 uid=2 groups=3 extra=4"},
};

constexpr MessageNumbers kAuthorizationV1[] = {
    {"FieldSelectorAttributes", "rawSelector=1 requirements=2"},
    {"LabelSelectorAttributes", "rawSelector=1 requirements=2"},
    {"LocalSubjectAccessReview", "metadata=1 spec=2 status=3"},
    {"NonResourceAttributes", "path=1 verb=2"},
    {"NonResourceRule", "verbs=1 nonResourceURLs=2"},
    {"ResourceAttributes",
     "namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7 fieldSelector=8 "
     "labelSelector=9"},
    {"ResourceRule", "verbs=1 apiGroups=2 resources=3 resourceNames=4"},
    {"SelfSubjectAccessReview", "metadata=1 spec=2 status=3"},
    {"SelfSubjectAccessReviewSpec", "resourceAttributes=1 nonResourceAttributes=2"},
    {"SelfSubjectRulesReview", "metadata=1 spec=2 status=3"},
    {"SelfSubjectRulesReviewSpec", "namespace=1"},
    {"SubjectAccessReview", "metadata=1 spec=2 status=3"},
    {"SubjectAccessReviewSpec",
     "resourceAttributes=1 nonResourceAttributes=2 user=3 groups=4 extra=5 uid=6"},
    {"SubjectAccessReviewStatus", "allowed=1 reason=2 evaluationError=3 denied=4"},
    {"SubjectRulesReviewStatus",
     "resourceRules=1 nonResourceRules=2 incomplete=3 evaluationError=4"},
};

constexpr MessageNumbers kAutoscalingV1[] = {
    {"CrossVersionObjectReference", "kind=1 name=2 apiVersion=3"},
    {"HorizontalPodAutoscaler", "metadata=1 spec=2 status=3"},
    {"HorizontalPodAutoscalerSpec",
     "scaleTargetRef=1 minReplicas=2 maxReplicas=3 targetCPUUtilizationPercentage=4"},
    {"HorizontalPodAutoscalerStatus",
     "observedGeneration=1 lastScaleTime=2 currentReplicas=3 desiredReplicas=4 "
     "currentCPUUtilizationPercentage=5"},
    {"Scale", "metadata=1 spec=2 status=3"},
    {"ScaleSpec", "replicas=1"},
    {"ScaleStatus", "replicas=1 selector=2"},
};

constexpr MessageNumbers kAutoscalingV2[] = {
    {"ContainerResourceMetricSource", "name=1 target=2 container=3"},
    {"ContainerResourceMetricStatus", "name=1 current=2 container=3"},
    {"CrossVersionObjectReference", "kind=1 name=2 apiVersion=3"},
    {"ExternalMetricSource", "metric=1 target=2"},
    {"ExternalMetricStatus", "metric=1 current=2"},
    {"HPAScalingPolicy", "type=1 value=2 periodSeconds=3"},
    {"HPAScalingRules", "selectPolicy=1 policies=2 stabilizationWindowSeconds=3 tolerance=4"},
    {"HorizontalPodAutoscaler", "metadata=1 spec=2 status=3"},
    {"HorizontalPodAutoscalerBehavior", "scaleUp=1 scaleDown=2"},
    {"HorizontalPodAutoscalerCondition", "type=1 status=2 lastTransitionTime=3 reason=4 message=5"},
    {"HorizontalPodAutoscalerSpec",
     "scaleTargetRef=1 minReplicas=2 maxReplicas=3 metrics=4 behavior=5"},
    {"HorizontalPodAutoscalerStatus",
     "observedGeneration=1 lastScaleTime=2 currentReplicas=3 desiredReplicas=4 currentMetrics=5 "
     "conditions=6"},
    {"MetricIdentifier", "name=1 selector=2"},
    {"MetricSpec", "type=1 object=2 pods=3 resource=4 external=5 containerResource=7"},
    {"MetricStatus", "type=1 object=2 pods=3 resource=4 external=5 containerResource=7"},
    {"MetricTarget", "type=1 value=2 averageValue=3 averageUtilization=4"},
    {"MetricValueStatus", "value=1 averageValue=2 averageUtilization=3"},
    {"ObjectMetricSource", "describedObject=1 target=2 metric=3"},
    {"ObjectMetricStatus", "metric=1 current=2 describedObject=3"},
    {"PodsMetricSource", "metric=1 target=2"},
    {"PodsMetricStatus", "metric=1 current=2"},
    {"ResourceMetricSource", "name=1 target=2"},
    {"ResourceMetricStatus", "name=1 current=2"},
};

constexpr MessageNumbers kBatchV1[] = {
    {"CronJob", "metadata=1 spec=2 status=3"},
    {"CronJobSpec",
     "schedule=1 startingDeadlineSeconds=2 concurrencyPolicy=3 suspend=4 jobTemplate=5 "
     "successfulJobsHistoryLimit=6 failedJobsHistoryLimit=7 timeZone=8"},
    {"CronJobStatus", "active=1 lastScheduleTime=4 lastSuccessfulTime=5"},
    {"Job", "metadata=1 spec=2 status=3"},
    {"JobCondition", "type=1 status=2 lastProbeTime=3 lastTransitionTime=4 reason=5 message=6"},
    {"JobSpec",
     "parallelism=1 completions=2 activeDeadlineSeconds=3 selector=4 manualSelector=5 "
     "template=6 backoffLimit=7 ttlSecondsAfterFinished=8 completionMode=9 suspend=10 "
     "podFailurePolicy=11 backoffLimitPerIndex=12 maxFailedIndexes=13 podReplacementPolicy=14 "
     "managedBy=15 successPolicy=16"},
    {"JobStatus",
     "conditions=1 startTime=2 completionTime=3 active=4 succeeded=5 failed=6 "
     "completedIndexes=7 uncountedTerminatedPods=8 ready=9 failedIndexes=10 terminating=11"},
    {"JobTemplateSpec", "metadata=1 spec=2"},
    {"PodFailurePolicy", "rules=1"},
    {"PodFailurePolicyOnExitCodesRequirement", "containerName=1 operator=2 values=3"},
    {"PodFailurePolicyOnPodConditionsPattern", "type=1 status=2"},
    {"PodFailurePolicyRule", "action=1 onExitCodes=2 onPodConditions=3"},
    {"SuccessPolicy", "rules=1"},
    {"SuccessPolicyRule", "succeededIndexes=1 succeededCount=2"},
    {"UncountedTerminatedPods", "succeeded=1 failed=2"},
};

constexpr MessageNumbers kCertificatesV1[] = {
    {"CertificateSigningRequest", "metadata=1 spec=2 status=3"},
    {"CertificateSigningRequestCondition",
     "type=1 reason=2 message=3 lastUpdateTime=4 lastTransitionTime=5 status=6"},
    {"CertificateSigningRequestSpec",
     "request=1 username=2 uid=3 groups=4 usages=5 extra=6 signerName=7 expirationSeconds=8"},
    {"CertificateSigningRequestStatus", "conditions=1 certificate=2"},
};

constexpr MessageNumbers kCoordinationV1[] = {
    {"Lease", "metadata=1 spec=2"},
    {"LeaseSpec",
     "holderIdentity=1 leaseDurationSeconds=2 acquireTime=3 renewTime=4 leaseTransitions=5 "
     "strategy=6 preferredHolder=7"},
};

constexpr MessageNumbers kDiscoveryV1[] = {
    {"Endpoint",
     "addresses=1 conditions=2 hostname=3 targetRef=4 deprecatedTopology=5 nodeName=6 zone=7 "
     "hints=8"},
    {"EndpointConditions", "ready=1 serving=2 terminating=3"},
    {"EndpointHints", "forZones=1 forNodes=2"},
    {"EndpointPort", "name=1 protocol=2 port=3 appProtocol=4"},
    {"EndpointSlice", "metadata=1 endpoints=2 ports=3 addressType=4"},
    {"ForNode", "name=1"},
    {"ForZone", "name=1"},
};

constexpr MessageNumbers kEventsV1[] = {
    {"Event",
     "metadata=1 eventTime=2 series=3 reportingController=4 reportingInstance=5 action=6 "
     "reason=7 regarding=8 related=9 note=10 type=11 deprecatedSource=12 "
     "deprecatedFirstTimestamp=13 deprecatedLastTimestamp=14 deprecatedCount=15?"},
    {"EventSeries", "count=1 lastObservedTime=2"},
};

constexpr MessageNumbers kFlowcontrolV1[] = {
    {"ExemptPriorityLevelConfiguration", "nominalConcurrencyShares=1 lendablePercent=2"},
    {"FlowDistinguisherMethod", "type=1"},
    {"FlowSchema", "metadata=1 spec=2 status=3"},
    {"FlowSchemaCondition", "type=1 status=2 lastTransitionTime=3 reason=4 message=5"},
    {"FlowSchemaSpec",
     "priorityLevelConfiguration=1 matchingPrecedence=2? distinguisherMethod=3 rules=4"},
    {"FlowSchemaStatus", "conditions=1"},
    {"GroupSubject", "name=1"},
    {"LimitResponse", "type=1 queuing=2"},
    {"LimitedPriorityLevelConfiguration",
     "nominalConcurrencyShares=1 limitResponse=2 lendablePercent=3 borrowingLimitPercent=4"},
    {"NonResourcePolicyRule", "verbs=1 nonResourceURLs=6"},
    {"PolicyRulesWithSubjects", "subjects=1 resourceRules=2 nonResourceRules=3"},
    {"PriorityLevelConfiguration", "metadata=1 spec=2 status=3"},
    {"PriorityLevelConfigurationCondition",
     "type=1 status=2 lastTransitionTime=3 reason=4 message=5"},
    {"PriorityLevelConfigurationReference", "name=1"},
    {"PriorityLevelConfigurationSpec", "type=1 limited=2 exempt=3"},
    {"PriorityLevelConfigurationStatus", "conditions=1"},
    {"QueuingConfiguration", "queues=1? handSize=2? queueLengthLimit=3?"},
    {"ResourcePolicyRule", "verbs=1 apiGroups=2 resources=3 clusterScope=4 namespaces=5"},
    {"ServiceAccountSubject", "namespace=1 name=2"},
    {"Subject", "kind=1 user=2 group=3 serviceAccount=4"},
    {"UserSubject", "name=1"},
};

constexpr MessageNumbers kNetworkingV1[] = {
    {"HTTPIngressPath", "path=1 backend=2 pathType=3"},
    {"HTTPIngressRuleValue", "paths=1"},
    {"IPAddress", "metadata=1 spec=2"},
    {"IPAddressSpec", "parentRef=1"},
    {"IPBlock", "cidr=1 except=2"},
    {"Ingress", "metadata=1 spec=2 status=3"},
    {"IngressBackend", "resource=3 service=4"},
    {"IngressClass", "metadata=1 spec=2"},
    {"IngressClassParametersReference", "apiGroup=1 kind=2 name=3 scope=4 namespace=5"},
    {"IngressClassSpec", "controller=1 parameters=2"},
    {"IngressLoadBalancerIngress", "ip=1 hostname=2 ports=4"},
    {"IngressLoadBalancerStatus", "ingress=1"},
    {"IngressPortStatus", "port=1 protocol=2 error=3"},
    {"IngressRule", "host=1 2(http=1)"},
    {"IngressServiceBackend", "name=1 port=2"},
    {"IngressSpec", "defaultBackend=1 tls=2 rules=3 ingressClassName=4"},
    {"IngressStatus", "loadBalancer=1"},
    {"IngressTLS", "hosts=1 secretName=2"},
    {"NetworkPolicy", "metadata=1 spec=2"},
    {"NetworkPolicyEgressRule", "ports=1 to=2"},
    {"NetworkPolicyIngressRule", "ports=1 from=2"},
    {"NetworkPolicyPeer", "podSelector=1 namespaceSelector=2 ipBlock=3"},
    {"NetworkPolicyPort", "protocol=1 port=2 endPort=3"},
    {"NetworkPolicySpec", "podSelector=1 ingress=2 egress=3 policyTypes=4"},
    {"ParentReference", "group=1 resource=2 namespace=3 name=4"},
    {"ServiceBackendPort", "name=1 number=2?"},
    {"ServiceCIDR", "metadata=1 spec=2 status=3"},
    {"ServiceCIDRSpec", "cidrs=1"},
    {"ServiceCIDRStatus", "conditions=1"},
};

constexpr MessageNumbers kNodeV1[] = {
    {"Overhead", "podFixed=1"},
    {"RuntimeClass", "metadata=1 handler=2 overhead=3 scheduling=4"},
    {"Scheduling", "nodeSelector=1 tolerations=2"},
};

constexpr MessageNumbers kPolicyV1[] = {
    {"Eviction", "metadata=1 deleteOptions=2"},
    {"PodDisruptionBudget", "metadata=1 spec=2 status=3"},
    {"PodDisruptionBudgetSpec",
     "minAvailable=1 selector=2 maxUnavailable=3 unhealthyPodEvictionPolicy=4"},
    {"PodDisruptionBudgetStatus",
     "observedGeneration=1 disruptedPods=2 disruptionsAllowed=3 currentHealthy=4 "
     "desiredHealthy=5 expectedPods=6 conditions=7"},
};

constexpr MessageNumbers kRbacV1[] = {
    {"AggregationRule", "clusterRoleSelectors=1"},
    {"ClusterRole", "metadata=1 rules=2 aggregationRule=3"},
    {"ClusterRoleBinding", "metadata=1 subjects=2 roleRef=3"},
    {"PolicyRule", "verbs=1 apiGroups=2 resources=3 resourceNames=4 nonResourceURLs=5"},
    {"Role", "metadata=1 rules=2"},
    {"RoleBinding", "metadata=1 subjects=2 roleRef=3"},
    {"RoleRef", "apiGroup=1 kind=2 name=3"},
    {"Subject", "kind=1 apiGroup=2 name=3 namespace=4"},
};

constexpr MessageNumbers kResourceV1[] = {
    {"AllocatedDeviceStatus",
     "driver=1 pool=2 device=3 conditions=4 data=5 networkData=6 shareID=7"},
    {"AllocationResult", "devices=1 nodeSelector=3 allocationTimestamp=5"},
    {"CELDeviceSelector", "expression=1"},
    {"CapacityRequestPolicy", "default=1 validValues=3 validRange=4"},
    {"CapacityRequestPolicyRange", "min=1 max=2 step=3"},
    {"CapacityRequirements", "requests=1"},
    {"Counter", "value=1"},
    {"CounterSet", "name=1 counters=2"},
    {"Device",
     "name=1 attributes=2 capacity=3 consumesCounters=4 nodeName=5 nodeSelector=6 allNodes=7 "
     "taints=8 bindsToNode=9 bindingConditions=10 bindingFailureConditions=11 "
     "allowMultipleAllocations=12"},
    {"DeviceAllocationConfiguration", "source=1 requests=2 3(opaque=1)"},
    {"DeviceAllocationResult", "results=1 config=2"},
    {"DeviceAttribute", "int=2 bool=3 string=4 version=5"},
    {"DeviceCapacity", "value=1 requestPolicy=2"},
    {"DeviceClaim", "requests=1 constraints=2 config=3"},
    {"DeviceClaimConfiguration", "requests=1 2(opaque=1)"},
    {"DeviceClass", "metadata=1 spec=2"},
    {"DeviceClassConfiguration", "1(opaque=1)"},
    {"DeviceClassSpec", "selectors=1 config=2 extendedResourceName=4"},
    {"DeviceConstraint", "requests=1 matchAttribute=2 distinctAttribute=3"},
    {"DeviceCounterConsumption", "counterSet=1 counters=2"},
    {"DeviceRequest", "name=1 exactly=2 firstAvailable=3"},
    {"DeviceRequestAllocationResult",
     "request=1 driver=2 pool=3 device=4 adminAccess=5 tolerations=6 bindingConditions=7 "
     "bindingFailureConditions=8 shareID=9 consumedCapacity=10"},
    {"DeviceSelector", "cel=1"},
    {"DeviceSubRequest",
     "name=1 deviceClassName=2 selectors=3 allocationMode=4 count=5 tolerations=6 capacity=7"},
    {"DeviceTaint", "key=1 value=2 effect=3 timeAdded=4"},
    {"DeviceToleration", "key=1 operator=2 value=3 effect=4 tolerationSeconds=5"},
    {"ExactDeviceRequest",
     "deviceClassName=1 selectors=2 allocationMode=3 count=4 adminAccess=5 tolerations=6 "
     "capacity=7"},
    {"NetworkDeviceData", "interfaceName=1 ips=2 hardwareAddress=3"},
    {"OpaqueDeviceConfiguration", "driver=1 parameters=2"},
    {"ResourceClaim", "metadata=1 spec=2 status=3"},
    {"ResourceClaimConsumerReference", "apiGroup=1 resource=3 name=4 uid=5"},
    {"ResourceClaimSpec", "devices=1"},
    {"ResourceClaimStatus", "allocation=1 reservedFor=2 devices=4"},
    {"ResourceClaimTemplate", "metadata=1 spec=2"},
    {"ResourceClaimTemplateSpec", "metadata=1 spec=2"},
    {"ResourcePool", "name=1 generation=2 resourceSliceCount=3"},
    {"ResourceSlice", "metadata=1 spec=2"},
    {"ResourceSliceSpec",
     "driver=1 pool=2 nodeName=3 nodeSelector=4 allNodes=5 devices=6 perDeviceNodeSelection=7 "
     "sharedCounters=8"},
};

constexpr MessageNumbers kSchedulingV1[] = {
    {"PriorityClass", "metadata=1 value=2 globalDefault=3 description=4 preemptionPolicy=5"},
};

constexpr MessageNumbers kStorageV1[] = {
    {"CSIDriver", "metadata=1 spec=2"},
    {"CSIDriverSpec",
     "attachRequired=1 podInfoOnMount=2 volumeLifecycleModes=3 storageCapacity=4 "
     "fsGroupPolicy=5 tokenRequests=6 requiresRepublish=7 seLinuxMount=8 "
     "nodeAllocatableUpdatePeriodSeconds=9"},
    {"CSINode", "metadata=1 spec=2"},
    {"CSINodeDriver", "name=1 nodeID=2 topologyKeys=3 allocatable=4"},
    {"CSINodeSpec", "drivers=1"},
    {"CSIStorageCapacity",
     "metadata=1 nodeTopology=2 storageClassName=3 capacity=4 maximumVolumeSize=5"},
    {"StorageClass",
     "metadata=1 provisioner=2 parameters=3 reclaimPolicy=4 mountOptions=5 "
     "allowVolumeExpansion=6 volumeBindingMode=7 allowedTopologies=8"},
    {"TokenRequest", "audience=1 expirationSeconds=2"},
    {"VolumeAttachment", "metadata=1 spec=2 status=3"},
    {"VolumeAttachmentSource", "persistentVolumeName=1 inlineVolumeSpec=2"},
    {"VolumeAttachmentSpec", "attacher=1 source=2 nodeName=3"},
    {"VolumeAttachmentStatus", "attached=1 attachmentMetadata=2 attachError=3 detachError=4"},
    {"VolumeAttributesClass", "metadata=1 driverName=2 parameters=3"},
    {"VolumeError", "time=1 message=2 errorCode=3"},
    {"VolumeNodeResources", "count=1"},
};

constexpr MessageNumbers kApiextensionsV1[] = {
    {"CustomResourceColumnDefinition",
     "name=1 type=2 format=3 description=4 priority=5? jsonPath=6"},
    {"CustomResourceConversion", "strategy=1 webhook=2"},
    {"CustomResourceDefinition", "metadata=1 spec=2 status=3"},
    {"CustomResourceDefinitionCondition",
     "type=1 status=2 lastTransitionTime=3 reason=4 message=5"},
    {"CustomResourceDefinitionNames",
     "plural=1 singular=2 shortNames=3 kind=4 listKind=5 categories=6"},
    {"CustomResourceDefinitionSpec",
     "group=1 names=3 scope=4 versions=7 conversion=9 preserveUnknownFields=10"},
    {"CustomResourceDefinitionStatus", "conditions=1 acceptedNames=2 storedVersions=3"},
    {"CustomResourceDefinitionVersion",
     "name=1 served=2 storage=3 schema=4 subresources=5 additionalPrinterColumns=6 deprecated=7 "
     "deprecationWarning=8 selectableFields=9"},
    {"CustomResourceSubresourceScale",
     "specReplicasPath=1 statusReplicasPath=2 labelSelectorPath=3"},
    {"CustomResourceSubresources", "status=1 scale=2"},
    {"CustomResourceValidation", "openAPIV3Schema=1"},
    {"ExternalDocumentation", "description=1 url=2"},
    {"JSONSchemaProps",
     "id=1 $schema=2 $ref=3 description=4 type=5 format=6 title=7 default=8 maximum=9 "
     "exclusiveMaximum=10 minimum=11 exclusiveMinimum=12 maxLength=13 minLength=14 pattern=15 "
     "maxItems=16 minItems=17 uniqueItems=18 multipleOf=19 enum=20 maxProperties=21 "
     "minProperties=22 required=23 items=24:orList allOf=25 oneOf=26 anyOf=27 not=28 "
     "properties=29 additionalProperties=30:orBool patternProperties=31 "
     "dependencies=32:orStrings additionalItems=33:orBool definitions=34 externalDocs=35 "
     "example=36 nullable=37 x-kubernetes-preserve-unknown-fields=38 "
     "x-kubernetes-embedded-resource=39 x-kubernetes-int-or-string=40 "
     "x-kubernetes-list-map-keys=41 x-kubernetes-list-type=42 x-kubernetes-map-type=43 "
     "x-kubernetes-validations=44"},
    {"SelectableField", "jsonPath=1"},
    {"ServiceReference", "namespace=1 name=2 path=3 port=4"},
    {"ValidationRule",
     "rule=1 message=2 messageExpression=3 reason=4 fieldPath=5 optionalOldSelf=6"},
    {"WebhookClientConfig", "service=1 caBundle=2 url=3"},
    {"WebhookConversion", "clientConfig=2 conversionReviewVersions=3"},
};

constexpr MessageNumbers kApiregistrationV1[] = {
    {"APIService", "metadata=1 spec=2 status=3"},
    {"APIServiceCondition", "type=1 status=2 lastTransitionTime=3 reason=4 message=5"},
    {"APIServiceSpec",
     "service=1 group=2 version=3 insecureSkipTLSVerify=4 caBundle=5 groupPriorityMinimum=7 "
     "versionPriority=8"},
    {"APIServiceStatus", "conditions=1"},
    {"ServiceReference", "namespace=1 name=2 port=3"},
};

constexpr PackageNumbers kPackages[] = {
    {"io.k8s.api.admissionregistration.v1", kAdmissionregistrationV1},
    {"io.k8s.api.apps.v1", kAppsV1},
    {"io.k8s.api.authentication.v1", kAuthenticationV1},
    {"io.k8s.api.authorization.v1", kAuthorizationV1},
    {"io.k8s.api.autoscaling.v1", kAutoscalingV1},
    {"io.k8s.api.autoscaling.v2", kAutoscalingV2},
    {"io.k8s.api.batch.v1", kBatchV1},
    {"io.k8s.api.certificates.v1", kCertificatesV1},
    {"io.k8s.api.coordination.v1", kCoordinationV1},
    {"io.k8s.api.discovery.v1", kDiscoveryV1},
    {"io.k8s.api.events.v1", kEventsV1},
    {"io.k8s.api.flowcontrol.v1", kFlowcontrolV1},
    {"io.k8s.api.networking.v1", kNetworkingV1},
    {"io.k8s.api.node.v1", kNodeV1},
    {"io.k8s.api.policy.v1", kPolicyV1},
    {"io.k8s.api.rbac.v1", kRbacV1},
    {"io.k8s.api.resource.v1", kResourceV1},
    {"io.k8s.api.scheduling.v1", kSchedulingV1},
    {"io.k8s.api.storage.v1", kStorageV1},
    {"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1", kApiextensionsV1},
    {"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1", kApiregistrationV1},
};

}  // namespace

std::span<const PackageNumbers> GroupNumbers() { return kPackages; }

}  // namespace kubexms
