#include "kubexms/controller/leader_election/lease_lock.h"

#include <utility>

namespace kubexms {
namespace {

// Attempts to release the lease in spite of conflicts.
constexpr int kReleaseAttempts = 5;

int32_t WholeSeconds(std::chrono::nanoseconds duration) {
  return static_cast<int32_t>(std::chrono::ceil<std::chrono::seconds>(duration).count());
}

}  // namespace

LeaseLock::LeaseLock(LeaderElectionOptions options, const Clock* clock)
    : options_(std::move(options)), client_(options_.client), clock_(clock) {}

std::string LeaseLock::Holder() const { return lease_.spec.holder_identity.value_or(""); }

Result<bool> LeaseLock::TryAcquireOrRenew(std::stop_token stop) {
  if (IsHolder() && IsValid()) {
    if (Write(Claimed(), stop).ok()) return true;
    ++slow_renewals_;
  }
  Result<Lease> stored = Read(stop);
  if (!stored.ok() && stored.error().IsNotFound()) return Create(stop);
  if (!stored.ok()) return stored.error();
  Observe(std::move(*stored));
  if (!IsHolder() && !Holder().empty() && IsValid()) return false;
  return Write(Claimed(), stop);
}

Result<void> LeaseLock::Release(std::stop_token stop) {
  for (int attempt = 1; IsHolder(); ++attempt) {
    Lease released = lease_;
    released.spec.holder_identity = "";
    released.spec.lease_duration_seconds = 1;
    released.spec.acquire_time = released.spec.renew_time = MicroTime::Now(*clock_);
    Result<bool> written = Write(std::move(released), stop);
    if (written.ok() || written.error().IsNotFound()) return {};
    if (!written.error().IsConflict() || attempt == kReleaseAttempts) return written.error();
    Result<Lease> stored = Read(stop);
    if (!stored.ok()) return IgnoreNotFound(stored);
    Observe(std::move(*stored));
  }
  return {};
}

Result<LeaseLock::Lease> LeaseLock::Read(const std::stop_token& stop) {
  return client_->Get<Lease>({options_.namespace_name, options_.name}, {.stop = stop});
}

Result<bool> LeaseLock::Create(const std::stop_token& stop) {
  Lease lease;
  lease.metadata.name = options_.name;
  lease.metadata.namespace_name = options_.namespace_name;
  lease.spec.holder_identity = options_.identity;
  lease.spec.lease_duration_seconds = WholeSeconds(options_.lease_duration);
  lease.spec.acquire_time = lease.spec.renew_time = MicroTime::Now(*clock_);
  lease.spec.lease_transitions = 0;
  ASSIGN_OR_RETURN(Lease created, client_->Create(lease, {.stop = stop}));
  Observe(std::move(created));
  return true;
}

Result<bool> LeaseLock::Write(Lease lease, const std::stop_token& stop) {
  ASSIGN_OR_RETURN(Lease written, client_->Update(lease, {.stop = stop}));
  Observe(std::move(written));
  return true;
}

// The observed Lease, changed so that this candidate acquires or renews it.
LeaseLock::Lease LeaseLock::Claimed() const {
  Lease lease = lease_;
  const MicroTime now = MicroTime::Now(*clock_);
  if (!IsHolder()) {
    lease.spec.acquire_time = now;
    lease.spec.lease_transitions = lease.spec.lease_transitions.value_or(0) + 1;
  }
  lease.spec.holder_identity = options_.identity;
  lease.spec.lease_duration_seconds = WholeSeconds(options_.lease_duration);
  lease.spec.renew_time = now;
  return lease;
}

bool LeaseLock::IsValid() const {
  const std::chrono::seconds duration(lease_.spec.lease_duration_seconds.value_or(0));
  return clock_->MonotonicNow() < changed_at_ + duration;
}

void LeaseLock::Observe(Lease lease) {
  std::string record = Encode(lease.spec);
  if (record != record_) {
    record_ = std::move(record);
    changed_at_ = clock_->MonotonicNow();
  }
  lease_ = std::move(lease);
}

}  // namespace kubexms
