#include "kubexms/apiserver/strategies/pod.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/strategies/strategy_test.h"

namespace kubexms {
namespace {

// A pod with one container and the given lines in its spec.
std::string PodWith(std::string_view spec_lines, std::string_view container_lines = "") {
  std::string text =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
      "  containers:\n  - name: main\n    image: shop:1\n";
  const auto add = [&](std::string_view lines, std::string_view indent) {
    while (!lines.empty()) {
      const size_t end = lines.find('\n');
      text += std::string(indent) + std::string(lines.substr(0, end)) + "\n";
      if (end == std::string_view::npos) break;
      lines.remove_prefix(end + 1);
    }
  };
  add(container_lines, "    ");
  add(spec_lines, "  ");
  return text;
}

TEST(PodTest, SetsDefaults) {
  ExpectCreated(R"(
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: shop}}
spec:
  containers:
  - name: main
    image: registry.local:5000/shop:2.1
    ports: [{containerPort: 8080}]
    resources: {limits: {cpu: 1.5, memory: 64Mi}}
    readinessProbe: {tcpSocket: {port: 8080}}
  volumes: [{name: scratch}]
)",
                R"(
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: shop}}
spec:
  containers:
  - name: main
    image: registry.local:5000/shop:2.1
    imagePullPolicy: IfNotPresent
    ports: [{containerPort: 8080, protocol: TCP}]
    resources:
      limits: {cpu: 1500m, memory: 64Mi}
      requests: {cpu: 1500m, memory: 64Mi}
    readinessProbe:
      tcpSocket: {port: 8080}
      timeoutSeconds: 1
      periodSeconds: 10
      successThreshold: 1
      failureThreshold: 3
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
  volumes: [{name: scratch, emptyDir: {}}]
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  terminationGracePeriodSeconds: 30
status: {phase: Pending, qosClass: Guaranteed}
)");
}

TEST(PodTest, DefaultingIsIdempotent) {
  Json once = Defaulted(PodWith("hostNetwork: true", "ports: [{containerPort: 80}]"));
  Json twice = once;
  BuiltinStrategy("", "Pod")->SetDefaults(twice.get_object());
  EXPECT_EQ(WriteJson(once), WriteJson(twice));
  EXPECT_EQ(
      IntAt(once.at("spec").at("containers").at(0).at("ports").at(0).get_object(), "hostPort"), 80);
}

TEST(PodTest, PullPolicyDependsOnTheTag) {
  const auto policy = [](std::string_view image) {
    const Json pod = Defaulted(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: '" +
        std::string(image) + "'}]}}");
    return std::string(FindString(pod.at("spec").at("containers").at(0), "imagePullPolicy"));
  };
  EXPECT_EQ(policy("shop"), "Always");
  EXPECT_EQ(policy("shop:latest"), "Always");
  EXPECT_EQ(policy("registry:5000/shop"), "Always");
  EXPECT_EQ(policy("shop:1"), "IfNotPresent");
  EXPECT_EQ(policy("shop@sha256:0123456789abcdef"), "IfNotPresent");
  EXPECT_EQ(policy(""), "IfNotPresent");
}

TEST(PodTest, QosClassFollowsResources) {
  const auto qos = [](std::string_view resources) {
    const Json pod = Created(PodWith("", "resources: " + std::string(resources)));
    return std::string(FindString(pod.at("status"), "qosClass"));
  };
  EXPECT_EQ(qos("{}"), "BestEffort");
  EXPECT_EQ(qos("{requests: {cpu: 1}}"), "Burstable");
  EXPECT_EQ(qos("{limits: {cpu: 1}}"), "Burstable");
  EXPECT_EQ(qos("{limits: {cpu: 1, memory: 1Gi}}"), "Guaranteed");
  EXPECT_EQ(qos("{limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}"), "Burstable");
}

TEST(PodTest, RefusesAPodWithoutContainers) {
  EXPECT_EQ(ErrorsOfCreate("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {}}"),
            "spec.containers: Required value");
}

TEST(PodTest, ReportsErrorsInTheOrderOfTheFields) {
  EXPECT_EQ(ErrorsOfCreate(R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  restartPolicy: Perhaps
  containers:
  - name: one
    image: ""
    ports: [{containerPort: 70000}]
    resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}
  - name: one
    image: x
)"),
            "spec.containers[0].image: Required value\n"
            "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 "
            "and 65535, inclusive\n"
            "spec.containers[0].resources.requests: Invalid value: \"2Gi\": must be less than or "
            "equal to memory limit of 1Gi\n"
            "spec.containers[1].name: Duplicate value: \"one\"\n"
            "spec.restartPolicy: Unsupported value: \"Perhaps\": supported values: \"Always\", "
            "\"OnFailure\", \"Never\"");
}

