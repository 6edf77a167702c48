#pragma once

// The disruption controller: it maintains the status of PodDisruptionBudgets, by which the API
// server decides about evictions. disruption_budget.h calculates it.

#include <memory>

#include "kubexms/client/discovery.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

class InformerSet;

// `informers` are those of the manager; `kinds` resolves the owners of Pods.
Controller DisruptionController(InformerSet& informers, std::shared_ptr<ResourceMapper> kinds);

// Sets a stale condition DisruptionTarget of Pods to False.
Controller DisruptionTargetController();

}  // namespace kubexms
