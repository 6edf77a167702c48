#pragma once

// One simulated run: a real server in memory, processes with a Manager each, writers, and a script
// of faults that the seed decides. Time is simulated too: it goes by many times faster than the
// machine's, and stands still when the machine does, so a busy machine changes nothing.

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
  // More than one: they elect a leader, and a stranger takes part.
  int processes = 1;
  int faults = 8;
};

class Simulation {
 public:
  explicit Simulation(SimulationOptions options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Everything that was not as it must be; empty: nothing.
  std::vector<std::string> Run();

 private:
  class Process;

  void StartWriters();
  void Storm();
  void Strike();
  void ReplaceEnded();
  void Restart(size_t which);
  // True as soon as `done()` says nothing; what it said last is a violation otherwise.
  bool Await(const std::function<std::string()>& done);
  void CheckConvergence();
  void CheckQuiet();
  bool elects() const { return options_.processes > 1; }

  const SimulationOptions options_;
  Violations violations_;
  WorkLedger ledger_;
  TestServer server_;
  ManualClock clock_;
  SeededRandom random_;
  std::atomic<bool> storm_ = true;
  std::atomic<uint64_t> counted_ = 0;
  std::vector<std::unique_ptr<UnreliableClient>> writer_clients_;
  std::vector<std::unique_ptr<SeededRandom>> writer_randoms_;
  std::jthread time_;  // ends last
  std::vector<std::jthread> writers_;
  std::vector<std::jthread> strangers_;
  std::vector<std::unique_ptr<Process>> processes_;
  uint64_t next_process_ = 1;
};

}  // namespace kubexms::sim
