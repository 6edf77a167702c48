#pragma once

// Server-side apply: field managers each apply their configuration of an object, and
// metadata.managedFields records which manager owns which fields. Applying merges a manager's whole
// configuration into the object and removes the fields that the manager no longer configures and no
// other manager owns. A field that another manager owns with another value is a conflict.
//
// Create, update and patch requests own the fields that they change, too, so that a later apply
// conflicts with them.

#include <string_view>

#include "kubexms/api/patch/field_set.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// The limit on managers with Update entries; beyond it the oldest ones are merged into one entry.
inline constexpr size_t kMaxUpdateManagers = 10;

// The field manager of a write, and the write's parameters. Borrowed for the duration of the call.
struct FieldManagerOptions {
  std::string_view manager;
  std::string_view subresource;  // "status", "scale"; empty for the object itself
  std::string_view api_version;  // of the documents of this call: "apps/v1"
  // The current time in RFC 3339, in UTC and whole seconds; empty for an entry without a time.
  std::string_view time;
  const Schema* schema = nullptr;          // null for a kind without a schema
  const FieldSet* reset_fields = nullptr;  // fields that this write can neither change nor own
};

struct Applied {
  Json object;
  // False when the object did not change and need not be stored.
  bool changed = false;
};

// Merges `config` into `live` (null when the object does not exist) and updates
// metadata.managedFields. All conflicts are in one error (409, Conflict); with `force` the manager
// becomes the owner instead. A live object without managedFields counts as owned by
// "before-first-apply".
//
// For the manager "kubectl", fields of the annotation
// kubectl.kubernetes.io/last-applied-configuration that still have the value from there are no
// conflicts: client-side apply owns them. Apply updates that annotation if it exists.
//
// The caller checks that the manager is not empty and that `config` has the right kind and name.
Result<Applied> Apply(Json live, const Json& config, const FieldManagerOptions& options,
                      bool force);

// Updates metadata.managedFields of `updated`, which replaces `live` by a request other than apply.
// For a creation, `live` is an object of the kind in which nothing is set, or an empty object.
// Well-formed managedFields in `updated` replace the live ones; a list of one empty entry removes
// them.
Json TrackUpdate(const Json& live, Json updated, const FieldManagerOptions& options);

}  // namespace kubexms
