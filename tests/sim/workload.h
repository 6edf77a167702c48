#pragma once

// What the simulated controllers and writers do. A parent is a ConfigMap that says how many
// children (Secrets it owns) there should be and what stands in each; a counter is a ConfigMap that
// several writers count up, and whose sum a controller copies.

#include <string>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/manager/manager.h"
#include "tests/sim/checks.h"

namespace kubexms::sim {

inline constexpr const char* kNamespace = "default";

// Where the controllers of one process say what they do.
struct Observer {
  std::string process;
  WorkLedger& ledger;
  OwnWrites& writes;
};

// `observer` must outlive the manager.
void AddControllers(Manager& manager, Observer& observer);

// Makes the objects that are there all the time.
void CreateCounters(Client& client);

// Changes parents and children at random until `stop` is requested.
void DisturbParents(Client& client, Clock& clock, Random& random, std::stop_token stop);

// Counts up by reading, changing and writing, until `stop` is requested. The number of times it
// was told, or found out, that it counted.
uint64_t CountUp(Client& client, Clock& clock, Random& random, const std::string& writer,
                 std::stop_token stop);

// What is not yet as the parents, the counters and the controllers want it; empty: nothing.
std::string Unfinished(Client& client);
// How the caches of these controllers differ from what the server has; empty: not at all.
std::string DifferenceToServer(InformerSet& informers, Client& server);
// The sum of all counters.
uint64_t SumOfCounters(Client& client);

}  // namespace kubexms::sim
