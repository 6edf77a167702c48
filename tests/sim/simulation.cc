#include "tests/sim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/controller/testing/idle_test.h"
#include "tests/sim/foreign_candidate.h"
#include "tests/sim/orders.h"

namespace kubexms::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick(1);          // of the system clock …
constexpr milliseconds kTimePerTick(50);  // … and of the simulated clock
constexpr int kCountingWriters = 3;
constexpr const char* kLease = "simulation";
// By the system clock: a run that does not converge by then is wrong, not slow.
constexpr seconds kConvergenceTimeout(60);
// By the simulated clock: longer than any backoff.
constexpr seconds kIdlePeriod(5);

}  // namespace

// A process from start to exit: a manager with its own connection.
class Simulation::Process {
 public:
  Process(Simulation& world, uint64_t number)
      : world_(world),
        random_(world.options_.seed * 1000 + number),
        client_(world.server_.client(), world.clock_, world.faults_, random_.Next()),
        writes_(world.server_.client(), world.violations_),
        observer_{fmt::format("process-{}", number), world.ledger_, writes_},
        manager_(std::make_unique<Manager>(Options())) {
    AddControllers(*manager_, observer_);
    AddOrderController(*manager_, observer_, world.server_.client(), world.violations_);
    thread_ = std::jthread([this](std::stop_token stop) {
      (void)manager_->Run(stop).ok();  // losing the lease is not a violation
      exited_ = true;
    });
  }
  ~Process() { thread_ = {}; }

  // Simulates a crash: no later request reaches the server.
  void Kill() {
    world_.ledger_.MarkDead(observer_.process);
    client_.Cut(true);
  }
  void Cut(bool cut) { client_.Cut(cut); }
  bool exited() const { return exited_; }
  bool is_active() const { return !world_.elects_leader() || manager_->IsLeader(); }
  Manager& manager() { return *manager_; }
  const std::string& name() const { return observer_.process; }

 private:
  ManagerOptions Options() {
    ManagerOptions options{
        .name = "simulated",
        .on_stuck_work = [](const Error&) {},  // the ledger checks for concurrent work
        .client = &client_,
        .clock = &world_.clock_,
        .random = &random_};
    options.cache.reflector.streaming_list = random_.Below(2) == 0;
    if (world_.elects_leader()) {
      options.leader_election = {
          .name = kLease, .namespace_name = kNamespace, .identity = observer_.process};
    }
    return options;
  }

  Simulation& world_;
  SeededRandom random_;
  UnreliableClient client_;
  OwnWrites writes_;
  Observer observer_;
  std::unique_ptr<Manager> manager_;
  std::atomic<bool> exited_ = false;
  std::jthread thread_;
};

Simulation::Simulation(SimulationOptions options)
    : options_(options),
      ledger_(violations_, options.processes > 1),
      random_(options.seed),
      time_([this](std::stop_token stop) {
        SystemClock machine;
        while (machine.SleepFor(kTick, stop)) clock_.Advance(kTimePerTick);
      }) {}

// Threads that wait for the simulated clock end before it stops.
Simulation::~Simulation() {
  processes_.clear();
  foreign_candidates_.clear();
  writers_.clear();
}

std::vector<std::string> Simulation::Run() {
  CreateCounters(server_.client());
  InstallOrders(server_.client());
  for (int i = 0; i < options_.processes; ++i) {
    processes_.push_back(std::make_unique<Process>(*this, next_process_++));
  }
  StartWriters();
  InjectFaults();
  faults_ = false;
  for (const auto& process : processes_) process->Cut(false);
  writers_.clear();
  foreign_candidates_.clear();
  CheckConvergence();
  return violations_.All();
}

