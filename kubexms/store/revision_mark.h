#pragma once

// The newest acknowledged revision of a store, in a file outside of the store: at every later start
// the store must have at least this revision. A crash loses only unacknowledged writes, so a
// smaller revision means damage.
//
// The file is one line of digits beside the data directory, written after a commit is durable and
// without an fsync. It survives a crash of the process. After a crash of the machine it may be some
// seconds old, which is a weaker bound but never a wrong one.

#include <cstdint>
#include <optional>
#include <string>

#include "kubexms/base/result.h"

namespace kubexms::store {

class RevisionMark {
 public:
  // None when the file does not exist: a new store, or a store of an older version.
  static Result<std::optional<uint64_t>> Read(const std::string& path);

  // Opens the file; creates it durably if it does not exist.
  static Result<RevisionMark> Open(const std::string& path, uint64_t revision);

  RevisionMark(RevisionMark&& other) noexcept;
  RevisionMark& operator=(RevisionMark&&) = delete;
  // Syncs the file.
  ~RevisionMark();

  // Ignores failures: an older mark is a valid bound.
  void Write(uint64_t revision) const;

 private:
  explicit RevisionMark(int file) : file_(file) {}

  int file_;
};

}  // namespace kubexms::store
