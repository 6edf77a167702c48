#pragma once

// The TTL-after-finished controller: it deletes finished Jobs, and with them their Pods, after
// spec.ttlSecondsAfterFinished.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller TtlAfterFinishedController();

}  // namespace kubexms
