#pragma once

// JSON merge patch (RFC 7386): a partial document. Members replace, null deletes, objects merge,
// everything else (lists too) is replaced as a whole.

#include "kubexms/base/json/json.h"

namespace kubexms {

// The document with the patch merged into it. Every JSON value is a valid merge patch.
Json ApplyMergePatch(Json document, const Json& patch);

// A patch that turns `original` into `modified`. A merge patch cannot set a member to null: where
// an object of `modified` has one, the patched document has no such member.
Json CreateMergePatch(const Json& original, const Json& modified);

// The patch of a client that keeps what others changed: it sets what `modified` has and `current`
// has not, and deletes what `original` (the client's last version) had and `modified` no longer
// has. Fields that are only in `current` stay.
Json CreateThreeWayMergePatch(const Json& original, const Json& modified, const Json& current);

}  // namespace kubexms
