#include "kubexms/client/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "kubexms/api/status.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/threads/stop.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;

// How many characters of the text are a time such as 2024-01-31T10:20:30.123456Z; 0: it is none.
size_t TimeLength(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto fits = [&](char form, char c) { return form == '0' ? is_digit(c) : form == c; };
  if (text.size() <= kForm.size() || !std::equal(kForm.begin(), kForm.end(), text.begin(), fits)) {
    return 0;
  }
  size_t end = kForm.size();
  if (text[end] == '.') end = text.find_first_not_of("0123456789", end + 1);
  return end < text.size() && text[end] == 'Z' ? end + 1 : 0;
}

std::string WithoutTimes(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t length = TimeLength(text.substr(at));
    result += length == 0 ? text.substr(at, 1) : "TIME";
    at += std::max<size_t>(length, 1);
  }
  return result;
}

// What a call asks for. Two calls that differ in how long they may take, or in the times that they
// write, ask for the same.
std::string QuestionOf(ClientRequest request) {
  request.timeout.reset();
  return fmt::format("{} {}{} {}", VerbName(request.verb), request.Path(), request.Query(),
                     WithoutTimes(request.body));
}

// The question that gets the object which this is; empty if it is another kind than the request's.
std::string GetQuestionOf(const ClientRequest& request, std::string_view object) {
  const Result<DynamicObject> decoded = DynamicObject::Decode(object);
  if (!decoded.ok() || decoded->kind != request.resource.kind) return "";
  return QuestionOf(Client::GetRequest(request.resource, ObjectKey::Of(decoded->metadata)));
}

bool IsRead(std::string_view question) { return question.starts_with("get "); }

// News for people: see the header.
bool IsEvent(const ClientRequest& request) { return request.resource.plural == "events"; }

constexpr size_t kMaxUnanswered = 100;

JsonObject ErrorJson(const Error& error) { return StatusOf(error).as_object(); }

Error ErrorOf(const Json& status) { return ErrorFromStatus(0, WriteJson(status)); }

// The time at which a trace begins, in nanoseconds since 1970.
constexpr std::string_view kBegin = "begin";
// The question that gets the object which a write or an event is about.
constexpr std::string_view kTellsOf = "tellsOf";

int64_t NanosecondsOf(Clock::WallTime time) {
  return std::chrono::duration_cast<nanoseconds>(time.time_since_epoch()).count();
}

std::string_view TextOf(const Json& line, std::string_view name) { return FindString(line, name); }

