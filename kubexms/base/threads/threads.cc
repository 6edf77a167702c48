#include "kubexms/base/threads/threads.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

namespace kubexms {
namespace {

constexpr size_t kMaxNameBytes = 15;

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "1234 (name) S 1 …": a name may have spaces and parentheses. After the name, the first field is
// the state; the twelfth and thirteenth are the times in user and kernel mode.
std::optional<ThreadUse> ParseStat(const std::string& stat) {
  constexpr int kFieldsBetween = 10;
  const size_t open = stat.find('(');
  const size_t close = stat.rfind(')');
  if (open == stat.npos || close == stat.npos || close < open) return std::nullopt;
  ThreadUse use{.name = stat.substr(open + 1, close - open - 1)};
  std::istringstream(stat) >> use.id;
  std::istringstream fields(stat.substr(close + 1));
  fields >> use.state;
  std::string skipped;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  int64_t user = 0;
  int64_t system = 0;
  fields >> user >> system;
  if (!fields) return std::nullopt;
  use.cpu = std::chrono::milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
  return use;
}

// "VmRSS:     1234 kB" in /proc/self/status.
uint64_t BytesNamed(std::string_view name, const std::string& status) {
  const size_t at = status.find(name);
  if (at == status.npos) return 0;
  return std::strtoull(status.c_str() + at + name.size(), nullptr, 10) * 1024;
}

}  // namespace

void NameThisThread(std::string_view name) {
  pthread_setname_np(pthread_self(), std::string(name.substr(0, kMaxNameBytes)).c_str());
}

std::vector<ThreadUse> ListThreads() {
  std::vector<ThreadUse> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end;
       !error && task != end; task.increment(error)) {
    if (auto use = ParseStat(ReadAll(task->path() / "stat"))) threads.push_back(std::move(*use));
  }
  std::sort(threads.begin(), threads.end(),
            [](const ThreadUse& a, const ThreadUse& b) { return a.id < b.id; });
  return threads;
}

MemoryUse ReadMemoryUse() {
  const std::string status = ReadAll("/proc/self/status");
  return {.resident_bytes = BytesNamed("VmRSS:", status),
          .peak_resident_bytes = BytesNamed("VmHWM:", status)};
}

}  // namespace kubexms
