#pragma once

// Where a LocalStore writes its history so that it survives the process. Called by the store's
// committer thread only.

#include <vector>

#include "kubexms/store/store.h"

namespace kubexms::store {

class Journal {
 public:
  virtual ~Journal() = default;

  // Makes the changes durable, all or none. After an error it is unknown which.
  virtual Result<void> Append(const std::vector<EventPtr>& events) = 0;

  // Forgets the records and remembers both revisions. `current` matters when the newest change
  // itself was a deletion that is forgotten: revisions must not go back after a restart.
  virtual Result<void> Compact(const std::vector<RecordPtr>& obsolete, uint64_t compacted,
                               uint64_t current) = 0;

  // After an error: makes the journal hold exactly the changes up to `current` and writable again.
  virtual Result<void> Recover(uint64_t current) = 0;
};

}  // namespace kubexms::store
