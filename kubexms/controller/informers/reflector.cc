#include "kubexms/controller/informers/reflector.h"

#include <map>

#include "kubexms/api/stored_object.h"
#include "kubexms/client/not_answered.h"
#include "kubexms/controller/informers/cached_object.h"

namespace kubexms {
namespace {

using std::chrono::seconds;

// What ends the initial events of a streamed list.
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
// A watch that ended sooner than this and said nothing was not worth opening.
constexpr seconds kShortWatch = seconds(1);
// After so many watches that failed before they told anything new, a list may know more.
constexpr int kMaxVainWatches = 5;
// How much later than asked for a watch may end before it is taken for dead.
constexpr seconds kStaleMargin = seconds(60);

bool IsTooLargeVersion(const Error& error) {
  for (const ErrorCause& cause : error.details().causes) {
    if (cause.reason == "ResourceVersionTooLarge") return true;
  }
  return error.message().find("Too large resource version") != std::string::npos;
}

// A watch that names no version begins anywhere: what it does not tell is missed.
Result<void> CheckVersion(const std::string& version) {
  if (!version.empty()) return {};
  return Error::BadRequest("the server sent no resourceVersion");
}

bool EndsInitialEvents(const ObjectMeta& metadata) {
  const auto end = metadata.annotations.find(kInitialEventsEnd);
  return end != metadata.annotations.end() && end->second == "true";
}

// What a streamed list has come to so far: an object can change and go before the list is complete.
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

Reflector::Reflector(ReflectorOptions options, ReflectorTarget& target, Environment environment)
    : options_(std::move(options)),
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
                                                      : Follow();
  if (done.ok()) return;
  watch_.reset();
  if (!stop_.stop_requested()) Fail(state, done.error());
}

Result<void> Reflector::List() {
  ++lists_;
  ClientRequest request =
      Client::ListRequest(options_.resource, {.namespace_name = options_.namespace_name,
                                              .label_selector = options_.label_selector,
                                              .field_selector = options_.field_selector,
                                              .resource_version = list_is_expired_ ? "" : version_,
                                              .stop = stop_});
  request.metadata_only = options_.metadata_only;
  request.timeout = options_.list_timeout;
  ASSIGN_OR_RETURN(ObjectPage list, environment_.client.ListAll(std::move(request)));
  Contact();
  RETURN_IF_ERROR(CheckVersion(list.resource_version));
  list_is_expired_ = false;
  RETURN_IF_ERROR(target_.Replace(std::move(list.items), list.resource_version));
  GoOnFrom(std::move(list.resource_version));
  return {};
}

void Reflector::GoOnFrom(std::string version) {
  version_ = std::move(version);
  vain_watches_ = 0;
  has_followed_ = false;
  state_ = State::kWatch;
}

ClientRequest Reflector::WatchRequest() {
  const auto timeout = options_.watch_timeout * (1 + environment_.random.Fraction());
  ClientRequest request = Client::WatchRequest(
      options_.resource, {.namespace_name = options_.namespace_name,
                          .label_selector = options_.label_selector,
                          .field_selector = options_.field_selector,
                          .resource_version = version_,
                          .bookmarks = true,
                          .timeout = std::chrono::duration_cast<seconds>(timeout),
                          .stop = stop_});
  request.metadata_only = options_.metadata_only;
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
    Contact();
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
    watch_was_useful_ = true;
    GoOnFrom(version);
    return {};
  }
}

Result<void> Reflector::OpenWatch() {
  ++watches_;
  ASSIGN_OR_RETURN(watch_, environment_.client.OpenWatch(WatchRequest()));
  opened_ = environment_.clock.MonotonicNow();
  watch_was_useful_ = false;
  return {};
}

Result<void> Reflector::Follow() {
  ASSIGN_OR_RETURN(const std::optional<ObjectEvent> event, watch_->Next());
  Contact();
  if (event) return Take(*event);
  watch_.reset();
  const bool was_short = environment_.clock.MonotonicNow() - opened_ < kShortWatch;
  if (!was_short || watch_was_useful_ || stop_.stop_requested()) return {};
  EndInVain();
  Wait();
  return {};
}

Result<void> Reflector::Take(const ObjectEvent& event) {
  ++events_;
  watch_was_useful_ = true;
  ASSIGN_OR_RETURN(std::string version, target_.Apply(event));
  RETURN_IF_ERROR(CheckVersion(version));
  // What is older was told before: to watch from there would tell it again.
  if (version == version_ || VersionNumber(version) < VersionNumber(version_)) return {};
  version_ = std::move(version);
  vain_watches_ = 0;
  has_followed_ = true;
  return {};
}

void Reflector::Fail(State failed, const Error& error) {
  ++failures_;
  if (state_ == State::kWatch) return FailWatch(error);
  if (failed == State::kStream) return FailStream(error);
  return FailList(error);
}

// The target is as of version_. Unless the server has forgotten that version, what is missing can
// be had by watching again.
void Reflector::FailWatch(const Error& error) {
  environment_.log.Info("a watch failed", {{"error", error}, {"version", version_}});
  list_is_expired_ = IsTooLargeVersion(error);
  const bool version_is_gone = error.IsExpired() || list_is_expired_;
  if (version_is_gone || !error.IsTransient()) {
    GoBackToList();
  } else if (!error.IsTooManyRequests() && !IsNotAnswered(error)) {
    EndInVain();  // the server is there, but its watches are worth nothing
  }
  if (!error.IsExpired() || !has_followed_) Wait();
}

void Reflector::EndInVain() {
  if (++vain_watches_ < kMaxVainWatches) return;
  environment_.log.Warn("watches tell nothing; asking for a list", {{"version", version_}});
  GoBackToList();
}

void Reflector::FailStream(const Error& error) {
  environment_.log.Info("a streamed list failed; asking for pages", {{"error", error}});
  if (!error.IsTransient()) can_stream_ = false;
  state_ = State::kList;
}

void Reflector::FailList(const Error& error) {
  const bool version_is_gone = error.IsExpired() || IsTooLargeVersion(error);
  if (version_is_gone && !list_is_expired_) {
    list_is_expired_ = true;  // ask at once for whatever is newest
    return;
  }
  environment_.log.Warn("a list failed", {{"error", error}});
  Wait();
}

void Reflector::Wait() { environment_.clock.SleepFor(backoff_.Next(), stop_); }

ReflectorStats Reflector::stats() const {
  return {.lists = lists_, .watches = watches_, .events = events_, .failures = failures_};
}

bool Reflector::IsStale() const {
  const auto silence = environment_.clock.MonotonicNow() - last_contact();
  return silence > 2 * options_.watch_timeout + kStaleMargin;
}

}  // namespace kubexms
