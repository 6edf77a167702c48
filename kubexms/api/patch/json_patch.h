#pragma once

// JSON Patch (RFC 6902): a list of operations, applied in order, all or none.

#include <cstddef>

#include "kubexms/base/json/json.h"

namespace kubexms {

// What one patch may cost. The defaults are those of a Kubernetes API server.
struct JsonPatchLimits {
  size_t max_operations = 10'000;
  // Sum of the canonical sizes of all copied values: a document that is copied into itself doubles
  // each time.
  size_t max_copied_bytes = 3 * 1024 * 1024;
  // Values are not placed deeper than this.
  size_t max_depth = 512;
};

// The document after every operation of `patch`. To keep the old one when this fails, pass a copy.
//
// Errors: BadRequest when the patch is not an array of objects; RequestEntityTooLarge when it has
// too many operations; otherwise Invalid (422) with Kubernetes' message and one cause, whose field
// is the operation ("patch[2]") and whose message says what it was and why it does not apply
// ("remove /data/zz: there is no member "zz""). Values are never part of a message: they may be
// secrets.
//
// As on a Kubernetes server, a test for null also passes when the last member of the path is
// absent.
Result<Json> ApplyJsonPatch(Json document, const Json& patch, const JsonPatchLimits& limits = {});

}  // namespace kubexms
