#pragma once

// Synchronizes the served resources with the stored CustomResourceDefinitions: accepts their names,
// serves their resources, and deletes the objects of a definition that is being deleted. A
// definition is served before the HTTP request that wrote it is answered.

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/mutex.h"
#include "kubexms/store/store.h"

namespace kubexms {

class CustomResources {
 public:
  // All references are borrowed. `definitions` is the resource of CustomResourceDefinitions.
  CustomResources(store::Store& store, ResourceRegistry& registry, ObjectWriter& writer,
                  ResourcePtr definitions, const Clock& clock, Logger log);

  // Reads the changes since the last call. Cheap when there are none.
  Result<void> Sync() EXCLUDES(mutex_);

  // Calls Sync when other servers write definitions, and deletes the objects of deleted
  // definitions.
  void Run(std::stop_token stop);

 private:
  struct Definition {
    Json document;
    std::vector<ResourcePtr> resources;
    bool names_accepted = false;
  };

  Result<void> ReadChanges() REQUIRES(mutex_);
  void ApplyRecord(const store::Record& record) REQUIRES(mutex_);
  Result<void> UpdateStatus(const std::string& name, Definition& definition) REQUIRES(mutex_);
  std::string FindNameConflict(const std::string& name, const Definition& definition) const
      REQUIRES(mutex_);
  void PublishResources() REQUIRES(mutex_);
  // Returns true while a definition still has objects to delete.
  bool CleanUp() EXCLUDES(mutex_);
  Result<bool> CleanUpOne(const Json& definition);
  void Signal() EXCLUDES(signal_mutex_);
  // Returns when signaled, at the latest after `at_most`.
  void WaitForSignal(std::chrono::milliseconds at_most) EXCLUDES(signal_mutex_);

  store::Store& store_;
  ResourceRegistry& registry_;
  ObjectWriter& writer_;
  const ResourcePtr definitions_resource_;
  const Clock& clock_;
  const Logger log_;
  const UserInfo self_;

  Mutex mutex_;
  std::unique_ptr<store::Watch> watch_ GUARDED_BY(mutex_);
  std::map<std::string, Definition> definitions_ GUARDED_BY(mutex_);  // by name

  Mutex signal_mutex_;
  CondVar signaled_;
  bool signal_ GUARDED_BY(signal_mutex_) = false;
};

}  // namespace kubexms
