#pragma once

// A store that forgets everything when it is destroyed: for tests and for trying things out.

#include <memory>

#include "kubexms/store/store.h"

namespace kubexms::store {

std::unique_ptr<Store> MakeMemoryStore();

}  // namespace kubexms::store
