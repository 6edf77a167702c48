#include "kubexms/builtin/endpoints/endpoint_mirror.h"

#include <map>

#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/api/object.h"

namespace kubexms {
namespace {

using corev1::EndpointAddress;
using corev1::Endpoints;
using corev1::EndpointSubset;
using discoveryv1::EndpointPort;
using discoveryv1::EndpointSlice;

constexpr const char* kSkipLabel = "endpointslice.kubernetes.io/skip-mirror";
constexpr const char* kLeaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::vector<EndpointPort> PortsOf(const EndpointSubset& subset) {
  std::vector<EndpointPort> ports;
  for (const corev1::EndpointPort& port : subset.ports) {
    EndpointPort& added = ports.emplace_back();
    added.name = port.name;
    added.port = port.port;
    added.protocol = port.protocol;
    added.app_protocol = port.app_protocol;
  }
  return ports;
}

DesiredEndpoint EndpointFrom(const EndpointAddress& address, bool ready) {
  DesiredEndpoint desired;
  desired.endpoint.addresses = {address.ip};
  desired.endpoint.conditions.emplace().ready = ready;
  desired.endpoint.hostname = address.hostname;
  desired.endpoint.node_name = address.node_name;
  desired.endpoint.target_ref = address.target_ref;
  return desired;
}

class Mirror {
 public:
  void Add(const EndpointSubset& subset) {
    const std::vector<EndpointPort> ports = PortsOf(subset);
    const std::string key = KeyOfPorts(ports);
    size_t room = kMaxMirroredAddresses;
    for (const bool ready : {true, false}) {
      for (const EndpointAddress& address : ready ? subset.addresses : subset.not_ready_addresses) {
        if (room == 0) {
          ++result_.skipped;
          continue;
        }
        --room;
        EndpointGroup& group = GroupOf(address, key);
        group.ports = ports;
        group.endpoints.push_back(EndpointFrom(address, ready));
      }
    }
  }

  MirroredEndpoints Result() {
    for (auto& [key, group] : groups_) result_.groups.push_back(std::move(group));
    return std::move(result_);
  }

 private:
  // Several subsets may share a group, if their ports are equal.
  EndpointGroup& GroupOf(const EndpointAddress& address, const std::string& ports) {
    const bool is_ipv6 = address.ip.find(':') != std::string::npos;
    const std::string family(is_ipv6 ? kIpv6 : kIpv4);
    EndpointGroup& group = groups_[family + ports];
    group.address_type = family;
    return group;
  }

  std::map<std::string, EndpointGroup> groups_;  // by family and ports
  MirroredEndpoints result_;
};

}  // namespace

bool ShouldMirror(const Endpoints& endpoints) {
  const auto skip = endpoints.metadata.labels.find(kSkipLabel);
  if (skip != endpoints.metadata.labels.end() && skip->second == "true") return false;
  return !endpoints.metadata.annotations.contains(kLeaderAnnotation);
}

MirroredEndpoints MirrorEndpoints(const Endpoints& endpoints) {
  Mirror mirror;
  for (const EndpointSubset& subset : endpoints.subsets) mirror.Add(subset);
  return mirror.Result();
}

EndpointSlice MirrorPattern(const Endpoints& endpoints, std::string_view manager) {
  EndpointSlice pattern;
  pattern.metadata.namespace_name = endpoints.metadata.namespace_name;
  pattern.metadata.generate_name = endpoints.metadata.name + "-";
  pattern.metadata.labels = endpoints.metadata.labels;
  pattern.metadata.labels[kServiceNameLabel] = endpoints.metadata.name;
  pattern.metadata.labels[kSliceManagerLabel] = manager;
  pattern.metadata.annotations = endpoints.metadata.annotations;
  pattern.metadata.annotations.erase(kLastApplied);
  pattern.metadata.annotations.erase(kTriggerTimeAnnotation);
  // Cannot fail: the pattern has no other owner and is in the same namespace.
  KUBEXMS_CHECK(SetControllerReference(pattern.metadata, endpoints).ok());
  return pattern;
}

}  // namespace kubexms
