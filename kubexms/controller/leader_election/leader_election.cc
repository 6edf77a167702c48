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

// Candidates that were refused come back after 1 to 2.2 retry periods, each at its own time.
constexpr double kJitter = 1.2;
// How often a candidate that waits says so.
constexpr auto kReportPeriod = std::chrono::seconds(30);
// For work to end although its lease has run out already: the process was asleep.
constexpr auto kLeastTimeToEnd = std::chrono::seconds(1);

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown-host";
}

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

Error Wrong(std::string_view option, std::string_view why) {
  return Error::BadRequest(fmt::format("leader election: {} {}", option, why));
}

Result<void> Validate(const LeaderElectionOptions& options) {
  if (options.name.empty()) return Wrong("name", "is empty: name the Lease");
  if (options.namespace_name.empty()) {
    return Wrong("namespace_name", "is empty: say where the Lease is kept");
  }
  if (options.retry_period <= std::chrono::nanoseconds(0)) {
    return Wrong("retry_period", "must be longer than nothing");
  }
  if (options.lease_duration < std::chrono::seconds(1)) {
    return Wrong("lease_duration", "must be at least one second: a Lease counts in seconds");
  }
  if (options.lease_duration <= options.renew_deadline) {
    return Wrong("lease_duration",
                 fmt::format("({} s) must be longer than renew_deadline ({} s)",
                             Seconds(options.lease_duration), Seconds(options.renew_deadline)));
  }
  if (Seconds(options.renew_deadline) <= kJitter * Seconds(options.retry_period)) {
    return Wrong(
        "renew_deadline",
        fmt::format("({} s) must be longer than {} times retry_period ({} s)",
                    Seconds(options.renew_deadline), kJitter, Seconds(options.retry_period)));
  }
  return {};
}

MetricFamily<Gauge> StatusFamily(MetricsRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->AddGauge({.name = "leader_election_master_status",
                            .help = "1 while this process leads, 0 while it does not.",
                            .labels = {"name"}});
}

MetricFamily<Counter> SlowPathFamily(MetricsRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->AddCounter({.name = "leader_election_slowpath_total",
                              .help = "Renewals that had to read the lease again.",
                              .labels = {"name"}});
}

}  // namespace

Result<std::unique_ptr<LeaderElector>> LeaderElector::Create(LeaderElectionOptions options) {
  KUBEXMS_CHECK(options.client != nullptr && options.clock != nullptr && options.random != nullptr);
  RETURN_IF_ERROR(Validate(options));
  if (options.identity.empty()) options.identity = HostName() + "_" + options.random->Uuid();
  return std::unique_ptr<LeaderElector>(new LeaderElector(std::move(options)));
}

LeaderElector::LeaderElector(LeaderElectionOptions options)
    : options_(std::move(options)),
      clock_(*options_.clock),
      logger_(options_.logger.Named("leader_election").With("lease", options_.name)),
      is_leader_(StatusFamily(options_.metrics).With({options_.name})),
      slow_renewals_(SlowPathFamily(options_.metrics).With({options_.name})),
      lock_(std::make_unique<LeaseLock>(LeaseLockOptions{.name = options_.name,
                                                         .namespace_name = options_.namespace_name,
                                                         .identity = options_.identity,
                                                         .lease_duration = options_.lease_duration},
                                        options_.client, &clock_)) {}

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
    // An answer that took too long is worth nothing: others may have waited long enough already.
    if (acquired.ok() && *acquired && clock_.MonotonicNow() < LostAt()) return true;
    if (!acquired.ok() && !stop.stop_requested()) {
      logger_.Warn("cannot get the lease", {{"error", acquired.error()}});
    }
    if (acquired.ok() && !*acquired) ReportWaiting(since);
    const double periods = 1 + kJitter * options_.random->Fraction();
    clock_.SleepFor(
        std::chrono::duration_cast<std::chrono::nanoseconds>(options_.retry_period * periods),
        stop);
  }
  return false;
}

// Whatever happens, the work has returned when this does.
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
  const Result<void> kept = KeepLease(work_ended.get_token());
  if (!kept.ok()) lost.request_stop();
  leading.request_stop();
  if (!kept.ok()) {
    EndLeading();
    AwaitEndOfLostWork(work_ended.get_token(), kept.error());
  }
  worker.join();
  if (!kept.ok()) return kept.error();
  Release();
  return result;
}

// Renews until the work has ended. An error: the lease is lost.
Result<void> LeaderElector::KeepLease(const std::stop_token& work_ended) {
  std::string last_error;
  while (true) {
    const Clock::MonotonicTime lost_at = LostAt();
    const Clock::MonotonicTime next = clock_.MonotonicNow() + options_.retry_period;
    clock_.SleepUntil(std::min(next, lost_at), work_ended);
    if (work_ended.stop_requested()) return {};
    if (clock_.MonotonicNow() >= lost_at) return Lost("not renewed in time: " + last_error);
    const Result<bool> renewed = TryOnce(work_ended);
    if (renewed.ok() && !*renewed) return Lost(lock_->Holder() + " leads now");
    if (renewed.ok()) continue;
    if (work_ended.stop_requested()) return {};
    last_error = renewed.error().message();
    logger_.Warn("cannot renew the lease", {{"error", renewed.error()}});
  }
}

