#pragma once

// Deletes what nothing owns any more, and carries out what a deletion says about dependents:
//
//   background   the owner goes at once, what it owned follows;
//   foreground   the owner stays until the dependents that block it are gone;
//   orphan       the owner stays until its dependents no longer refer to it.
//
// An object is deleted when it has owners and all of them are gone: never on hearsay, always of the
// version whose owners were looked at. An owner that is referred to in a way that cannot be
// right (another namespace, another name) is a gone one. An object of the cluster with an owner
// inside a namespace is left alone. References to owners that are gone are removed from objects
// that have others.
//
// It watches the metadata of everything that can be listed, watched and deleted, of built-in and of
// custom kinds, which it looks for when definitions change and now and then.

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
  // They come when there is work. A server commits together what waits for its disk.
  int workers = 20;
  // How often it looks for new kinds without a sign of one.
  std::chrono::nanoseconds discovery_period = std::chrono::seconds(30);
  // For the first lists of everything; it then begins with what it knows, and asks the server about
  // the rest.
  std::chrono::nanoseconds sync_timeout = std::chrono::seconds(30);
  // Of an object whose owners cannot be looked at.
  std::chrono::nanoseconds max_delay = std::chrono::minutes(5);
};

class GarbageCollector {
 public:
  // Everything is borrowed and must outlive the collector.
  struct Environment {
    Client& client;  // what it does goes through this one
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

  // Until `stop` is requested. To be called once.
  Result<void> Run(std::stop_token stop);

  // The rest may be called from any thread.

  // The first lists were seen, and the workers run.
  bool IsWorking() const { return working_; }
  // Objects that it knows of.
  size_t objects() const { return graph_.size(); }

 private:
  struct Monitor {
    OwnerGraph::TypePtr type;
    std::shared_ptr<Informer> informer;
    Informer::HandlerId handler = 0;
    std::optional<Clock::MonotonicTime> missing_since = {};  // the server no longer has the type
  };
  struct Owners;

  // Which kinds there are.
  void FollowKinds(const std::stop_token& stop) EXCLUDES(kinds_mutex_);
  bool WaitForKinds(std::chrono::nanoseconds most, const std::stop_token& stop)
      EXCLUDES(kinds_mutex_);
  Result<void> UpdateMonitors(const std::stop_token& stop) EXCLUDES(kinds_mutex_);
  bool IsStillNeeded(Monitor& monitor) const;
  void AddMonitor(const ResourceType& type);
  void RemoveMonitor(const Monitor& monitor);
  void WaitForMonitors(const std::stop_token& stop);
  void OnEvent(const OwnerGraph::TypePtr& type, const CacheEvent& event) EXCLUDES(kinds_mutex_);
  void Apply(const OwnerGraph::Changes& changes);

  // One object. True when it has to be looked at again although nothing changes.
  void Work();
  Result<bool> Process(const std::string& uid);
  Result<bool> Collect(const std::string& uid, const OwnerGraph::Item& item);
  Result<Owners> Classify(const OwnerGraph::Item& item);
  Result<OwnerState> AskForOwner(const OwnerReference& owner, const OwnerGraph::Item& item,
                                 Owners& owners) EXCLUDES(kinds_mutex_);
  Result<void> Orphan(const std::string& uid, const OwnerGraph::Item& item);

  // What is done to objects. One that is gone is no error.
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
  std::atomic<bool> working_ = false;
  ElasticThreads workers_;
  std::map<ResourceType, Monitor> monitors_;  // of the thread that follows the kinds
  std::stop_source stopping_;

  Mutex kinds_mutex_;
  CondVar kinds_changed_;
  bool look_for_kinds_ GUARDED_BY(kinds_mutex_) = false;
  std::map<GroupVersionKind, ResourceType> kinds_ GUARDED_BY(kinds_mutex_);
};

}  // namespace kubexms
