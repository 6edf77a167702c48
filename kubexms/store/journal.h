#pragma once

// The durable history of a LocalStore. Only the committer thread of the store calls it.

#include <cstdint>
#include <vector>

#include "kubexms/store/store.h"

namespace kubexms::store {

class Journal {
 public:
  virtual ~Journal() = default;

  // Makes the changes durable, all or none. After an error it is unknown whether they are.
  virtual Result<void> Append(const std::vector<EventPtr>& events) = 0;

  // Records to delete, and the remaining history.
  struct Compaction {
    std::vector<RecordPtr> obsolete;
    uint64_t compacted;  // the oldest revision that can be read
    // The newest revision. It must survive the deletion of the newest change, so that revisions do
    // not regress after a restart.
    uint64_t current;
    uint64_t live;  // the number of records in the snapshot at `compacted`, for checks at the start
  };
  virtual Result<void> Compact(const Compaction& compaction) = 0;

  // After an error: restores a writable journal with exactly the changes up to `current`.
  virtual Result<void> Recover(uint64_t current) = 0;
};

}  // namespace kubexms::store
