#include "kubexms/store/compactor.h"

#include <algorithm>

namespace kubexms::store {

Compactor::Compactor(Store* store, Clock* clock, CompactorOptions options, OnError on_error)
    : store_(store), clock_(clock), options_(options), on_error_(std::move(on_error)) {}

void Compactor::Run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    if (Result<void> result = RunOnce(); !result.ok() && on_error_) on_error_(result.error());
    if (!clock_->SleepFor(options_.interval, stop)) return;
  }
}

Result<void> Compactor::RunOnce() {
  ASSIGN_OR_RETURN(const uint64_t current, store_->CurrentRevision());
  const Clock::MonotonicTime now = clock_->MonotonicNow();
  samples_.push_back({now, current});
  uint64_t target = current > options_.max_revisions ? current - options_.max_revisions : 0;
  // Retains the newest sample that is old enough: the next compaction uses it.
  while (samples_.size() > 1 && now - samples_[1].time >= options_.retention) samples_.pop_front();
  if (now - samples_.front().time >= options_.retention) {
    target = std::max(target, samples_.front().revision);
  }
  if (target <= kFirstRevision) return {};
  return store_->Compact(target);
}

}  // namespace kubexms::store
