#include "kubexms/cli/commands/event_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <ostream>
#include <string_view>

#include "kubexms/automation/engine/event_tree.h"

namespace kubexms {
namespace {

using automation::TreeEventSink;

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Whether stderr is a terminal that can move its cursor.
bool CanDraw() {
  const std::string_view terminal = Environment("TERM");
  return ::isatty(STDERR_FILENO) && !terminal.empty() && terminal != "dumb";
}

TreeEventSink::Size WindowSize() {
  winsize window{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || !window.ws_col || !window.ws_row) {
    return {};
  }
  return {.width = window.ws_col, .height = window.ws_row};
}

}  // namespace

std::unique_ptr<automation::EventSink> MakeEventSink(const Invocation& call, Clock* clock) {
  const auto write = [&err = call.err()](std::string_view text) { err << text << std::flush; };
  if (call.Value("output") == "json") return std::make_unique<automation::JsonEventSink>(write);
  if (!CanDraw()) return std::make_unique<automation::PlainEventSink>(write);
  return std::make_unique<TreeEventSink>(
      TreeEventSink::Options{.output = write,
                             .size = WindowSize,
                             .colors = Environment("NO_COLOR").empty(),
                             .clock = clock});
}

}  // namespace kubexms
