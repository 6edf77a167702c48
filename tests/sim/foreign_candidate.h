#pragma once

// A leader election candidate that is not kubexms': it updates the Lease as client-go does, leads
// for a while, and then releases the Lease or crashes without releasing it.

#include <stop_token>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/client/client.h"
#include "tests/sim/checks.h"

namespace kubexms::sim {

struct ForeignCandidateOptions {
  std::string lease;
  std::string namespace_name;
  std::string identity;
  std::chrono::seconds lease_duration{15};
  std::chrono::seconds renew_deadline{10};
  std::chrono::seconds retry_period{2};
};

// Runs until `stop` is requested. The ledger records its leadership as work.
void RunForeignCandidate(const ForeignCandidateOptions& options, Client& client, Clock& clock,
                         Random& random, WorkLedger& ledger, std::stop_token stop);

}  // namespace kubexms::sim
