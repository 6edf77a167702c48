#include "kubexms/apiserver/watch_stream.h"

#include <fmt/format.h>

#include "kubexms/api/status.h"
#include "kubexms/api/stored_object.h"
#include "kubexms/apiserver/metadata.h"

namespace kubexms {
namespace {

using std::chrono::seconds;

// Without a wish of the client, watches end after this, or up to twice this, so that they do not
// all come back at the same time.
constexpr seconds kDefaultTimeout = std::chrono::minutes(30);
constexpr seconds kBookmarkInterval = seconds(60);
constexpr size_t kEventsPerPoll = 256;
constexpr std::string_view kFrameEnd = "}\n";

// Lets the store's thread wake a stream that may not have started yet, or may be gone.
struct WakerSlot {
  Mutex mutex;
  StreamWaker waker GUARDED_BY(mutex);

  void Set(StreamWaker new_waker) {
    MutexLock lock(mutex);
    waker = std::move(new_waker);
  }
  void Wake() {
    MutexLock lock(mutex);
    waker.Wake();
  }
};

std::string_view FrameStart(std::string_view type) {
  // In canonical order "object" would come first; clients read the type first all the same, and
  // Kubernetes writes it first.
  if (type == "ADDED") return R"({"type":"ADDED","object":)";
  if (type == "MODIFIED") return R"({"type":"MODIFIED","object":)";
  if (type == "DELETED") return R"({"type":"DELETED","object":)";
  if (type == "BOOKMARK") return R"({"type":"BOOKMARK","object":)";
  return R"({"type":"ERROR","object":)";
}

// The last state of an object, with the version of the change that ended it.
Result<SharedBytes> AtVersion(const SharedBytes& object, uint64_t revision) {
  ASSIGN_OR_RETURN(const Json document, ParseJson(object.view()));
  return SharedBytes(EncodeObject(document.get_object()).WithVersion(revision));
}

class WatchStream final : public ResponseStream {
 public:
  WatchStream(WatchStreamOptions options, ObjectFilter filter)
      : options_(std::move(options)),
        filter_(std::move(filter)),
        slot_(std::make_shared<WakerSlot>()) {}

  // Reads what is there at first and begins to listen.
  Result<void> Open();

  void Start(StreamWaker waker) override;
  Next Pull(size_t room, Body& out) override;

 private:
  bool WantsInitialEvents() const;
  Result<void> OpenAfter(uint64_t revision);

  void Append(std::string_view type, SharedBytes object, Body& out);
  void AppendError(const Error& error, Body& out);
  void AppendBookmark(bool initial_events_end, Body& out);
  void AppendChange(const store::Event& event, Body& out);
  // Whatever comes next, if there is anything. False when there is nothing for now.
  bool AppendNext(Body& out);
  void ScheduleWake();

  const WatchStreamOptions options_;
  const ObjectFilter filter_;
  const std::shared_ptr<WakerSlot> slot_;

  std::vector<store::RecordPtr> initial_;
  size_t next_initial_ = 0;
  bool initial_bookmark_due_ = false;

  std::unique_ptr<store::Watch> watch_;
  store::WatchBatch batch_;
  size_t next_event_ = 0;
  std::optional<Error> failed_;  // to be told before the end
  bool ended_ = false;

