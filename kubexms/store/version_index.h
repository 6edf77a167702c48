#pragma once

// The history of a store that lives on this machine, in memory: every version of every key since
// the compacted revision, ordered for lookups and snapshots, and every change in the order it was
// made, for watches. Reads never touch a disk; the owner compacts when the history has too many
// bytes. A million objects of 1 KB cost about 1.2 GB, of
// which 1 GB is the objects themselves; the API server shares those bytes rather than keeping its
// own copy.
//
// Not thread-safe: the owner locks. Work that grows with the data is cut into steps, so that no
// lock is held for long.

#include <absl/container/btree_set.h>

#include <algorithm>
#include <deque>
#include <string_view>
#include <vector>

#include "kubexms/store/store.h"

namespace kubexms::store {

class VersionIndex {
 public:
  uint64_t current_revision() const { return current_; }
  uint64_t compacted_revision() const { return compacted_; }

  // Ok when the revision (not kLatest) can be read.
  Result<void> CheckReadable(uint64_t revision) const;

  // The version of the key that was the newest at a readable revision; null when there was none.
  RecordPtr Get(std::string_view key, uint64_t revision) const;

  // Walks the records of a snapshot, in the order of keys, starting behind `after` (or at the
  // prefix when that is empty), looking at no more than `max_steps` versions.
  struct Scan {
    std::string_view prefix;
    uint64_t revision;
    std::string after;  // in and out: the last key that was passed
    bool done = false;  // out: the prefix's end was reached
  };
  // Appends up to `limit` records to `records`.
  void Read(Scan& scan, size_t limit, size_t max_steps, std::vector<RecordPtr>& records) const;
  // Counts instead.
  uint64_t Count(Scan& scan, size_t max_steps) const;

  // Appends the changes of the prefix after `after`, up to `up_to`, to `events`, whole commits,
  // until there are `max_events` or `max_steps` changes were looked at. Returns the revision up to
  // which the changes are complete. The caller has checked that `after` is readable.
  uint64_t ReadChanges(std::string_view prefix, uint64_t after, uint64_t up_to, size_t max_events,
                       size_t max_steps, std::vector<EventPtr>& events) const;

  // Adds the changes of one commit, whose revision is larger than the current one.
  void Apply(const std::vector<EventPtr>& events);

  // The bytes of all versions that only older revisions than the current one show.
  size_t history_bytes() const { return history_bytes_; }
  // The revision to compact to for the history to have no more than so many bytes.
  uint64_t RevisionKeeping(size_t bytes) const;

  // How many records the snapshot at the compacted revision has.
  uint64_t live_at_compacted() const { return live_at_compacted_; }

  // What CompactStep found to be of no more use.
  struct Obsolete {
    uint64_t revision;  // the new compacted revision
    std::vector<RecordPtr> records;
  };
  // Forgets versions that only revisions before `target` show: those of about `max_changes`
  // changes, in whole commits. Call it until the compacted revision is `target`.
  Obsolete CompactStep(uint64_t target, size_t max_changes);

  // For reading a store back, in the order of revisions: the state at the compacted revision, then
  // what follows with Apply(), then the newest revision if it is larger than the last change's.
  void Restore(uint64_t compacted) { compacted_ = current_ = compacted; }
  void RestoreRecord(RecordPtr record) {
    versions_.insert(std::move(record));
    ++live_at_compacted_;
  }
  void RestoreCurrent(uint64_t current) { current_ = std::max(current_, current); }

 private:
  struct Position {
    std::string_view key;
    uint64_t revision;
  };
  // By key; of one key the newest first.
  struct Order {
    using is_transparent = void;
    static Position Of(const RecordPtr& record) { return {record->key, record->mod_revision}; }
    static Position Of(const Position& position) { return position; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      const Position left = Of(a), right = Of(b);
      const int order = left.key.compare(right.key);
      return order != 0 ? order < 0 : left.revision > right.revision;
    }
  };
  using Versions = absl::btree_set<RecordPtr, Order>;

  template <class Visit>
  void Walk(Scan& scan, size_t max_steps, Visit visit) const;

  Versions versions_;
  std::deque<EventPtr> changes_;  // after compacted_
  uint64_t current_ = kFirstRevision;
  uint64_t compacted_ = kFirstRevision;
  uint64_t live_at_compacted_ = 0;
  size_t history_bytes_ = 0;
};

}  // namespace kubexms::store
