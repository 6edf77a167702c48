#pragma once

// The options of leader election, with their defaults: those of client-go.

#include <chrono>
#include <string>

namespace kubexms {

class Client;

struct LeaderElectionOptions {
  // Name and namespace of the Lease, which all candidates share. A manager uses its own name if the
  // name is empty.
  std::string name;
  std::string namespace_name;
  // Unique identity of this candidate; empty: "<host name>_<uuid>".
  std::string identity;

  // How long other candidates wait after the last renewal that they observed before they acquire
  // the lease. The Lease stores whole seconds, rounded up.
  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
  // A leader that cannot renew the lease for this long steps down.
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  // Time between two attempts to acquire or renew the lease.
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  // Release the lease at the end, so that the next candidate need not wait until it expires.
  bool release_on_stop = true;
  // The client for the Lease, borrowed; it must end its calls when their stop token is requested. A
  // manager uses its own client if it is null. With a separate one, renewals do not wait for the
  // rate limiter behind other API calls.
  Client* client = nullptr;
};

}  // namespace kubexms