struct Refusal {
  std::string_view spec;
  std::string_view container;
  std::string_view error;
};

class PodRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(PodRefusalTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorsOfCreate(PodWith(GetParam().spec, GetParam().container)), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Containers, PodRefusalTest,
    testing::Values(
        Refusal{"", "volumeMounts: [{name: data, mountPath: /data}]",
                "spec.containers[0].volumeMounts[0].name: Not found: \"data\""},
        Refusal{"volumes: [{name: data}]",
                "volumeMounts: [{name: data, mountPath: /d}, {name: data, mountPath: /d}]",
                "spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/d\": must be "
                "unique"},
        Refusal{"volumes: [{name: data}]",
                "volumeMounts: [{name: data, mountPath: /d, subPath: ../up}]",
                "spec.containers[0].volumeMounts.subPath: Invalid value: \"../up\": must not "
                "contain '..'"},
        Refusal{"", "env: [{name: A, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]",
                "spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified "
                "when `value` is not empty"},
        Refusal{"", "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: ''}}}]",
                "spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value"},
        Refusal{"", "envFrom: [{prefix: P}]",
                "spec.containers[0].envFrom: Invalid value: \"\": must specify one of: "
                "`configMapRef` or `secretRef`"},
        Refusal{"", "livenessProbe: {periodSeconds: 5}",
                "spec.containers[0].livenessProbe: Required value: must specify a handler type"},
        Refusal{"", "livenessProbe: {exec: {command: [a]}, tcpSocket: {port: 1}}",
                "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than "
                "1 handler type"},
        Refusal{"", "livenessProbe: {exec: {command: [a]}, successThreshold: 2}",
                "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"},
        Refusal{"", "resources: {requests: {gpu: 1}}",
                "spec.containers[0].resources.requests[gpu]: Invalid value: \"gpu\": must be a "
                "standard resource type or fully qualified\nspec.containers[0].resources.limits: "
                "Required value: Limit must be set for non overcommitable resources"},
        Refusal{"", "resources: {limits: {cpu: -1}}",
                "spec.containers[0].resources.limits[cpu]: Invalid value: \"-1\": must be greater "
                "than or equal to 0\nspec.containers[0].resources.requests[cpu]: Invalid value: "
                "\"-1\": must be greater than or equal to 0"},
        Refusal{"", "ports: [{containerPort: 1, name: a}, {containerPort: 2, name: a}]",
                "spec.containers[0].ports[1].name: Duplicate value: \"a\""},
        Refusal{"", "resources: {limits: {hugepages-2Mi: 2Mi}}",
                "spec.containers[0].resources: Forbidden: HugePages require cpu or memory"},
        Refusal{"", "securityContext: {seccompProfile: {}}",
                "spec.containers[0].securityContext.seccompProfile.type: Required value: type is "
                "required when seccompProfile is set"},
        Refusal{"restartPolicy: Never",
                "resizePolicy: [{resourceName: cpu, restartPolicy: RestartContainer}]",
                "spec.containers[0].resizePolicy: Invalid value: \"RestartContainer\": must be "
                "'NotRequired' when `restartPolicy` is 'Never'"},
        Refusal{"volumes: [{name: data}]",
                "volumeMounts: [{name: data, mountPath: /d, mountPropagation: Bidirectional}]",
                "spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional "
                "mount propagation is available only to privileged containers"},
        Refusal{"hostNetwork: true", "ports: [{containerPort: 80, hostPort: 81}]",
                "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match "
                "`containerPort` when `hostNetwork` is true"},
        Refusal{"", "imagePullPolicy: Never!",
                "spec.containers[0].imagePullPolicy: Unsupported value: \"Never!\": supported "
                "values: \"Always\", \"IfNotPresent\", \"Never\""}));

