#pragma once

// Protects PersistentVolumeClaims and PersistentVolumes in use from deletion by a finalizer. The
// API server adds the finalizer on creation; these controllers remove it from deleted, unused
// objects, and add it to objects that lack it.

#include "kubexms/controller/controller.h"

namespace kubexms {

// A claim is in use while an assigned Pod has a volume with it.
Controller ClaimProtectionController();

// A volume is in use while it is bound to a claim.
Controller VolumeProtectionController();

}  // namespace kubexms
