#include "kubexms/client/credentials/reloaded_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "kubexms/base/small_file.h"

namespace kubexms {
namespace {

constexpr size_t kMaxFileBytes = size_t{16} * 1024 * 1024;

std::string StampOf(const std::string& path) {
  struct stat file {};
  if (path.empty() || ::stat(path.c_str(), &file) != 0) return "";
  return fmt::format("{}.{} {} {}.{}", file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec,
                     file.st_mtim.tv_nsec);
}

}  // namespace

ReloadedFiles::ReloadedFiles(Options options)
    : options_(std::move(options)), texts_(options_.texts) {}

ReloadedFiles::Texts ReloadedFiles::Get() {
  MutexLock lock(mutex_);
  std::vector<std::string> stamps;
  for (const std::string& path : options_.paths) stamps.push_back(StampOf(path));
  if (stamps == stamps_) return texts_;
  stamps_ = std::move(stamps);
  Result<Texts> texts = Read();
  if (texts.ok() && *texts != texts_) {
    if (const Result<void> checked = options_.check(*texts); !checked.ok()) texts = checked.error();
  }
  if (texts.ok()) {
    texts_ = std::move(*texts);
  } else {
    options_.log.Warn(
        "files that have changed cannot be used; what they had before is kept",
        {{"files", fmt::format("{}", fmt::join(options_.paths, " "))}, {"error", texts.error()}});
  }
  return texts_;
}

Result<ReloadedFiles::Texts> ReloadedFiles::Read() const {
  Texts texts = options_.texts;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& path = options_.paths[i];
    if (path.empty()) continue;
    ASSIGN_OR_RETURN(std::optional<std::string> text, ReadSmallFile(path, kMaxFileBytes));
    if (!text) return Error::BadRequest(path + ": there is no such file");
    texts[i] = std::move(*text);
  }
  return texts;
}

}  // namespace kubexms
