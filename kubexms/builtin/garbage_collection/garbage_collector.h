#pragma once

// The garbage collector: it deletes objects whose owners no longer exist, and implements the
// propagation policies of deletions:
//
//   Background   the owner is deleted at once, then its dependents;
//   Foreground   the owner is deleted after the dependents that block its deletion;
//   Orphan       the owner is deleted after its owner references in dependents are removed.
//
// An object is deleted if it has owner references and none of the owners exists. The collector
// verifies that with the server, and deletes only the version whose owners it has checked. An owner
// reference with a wrong namespace or name counts as an owner that does not exist. A cluster-scoped
// object with a namespaced owner is not collected. References to missing owners are removed from
// objects that have other owners.
//
// The collector watches the metadata of all resources that can be listed, watched and deleted,
// including custom ones. It runs discovery when definitions change, and periodically.

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/api/group_version.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/threads/elastic_threads.h"
#include "kubexms/builtin/garbage_collection/owner_graph.h"
#include "kubexms/client/discovery.h"
#include "kubexms/controller/events/event_recorder.h"
#include "kubexms/controller/informers/informer_set.h"
#include "kubexms/controller/queue/work_queue.h"

namespace kubexms {

struct GarbageCollectorOptions {
  // Workers are started on demand. Many of them pay off since the server commits concurrent writes
  // in one batch.
  int workers = 20;
  // The interval of discovery without a change of definitions.
  std::chrono::nanoseconds discovery_period = std::chrono::seconds(30);
  // How long the collector waits for the first lists. It then starts with the objects that it
  // knows, and asks the server about others.
  std::chrono::nanoseconds sync_timeout = std::chrono::seconds(30);
  // The maximum backoff of an object whose owners cannot be read.
  std::chrono::nanoseconds max_delay = std::chrono::minutes(5);
};

class GarbageCollector {
 public:
  // Pointers and references are borrowed and must outlive the collector.
  struct Environment {
    Client& client;  // for all writes
    InformerSet& informers;
    EventRecorder events;
    Clock& clock;
    MetricsRegistry* metrics = nullptr;
    Logger log;
  };

  GarbageCollector(GarbageCollectorOptions options, Environment environment);
  ~GarbageCollector();
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  // Runs until `stop` is requested. May be called once.
  Result<void> Run(std::stop_token stop);

  // The rest may be called from any thread.

  // The first lists are complete, and the workers run.
  bool IsRunning() const { return running_; }
  // The number of known objects.
  size_t objects() const { return graph_.size(); }

 private:
  struct Monitor {
    OwnerGraph::TypePtr type;
    std::shared_ptr<Informer> informer;
    Informer::HandlerId handler = 0;
    std::optional<Clock::MonotonicTime> missing_since =
        {};  // since when discovery does not list the type
  };
  struct Owners;

  // ---- Discovery and monitors.
  void SyncMonitors(const std::stop_token& stop) EXCLUDES(kinds_mutex_);
  bool WaitForKindChange(std::chrono::nanoseconds most, const std::stop_token& stop)
      EXCLUDES(kinds_mutex_);
  Result<void> UpdateMonitors(const std::stop_token& stop) EXCLUDES(kinds_mutex_);
  bool IsStillNeeded(Monitor& monitor) const;
  void AddMonitor(const ResourceType& type);
  void RemoveMonitor(const Monitor& monitor);
  void WaitForMonitors(const std::stop_token& stop);
  void OnEvent(const OwnerGraph::TypePtr& type, const CacheEvent& event) EXCLUDES(kinds_mutex_);
  void Apply(const OwnerGraph::Changes& changes);

  // ---- Processing of one object. True: it has to be processed again without a change.
  void Work();
  Result<bool> Process(const std::string& uid);
  Result<bool> Collect(const std::string& uid, const OwnerGraph::Item& item);
  Result<Owners> Classify(const OwnerGraph::Item& item);
  Result<OwnerState> FetchOwner(const OwnerReference& owner, const OwnerGraph::Item& item,
                                Owners& owners) EXCLUDES(kinds_mutex_);
  Result<void> Orphan(const std::string& uid, const OwnerGraph::Item& item);

  // ---- Writes. An object that no longer exists is not an error.
  Result<void> Delete(const OwnerGraph::Item& item, std::string_view propagation);
  Result<void> Unblock(const OwnerGraph::Item& item);
  template <class Change>
  Result<void> PatchMetadata(const OwnerGraph::Item& item, const Change& change);
  Result<ObjectMeta> GetMetadata(const ResourceType& type, const ObjectKey& key);

  const GarbageCollectorOptions options_;
  const Environment environment_;
  OwnerGraph graph_;
  WorkQueue<std::string> queue_;
  const Counter discovery_errors_;
  std::atomic<bool> running_ = false;
  ElasticThreads workers_;
  std::map<ResourceType, Monitor> monitors_;  // used by the thread of Run() only
  std::stop_source stopping_;

  Mutex kinds_mutex_;
  CondVar kinds_changed_;
  bool kinds_may_have_changed_ GUARDED_BY(kinds_mutex_) = false;
  std::map<GroupVersionKind, ResourceType> kinds_ GUARDED_BY(kinds_mutex_);
};

}  // namespace kubexms
