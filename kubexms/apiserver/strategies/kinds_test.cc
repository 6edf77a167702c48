#include <gtest/gtest.h>

#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/apiserver/strategies/strategy_test.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {
namespace {

// A minimal object of a kind, and the fields that the server adds to it.
struct Minimal {
  std::string_view object;
  std::string_view stored;
};

class MinimalObjectTest : public testing::TestWithParam<Minimal> {};

TEST_P(MinimalObjectTest, IsStoredAsExpected) {
  ExpectCreated(GetParam().object, GetParam().stored);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, MinimalObjectTest,
    testing::Values(
        Minimal{"{apiVersion: v1, kind: Namespace, metadata: {name: n1}}",
                "{apiVersion: v1, kind: Namespace, metadata: {name: n1, labels: "
                "{kubernetes.io/metadata.name: n1}}, spec: {finalizers: [kubernetes]}, status: "
                "{phase: Active}}"},
        Minimal{"{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {k: text}}",
                "{apiVersion: v1, kind: Secret, metadata: {name: s}, type: Opaque, data: {k: "
                "dGV4dA==}}"},
        Minimal{"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: v}}",
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: v}}"},
        Minimal{"{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}}",
                "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}}"},
        Minimal{"{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 2}}}",
                "{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {}, status: {capacity: "
                "{cpu: '2'}, allocatable: {cpu: '2'}, daemonEndpoints: {kubeletEndpoint: {Port: "
                "0}}, nodeInfo: {machineID: '', systemUUID: '', bootID: '', kernelVersion: '', "
                "osImage: '', containerRuntimeVersion: '', kubeletVersion: '', kubeProxyVersion: "
                "'', operatingSystem: '', architecture: ''}}}"},
        Minimal{"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p}, spec: "
                "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1024Mi}}}}",
                "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p, finalizers: "
                "[kubernetes.io/pvc-protection]}, spec: {accessModes: [ReadWriteOnce], "
                "volumeMode: Filesystem, resources: {requests: {storage: 1Gi}}}, status: {phase: "
                "Pending}}"},
        Minimal{"{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: "
                "{accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, nfs: {server: s, path: "
                "/p}}}",
                "{apiVersion: v1, kind: PersistentVolume, metadata: {name: p, finalizers: "
                "[kubernetes.io/pv-protection]}, spec: {accessModes: [ReadWriteOnce], capacity: "
                "{storage: 1Gi}, nfs: {server: s, path: /p}, persistentVolumeReclaimPolicy: "
                "Retain, volumeMode: Filesystem}, status: {phase: Pending}}"},
        Minimal{"{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{type: "
                "Container, max: {cpu: 2}, min: {cpu: 1, memory: 1Mi}}]}}",
                "{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{type: "
                "Container, max: {cpu: '2'}, min: {cpu: '1', memory: 1Mi}, default: {cpu: '2'}, "
                "defaultRequest: {cpu: '2', memory: 1Mi}}]}}"},
        Minimal{"{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, "
                "provisioner: example.com/p}",
                "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, "
                "provisioner: example.com/p, reclaimPolicy: Delete, volumeBindingMode: "
                "Immediate}"},
        Minimal{"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: "
                "{name: 'system:b'}, roleRef: {kind: ClusterRole, name: r}, subjects: [{kind: "
                "Group, name: g}, {kind: ServiceAccount, name: a, namespace: n1}]}",
                "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: "
                "{name: 'system:b'}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: "
                "ClusterRole, name: r}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: "
                "Group, name: g}, {kind: ServiceAccount, name: a, namespace: n1}]}"},
        Minimal{"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: "
                "{maxUnavailable: 50%}}",
                "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: "
                "{maxUnavailable: 50%}, status: {disruptionsAllowed: 0, currentHealthy: 0, "
                "desiredHealthy: 0, expectedPods: 0}}"},
        Minimal{"{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, "
                "spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, "
                "name: d}, behavior: "
                "{scaleUp: {selectPolicy: Min}}}}",
                "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, "
                "spec: {minReplicas: 1, maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, "
                "kind: Deployment, name: "
                "d}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, "
                "averageUtilization: 80}}}], behavior: {scaleUp: {selectPolicy: Min, "
                "stabilizationWindowSeconds: 0, policies: [{type: Pods, value: 4, periodSeconds: "
                "15}, {type: Percent, value: 100, periodSeconds: 15}]}, scaleDown: {selectPolicy: "
                "Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}}}, status: "
                "{desiredReplicas: 0, currentMetrics: null}}"},
        Minimal{"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, "
                "value: 5}",
                "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, "
                "value: 5, preemptionPolicy: PreemptLowerPriority}"},
        Minimal{"{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l}, spec: "
                "{holderIdentity: a}}",
                "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l}, spec: "
                "{holderIdentity: a}}"}));

