#include "kubexms/store/memory_store.h"

#include "kubexms/store/local_store.h"

namespace kubexms::store {

std::unique_ptr<Store> MakeMemoryStore() {
  return std::make_unique<LocalStore>(nullptr, std::make_unique<VersionIndex>());
}

}  // namespace kubexms::store
