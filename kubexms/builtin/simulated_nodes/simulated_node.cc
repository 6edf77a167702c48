#include "kubexms/builtin/simulated_nodes/simulated_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/api/condition.h"

namespace kubexms {
namespace {

using coordinationv1::Lease;
using corev1::Node;
using corev1::NodeCondition;
using corev1::NodeStatus;

constexpr std::string_view kNamePrefix = "sim-";
constexpr const char* kStopped = "simulate.kubexms.io/stopped";
constexpr const char* kPressure = "simulate.kubexms.io/pressure";
constexpr int kZones = 3;

// A condition with the reasons and messages of the kubelet.
struct ConditionTexts {
  std::string_view type;
  std::string_view good_status;
  std::string_view good_reason;
  std::string_view good_message;
  std::string_view bad_reason;
  std::string_view bad_message;
};
constexpr std::array<ConditionTexts, 4> kConditions = {{
    {"MemoryPressure", kConditionFalse, "KubeletHasSufficientMemory",
     "kubelet has sufficient memory available", "KubeletHasInsufficientMemory",
     "kubelet has insufficient memory available"},
    {"DiskPressure", kConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure",
     "KubeletHasDiskPressure", "kubelet has disk pressure"},
    {"PIDPressure", kConditionFalse, "KubeletHasSufficientPID",
     "kubelet has sufficient PID available", "KubeletHasInsufficientPID",
     "kubelet has insufficient PID available"},
    {"Ready", kConditionTrue, "KubeletReady", "kubelet is posting ready status", "KubeletNotReady",
     "the node is simulated to be not ready"},
}};

std::string Annotation(const Node& node, const char* name) {
  const auto found = node.metadata.annotations.find(name);
  return found == node.metadata.annotations.end() ? "" : found->second;
}

// The Pod CIDR: one of the 32768 blocks of 10.128.0.0/9.
std::string PodRange(int number) {
  const int block = number - 1;
  return fmt::format("10.{}.{}.0/24", 128 + block / 256, block % 256);
}

// The address of the node, in 172.16.0.0/12.
std::string NodeAddressOf(int number) {
  return fmt::format("172.{}.{}.{}", 16 + number / 65536, number / 256 % 256, number % 256);
}

corev1::NodeAddress AddressOf(const char* type, std::string address) {
  corev1::NodeAddress result;
  result.type = type;
  result.address = std::move(address);
  return result;
}

StringKeyed<Quantity> Resources(int64_t cpus, int64_t memory_gib, int64_t disk_gib) {
  constexpr int64_t kGib = int64_t{1} << 30;
  return {{"cpu", Quantity(cpus)},
          {"ephemeral-storage", Quantity(disk_gib * kGib, Quantity::Format::kBinarySI)},
          {"memory", Quantity(memory_gib * kGib, Quantity::Format::kBinarySI)},
          {"pods", Quantity(110)}};
}

corev1::NodeSystemInfo SystemInfo(int number) {
  corev1::NodeSystemInfo info;
  info.architecture = "amd64";
  info.operating_system = "linux";
  info.os_image = "Simulated";
  info.kernel_version = "6.1.0-simulated";
  info.kubelet_version = "v1.34.0";
  info.container_runtime_version = "containerd://2.1.0";
  info.machine_id = fmt::format("{:032x}", number);
  info.system_uuid = fmt::format("00000000-0000-4000-8000-{:012x}", number);
  info.boot_id = fmt::format("00000000-0000-4000-9000-{:012x}", number);
  return info;
}

void SetDefaults(int number, NodeStatus& status) {
  if (status.capacity.empty()) status.capacity = Resources(32, 128, 200);
  if (status.allocatable.empty()) status.allocatable = status.capacity;
  if (status.addresses.empty()) {
    status.addresses = {AddressOf("InternalIP", NodeAddressOf(number)),
                        AddressOf("Hostname", SimulatedNodeName(number))};
  }
  if (!status.node_info || status.node_info->kubelet_version.empty()) {
    status.node_info = SystemInfo(number);
  }
  corev1::NodeDaemonEndpoints endpoints;
  endpoints.kubelet_endpoint.emplace().port = 10250;
  status.daemon_endpoints = std::move(endpoints);
}

NodeCondition& ConditionOf(std::string_view type, NodeStatus& status) {
  auto found = std::find_if(status.conditions.begin(), status.conditions.end(),
                            [&](const NodeCondition& other) { return other.type == type; });
  if (found != status.conditions.end()) return *found;
  NodeCondition& added = status.conditions.emplace_back();
  added.type = type;
  return added;
}

// True if the condition changed.
bool SetCondition(const ConditionTexts& texts, bool good, Time now, NodeCondition& condition) {
  const std::string_view status =
      good == (texts.good_status == kConditionTrue) ? kConditionTrue : kConditionFalse;
  const std::string_view reason = good ? texts.good_reason : texts.bad_reason;
  const std::string_view message = good ? texts.good_message : texts.bad_message;
  if (condition.status == status && condition.reason == reason && condition.message == message) {
    return false;
  }
  if (condition.status != status) condition.last_transition_time = now;
  condition.status = status;
  condition.reason = reason;
  condition.message = message;
  return true;
}

}  // namespace

std::string SimulatedNodeName(int number) { return fmt::format("{}{:04}", kNamePrefix, number); }

std::optional<int> SimulatedNodeNumber(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kNamePrefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 1) {
    return std::nullopt;
  }
  return name == SimulatedNodeName(number) ? std::optional(number) : std::nullopt;
}

