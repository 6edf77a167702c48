#pragma once

// The built-in controllers in one table: their names, who they act as, and how they are made. What
// `--controllers` lists are these names, which are those of kube-controller-manager, and
// "kube-scheduler".

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/random.h"
#include "kubexms/builtin/garbage_collection/garbage_collector.h"
#include "kubexms/builtin/garbage_collection/pod_garbage_collector.h"
#include "kubexms/builtin/namespaces/namespace_controller.h"
#include "kubexms/builtin/nodes/node_lifecycle_controller.h"
#include "kubexms/builtin/scheduler/scheduler_options.h"
#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/client/discovery.h"
#include "kubexms/controller/manager/manager.h"

namespace kubexms {

struct BuiltinEnvironment {
  // Borrowed; it must outlive the manager.
  Clock* clock = nullptr;
  Random* random = nullptr;
  Logger log;
  // The client that acts as this ServiceAccount of kube-system, or as the user of this name where
  // it begins with "system:", who has the role that the controller needs; it must outlive the
  // manager. Empty: everything acts as the manager does.
  std::function<Client*(std::string_view account)> client_of;
  // By which clients know the API server. Empty: it is not published.
  std::string authority_pem;
  // Shared by the controllers that write many objects at a time; null: one is made for them.
  std::shared_ptr<ParallelWrites> writes;

  NamespaceControllerOptions namespaces;
  GarbageCollectorOptions garbage_collector;
  NodeLifecycleOptions node_lifecycle;
  PodGarbageCollectorOptions pod_garbage_collector;
  SchedulerOptions scheduler;
};

struct BuiltinController {
  std::string_view name;
  std::string_view account;
  // `client` is what it acts through.
  void (*add)(Manager& manager, const BuiltinEnvironment& environment, Client& client);
  // What it works on and not every Kubernetes serves, since v1.21 at most.
  std::string_view recent_api_version;
  std::string_view recent_kind;
};

std::span<const BuiltinController> BuiltinControllers();

// Those that a list means: "*" is all, "name" is one more, "-name" is one less; "none" and the
// empty list are none. The error names what there is.
Result<std::vector<const BuiltinController*>> SelectControllers(std::string_view list);

// Those of them whose kinds the server has; of the others a warning says what is missing.
std::vector<const BuiltinController*> ServedControllers(
    const std::vector<const BuiltinController*>& controllers, const Discovery& server,
    const Logger& log);

// Adds them to the manager, before it runs.
void AddBuiltinControllers(const std::vector<const BuiltinController*>& controllers,
                           BuiltinEnvironment environment, Manager& manager);

}  // namespace kubexms
