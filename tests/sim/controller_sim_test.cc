// The controller framework under faults: dropped and lagging watches, compaction, conflicts,
// requests that are late, lost or done without an answer, partitions, killed processes and changes
// of the leader. What must be so all the time, and what must have come about at the end, is in
// checks.h and simulation.cc.
//
// A seed decides what goes wrong, though not how threads interleave: a failure names the seed, and
// may need some runs to be seen again.
//
//   KUBEXMS_SIM_SEED=17 controller_sim_test     one seed
//   KUBEXMS_SIM_SEEDS=500 controller_sim_test   the seeds 1 to 500

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/sim/simulation.h"

namespace kubexms::sim {
namespace {

constexpr uint64_t kSeedsByDefault = 2;

uint64_t NumberFrom(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void RunSeeds(SimulationOptions options) {
  const uint64_t only = NumberFrom("KUBEXMS_SIM_SEED", 0);
  const uint64_t count = NumberFrom("KUBEXMS_SIM_SEEDS", kSeedsByDefault);
  for (uint64_t i = 1; i <= (only == 0 ? count : 1); ++i) {
    options.seed = only == 0 ? i : only;
    for (const std::string& violation : Simulation(options).Run()) {
      ADD_FAILURE() << "KUBEXMS_SIM_SEED=" << options.seed << ": " << violation;
    }
  }
}

TEST(ControllerSimTest, OneProcessConvergesWhateverFails) { RunSeeds({.processes = 1}); }

TEST(ControllerSimTest, OfSeveralProcessesOneWorks) { RunSeeds({.processes = 3}); }

}  // namespace
}  // namespace kubexms::sim