INSTANTIATE_TEST_SUITE_P(
    Spec, PodRefusalTest,
    testing::Values(
        Refusal{"volumes: [{name: v, emptyDir: {}, hostPath: {path: /x}}]", "",
                "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"},
        Refusal{"volumes: [{name: v}, {name: v}]", "",
                "spec.volumes[1].name: Duplicate value: \"v\""},
        Refusal{"volumes: [{name: v, secret: {}}]", "",
                "spec.volumes[0].secret.secretName: Required value"},
        Refusal{"volumes: [{name: v, configMap: {name: c, defaultMode: 1000}}]", "",
                "spec.volumes[0].configMap.defaultMode: Invalid value: 1000: must be a number "
                "between 0 and 0777 (octal), both inclusive"},
        Refusal{"tolerations: [{operator: Equal, value: x}]", "",
                "spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists "
                "when `key` is empty, which means \"match all values and all keys\""},
        Refusal{"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                "{nodeSelectorTerms: []}}}",
                "",
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                "nodeSelectorTerms: Required value: must have at least one node selector term"},
        Refusal{"hostname: Bad_Host", "",
                "spec.hostname: Invalid value: \"Bad_Host\": a lowercase RFC 1123 label must "
                "consist of lower case alphanumeric characters or '-', and must start and end "
                "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
                "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"},
        Refusal{"activeDeadlineSeconds: 0", "",
                "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, "
                "inclusive"},
        Refusal{"dnsPolicy: None", "",
                "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is "
                "None"},
        Refusal{
            "dnsConfig: {searches: [good.example_1., Bad!], options: [{value: x}]}", "",
            "spec.dnsConfig.searches[1]: Invalid value: \"Bad!\": a lowercase RFC 1123 "
            "subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
            "must start and end with an alphanumeric character (e.g. 'example.com', regex used "
            "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            "\nspec.dnsConfig.options[0]: Required value: must not be empty"},
        Refusal{"securityContext: {sysctls: [{name: net.ipv4.x, value: a}, {name: Bad, value: b}]}",
                "",
                "spec.securityContext.sysctls[1].name: Invalid value: \"Bad\": must have at most "
                "253 characters and match regex "
                "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"},
        Refusal{"hostUsers: false\nhostPID: true", "",
                "spec.hostPID: Forbidden: when `pod.Spec.HostUsers` is false"},
        Refusal{"os: {name: plan9}", "",
                "spec.os: Unsupported value: \"plan9\": supported values: \"linux\", "
                "\"windows\""},
        Refusal{"readinessGates: [{conditionType: ''}]", "",
                "spec.readinessGates[0].conditionType: Invalid value: \"\": name part must be "
                "non-empty\nspec.readinessGates[0].conditionType: Invalid value: \"\": name part "
                "must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
                "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
                "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
        Refusal{"affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                "{nodeSelectorTerms: [{matchFields: [{key: a, operator: Exists}]}]}}}",
                "",
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                "nodeSelectorTerms[0].matchFields[0].operator: Invalid value: \"Exists\": not a "
                "valid selector operator\n"
                "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                "nodeSelectorTerms[0].matchFields[0].key: Invalid value: \"a\": not a valid field "
                "selector key"},
        Refusal{"securityContext: {runAsUser: -1}", "",
                "spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and "
                "2147483647, inclusive"},
        Refusal{"topologySpreadConstraints: [{maxSkew: 0, topologyKey: zone, whenUnsatisfiable: "
                "DoNotSchedule}]",
                "",
                "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater "
                "than zero"}));

TEST(PodTest, ImagesAndAddedTolerationsMayChange) {
  const Json stored = Created(PodWith(""));
  std::string changed = PodWith("tolerations: [{key: a, operator: Exists}]");
  changed.replace(changed.find("shop:1"), 6, "shop:2");
  // The pull policy was defaulted on creation and does not change.
  EXPECT_EQ(Update(stored, changed).errors, "");
}

TEST(PodTest, OtherFieldsOfTheSpecMayNotChange) {
  const Json stored = Created(PodWith(""));
  const std::string errors = Update(stored, PodWith("nodeName: other")).errors;
  EXPECT_EQ(errors.substr(0, errors.find('`')),
            "spec: Forbidden: pod updates may not change fields other than ");
}

TEST(PodTest, TemplatesMayOmitHostPorts) {
  const auto errors = [](std::string_view ports) {
    return ErrorsOfCreate(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: "
        "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {hostNetwork: true, "
        "containers: [{name: c, image: i, ports: [" +
        std::string(ports) + "]}]}}}}");
  };
  EXPECT_EQ(errors("{containerPort: 80}"), "");
  EXPECT_EQ(errors("{containerPort: 80, hostPort: 81}"),
            "spec.template.spec.containers[0].ports[0].hostPort: Invalid value: 81: must match "
            "`containerPort` when `hostNetwork` is true");
}

