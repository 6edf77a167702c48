#pragma once

// Looks up objects in the store.

#include "kubexms/apiserver/authentication/service_account_tokens.h"
#include "kubexms/store/store.h"

namespace kubexms {

// Reads the store on every call, so a deletion takes effect at once. The store must outlive it.
class StoreObjectLookup final : public ObjectLookup {
 public:
  explicit StoreObjectLookup(store::Store& store) : store_(store) {}

  Result<std::optional<std::string>> Uid(std::string_view group, std::string_view resource,
                                         std::string_view namespace_name,
                                         std::string_view name) override;

 private:
  store::Store& store_;
};

}  // namespace kubexms
