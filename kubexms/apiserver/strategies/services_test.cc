#include <gtest/gtest.h>

#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/apiserver/strategies/strategy_test.h"

namespace kubexms {
namespace {

std::string Service(std::string_view spec) {
  return "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: " + std::string(spec) + "}";
}

TEST(ServiceTest, ClusterIpGetsDefaults) {
  ExpectCreated(Service("{selector: {app: shop}, ports: [{port: 80}]}"), R"(
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  type: ClusterIP
  selector: {app: shop}
  ports: [{port: 80, protocol: TCP, targetPort: 80}]
  sessionAffinity: None
  internalTrafficPolicy: Cluster
status: {loadBalancer: {}}
)");
}

TEST(ServiceTest, LoadBalancerGetsDefaults) {
  const Json service = Created(Service(
      "{type: LoadBalancer, sessionAffinity: ClientIP, ports: [{port: 80, targetPort: web}]}"));
  ExpectJson(service.at("spec"), R"(
type: LoadBalancer
allocateLoadBalancerNodePorts: true
ports: [{port: 80, protocol: TCP, targetPort: web}]
sessionAffinity: ClientIP
sessionAffinityConfig: {clientIP: {timeoutSeconds: 10800}}
externalTrafficPolicy: Cluster
internalTrafficPolicy: Cluster
)");
}

TEST(ServiceTest, HeadlessAndExternalNamesGetNoAddress) {
  const Json headless =
      Created(Service("{clusterIP: None, selector: {a: b}, ports: [{port: 80}]}"));
  ExpectJson(headless.at("spec").at("clusterIPs"), "[None]");
  const Json external = Created(Service("{type: ExternalName, externalName: example.com}"));
  ExpectJson(external.at("spec"),
             "{type: ExternalName, externalName: example.com, sessionAffinity: None}");
}

struct Refusal {
  std::string_view spec;
  std::string_view error;
};

class ServiceRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(ServiceRefusalTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorsOfCreate(Service(GetParam().spec)), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Services, ServiceRefusalTest,
    testing::Values(
        Refusal{"{selector: {a: b}}", "spec.ports: Required value"},
        Refusal{"{ports: [{port: 1, name: a}, {port: 2, name: a}]}",
                "spec.ports[1].name: Duplicate value: \"a\""},
        Refusal{"{ports: [{port: 1}, {port: 2, name: a}]}", "spec.ports[0].name: Required value"},
        Refusal{"{ports: [{port: 70000, targetPort: 1}]}",
                "spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"},
        Refusal{"{ports: [{port: 1, nodePort: 30000}]}",
                "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"},
        Refusal{"{type: NodePort, clusterIP: None, ports: [{port: 1}]}",
                "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for "
                "NodePort services"},
        Refusal{"{type: ExternalName}", "spec.externalName: Required value"},
        Refusal{"{type: Other, ports: [{port: 1}]}",
                "spec.type: Unsupported value: \"Other\": supported values: \"ClusterIP\", "
                "\"ExternalName\", \"LoadBalancer\", \"NodePort\""},
        Refusal{"{externalTrafficPolicy: Local, ports: [{port: 1}]}",
                "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set for "
                "externally-accessible services"},
        Refusal{"{externalIPs: [127.0.0.1], ports: [{port: 1}]}",
                "spec.externalIPs[0]: Invalid value: \"127.0.0.1\": may not be in the loopback "
                "range (127.0.0.0/8, ::1/128)"},
        Refusal{"{type: LoadBalancer, loadBalancerSourceRanges: [x], ports: [{port: 1}]}",
                "spec.LoadBalancerSourceRanges[0]: Invalid value: \"x\": must be a valid CIDR "
                "value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"},
        Refusal{"{type: LoadBalancer, healthCheckNodePort: 30000, ports: [{port: 1}]}",
                "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is "
                "'LoadBalancer' and `externalTrafficPolicy` is 'Local'"},
        Refusal{"{loadBalancerClass: a/b, ports: [{port: 1}]}",
                "spec.loadBalancerClass: Forbidden: may only be used when `type` is "
                "'LoadBalancer'"}));

Json StoredNodePort() {
  return Created(
      Service("{type: NodePort, clusterIP: 10.0.0.7, ports: [{port: 80, nodePort: "
              "30080}]}"));
}

TEST(ServiceTest, UpdatesPreserveAllocatedValues) {
  const Updated updated =
      Update(StoredNodePort(), Service("{type: NodePort, ports: [{port: 80}]}"));
  EXPECT_EQ(updated.errors, "");
  EXPECT_EQ(FindString(updated.object.at("spec"), "clusterIP"), "10.0.0.7");
  ExpectJson(updated.object.at("spec").at("ports").at(0),
             "{port: 80, protocol: TCP, targetPort: 80, nodePort: 30080}");
}

TEST(ServiceTest, NodePortsAreRemovedWithTheType) {
  const Updated updated = Update(
      StoredNodePort(), Service("{type: ClusterIP, externalTrafficPolicy: Cluster, ports: [{port: "
                                "80, nodePort: 30080}]}"));
  EXPECT_EQ(updated.errors, "");
  EXPECT_FALSE(updated.object.at("spec").at("ports").at(0).get_object().contains("nodePort"));
}

TEST(ServiceTest, ClusterIpIsImmutable) {
  const Updated updated =
      Update(StoredNodePort(), Service("{type: NodePort, clusterIP: 10.0.0.8, clusterIPs: "
                                       "[10.0.0.7], ports: [{port: 80}]}"));
  EXPECT_EQ(updated.errors,
            "spec.clusterIPs[0]: Invalid value: [\"10.0.0.8\"]: may not change once set");
}

TEST(ServiceTest, RequiresNamesThatAreDns1035Labels) {
  EXPECT_FALSE(BuiltinStrategy("", "Service")->ValidateName("1web").empty());
  EXPECT_TRUE(BuiltinStrategy("", "Service")->ValidateName("web").empty());
}

TEST(EndpointSliceTest, GetsDefaultsAndChecksAddresses) {
  ExpectCreated(R"(
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s}, addressType: IPv4,
 endpoints: [{addresses: [10.0.0.1]}], ports: [{port: 80}]}
)",
                R"(
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s}, addressType: IPv4,
 endpoints: [{addresses: [10.0.0.1], conditions: {}}], ports: [{name: "", port: 80, protocol: TCP}]}
)");
  EXPECT_EQ(ErrorsOfCreate(R"(
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: s}, addressType: IPv4,
 endpoints: [{addresses: ["fd00::1"]}]}
)"),
            "endpoints[0].addresses[0]: Invalid value: \"fd00::1\": must be a valid IPv4 address");
}

