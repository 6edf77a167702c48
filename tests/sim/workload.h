#pragma once

// The controllers and writers of the simulation. A parent is a ConfigMap with the number of its
// children (Secrets that it owns) and their content; a counter is a ConfigMap that several writers
// increment, and whose sum a controller copies.

#include <string>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/manager/manager.h"
#include "tests/sim/checks.h"

namespace kubexms::sim {

inline constexpr const char* kNamespace = "default";

// The observers of the controllers of one process.
struct Observer {
  std::string process;
  WorkLedger& ledger;
  OwnWrites& writes;
};

// `observer` must outlive the manager.
void AddControllers(Manager& manager, Observer& observer);

// Creates the counters, which exist all the time.
void CreateCounters(Client& client);

// Changes and deletes random parents and children until `stop` is requested.
void MutateParents(Client& client, Clock& clock, Random& random, std::stop_token stop);

// Increments counters by read-modify-write until `stop` is requested. Returns the number of
// increments that the writer knows to have succeeded.
uint64_t CountUp(Client& client, Clock& clock, Random& random, const std::string& writer,
                 std::stop_token stop);

// Why the controllers have not converged; empty: they have.
std::string Unfinished(Client& client);
// The difference between the caches of the controllers and the server; empty: none.
std::string DifferenceToServer(InformerSet& informers, Client& server);
// The sum of all counters.
uint64_t SumOfCounters(Client& client);

}  // namespace kubexms::sim
