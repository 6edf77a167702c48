#include "kubexms/store/revision_mark.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#include "kubexms/base/small_file.h"
#include "kubexms/store/data_directory.h"

namespace kubexms::store {

namespace {

constexpr size_t kDigits = 20;  // of the largest number
constexpr size_t kMaxBytes = 64;

std::string LineOf(uint64_t revision) { return fmt::format("{:0{}}\n", revision, kDigits); }

}  // namespace

Result<std::optional<uint64_t>> RevisionMark::Read(const std::string& path) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadSmallFile(path, kMaxBytes));
  if (!text) return std::optional<uint64_t>();
  uint64_t revision = 0;
  const char* end = text->data() + std::min(text->size(), kDigits);
  const auto read = std::from_chars(text->data(), end, revision);
  if (text->size() == kDigits + 1 && read.ec == std::errc() && read.ptr == end &&
      text->back() == '\n') {
    return std::optional(revision);
  }
  return Error::Internal(fmt::format("{} is damaged: the file contains no revision", path));
}

Result<RevisionMark> RevisionMark::Open(const std::string& path, uint64_t revision) {
  if (::access(path.c_str(), F_OK) != 0) RETURN_IF_ERROR(WriteDurably(path, LineOf(revision)));
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return SystemError("open", path, errno);
  return RevisionMark(file);
}

RevisionMark::RevisionMark(RevisionMark&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

RevisionMark::~RevisionMark() {
  if (file_ < 0) return;
  ::fdatasync(file_);
  ::close(file_);
}

void RevisionMark::Write(uint64_t revision) const {
  const std::string line = LineOf(revision);
  // The write is never partial: the file already has this size.
  [[maybe_unused]] const ssize_t written = ::pwrite(file_, line.data(), line.size(), 0);
}

}  // namespace kubexms::store
