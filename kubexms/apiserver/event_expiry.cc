#include "kubexms/apiserver/event_expiry.h"

#include "kubexms/apiserver/resources/resource.h"

namespace kubexms {
namespace {

constexpr std::chrono::seconds kInterval(10);

}  // namespace

void EventExpiry::Run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    const Result<void> done = RunOnce();
    if (!done.ok()) {
      log_.Warn("cannot delete expired events; retrying", {{"error", done.error().message()}});
    }
    clock_.SleepFor(std::min<std::chrono::nanoseconds>(kInterval, lifetime_), stop);
  }
}

Result<void> EventExpiry::RunOnce() {
  RETURN_IF_ERROR(ReadChanges());
  const Clock::MonotonicTime now = clock_.MonotonicNow();
  while (!entries_.empty() && entries_.front().expires <= now) {
    const Entry& entry = entries_.front();
    // An Event that was updated since has a later entry: then this transaction does nothing.
    ASSIGN_OR_RETURN(
        const store::CommitResult result,
        store_.Commit(
            store::Transaction().IfRevision(entry.key, entry.revision).Delete(entry.key)));
    (void)result;
    entries_.pop_front();
  }
  return {};
}

Result<void> EventExpiry::ReadChanges() {
  const std::string prefix = StoragePrefix("", "events");
  if (watch_ == nullptr) {
    ASSIGN_OR_RETURN(const store::ListPage page, store_.List({.prefix = prefix}));
    entries_.clear();
    for (const store::RecordPtr& record : page.records) Add(*record);
    ASSIGN_OR_RETURN(watch_, store_.OpenWatch({.prefix = prefix, .after_revision = page.revision}));
  }
  for (;;) {
    Result<store::WatchBatch> batch = watch_->Poll();
    if (!batch.ok()) {
      watch_.reset();
      return batch.error();
    }
    if (batch->events.empty()) return {};
    for (const store::EventPtr& event : batch->events) {
      if (!event->record->deleted) Add(*event->record);
    }
  }
}

void EventExpiry::Add(const store::Record& record) {
  entries_.push_back(
      {clock_.MonotonicNow() + lifetime_, std::string(record.key), record.mod_revision});
}

}  // namespace kubexms
