#pragma once

// A candidate for a Lease that is not ours: it keeps the record as client-go does, leads now and
// then, and ends in every way: it gives the lease up, or is gone without a word.

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

// Until `stop` is requested. While it leads, the ledger says so.
void RunForeignCandidate(const ForeignCandidateOptions& options, Client& client, Clock& clock,
                         Random& random, WorkLedger& ledger, std::stop_token stop);

}  // namespace kubexms::sim
