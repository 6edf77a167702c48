#pragma once

// The table of built-in controllers: names, accounts and constructors. The names, which
// `--controllers` accepts, are those of kube-controller-manager, and "kube-scheduler".

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
  // Borrowed; both must outlive the manager.
  Clock* clock = nullptr;
  Random* random = nullptr;
  Logger log;
  // Returns the client of an account, which must outlive the manager: of the ServiceAccount of this
  // name in kube-system, or of the user if the name starts with "system:". Empty: all controllers
  // use the manager's client.
  std::function<Client*(std::string_view account)> client_of;
  // The CA certificates of the API server. Empty: they are not published.
  std::string authority_pem;
  // Shared by the controllers that write many objects in parallel; null: one is created.
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
  // Adds the controller to the manager; it writes through `client`.
  void (*add)(Manager& manager, const BuiltinEnvironment& environment, Client& client);
  // A kind that the controller needs and that servers of older Kubernetes versions do not serve.
  std::string_view recent_api_version;
  std::string_view recent_kind;
};

std::span<const BuiltinController> BuiltinControllers();

// The controllers that a comma-separated list selects: "*" selects all, "name" adds one, "-name"
// removes one; "none" and the empty list select none. The error lists the names.
Result<std::vector<const BuiltinController*>> SelectControllers(std::string_view list);

// The controllers whose kinds the server serves; a warning names each of the others.
std::vector<const BuiltinController*> ServedControllers(
    const std::vector<const BuiltinController*>& controllers, const Discovery& server,
    const Logger& log);

// Adds the controllers to the manager before it runs.
void AddBuiltinControllers(const std::vector<const BuiltinController*>& controllers,
                           BuiltinEnvironment environment, Manager& manager);

}  // namespace kubexms
