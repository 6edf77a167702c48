#pragma once

// Everything that the author of a controller needs.

#include "kubexms/api/condition.h"
#include "kubexms/api/crd/crd.h"
#include "kubexms/api/object.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/events/event_recorder.h"
#include "kubexms/controller/finalizer.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/manager/program.h"
#include "kubexms/controller/predicate.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/controller/requests/audit_record.h"
#include "kubexms/controller/requests/request_controller.h"
#include "kubexms/controller/source.h"
#include "kubexms/controller/stages.h"
#include "kubexms/controller/status_patch.h"
