#pragma once

// Request objects under faults. An Order is a request for one of a few tables; a table has one
// Order at a time. Executions are retried, take time, or are canceled. Invariants: a finished Order
// is not executed again, and at most one Order of a table is Processing.

#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/manager/manager.h"
#include "tests/sim/workload.h"

namespace kubexms::sim {

// Creates the CustomResourceDefinition.
void InstallOrders(Client& client);

// `server` is a reliable client. It and `observer` must outlive the manager.
void AddOrderController(Manager& manager, Observer& observer, Client& server,
                        Violations& violations);

// Creates Orders, and deletes some, until `stop` is requested.
void PlaceOrders(Client& client, Clock& clock, Random& random, std::stop_token stop);

// The first unfinished Order; empty: all are finished.
std::string UnfinishedOrder(Client& client);

}  // namespace kubexms::sim
