#include "kubexms/client/rest/wire.h"

#include <fmt/core.h>

#include <array>

#include "kubexms/api/codec.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/status.h"
#include "kubexms/client/rest/json_slices.h"

namespace kubexms {
namespace {

// Transient: the next answer may be whole again.
Error Malformed(std::string_view what) {
  return Error::ServiceUnavailable(fmt::format("the server sent a malformed {}", what));
}

bool SliceItems(std::string_view array, const std::shared_ptr<const std::string>& owner,
                ObjectPage& page) {
  if (array == "null") return true;
  JsonSlices in(array);
  for (bool more = in.Enter('['); more; more = in.Next(']')) {
    page.items.emplace_back(owner, in.ReadValue());
  }
  return in.Finish();
}

std::optional<ObjectEventType> EventType(std::string_view name) {
  for (const ObjectEventType type : {ObjectEventType::kAdded, ObjectEventType::kModified,
                                     ObjectEventType::kDeleted, ObjectEventType::kBookmark}) {
    if (name == ObjectEventTypeName(type)) return type;
  }
  return std::nullopt;
}

// The two members of an event, as they are written.
struct EventSlices {
  std::string_view type;
  std::string_view object;
};

Result<EventSlices> SliceEvent(std::string_view line) {
  EventSlices event;
  JsonSlices in(line);
  for (bool more = in.Enter('{'); more; more = in.Next('}')) {
    const std::string_view key = in.ReadKey();
    const std::string_view value = in.ReadValue();
    if (key == "type") event.type = PlainString(value);
    if (key == "object") event.object = value;
  }
  if (!in.Finish() || event.object.empty()) return Malformed("watch event");
  return event;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

Result<ObjectPage> ParseObjectPage(std::string body) {
  const auto owner = std::make_shared<const std::string>(std::move(body));
  ObjectPage page;
  std::string_view metadata;
  bool sliced = true;
  JsonSlices in(*owner);
  for (bool more = in.Enter('{'); more; more = in.Next('}')) {
    const std::string_view key = in.ReadKey();
    const std::string_view value = in.ReadValue();
    if (key == "metadata") metadata = value;
    if (key == "items") sliced = SliceItems(value, owner, page);
  }
  if (!in.Finish() || !sliced) return Malformed("list");
  if (metadata.empty()) return page;
  Result<ListMeta> list = Decode<ListMeta>(metadata);
  if (!list.ok()) return Malformed("list: metadata: " + list.error().message());
  page.resource_version = std::move(list->resource_version);
  page.continue_token = std::move(list->continue_);
  page.remaining = list->remaining_item_count;
  return page;
}

Result<void> WatchFrames::Add(std::string bytes) {
  const size_t end = bytes.rfind('\n');
  const size_t line = end == std::string::npos ? bytes.size() : bytes.find('\n');
  if (partial_.size() + line > max_event_bytes_) {
    return Error::RequestTooLarge(
        fmt::format("the server sent a watch event of more than {} bytes", max_event_bytes_));
  }
  if (end == std::string::npos) {
    partial_ += bytes;
    return {};
  }
  std::string rest = bytes.substr(end + 1);
  bytes.resize(end + 1);
  // What was not read yet stays before what is new.
  std::string lines(unread_);
  lines += std::exchange(partial_, std::move(rest));
  lines += bytes;
  lines_ = std::make_shared<const std::string>(std::move(lines));
  unread_ = *lines_;
  return {};
}

Result<std::optional<ObjectEvent>> WatchFrames::Next() {
  while (!unread_.empty()) {
    const size_t end = unread_.find('\n');
    const std::string_view line = unread_.substr(0, end);
    unread_.remove_prefix(end + 1);
    if (IsBlank(line)) continue;
    ASSIGN_OR_RETURN(const EventSlices event, SliceEvent(line));
    if (event.type == "ERROR") return ErrorFromStatus(500, event.object);
    const auto type = EventType(event.type);
    if (!type) {
      if (event.type.empty()) return Malformed("watch event: it has no type");
      if (!std::exchange(has_skipped_, true)) {
        log_.Warn("skipping watch events of an unknown type", {{"type", event.type}});
      }
      continue;
    }
    return std::optional(ObjectEvent{*type, SharedBytes(lines_, event.object)});
  }
  lines_.reset();
  return std::optional<ObjectEvent>();
}

bool WatchFrames::AtBoundary() const { return unread_.empty() && IsBlank(partial_); }

}  // namespace kubexms
