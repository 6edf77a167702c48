#pragma once

// Everything that authors of steps, tasks, modules and pipelines need.

#include "kubexms/automation/engine/engine.h"
#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/hosts/ssh_connector.h"
#include "kubexms/automation/journal/event.h"
#include "kubexms/automation/steps/host_resource.h"
#include "kubexms/automation/steps/runner.h"
#include "kubexms/automation/steps/runtime.h"
#include "kubexms/automation/steps/step.h"
