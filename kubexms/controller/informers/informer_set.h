#pragma once

// The informers of a process, each shared by all who need it: one watch and one copy of each object
// for any number of controllers.

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/base/mutex.h"
#include "kubexms/client/decorators.h"
#include "kubexms/controller/informers/informer.h"
#include "kubexms/controller/informers/informer_runner.h"
#include "kubexms/controller/informers/unchanged_updates.h"

namespace kubexms {

// Safe for use from any thread.
class InformerSet {
 public:
  using Environment = Informer::Environment;
  // What all informers of the set have in common.
  struct Defaults {
    size_t max_bytes = 0;
    bool streaming_list = false;
    std::chrono::seconds list_timeout = std::chrono::minutes(2);
    std::chrono::seconds watch_timeout = std::chrono::minutes(5);
    BackoffOptions backoff;
  };

  explicit InformerSet(Environment environment) : InformerSet(std::move(environment), {}) {}
  InformerSet(Environment environment, Defaults defaults)
      : environment_(std::move(environment)), defaults_(defaults) {}
  ~InformerSet();
  InformerSet(const InformerSet&) = delete;
  InformerSet& operator=(const InformerSet&) = delete;

  // The informer of this form and scope, made if there is none. While Run() runs, a new one starts
  // at once.
  std::shared_ptr<Informer> Get(const ObjectForm& form, const InformerScope& scope = {})
      EXCLUDES(mutex_);
  template <Kind T>
  std::shared_ptr<Informer> Get(const InformerScope& scope = {}) {
    return Get(FormOf<T>(&StripManagedFields<T>), scope);
  }
  // Stops the informer, for resources that are no longer served.
  void Remove(const std::shared_ptr<Informer>& informer) EXCLUDES(mutex_);

  // Runs all informers, those added later too, until `stop` is requested; joins their threads.
  void Run(std::stop_token stop) EXCLUDES(mutex_);

  // Of the informers that there are now.
  bool HasSynced() const EXCLUDES(mutex_);
  // False when `stop` was requested first.
  bool WaitForSync(std::stop_token stop) const EXCLUDES(mutex_);
  Result<void> Health() const EXCLUDES(mutex_);
  const Environment& environment() const { return environment_; }

  // Tells the caches what a write of this process did, before the server's watches tell of it.
  // `answer` is what the server answered with.
  void RecordWrite(const ClientRequest& request, const SharedBytes& answer) EXCLUDES(mutex_);
  // The same of a deletion that has no answer.
  void RecordDeletion(const ResourceType& resource, const ObjectKey& key, std::string_view uid)
      EXCLUDES(mutex_);
  // The oldest version that a cache has of the object: 0 when one does not have it. Nothing when
  // there is no cache for it.
  std::optional<uint64_t> KnownVersion(const ResourceType& resource, const ObjectKey& key) const
      EXCLUDES(mutex_);

 private:
  std::vector<std::shared_ptr<Informer>> All() const EXCLUDES(mutex_);
  // Those that would show an object of that namespace.
  std::vector<std::shared_ptr<Informer>> Concerned(const ResourceType& resource,
                                                   std::string_view namespace_name) const
      EXCLUDES(mutex_);

  const Environment environment_;
  const Defaults defaults_;

  mutable Mutex mutex_;
  std::vector<std::shared_ptr<InformerRunner>> members_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;

  ElasticThreads threads_;  // last, so that it ends first
};

// A client whose writes are seen at once by readers of the set's caches: after a write, no cache
// shows an older version of that object. Writes of many objects at a time (DeleteAllOf) are not
// followed, nor are caches with a field selector.
//
// A write whose answer was lost may have been done. The server is asked, at once or, when it cannot
// be reached, before the next write of that resource and before the next reconcile and the next
// write of a controller that watches it: if it was done, the caches show so from then on, and that
// next write is refused, because whoever asked for it did not know. So nothing is made twice,
// nothing is deleted in place of what is gone already, and no status is wrong about it. Only what
// caches show and can be named is asked for, by a list of its name, which whoever has a cache may
// ask for: not what the server is to name, nor a deletion without a uid, nor a part of an object
// (its status). A server that answers the question with errors is asked for half a minute; then the
// watch has to tell. Other resources and controllers do not notice.
//
// An update that the server answered with the version it was made from is not sent a second time.
class CacheAwareClient final : public ClientDecorator {
 public:
  using Resources = std::span<const ResourceType>;

  // Both must outlive it.
  CacheAwareClient(Client& client, InformerSet& informers)
      : ClientDecorator(client), informers_(informers) {}

  Result<SharedBytes> Do(const ClientRequest& request) override { return DoKnowing({}, request); }
  // The same for a caller who decides by what caches of these resources show.
  Result<SharedBytes> DoKnowing(Resources resources, const ClientRequest& request) EXCLUDES(mutex_);

  // Once this returned, readers of the caches see what became of all earlier writes of these
  // resources. The last of those that were done unknown to the caches; empty when there was none.
  Result<std::string> ResolvePendingWrites(Resources resources, const std::stop_token& stop)
      EXCLUDES(mutex_);

 private:
  struct PendingWrite {
    ResourceType resource;  // of the object that may have been written
    ObjectKey key;
    uint64_t version = 0;     // that it had before, as far as was known
    std::string deleted_uid;  // of the one that may have been deleted
    uint64_t id = 0;
    Clock::MonotonicTime since;
    bool being_asked = false;
    int failed_questions = 0;
    std::optional<Error> failure;  // of the last question
  };
  using PendingWrites = std::deque<PendingWrite>;

  // False when there is nothing to find out.
  bool Remember(const ClientRequest& write) EXCLUDES(mutex_);
  // The oldest pending about these resources, which the caller is to ask about and to conclude.
  // When somebody else does so, this waits for the answer, and an error is theirs.
  Result<std::optional<PendingWrite>> Claim(Resources resources) EXCLUDES(mutex_);
  void Conclude(const PendingWrite& pending, const Result<bool>& changed) EXCLUDES(mutex_);
  // Whether there was a change. The caches know it now.
  Result<bool> Ask(const PendingWrite& pending, const std::stop_token& stop);
  PendingWrites::iterator Find(uint64_t id) REQUIRES(mutex_);
  bool IsTooOld(const PendingWrite& pending, const Error& failure) const;

  InformerSet& informers_;
  UnchangedUpdates unchanged_;
  Mutex mutex_;
  CondVar concluded_;
  PendingWrites pending_writes_ GUARDED_BY(mutex_);  // the oldest first
  std::atomic<size_t> doubt_count_ = 0;              // while there is none, asking takes no lock
  uint64_t next_id_ GUARDED_BY(mutex_) = 1;
};

}  // namespace kubexms
