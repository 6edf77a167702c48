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

#include "tests/sim/seeds.h"
#include "tests/sim/simulation.h"

namespace kubexms::sim {
namespace {

void RunSeeds(SimulationOptions options) {
  for (const uint64_t seed : Seeds()) {
    options.seed = seed;
    for (const std::string& violation : Simulation(options).Run()) {
      ADD_FAILURE() << "KUBEXMS_SIM_SEED=" << seed << ": " << violation;
    }
  }
}

TEST(ControllerSimTest, OneProcessConvergesWhateverFails) { RunSeeds({.processes = 1}); }

TEST(ControllerSimTest, OfSeveralProcessesOneWorks) { RunSeeds({.processes = 3}); }

}  // namespace
}  // namespace kubexms::sim
