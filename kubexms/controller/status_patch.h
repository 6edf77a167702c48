#pragma once

// Patches the changed members of the status of an object:
//
//   Widget changed = widget;
//   changed.status.size = 3;
//   SetCondition(changed.status.conditions, {…}, clock);
//   RETURN_IF_ERROR(PatchStatus(client, widget, changed, clock));
//
// Unchanged members are not sent, so concurrent changes of them by other writers are retained.
// Conditions are compared by type: only those that differ are set. On a conflict, the changes are
// applied to the current object, up to five times. Nothing is sent if nothing has changed.

#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "kubexms/base/clock.h"
#include "kubexms/client/client.h"

namespace kubexms {

enum class StatusWrite {
  kUnchanged,
  kWritten,
  kGone,  // the object was deleted, or recreated under the same name
};

struct StatusPatched {
  StatusWrite result;
  SharedBytes object;  // the stored object, if it was written
};

template <Kind T>
struct StatusPatchOptions {
  // Called after a conflict with the current object. If it returns false, nothing is written and
  // the call fails with a conflict. Empty: the changes always apply.
  std::function<bool(const T& fresh)> only_if;
  std::stop_token stop;
};

// ---- The parts of the templates below that do not depend on the C++ type.

namespace status_patch_internal {

struct Change {
  ResourceType type;
  const ObjectMeta& metadata;  // last known
  std::string before;          // JSON of the status
  std::string after;
  // See StatusPatchOptions; may be empty.
  std::function<Result<bool>(std::string_view fresh)> only_if;
};

Result<StatusPatched> Patch(Client& client, const Change& change, const Clock& clock,
                            const std::stop_token& stop);

// Statuses as JSON; see MergeStatus().
Result<std::string> Merge(const std::string& before, const std::string& ours,
                          const std::string& theirs, const Clock& clock);

}  // namespace status_patch_internal

// `before` is the object that was read, `after` a copy with the new status. If the caller has
// written the object meanwhile, `after` must have the resourceVersion of that response.
template <Kind T>
Result<StatusPatched> PatchStatus(Client& client, const T& before, const T& after,
                                  const Clock& clock,
                                  const std::type_identity_t<StatusPatchOptions<T>>& options = {}) {
  status_patch_internal::Change change{.type = ResourceType::Of<T>(),
                                       .metadata = after.metadata,
                                       .before = Encode(before.status),
                                       .after = Encode(after.status)};
  if (options.only_if) {
    change.only_if = [&](std::string_view fresh) -> Result<bool> {
      ASSIGN_OR_RETURN(const T object, Decode<T>(fresh));
      return options.only_if(object);
    };
  }
  return status_patch_internal::Patch(client, change, clock, options.stop);
}

// Applies the changes from `before` to `theirs` to `ours`, by members and conditions as
// PatchStatus(). If both changed the same member, `theirs` wins.
template <class Status>
Result<Status> MergeStatus(const Status& before, const Status& ours, const Status& theirs,
                           const Clock& clock) {
  ASSIGN_OR_RETURN(
      const std::string merged,
      status_patch_internal::Merge(Encode(before), Encode(ours), Encode(theirs), clock));
  return Decode<Status>(merged);
}

}  // namespace kubexms