TEST(NetworkPolicyTest, InfersPolicyTypesFromTheRules) {
  const auto types = [](std::string_view spec) {
    const Json policy = Defaulted(
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: n}, spec: " +
        std::string(spec) + "}");
    return WriteJson(policy.at("spec").at("policyTypes"));
  };
  EXPECT_EQ(types("{podSelector: {}}"), R"(["Ingress"])");
  EXPECT_EQ(types("{podSelector: {}, egress: [{}]}"), R"(["Ingress","Egress"])");
  EXPECT_EQ(types("{podSelector: {}, policyTypes: [Egress]}"), R"(["Egress"])");
}

TEST(NetworkPolicyTest, RequiresExceptionsInsideTheBlock) {
  const auto errors = [](std::string_view block) {
    return ErrorsOfCreate(
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: n}, spec: "
        "{podSelector: {}, ingress: [{from: [{ipBlock: " +
        std::string(block) + "}]}]}}");
  };
  EXPECT_EQ(errors("{cidr: 10.0.0.0/8, except: [10.1.0.0/16]}"), "");
  EXPECT_EQ(errors("{cidr: 'fd00::/8', except: ['fd01::/16']}"), "");
  constexpr std::string_view kField = "spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: ";
  EXPECT_EQ(errors("{cidr: 10.0.0.0/8, except: [11.0.0.0/16]}"),
            std::string(kField) + "\"11.0.0.0/16\": must be a strict subset of `cidr`");
  EXPECT_EQ(errors("{cidr: 10.0.0.0/8, except: [10.0.0.0/8]}"),
            std::string(kField) + "\"10.0.0.0/8\": must be a strict subset of `cidr`");
}

TEST(IngressTest, RequiresRulesWithPathTypes) {
  const auto errors = [](std::string_view spec) {
    return ErrorsOfCreate(
        "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: i}, spec: " +
        std::string(spec) + "}");
  };
  EXPECT_EQ(errors("{}"),
            "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified");
  EXPECT_EQ(errors("{rules: [{http: {paths: [{path: /, backend: {service: {name: a, port: {number: "
                   "1}}}}]}}]}"),
            "spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified");
  EXPECT_EQ(errors("{rules: [{http: {paths: [{path: /a/.., pathType: Prefix, backend: {service: "
                   "{name: a, port: {number: 1}}}}]}}]}"),
            "spec.rules[0].http.paths[0].path: Invalid value: \"/a/..\": cannot end with '/..'");
  EXPECT_EQ(errors("{defaultBackend: {service: {name: a, port: {}}}}"),
            "spec.defaultBackend: Required value: port name or number is required");
}

}  // namespace
}  // namespace kubexms
