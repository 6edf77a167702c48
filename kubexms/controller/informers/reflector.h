#pragma once

// Keeps a target equal to what a server has of one resource, by listing once and watching from then
// on. It is a machine of three states:
//
//   kList    asks for everything, page by page, and replaces the target's contents.
//   kStream  the same over a watch that begins with everything: one stream, no large answer in the
//            server's memory. A server that cannot do it is asked by kList from then on.
//   kWatch   passes on each change after the version it has. An end without an error, or a lost
//            connection, is followed by another watch from the last version: nothing is listed
//            again. Only a version that the server no longer has (410), or does not have yet, as
//            after it was restored from a backup, leads back to kList, and so do several watches
//            in a row that told nothing new before the server ended them.
//
// Bookmarks move the version on without changes. Every failure waits longer than the last one, with
// jitter; a watch that ends at once without having said anything counts as a failure. Only a
// version that is gone after changes were watched is followed by a list at once.

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

// Who is kept up to date. Called by the reflector's thread.
class ReflectorTarget {
 public:
  virtual ~ReflectorTarget() = default;

  // Everything there is, as of `version`.
  virtual Result<void> Replace(std::vector<SharedBytes> objects, const std::string& version) = 0;
  // One change, or a bookmark. The version that the target is at afterwards.
  virtual Result<std::string> Apply(const ObjectEvent& event) = 0;
};

struct ReflectorOptions {
  ResourceType resource;
  std::string namespace_name;  // empty: all
  Selector label_selector;
  FieldSelector field_selector;
  bool metadata_only = false;
  // Begin with kStream. Clients in the server's process gain nothing by it.
  bool streaming_list = false;
  // The server is asked to end a list after this.
  std::chrono::seconds list_timeout = std::chrono::minutes(2);
  // Watches are asked for this long, or up to twice as long, so that they do not all end together.
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
  // Everything is borrowed and must outlive the reflector.
  struct Environment {
    Client& client;
    Clock& clock;
    Random& random;
    Logger log;
  };

  Reflector(ReflectorOptions options, ReflectorTarget& target, Environment environment);

  // Follows the server until `stop` is requested. To be called once.
  void Run(std::stop_token stop);

  // The same without a thread of its own. After Begin(), Work() does what there is to do. True: it
  // is to be called again, by any one thread, after `ready` was called (see ObjectWatch::IsReady).
  // False: stop was requested, and it has ended.
  void Begin(std::stop_token stop) { stop_ = std::move(stop); }
  bool Work(const std::function<void()>& ready);

  // The rest may be called from any thread.

  ReflectorStats stats() const;
  // When the server last said anything: a list, an event, a bookmark, the end of a watch. That it
  // opened a watch says nothing.
  Clock::MonotonicTime last_contact() const { return Clock::MonotonicTime(last_contact_.load()); }
  // Whether it is so long ago that a watch must be dead without having been noticed.
  bool IsStale() const;

 private:
  enum class State { kList, kStream, kWatch };

  void Step();
  Result<void> List();
  Result<void> Stream();
  Result<void> OpenWatch();
  // One event of the watch, or its end.
  Result<void> Follow();
  Result<void> Take(const ObjectEvent& event);
  // The target is equal to a list of this version, and to be kept so by watching.
  void GoOnFrom(std::string version);
  ClientRequest WatchRequest();
  // What to do after a failure: each chooses the next state, and waits where that is due.
  void Fail(State failed, const Error& error);
  void FailWatch(const Error& error);
  void EndInVain();
  void GoBackToList() { state_ = can_stream_ ? State::kStream : State::kList; }
  void FailStream(const Error& error);
  void FailList(const Error& error);
  void Wait();
  void Contact() { last_contact_ = environment_.clock.MonotonicNow().time_since_epoch(); }

  const ReflectorOptions options_;
  ReflectorTarget& target_;
  const Environment environment_;

  // Used by the thread in Run() or Work() only.
  std::stop_token stop_;
  std::unique_ptr<ObjectWatch> watch_;  // in kWatch; null: to be opened
  Clock::MonotonicTime opened_;
  bool watch_was_useful_ = false;  // it has told of something
  int vain_watches_ = 0;           // in a row, since version_ is what it is
  bool has_followed_ = false;      // version_ is newer than the last list
  bool can_stream_;
  State state_;
  Backoff backoff_;
  std::string version_ = "0";     // of the target; "0": nothing yet
  bool list_is_expired_ = false;  // version_ is not there: whatever is newest is to be listed

  std::atomic<Clock::MonotonicTime::duration> last_contact_;
  std::atomic<uint64_t> lists_ = 0;
  std::atomic<uint64_t> watches_ = 0;
  std::atomic<uint64_t> events_ = 0;
  std::atomic<uint64_t> failures_ = 0;
};

}  // namespace kubexms
