#pragma once

// Claims and volumes that are deleted while somebody uses them stay until nobody does. The server
// gives each a finalizer when it is made; these controllers take it off, and mend claims and
// volumes that have none.

#include "kubexms/controller/controller.h"

namespace kubexms {

// A claim is in use while a Pod that has a node names it.
Controller ClaimProtectionController();

// A volume is in use while it is bound to a claim.
Controller VolumeProtectionController();

}  // namespace kubexms
