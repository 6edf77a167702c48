#pragma once

// How far the history of a store had come, remembered outside of it: a revision that was
// acknowledged once must be there at every later start. What is missing then was not torn off by a
// crash, which takes unacknowledged writes only; it is damage.
//
// The file is one line of digits beside the store's directory, written after a commit is durable
// and without waiting for the disk. It survives a crash of the process as it is; after one of the
// machine it may be some seconds old, which makes it a weaker bound but never a wrong one.

#include <cstdint>
#include <optional>
#include <string>

#include "kubexms/base/result.h"

namespace kubexms::store {

class RevisionMark {
 public:
  // None when there is no file: there was no store, or one of an older version.
  static Result<std::optional<uint64_t>> Read(const std::string& path);

  // Opens the file, and makes it durably when there is none.
  static Result<RevisionMark> Open(const std::string& path, uint64_t revision);

  RevisionMark(RevisionMark&& other) noexcept;
  RevisionMark& operator=(RevisionMark&&) = delete;
  // Waits for the disk.
  ~RevisionMark();

  // A failure leaves an older mark, which is as true.
  void Write(uint64_t revision) const;

 private:
  explicit RevisionMark(int file) : file_(file) {}

  int file_;
};

}  // namespace kubexms::store
