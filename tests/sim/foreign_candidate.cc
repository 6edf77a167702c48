#include "tests/sim/foreign_candidate.h"

#include <optional>

#include "kubexms/api/kinds/coordination_v1.h"

namespace kubexms::sim {
namespace {

using coordinationv1::Lease;

class Candidate {
 public:
  Candidate(const ForeignCandidateOptions& options, Client& client, Clock& clock)
      : options_(options), client_(client), clock_(clock) {}

  // True: the candidate leads, from the time before the call.
  bool TryOnce() {
    Result<Lease> stored = client_.Get<Lease>({options_.namespace_name, options_.lease});
    if (!stored.ok()) return false;
    Observe(*stored);
    const std::string holder = stored->spec.holder_identity.value_or("");
    const bool ours = holder == options_.identity;
    const auto duration = std::chrono::seconds(stored->spec.lease_duration_seconds.value_or(0));
    if (!ours && !holder.empty() && clock_.MonotonicNow() < changed_at_ + duration) return false;
    Lease claimed = std::move(*stored);
    const MicroTime now = MicroTime::Now(clock_);
    if (!ours) {
      claimed.spec.acquire_time = now;
      claimed.spec.lease_transitions = claimed.spec.lease_transitions.value_or(0) + 1;
    }
    claimed.spec.holder_identity = options_.identity;
    claimed.spec.lease_duration_seconds = static_cast<int32_t>(options_.lease_duration.count());
    claimed.spec.renew_time = now;
    return client_.Update(claimed).ok();
  }

  void Release() {
    Result<Lease> stored = client_.Get<Lease>({options_.namespace_name, options_.lease});
    if (!stored.ok() || stored->spec.holder_identity.value_or("") != options_.identity) return;
    stored->spec.holder_identity = "";
    stored->spec.lease_duration_seconds = 1;
    stored->spec.acquire_time = stored->spec.renew_time = MicroTime::Now(clock_);
    (void)client_.Update(*stored).ok();  // if it fails, the lease expires
  }

 private:
  void Observe(const Lease& lease) {
    if (Encode(lease.spec) == record_) return;
    record_ = Encode(lease.spec);
    changed_at_ = clock_.MonotonicNow();
  }

  const ForeignCandidateOptions& options_;
  Client& client_;
  Clock& clock_;
  std::string record_;
  Clock::MonotonicTime changed_at_{};
};

}  // namespace

void RunForeignCandidate(const ForeignCandidateOptions& options, Client& client, Clock& clock,
                         Random& random, WorkLedger& ledger, std::stop_token stop) {
  Candidate candidate(options, client, clock);
  std::optional<WorkLedger::Work> work;
  auto renewed_at = clock.MonotonicNow();
  uint64_t renewals_left = 0;
  while (true) {
    const auto begun = clock.MonotonicNow();
    if (candidate.TryOnce()) {
      renewed_at = begun;
      if (!work) renewals_left = random.Below(5);
      if (!work) work.emplace(ledger, options.identity, "everything");
    }
    const bool too_late = clock.MonotonicNow() > renewed_at + options.renew_deadline;
    const bool enough = renewals_left-- == 0 || stop.stop_requested();
    if (work && (too_late || enough)) {
      work.reset();
      if (random.Below(2) == 0) candidate.Release();
      clock.SleepFor(options.lease_duration, stop);
    }
    if (!clock.SleepFor(options.retry_period, stop) && !work) return;
  }
}

}  // namespace kubexms::sim
