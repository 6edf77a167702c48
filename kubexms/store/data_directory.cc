#include "kubexms/store/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace kubexms::store {

Error SystemError(std::string_view operation, const std::string& path, int number) {
  return Error::Internal(
      fmt::format("data directory: cannot {} {}: {}; check the path and its "
                  "permissions",
                  operation, path, std::generic_category().message(number)));
}

namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<void> MakeDirectory(const std::string& path) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::absolute(path, error).parent_path();
  if (!error) std::filesystem::create_directories(parent, error);
  if (error) return SystemError("create", parent.string(), error.value());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemError("create", path, errno);
  }
  return {};
}

Result<void> SyncDirectory(const std::string& path) {
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return SystemError("open", path, errno);
  const int failed = ::fsync(directory) != 0 ? errno : 0;
  ::close(directory);
  if (failed != 0) return SystemError("sync", path, failed);
  return {};
}

// Whether the directory has files other than those of an interrupted first start.
bool HasOtherFiles(const std::string& path) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (name != "LOCK" && name != "FORMAT.new") return true;
  }
  return false;
}

}  // namespace

Result<void> WriteDurably(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".new";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return SystemError("write", temporary, errno);
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int failed = !written || ::fsync(file) != 0 ? errno : 0;
  ::close(file);
  if (failed != 0) return SystemError("write", temporary, failed);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return SystemError("write", path, errno);
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return SyncDirectory(parent.empty() ? "." : parent);
}

Result<DataDirectory> DataDirectory::Open(const std::string& path, bool repair) {
  RETURN_IF_ERROR(MakeDirectory(path));
  DataDirectory directory(path);
  RETURN_IF_ERROR(directory.Lock());
  RETURN_IF_ERROR(directory.CheckFormat(repair));
  return directory;
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(other.path_), lock_(std::exchange(other.lock_, -1)) {}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

Result<void> DataDirectory::Lock() {
  const std::string path = path_ + "/LOCK";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) return SystemError("open", path, errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    return Error::Internal(fmt::format(
        "data directory {} is in use by process {}: stop that process or choose another directory",
        path_, ReadAll(path)));
  }
  const std::string id = fmt::format("{}", ::getpid());
  if (::ftruncate(lock_, 0) != 0 || ::pwrite(lock_, id.data(), id.size(), 0) < 0) {
    return SystemError("write", path, errno);
  }
  return {};
}

Result<void> DataDirectory::CheckFormat(bool repair) const {
  const std::string path = path_ + "/FORMAT";
  if (::access(path.c_str(), F_OK) != 0) {
    const bool has_data = ::access(data_path().c_str(), F_OK) == 0;
    if (!HasOtherFiles(path_) || (repair && has_data)) return WriteDurably(path, kFormat);
    return Error::Internal(fmt::format(
        "data directory {} is not empty and has no FORMAT file: choose an empty directory{}", path_,
        has_data ? ", or repair the directory: kubexms server --repair" : ""));
  }
  const std::string format = ReadAll(path);
  if (format == kFormat) return {};
  const bool damaged = !format.starts_with("kubexms-store ") || !format.ends_with('\n');
  if (damaged && repair) return WriteDurably(path, kFormat);
  if (damaged) {
    return Error::Internal(
        fmt::format("data directory {}: the FORMAT file is damaged: restore the directory from a "
                    "backup, or repair the directory: kubexms server --repair",
                    path_));
  }
  return Error::Internal(fmt::format(
      "data directory {} has the format \"{}\", this version supports \"{}\": run the version that "
      "wrote the directory or choose another directory",
      path_, format.substr(0, format.find('\n')), kFormat.substr(0, kFormat.size() - 1)));
}

}  // namespace kubexms::store
