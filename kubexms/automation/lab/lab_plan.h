#pragma once

// What a lab is to be, as values: names, addresses, files. Nothing here touches the machine.

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

// What is written down about a lab before anything of it is made, so that whatever exists can be
// found again after a crash.
struct LabState {
  std::string name;
  Subnet subnet;
  std::vector<LabHost> hosts;
  bool operator==(const LabState&) const = default;

  // Of the machine's network; at most 15 characters, the kernel's limit.
  std::string bridge() const { return "kx-" + name; }
  std::string gateway() const { return subnet.Address(1); }
  // Null when the lab has no such host.
  const LabHost* Find(std::string_view host) const;
};

std::string WriteLabState(const LabState& state);
Result<LabState> ReadLabState(std::string_view text);

struct LabRequest {
  std::string name;
  int hosts = 0;       // 0: as many as there are, or three
  std::string subnet;  // empty: what it has, or one that is free
};

inline constexpr int kMaxLabHosts = 64;

// A lower-case word of at most twelve characters, so that names of interfaces can be made of it.
Result<void> CheckLabName(std::string_view name);

// The state that `request` asks for. Hosts are added and never removed, and what exists keeps its
// name and address. `taken` are the networks that the machine can reach already.
Result<LabState> PlanLab(const LabRequest& request, const std::optional<LabState>& existing,
                         std::span<const Subnet> taken);

// The networks of /proc/net/route, without the default route.
std::vector<Subnet> NetworksIn(std::string_view routes);

// Where Debian's packages come from, by the texts of apt's files of sources (either format): the
// first one that has `suite`. Empty when there is none.
std::string MirrorIn(std::span<const std::string> sources, std::string_view suite);

// The mount points that are `path` or below it, in the order in which they have to be unmounted;
// `mounts` is the text of /proc/self/mounts.
std::vector<std::string> MountsBelow(std::string_view path, std::string_view mounts);
// The mount points of all hierarchies of control groups.
std::vector<std::string> CgroupHierarchies(std::string_view mounts);

}  // namespace kubexms::automation
