#pragma once

// The history of a local store in memory: every version of every key since the compacted revision,
// sorted for lookups and snapshots, and every change in order of revision for watches. Reads never
// access the disk; the owner compacts the history when it exceeds its limit in bytes. A million
// objects of 1 KB need about 1.2 GB, of which 1 GB are the objects themselves; the API server
// shares these bytes.
//
// Not thread-safe: the owner locks. Operations that scan data work in steps, so that the owner
// never holds its lock for long.

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

  // Fails when the revision cannot be read. Not for kLatest.
  Result<void> CheckReadable(uint64_t revision) const;

  // The newest version of the key at a readable revision; null when the key did not exist.
  RecordPtr Get(std::string_view key, uint64_t revision) const;

  // A scan of a snapshot in the order of keys, starting after `after` (or at the prefix if that is
  // empty). Each call visits at most `max_steps` versions.
  struct Scan {
    std::string_view prefix;
    uint64_t revision;
    std::string after;  // in and out: the last visited key
    bool done = false;  // out: the scan has reached the end of the prefix
  };
  // Appends up to `limit` records to `records`.
  void Read(Scan& scan, size_t limit, size_t max_steps, std::vector<RecordPtr>& records) const;
  // Counts the records.
  uint64_t Count(Scan& scan, size_t max_steps) const;

  // Appends the changes of the prefix after `after` and up to `up_to` to `events`, in complete
  // commits, until it has `max_events` or has visited `max_steps` changes. Returns the revision up
  // to which the changes are complete. `after` must be readable.
  uint64_t ReadChanges(std::string_view prefix, uint64_t after, uint64_t up_to, size_t max_events,
                       size_t max_steps, std::vector<EventPtr>& events) const;

  // Adds the changes of one commit, whose revision is larger than the current one.
  void Apply(const std::vector<EventPtr>& events);

  // The bytes of all versions that are not the newest of their key.
  size_t history_bytes() const { return history_bytes_; }
  // The revision to which the history must be compacted to have at most this many bytes.
  uint64_t RevisionForHistoryBytes(size_t bytes) const;

  // The number of records in the snapshot at the compacted revision.
  uint64_t live_at_compacted() const { return live_at_compacted_; }

  // Versions that a CompactStep removed.
  struct Obsolete {
    uint64_t revision;  // the new compacted revision
    std::vector<RecordPtr> records;
  };
  // Removes versions that only revisions before `target` need: those of about `max_changes`
  // changes, in complete commits. Call it until the compacted revision is `target`.
  Obsolete CompactStep(uint64_t target, size_t max_changes);

  // For loading a store, in this order: the compacted revision, the records at it, the changes
  // after it with Apply(), and the newest revision if it is larger than that of the last change.
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
  // By key, then the newest version first.
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
