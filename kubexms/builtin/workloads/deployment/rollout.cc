#include "kubexms/builtin/workloads/deployment/rollout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kubexms {
namespace {

using Sizes = std::vector<int32_t>;

int32_t Scaled(const Optional<IntOrString>& value, int32_t total, IntOrString::Round round) {
  if (!value.has_value()) return 0;
  const Result<int64_t> scaled = value->GetScaledValue(total, round);
  return scaled.ok() ? static_cast<int32_t>(std::clamp<int64_t>(*scaled, 0, INT32_MAX / 2)) : 0;
}

Sizes SizesOf(const Rollout& rollout) {
  Sizes sizes;
  for (const RolloutSet& set : rollout.sets) sizes.push_back(set.size);
  return sizes;
}

int32_t Sum(const Sizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), 0); }

// The status may still count Pods that a smaller size removes.
int32_t Available(const RolloutSet& set, int32_t size) { return std::min(set.available, size); }

int32_t TotalAvailable(const Rollout& rollout, const Sizes& sizes) {
  int32_t available = 0;
  for (size_t i = 0; i < sizes.size(); ++i) available += Available(rollout.sets[i], sizes[i]);
  return available;
}

// How far a set may be scaled up without exceeding Total(). Pods that are to be deleted count until
// they are; their number is known once every set has observed its size.
int32_t Room(const Rollout& rollout) {
  int32_t pods = 0;
  for (const RolloutSet& set : rollout.sets) {
    if (!set.observed) return 0;
    pods += std::max(set.size, set.pods);
  }
  return std::max(rollout.limits.replicas + rollout.limits.max_surge - pods, 0);
}

// Scales old sets down by up to `count` Pods in total, and each by at most `most(i)`.
template <class Most>
void Shrink(const Rollout& rollout, int32_t count, const Most& most, Sizes& sizes) {
  for (size_t i = 0; i < sizes.size() && count > 0; ++i) {
    if (i == rollout.current) continue;
    const int32_t taken = std::clamp(most(i), 0, count);
    sizes[i] -= taken;
    count -= taken;
  }
}

void ShrinkOld(const Rollout& rollout, Sizes& sizes) {
  const size_t current = *rollout.current;
  const int32_t min_available = rollout.limits.MinAvailable();
  const int32_t unavailable = sizes[current] - Available(rollout.sets[current], sizes[current]);
  const int32_t most = Sum(sizes) - min_available - unavailable;
  Shrink(
      rollout, most, [&](size_t i) { return sizes[i] - rollout.sets[i].available; }, sizes);
  const int32_t spare = TotalAvailable(rollout, sizes) - min_available;
  if (most > 0)
    Shrink(
        rollout, spare, [&](size_t i) { return sizes[i]; }, sizes);
}

std::vector<size_t> WithPods(const Rollout& rollout) {
  std::vector<size_t> active;
  for (size_t i = 0; i < rollout.sets.size(); ++i) {
    if (rollout.sets[i].size > 0) active.push_back(i);
  }
  return active;
}

// The only set with Pods or, if no set has Pods, the current or newest one; none if several have
// Pods.
std::optional<size_t> OnlySet(const Rollout& rollout, const std::vector<size_t>& active) {
  if (active.size() == 1) return active.front();
  if (active.size() > 1 || rollout.sets.empty()) return std::nullopt;
  return rollout.current.value_or(rollout.sets.size() - 1);
}

bool IsComplete(const Rollout& rollout) {
  if (!rollout.current.has_value()) return false;
  const RolloutSet& set = rollout.sets[*rollout.current];
  const int32_t replicas = rollout.limits.replicas;
  return set.size == replicas && set.replicas_before == replicas && set.available >= replicas;
}

// By how much a set is scaled to retain its share of all Pods; negative: down.
int32_t Share(const Rollout& rollout, const RolloutSet& set, int32_t all) {
  if (rollout.limits.replicas == 0) return -set.size;
  const int32_t before = set.total_before.value_or(0) > 0 ? *set.total_before : all;
  const double size = static_cast<double>(set.size) * rollout.limits.Total() / before;
  return static_cast<int32_t>(std::lround(size)) - set.size;
}

void Distribute(const Rollout& rollout, std::vector<size_t> active, Sizes& sizes) {
  const int32_t all = Sum(sizes);
  const int32_t added = rollout.limits.Total() - all;
  if (added == 0) return;
  // The largest first; among equal ones the newest is scaled up first and the oldest is scaled down
  // first.
  if (added > 0) std::reverse(active.begin(), active.end());
  std::stable_sort(active.begin(), active.end(),
                   [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  int32_t left = added;
  for (const size_t i : active) {
    const int32_t share = Share(rollout, rollout.sets[i], all);
    const int32_t part = added > 0 ? std::min(share, left) : std::max(share, left);
    sizes[i] += part;
    left -= part;
  }
  // The rest from rounding.
  sizes[active.front()] = std::max(sizes[active.front()] + left, 0);
}

}  // namespace

RolloutLimits LimitsOf(const appsv1::DeploymentSpec& spec) {
  RolloutLimits limits{.replicas = spec.replicas.value_or(1)};
  if (spec.strategy.type == "Recreate" || !spec.strategy.rolling_update.has_value()) return limits;
  const appsv1::RollingUpdateDeployment& rolling = *spec.strategy.rolling_update;
  limits.max_surge = Scaled(rolling.max_surge, limits.replicas, IntOrString::Round::kUp);
  limits.max_unavailable =
      Scaled(rolling.max_unavailable, limits.replicas, IntOrString::Round::kDown);
  if (limits.max_surge == 0 && limits.max_unavailable == 0) limits.max_unavailable = 1;
  limits.max_unavailable = std::min(limits.max_unavailable, limits.replicas);
  return limits;
}

bool WasRescaled(const Rollout& rollout) {
  return std::any_of(rollout.sets.begin(), rollout.sets.end(), [&](const RolloutSet& set) {
    return set.size > 0 && set.replicas_before.has_value() &&
           *set.replicas_before != rollout.limits.replicas;
  });
}

int32_t InitialSize(const Rollout& rollout) {
  return std::min(rollout.limits.replicas, Room(rollout));
}

std::vector<int32_t> RollingSizes(const Rollout& rollout) {
  Sizes sizes = SizesOf(rollout);
  int32_t& current = sizes[*rollout.current];
  current = std::min(rollout.limits.replicas, current + Room(rollout));
  ShrinkOld(rollout, sizes);
  return sizes;
}

std::vector<int32_t> RecreateSizes(const Rollout& rollout, bool old_pods_left) {
  Sizes sizes(rollout.sets.size(), 0);
  if (!rollout.current.has_value()) return sizes;
  const RolloutSet& current = rollout.sets[*rollout.current];
  sizes[*rollout.current] = old_pods_left ? current.size : rollout.limits.replicas;
  return sizes;
}

std::vector<int32_t> RescaledSizes(const Rollout& rollout, bool rolling) {
  Sizes sizes = SizesOf(rollout);
  std::vector<size_t> active = WithPods(rollout);
  if (const std::optional<size_t> only = OnlySet(rollout, active)) {
    sizes[*only] = rollout.limits.replicas;
  } else if (IsComplete(rollout)) {
    Shrink(
        rollout, Sum(sizes), [&](size_t i) { return sizes[i]; }, sizes);
  } else if (rolling && !active.empty()) {
    Distribute(rollout, std::move(active), sizes);
  }
  return sizes;
}

}  // namespace kubexms
