#pragma once

// A lock that expires, stored as a Lease object in the format of Kubernetes' own components. This
// class makes single attempts without waiting; LeaderElector (leader_election.h) adds the timing.
//
// Clocks of different machines are never compared: a lease is expired when this candidate has not
// observed a change of the record for the lease duration, by its own clock.

#include <optional>
#include <string>

#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/leader_election/leader_election_options.h"

namespace kubexms {

// For one thread at a time.
class LeaseLock {
 public:
  // The client in the options and the clock must outlive the lock.
  LeaseLock(LeaderElectionOptions options, const Clock* clock);

  // Makes one attempt to acquire the lease, or to renew it. True: this candidate holds it, as of
  // the time before the call. False: another candidate holds it. After an error the holder is
  // unknown: the server may have applied the write although its response was lost.
  //
  // The holder first updates the version that it knows, and reads the Lease only if that fails.
  Result<bool> TryAcquireOrRenew(std::stop_token stop = {});

  // Releases the lease if this candidate holds it, so that the next one need not wait.
  Result<void> Release(std::stop_token stop = {});

  // According to the last observed record.
  bool IsHolder() const { return Holder() == options_.identity; }
  // Empty: none, or not known yet.
  std::string Holder() const;
  // The last observed Lease: the object of events.
  const coordinationv1::Lease& lease() const { return lease_; }
  // How often the holder had to read the Lease because its update failed.
  int64_t slow_renewals() const { return slow_renewals_; }

 private:
  using Lease = coordinationv1::Lease;

  Result<Lease> Read(const std::stop_token& stop);
  Result<bool> Create(const std::stop_token& stop);
  Result<bool> Write(Lease lease, const std::stop_token& stop);
  Lease Claimed() const;
  bool IsValid() const;
  void Observe(Lease lease);

  const LeaderElectionOptions options_;
  Client* const client_;
  const Clock* const clock_;
  Lease lease_;
  std::string record_;                 // the spec of lease_ as JSON, to detect renewals
  Clock::MonotonicTime changed_at_{};  // when record_ was first observed
  int64_t slow_renewals_ = 0;
};

}  // namespace kubexms
