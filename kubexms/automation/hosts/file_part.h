#pragma once

// A file of this machine, or a part of one, read in chunks.

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "kubexms/base/result.h"

namespace kubexms::automation {

struct FilePart {
  // The whole file. Implicit: a path is a valid part.
  FilePart(std::string file) : path(std::move(file)) {}
  FilePart(std::string file, int64_t from, int64_t count)
      : path(std::move(file)), offset(from), size(count) {}

  std::string path;
  int64_t offset = 0;
  std::optional<int64_t> size;  // none: to the end
};

class FilePartReader {
 public:
  static Result<FilePartReader> Open(const FilePart& part);
  FilePartReader(FilePartReader&&) noexcept;
  ~FilePartReader();

  // The next chunk of at most `max` bytes; empty at the end of the part. Fails when the file ends
  // earlier.
  Result<std::string> Read(size_t max);

 private:
  FilePartReader(const FilePart& part, std::unique_ptr<std::istream> file);

  std::string path_;
  std::unique_ptr<std::istream> file_;
  std::optional<int64_t> left_;
};

}  // namespace kubexms::automation
