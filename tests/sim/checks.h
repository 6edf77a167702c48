#pragma once

// Invariants that hold whatever fails. Each check reports to Violations.

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/base/mutex.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/informers/object_cache.h"

namespace kubexms::sim {

// Safe for use from any thread.
class Violations {
 public:
  void Add(std::string violation) EXCLUDES(mutex_);
  // The first ten.
  std::vector<std::string> All() const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::vector<std::string> all_ GUARDED_BY(mutex_);
};

// Records running work and checks it: at most one worker per process reconciles an object and, with
// `one_leader`, at most one process works. Safe for use from any thread.
class WorkLedger {
 public:
  WorkLedger(Violations& violations, bool one_leader)
      : violations_(violations), one_leader_(one_leader) {}

  // Marks work as running for its lifetime.
  class Work {
   public:
    Work(WorkLedger& ledger, std::string process, std::string what)
        : ledger_(ledger), process_(std::move(process)), what_(std::move(what)) {
      ledger_.Begin(process_, what_);
    }
    ~Work() { ledger_.End(process_, what_); }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    WorkLedger& ledger_;
    const std::string process_;
    const std::string what_;
  };

  // The process has crashed: work of its remaining threads is ignored.
  void MarkDead(const std::string& process) EXCLUDES(mutex_);
  bool IsAlive(const std::string& process) const EXCLUDES(mutex_);
  uint64_t begun() const { return begun_; }

 private:
  void Begin(const std::string& process, const std::string& what) EXCLUDES(mutex_);
  void End(const std::string& process, const std::string& what) EXCLUDES(mutex_);

  Violations& violations_;
  const bool one_leader_;
  std::atomic<uint64_t> begun_ = 0;
  mutable Mutex mutex_;
  std::map<std::string, std::set<std::string>> working_ GUARDED_BY(mutex_);
  std::set<std::string> dead_ GUARDED_BY(mutex_);
};

// The acknowledged writes of a process (read-your-writes): its caches must never return an older
// version. Safe for use from any thread.
class OwnWrites {
 public:
  // `server` is a reliable client.
  OwnWrites(Client& server, Violations& violations) : server_(server), violations_(violations) {}

  void Record(const ClientRequest& request, const SharedBytes& answer) EXCLUDES(mutex_);

  // Reads an object by `read`, which returns a CachedObject, and checks it.
  template <class Read>
  CachedObject Checked(const ResourceType& resource, const ObjectKey& key, const Read& read) {
    const Expected expected = ExpectedOf(resource, key);  // before the read
    CachedObject object = read();
    Check(resource, key, expected, object);
    return object;
  }

 private:
  struct Expected {
    uint64_t version = 0;
    std::string uid;
    std::set<std::string> deleted;  // uids
  };
  using Name = std::pair<std::string, ObjectKey>;  // plural and key

  Expected ExpectedOf(const ResourceType& resource, const ObjectKey& key) const EXCLUDES(mutex_);
  void Check(const ResourceType& resource, const ObjectKey& key, const Expected& expected,
             const CachedObject& object);

  Client& server_;
  Violations& violations_;
  mutable Mutex mutex_;
  std::map<Name, Expected> writes_ GUARDED_BY(mutex_);
};

// Forwards all calls and records the writes.
class RecordingClient final : public Client {
 public:
  RecordingClient(Client& inner, OwnWrites& writes) : inner_(inner), writes_(writes) {}

  Result<SharedBytes> Do(const ClientRequest& request) override {
    Result<SharedBytes> answer = inner_.Do(request);
    if (answer.ok() && IsWrite(request.verb)) writes_.Record(request, *answer);
    return answer;
  }
  Result<ObjectPage> ListPage(const ClientRequest& request) override {
    return inner_.ListPage(request);
  }
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override {
    return inner_.OpenWatch(request);
  }
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop) override {
    return inner_.GetPath(path, std::move(stop));
  }

 private:
  Client& inner_;
  OwnWrites& writes_;
};

}  // namespace kubexms::sim
