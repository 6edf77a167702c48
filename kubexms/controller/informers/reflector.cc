#include "kubexms/controller/informers/reflector.h"

#include <map>

#include "kubexms/api/stored_object.h"
#include "kubexms/client/no_response.h"
#include "kubexms/controller/informers/cached_object.h"

namespace kubexms {
namespace {

using std::chrono::seconds;

// The annotation of the bookmark that ends the initial events of a streamed list.
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
// A watch that ends sooner than this without an event counts as a failure.
constexpr seconds kShortWatch = seconds(1);
// The reflector relists after so many watches in a row without an event.
constexpr int kMaxFruitlessWatches = 5;
// How much later than its timeout a watch may end before it counts as stale.
constexpr seconds kStaleMargin = seconds(60);

bool IsTooLargeVersion(const Error& error) {
  for (const ErrorCause& cause : error.details().causes) {
    if (cause.reason == "ResourceVersionTooLarge") return true;
  }
  return error.message().find("Too large resource version") != std::string::npos;
}

// A watch without a resourceVersion starts at an arbitrary one: the events before it would be lost.
Result<void> CheckVersion(const std::string& version) {
  if (!version.empty()) return {};
  return Error::BadRequest("the server sent no resourceVersion");
}

bool EndsInitialEvents(const ObjectMeta& metadata) {
  const auto end = metadata.annotations.find(kInitialEventsEnd);
  return end != metadata.annotations.end() && end->second == "true";
}

// The objects of a streamed list so far: they can change and be deleted before it is complete.
using Streamed = std::map<ObjectKey, SharedBytes>;

Result<void> AddTo(Streamed& objects, const ObjectEvent& event) {
  ASSIGN_OR_RETURN(ObjectHeader header, ReadHeader(event.object.view()));
  ObjectKey key{std::move(header.namespace_name), std::move(header.name)};
  if (event.type == ObjectEventType::kDeleted) {
    objects.erase(key);
  } else {
    objects.insert_or_assign(std::move(key), event.object);
  }
  return {};
}

std::vector<SharedBytes> ValuesOf(Streamed objects) {
  std::vector<SharedBytes> values;
  values.reserve(objects.size());
  for (auto& [key, object] : objects) values.push_back(std::move(object));
  return values;
}

}  // namespace

Reflector::Reflector(ReflectorScope scope, ReflectorOptions options, ReflectorTarget& target,
                     Environment environment)
    : scope_(std::move(scope)),
      options_(std::move(options)),
      target_(target),
      environment_(std::move(environment)),
      can_stream_(options_.streaming_list),
      state_(can_stream_ ? State::kStream : State::kList),
      backoff_(options_.backoff, environment_.clock, environment_.random),
      last_contact_(environment_.clock.MonotonicNow().time_since_epoch()) {}

void Reflector::Run(std::stop_token stop) {
  Begin(std::move(stop));
  while (!stop_.stop_requested()) Step();
  watch_.reset();
}

bool Reflector::Work(const std::function<void()>& ready) {
  while (!stop_.stop_requested()) {
    if (watch_ != nullptr && !watch_->IsReady(ready)) return true;
    Step();
  }
  watch_.reset();
  return false;
}

void Reflector::Step() {
  const State state = state_;
  const Result<void> done = state == State::kList     ? List()
                            : state == State::kStream ? Stream()
                            : watch_ == nullptr       ? OpenWatch()
                                                      : ReadWatch();
  if (done.ok()) return;
  watch_.reset();
  if (!stop_.stop_requested()) HandleFailure(state, done.error());
}

Result<void> Reflector::List() {
  ++lists_;
  ClientRequest request =
      Client::ListRequest(scope_.resource, {.namespace_name = scope_.namespace_name,
                                            .label_selector = scope_.label_selector,
                                            .field_selector = scope_.field_selector,
                                            .resource_version = list_is_expired_ ? "" : version_,
                                            .stop = stop_});
  request.metadata_only = scope_.metadata_only;
  request.timeout = options_.list_timeout;
  ASSIGN_OR_RETURN(ObjectPage list, environment_.client.ListAll(std::move(request)));
  RecordContact();
  RETURN_IF_ERROR(CheckVersion(list.resource_version));
  list_is_expired_ = false;
  RETURN_IF_ERROR(target_.Replace(std::move(list.items), list.resource_version));
  WatchFrom(std::move(list.resource_version));
  return {};
}

void Reflector::WatchFrom(std::string version) {
  version_ = std::move(version);
  fruitless_watches_ = 0;
  has_watched_ = false;
  state_ = State::kWatch;
}

ClientRequest Reflector::WatchRequest() {
  const auto timeout = options_.watch_timeout * (1 + environment_.random.Fraction());
  ClientRequest request = Client::WatchRequest(
      scope_.resource, {.namespace_name = scope_.namespace_name,
                        .label_selector = scope_.label_selector,
                        .field_selector = scope_.field_selector,
                        .resource_version = version_,
                        .bookmarks = true,
                        .timeout = std::chrono::duration_cast<seconds>(timeout),
                        .stop = stop_});
  request.metadata_only = scope_.metadata_only;
  return request;
}

Result<void> Reflector::Stream() {
  ++lists_;
  ClientRequest request = WatchRequest();
  request.send_initial_events = true;
  request.resource_version_match = "NotOlderThan";
  if (version_ == "0" || list_is_expired_) request.resource_version.clear();
  ASSIGN_OR_RETURN(watch_, environment_.client.OpenWatch(request));
  Streamed objects;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<ObjectEvent> event, watch_->Next());
    RecordContact();
    if (!event) return Error::ServiceUnavailable("the stream ended before the list was complete");
    if (event->type != ObjectEventType::kBookmark) {
      RETURN_IF_ERROR(AddTo(objects, *event));
      continue;
    }
    ASSIGN_OR_RETURN(const DynamicObject bookmark, DynamicObject::Decode(event->object.view()));
    if (!EndsInitialEvents(bookmark.metadata)) continue;
    const std::string& version = bookmark.metadata.resource_version;
    RETURN_IF_ERROR(CheckVersion(version));
    RETURN_IF_ERROR(target_.Replace(ValuesOf(std::move(objects)), version));
    list_is_expired_ = false;
    watch_was_fruitful_ = true;
    WatchFrom(version);
    return {};
  }
}