  Clock::MonotonicTime deadline_;
  Clock::MonotonicTime next_bookmark_;
};

bool WatchStream::WantsInitialEvents() const {
  const ListQuery& query = options_.query;
  if (query.send_initial_events) return *query.send_initial_events;
  return query.version.IsUnset() || query.version.IsAny();
}

Result<void> WatchStream::Open() {
  const ListQuery& query = options_.query;
  if (!WantsInitialEvents()) return OpenAfter(query.version.number());
  ListQuery list_query = query;
  list_query.limit = 0;
  list_query.match = query.version.IsUnset() ? VersionMatch::kUnset : query.match;
  ASSIGN_OR_RETURN(ObjectList list,
                   ObjectReader(options_.store)
                       .List(*options_.resource, options_.name_space, list_query, filter_));
  initial_ = std::move(list.records);
  batch_.revision = list.revision;
  initial_bookmark_due_ = query.send_initial_events.value_or(false) && query.bookmarks;
  return OpenAfter(list.revision);
}

Result<void> WatchStream::OpenAfter(uint64_t revision) {
  batch_.revision = revision;
  Result<std::unique_ptr<store::Watch>> watch =
      options_.store.OpenWatch({.prefix = StoragePrefix(*options_.resource, options_.name_space),
                                .after_revision = revision,
                                .on_ready = [slot = slot_] { slot->Wake(); }});
  if (watch.ok()) {
    watch_ = std::move(*watch);
  } else if (watch.error().IsExpired()) {
    failed_ = watch.error();
  } else {
    return watch.error();
  }
  return {};
}

void WatchStream::Start(StreamWaker waker) {
  const auto now = std::chrono::steady_clock::now();
  const seconds timeout =
      options_.query.timeout_seconds
          ? seconds(*options_.query.timeout_seconds)
          : std::chrono::duration_cast<seconds>(kDefaultTimeout * (1 + options_.random.Fraction()));
  deadline_ = now + timeout;
  next_bookmark_ = now + kBookmarkInterval;
  slot_->Set(waker);
  ScheduleWake();
}

void WatchStream::ScheduleWake() {
  auto next = deadline_;
  if (options_.query.bookmarks) next = std::min(next, next_bookmark_);
  MutexLock lock(slot_->mutex);
  options_.timer.Schedule(next, slot_->waker);
}

void WatchStream::Append(std::string_view type, SharedBytes object, Body& out) {
  if (options_.format != nullptr && type != "ERROR") {
    Result<SharedBytes> shown = options_.format->Show(object);
    if (!shown.ok()) return AppendError(shown.error(), out);
    object = std::move(*shown);
  }
  out.push_back(SharedBytes::Static(FrameStart(type)));
  out.push_back(std::move(object));
  out.push_back(SharedBytes::Static(kFrameEnd));
}

void WatchStream::AppendError(const Error& error, Body& out) {
  ended_ = true;
  Append("ERROR", SharedBytes(WriteJson(StatusOf(error))), out);
}

void WatchStream::AppendBookmark(bool initial_events_end, Body& out) {
  const Resource& resource = *options_.resource;
  JsonObject metadata{{"creationTimestamp", nullptr},
                      {"resourceVersion", std::to_string(batch_.revision)}};
  if (initial_events_end) {
    metadata["annotations"] = JsonObject{{"k8s.io/initial-events-end", "true"}};
  }
  Append("BOOKMARK",
         SharedBytes(WriteJson(JsonObject{{"apiVersion", resource.api_version()},
                                          {"kind", resource.kind},
                                          {"metadata", std::move(metadata)}})),
         out);
  next_bookmark_ = std::chrono::steady_clock::now() + kBookmarkInterval;
}

void WatchStream::AppendChange(const store::Event& event, Body& out) {
  const bool is = !event.record->deleted && filter_.Matches(*event.record);
  const bool was = event.previous != nullptr && filter_.Matches(*event.previous);
  if (!is && !was) return;
  Result<SharedBytes> object = ReadBytes(*options_.resource, is ? event.record : event.previous);
  if (object.ok() && !is) object = AtVersion(*object, event.revision());
  if (!object.ok()) return AppendError(object.error(), out);
  Append(!is ? "DELETED" : (was ? "MODIFIED" : "ADDED"), std::move(*object), out);
}

bool WatchStream::AppendNext(Body& out) {
  if (next_initial_ < initial_.size()) {
    Result<SharedBytes> object = ReadBytes(*options_.resource, initial_[next_initial_]);
    initial_[next_initial_++].reset();
    if (!object.ok()) return AppendError(object.error(), out), true;
    Append("ADDED", std::move(*object), out);
    return true;
  }
  if (initial_bookmark_due_) {
    initial_bookmark_due_ = false;
    AppendBookmark(true, out);
    return true;
  }
  if (failed_) return AppendError(*failed_, out), true;
  if (next_event_ == batch_.events.size()) {
    next_event_ = 0;
    batch_.events.clear();
    Result<store::WatchBatch> batch = watch_->Poll(kEventsPerPoll);
    if (!batch.ok()) {
      // A client that reads too slowly comes back on another connection, from where it is.
      ended_ = true;
      if (batch.error().IsExpired()) AppendError(batch.error(), out);
      return true;
    }
    batch_ = std::move(*batch);
    if (batch_.events.empty()) return false;
  }
  AppendChange(*batch_.events[next_event_++], out);
  return true;
}

ResponseStream::Next WatchStream::Pull(size_t room, Body& out) {
  size_t size = 0;
  size_t counted = out.size();
  while (!ended_ && size < room) {
    if (!AppendNext(out)) break;
    for (; counted < out.size(); ++counted) size += out[counted].size();
  }
  if (ended_) return Next::kEnd;
  if (size >= room) return Next::kMore;
  const auto now = std::chrono::steady_clock::now();
  const bool over = now >= deadline_;
  if (options_.query.bookmarks && (over || now >= next_bookmark_)) {
    AppendBookmark(false, out);
    if (!over) ScheduleWake();
  }
  return over ? Next::kEnd : Next::kWait;
}

}  // namespace

Result<std::unique_ptr<ResponseStream>> OpenWatchStream(WatchStreamOptions options) {
  ASSIGN_OR_RETURN(ObjectFilter filter, ObjectFilter::Make(*options.resource, options.query));
  auto stream = std::make_unique<WatchStream>(std::move(options), std::move(filter));
  RETURN_IF_ERROR(stream->Open());
  return std::unique_ptr<ResponseStream>(std::move(stream));
}

}  // namespace kubexms
