#pragma once

// Of several processes that could do the same work, one does: the one that holds a Lease. The
// record is the one that Kubernetes' own components keep, so candidates in other languages can take
// part.
//
//   ASSIGN_OR_RETURN(auto elector, LeaderElector::Create({.name = "manager", .namespace_name = "ops",
//                                                         .client = &client, ...}));
//   return elector->Run(stop, [&](const Leadership& term) { return manager.Run(term.leading); });
//
// How it is safe: others take over `lease_duration` after the last renewal that they saw. A leader
// that could not renew for `renew_deadline`, which is shorter, tells its work to end; the
// difference is the time that the work has for that. Work that takes longer is ended with its
// process, since nothing else ends a thread. Nobody's timestamps are compared with anybody's clock.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/base/result.h"
#include "kubexms/client/client.h"

namespace kubexms {

class EventRecorder;
class LeaseLock;

struct LeaderElectionOptions {
  // Of the Lease, which all candidates share.
  std::string name;
  std::string namespace_name;
  // Of this candidate, unlike any other's. Empty: "<host name>_<uuid>".
  std::string identity;

  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds retry_period = std::chrono::seconds(2);
  // Give the lease up at the end, so that the next candidate need not wait for it to run out.
  bool release_on_stop = true;
  // Called when the lease is lost and the work has not returned `lease_duration` after the last
  // renewal (but at least a second after it was told to end), with the error that Run() is about to
  // return. Empty: a line in the log, and the end of the process with code 1, without destructors.
  // One that returns lets Run() wait for the work.
  std::function<void(const Error& lost)> when_work_hangs;

  // Borrowed; all but the last two are required. The client must end its calls when it is told to
  // stop.
  Client* client = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  MetricsRegistry* metrics = nullptr;
  const EventRecorder* events = nullptr;
  Logger logger;
};

// What the work of a leader is told.
struct Leadership {
  // Requested when the work has to end: because the lease is lost, or because everything stops. In
  // the latter case the lease is kept meanwhile, so that there is time to finish.
  std::stop_token leading;
  // Requested when the lease is lost, be it while the work is finishing: somebody else may be about
  // to begin, so that nothing may be done any more. Before `leading`.
  std::stop_token lost;
};

class LeaderElector {
 public:
  using Work = std::function<Result<void>(const Leadership& term)>;

  // Errors name the option: BadRequest.
  static Result<std::unique_ptr<LeaderElector>> Create(LeaderElectionOptions options);
  ~LeaderElector();

  // Waits to become leader, then runs `work`, on a thread of its own, while it renews the lease.
  // Ends when `stop` is requested or the work is done; either way the lease is kept until the work
  // has returned, and given up then. Returns what the work returned; success if it never led; and
  // an error if the lease was lost: then somebody else may lead already, and the process should
  // end. To be called once.
  Result<void> Run(std::stop_token stop, const Work& work);

  // The functions below may be called from any thread.

  const std::string& identity() const { return options_.identity; }
  // True from before the work begins until it has returned or is told that the lease is lost.
  bool IsLeader() const EXCLUDES(mutex_);
  // Who leads, as far as is known; empty: nobody.
  std::string Leader() const EXCLUDES(mutex_);
  // "leads by the lease kube-system/manager", or for whom it waits since when.
  std::string Standing() const EXCLUDES(mutex_);
  // An error when the work still runs although its lease has run out: a liveness check.
  Result<void> Healthy() const EXCLUDES(mutex_);

 private:
  explicit LeaderElector(LeaderElectionOptions options);

  bool Acquire(const std::stop_token& stop);
  Result<void> Lead(const std::stop_token& stop, const Work& work);
  Result<void> KeepLease(const std::stop_token& work_ended);
  void AwaitEndOfLostWork(const std::stop_token& work_ended, const Error& lost);
  Result<bool> TryOnce(const std::stop_token& stop);
  Error Lost(std::string_view why) const;
  Clock::MonotonicTime LostAt() const EXCLUDES(mutex_);
  void Release();
  void BeginLeading();
  void EndLeading();
  void NoteHolder();
  void ReportWaiting(Clock::MonotonicTime since);
  std::string WaitsFor() const;
  void Announce(std::string_view what);

  const LeaderElectionOptions options_;
  Clock& clock_;
  const Logger logger_;
  const Gauge is_leader_;
  const Counter slow_renewals_;
  const std::unique_ptr<LeaseLock> lock_;  // of the thread in Run()
  // Who leads was last logged, and when; of the thread in Run().
  std::string reported_;
  std::optional<Clock::MonotonicTime> reported_at_;

  mutable Mutex mutex_;
  std::string leader_ GUARDED_BY(mutex_);
  bool leading_ GUARDED_BY(mutex_) = false;
  bool working_ GUARDED_BY(mutex_) = false;
  // When the last attempt that succeeded was begun.
  Clock::MonotonicTime renewed_at_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
