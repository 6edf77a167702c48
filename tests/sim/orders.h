#pragma once

// Requests under faults. An order is a request for one of a few tables; a table has one order at a
// time. Executions are tried again, take their time, or are cancelled; what must always be so is
// that a finished order is not executed again, and that of the orders of a table one is Processing.

#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/manager/manager.h"
#include "tests/sim/workload.h"

namespace kubexms::sim {

// Makes the kind known to the server.
void InstallOrders(Client& client);

// `server` tells the truth. It and `observer` must outlive the manager.
void AddOrderController(Manager& manager, Observer& observer, Client& server,
                        Violations& violations);

// Creates orders, and deletes some, until `stop` is requested.
void PlaceOrders(Client& client, Clock& clock, Random& random, std::stop_token stop);

// The first order that is not finished; empty: all are.
std::string UnfinishedOrder(Client& client);

}  // namespace kubexms::sim
