#include "kubexms/store/compactor.h"

#include <algorithm>

namespace kubexms::store {

Compactor::Compactor(Store* store, Clock* clock, CompactionPolicy policy, OnError on_error)
    : store_(store), clock_(clock), policy_(policy), on_error_(std::move(on_error)) {}

void Compactor::Run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    if (Result<void> result = RunOnce(); !result.ok() && on_error_) on_error_(result.error());
    if (!clock_->SleepFor(policy_.interval, stop)) return;
  }
}

Result<void> Compactor::RunOnce() {
  ASSIGN_OR_RETURN(const uint64_t current, store_->CurrentRevision());
  const Clock::MonotonicTime now = clock_->MonotonicNow();
  samples_.push_back({now, current});
  uint64_t target = current > policy_.keep_at_most ? current - policy_.keep_at_most : 0;
  // The newest sample that is old enough stays: it is what the next look starts from.
  while (samples_.size() > 1 && now - samples_[1].time >= policy_.keep_for) samples_.pop_front();
  if (now - samples_.front().time >= policy_.keep_for) {
    target = std::max(target, samples_.front().revision);
  }
  if (target <= kFirstRevision) return {};
  return store_->Compact(target);
}

}  // namespace kubexms::store
