#include "kubexms/apiserver/test_server.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Abort(std::string_view what, std::string_view why) {
  CheckFailed(fmt::format("the test server cannot {}: {}", what, why).c_str(), __FILE__, __LINE__);
}

// Nothing when the directory cannot be created.
std::optional<std::string> MakeDirectoryIn(const fs::path& parent) {
  std::string path = (parent / "kubexms-test.XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) return std::nullopt;
  return path;
}

std::string MakeDirectory(std::string_view store) {
  // Files that live no longer than the process need no disk.
  if (store == "memory") {
    if (std::optional<std::string> path = MakeDirectoryIn("/dev/shm")) return std::move(*path);
  }
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) Abort("find the directory for temporary files", error.message());
  if (std::optional<std::string> path = MakeDirectoryIn(parent)) return std::move(*path);
  Abort("create a directory in " + parent.string(), std::strerror(errno));
}

ApiServerOptions ServerOptions(TestServerOptions options, const std::string& directory) {
  return {.data_directory = directory,
          .store = std::move(options.store),
          .bind_address = std::move(options.bind_address),
          .port = 0,
          .audit_log = "-",
          .disabled_admission_plugins = std::move(options.disabled_admission_plugins),
          .workers = 8,
          .io_threads = 1,
          .clock = options.clock,
          .log = std::move(options.log)};
}

}  // namespace

TestServer::TestServer(TestServerOptions options) : directory_(MakeDirectory(options.store)) {
  Result<std::unique_ptr<ApiServer>> server =
      ApiServer::Create(ServerOptions(std::move(options), directory_));
  if (!server.ok()) Abort("start", server.error().message());
  server_ = std::move(*server);
  client_ = NewClient({.name = "kubernetes-admin", .groups = {"system:masters"}});
  running_ = std::jthread([this](std::stop_token stop) { server_->Run(std::move(stop)); });
}

TestServer::~TestServer() {
  running_.request_stop();
  running_.join();
  client_.reset();
  server_.reset();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

std::unique_ptr<Client> TestServer::NewClient(UserInfo user) {
  return server_->NewClient(std::move(user));
}

void TestServer::CompactNow() {
  const Result<void> compacted = server_->CompactNow();
  if (!compacted.ok()) Abort("compact its store", compacted.error().message());
}

}  // namespace kubexms
