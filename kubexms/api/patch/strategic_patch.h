#pragma once

// Kubernetes' strategic merge patch: a merge patch that knows the schema, so that lists can be
// merged item by item. A field's rule is its Schema's patch_strategy and patch_merge_key:
//
//   merge        a list whose items are merged by their merge key, or, for scalars, united
//   replace      lists (by default) and objects are replaced as a whole
//   retainKeys   a patch may say which members stay
//
// Parts without a schema are treated as by a merge patch: objects merge, lists are replaced.
//
// Directives in a patch:
//   "$patch": "replace" | "delete"            in an object: use this instead; empty it
//                                             in an item of a list: the list becomes the other
//                                             items of the patch; the items with this key go
//   "$retainKeys": [names]                    members that are not named go
//   "$deleteFromPrimitiveList/field": [...]   these scalars go from the list
//   "$setElementOrder/field": [...]           the order of the list after the patch
//
// The order of a merged list: items that the patch names come in the order of $setElementOrder,
// or else of the patch's list; the others keep their order among themselves; and where the two
// meet, an item of the second kind comes before one of the first only when it already did.

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The document with the patch applied, without any directive left in it. To keep the old one when
// this fails, pass a copy. Errors are worded as by Kubernetes: BadRequest, or Invalid (422) for
// lists of lists.
Result<Json> ApplyStrategicPatch(Json document, const Json& patch, const Schema& schema);

struct StrategicPatchOptions {
  // Write $setElementOrder where a merged list changes. Without it only the content is fixed.
  bool set_element_order = true;
  // Write $retainKeys where the schema asks for it.
  bool retain_keys = true;
};

// A patch that turns `original` into `modified`, both objects. Members that are null count as
// absent, and merge lists as having no two equal items. It fails when an item has no merge key or
// the items of a merge list are of different types.
Result<Json> CreateStrategicPatch(const Json& original, const Json& modified, const Schema& schema,
                                  const StrategicPatchOptions& options = {});

enum class OnPatchConflict { kOverwrite, kFail };

// The patch of a client that keeps what others changed: it sets what `modified` has and `current`
// has not, and deletes what `original` (the client's last version) had and `modified` no longer
// has. With kFail it is a Conflict (409) when others changed since `original` what this would
// change in another way.
Result<Json> CreateThreeWayStrategicPatch(const Json& original, const Json& modified,
                                          const Json& current, const Schema& schema,
                                          OnPatchConflict on_conflict);

}  // namespace kubexms
