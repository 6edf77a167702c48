// The controller framework under faults: dropped and lagging watches, compaction, conflicts,
// requests that are delayed, lost or performed without a response, partitions, crashed processes
// and changes of the leader. checks.h has the invariants, simulation.cc the checks of convergence.
//
// A seed determines the faults but not the thread schedule: a failure names the seed, and may need
// several runs to be reproduced.
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

TEST(ControllerSimTest, OneProcessConvergesUnderFaults) { RunSeeds({.processes = 1}); }

TEST(ControllerSimTest, OnlyTheLeaderOfSeveralProcessesWorks) { RunSeeds({.processes = 3}); }

}  // namespace
}  // namespace kubexms::sim
