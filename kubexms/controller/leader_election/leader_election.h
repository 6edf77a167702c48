#pragma once

// Leader election: of several processes, only the holder of a Lease works. The Lease has the format
// of Kubernetes' own components, so candidates may be written in other languages.
//
//   ASSIGN_OR_RETURN(auto elector,
//                    LeaderElector::Create({.name = "manager", .namespace_name = "ops",
//                                           .client = &client},
//                                          {.clock = clock, .random = random}));
//   return elector->Run(stop, [&](const Leadership& term) { return manager.Run(term.leading); });
//
// At most one leader works: another candidate acquires the lease `lease_duration` after the last
// renewal that it observed. A leader that cannot renew for `renew_deadline`, which is shorter,
// stops its work; the difference is the time that the work has to end. If it does not end in time,
// the process is terminated, because a thread cannot be. Timestamps of other machines are never
// compared with the local clock.

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
#include "kubexms/controller/leader_election/leader_election_options.h"

namespace kubexms {

class EventRecorder;
class LeaseLock;

// The stop tokens of the work of a leader.
struct Leadership {
  // Requested when the work has to end, because the lease is lost or the process stops. In the
  // latter case the lease is renewed until the work has ended.
  std::stop_token leading;
  // Requested, before `leading`, when the lease is lost, also while the work is ending: another
  // leader may start, so the work must not write any more.
  std::stop_token lost;
};

class LeaderElector {
 public:
  using Work = std::function<Result<void>(const Leadership& term)>;

  // Pointers and references are borrowed and must outlive the elector.
  struct Environment {
    Clock& clock;
    Random& random;
    MetricsRegistry* metrics = nullptr;
    const EventRecorder* events = nullptr;
    Logger log;
    // Called if the lease is lost and the work has not returned `lease_duration` after the last
    // renewal, but at least a second after its stop, with the error that Run() returns. If it is
    // empty, the process is terminated with exit code 1, without destructors, after a log line. If
    // it returns, Run() waits for the work.
    std::function<void(const Error& lost)> on_stuck_work;
  };

  // The client is required. Errors name the option (BadRequest).
  static Result<std::unique_ptr<LeaderElector>> Create(LeaderElectionOptions options,
                                                       Environment environment);
  ~LeaderElector();

  // Acquires the lease, then runs `work` on another thread and renews the lease meanwhile. Ends
  // when `stop` is requested or the work has returned; the lease is released after the work has
  // returned. Returns the result of the work, or success if the lease was never acquired, or an
  // error if the lease was lost: another leader may be working then, so the process should end.
  // Call it once.
  Result<void> Run(std::stop_token stop, const Work& work);

  // The functions below may be called from any thread.

  const std::string& identity() const { return options_.identity; }
  // True from before the work starts until it has returned or the lease is lost.
  bool IsLeader() const EXCLUDES(mutex_);
  // The identity of the leader, as last observed; empty: none.
  std::string Leader() const EXCLUDES(mutex_);
  // "holds the lease kube-system/manager", or which candidate holds it.
  std::string Status() const EXCLUDES(mutex_);
  // An error if the work still runs although its lease has expired: a liveness check.
  Result<void> Health() const EXCLUDES(mutex_);

 private:
  LeaderElector(LeaderElectionOptions options, Environment environment);

  bool Acquire(const std::stop_token& stop);
  Result<void> Lead(const std::stop_token& stop, const Work& work);
  Result<void> RenewUntil(const std::stop_token& work_ended);
  void AwaitWorkAfterLoss(const std::stop_token& work_ended, const Error& lost);
  Result<bool> TryOnce(const std::stop_token& stop);
  Error Lost(std::string_view reason) const;
  Clock::MonotonicTime LostAt() const EXCLUDES(mutex_);
  void Release();
  void BeginLeading();
  void EndLeading();
  void UpdateLeader();
  void LogWaiting(Clock::MonotonicTime since);
  void RecordTransition(std::string_view transition);

  const LeaderElectionOptions options_;
  const Environment environment_;
  Clock& clock_;
  const Logger logger_;
  const Gauge is_leader_;
  const Counter slow_renewals_;
  const std::unique_ptr<LeaseLock> lock_;  // for the thread in Run()
  // The leader that was last logged, and when; for the thread in Run().
  std::string logged_leader_;
  std::optional<Clock::MonotonicTime> logged_at_;

  mutable Mutex mutex_;
  std::string leader_ GUARDED_BY(mutex_);
  bool leading_ GUARDED_BY(mutex_) = false;
  bool working_ GUARDED_BY(mutex_) = false;
  // The start of the last successful attempt.
  Clock::MonotonicTime renewed_at_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