struct Refused {
  std::string_view object;
  std::string_view error;
};

class RefusedObjectTest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedObjectTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorsOfCreate(GetParam().object), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RefusedObjectTest,
    testing::Values(
        Refused{"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {'a b': x}}",
                "data[a b]: Invalid value: \"a b\": a valid config key must consist of "
                "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
                "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"},
        Refused{"{apiVersion: v1, kind: Secret, metadata: {name: s}, type: kubernetes.io/tls, "
                "data: {tls.crt: ''}}",
                "data[tls.key]: Required value"},
        Refused{"{apiVersion: v1, kind: Secret, metadata: {name: s}, type: "
                "kubernetes.io/service-account-token}",
                "metadata.annotations[kubernetes.io/service-account.name]: Required value"},
        Refused{"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p}, spec: {}}",
                "spec.accessModes: Required value: at least 1 access mode is required\n"
                "spec.resources[storage]: Required value"},
        Refused{"{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: "
                "{accessModes: [Sometimes], capacity: {storage: 1Gi}}}",
                "spec.accessModes: Unsupported value: \"Sometimes\": supported values: "
                "\"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"\n"
                "spec: Required value: must specify a volume type"},
        Refused{"{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {taints: [{key: a, "
                "effect: Go}]}}",
                "metadata.taints[0].effect: Unsupported value: \"Go\": supported values: "
                "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\""},
        Refused{"{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {cows: "
                "1}}}",
                "spec.hard[cows]: Invalid value: \"cows\": must be a standard resource type or "
                "fully qualified"},
        Refused{"{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: "
                "1500m}, scopes: [Terminating, NotTerminating]}}",
                "spec.hard[pods]: Invalid value: \"1500m\": must be an integer\n"
                "spec.scopes: Invalid value: [\"Terminating\",\"NotTerminating\"]: conflicting "
                "scopes"},
        Refused{"{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{type: "
                "Container, max: {cpu: 1}, default: {cpu: 2}, defaultRequest: {cpu: 3}}, {type: "
                "Pod, default: {cpu: 1}}]}}",
                "spec.limits[0].defaultRequest[cpu]: Invalid value: \"3\": default request value 3 "
                "is greater than max value 1\n"
                "spec.limits[0].defaultRequest[cpu]: Invalid value: \"3\": default request value 3 "
                "is greater than default limit value 2\n"
                "spec.limits[0].default[cpu]: Invalid value: \"2\": default value 2 is greater "
                "than max value 1\n"
                "spec.limits[1].default: Forbidden: may not be specified when `type` is 'Pod'"},
        Refused{"{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, "
                "provisioner: a/b, allowedTopologies: [{matchLabelExpressions: [{key: z, values: "
                "[]}]}]}",
                "allowedTopologies[0].matchLabelExpressions[0].values: Required value"},
        Refused{"{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: i}, spec: "
                "{}}",
                "spec.controller: Required value"},
        Refused{"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}, "
                "rules: [{verbs: [], apiGroups: [''], resources: [pods]}]}",
                "rules[0].verbs: Required value: verbs must contain at least one value"},
        Refused{"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}, "
                "rules: [{verbs: [get], nonResourceURLs: [/x]}]}",
                "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply "
                "to non-resource URLs"},
        Refused{"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: "
                "{name: b}, roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, "
                "name: a}]}",
                "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"\n"
                "subjects[0].namespace: Required value"},
        Refused{"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: "
                "{minAvailable: 101%}}",
                "spec.minAvailable: Invalid value: \"101%\": must not be greater than 100%"},
        Refused{"{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, "
                "spec: {minReplicas: 3, maxReplicas: 2, scaleTargetRef: {apiVersion: a/v1, kind: "
                "D, name: d}}}",
                "spec.maxReplicas: Invalid value: 2: must be greater than or equal to "
                "`minReplicas`"},
        Refused{"{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, "
                "spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: a/v1, kind: D, name: d}, "
                "metrics: [{type: "
                "Resource, resource: {name: cpu, target: {type: Utilization}}}, {type: Pods, pods: "
                "{metric: {name: m}, target: {type: AverageValue, averageValue: 0}}}]}}",
                "spec.metrics[0].resource.target.averageUtilization: Required value: must set "
                "either a target raw value or a target utilization\n"
                "spec.metrics[1].pods.target.averageValue: Invalid value: \"0\": must be "
                "positive"},
        Refused{"{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {selector: "
                "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
                "{restartPolicy: Never, containers: [{name: c, image: i}]}}}}",
                "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\",\"batch.kubernetes."
                "io/controller-uid\":\"0b6c6b0e-0000-4000-8000-000000000001\"}}: `selector` not "
                "auto-generated"},
        Refused{"{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: {accessModes: "
                "[ReadWriteOnce], capacity: {storage: 1Gi}, nfs: {server: '', path: data}}}",
                "spec.nfs.server: Required value\nspec.nfs.path: Invalid value: \"data\": must be "
                "an absolute path"},
        Refused{"{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, "
                "value: 2000000000}",
                "value: Forbidden: maximum allowed value of a user defined priority is "
                "1000000000"},
        Refused{"{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l}, spec: "
                "{leaseDurationSeconds: 0}}",
                "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"},
        Refused{"{apiVersion: v1, kind: Event, metadata: {name: e, namespace: a}, involvedObject: "
                "{kind: Pod, namespace: b}}",
                "involvedObject.namespace: Invalid value: \"b\": does not match event.namespace"},
        Refused{"{apiVersion: admissionregistration.k8s.io/v1, kind: "
                "ValidatingWebhookConfiguration, metadata: {name: w}, webhooks: [{name: a.b, "
                "clientConfig: {}, sideEffects: None, admissionReviewVersions: [v1]}]}",
                "webhooks[0].name: Invalid value: \"a.b\": should be a domain with at least three "
                "segments separated by dots\nwebhooks[0].clientConfig: Required value: exactly "
                "one of url or service is required"}));

