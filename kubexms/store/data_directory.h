#pragma once

// A directory that belongs to one store of one process at a time and says in which format it is.
//
//   FORMAT   one line, "kubexms-store 1": written first and never changed
//   LOCK     locked while a process uses the directory; holds the process's id
//   db/      the data
//
// Beside it, as PATH.revision, is how far its history had come (revision_mark.h).

#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms::store {

class DataDirectory {
 public:
  static constexpr std::string_view kFormat = "kubexms-store 1\n";

  // Makes the directory if there is none, locks it and checks its format. With `repair` a directory
  // that has data and lacks its FORMAT gets one.
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

// What a call of the system failed to do, by its errno.
Error SystemError(std::string_view what, const std::string& path, int number);

// The file is there with all of its text or not at all, whenever the machine stops.
Result<void> WriteDurably(const std::string& path, std::string_view text);

}  // namespace kubexms::store
