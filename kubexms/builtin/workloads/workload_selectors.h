#pragma once

// The selectors of Services, ReplicaSets, StatefulSets and ReplicationControllers, by which the
// scheduler spreads the Pods of one workload if they have no topologySpreadConstraints.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/object_key.h"

namespace kubexms {

// For one thread at a time.
class WorkloadSelectors {
 public:
  // A Service without a selector selects nothing.
  void SetService(const ObjectKey& key, const StringMap& selector);
  void RemoveService(const ObjectKey& key);
  // `kind` as in owner references: "ReplicaSet".
  void SetOwner(const std::string& kind, const ObjectKey& key, Selector selector);
  void RemoveOwner(const std::string& kind, const ObjectKey& key);

  // The selector of the workload of a Pod: all requirements of the Services that select it and of
  // its controller. Nothing if there are none.
  std::optional<Selector> SelectorFor(const ObjectMeta& pod) const;

 private:
  struct Service {
    StringMap selector;
    std::string index;
  };

  std::unordered_map<ObjectKey, Service> services_;
  // Services by namespace and one label of their selector.
  std::unordered_map<std::string, std::vector<const StringMap*>> by_label_;
  std::map<std::string, std::unordered_map<ObjectKey, Selector>> owners_;  // by kind
};

}  // namespace kubexms
