#include "kubexms/base/small_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace kubexms {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Error Failed(const std::string& path) {
  return Error::Internal(fmt::format("read {}: {}", path, std::strerror(errno)));
}

}  // namespace

Result<std::optional<std::string>> ReadSmallFile(const std::string& path, size_t max_bytes) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file && errno == ENOENT) return std::optional<std::string>();
  if (!file) return Failed(path);
  std::string text;
  std::array<char, 1 << 14> chunk;
  while (text.size() <= max_bytes) {
    const size_t size = std::fread(chunk.data(), 1, chunk.size(), file.get());
    if (size == 0) break;
    text.append(chunk.data(), size);
  }
  if (std::ferror(file.get()) != 0) return Failed(path);
  if (text.size() > max_bytes) {
    return Error::BadRequest(fmt::format("{} is larger than {} bytes", path, max_bytes));
  }
  text.shrink_to_fit();
  return std::optional(std::move(text));
}

}  // namespace kubexms
