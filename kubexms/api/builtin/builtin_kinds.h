#pragma once

// The descriptions of all kinds of Kubernetes itself.

#include <vector>

#include "kubexms/api/schema/type.h"

namespace kubexms {

// Sorted by group, version and kind; each has a kind_name.
const std::vector<const TypeInfo*>& BuiltinKinds();

// The kind, or null.
const TypeInfo* FindBuiltinKind(std::string_view group, std::string_view version,
                                std::string_view kind);

}  // namespace kubexms