Result<void> Reflector::OpenWatch() {
  ++watches_;
  ASSIGN_OR_RETURN(watch_, environment_.client.OpenWatch(WatchRequest()));
  opened_ = environment_.clock.MonotonicNow();
  watch_was_fruitful_ = false;
  return {};
}

Result<void> Reflector::ReadWatch() {
  ASSIGN_OR_RETURN(const std::optional<ObjectEvent> event, watch_->Next());
  RecordContact();
  if (event) return HandleEvent(*event);
  watch_.reset();
  const bool was_short = environment_.clock.MonotonicNow() - opened_ < kShortWatch;
  if (!was_short || watch_was_fruitful_ || stop_.stop_requested()) return {};
  CountFruitlessWatch();
  BackOff();
  return {};
}

Result<void> Reflector::HandleEvent(const ObjectEvent& event) {
  ++events_;
  watch_was_fruitful_ = true;
  ASSIGN_OR_RETURN(std::string version, target_.Apply(event));
  RETURN_IF_ERROR(CheckVersion(version));
  // Resuming from an older resourceVersion would deliver the events after it a second time.
  if (version == version_ || VersionNumber(version) < VersionNumber(version_)) return {};
  version_ = std::move(version);
  fruitless_watches_ = 0;
  has_watched_ = true;
  return {};
}

void Reflector::HandleFailure(State failed, const Error& error) {
  ++failures_;
  if (state_ == State::kWatch) return HandleWatchFailure(error);
  if (failed == State::kStream) return HandleStreamFailure(error);
  return HandleListFailure(error);
}

// The target is as of version_. Unless that resourceVersion is expired, a new watch returns all
// events that the failed one missed.
void Reflector::HandleWatchFailure(const Error& error) {
  environment_.log.Info("watch failed", {{"error", error}, {"resourceVersion", version_}});
  list_is_expired_ = IsTooLargeVersion(error);
  const bool version_is_unusable = error.IsExpired() || list_is_expired_;
  if (version_is_unusable || !error.IsTransient()) {
    Relist();
  } else if (!error.IsTooManyRequests() && !IsNoResponse(error)) {
    CountFruitlessWatch();  // the server responds, but its watches do not work
  }
  if (!error.IsExpired() || !has_watched_) BackOff();
}

void Reflector::CountFruitlessWatch() {
  if (++fruitless_watches_ < kMaxFruitlessWatches) return;
  environment_.log.Warn("several watches in a row returned no event; relisting",
                        {{"resourceVersion", version_}});
  Relist();
}

void Reflector::HandleStreamFailure(const Error& error) {
  environment_.log.Info("streaming list failed; listing in pages", {{"error", error}});
  if (!error.IsTransient()) can_stream_ = false;
  state_ = State::kList;
}

void Reflector::HandleListFailure(const Error& error) {
  const bool version_is_unusable = error.IsExpired() || IsTooLargeVersion(error);
  if (version_is_unusable && !list_is_expired_) {
    list_is_expired_ = true;  // list the newest state without a delay
    return;
  }
  environment_.log.Warn("list failed", {{"error", error}});
  BackOff();
}

void Reflector::BackOff() { environment_.clock.SleepFor(backoff_.Next(), stop_); }

ReflectorStats Reflector::stats() const {
  return {.lists = lists_, .watches = watches_, .events = events_, .failures = failures_};
}

bool Reflector::IsStale() const {
  const auto silence = environment_.clock.MonotonicNow() - last_contact();
  return silence > 2 * options_.watch_timeout + kStaleMargin;
}

}  // namespace kubexms
