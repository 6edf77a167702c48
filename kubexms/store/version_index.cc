#include "kubexms/store/version_index.h"

#include <algorithm>
#include <limits>

#include "kubexms/base/check.h"

namespace kubexms::store {

namespace {

constexpr uint64_t kNewest = std::numeric_limits<uint64_t>::max();
constexpr int kFetchAhead = 8;
constexpr int kCacheLine = 64;

void Fetch(const RecordPtr& record) {
  const char* at = reinterpret_cast<const char*>(record.get());
  __builtin_prefetch(at);
  __builtin_prefetch(at + kCacheLine);
}

size_t BytesOf(const Record& record) {
  return sizeof(Record) + record.key.size() + record.value.size();
}

// The bytes that compacting a change frees: the previous version, and the record of a deletion.
size_t FreedBy(const Event& event) {
  return (event.previous ? BytesOf(*event.previous) : 0) +
         (event.record->deleted ? BytesOf(*event.record) : 0);
}

}  // namespace

Result<void> VersionIndex::CheckReadable(uint64_t revision) const {
  if (revision < compacted_) return CompactedRevisionError(revision);
  if (revision > current_) return FutureRevisionError(revision, current_);
  return {};
}

RecordPtr VersionIndex::Get(std::string_view key, uint64_t revision) const {
  const auto found = versions_.lower_bound(Position{key, revision});
  if (found == versions_.end() || (*found)->key != key || (*found)->deleted) return nullptr;
  return *found;
}

// Calls `visit` with each live record of the snapshot; `visit` returns false to stop after it.
template <class Visit>
void VersionIndex::Walk(Scan& scan, size_t max_steps, Visit visit) const {
  // Revision 0 sorts after all versions of the last visited key.
  auto it = scan.after.empty() ? versions_.lower_bound(Position{scan.prefix, kNewest})
                               : versions_.upper_bound(Position{scan.after, 0});
  auto ahead = it;
  for (int i = 0; i < kFetchAhead && ahead != versions_.end(); ++i) Fetch(*ahead++);
  for (size_t steps = 0; it != versions_.end() && (*it)->key.starts_with(scan.prefix);) {
    if (ahead != versions_.end()) Fetch(*ahead++);
    const Record& first = **it;
    if (first.mod_revision > scan.revision) {
      it = versions_.lower_bound(Position{first.key, scan.revision});
    }
    const bool visible = it != versions_.end() && (*it)->key == first.key && !(*it)->deleted;
    const bool stop = (visible && !visit(*it)) || ++steps >= max_steps;
    if (stop) {
      scan.after = first.key;
      return;
    }
    if (it != versions_.end() && (*it)->key == first.key) ++it;
    if (it != versions_.end() && (*it)->key == first.key) {
      it = versions_.upper_bound(Position{first.key, 0});
    }
  }
  scan.done = true;
}

void VersionIndex::Read(Scan& scan, size_t limit, size_t max_steps,
                        std::vector<RecordPtr>& records) const {
  Walk(scan, max_steps, [&](const RecordPtr& record) {
    records.push_back(record);
    return --limit > 0;
  });
}

uint64_t VersionIndex::Count(Scan& scan, size_t max_steps) const {
  uint64_t count = 0;
  Walk(scan, max_steps, [&](const RecordPtr&) {
    ++count;
    return true;
  });
  return count;
}

uint64_t VersionIndex::ReadChanges(std::string_view prefix, uint64_t after, uint64_t up_to,
                                   size_t max_events, size_t max_steps,
                                   std::vector<EventPtr>& events) const {
  auto it = std::ranges::upper_bound(changes_, after, {},
                                     [](const EventPtr& event) { return event->revision(); });
  uint64_t reached = after;
  size_t bytes = 0;
  for (size_t steps = 0; it != changes_.end() && (*it)->revision() <= up_to; ++it, ++steps) {
    const bool enough =
        events.size() >= max_events || steps >= max_steps || bytes >= Watch::kMaxBatchBytes;
    if (enough && (*it)->revision() != reached) return reached;
    reached = (*it)->revision();
    if (!(*it)->record->key.starts_with(prefix)) continue;
    events.push_back(*it);
    bytes += (*it)->bytes();
  }
  return up_to;
}

void VersionIndex::Apply(const std::vector<EventPtr>& events) {
  for (const EventPtr& event : events) {
    KUBEXMS_CHECK(event->revision() >= current_);
    versions_.insert(event->record);
    changes_.push_back(event);
    history_bytes_ += FreedBy(*event);
  }
  if (!events.empty()) current_ = events.back()->revision();
}

uint64_t VersionIndex::RevisionForHistoryBytes(size_t bytes) const {
  uint64_t revision = compacted_;
  size_t left = history_bytes_;
  for (auto it = changes_.begin(); it != changes_.end() && left > bytes; ++it) {
    left -= FreedBy(**it);
    revision = (*it)->revision();
  }
  return revision;
}

VersionIndex::Obsolete VersionIndex::CompactStep(uint64_t target, size_t max_changes) {
  Obsolete obsolete;
  for (size_t count = 0; !changes_.empty(); ++count) {
    const EventPtr event = changes_.front();
    const uint64_t revision = event->revision();
    if (revision > target || (count >= max_changes && revision != compacted_)) break;
    compacted_ = revision;
    changes_.pop_front();
    history_bytes_ -= FreedBy(*event);
    if (event->record->deleted) {
      --live_at_compacted_;
    } else if (!event->previous) {
      ++live_at_compacted_;
    }
    if (event->previous) obsolete.records.push_back(event->previous);
    if (event->record->deleted) obsolete.records.push_back(event->record);
  }
  if (changes_.empty() || changes_.front()->revision() > target) compacted_ = target;
  for (const RecordPtr& record : obsolete.records) versions_.erase(record);
  obsolete.revision = compacted_;
  return obsolete;
}

}  // namespace kubexms::store
