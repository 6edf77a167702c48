#include "kubexms/builtin/shared/pod_state.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <compare>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/api/values/time.h"

namespace kubexms {
namespace {

using corev1::Pod;
using std::chrono::system_clock;

constexpr const char* kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

Time ReadySince(const Pod& pod) {
  const corev1::PodCondition* ready = FindPodCondition(pod, "Ready");
  return ready != nullptr && ready->status == "True" ? ready->last_transition_time : Time();
}

int PhaseRank(const Pod& pod) {
  if (pod.status.phase == "Pending" || pod.status.phase.empty()) return 0;
  return pod.status.phase == "Unknown" ? 1 : 2;
}

int32_t DeletionCost(const Pod& pod) {
  const auto found = pod.metadata.annotations.find(kDeletionCost);
  if (found == pod.metadata.annotations.end()) return 0;
  const std::string& text = found->second;
  int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return error == std::errc() && end == text.data() + text.size() ? cost : 0;
}

int32_t MostRestarts(const Pod& pod) {
  int32_t most = 0;
  for (const auto& container : pod.status.container_statuses) {
    most = std::max(most, container.restart_count);
  }
  return most;
}

// The age in seconds, rounded to a power of two, so that Pods created at about the same time rank
// the same. Younger Pods have the lower rank.
int AgeRank(const Time& since, system_clock::time_point now) {
  if (since.IsZero()) return 0;
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - since.value()).count();
  return age <= 0 ? 0 : static_cast<int>(std::bit_width(static_cast<uint64_t>(age)));
}

// The sort key of a Pod; the lowest is deleted first.
struct DeletionRank {
  bool assigned;
  int phase;
  bool ready;
  int32_t cost;
  int neighbors;  // negative: more of them is worse
  int ready_age;
  int restarts;  // negative
  int age;
  std::string_view uid;

  auto operator<=>(const DeletionRank&) const = default;
};

using PodsByNode = std::unordered_map<std::string_view, int>;

DeletionRank RankOf(const Pod& pod, const PodsByNode& on_node, system_clock::time_point now) {
  const auto neighbors = on_node.find(pod.spec.node_name);
  return {.assigned = !pod.spec.node_name.empty(),
          .phase = PhaseRank(pod),
          .ready = IsReady(pod),
          .cost = DeletionCost(pod),
          .neighbors = neighbors == on_node.end() ? 0 : -neighbors->second,
          .ready_age = AgeRank(ReadySince(pod), now),
          .restarts = -MostRestarts(pod),
          .age = AgeRank(pod.metadata.creation_timestamp, now),
          .uid = pod.metadata.uid};
}

}  // namespace

const corev1::PodCondition* FindPodCondition(const Pod& pod, std::string_view type) {
  return FindPodCondition(pod.status, type);
}

const corev1::PodCondition* FindPodCondition(const corev1::PodStatus& status,
                                             std::string_view type) {
  const auto& conditions = status.conditions;
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const corev1::PodCondition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool SetPodCondition(corev1::PodStatus& status, corev1::PodCondition condition, Time now) {
  const corev1::PodCondition* old = FindPodCondition(status, condition.type);
  const bool same_status = old != nullptr && old->status == condition.status;
  condition.last_transition_time = same_status ? old->last_transition_time : now;
  if (old == nullptr) {
    status.conditions.push_back(std::move(condition));
    return true;
  }
  if (SemanticEqual(*old, condition)) return false;
  status.conditions[static_cast<size_t>(old - status.conditions.data())] = std::move(condition);
  return true;
}

bool IsBeingDeleted(const Pod& pod) { return !pod.metadata.deletion_timestamp.IsZero(); }

bool IsFinished(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

bool IsActive(const Pod& pod) { return !IsFinished(pod) && !IsBeingDeleted(pod); }

bool IsReady(const Pod& pod) {
  const corev1::PodCondition* ready = FindPodCondition(pod, "Ready");
  return ready != nullptr && ready->status == "True";
}

std::optional<std::chrono::nanoseconds> TimeUntilAvailable(const Pod& pod,
                                                           int32_t min_ready_seconds,
                                                           system_clock::time_point now) {
  if (!IsReady(pod) || min_ready_seconds <= 0) return std::nullopt;
  const Time since = ReadySince(pod);
  const system_clock::time_point available =
      (since.IsZero() ? now : system_clock::time_point(since.value())) +
      std::chrono::seconds(min_ready_seconds);
  if (available <= now) return std::nullopt;
  return available - now;
}

bool IsAvailable(const Pod& pod, int32_t min_ready_seconds, system_clock::time_point now) {
  return IsReady(pod) && !TimeUntilAvailable(pod, min_ready_seconds, now).has_value();
}

Outcome RequeueWhenAvailable(const std::vector<PodPointer>& pods, int32_t min_ready_seconds,
                             system_clock::time_point now) {
  Outcome outcome = Outcome::Done();
  for (const PodPointer& pod : pods) {
    const auto wait = TimeUntilAvailable(*pod, min_ready_seconds, now);
    if (wait) outcome = outcome.And(Outcome::RequeueAfter(*wait));
  }
  return outcome;
}

void SortForDeletion(std::vector<PodPointer>& pods, const std::vector<PodPointer>& related,
                     system_clock::time_point now) {
  PodsByNode on_node;
  for (const PodPointer& pod : related) {
    if (!pod->spec.node_name.empty() && IsActive(*pod)) ++on_node[pod->spec.node_name];
  }
  std::vector<std::pair<DeletionRank, PodPointer>> ranked;
  ranked.reserve(pods.size());
  for (PodPointer& pod : pods) ranked.emplace_back(RankOf(*pod, on_node, now), pod);
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < pods.size(); ++i) pods[i] = std::move(ranked[i].second);
}

}  // namespace kubexms
