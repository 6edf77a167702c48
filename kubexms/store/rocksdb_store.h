#pragma once

// The default store: the state in memory, its history in RocksDB. A commit that was acknowledged
// is on disk and is there after a crash of the process or the machine; revisions never go back; and
// a watch can go on after a restart where it stopped.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/base/monitoring/log.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

struct RocksDbOptions {
  // Made (mode 0700, with the folders above it) when it does not exist. Belongs to one process at a
  // time.
  std::string directory;
  Logger log = {};
};

// Refuses, with an error that names the directory and what to do, a directory that another process
// uses, that holds something else, that a newer version wrote, and one that is damaged: where
// anything that was acknowledged is missing, also all of it. What a crash tears off was never
// acknowledged, and is no damage.
Result<std::unique_ptr<Store>> OpenRocksDbStore(const RocksDbOptions& options);

// What a repair found.
struct StoreRepair {
  struct Range {
    uint64_t first;
    uint64_t last;
  };
  uint64_t kept = 0;        // records
  uint64_t unreadable = 0;  // entries that were dropped
  uint64_t lost = 0;        // records that are older than the history and not there
  // Revisions whose changes are lost.
  std::vector<Range> missing;
  uint64_t revision = 0;  // at which the store goes on
};

// Makes a store that can be opened of a damaged one: with the newest version of every record that
// can be read, and without history. It goes on at a revision that was never used, so that whoever
// knows an older one is told to list again. Destroys what cannot be read: copy the directory first.
Result<StoreRepair> RepairRocksDbStore(const RocksDbOptions& options);

}  // namespace kubexms::store
