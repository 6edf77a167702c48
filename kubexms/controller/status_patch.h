#pragma once

// Writes what changed in the status of an object, and nothing else:
//
//   Widget changed = widget;
//   changed.status.size = 3;
//   SetCondition(changed.status.conditions, {…}, clock);
//   RETURN_IF_ERROR(PatchStatus(client, widget, changed, clock));
//
// Members of the status that are the same in both are not sent, so what others write there stays,
// also when they wrote it after `widget` was read. Conditions are members by type: only those that
// differ are set. When somebody else was faster, the changes are made again to what is there now, a
// few times. Nothing is sent when nothing differs.

#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "kubexms/base/clock.h"
#include "kubexms/client/client.h"

namespace kubexms {

enum class StatusWrite {
  kUnchanged,  // there was nothing to write
  kWritten,
  kGone,  // the object is not there any more, or another one has its name
};

struct StatusPatched {
  StatusWrite result;
  SharedBytes object;  // as the server has it, when it was written
};

template <Kind T>
struct StatusPatchOptions {
  // Asked when somebody else changed the object: whether the changes are still right for it. If not
  // nothing is written, and the error is a conflict. Empty: they always are.
  std::function<bool(const T& fresh)> only_if;
  std::stop_token stop;
};

// ---- What the template below is made of, without the C++ type.

namespace status_patch_internal {

struct Change {
  ResourceType type;
  const ObjectMeta& metadata;  // of the object as it is known to be now
  std::string before;          // JSON of its status
  std::string after;
  // Whether the change is right for this object; may be empty.
  std::function<Result<bool>(std::string_view fresh)> only_if;
};

Result<StatusPatched> Patch(Client& client, const Change& change, const Clock& clock,
                            const std::stop_token& stop);

// Statuses as JSON; see MergeStatus().
Result<std::string> Merge(const std::string& before, const std::string& ours,
                          const std::string& theirs, const Clock& clock);

}  // namespace status_patch_internal

// `before` is the object as it was read, `after` a copy of it with another status. One who wrote
// the object in between puts what the server answered into the copy first: the status is written to
// the version that the copy has.
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

// The status `ours` with the changes that made `theirs` of `before` made to it, too. Like
// PatchStatus() it knows members and conditions; where both changed the same one, `theirs` counts.
template <class Status>
Result<Status> MergeStatus(const Status& before, const Status& ours, const Status& theirs,
                           const Clock& clock) {
  ASSIGN_OR_RETURN(
      const std::string merged,
      status_patch_internal::Merge(Encode(before), Encode(ours), Encode(theirs), clock));
  return Decode<Status>(merged);
}

}  // namespace kubexms
