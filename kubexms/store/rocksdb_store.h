#pragma once

// The default store: the state in memory, the history in RocksDB. Acknowledged commits are on disk
// and survive crashes of the process and the machine, revisions never regress, and watches can be
// resumed after a restart.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/base/monitoring/log.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

struct RocksDbOptions {
  // Created with mode 0700, including its parents, if it does not exist. Only one process at a time
  // may use it.
  std::string directory;
  Logger log = {};
};

// Refuses a directory that another process uses, that contains other files, that a newer version
// wrote, or that is damaged, which means that any acknowledged commit is missing. Unacknowledged
// writes that a crash has cut off are no damage. The error names the directory and the remedy.
Result<std::unique_ptr<Store>> OpenRocksDbStore(const RocksDbOptions& options);

// The result of a repair.
struct StoreRepair {
  struct Range {
    uint64_t first;
    uint64_t last;
  };
  uint64_t recovered = 0;   // records
  uint64_t unreadable = 0;  // database entries that were dropped
  uint64_t lost = 0;        // records from before the history that are missing
  // Revisions whose changes are lost.
  std::vector<Range> missing;
  uint64_t revision = 0;  // the new revision of the store
};

// Repairs a damaged store: recovers the newest readable version of every record, without history.
// The store continues at a revision that was never used, so that clients with an older one must
// relist. Deletes all unreadable data: copy the directory first.
Result<StoreRepair> RepairRocksDbStore(const RocksDbOptions& options);

}  // namespace kubexms::store
