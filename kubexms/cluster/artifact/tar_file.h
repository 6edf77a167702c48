#pragma once

// Plain tar archives: what is in one can be found, and read from where it is, without reading the
// rest. Those that are written are of regular files, as GNU tar has them by --format=ustar.

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
  std::string link;  // of a link: the name of the member that it stands for
};

// Refused: what TarWriter has not written, or ends before its end.
Result<std::vector<TarMember>> ListTar(const std::string& path);
// The files and links of an archive by any program that keeps to POSIX or GNU; directories and the
// like are left out. Names are without "./".
Result<std::vector<TarMember>> ListForeignTar(const std::string& path);

// Writes an archive that appears under its name only when it is complete. The same members give the
// same bytes: nothing about times and owners is kept.
class TarWriter {
 public:
  static Result<std::unique_ptr<TarWriter>> Create(const std::string& path);
  ~TarWriter();
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  // A name is at most one directory and a file.
  Result<void> Add(std::string_view name, std::string_view content);
  // `size` is what the header says; less than that is an error.
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
