#pragma once

// ComponentStatuses: how the parts of the control plane are, asked when somebody reads them.
// Nothing is stored. Kubernetes has deprecated the kind; people and tools still look at it.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/handlers/health.h"
#include "kubexms/apiserver/read/object_reader.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

struct Resource;

class ComponentStatuses {
 public:
  // What can be asked. Of the parts that every control plane has, "scheduler" and
  // "controller-manager", those that are not among them are reported not to run here.
  explicit ComponentStatuses(std::vector<HealthCheck> components);

  static bool Serves(const Resource& resource);

  // As from the store, but without a revision.
  Result<store::RecordPtr> Get(std::string_view name) const;
  ObjectList List(const ObjectFilter& filter) const;

 private:
  std::vector<HealthCheck> components_;  // by name
};

}  // namespace kubexms
