#pragma once

// Which Pods belong together: those of a Service, of a ReplicaSet, of a StatefulSet. The scheduler
// spreads them, where they do not say themselves how.

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
  // `kind` is that in owner references: "ReplicaSet".
  void SetOwner(const std::string& kind, const ObjectKey& key, Selector selector);
  void RemoveOwner(const std::string& kind, const ObjectKey& key);

  // What selects the Pods that belong together with this one: all requirements of the Services that
  // select it and of its controller. Nothing when there are none.
  std::optional<Selector> SelectorFor(const ObjectMeta& pod) const;

 private:
  struct Service {
    StringMap selector;
    std::string index;
  };

  std::unordered_map<ObjectKey, Service> services_;
  // Services by namespace and one of the labels that they ask for.
  std::unordered_map<std::string, std::vector<const StringMap*>> by_label_;
  std::map<std::string, std::unordered_map<ObjectKey, Selector>> owners_;  // by kind
};

}  // namespace kubexms
