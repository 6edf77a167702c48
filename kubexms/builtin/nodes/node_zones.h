#pragma once

// Limits the rate at which nodes of a zone get the NoExecute taint. If most nodes of a zone fail at
// once, the network has probably failed, or the connection of this process: then Pods are not
// evicted, or very slowly. If nodes of all zones fail, no Pods are evicted.

#include <map>
#include <optional>
#include <set>
#include <string>

#include "kubexms/base/clock.h"

namespace kubexms {

enum class ZoneState { kNormal, kPartialDisruption, kFullDisruption };

struct NodeZonesOptions {
  // Nodes per second in one zone.
  double primary_rate = 0.1;
  // The rate in large zones of which at least this fraction has failed. In smaller zones it is
  // zero.
  double secondary_rate = 0.01;
  double unhealthy_threshold = 0.55;
  size_t large_zone = 50;  // a zone with more nodes is large
};

ZoneState ZoneStateOf(size_t ready, size_t not_ready, double unhealthy_threshold);

// For one thread at a time.
class NodeZones {
 public:
  explicit NodeZones(NodeZonesOptions options) : options_(options) {}

  // Adds or updates a node.
  void Put(const std::string& node, const std::string& zone, bool ready, Clock::MonotonicTime now);
  void Remove(const std::string& node, Clock::MonotonicTime now);

  // Nodes exist, and none of any zone is ready.
  bool AllAreDisrupted() const;
  ZoneState StateOf(const std::string& zone) const;

  // When the node, which is not ready, may get the NoExecute taint: nodes of a zone are taken in
  // the order of their first calls. Nothing if no node of the zone may be tainted; call again
  // later. A time that has passed stays valid.
  std::optional<Clock::MonotonicTime> TaintTimeOf(const std::string& node,
                                                  Clock::MonotonicTime now);

 private:
  struct Zone {
    std::set<std::string> ready;
    std::set<std::string> not_ready;
    double rate = 0;
    std::optional<Clock::MonotonicTime> last_time;
    std::map<std::string, Clock::MonotonicTime> taint_times;
  };

  double RateOf(const Zone& zone) const;
  void UpdateRate(Zone& zone, Clock::MonotonicTime now) const;

  const NodeZonesOptions options_;
  std::map<std::string, Zone> zones_;
  std::map<std::string, std::string> zone_of_;  // by node
};

}  // namespace kubexms
