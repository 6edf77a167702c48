#include "kubexms/base/small_file.h"

#include <fmt/format.h>

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
  std::string text(max_bytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return Failed(path);
  if (text.size() > max_bytes) {
    return Error::BadRequest(fmt::format("{} is larger than {} bytes", path, max_bytes));
  }
  return std::optional(std::move(text));
}

}  // namespace kubexms