TEST(CertificateSigningRequestTest, RefusesAMalformedRequest) {
  const auto errors = [](std::string_view request) {
    return ErrorsOfCreate(
        "{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: "
        "c}, spec: {signerName: example.com/s, usages: [client auth], request: " +
        EncodeBase64(request) + "}}");
  };
  EXPECT_EQ(errors("hello"),
            "spec.request: Invalid value: \"aGVsbG8=\": PEM block type must be CERTIFICATE "
            "REQUEST");
  const std::string key = MakePrivateKey().value();
  EXPECT_EQ(errors(MakeSigningRequest(key, {.common_name = "joe"}).value()), "");
}

TEST(BindingTest, RoleRefIsImmutable) {
  constexpr std::string_view kBinding =
      "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b}, roleRef: "
      "{kind: Role, name: one}}";
  std::string changed(kBinding);
  changed.replace(changed.find("one"), 3, "two");
  EXPECT_EQ(Update(Created(kBinding), changed).errors,
            "roleRef: Invalid value: {\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"Role\","
            "\"Name\":\"two\"}: cannot change roleRef");
}

TEST(ConfigMapTest, ImmutableDataCannotChange) {
  const Json stored = Created(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, immutable: true, data: {a: b}}");
  EXPECT_EQ(Update(stored, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}").errors,
            "immutable: Forbidden: field is immutable when `immutable` is set\n"
            "data: Forbidden: field is immutable when `immutable` is set");
}

TEST(SecretTest, TypeIsImmutable) {
  const Json stored = Created("{apiVersion: v1, kind: Secret, metadata: {name: s}}");
  EXPECT_EQ(
      Update(stored, "{apiVersion: v1, kind: Secret, metadata: {name: s}, type: x.io/t}").errors,
      "type: Invalid value: \"x.io/t\": field is immutable");
}

TEST(ClaimTest, OnlyBoundClaimsCanBeExpanded) {
  const auto claim = [](std::string_view size) {
    return "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p}, spec: {accessModes: "
           "[ReadWriteOnce], resources: {requests: {storage: " +
           std::string(size) + "}}}}";
  };
  Json stored = Created(claim("1Gi"));
  EXPECT_TRUE(
      Update(stored, claim("2Gi")).errors.starts_with("spec: Forbidden: spec is immutable"));
  stored.as_object()["status"].as_object()["phase"] = "Bound";
  EXPECT_EQ(Update(stored, claim("2Gi")).errors, "");
}

TEST(StrategyTest, EveryKindHasAStrategy) {
  EXPECT_NE(BuiltinStrategy("", "ServiceAccount"), nullptr);
  EXPECT_NE(BuiltinStrategy("example.com", "Unknown"), nullptr);
  EXPECT_TRUE(CustomResourceStrategy(true)->HasStatus());
  EXPECT_FALSE(CustomResourceStrategy(false)->HasStatus());
}

TEST(StrategyTest, RolesMayHaveColonsInTheirNames) {
  const Strategy* roles = BuiltinStrategy("rbac.authorization.k8s.io", "ClusterRole");
  EXPECT_TRUE(roles->ValidateName("system:node").empty());
  EXPECT_EQ(roles->ValidateName("a/b"), Messages{"may not contain '/'"});
}

TEST(StrategyTest, NodesMaySetTheirStatusOnCreation) {
  EXPECT_TRUE(BuiltinStrategy("", "Node")->AllowsStatusOnCreate());
  EXPECT_FALSE(BuiltinStrategy("", "Pod")->AllowsStatusOnCreate());
}

}  // namespace
}  // namespace kubexms
