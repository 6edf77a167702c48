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
  const bool changed = (ready ? zone.ready : zone.not_ready).insert(node).second;
  (ready ? zone.not_ready : zone.ready).erase(node);
  if (ready) zone.taint_times.erase(node);
  if (changed) UpdateRate(zone, now);
}

void NodeZones::Remove(const std::string& node, Clock::MonotonicTime now) {
  const auto known = zone_of_.find(node);
  if (known == zone_of_.end()) return;
  Zone& zone = zones_[known->second];
  zone.ready.erase(node);
  zone.not_ready.erase(node);
  zone.taint_times.erase(node);
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

std::optional<Clock::MonotonicTime> NodeZones::TaintTimeOf(const std::string& node,
                                                           Clock::MonotonicTime now) {
  const auto known = zone_of_.find(node);
  if (known == zone_of_.end() || AllAreDisrupted()) return std::nullopt;
  Zone& zone = zones_[known->second];
  if (const auto time = zone.taint_times.find(node); time != zone.taint_times.end())
    return time->second;
  if (zone.rate <= 0) return std::nullopt;
  const auto period = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(1 / zone.rate));
  zone.last_time = zone.last_time ? std::max(now, *zone.last_time + period) : now;
  zone.taint_times[node] = *zone.last_time;
  return zone.last_time;
}

double NodeZones::RateOf(const Zone& zone) const {
  const ZoneState state =
      ZoneStateOf(zone.ready.size(), zone.not_ready.size(), options_.unhealthy_threshold);
  // A zone whose nodes have all failed, while other zones work, has really failed.
  if (state != ZoneState::kPartialDisruption) return options_.primary_rate;
  const bool large = zone.ready.size() + zone.not_ready.size() > options_.large_zone;
  return large ? options_.secondary_rate : 0;
}

// When the rate changes, times in the future are recalculated.
void NodeZones::UpdateRate(Zone& zone, Clock::MonotonicTime now) const {
  const double rate = RateOf(zone);
  if (rate == zone.rate) return;
  zone.rate = rate;
  std::erase_if(zone.taint_times, [&](const auto& entry) { return entry.second > now; });
  if (zone.last_time && *zone.last_time > now) zone.last_time = now;
}

}  // namespace kubexms
