#pragma once

#include "kubexms/api/type.h"
#include "kubexms/base/json.h"

namespace kubexms {

// What an object of a kind consists of when nothing is set: the parts that are always there. Who
// writes into them does not own them as such.
Json ZeroObject(const TypeInfo& type);

}  // namespace kubexms
