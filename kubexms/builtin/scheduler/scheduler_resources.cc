#include "kubexms/builtin/scheduler/scheduler_resources.h"

#include <algorithm>
#include <string_view>

namespace kubexms {
namespace {

using corev1::Container;
using corev1::PodSpec;

constexpr int64_t kPresumedMilliCpu = 100;
constexpr int64_t kPresumedMemory = 200LL * 1024 * 1024;

auto FindOther(ResourceAmounts& amounts, std::string_view name) {
  return std::ranges::lower_bound(amounts.others, name, {},
                                  [](const auto& other) { return std::string_view(other.first); });
}

int64_t& OtherOf(ResourceAmounts& amounts, std::string_view name) {
  auto place = FindOther(amounts, name);
  if (place == amounts.others.end() || place->first != name) {
    place = amounts.others.emplace(place, name, 0);
  }
  return place->second;
}

void Set(ResourceAmounts& amounts, std::string_view name, const Quantity& quantity) {
  if (name == "cpu") {
    amounts.milli_cpu = quantity.MilliValue();
  } else if (name == "memory") {
    amounts.memory = quantity.Value();
  } else if (name == "ephemeral-storage") {
    amounts.ephemeral_storage = quantity.Value();
  } else if (name != "pods") {
    OtherOf(amounts, name) = quantity.Value();
  }
}

void SetMaximum(ResourceAmounts& amounts, const ResourceAmounts& candidate) {
  amounts.milli_cpu = std::max(amounts.milli_cpu, candidate.milli_cpu);
  amounts.memory = std::max(amounts.memory, candidate.memory);
  amounts.ephemeral_storage = std::max(amounts.ephemeral_storage, candidate.ephemeral_storage);
  for (const auto& [name, value] : candidate.others) {
    int64_t& amount = OtherOf(amounts, name);
    amount = std::max(amount, value);
  }
}

ResourceAmounts RequestsOf(const Container& container, bool non_zero) {
  ResourceAmounts amounts = AmountsOf(container.resources.requests);
  if (!non_zero) return amounts;
  if (!container.resources.requests.contains("cpu")) amounts.milli_cpu = kPresumedMilliCpu;
  if (!container.resources.requests.contains("memory")) amounts.memory = kPresumedMemory;
  return amounts;
}

// A sidecar: an init container that keeps running.
bool IsSidecar(const Container& init_container) {
  return init_container.restart_policy == "Always";
}

bool IsPodLevelResource(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

ResourceAmounts Requests(const PodSpec& spec, bool non_zero) {
  ResourceAmounts running;
  for (const Container& container : spec.containers) running.Add(RequestsOf(container, non_zero));
  ResourceAmounts sidecars;
  ResourceAmounts starting;
  for (const Container& container : spec.init_containers) {
    ResourceAmounts requests = RequestsOf(container, non_zero);
    if (IsSidecar(container)) {
      running.Add(requests);
      sidecars.Add(requests);
      SetMaximum(starting, sidecars);
    } else {
      requests.Add(sidecars);
      SetMaximum(starting, requests);
    }
  }
  SetMaximum(running, starting);
  for (const auto& [name, quantity] : spec.resources.requests) {
    if (IsPodLevelResource(name)) Set(running, name, quantity);
  }
  running.Add(AmountsOf(spec.overhead));
  return running;
}

}  // namespace

int64_t ResourceAmounts::Other(std::string_view name) const {
  for (const auto& [other, value] : others) {
    if (other == name) return value;
  }
  return 0;
}

void ResourceAmounts::Add(const ResourceAmounts& amounts) {
  milli_cpu += amounts.milli_cpu;
  memory += amounts.memory;
  ephemeral_storage += amounts.ephemeral_storage;
  for (const auto& [name, value] : amounts.others) OtherOf(*this, name) += value;
}

void ResourceAmounts::Subtract(const ResourceAmounts& amounts) {
  milli_cpu -= amounts.milli_cpu;
  memory -= amounts.memory;
  ephemeral_storage -= amounts.ephemeral_storage;
  for (const auto& [name, value] : amounts.others) OtherOf(*this, name) -= value;
}

ResourceAmounts AmountsOf(const StringKeyed<Quantity>& resources) {
  ResourceAmounts amounts;
  for (const auto& [name, quantity] : resources) Set(amounts, name, quantity);
  return amounts;
}

ResourceAmounts RequestsOf(const PodSpec& spec) { return Requests(spec, false); }

ResourceAmounts NonZeroRequestsOf(const PodSpec& spec) { return Requests(spec, true); }

}  // namespace kubexms