std::optional<ObjectEventType> EventTypeOf(std::string_view name) {
  for (const ObjectEventType type : {ObjectEventType::kAdded, ObjectEventType::kModified,
                                     ObjectEventType::kDeleted, ObjectEventType::kBookmark}) {
    if (ObjectEventTypeName(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace

// ---- Recording.

class TraceRecorder::Log {
 public:
  Log(const Clock& clock, TraceSink sink)
      : clock_(clock), begin_(clock.MonotonicNow()), sink_(std::move(sink)) {
    sink_(WriteJson(JsonObject{{kBegin, NanosecondsOf(clock.Now())}}) + "\n");
  }

  // What comes later has a larger one.
  int64_t NextNumber() { return next_number_.fetch_add(1); }

  void Write(int64_t number, JsonObject line) {
    line["number"] = number;
    line["at"] = (clock_.MonotonicNow() - begin_).count();
    const std::string text = WriteJson(Json(std::move(line))) + "\n";
    MutexLock lock(mutex_);
    sink_(text);
  }

 private:
  const Clock& clock_;
  const Clock::MonotonicTime begin_;
  std::atomic<int64_t> next_number_ = 1;
  Mutex mutex_;
  const TraceSink sink_ GUARDED_BY(mutex_);
};

class TraceRecorder::Watch final : public ObjectWatch {
 public:
  Watch(std::unique_ptr<ObjectWatch> inner, std::shared_ptr<Log> log, int64_t id,
        ClientRequest request)
      : inner_(std::move(inner)), log_(std::move(log)), id_(id), request_(std::move(request)) {}

  Result<std::optional<ObjectEvent>> Next() override {
    Result<std::optional<ObjectEvent>> event = inner_->Next();
    if (request_.stop.stop_requested()) return event;  // the reader ends it, not the server
    JsonObject line{{"of", id_}};
    if (!event.ok()) {
      line["error"] = ErrorJson(event.error());
    } else if (*event) {
      line["type"] = ObjectEventTypeName((*event)->type);
      line["object"] = (*event)->object.view();
      line[kTellsOf] = GetQuestionOf(request_, (*event)->object.view());
    } else {
      line["end"] = true;
    }
    log_->Write(log_->NextNumber(), std::move(line));
    return event;
  }

 private:
  const std::unique_ptr<ObjectWatch> inner_;
  const std::shared_ptr<Log> log_;
  const int64_t id_;
  const ClientRequest request_;
};

TraceRecorder::TraceRecorder(Client& inner, const Clock& clock, TraceSink sink)
    : inner_(inner), log_(std::make_shared<Log>(clock, std::move(sink))) {}

Result<SharedBytes> TraceRecorder::Do(const ClientRequest& request) {
  const int64_t number = log_->NextNumber();  // of the question, not of the answer
  Result<SharedBytes> answer = inner_.Do(request);
  if (IsEvent(request)) return answer;
  JsonObject line{{"question", QuestionOf(request)}};
  if (answer.ok()) {
    line["answer"] = answer->view();
    if (request.verb != Verb::kDelete) line[kTellsOf] = GetQuestionOf(request, answer->view());
  } else {
    line["error"] = ErrorJson(answer.error());
  }
  log_->Write(number, std::move(line));
  return answer;
}

Result<ObjectPage> TraceRecorder::ListPage(const ClientRequest& request) {
  const int64_t number = log_->NextNumber();  // of the question, not of the answer
  Result<ObjectPage> page = inner_.ListPage(request);
  JsonObject line{{"question", QuestionOf(request)}};
  if (page.ok()) {
    JsonArray items;
    for (const SharedBytes& item : page->items) items.emplace_back(item.view());
    line["items"] = std::move(items);
    line["version"] = page->resource_version;
    line["continue"] = page->continue_token;
  } else {
    line["error"] = ErrorJson(page.error());
  }
  log_->Write(number, std::move(line));
  return page;
}

Result<std::unique_ptr<ObjectWatch>> TraceRecorder::OpenWatch(const ClientRequest& request) {
  const int64_t number = log_->NextNumber();  // of the question, not of the answer
  Result<std::unique_ptr<ObjectWatch>> watch = inner_.OpenWatch(request);
  JsonObject line{{"question", QuestionOf(request)}};
  if (!watch.ok()) {
    line["error"] = ErrorJson(watch.error());
    log_->Write(number, std::move(line));
    return watch;
  }
  line["watch"] = true;
  log_->Write(number, std::move(line));
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<Watch>(std::move(*watch), log_, number, request));
}

Result<SharedBytes> TraceRecorder::GetPath(std::string_view path, std::stop_token stop) {
  const int64_t number = log_->NextNumber();  // of the question, not of the answer
  Result<SharedBytes> answer = inner_.GetPath(path, std::move(stop));
  JsonObject line{{"question", path}};
  if (answer.ok()) {
    line["answer"] = answer->view();
  } else {
    line["error"] = ErrorJson(answer.error());
  }
  log_->Write(number, std::move(line));
  return answer;
}

// ---- Playing back.

struct TraceReplay::Entry {
  struct Event {
    int64_t number;
    nanoseconds at;
    Result<std::optional<ObjectEvent>> what;
    std::string tells_of;
  };

  int64_t number = 0;
  std::string question;
  std::string tells_of;
  std::optional<Error> error;
  SharedBytes answer;
  ObjectPage page;
  std::vector<Event> events;
};

class TraceReplay::Watch final : public ObjectWatch {
 public:
  Watch(TraceReplay& replay, std::shared_ptr<const Entry> entry, std::stop_token stop)
      : replay_(replay), entry_(std::move(entry)), stop_(std::move(stop)) {}

  Result<std::optional<ObjectEvent>> Next() override {
    if (next_ == entry_->events.size()) {
      if (stop_.stop_possible()) WaitForStop(stop_);
      return std::optional<ObjectEvent>();
    }
    const Entry::Event& event = entry_->events[next_];
    const bool came = replay_.WaitForTurn(event.number, stop_) &&
                      replay_.clock_.SleepUntil(replay_.begin_ + event.at, stop_);
    if (!came) return std::optional<ObjectEvent>();
    ++next_;
    replay_.EventCame(event.number);
    return event.what;
  }

 private:
  TraceReplay& replay_;
  const std::shared_ptr<const Entry> entry_;
  const std::stop_token stop_;
  size_t next_ = 0;
};

namespace {

// One event of a watch, as it was recorded.
Result<Result<std::optional<ObjectEvent>>> ReadEvent(const Json& line) {
  if (const Json* error = FindMember(line, "error")) {
    return Result<std::optional<ObjectEvent>>(ErrorOf(*error));
  }
  if (FindMember(line, "end") != nullptr) {
    return Result<std::optional<ObjectEvent>>(std::optional<ObjectEvent>());
  }
  const std::optional<ObjectEventType> type = EventTypeOf(TextOf(line, "type"));
  if (!type) return Error::BadRequest("an event without a type that is known");
  return Result<std::optional<ObjectEvent>>(
      std::optional(ObjectEvent{*type, std::string(TextOf(line, "object"))}));
}

// What a get of the object answers after the event.
Result<SharedBytes> StateAfter(const ObjectEvent& event, std::string_view question) {
  if (event.type == ObjectEventType::kDeleted) {
    return Error(404, "NotFound", fmt::format("the object was deleted: {}", question));
  }
  return event.object;
}

ObjectPage ReadPage(const Json& line) {
  ObjectPage page{.resource_version = std::string(TextOf(line, "version")),
                  .continue_token = std::string(TextOf(line, "continue"))};
  const Json* items = FindMember(line, "items");
  if (items == nullptr || !items->is_array()) return page;
  for (const Json& item : items->as_array()) {
    if (item.is_string()) page.items.emplace_back(std::string(AsView(item.as_string())));
  }
  return page;
}

// With its line break.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

int64_t NumberOf(const Json& line, std::string_view name) {
  const Json* number = FindMember(line, name);
  return number != nullptr && number->is_int64() ? number->as_int64() : 0;
}

}  // namespace

Result<Clock::WallTime> TraceStartTime(std::string_view text) {
  const Error none = Error::BadRequest("the first line of the trace does not say when it begins");
  if (text.empty()) return none;
  const Result<Json> line = ParseJson(TakeLine(text));
  if (!line.ok() || FindMember(*line, kBegin) == nullptr) return none;
  return Clock::WallTime(
      std::chrono::duration_cast<Clock::WallTime::duration>(nanoseconds(NumberOf(*line, kBegin))));
}

Result<std::unique_ptr<TraceReplay>> TraceReplay::Load(std::string_view text, Clock& clock) {
  std::vector<std::shared_ptr<const Entry>> entries;
  std::map<int64_t, std::shared_ptr<Entry>> watches;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view raw = TakeLine(text);
    const auto wrong = [&](const Error& error) {
      return error.WithContext(fmt::format("line {} of the trace", number));
    };
    Result<Json> line = ParseJson(raw);
    if (!line.ok()) return wrong(line.error());
    if (FindMember(*line, kBegin) != nullptr) continue;
    if (FindMember(*line, "of") != nullptr) {
      const auto watch = watches.find(NumberOf(*line, "of"));
      if (watch == watches.end()) return wrong(Error::BadRequest("an event of an unknown watch"));
      auto event = ReadEvent(*line);
      if (!event.ok()) return wrong(event.error());
      watch->second->events.push_back({NumberOf(*line, "number"),
                                       nanoseconds(NumberOf(*line, "at")), std::move(*event),
                                       std::string(TextOf(*line, kTellsOf))});
      continue;
    }
    auto entry = std::make_shared<Entry>();
    entry->number = NumberOf(*line, "number");
    entry->question = TextOf(*line, "question");
    entry->tells_of = TextOf(*line, kTellsOf);
    if (const Json* error = FindMember(*line, "error")) entry->error = ErrorOf(*error);
    entry->answer = std::string(TextOf(*line, "answer"));
    entry->page = ReadPage(*line);
    if (FindMember(*line, "watch") != nullptr) watches[entry->number] = entry;
    entries.push_back(std::move(entry));
  }
  return std::unique_ptr<TraceReplay>(new TraceReplay(std::move(entries), clock));
}

TraceReplay::TraceReplay(std::vector<std::shared_ptr<const Entry>> entries, Clock& clock)
    : clock_(clock), begin_(clock.MonotonicNow()) {
  for (auto& entry : entries) {
    for (const Entry::Event& event : entry->events) {
      to_come_.insert(event.number);
      if (event.tells_of.empty() || !event.what.ok() || !*event.what) continue;
      known_[event.tells_of].emplace(event.number, StateAfter(**event.what, event.tells_of));
    }
    if (IsRead(entry->question)) {
      const auto answer = entry->error ? Result<SharedBytes>(*entry->error) : entry->answer;
      known_[entry->question].emplace(entry->number, answer);
      unread_.emplace(entry->number, entry->question);
      continue;
    }
    if (!entry->tells_of.empty()) known_[entry->tells_of].emplace(entry->number, entry->answer);
    unasked_.emplace(entry->number, entry->question);
    entries_.emplace(entry->question, std::move(entry));
  }
}

Error TraceReplay::NoAnswerTo(const std::string& question) {
  if (unanswered_.size() < kMaxUnanswered) unanswered_.push_back(question);
  return Terminal(Error::Internal(fmt::format("the trace has no answer to: {}", question)));
}

Result<std::shared_ptr<const TraceReplay::Entry>> TraceReplay::Take(const std::string& question) {
  MutexLock lock(mutex_);
  const auto entry = entries_.lower_bound(question);
  if (entry == entries_.end() || entry->first != question) return NoAnswerTo(question);
  std::shared_ptr<const Entry> taken = entry->second;
  entries_.erase(entry);
  unasked_.erase(taken->number);
  last_ = std::max(last_, taken->number);
  asked_.NotifyAll();
  if (taken->error) return *taken->error;
  return taken;
}

int64_t TraceReplay::Next() const {
  int64_t next = std::numeric_limits<int64_t>::max();
  const auto question = unasked_.upper_bound(last_);
  if (question != unasked_.end()) next = question->first;
  const auto event = to_come_.upper_bound(last_);
  return event == to_come_.end() ? next : std::min(next, *event);
}

Result<SharedBytes> TraceReplay::Read(const std::string& question) {
  MutexLock lock(mutex_);
  std::erase_if(unread_, [&](const auto& unread) { return unread.second == question; });
  const auto known = known_.find(question);
  if (known == known_.end()) return NoAnswerTo(question);
  const int64_t next = Next();
  const Result<SharedBytes>* last = nullptr;
  for (const auto& [number, state] : known->second) {
    // The server may be ahead of what has come, but not of what has been asked.
    if (unasked_.contains(number) || (last != nullptr && number >= next)) break;
    last = &state;
  }
  if (last == nullptr) return NoAnswerTo(question);
  return *last;
}

void TraceReplay::EventCame(int64_t number) {
  MutexLock lock(mutex_);
  to_come_.erase(number);
  last_ = std::max(last_, number);
}

bool TraceReplay::WaitForTurn(int64_t number, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    asked_.NotifyAll();
  });
  MutexLock lock(mutex_);
  while (!stop.stop_requested() && !unasked_.empty() && unasked_.begin()->first < number) {
    asked_.Wait(mutex_);
  }
  return !stop.stop_requested();
}

