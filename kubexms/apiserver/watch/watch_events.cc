#include "kubexms/apiserver/watch/watch_events.h"

#include <fmt/format.h>

#include "kubexms/api/stored_object.h"
#include "kubexms/apiserver/read/raw_member.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/base/time_left.h"

namespace kubexms {
namespace {

using std::chrono::seconds;
using MaybeEvent = std::optional<ObjectEvent>;

// Watches without a timeout end after this time, or up to twice this time: at random, so that
// clients do not all reconnect at once.
constexpr seconds kDefaultTimeout = std::chrono::minutes(30);
constexpr seconds kBookmarkInterval = seconds(60);
constexpr size_t kEventsPerPoll = 256;

// The last state of a deleted object, with the resourceVersion of the deletion.
Result<SharedBytes> AtVersion(const SharedBytes& object, uint64_t revision) {
  const std::string_view bytes = object.view();
  const std::string_view version =
      FindRawMember(FindRawMember(bytes, "metadata"), "resourceVersion");
  if (!version.starts_with('"')) {
    return Error::Internal("a stored object has no metadata.resourceVersion");
  }
  const size_t begin = static_cast<size_t>(version.data() - bytes.data());
  return SharedBytes(fmt::format("{}\"{}\"{}", bytes.substr(0, begin), revision,
                                 bytes.substr(begin + version.size())));
}

}  // namespace

void WatchSignal::SetWaker(StreamWaker waker) {
  MutexLock lock(mutex_);
  waker_ = std::move(waker);
}

void WatchSignal::Wake() {
  MutexLock lock(mutex_);
  waker_.Wake();
}

void WatchSignal::Drop() {
  dropped_.store(true, std::memory_order_release);
  Wake();
}

void OpenWatches::Add(WatchSignal* signal) {
  MutexLock lock(mutex_);
  signals_.insert(signal);
}

void OpenWatches::Remove(WatchSignal* signal) {
  MutexLock lock(mutex_);
  signals_.erase(signal);
}

void OpenWatches::DropAll() {
  MutexLock lock(mutex_);
  for (WatchSignal* signal : signals_) signal->Drop();
}

Result<std::unique_ptr<WatchEvents>> WatchEvents::Open(WatchEventsOptions options) {
  ASSIGN_OR_RETURN(ObjectFilter filter, ObjectFilter::Make(*options.resource, options.query));
  std::unique_ptr<WatchEvents> events(new WatchEvents(std::move(options), std::move(filter)));
  RETURN_IF_ERROR(events->Begin());
  return events;
}

WatchEvents::WatchEvents(WatchEventsOptions options, ObjectFilter filter)
    : options_(std::move(options)), filter_(std::move(filter)) {
  options_.open.Add(signal_.get());
}

WatchEvents::~WatchEvents() { options_.open.Remove(signal_.get()); }

bool WatchEvents::WantsInitialEvents() const {
  const ListQuery& query = options_.query;
  if (query.send_initial_events) return *query.send_initial_events;
  return query.version.IsUnset() || query.version.IsAny();
}

Result<void> WatchEvents::Begin() {
  const ListQuery& query = options_.query;
  const auto now = std::chrono::steady_clock::now();
  deadline_ =
      now + (query.timeout_seconds ? BoundedSeconds(*query.timeout_seconds)
                                   : std::chrono::duration_cast<seconds>(
                                         kDefaultTimeout * (1 + options_.random.Fraction())));
  next_bookmark_ = now + kBookmarkInterval;
  if (!WantsInitialEvents()) return WatchAfter(query.version.number());
  ListQuery list_query = query;
  list_query.limit = 0;
  list_query.match = query.version.IsUnset() ? VersionMatch::kUnset : query.match;
  ASSIGN_OR_RETURN(
      ObjectList list,
      options_.reader.List(*options_.resource, options_.namespace_name, list_query, filter_));
  initial_ = std::move(list.records);
  initial_bookmark_due_ = query.send_initial_events.value_or(false) && query.bookmarks;
  return WatchAfter(list.revision);
}

Result<void> WatchEvents::WatchAfter(uint64_t revision) {
  batch_.revision = revision;
  Result<std::unique_ptr<store::Watch>> watch = options_.store.OpenWatch(
      {.prefix = StoragePrefix(*options_.resource, options_.namespace_name),
       .after_revision = revision,
       .on_ready = [signal = signal_] { signal->Wake(); }});
  if (watch.ok()) {
    watch_ = std::move(*watch);
  } else if (watch.error().IsExpired()) {
    failed_ = watch.error();
  } else {
    return watch.error();
  }
  return {};
}

Clock::MonotonicTime WatchEvents::NextDeadline() const {
  return options_.query.bookmarks ? std::min(deadline_, next_bookmark_) : deadline_;
}

Result<MaybeEvent> WatchEvents::Next() {
  if (ended_) return MaybeEvent();
  Result<MaybeEvent> event = Advance();
  if (!event.ok()) ended_ = true;
  return event;
}

Result<MaybeEvent> WatchEvents::Advance() {
  if (dropped()) return Error::ServiceUnavailable("the watch was dropped; open a new watch");
  if (next_initial_ < initial_.size()) {
    const store::RecordPtr record = std::move(initial_[next_initial_++]);
    ASSIGN_OR_RETURN(SharedBytes object, ReadBytes(*options_.resource, record));
    return FormatEvent(ObjectEventType::kAdded, std::move(object));
  }
  if (std::exchange(initial_bookmark_due_, false)) return Bookmark(true);
  if (failed_) return *failed_;
  return NextChange();
}

Result<MaybeEvent> WatchEvents::NextChange() {
  for (;;) {
    while (next_event_ < batch_.events.size()) {
      ASSIGN_OR_RETURN(MaybeEvent event, ToObjectEvent(*batch_.events[next_event_++]));
      if (event) return event;
    }
    next_event_ = 0;
    batch_.events.clear();
    ASSIGN_OR_RETURN(batch_, watch_->Poll(kEventsPerPoll));
    if (batch_.events.empty()) return NextWhileIdle();
  }
}

Result<MaybeEvent> WatchEvents::NextWhileIdle() {
  const auto now = std::chrono::steady_clock::now();
  ended_ = now >= deadline_;
  if (options_.query.bookmarks && (ended_ || now >= next_bookmark_)) return Bookmark(false);
  return MaybeEvent();
}

Result<MaybeEvent> WatchEvents::ToObjectEvent(const store::Event& event) const {
  const auto matches = [this](const store::Record& record) {
    return options_.reader.IsSound(*options_.resource, record) && filter_.Matches(record);
  };
  const bool is = !event.record->deleted && matches(*event.record);
  const bool was = event.previous != nullptr && matches(*event.previous);
  if (!is && !was) return MaybeEvent();
  ASSIGN_OR_RETURN(SharedBytes object,
                   ReadBytes(*options_.resource, is ? event.record : event.previous));
  if (!is) {
    ASSIGN_OR_RETURN(object, AtVersion(object, event.revision()));
    return FormatEvent(ObjectEventType::kDeleted, std::move(object));
  }
  return FormatEvent(was ? ObjectEventType::kModified : ObjectEventType::kAdded, std::move(object));
}

Result<MaybeEvent> WatchEvents::FormatEvent(ObjectEventType type, SharedBytes object) const {
  if (options_.format != nullptr) {
    ASSIGN_OR_RETURN(object, options_.format->Format(object));
  }
  return MaybeEvent(ObjectEvent{type, std::move(object)});
}

Result<MaybeEvent> WatchEvents::Bookmark(bool initial_events_end) {
  const Resource& resource = *options_.resource;
  JsonObject metadata{{"creationTimestamp", nullptr},
                      {"resourceVersion", std::to_string(batch_.revision)}};
  if (initial_events_end) {
    metadata["annotations"] = JsonObject{{"k8s.io/initial-events-end", "true"}};
  }
  next_bookmark_ = std::chrono::steady_clock::now() + kBookmarkInterval;
  return FormatEvent(ObjectEventType::kBookmark,
                     SharedBytes(WriteJson(JsonObject{{"apiVersion", resource.api_version()},
                                                      {"kind", resource.kind},
                                                      {"metadata", std::move(metadata)}})));
}

}  // namespace kubexms
