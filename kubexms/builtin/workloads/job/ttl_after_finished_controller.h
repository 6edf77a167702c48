#pragma once

// Jobs that say so (spec.ttlSecondsAfterFinished) are deleted some time after they have ended, with
// their Pods.

#include "kubexms/controller/controller.h"

namespace kubexms {

Controller TtlAfterFinishedController();

}  // namespace kubexms
