#pragma once

// Uncompressed tar archives: members can be located and read without reading the rest. Written
// archives have only regular files, in the ustar format.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/hosts/file_part.h"
#include "kubexms/base/result.h"

namespace kubexms::cluster {

struct TarMember {
  std::string name;
  int64_t offset = 0;  // of its content in the archive
  int64_t size = 0;
  std::string link;  // of a link: the name of its target
};

// Refuses archives that are truncated or not written by TarWriter.
Result<std::vector<TarMember>> ListTar(const std::string& path);
// The files and links of an archive in POSIX or GNU format; directories and other types are
// omitted. Names are without "./".
Result<std::vector<TarMember>> ListForeignTar(const std::string& path);

// Writes an archive that appears under its name only when it is complete. Reproducible: times and
// owners are not stored.
class TarWriter {
 public:
  static Result<std::unique_ptr<TarWriter>> Create(const std::string& path);
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  // A name has at most one directory.
  Result<void> Add(std::string_view name, std::string_view content);
  // Fails when the file has less than `size` bytes.
  Result<void> AddFile(std::string_view name, const automation::FilePart& file, int64_t size);
  Result<void> Finish();

 private:
  TarWriter(const std::string& path, const std::string& temporary, int descriptor)
      : path_(path), temporary_(temporary), descriptor_(descriptor) {}
  Result<void> WriteHeader(std::string_view name, int64_t size);
  Result<void> WritePadding(int64_t size);
  Result<void> Write(std::string_view bytes);

  const std::string path_;
  const std::string temporary_;
  const int descriptor_;
  bool finished_ = false;
};

}  // namespace kubexms::cluster
