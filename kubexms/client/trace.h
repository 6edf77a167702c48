#pragma once

// What goes on between a program and its server, recorded and played back. A bug that took a day to
// happen in a cluster becomes a test of some milliseconds: the same answers, and the same events in
// the same order and at the same times, by a clock that is moved by hand.
//
//   TraceRecorder recorder(client, clock, sink);    // in the program
//
//   ManualClock clock(TraceStartTime(text).value());    // in the test
//   auto replay = TraceReplay::Load(text, clock).value();
//   Manager manager({.client = replay.get(), .clock = &clock, …});
//   clock.Advance(…);
//   EXPECT_THAT(replay->MissingCalls(), IsEmpty());
//   EXPECT_THAT(replay->UnexpectedCalls(), IsEmpty());
//
// A trace is JSON: a line with the time at which it begins, and one for each answer and each event.
// It has the objects in it, secrets too. Times (2024-01-31T10:20:30Z) that a program writes are not
// compared, since its threads are never as fast as they were. What it tells people (the resource
// "events") is not part of a trace, because it counts what happened; nor can leader election be
// replayed, which goes by the clock alone.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/client/client.h"

namespace kubexms {

// Takes one line, with its line break. Called by one thread at a time.
using TraceSink = std::function<void(std::string_view line)>;

// Records all that goes through it. `clock` and the client must outlive it.
class TraceRecorder final : public Client {
 public:
  TraceRecorder(Client& inner, const Clock& clock, TraceSink sink);

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

 private:
  class Log;
  class Watch;

  Client& inner_;
  const std::shared_ptr<Log> log_;
};

// When the trace was begun, by the clock of the program: where the clock of a replay has to stand,
// if the program compares times of objects with it.
Result<Clock::WallTime> TraceStartTime(std::string_view text);

// A client that knows the answers of a trace and nothing else. Each answer is given once, to a call
// that asks for the same thing; of several that do, in the order in which they were recorded. A
// watch gives an event when `clock` has reached the time at which it came and when everything was
// asked that had been asked before it, so that no effect comes before its cause; after the last
// event it waits for its stop token. To get an object has no effect, and how often a reconcile does
// it depends on how many changes it finds at once: such a call gets the object as it was at this
// point of the trace, by the last answer, write or event. A call that the trace has no answer for
// fails with an error that names it: the program does something else than it did. Events about
// objects are accepted and forgotten.
class TraceReplay final : public Client {
 public:
  // Errors name the line. Time begins now. `clock` must outlive it.
  static Result<std::unique_ptr<TraceReplay>> Load(std::string_view text, Clock& clock);

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

  // What was asked when the trace was recorded and has not been asked now, in order.
  std::vector<std::string> MissingCalls() const EXCLUDES(mutex_);
  // What was asked now and the trace had no answer to, in order: at most the first hundred.
  std::vector<std::string> UnexpectedCalls() const EXCLUDES(mutex_);

 private:
  struct Entry;
  class Watch;

  TraceReplay(std::vector<std::shared_ptr<const Entry>> entries, Clock& clock);

  Result<std::shared_ptr<const Entry>> Take(const std::string& question) EXCLUDES(mutex_);
  Result<SharedBytes> Read(const std::string& question) EXCLUDES(mutex_);
  // The number of what comes next.
  int64_t Next() const REQUIRES(mutex_);
  Error NoAnswerTo(const std::string& question) REQUIRES(mutex_);
  // Until everything before this number was asked; false when `stop` was requested before.
  bool WaitForTurn(int64_t number, const std::stop_token& stop) EXCLUDES(mutex_);
  void EventCame(int64_t number) EXCLUDES(mutex_);

  Clock& clock_;
  const Clock::MonotonicTime begin_;
  mutable Mutex mutex_;
  CondVar asked_;
  std::multimap<std::string, std::shared_ptr<const Entry>> entries_ GUARDED_BY(mutex_);
  // By the question that gets an object: what was known of it, by the numbers of the answers,
  // writes and events that told.
  std::map<std::string, std::map<int64_t, Result<SharedBytes>>> known_ GUARDED_BY(mutex_);
  // By their numbers: what is still to be asked, apart from objects; objects that nobody got yet;
  // events that are to come.
  std::map<int64_t, std::string> unasked_ GUARDED_BY(mutex_);
  std::map<int64_t, std::string> unread_ GUARDED_BY(mutex_);
  std::set<int64_t> to_come_ GUARDED_BY(mutex_);
  // The greatest number of what was asked or came.
  int64_t last_ GUARDED_BY(mutex_) = 0;
  std::vector<std::string> unanswered_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
