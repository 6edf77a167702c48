#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/check.h"
#include "kubexms/client/rest/wire.h"

namespace kubexms {
namespace {

constexpr size_t kMaxEventBytes = 4096;

// The events and errors of a watch that arrives in pieces of `size` bytes.
std::vector<std::string> Events(std::string_view text, size_t size) {
  WatchFrames frames(kMaxEventBytes);
  std::vector<std::string> events;
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    KUBEXMS_CHECK(frames.Add(std::string(text.substr(0, size))).ok());
    for (;;) {
      const auto event = frames.Next();
      if (!event.ok()) {
        events.push_back("error " + event.error().message());
      } else if (event->has_value()) {
        events.emplace_back((*event)->object.view());
      } else {
        break;
      }
    }
  }
  return events;
}

}  // namespace
}  // namespace kubexms

// The size of the pieces does not change the events, and the items of a list lie inside it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0 || size > kubexms::kMaxEventBytes) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const size_t piece = size_t{data[0]} % 64 + 1;
  KUBEXMS_CHECK(kubexms::Events(text, piece) == kubexms::Events(text, size));
  const auto page = kubexms::ParseObjectPage(std::string(text));
  if (!page.ok()) return 0;
  for (const kubexms::SharedBytes& item : page->items) KUBEXMS_CHECK(item.size() <= size);
  return 0;
}
