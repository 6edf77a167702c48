#pragma once

// The desired state of a lab, as values: names, addresses, files. No code here changes the machine.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// A network of IPv4 addresses, "10.77.0.0/24".
struct Subnet {
  uint32_t network = 0;  // in the host's byte order
  int prefix = 0;

  static Result<Subnet> Parse(std::string_view text);
  bool operator==(const Subnet&) const = default;

  std::string ToString() const;
  // "10.77.0.11" for 11.
  std::string Address(uint32_t number) const;
  uint32_t size() const { return uint32_t{1} << (32 - prefix); }
  bool Overlaps(const Subnet& other) const;
};

struct LabHost {
  std::string name;
  std::string address;
  bool operator==(const LabHost&) const = default;
};

// The state of a lab, stored before anything is created, so that all parts can be found after a
// crash.
struct LabState {
  std::string name;
  Subnet subnet;
  std::vector<LabHost> hosts;
  bool operator==(const LabState&) const = default;

  // A network interface; at most 15 characters, the limit of the kernel.
  std::string bridge() const { return "kx-" + name; }
  std::string gateway() const { return subnet.Address(1); }
  // Null when the lab does not have the host.
  const LabHost* Find(std::string_view host) const;
};

std::string WriteLabState(const LabState& state);
Result<LabState> ReadLabState(std::string_view text);

struct LabRequest {
  std::string name;
  int hosts = 0;       // 0: the existing ones, or three
  std::string subnet;  // empty: the existing one, or a free one
};

inline constexpr int kMaxLabHosts = 64;

// At most twelve lower-case characters, because names of interfaces contain it.
Result<void> CheckLabName(std::string_view name);

// The state for a request. Hosts are added and never removed; existing ones retain name and
// address.
// `taken` are the networks that the machine already has routes to.
Result<LabState> PlanLab(const LabRequest& request, const std::optional<LabState>& existing,
                         std::span<const Subnet> taken);

// The networks of /proc/net/route, without the default route.
std::vector<Subnet> NetworksIn(std::string_view routes);

// The first mirror with `suite` in the texts of apt's source files (either format); empty when
// there is none.
std::string MirrorIn(std::span<const std::string> sources, std::string_view suite);

// The mount points at or below `path`, in the order to unmount them; `mounts` is the text of
// /proc/self/mounts.
std::vector<std::string> MountsBelow(std::string_view path, std::string_view mounts);
// The mount points of all control group hierarchies.
std::vector<std::string> CgroupHierarchies(std::string_view mounts);

}  // namespace kubexms::automation
