#pragma once

// Where a LocalStore writes its history so that it survives the process. Called by the store's
// committer thread only.

#include <cstdint>
#include <vector>

#include "kubexms/store/store.h"

namespace kubexms::store {

class Journal {
 public:
  virtual ~Journal() = default;

  // Makes the changes durable, all or none. After an error it is unknown which.
  virtual Result<void> Append(const std::vector<EventPtr>& events) = 0;

  // What is left of the history.
  struct Compaction {
    std::vector<RecordPtr> obsolete;  // to be forgotten
    uint64_t compacted;               // the oldest revision that can be read
    // Matters when the newest change itself was a deletion that is forgotten: revisions must not go
    // back after a restart.
    uint64_t current;
    uint64_t live;  // how many records the snapshot at `compacted` has, to check it by
  };
  virtual Result<void> Compact(const Compaction& compaction) = 0;

  // After an error: makes the journal hold exactly the changes up to `current` and writable again.
  virtual Result<void> Recover(uint64_t current) = 0;
};

}  // namespace kubexms::store
