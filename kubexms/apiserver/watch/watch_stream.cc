#include "kubexms/apiserver/watch/watch_stream.h"

#include "kubexms/api/status.h"

namespace kubexms {
namespace {

constexpr std::string_view kErrorStart = R"({"type":"ERROR","object":)";
constexpr std::string_view kFrameEnd = "}\n";

std::string_view FrameStart(ObjectEventType type) {
  // Not in the canonical order of members: Kubernetes writes the type first, and clients read it
  // first.
  switch (type) {
    case ObjectEventType::kAdded: return R"({"type":"ADDED","object":)";
    case ObjectEventType::kModified: return R"({"type":"MODIFIED","object":)";
    case ObjectEventType::kDeleted: return R"({"type":"DELETED","object":)";
    case ObjectEventType::kBookmark: return R"({"type":"BOOKMARK","object":)";
  }
  return kErrorStart;
}

// Returns the number of bytes appended.
size_t AppendFrame(std::string_view start, SharedBytes object, Body& out) {
  const size_t size = start.size() + object.size() + kFrameEnd.size();
  out.push_back(SharedBytes::Static(start));
  out.push_back(std::move(object));
  out.push_back(SharedBytes::Static(kFrameEnd));
  return size;
}

class WatchStream final : public ResponseStream {
 public:
  WatchStream(std::unique_ptr<WatchEvents> events, WakeTimer& timer)
      : events_(std::move(events)), timer_(timer) {}

  void Start(StreamWaker waker) override;
  Next Pull(size_t room, Body& out) override;

 private:
  Next Fail(const Error& error, Body& out);
  void ScheduleWake();

  const std::unique_ptr<WatchEvents> events_;
  WakeTimer& timer_;
  StreamWaker waker_;
  Clock::MonotonicTime scheduled_;
};

void WatchStream::Start(StreamWaker waker) {
  waker_ = std::move(waker);
  events_->SetWaker(waker_);
  ScheduleWake();
}

void WatchStream::ScheduleWake() {
  if (scheduled_ == events_->NextDeadline()) return;
  scheduled_ = events_->NextDeadline();
  timer_.Schedule(scheduled_, waker_);
}

ResponseStream::Next WatchStream::Pull(size_t room, Body& out) {
  for (size_t size = 0; size < room;) {
    Result<std::optional<ObjectEvent>> event = events_->Next();
    if (!event.ok()) return Fail(event.error(), out);
    if (*event) {
      size += AppendFrame(FrameStart((*event)->type), std::move((*event)->object), out);
      continue;
    }
    if (events_->ended()) return Next::kEnd;
    ScheduleWake();
    return Next::kWait;
  }
  return Next::kMore;
}

ResponseStream::Next WatchStream::Fail(const Error& error, Body& out) {
  if (events_->dropped()) return Next::kAbort;
  // A client that reads too slowly resumes the watch from its last resourceVersion.
  if (error.IsTooManyRequests()) return Next::kEnd;
  AppendFrame(kErrorStart, SharedBytes(WriteJson(StatusOf(error))), out);
  return Next::kEnd;
}

}  // namespace

std::unique_ptr<ResponseStream> MakeWatchStream(std::unique_ptr<WatchEvents> events,
                                                WakeTimer& timer) {
  return std::make_unique<WatchStream>(std::move(events), timer);
}

}  // namespace kubexms