Node MakeSimulatedNode(int number, Time now) {
  Node node;
  node.metadata.name = SimulatedNodeName(number);
  node.metadata.labels = {
      {"beta.kubernetes.io/arch", "amd64"},
      {"beta.kubernetes.io/os", "linux"},
      {"kubernetes.io/arch", "amd64"},
      {"kubernetes.io/hostname", node.metadata.name},
      {"kubernetes.io/os", "linux"},
      {"node.kubernetes.io/instance-type", "simulated"},
      {"topology.kubernetes.io/region", "sim"},
      {"topology.kubernetes.io/zone", fmt::format("sim-{}", "abc"[(number - 1) % kZones])},
  };
  node.spec.pod_cidr = PodRange(number);
  node.spec.pod_cidrs = {node.spec.pod_cidr};
  node.spec.provider_id = fmt::format("kubexms://{}", node.metadata.name);
  RefreshNodeStatus(number, now, std::chrono::seconds(0), node);
  return node;
}

bool RefreshNodeStatus(int number, Time now, std::chrono::seconds heartbeat_period, Node& node) {
  const std::string before = Encode(node.status);
  SetDefaults(number, node.status);
  const std::string pressure = Annotation(node, kPressure);
  bool due = false;
  for (const ConditionTexts& texts : kConditions) {
    NodeCondition& condition = ConditionOf(texts.type, node.status);
    const bool good = pressure.find(texts.type) == std::string::npos;
    due |= SetCondition(texts, good, now, condition);
    due |= now.value() - condition.last_heartbeat_time.value() >= heartbeat_period;
  }
  if (!due && Encode(node.status) == before) return false;
  for (const ConditionTexts& texts : kConditions) {
    ConditionOf(texts.type, node.status).last_heartbeat_time = now;
  }
  return true;
}

bool IsStopped(const Node& node) { return Annotation(node, kStopped) == "true"; }

std::string InternalIp(const Node& node) {
  for (const corev1::NodeAddress& address : node.status.addresses) {
    if (address.type == "InternalIP") return address.address;
  }
  return "";
}

Lease MakeNodeLease(const Node& node, std::chrono::seconds duration, MicroTime now) {
  Lease lease;
  lease.metadata.namespace_name = kNodeLeaseNamespace;
  lease.metadata.name = node.metadata.name;
  OwnerReference& owner = lease.metadata.owner_references.emplace_back();
  owner.api_version = "v1";
  owner.kind = "Node";
  owner.name = node.metadata.name;
  owner.uid = node.metadata.uid;
  lease.spec.holder_identity = node.metadata.name;
  lease.spec.lease_duration_seconds = static_cast<int32_t>(duration.count());
  lease.spec.renew_time = now;
  return lease;
}

std::string NodeLeaseRenewal(const Node& node, std::chrono::seconds duration, MicroTime now) {
  return fmt::format(
      R"({{"spec":{{"holderIdentity":"{}","leaseDurationSeconds":{},"renewTime":"{}"}}}})",
      node.metadata.name, duration.count(), now.ToString());
}

}  // namespace kubexms
