#pragma once

// What lists and watches look like on the wire, cut into objects without parsing them.

#include <memory>
#include <optional>
#include <string>

#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/result.h"
#include "kubexms/client/request.h"

namespace kubexms {

// The page that a server answered a list request with. Its items are slices of `body`.
Result<ObjectPage> ParseObjectPage(std::string body);

// Puts a watch together again, from pieces of any size. For one thread at a time.
class WatchFrames {
 public:
  // An event of more than `max_event_bytes` is an error. Events of types that are unknown here are
  // skipped, the first of them with a line in the log.
  explicit WatchFrames(size_t max_event_bytes, Logger log = {})
      : max_event_bytes_(max_event_bytes), log_(std::move(log)) {}

  // Takes bytes as they come. An error when an event gets too large.
  Result<void> Add(std::string bytes);
  // The next event that is complete, or nothing. An error event is returned as its error, what is
  // malformed as another. Objects share the memory of the events around them.
  Result<std::optional<ObjectEvent>> Next();
  // True when there is nothing left, not even a part of an event.
  bool AtBoundary() const;

 private:
  // Complete lines that were not read yet: a part of what `lines_` owns.
  std::shared_ptr<const std::string> lines_;
  std::string_view unread_;
  std::string partial_;  // the line that is not complete yet
  const size_t max_event_bytes_;
  const Logger log_;
  bool has_skipped_ = false;
};

}  // namespace kubexms
