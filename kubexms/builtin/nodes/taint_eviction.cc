#include "kubexms/builtin/nodes/taint_eviction.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "kubexms/builtin/nodes/node_affinity.h"

namespace kubexms {
namespace {

using corev1::Pod;
using corev1::Taint;
using corev1::Toleration;

// Longer tolerations count as unlimited, because the sum with a time could overflow.
constexpr int64_t kForEver = int64_t{100} * 365 * 24 * 3600;

// How long the Pod tolerates the taint; nothing: without a limit.
std::optional<std::chrono::seconds> TolerationTime(const Pod& pod, const Taint& taint) {
  bool tolerated = false;
  std::optional<std::chrono::seconds> shortest;
  for (const Toleration& toleration : pod.spec.tolerations) {
    if (!Tolerates(toleration, taint)) continue;
    tolerated = true;
    if (!toleration.toleration_seconds || *toleration.toleration_seconds >= kForEver) continue;
    const std::chrono::seconds time(std::max<int64_t>(*toleration.toleration_seconds, 0));
    shortest = shortest ? std::min(*shortest, time) : time;
  }
  return tolerated ? shortest : std::chrono::seconds(0);
}

}  // namespace

std::vector<Taint> NoExecuteTaints(const corev1::Node& node) {
  std::vector<Taint> taints;
  std::copy_if(node.spec.taints.begin(), node.spec.taints.end(), std::back_inserter(taints),
               [](const Taint& taint) { return taint.effect == "NoExecute"; });
  return taints;
}

std::optional<Clock::WallTime> EvictionTime(const Pod& pod, const std::vector<Taint>& taints,
                                            Clock::WallTime first_seen) {
  std::optional<Clock::WallTime> earliest;
  for (const Taint& taint : taints) {
    const auto time = TolerationTime(pod, taint);
    if (!time) continue;
    Clock::WallTime since = first_seen;
    if (!taint.time_added.IsZero()) {
      since = std::max(taint.time_added.value(), pod.metadata.creation_timestamp.value());
    }
    earliest = earliest ? std::min(*earliest, since + *time) : since + *time;
  }
  return earliest;
}

}  // namespace kubexms
