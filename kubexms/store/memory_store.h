#pragma once

// A store in memory only, for tests and experiments.

#include <memory>

#include "kubexms/store/store.h"

namespace kubexms::store {

std::unique_ptr<Store> MakeMemoryStore();

}  // namespace kubexms::store
