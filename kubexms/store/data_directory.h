#pragma once

// A directory that belongs to one store of one process at a time and says in which format it is.
//
//   FORMAT   one line, "kubexms-store 1": written first and never changed
//   LOCK     locked while a process uses the directory; holds the process's id
//   db/      the data

#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms::store {

class DataDirectory {
 public:
  static constexpr std::string_view kFormat = "kubexms-store 1\n";

  // Makes the directory if there is none, locks it and checks its format.
  static Result<DataDirectory> Open(const std::string& path);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  std::string data_path() const { return path_ + "/db"; }

 private:
  explicit DataDirectory(std::string path) : path_(std::move(path)) {}

  Result<void> Lock();
  Result<void> CheckFormat() const;

  const std::string path_;
  int lock_ = -1;
};

}  // namespace kubexms::store