void Simulation::StartWriters() {
  const auto start = [&](std::vector<std::jthread>& threads, auto work) {
    auto& random = *writer_randoms_.emplace_back(std::make_unique<SeededRandom>(random_.Next()));
    auto& client = *writer_clients_.emplace_back(
        std::make_unique<UnreliableClient>(server_.client(), clock_, faults_, random_.Next()));
    threads.emplace_back(
        [&client, &random, work](std::stop_token stop) { work(client, random, stop); });
  };
  start(writers_, [this](Client& client, Random& random, std::stop_token stop) {
    MutateParents(client, clock_, random, std::move(stop));
  });
  start(writers_, [this](Client& client, Random& random, std::stop_token stop) {
    PlaceOrders(client, clock_, random, std::move(stop));
  });
  for (int i = 0; i < kCountingWriters; ++i) {
    start(writers_, [this, i](Client& client, Random& random, std::stop_token stop) {
      counted_ += CountUp(client, clock_, random, fmt::format("writer-{}", i), std::move(stop));
    });
  }
  if (!elects_leader()) return;
  start(foreign_candidates_, [this](Client& client, Random& random, std::stop_token stop) {
    RunForeignCandidate(
        {.lease = kLease, .namespace_name = kNamespace, .identity = "foreign-candidate"}, client,
        clock_, random, ledger_, std::move(stop));
  });
}

void Simulation::InjectFaults() {
  for (int i = 0; i < options_.faults; ++i) {
    clock_.SleepFor(milliseconds(random_.Below(6000)));
    ReplaceExited();
    InjectFault();
  }
}

void Simulation::InjectFault() {
  const size_t which = random_.Below(processes_.size());
  switch (random_.Below(6)) {
    case 0: server_.DropWatches(); return;
    case 1: server_.CompactNow(); return;
    case 2:  // all reflectors have to relist
      server_.CompactNow();
      server_.DropWatches();
      return;
    case 3:
      processes_[which]->Kill();
      Restart(which);
      return;
    case 4: Restart(which); return;
    default:
      processes_[which]->Cut(true);
      clock_.SleepFor(milliseconds(random_.Below(25'000)));
      processes_[which]->Cut(false);
  }
}

void Simulation::Restart(size_t which) {
  processes_[which].reset();
  processes_[which] = std::make_unique<Process>(*this, next_process_++);
}

// A process that loses the lease exits.
void Simulation::ReplaceExited() {
  for (size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i]->exited()) Restart(i);
  }
}

bool Simulation::Await(const std::function<std::string()>& done) {
  SystemClock machine;
  const auto deadline = machine.MonotonicNow() + kConvergenceTimeout;
  std::string left;
  while (machine.MonotonicNow() < deadline) {
    ReplaceExited();
    left = done();
    if (left.empty()) return true;
    machine.SleepFor(kTick);
  }
  violations_.Add("after the faults: " + left);
  return false;
}

void Simulation::CheckConvergence() {
  Client& server = server_.client();
  if (SumOfCounters(server) != counted_) {
    violations_.Add(fmt::format("writers counted {} and counters contain {}", counted_.load(),
                                SumOfCounters(server)));
  }
  const bool done = Await([&] {
    std::string left = Unfinished(server);
    return left.empty() ? UnfinishedOrder(server) : left;
  });
  Await([&]() -> std::string {
    for (const auto& process : processes_) {
      std::string difference = DifferenceToServer(process->manager().informers(), server);
      if (!difference.empty()) return process->name() + ": " + difference;
    }
    return "";
  });
  if (done) CheckIdle();
}

// After convergence no reconciles run, except retries of the last failures.
void Simulation::CheckIdle() {
  Await([&]() -> std::string {
    for (const auto& process : processes_) {
      if (process->is_active() && HasWork(process->manager())) return process->name() + " has work";
    }
    const uint64_t begun = ledger_.begun();
    clock_.SleepFor(kIdlePeriod);
    if (ledger_.begun() == begun) return "";
    return fmt::format("{} reconciles without a change", ledger_.begun() - begun);
  });
}

}  // namespace kubexms::sim
