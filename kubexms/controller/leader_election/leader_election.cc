#include "kubexms/controller/leader_election/leader_election.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "kubexms/controller/events/event_recorder.h"
#include "kubexms/controller/events/object_reference.h"
#include "kubexms/controller/leader_election/lease_lock.h"
#include "kubexms/controller/support/call_deadline.h"

namespace kubexms {
namespace {

// Candidates try again after 1 to 2.2 retry periods, so that they do not collide.
constexpr double kJitter = 1.2;
// How often a waiting candidate logs the holder of the lease.
constexpr auto kLogPeriod = std::chrono::seconds(30);
// The time that the work has to end even if its lease expired before, as after a suspend.
constexpr auto kMinTimeToEnd = std::chrono::seconds(1);

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown-host";
}

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

Error Invalid(std::string_view option, std::string_view reason) {
  return Error::BadRequest(fmt::format("leader election: {} {}", option, reason));
}

Result<void> Validate(const LeaderElectionOptions& options) {
  if (options.name.empty()) return Invalid("name", "is empty: set the name of the Lease");
  if (options.namespace_name.empty()) {
    return Invalid("namespace_name", "is empty: set the namespace of the Lease");
  }
  if (options.retry_period <= std::chrono::nanoseconds(0)) {
    return Invalid("retry_period", "must be greater than zero");
  }
  if (options.lease_duration < std::chrono::seconds(1)) {
    return Invalid("lease_duration", "must be at least one second: a Lease counts in seconds");
  }
  if (options.lease_duration <= options.renew_deadline) {
    return Invalid("lease_duration",
                   fmt::format("({} s) must be longer than renew_deadline ({} s)",
                               Seconds(options.lease_duration), Seconds(options.renew_deadline)));
  }
  if (Seconds(options.renew_deadline) <= kJitter * Seconds(options.retry_period)) {
    return Invalid(
        "renew_deadline",
        fmt::format("({} s) must be longer than {} times retry_period ({} s)",
                    Seconds(options.renew_deadline), kJitter, Seconds(options.retry_period)));
  }
  return {};
}

MetricFamily<Gauge> StatusFamily(MetricsRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->AddGauge({.name = "leader_election_master_status",
                            .help = "1 while this process is the leader, else 0.",
                            .labels = {"name"}});
}

MetricFamily<Counter> SlowPathFamily(MetricsRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->AddCounter({.name = "leader_election_slowpath_total",
                              .help = "Number of renewals that had to read the Lease first.",
                              .labels = {"name"}});
}

}  // namespace

Result<std::unique_ptr<LeaderElector>> LeaderElector::Create(LeaderElectionOptions options,
                                                             Environment environment) {
  KUBEXMS_CHECK(options.client != nullptr);
  RETURN_IF_ERROR(Validate(options));
  if (options.identity.empty()) options.identity = HostName() + "_" + environment.random.Uuid();
  return std::unique_ptr<LeaderElector>(
      new LeaderElector(std::move(options), std::move(environment)));
}

LeaderElector::LeaderElector(LeaderElectionOptions options, Environment environment)
    : options_(std::move(options)),
      environment_(std::move(environment)),
      clock_(environment_.clock),
      logger_(environment_.log.Named("leader_election").With("lease", options_.name)),
      is_leader_(StatusFamily(environment_.metrics).With({options_.name})),
      slow_renewals_(SlowPathFamily(environment_.metrics).With({options_.name})),
      lock_(std::make_unique<LeaseLock>(options_, &clock_)) {}

LeaderElector::~LeaderElector() = default;

Result<void> LeaderElector::Run(std::stop_token stop, const Work& work) {
  if (!Acquire(stop)) return {};
  if (stop.stop_requested()) {
    Release();
    return {};
  }
  BeginLeading();
  Result<void> result = Lead(stop, work);
  EndLeading();
  MutexLock lock(mutex_);
  working_ = false;
  return result;
}

bool LeaderElector::Acquire(const std::stop_token& stop) {
  const Clock::MonotonicTime since = clock_.MonotonicNow();
  while (!stop.stop_requested()) {
    const Result<bool> acquired = TryOnce(stop);
    // A response that took too long does not count: the lease may have expired for the others.
    if (acquired.ok() && *acquired && clock_.MonotonicNow() < LostAt()) return true;
    if (!acquired.ok() && !stop.stop_requested()) {
      logger_.Warn("cannot acquire the lease", {{"error", acquired.error()}});
    }
    if (acquired.ok() && !*acquired) LogWaiting(since);
    const double periods = 1 + kJitter * environment_.random.Fraction();
    clock_.SleepFor(
        std::chrono::duration_cast<std::chrono::nanoseconds>(options_.retry_period * periods),
        stop);
  }
  return false;
}

// The work has returned when this returns, in all cases.
Result<void> LeaderElector::Lead(const std::stop_token& stop, const Work& work) {
  std::stop_source leading;
  std::stop_source lost;
  std::stop_source work_ended;
  Result<void> result;
  std::jthread worker([&] {
    result = work({.leading = leading.get_token(), .lost = lost.get_token()});
    work_ended.request_stop();
  });
  const std::stop_callback end_work(stop, [&] { leading.request_stop(); });
  const Result<void> held = RenewUntil(work_ended.get_token());
  if (!held.ok()) lost.request_stop();
  leading.request_stop();
  if (!held.ok()) {
    EndLeading();
    AwaitWorkAfterLoss(work_ended.get_token(), held.error());
  }
  worker.join();
  if (!held.ok()) return held.error();
  Release();
  return result;
}

