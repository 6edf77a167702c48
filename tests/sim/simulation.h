#pragma once

// One simulation: a real server in memory, processes with a Manager each, writers, and faults that
// the seed determines. The simulated clock runs many times faster than the system clock, and stops
// when the machine stalls, so that a busy machine does not change the result.

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "tests/sim/checks.h"
#include "tests/sim/unreliable_client.h"
#include "tests/sim/workload.h"

namespace kubexms::sim {

struct SimulationOptions {
  uint64_t seed = 1;
  // With more than one, the processes elect a leader, and a foreign candidate takes part.
  int processes = 1;
  int faults = 8;
};

class Simulation {
 public:
  explicit Simulation(SimulationOptions options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // The violated invariants; empty: none.
  std::vector<std::string> Run();

 private:
  class Process;

  void StartWriters();
  void InjectFaults();
  void InjectFault();
  void ReplaceExited();
  void Restart(size_t which);
  // Waits until `done()` returns an empty text; at the timeout its last text becomes a violation.
  bool Await(const std::function<std::string()>& done);
  void CheckConvergence();
  void CheckIdle();
  bool elects_leader() const { return options_.processes > 1; }

  const SimulationOptions options_;
  Violations violations_;
  WorkLedger ledger_;
  TestServer server_;
  ManualClock clock_;
  SeededRandom random_;
  std::atomic<bool> faults_ = true;
  std::atomic<uint64_t> counted_ = 0;
  std::vector<std::unique_ptr<UnreliableClient>> writer_clients_;
  std::vector<std::unique_ptr<SeededRandom>> writer_randoms_;
  std::jthread time_;  // ends last
  std::vector<std::jthread> writers_;
  std::vector<std::jthread> foreign_candidates_;
  std::vector<std::unique_ptr<Process>> processes_;
  uint64_t next_process_ = 1;
};

}  // namespace kubexms::sim
