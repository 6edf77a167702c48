#pragma once

// Everything that the author of a controller needs.

#include "kubexms/api/condition.h"
#include "kubexms/api/crd.h"
#include "kubexms/api/object.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/audit_record.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/event_recorder.h"
#include "kubexms/controller/finalizer.h"
#include "kubexms/controller/manager.h"
#include "kubexms/controller/predicate.h"
#include "kubexms/controller/program.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/controller/request_controller.h"
#include "kubexms/controller/source.h"
#include "kubexms/controller/stages.h"
#include "kubexms/controller/status_patch.h"
