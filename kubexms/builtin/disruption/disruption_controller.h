#pragma once

// PodDisruptionBudgets say how many of their Pods may be evicted: this keeps their status, from
// which the server's eviction decides. What it says is decided in disruption_budget.h.

#include <memory>

#include "kubexms/client/discovery.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

class InformerSet;

// `informers` are those of the manager that runs it; `kinds` finds the owners of Pods.
Controller DisruptionController(InformerSet& informers, std::shared_ptr<ResourceMapper> kinds);

// Takes the condition DisruptionTarget back from Pods that nobody disrupted after all.
Controller DisruptionTargetController();

}  // namespace kubexms
