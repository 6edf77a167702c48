#pragma once

// JSON merge patch (RFC 7386): a partial document. Objects are merged, null deletes a member, all
// other values including lists replace the whole value.

#include "kubexms/base/json/json.h"

namespace kubexms {

// Returns the document with the patch merged into it. Every JSON value is a valid merge patch.
Json ApplyMergePatch(Json document, const Json& patch);

// Returns a patch that turns `original` into `modified`. A merge patch cannot set a member to null:
// the patched document lacks members that are null in `modified`.
Json CreateMergePatch(const Json& original, const Json& modified);

// Returns a patch that preserves the changes of other clients: it sets the fields of `modified`
// that differ from `current`, and deletes the fields of `original` (the client's last version) that
// are not in `modified`. Fields that are only in `current` remain.
Json CreateThreeWayMergePatch(const Json& original, const Json& modified, const Json& current);

}  // namespace kubexms
