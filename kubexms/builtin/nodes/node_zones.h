#pragma once

// How many nodes fail where, and how fast Pods may be driven away from them. When most nodes of a
// zone fail at once it is rather the network that failed, or the eyes of the one who looks: then
// Pods are left where they are, or moved very slowly. When nodes fail everywhere nothing is moved
// at all.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "kubexms/base/clock.h"

namespace kubexms {

enum class ZoneState { kNormal, kPartialDisruption, kFullDisruption };

struct NodeZonesOptions {
  // Nodes a second, in a zone.
  double primary_rate = 0.1;
  // The same in large zones of which so large a part fails; smaller ones are left alone.
  double secondary_rate = 0.01;
  double unhealthy_threshold = 0.55;
  size_t large_zone = 50;  // more than so many nodes
};

ZoneState ZoneStateOf(size_t ready, size_t not_ready, double unhealthy_threshold);

// Not for several threads at once.
class NodeZones {
 public:
  explicit NodeZones(NodeZonesOptions options) : options_(options) {}

  // A node as it is now.
  void Put(const std::string& node, const std::string& zone, bool ready, Clock::MonotonicTime now);
  void Remove(const std::string& node, Clock::MonotonicTime now);

  // There are nodes, and none in any zone is ready.
  bool AllAreDisrupted() const;
  ZoneState StateOf(const std::string& zone) const;

  // From when on Pods may be driven away from the node, which is not ready: nodes of a zone have
  // their turns in the order in which they were asked about. Nothing while it must not happen at
  // all; then, and when the turn is far away, ask again later. A turn that has come stays.
  std::optional<Clock::MonotonicTime> TurnOf(const std::string& node, Clock::MonotonicTime now);

 private:
  struct Zone {
    std::set<std::string> ready;
    std::set<std::string> not_ready;
    double rate = 0;
    std::optional<Clock::MonotonicTime> last_turn;
    std::map<std::string, Clock::MonotonicTime> turns;
  };

  double RateOf(const Zone& zone) const;
  void UpdateRate(Zone& zone, Clock::MonotonicTime now) const;

  const NodeZonesOptions options_;
  std::map<std::string, Zone> zones_;
  std::map<std::string, std::string> zone_of_;  // by node
};

}  // namespace kubexms
