#pragma once

// JSON Patch (RFC 6902): a list of operations that are applied in order, all or none.

#include <cstddef>

#include "kubexms/base/json/json.h"

namespace kubexms {

// Limits on one patch. The defaults are those of kube-apiserver.
struct JsonPatchOptions {
  size_t max_operations = 10'000;
  // The total canonical size of all copied values: a document doubles each time that an operation
  // copies it into itself.
  size_t max_copied_bytes = 3 * 1024 * 1024;
  // The deepest level at which an operation may add a value.
  size_t max_depth = 512;
};

// Returns the document after all operations of `patch`. The document is lost on failure: pass a
// copy if it is needed.
//
// Errors: BadRequest when the patch is no array of objects; RequestEntityTooLarge when it has too
// many operations; otherwise Invalid (422) with Kubernetes' message and one cause, whose field is
// the operation ("patch[2]") and whose message names the operation and the reason ("remove
// /data/zz: there is no member "zz""). Messages never contain values, which may be secrets.
//
// As in kube-apiserver, a test for null also passes when the last member of the path is absent.
Result<Json> ApplyJsonPatch(Json document, const Json& patch, const JsonPatchOptions& options = {});

}  // namespace kubexms
