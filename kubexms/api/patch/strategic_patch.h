#pragma once

// Kubernetes' strategic merge patch: a merge patch that uses the schema to merge lists item by
// item. patch_strategy and patch_merge_key of a field's Schema say how the field is patched:
//
//   merge        items of a list are merged by their merge key; scalars are added to the list
//   replace      lists (by default) and objects are replaced as a whole
//   retainKeys   a patch may list the members that remain
//
// Fields without a schema are patched as by a merge patch: objects merge, lists are replaced.
//
// Directives in a patch:
//   "$patch": "replace" | "delete"            in an object: replaces the object; empties it
//                                             in an item of a list: the other items of the patch
//                                             replace the list; removes the items with this key
//   "$retainKeys": [names]                    removes all other members
//   "$deleteFromPrimitiveList/field": [...]   removes these scalars from the list
//   "$setElementOrder/field": [...]           the order of the list after the patch
//
// The order of a merged list: items in the patch have the order of $setElementOrder, or else of the
// patch's list; the others retain their order; one of the others precedes an item in the patch only
// if it did so before.

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// Returns the document with the patch applied, without directives. The document is lost on failure:
// pass a copy if it is needed. Errors have Kubernetes' messages: BadRequest, or Invalid (422) for
// lists of lists.
Result<Json> ApplyStrategicPatch(Json document, const Json& patch, const Schema& schema);

struct StrategicPatchOptions {
  // Write $setElementOrder for merged lists that change. Without it the patch does not set their
  // order.
  bool set_element_order = true;
  // Write $retainKeys for fields with that strategy.
  bool retain_keys = true;
};

// Returns a patch that turns `original` into `modified`, both objects. Null members count as
// absent, and merge lists must not have equal items. Fails when an item has no merge key or the
// items of a merge list have different types.
Result<Json> CreateStrategicPatch(const Json& original, const Json& modified, const Schema& schema,
                                  const StrategicPatchOptions& options = {});

enum class OnPatchConflict { kOverwrite, kFail };

// Returns a patch that preserves the changes of other clients: it sets the fields of `modified`
// that differ from `current`, and deletes the fields of `original` (the client's last version) that
// are not in `modified`. With kFail, fails with Conflict (409) when another client changed since
// `original` a field that the patch sets to another value.
Result<Json> CreateThreeWayStrategicPatch(const Json& original, const Json& modified,
                                          const Json& current, const Schema& schema,
                                          OnPatchConflict on_conflict);

}  // namespace kubexms
