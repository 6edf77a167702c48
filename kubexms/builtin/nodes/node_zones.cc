#include "kubexms/builtin/nodes/node_zones.h"

#include <algorithm>
#include <chrono>

namespace kubexms {

ZoneState ZoneStateOf(size_t ready, size_t not_ready, double unhealthy_threshold) {
  if (ready == 0 && not_ready > 0) return ZoneState::kFullDisruption;
  const double part = static_cast<double>(not_ready) / static_cast<double>(not_ready + ready);
  if (not_ready > 2 && part >= unhealthy_threshold) return ZoneState::kPartialDisruption;
  return ZoneState::kNormal;
}

void NodeZones::Put(const std::string& node, const std::string& zone_name, bool ready,
                    Clock::MonotonicTime now) {
  const auto known = zone_of_.find(node);
  if (known != zone_of_.end() && known->second != zone_name) Remove(node, now);
  zone_of_[node] = zone_name;
  Zone& zone = zones_[zone_name];
  const bool news = (ready ? zone.ready : zone.not_ready).insert(node).second;
  (ready ? zone.not_ready : zone.ready).erase(node);
  if (ready) zone.turns.erase(node);
  if (news) UpdateRate(zone, now);
}

void NodeZones::Remove(const std::string& node, Clock::MonotonicTime now) {
  const auto known = zone_of_.find(node);
  if (known == zone_of_.end()) return;
  Zone& zone = zones_[known->second];
  zone.ready.erase(node);
  zone.not_ready.erase(node);
  zone.turns.erase(node);
  if (zone.ready.empty() && zone.not_ready.empty()) {
    zones_.erase(known->second);
  } else {
    UpdateRate(zone, now);
  }
  zone_of_.erase(known);
}

bool NodeZones::AllAreDisrupted() const {
  return !zones_.empty() && std::all_of(zones_.begin(), zones_.end(),
                                        [](const auto& zone) { return zone.second.ready.empty(); });
}

ZoneState NodeZones::StateOf(const std::string& zone) const {
  const auto found = zones_.find(zone);
  if (found == zones_.end()) return ZoneState::kNormal;
  return ZoneStateOf(found->second.ready.size(), found->second.not_ready.size(),
                     options_.unhealthy_threshold);
}

std::optional<Clock::MonotonicTime> NodeZones::TurnOf(const std::string& node,
                                                      Clock::MonotonicTime now) {
  const auto known = zone_of_.find(node);
  if (known == zone_of_.end() || AllAreDisrupted()) return std::nullopt;
  Zone& zone = zones_[known->second];
  if (const auto turn = zone.turns.find(node); turn != zone.turns.end()) return turn->second;
  if (zone.rate <= 0) return std::nullopt;
  const auto period = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(1 / zone.rate));
  zone.last_turn = zone.last_turn ? std::max(now, *zone.last_turn + period) : now;
  zone.turns[node] = *zone.last_turn;
  return zone.last_turn;
}

double NodeZones::RateOf(const Zone& zone) const {
  const ZoneState state =
      ZoneStateOf(zone.ready.size(), zone.not_ready.size(), options_.unhealthy_threshold);
  // Where all nodes of one zone have failed, and not all of the cluster, the zone has.
  if (state != ZoneState::kPartialDisruption) return options_.primary_rate;
  const bool large = zone.ready.size() + zone.not_ready.size() > options_.large_zone;
  return large ? options_.secondary_rate : 0;
}

// With another rate everybody whose turn has not come asks anew.
void NodeZones::UpdateRate(Zone& zone, Clock::MonotonicTime now) const {
  const double rate = RateOf(zone);
  if (rate == zone.rate) return;
  zone.rate = rate;
  std::erase_if(zone.turns, [&](const auto& turn) { return turn.second > now; });
  if (zone.last_turn && *zone.last_turn > now) zone.last_turn = now;
}

}  // namespace kubexms
