#include <gtest/gtest.h>

#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/apiserver/strategies/strategy_test.h"

namespace kubexms {
namespace {

// A workload with one container; `lines` are further members of its spec, in flow style.
std::string Workload(std::string_view kind, std::string_view lines = "",
                     std::string_view labels = "{app: shop}") {
  return "apiVersion: apps/v1\nkind: " + std::string(kind) +
         "\nmetadata: {name: w}\nspec:\n  selector: {matchLabels: {app: shop}}\n"
         "  template: {metadata: {labels: " +
         std::string(labels) + "}, spec: {containers: [{name: c, image: shop}]}}\n" +
         std::string(lines);
}

constexpr std::string_view kTemplate = R"(
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - name: c
        image: shop
        imagePullPolicy: Always
        resources: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
)";

void ExpectWorkload(std::string_view kind, std::string_view spec, std::string_view status,
                    std::string_view annotations = "") {
  ExpectCreated(Workload(kind), "apiVersion: apps/v1\nkind: " + std::string(kind) +
                                    "\nmetadata: {name: w" + std::string(annotations) +
                                    "}\nstatus: " + std::string(status) +
                                    "\nspec:\n  selector: {matchLabels: {app: shop}}" +
                                    std::string(kTemplate) + std::string(spec));
}

TEST(WorkloadTest, DeploymentGetsDefaults) {
  ExpectWorkload("Deployment", R"(
  replicas: 1
  progressDeadlineSeconds: 600
  revisionHistoryLimit: 10
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
)",
                 "{}");
}

TEST(WorkloadTest, ReplicaSetGetsDefaults) {
  ExpectWorkload("ReplicaSet", "  replicas: 1\n", "{replicas: 0}");
}

TEST(WorkloadTest, DaemonSetGetsDefaults) {
  ExpectWorkload("DaemonSet", R"(
  revisionHistoryLimit: 10
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}
)",
                 "{currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, "
                 "numberReady: 0}",
                 ", annotations: {deprecated.daemonset.template.generation: '1'}");
}

TEST(WorkloadTest, StatefulSetGetsDefaults) {
  ExpectWorkload("StatefulSet", R"(
  replicas: 1
  revisionHistoryLimit: 10
  podManagementPolicy: OrderedReady
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}
  serviceName: ""
)",
                 "{replicas: 0, availableReplicas: 0}");
}

TEST(WorkloadTest, ClaimTemplatesHaveApiVersionAndKind) {
  const Json set = Created(Workload("StatefulSet", R"(
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}
)"));
  ExpectJson(set.at("spec").at("volumeClaimTemplates").at(0), R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 2Gi}}
  volumeMode: Filesystem
status: {phase: Pending}
)");
}

TEST(WorkloadTest, ReplicationControllerSelectsItsTemplate) {
  const Json controller = Created(R"(
apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec: {template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: c, image: x}]}}}
)");
  ExpectJson(controller.at("spec").at("selector"), "{app: shop}");
  ExpectJson(controller.at("metadata").at("labels"), "{app: shop}");
  ExpectJson(controller.at("status"), "{replicas: 0}");
}

TEST(WorkloadTest, DeploymentRequiresAMatchingSelector) {
  constexpr std::string_view kMismatch =
      "spec.template.metadata.labels: Invalid value: {\"app\":\"other\"}: `selector` does not "
      "match template `labels`";
  EXPECT_EQ(ErrorsOfCreate(Workload("Deployment", "", "{app: other}")), kMismatch);
  EXPECT_EQ(ErrorsOfCreate(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec: {template: {metadata: {labels: {app: other}}, spec: {containers: [{name: c, image: x}]}}}
)"),
            "spec.selector: Required value\n" + std::string(kMismatch));
}

TEST(WorkloadTest, RefusesEmptySelectors) {
  EXPECT_EQ(ErrorsOfCreate(R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: d}
spec: {selector: {}, template: {spec: {containers: [{name: c, image: x}]}}}
)"),
            "spec.selector: Invalid value: {}: empty selector is invalid for daemonset");
}

TEST(WorkloadTest, DeploymentRefusesInvalidNumbers) {
  EXPECT_EQ(ErrorsOfCreate(Workload("Deployment", "  replicas: -2")),
            "spec.replicas: Invalid value: -2: must be greater than or equal to 0");
  EXPECT_EQ(ErrorsOfCreate(Workload(
                "Deployment", "  strategy: {rollingUpdate: {maxSurge: 0%, maxUnavailable: 0}}")),
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when "
            "`maxSurge` is 0");
  EXPECT_EQ(
      ErrorsOfCreate(Workload("Deployment", "  strategy: {rollingUpdate: {maxUnavailable: 110%}}")),
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"110%\": must not be "
      "greater than 100%");
  EXPECT_EQ(ErrorsOfCreate(Workload("Deployment", "  minReadySeconds: 600")),
            "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than "
            "minReadySeconds");
}

TEST(WorkloadTest, RecreateHasNoRollingUpdate) {
  EXPECT_EQ(ErrorsOfCreate(Workload("Deployment",
                                    "  strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}")),
            "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is "
            "'Recreate'");
}

TEST(WorkloadTest, RequiresRestartPolicyAlways) {
  EXPECT_EQ(ErrorsOfCreate(R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: r}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {restartPolicy: Never, containers: [{name: c, image: x}]}
)"),
            "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: "
            "\"Always\"");
}

TEST(WorkloadTest, SelectorOfADeploymentIsImmutable) {
  const Json stored = Created(Workload("Deployment"));
  std::string changed = Workload("Deployment", "", "{app: other}");
  changed.replace(changed.find("{app: shop}"), 11, "{app: other}");
  EXPECT_EQ(Update(stored, changed).errors,
            "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"other\"}}: field is "
            "immutable");
}

TEST(WorkloadTest, MostOfAStatefulSetIsImmutable) {
  const Json stored = Created(Workload("StatefulSet"));
  EXPECT_EQ(Update(stored, Workload("StatefulSet", "  replicas: 5")).errors, "");
  EXPECT_EQ(Update(stored, Workload("StatefulSet", "  serviceName: other")).errors,
            "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', "
            "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
            "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

TEST(WorkloadTest, DaemonSetMaintainsItsTemplateGeneration) {
  const Json stored = Created(Workload("DaemonSet"));
  const auto generation = [](const Json& set) {
    return std::string(FindString(set.at("metadata").at("annotations"),
                                  "deprecated.daemonset.template.generation"));
  };
  EXPECT_EQ(generation(Update(stored, Workload("DaemonSet")).object), "1");
  EXPECT_EQ(generation(Update(stored, Workload("DaemonSet", "", "{app: shop, v: '2'}")).object),
            "2");
}

TEST(WorkloadTest, RefusesMoreReadyPodsThanPods) {
  FieldErrors errors;
  const Json set = MustParse("{status: {replicas: 1, readyReplicas: 2}}");
  BuiltinStrategy("apps", "ReplicaSet")
      ->ValidateStatusUpdate(set.get_object(), set.get_object(), errors);
  EXPECT_EQ(Describe(errors),
            "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas");
}

}  // namespace
}  // namespace kubexms