Result<SharedBytes> TraceReplay::Do(const ClientRequest& request) {
  if (IsEvent(request)) return SharedBytes(request.body);
  const std::string question = QuestionOf(request);
  if (IsRead(question)) return Read(question);
  ASSIGN_OR_RETURN(const auto entry, Take(question));
  return entry->answer;
}

Result<ObjectPage> TraceReplay::ListPage(const ClientRequest& request) {
  ASSIGN_OR_RETURN(const auto entry, Take(QuestionOf(request)));
  return entry->page;
}

Result<std::unique_ptr<ObjectWatch>> TraceReplay::OpenWatch(const ClientRequest& request) {
  ASSIGN_OR_RETURN(auto entry, Take(QuestionOf(request)));
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<Watch>(*this, std::move(entry), request.stop));
}

Result<SharedBytes> TraceReplay::GetPath(std::string_view path, std::stop_token) {
  ASSIGN_OR_RETURN(const auto entry, Take(std::string(path)));
  return entry->answer;
}

std::vector<std::string> TraceReplay::MissingCalls() const {
  std::vector<std::string> questions;
  MutexLock lock(mutex_);
  std::map<int64_t, std::string> all = unasked_;
  all.insert(unread_.begin(), unread_.end());
  for (auto& [number, question] : all) questions.push_back(std::move(question));
  return questions;
}

std::vector<std::string> TraceReplay::UnexpectedCalls() const {
  MutexLock lock(mutex_);
  return unanswered_;
}

}  // namespace kubexms
