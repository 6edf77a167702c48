#pragma once

// Deletes one particular object: not another one that was created later with the same name.

#include "kubexms/client/client.h"

namespace kubexms {

// Delete options with the UID of the object as a precondition.
inline DeleteOptions UidPrecondition(const ObjectMeta& metadata) {
  DeleteOptions options;
  options.preconditions.emplace().uid = metadata.uid;
  return options;
}

// Whether a write with a UID precondition failed because the object no longer exists: not found, or
// conflict, which means that another object has its name.
inline bool NoLongerExists(const Error& error) { return error.IsNotFound() || error.IsConflict(); }

inline Result<void> IgnoreNoLongerExists(const Result<void>& result) {
  if (!result.ok() && NoLongerExists(result.error())) return {};
  return result;
}

}  // namespace kubexms