// An error means that the lease is lost.
Result<void> LeaderElector::RenewUntil(const std::stop_token& work_ended) {
  std::string last_error;
  while (true) {
    const Clock::MonotonicTime lost_at = LostAt();
    const Clock::MonotonicTime next = clock_.MonotonicNow() + options_.retry_period;
    clock_.SleepUntil(std::min(next, lost_at), work_ended);
    if (work_ended.stop_requested()) return {};
    if (clock_.MonotonicNow() >= lost_at) return Lost("not renewed in time: " + last_error);
    const Result<bool> renewed = TryOnce(work_ended);
    if (renewed.ok() && !*renewed) return Lost(lock_->Holder() + " holds it now");
    if (renewed.ok()) continue;
    if (work_ended.stop_requested()) return {};
    last_error = renewed.error().message();
    logger_.Warn("cannot renew the lease", {{"error", renewed.error()}});
  }
}

void LeaderElector::AwaitWorkAfterLoss(const std::stop_token& work_ended, const Error& lost) {
  const Clock::MonotonicTime expires_at =
      LostAt() - options_.renew_deadline + options_.lease_duration;
  const auto deadline = std::max(expires_at, clock_.MonotonicNow() + kMinTimeToEnd);
  if (!clock_.SleepUntil(deadline, work_ended)) return;
  if (environment_.on_stuck_work) return environment_.on_stuck_work(lost);
  logger_.Error(
      "terminating the process: its work did not end after the lease was lost, and another leader "
      "may start",
      {{"error", lost}});
  std::_Exit(EXIT_FAILURE);
}

Error LeaderElector::Lost(std::string_view reason) const {
  return Error::ServiceUnavailable(fmt::format("leader election lost: lease {}/{}: {}",
                                               options_.namespace_name, options_.name, reason));
}

Clock::MonotonicTime LeaderElector::LostAt() const {
  MutexLock lock(mutex_);
  return renewed_at_ + options_.renew_deadline;
}

// One attempt may take half of renew_deadline, and no longer than the rest of it, so that there is
// time for a second attempt if the server does not respond.
Result<bool> LeaderElector::TryOnce(const std::stop_token& stop) {
  const Clock::MonotonicTime begin = clock_.MonotonicNow();
  Clock::MonotonicTime deadline = begin + options_.renew_deadline / 2;
  if (IsLeader()) deadline = std::min(deadline, LostAt());
  const int64_t slow_before = lock_->slow_renewals();
  const CallDeadline limit(clock_, deadline, stop);
  Result<bool> held = lock_->TryAcquireOrRenew(limit.token());
  slow_renewals_.Increment(static_cast<double>(lock_->slow_renewals() - slow_before));
  UpdateLeader();
  if (held.ok() && *held) {
    MutexLock lock(mutex_);
    renewed_at_ = begin;
  }
  return held;
}

void LeaderElector::Release() {
  if (!options_.release_on_stop || !lock_->IsHolder()) return;
  const CallDeadline limit(clock_, clock_.MonotonicNow() + options_.renew_deadline, {});
  const Result<void> released = lock_->Release(limit.token());
  if (!released.ok()) logger_.Warn("cannot release the lease", {{"error", released.error()}});
  UpdateLeader();
}

void LeaderElector::BeginLeading() {
  {
    MutexLock lock(mutex_);
    leading_ = working_ = true;
  }
  is_leader_.Set(1);
  RecordTransition("became leader");
}

void LeaderElector::EndLeading() {
  {
    MutexLock lock(mutex_);
    if (!std::exchange(leading_, false)) return;
  }
  is_leader_.Set(0);
  RecordTransition("stopped leading");
}

void LeaderElector::RecordTransition(std::string_view transition) {
  logger_.Info(transition, {{"identity", options_.identity}});
  if (environment_.events == nullptr) return;
  environment_.events->Event(ReferenceTo(lock_->lease()), EventType::kNormal, "LeaderElection",
                             fmt::format("{} {}", options_.identity, transition));
}

void LeaderElector::UpdateLeader() {
  MutexLock lock(mutex_);
  leader_ = lock_->Holder();
}

// Logs at once, for every new holder, and periodically: the log shows why the process is idle.
void LeaderElector::LogWaiting(Clock::MonotonicTime since) {
  const Clock::MonotonicTime now = clock_.MonotonicNow();
  const std::string holder = Leader();
  if (logged_at_ && logged_leader_ == holder && now - *logged_at_ < kLogPeriod) return;
  logged_leader_ = holder;
  logged_at_ = now;
  logger_.Info("waiting for the lease, which another process holds",
               {{"namespace", options_.namespace_name},
                {"holder", holder},
                {"identity", options_.identity},
                {"waited_seconds", static_cast<int64_t>(Seconds(now - since))}});
}

std::string LeaderElector::Status() const {
  const std::string lease = options_.namespace_name + "/" + options_.name;
  if (IsLeader()) return "leader: holds the lease " + lease;
  const std::string holder = Leader();
  if (holder.empty()) return fmt::format("waiting for the lease {}, which is not held", lease);
  return fmt::format("waiting for the lease {}, which {} holds", lease, holder);
}

bool LeaderElector::IsLeader() const {
  MutexLock lock(mutex_);
  return leading_;
}

std::string LeaderElector::Leader() const {
  MutexLock lock(mutex_);
  return leader_;
}

Result<void> LeaderElector::Health() const {
  MutexLock lock(mutex_);
  const auto since = clock_.MonotonicNow() - renewed_at_;
  if (!working_ || since <= options_.lease_duration) return {};
  return Error::ServiceUnavailable(
      fmt::format("the process still works as leader, but lease {}/{} was not renewed for {:.0f} s",
                  options_.namespace_name, options_.name, Seconds(since)));
}

}  // namespace kubexms
