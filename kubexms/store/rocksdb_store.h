#pragma once

// The default store: the state in memory, its history in RocksDB. A commit that was acknowledged
// is on disk and is there after a crash of the process or the machine; revisions never go back; and
// a watch can go on after a restart where it stopped.

#include <memory>
#include <string>

#include "kubexms/base/log.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

struct RocksDbOptions {
  // Made (mode 0700, with the folders above it) when it does not exist. Belongs to one process at a
  // time.
  std::string directory;
  Logger log = {};
};

// Refuses, with an error that names the directory and what to do, a directory that another process
// uses, that holds something else, or that a newer version wrote.
Result<std::unique_ptr<Store>> OpenRocksDbStore(const RocksDbOptions& options);

}  // namespace kubexms::store
