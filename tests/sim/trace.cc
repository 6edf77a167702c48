#include "tests/sim/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace kubexms::sim {
namespace {

constexpr size_t kMaxLines = 1000;

}  // namespace

void Trace::Add(std::string_view line) {
  const std::chrono::duration<double> time = clock_.MonotonicNow().time_since_epoch();
  MutexLock lock(mutex_);
  lines_.push_back(fmt::format("{:.2f} {}", time.count(), line));
  if (lines_.size() > kMaxLines) lines_.pop_front();
}

std::string Trace::Last(size_t lines) const {
  std::string text;
  MutexLock lock(mutex_);
  for (size_t i = lines_.size() - std::min(lines, lines_.size()); i < lines_.size(); ++i) {
    text += "\n  " + lines_[i];
  }
  return text;
}

}  // namespace kubexms::sim
