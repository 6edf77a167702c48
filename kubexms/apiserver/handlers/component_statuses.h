#pragma once

// ComponentStatuses: the health of the control plane's components, checked when they are read.
// Nothing is stored. Kubernetes has deprecated the kind, but tools still read it.

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
  // The checks of the components that run here. "scheduler" and "controller-manager", which every
  // control plane has, are reported as not running if they are missing.
  explicit ComponentStatuses(std::vector<HealthCheck> components);

  static bool Serves(const Resource& resource);

  // Like stored objects, but without a revision.
  Result<store::RecordPtr> Get(std::string_view name) const;
  ObjectList List(const ObjectFilter& filter) const;

 private:
  std::vector<HealthCheck> components_;  // by name
};

}  // namespace kubexms
