#pragma once

// The seeds of a simulation: KUBEXMS_SIM_SEED selects one, KUBEXMS_SIM_SEEDS a number of seeds from
// 1.

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace kubexms::sim {

inline constexpr uint64_t kDefaultSeeds = 2;

inline std::vector<uint64_t> Seeds() {
  const auto number = [](const char* variable, uint64_t default_value) {
    const char* text = std::getenv(variable);
    return text == nullptr ? default_value : std::strtoull(text, nullptr, 10);
  };
  if (const uint64_t only = number("KUBEXMS_SIM_SEED", 0); only != 0) return {only};
  std::vector<uint64_t> seeds(number("KUBEXMS_SIM_SEEDS", kDefaultSeeds));
  for (uint64_t i = 0; i < seeds.size(); ++i) seeds[i] = i + 1;
  return seeds;
}

}  // namespace kubexms::sim
