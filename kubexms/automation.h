#pragma once

// Everything that authors of steps, tasks, modules and pipelines need.

#include "kubexms/automation/engine.h"
#include "kubexms/automation/event.h"
#include "kubexms/automation/local_connector.h"
#include "kubexms/automation/pipeline.h"
#include "kubexms/automation/resource.h"
#include "kubexms/automation/runner.h"
#include "kubexms/automation/runtime.h"
#include "kubexms/automation/ssh_connector.h"
#include "kubexms/automation/step.h"
#include "kubexms/automation/text_template.h"
