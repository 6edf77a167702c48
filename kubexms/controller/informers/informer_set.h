#pragma once

// The shared informers of a process: one watch and one copy of each object for any number of
// controllers.

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/base/mutex.h"
#include "kubexms/client/client_decorator.h"
#include "kubexms/controller/informers/informer.h"
#include "kubexms/controller/informers/informer_runner.h"
#include "kubexms/controller/informers/unchanged_updates.h"

namespace kubexms {

// Safe for use from any thread.
class InformerSet {
 public:
  using Environment = Informer::Environment;

  explicit InformerSet(Environment environment, CacheOptions options = {})
      : environment_(std::move(environment)), options_(options) {}
  ~InformerSet();
  InformerSet(const InformerSet&) = delete;
  InformerSet& operator=(const InformerSet&) = delete;

  // The informer of this form and scope, which is created if it does not exist. While Run() runs, a
  // new one is started at once.
  std::shared_ptr<Informer> Get(const ObjectForm& form, const InformerScope& scope = {})
      EXCLUDES(mutex_);
  template <Kind T>
  std::shared_ptr<Informer> Get(const InformerScope& scope = {}) {
    return Get(FormOf<T>(&StripManagedFields<T>), scope);
  }
  // Stops and removes the informer of a resource that is no longer served.
  void Remove(const std::shared_ptr<Informer>& informer) EXCLUDES(mutex_);

  // Runs all informers, including those created later, until `stop` is requested.
  void Run(std::stop_token stop) EXCLUDES(mutex_);

  // Whether all existing informers have synced.
  bool HasSynced() const EXCLUDES(mutex_);
  // False if `stop` was requested before the sync.
  bool WaitForSync(std::stop_token stop) const EXCLUDES(mutex_);
  Result<void> Health() const EXCLUDES(mutex_);
  const Environment& environment() const { return environment_; }

  // Records a write of this process in the caches, before the watch returns it. `answer` is the
  // response of the server.
  void RecordWrite(const ClientRequest& request, const SharedBytes& answer) EXCLUDES(mutex_);
  // Records a deletion without a response.
  void RecordDeletion(const ResourceType& resource, const ObjectKey& key, std::string_view uid)
      EXCLUDES(mutex_);
  // The oldest version of the object in any cache; 0 if one of them does not have it. Nothing if no
  // cache covers it.
  std::optional<uint64_t> KnownVersion(const ResourceType& resource, const ObjectKey& key) const
      EXCLUDES(mutex_);

 private:
  std::vector<std::shared_ptr<Informer>> All() const EXCLUDES(mutex_);
  // The informers that cover this resource and namespace.
  std::vector<std::shared_ptr<Informer>> Covering(const ResourceType& resource,
                                                  std::string_view namespace_name) const
      EXCLUDES(mutex_);

  const Environment environment_;
  const CacheOptions options_;

  mutable Mutex mutex_;
  std::vector<std::shared_ptr<InformerRunner>> members_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;

  ElasticThreads threads_;  // last member: joined before the rest is destroyed
};

// A client that records its writes in the caches of the set: after a write, no cache returns an
// older version of that object. Exceptions: writes of several objects (DeleteAllOf) and caches with
// a field selector.
//
// If the response to a write is lost, the server may have applied it: the write is pending. The
// client resolves a pending write by listing the object by name: at once or, if the server cannot
// be reached, before the next write of that resource and before the next reconcile or write of a
// controller that watches it. If the server had applied it, the caches are updated and that next
// write is refused, because it was decided without knowing the result. So no object is created
// twice, no deletion hits a recreated object, and no status is derived from an outdated cache. Not
// resolved are writes that no cache covers, creations with generateName, deletions without a uid
// precondition, and writes of subresources. If the list fails for 30 seconds although the server
// responds, the client gives up and the watch updates the caches. Other resources and controllers
// are not affected.
//
// An update that did not change the stored object is not sent a second time (UnchangedUpdates).
class CacheAwareClient final : public ClientDecorator {
 public:
  using Resources = std::span<const ResourceType>;

  // Both must outlive the client.
  CacheAwareClient(Client& client, InformerSet& informers)
      : ClientDecorator(client), informers_(informers) {}

  Result<SharedBytes> Do(const ClientRequest& request) override {
    return DoWithReadSet({}, request);
  }
  // The same for a caller that read caches of the resources in `read_set` to decide on the write.
  Result<SharedBytes> DoWithReadSet(Resources read_set, const ClientRequest& request)
      EXCLUDES(mutex_);

  // Resolves all pending writes of these resources. Returns the last object that turned out to have
  // been written without the caches knowing it; empty if there is none.
  Result<std::string> ResolvePendingWrites(Resources resources, const std::stop_token& stop)
      EXCLUDES(mutex_);

 private:
  struct PendingWrite {
    ResourceType resource;
    ObjectKey key;
    uint64_t version = 0;     // cached version before the write; 0: not cached
    std::string deleted_uid;  // of a deletion
    uint64_t id = 0;
    Clock::MonotonicTime since;
    bool is_claimed = false;
    int failed_attempts = 0;
    std::optional<Error> failure;  // of the last attempt to resolve it
  };
  using PendingWrites = std::deque<PendingWrite>;

  // False if the write cannot be resolved.
  bool AddPendingWrite(const ClientRequest& write) EXCLUDES(mutex_);
  // Claims the oldest pending write of these resources, which the caller must query and finish. If
  // another thread has claimed it, waits for that thread and returns its error.
  Result<std::optional<PendingWrite>> Claim(Resources resources) EXCLUDES(mutex_);
  // Asks the server for the result, and records it in the caches. True if the object has changed.
  Result<bool> Query(const PendingWrite& pending, const std::stop_token& stop);
  void Finish(const PendingWrite& pending, const Result<bool>& changed) EXCLUDES(mutex_);
  PendingWrites::iterator Find(uint64_t id) REQUIRES(mutex_);
  bool HasTimedOut(const PendingWrite& pending, const Error& failure) const;

  InformerSet& informers_;
  UnchangedUpdates unchanged_;
  Mutex mutex_;
  CondVar finished_;
  PendingWrites pending_writes_ GUARDED_BY(mutex_);  // the oldest first
  std::atomic<size_t> pending_count_ = 0;  // so that no lock is needed while there is none
  uint64_t next_id_ GUARDED_BY(mutex_) = 1;
};

}  // namespace kubexms
