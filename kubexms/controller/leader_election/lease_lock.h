#pragma once

// A lock with a time limit, kept as a Lease object in the form that Kubernetes' own components
// write and read. This is one holder's view of it: single attempts, without waiting. LeaderElector
// (leader_election.h) adds the time.
//
// Clocks of different machines are never compared. Whether the holder has given up is judged by how
// long, on our own clock, we have not seen the record change.

#include <chrono>
#include <optional>
#include <string>

#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/client/client.h"

namespace kubexms {

struct LeaseLockOptions {
  std::string name;
  std::string namespace_name;
  std::string identity;
  // What other candidates wait after the last change that they saw before they take over. Written
  // in whole seconds, rounded up.
  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
};

// For one thread at a time.
class LeaseLock {
 public:
  // Both must outlive this.
  LeaseLock(LeaseLockOptions options, Client* client, const Clock* clock);

  // One attempt to get the lock, or to renew it when we have it. True: it is ours, as of the moment
  // before the call. False: somebody else has it. An error says nothing about who has it: a write
  // may have arrived although its answer did not.
  //
  // The holder first writes over the version that it knows; only when that fails does it read.
  Result<bool> TryAcquireOrRenew(std::stop_token stop = {});

  // Gives the lock up, if it is ours, so that the next candidate need not wait.
  Result<void> Release(std::stop_token stop = {});

  // By the record that was seen last.
  bool IsHolder() const { return Holder() == options_.identity; }
  // Empty: nobody, or not yet known.
  std::string Holder() const;
  // The Lease as it was seen last: what events are about.
  const coordinationv1::Lease& lease() const { return lease_; }
  // How often the holder had to read because its write failed.
  int64_t slow_renewals() const { return slow_renewals_; }

 private:
  using Lease = coordinationv1::Lease;

  Result<Lease> Read(const std::stop_token& stop);
  Result<bool> Create(const std::stop_token& stop);
  Result<bool> Write(Lease lease, const std::stop_token& stop);
  Lease Claimed() const;
  bool IsValid() const;
  void Observe(Lease lease);

  const LeaseLockOptions options_;
  Client* const client_;
  const Clock* const clock_;
  Lease lease_;
  std::string record_;  // the spec of lease_ as JSON: equal text means that nobody renewed
  Clock::MonotonicTime changed_at_{};  // when record_ was first seen, on our clock
  int64_t slow_renewals_ = 0;
};

}  // namespace kubexms
