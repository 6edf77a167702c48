#pragma once

// The data directory of a store, which one process at a time may use:
//
//   FORMAT   one line, "kubexms-store 1": written first and never changed
//   LOCK     locked while a process uses the directory; contains the process id
//   db/      the data
//
// The file PATH.revision beside the directory contains the last known revision (revision_mark.h).

#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms::store {

class DataDirectory {
 public:
  static constexpr std::string_view kFormat = "kubexms-store 1\n";

  // Creates the directory if it does not exist, locks it and checks its format. With `repair`,
  // writes FORMAT into a directory that has data but lacks FORMAT.
  static Result<DataDirectory> Open(const std::string& path, bool repair = false);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  const std::string& path() const { return path_; }
  std::string data_path() const { return path_ + "/db"; }

 private:
  explicit DataDirectory(std::string path) : path_(std::move(path)) {}

  Result<void> Lock();
  Result<void> CheckFormat(bool repair) const;

  const std::string path_;
  int lock_ = -1;
};

// The error of a failed system call: "cannot OPERATION PATH: …", with the text of errno `number`.
Error SystemError(std::string_view operation, const std::string& path, int number);

// Replaces the file atomically and durably: after a crash it has its old or its new content.
Result<void> WriteDurably(const std::string& path, std::string_view text);

}  // namespace kubexms::store
