#pragma once

// Mirrors the objects of one resource from a server into a target: lists them once, then watches
// from that resourceVersion. A state machine with three states:
//
//   kList    lists all objects and replaces the contents of the target.
//   kStream  does the same by a watch with sendInitialEvents, which saves the server from building
//            one large response. If the server does not support it, kList is used from then on.
//   kWatch   applies each watch event to the target. When the watch ends or its connection is lost,
//            the reflector resumes it from the last resourceVersion without listing. It relists if
//            that resourceVersion is expired (410), if the server does not have it yet because its
//            store was restored from a backup, or after several watches in a row without events.
//
// Bookmarks advance the resourceVersion. The reflector backs off exponentially, with jitter, after
// every failure, and after a watch that ends at once without an event. It relists without a delay
// only if the resourceVersion expired after events had been received.

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/random.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/queue/backoff.h"

namespace kubexms {

// Receives the objects. Called by the thread of the reflector.
class ReflectorTarget {
 public:
  virtual ~ReflectorTarget() = default;

  // `objects` is the complete list as of `version`.
  virtual Result<void> Replace(std::vector<SharedBytes> objects, const std::string& version) = 0;
  // Applies a watch event or a bookmark and returns the resourceVersion of the target.
  virtual Result<std::string> Apply(const ObjectEvent& event) = 0;
};

// The objects that a reflector lists and watches.
struct ReflectorScope {
  ResourceType resource;
  std::string namespace_name;  // empty: all namespaces
  Selector label_selector;
  FieldSelector field_selector;
  bool metadata_only = false;
};

struct ReflectorOptions {
  // Start with kStream. No benefit for clients in the process of the server.
  bool streaming_list = false;
  // timeoutSeconds of a list.
  std::chrono::seconds list_timeout = std::chrono::minutes(2);
  // timeoutSeconds of a watch, times a random factor between 1 and 2, so that not all watches end
  // at the same time.
  std::chrono::seconds watch_timeout = std::chrono::minutes(5);
  BackoffOptions backoff;
};

struct ReflectorStats {
  uint64_t lists = 0;    // including streamed ones
  uint64_t watches = 0;  // opened
  uint64_t events = 0;
  uint64_t failures = 0;
};

class Reflector {
 public:
  // All references are borrowed and must outlive the reflector.
  struct Environment {
    Client& client;
    Clock& clock;
    Random& random;
    Logger log;
  };

  Reflector(ReflectorScope scope, ReflectorOptions options, ReflectorTarget& target,
            Environment environment);

  // Lists and watches until `stop` is requested. Call it once.
  void Run(std::stop_token stop);

  // The same without a dedicated thread: after Begin(), Work() runs until it would block. If it
  // returns true, call it again, from any single thread, once it has called `ready` (see
  // ObjectWatch::IsReady). It returns false when `stop` was requested and the reflector has ended.
  void Begin(std::stop_token stop) { stop_ = std::move(stop); }
  bool Work(const std::function<void()>& ready);

  // The functions below may be called from any thread.

  ReflectorStats stats() const;
  // When the server last sent a list, an event, a bookmark or the end of a watch. An opened watch
  // does not count: a dead connection can accept one.
  Clock::MonotonicTime last_contact() const { return Clock::MonotonicTime(last_contact_.load()); }
  // Whether the last contact is longer ago than any live watch allows.
  bool IsStale() const;

 private:
  enum class State { kList, kStream, kWatch };

  void Step();
  Result<void> List();
  Result<void> Stream();
  Result<void> OpenWatch();
  // Reads one event, or the end, of the watch.
  Result<void> ReadWatch();
  Result<void> HandleEvent(const ObjectEvent& event);
  // Enters kWatch after the target was replaced by a list of this resourceVersion.
  void WatchFrom(std::string version);
  ClientRequest WatchRequest();
  // Each of these chooses the next state after a failure, and backs off where needed.
  void HandleFailure(State failed, const Error& error);
  void HandleWatchFailure(const Error& error);
  void HandleStreamFailure(const Error& error);
  void HandleListFailure(const Error& error);
  void CountFruitlessWatch();
  void Relist() { state_ = can_stream_ ? State::kStream : State::kList; }
  void BackOff();
  void RecordContact() { last_contact_ = environment_.clock.MonotonicNow().time_since_epoch(); }

  const ReflectorScope scope_;
  const ReflectorOptions options_;
  ReflectorTarget& target_;
  const Environment environment_;

  // Only for the thread in Run() or Work().
  std::stop_token stop_;
  std::unique_ptr<ObjectWatch> watch_;  // in kWatch; null: not opened yet
  Clock::MonotonicTime opened_;
  bool watch_was_fruitful_ = false;  // watch_ has returned an event
  int fruitless_watches_ = 0;        // in a row, since version_ last changed
  bool has_watched_ = false;         // version_ is newer than the last list
  bool can_stream_;
  State state_;
  Backoff backoff_;
  std::string version_ = "0";     // resourceVersion of the target; "0": never listed
  bool list_is_expired_ = false;  // the server does not have version_: list the newest state

  std::atomic<Clock::MonotonicTime::duration> last_contact_;
  std::atomic<uint64_t> lists_ = 0;
  std::atomic<uint64_t> watches_ = 0;
  std::atomic<uint64_t> events_ = 0;
  std::atomic<uint64_t> failures_ = 0;
};

}  // namespace kubexms
