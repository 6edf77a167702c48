#include "kubexms/client/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "kubexms/api/status.h"
#include "kubexms/base/json.h"
#include "kubexms/base/stop.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;

// What a call asks for. Two calls that differ in how long they may take ask for the same.
std::string QuestionOf(ClientRequest request) {
  request.timeout.reset();
  return fmt::format("{} {}{} {}", VerbName(request.verb), request.Path(), request.Query(),
                     request.body);
}

// News for people: see the header.
bool IsEvent(const ClientRequest& request) { return request.resource.plural == "events"; }

Error NotInTrace(std::string_view question) {
  return Terminal(Error::Internal(fmt::format("the trace has no answer to: {}", question)));
}

JsonObject ErrorJson(const Error& error) { return StatusOf(error).as_object(); }

Error ErrorOf(const Json& status) { return ErrorFromStatus(0, WriteJson(status)); }

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
      : clock_(clock), begin_(clock.MonotonicNow()), sink_(std::move(sink)) {}

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
        std::stop_token stop)
      : inner_(std::move(inner)), log_(std::move(log)), id_(id), stop_(std::move(stop)) {}

  Result<std::optional<ObjectEvent>> Next() override {
    Result<std::optional<ObjectEvent>> event = inner_->Next();
    if (stop_.stop_requested()) return event;  // the reader ends it, not the server
    JsonObject line{{"of", id_}};
    if (!event.ok()) {
      line["error"] = ErrorJson(event.error());
    } else if (*event) {
      line["type"] = ObjectEventTypeName((*event)->type);
      line["object"] = (*event)->object.view();
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
  const std::stop_token stop_;
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
      std::make_unique<Watch>(std::move(*watch), log_, number, request.stop));
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
  };

  int64_t number = 0;
  std::string question;
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

int64_t NumberOf(const Json& line, std::string_view name) {
  const Json* number = FindMember(line, name);
  return number != nullptr && number->is_int64() ? number->as_int64() : 0;
}

}  // namespace

Result<std::unique_ptr<TraceReplay>> TraceReplay::Load(std::string_view text, Clock& clock) {
  std::vector<std::shared_ptr<const Entry>> entries;
  std::map<int64_t, std::shared_ptr<Entry>> watches;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view raw = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    const auto wrong = [&](const Error& error) {
      return error.WithContext(fmt::format("line {} of the trace", number));
    };
    Result<Json> line = ParseJson(raw);
    if (!line.ok()) return wrong(line.error());
    if (FindMember(*line, "of") != nullptr) {
      const auto watch = watches.find(NumberOf(*line, "of"));
      if (watch == watches.end()) return wrong(Error::BadRequest("an event of an unknown watch"));
      auto event = ReadEvent(*line);
      if (!event.ok()) return wrong(event.error());
      watch->second->events.push_back(
          {NumberOf(*line, "number"), nanoseconds(NumberOf(*line, "at")), std::move(*event)});
      continue;
    }
    auto entry = std::make_shared<Entry>();
    entry->number = NumberOf(*line, "number");
    entry->question = TextOf(*line, "question");
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
    unasked_.emplace(entry->number, entry->question);
    entries_.emplace(entry->question, std::move(entry));
  }
}

std::shared_ptr<const TraceReplay::Entry> TraceReplay::Take(const std::string& question) {
  MutexLock lock(mutex_);
  const auto entry = entries_.lower_bound(question);
  if (entry == entries_.end() || entry->first != question) return nullptr;
  std::shared_ptr<const Entry> taken = entry->second;
  entries_.erase(entry);
  unasked_.erase(taken->number);
  asked_.NotifyAll();
  return taken;
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
  const auto entry = Take(question);
  if (entry == nullptr) return NotInTrace(question);
  if (entry->error) return *entry->error;
  return entry->answer;
}

Result<ObjectPage> TraceReplay::ListPage(const ClientRequest& request) {
  const std::string question = QuestionOf(request);
  const auto entry = Take(question);
  if (entry == nullptr) return NotInTrace(question);
  if (entry->error) return *entry->error;
  return entry->page;
}

Result<std::unique_ptr<ObjectWatch>> TraceReplay::OpenWatch(const ClientRequest& request) {
  const std::string question = QuestionOf(request);
  auto entry = Take(question);
  if (entry == nullptr) return NotInTrace(question);
  if (entry->error) return *entry->error;
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<Watch>(*this, std::move(entry), request.stop));
}

Result<SharedBytes> TraceReplay::GetPath(std::string_view path, std::stop_token) {
  const auto entry = Take(std::string(path));
  if (entry == nullptr) return NotInTrace(path);
  if (entry->error) return *entry->error;
  return entry->answer;
}

std::vector<std::string> TraceReplay::Unasked() const {
  std::vector<std::string> questions;
  MutexLock lock(mutex_);
  for (const auto& [number, question] : unasked_) questions.push_back(question);
  return questions;
}

}  // namespace kubexms