// The errors of a write to a subresource of a pod with the old lines.
std::string SubresourceErrors(std::string_view part, const Json& old, std::string_view yaml) {
  Json pod = Created(yaml);
  FieldErrors errors;
  BuiltinStrategy("", "Pod")->ValidateSubresourceUpdate(part, pod.get_object(), old.get_object(),
                                                        errors);
  return Describe(errors);
}

TEST(PodTest, ResizeChangesCpuAndMemoryOnly) {
  const auto pod = [](std::string_view resources, std::string_view more = "") {
    return PodWith("initContainers: [{name: i, image: x}]\n" + std::string(more),
                   "resources: " + std::string(resources));
  };
  const Json old = Created(pod("{requests: {cpu: 1}, limits: {memory: 2Gi}}"));
  const auto errors = [&](std::string_view yaml) { return SubresourceErrors("resize", old, yaml); };
  EXPECT_EQ(errors(pod("{requests: {cpu: 2, memory: 2Gi}, limits: {cpu: 3, memory: 4Gi}}")), "");
  EXPECT_EQ(
      errors(pod("{limits: {memory: 2Gi}}")),
      "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed");
  EXPECT_EQ(errors(pod("{requests: {cpu: 1, memory: 2Gi, ephemeral-storage: 1Gi}, limits: {memory: "
                       "2Gi}}")),
            "spec: Forbidden: only cpu and memory resources are mutable");
  EXPECT_EQ(SubresourceErrors("resize", Created(PodWith("", "resources: {requests: {cpu: 1}}")),
                              PodWith("", "resources: {limits: {cpu: 1, memory: 2Gi}}")),
            "spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a result of "
            "resizing");
  EXPECT_EQ(errors(PodWith("initContainers: [{name: i, image: x, resources: {limits: {cpu: 1}}}]",
                           "resources: {requests: {cpu: 1}, limits: {memory: 2Gi}}")),
            "spec: Forbidden: resources for non-sidecar init containers are immutable");
}

TEST(PodTest, SomePodsCannotBeResized) {
  Json old = Created(PodWith("os: {name: windows}"));
  EXPECT_EQ(SubresourceErrors("resize", old, PodWith("os: {name: windows}")),
            "[]: Forbidden: windows pods cannot be resized");
  old = Created(PodWith(""));
  old.as_object()["status"].as_object()["containerStatuses"] =
      MustParse("[{name: main, state: {running: {}}}]");
  EXPECT_EQ(SubresourceErrors("resize", old, PodWith("")),
            "spec: Forbidden: Pod running on node without support for resize");
}

TEST(PodTest, EphemeralContainersCannotBeRemoved) {
  const std::string one = PodWith("ephemeralContainers: [{name: d, image: x}]");
  const auto errors = [&](std::string_view yaml) {
    return SubresourceErrors("ephemeralcontainers", Created(one), yaml);
  };
  EXPECT_EQ(errors(PodWith("ephemeralContainers: [{name: d, image: x}, {name: e, image: y}]")), "");
  EXPECT_EQ(errors(PodWith("")),
            "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"d\" may not be "
            "removed\n");
  EXPECT_EQ(errors(PodWith("ephemeralContainers: [{name: d, image: z}]")),
            "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"d\" may not be "
            "changed\n");
}

TEST(PodTest, TerminatedContainersCannotRunAgain) {
  Json old = Created(PodWith("restartPolicy: Never"));
  JsonObject& status = old.as_object()["status"].as_object();
  status["containerStatuses"] = MustParse("[{name: main, state: {terminated: {exitCode: 1}}}]");
  Json pod = old;
  JsonObject& changed = pod.as_object()["status"].as_object();
  changed["containerStatuses"] = MustParse("[{name: main, state: {running: {}}}]");
  changed["qosClass"] = "Guaranteed";
  FieldErrors errors;
  BuiltinStrategy("", "Pod")->ValidateStatusUpdate(pod.get_object(), old.get_object(), errors);
  EXPECT_EQ(Describe(errors),
            "status.qosClass: Invalid value: \"Guaranteed\": field is immutable\n"
            "status.containerStatuses[0].state: Forbidden: may not be transitioned to "
            "non-terminated state");
}

TEST(PodTest, ContainersCannotBeAddedOrRemoved) {
  const Json stored = Created(PodWith(""));
  EXPECT_EQ(Update(stored, PodWith("initContainers: [{name: i, image: x}]")).errors,
            "spec.initContainers: Forbidden: pod updates may not add or remove containers");
}

}  // namespace
}  // namespace kubexms