void LeaderElector::AwaitEndOfLostWork(const std::stop_token& work_ended, const Error& lost) {
  const Clock::MonotonicTime others_begin =
      LostAt() - options_.renew_deadline + options_.lease_duration;
  const auto deadline = std::max(others_begin, clock_.MonotonicNow() + kLeastTimeToEnd);
  if (!clock_.SleepUntil(deadline, work_ended)) return;
  if (options_.when_work_hangs) return options_.when_work_hangs(lost);
  logger_.Error("the work of a leader does not end; the process does, since another one may lead",
                {{"error", lost}});
  std::_Exit(EXIT_FAILURE);
}

Error LeaderElector::Lost(std::string_view why) const {
  return Error::ServiceUnavailable(fmt::format("leader election lost: lease {}/{}: {}",
                                               options_.namespace_name, options_.name, why));
}

Clock::MonotonicTime LeaderElector::LostAt() const {
  MutexLock lock(mutex_);
  return renewed_at_ + options_.renew_deadline;
}

// One attempt. It may take half of the time that a leader has to renew, and not more than is left
// of that, so that a server which does not answer is noticed in time for a second attempt.
Result<bool> LeaderElector::TryOnce(const std::stop_token& stop) {
  const Clock::MonotonicTime begin = clock_.MonotonicNow();
  Clock::MonotonicTime deadline = begin + options_.renew_deadline / 2;
  if (IsLeader()) deadline = std::min(deadline, LostAt());
  const int64_t slow_before = lock_->slow_renewals();
  const CallDeadline limit(clock_, deadline, stop);
  Result<bool> held = lock_->TryAcquireOrRenew(limit.token());
  slow_renewals_.Increment(static_cast<double>(lock_->slow_renewals() - slow_before));
  NoteHolder();
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
  NoteHolder();
}

void LeaderElector::BeginLeading() {
  {
    MutexLock lock(mutex_);
    leading_ = working_ = true;
  }
  is_leader_.Set(1);
  Announce("became leader");
}

void LeaderElector::EndLeading() {
  {
    MutexLock lock(mutex_);
    if (!std::exchange(leading_, false)) return;
  }
  is_leader_.Set(0);
  Announce("stopped leading");
}

void LeaderElector::Announce(std::string_view what) {
  logger_.Info(what, {{"identity", options_.identity}});
  if (options_.events == nullptr) return;
  options_.events->Event(ReferenceTo(lock_->lease()), EventType::kNormal, "LeaderElection",
                         fmt::format("{} {}", options_.identity, what));
}

void LeaderElector::NoteHolder() {
  MutexLock lock(mutex_);
  leader_ = lock_->Holder();
}

std::string LeaderElector::WaitsFor() const {
  const std::string holder = Leader();
  return fmt::format("waits for the lease {}/{}, which {} holds", options_.namespace_name,
                     options_.name, holder.empty() ? "nobody" : holder);
}

// At once, for another holder, and then again: whoever looks at the log sees why nothing happens.
void LeaderElector::ReportWaiting(Clock::MonotonicTime since) {
  const Clock::MonotonicTime now = clock_.MonotonicNow();
  const std::string holder = Leader();
  if (reported_at_ && reported_ == holder && now - *reported_at_ < kReportPeriod) return;
  reported_ = holder;
  reported_at_ = now;
  logger_.Info("waits for the lease; another process holds it",
               {{"namespace", options_.namespace_name},
                {"holder", holder},
                {"identity", options_.identity},
                {"waited_seconds", static_cast<int64_t>(Seconds(now - since))}});
}

std::string LeaderElector::Standing() const {
  if (!IsLeader()) return WaitsFor();
  return fmt::format("leads by the lease {}/{}", options_.namespace_name, options_.name);
}

bool LeaderElector::IsLeader() const {
  MutexLock lock(mutex_);
  return leading_;
}

std::string LeaderElector::Leader() const {
  MutexLock lock(mutex_);
  return leader_;
}

Result<void> LeaderElector::Healthy() const {
  MutexLock lock(mutex_);
  const auto since = clock_.MonotonicNow() - renewed_at_;
  if (!working_ || since <= options_.lease_duration) return {};
  return Error::ServiceUnavailable(
      fmt::format("the work of a leader still runs, but lease {}/{} was not renewed for {:.0f} s",
                  options_.namespace_name, options_.name, Seconds(since)));
}

}  // namespace kubexms
