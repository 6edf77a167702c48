#include "kubexms/automation/hosts/file_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace kubexms::automation {

FilePartReader::FilePartReader(const FilePart& part, std::unique_ptr<std::istream> file)
    : path_(part.path), file_(std::move(file)), left_(part.size) {}

FilePartReader::FilePartReader(FilePartReader&&) noexcept = default;
FilePartReader::~FilePartReader() = default;

Result<FilePartReader> FilePartReader::Open(const FilePart& part) {
  auto file = std::make_unique<std::ifstream>(part.path, std::ios::binary);
  file->seekg(part.offset);
  if (!*file) return Error::BadRequest(fmt::format("cannot read {}", part.path));
  return FilePartReader(part, std::move(file));
}

Result<std::string> FilePartReader::Read(size_t max) {
  std::string piece(left_ ? std::min(max, static_cast<size_t>(*left_)) : max, '\0');
  file_->read(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.resize(static_cast<size_t>(file_->gcount()));
  if (!left_) return piece;
  *left_ -= static_cast<int64_t>(piece.size());
  if (piece.empty() && *left_ > 0) {
    return Error::BadRequest(fmt::format("{} is shorter than expected", path_));
  }
  return piece;
}

}  // namespace kubexms::automation
