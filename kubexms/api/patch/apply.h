#pragma once

// Server-side apply: several parties ("managers") each say what they want of one object, and the
// object remembers in metadata.managedFields who owns which field. Applying merges a manager's
// whole wish into the object; what it no longer wishes goes away, unless somebody else owns it;
// what somebody else owns with another value is a conflict.
//
// Ownership by other requests (create, update, patch) is tracked as well, so that an applier
// learns about them.

#include <string_view>

#include "kubexms/api/patch/field_set.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// More than so many managers with Update entries are folded into one, the oldest first.
inline constexpr size_t kMaxUpdateManagers = 10;

// On whose behalf, and how, an object is written. All is borrowed for the time of the call.
struct FieldManagerOptions {
  std::string_view manager;
  std::string_view subresource;  // "status", "scale"; empty for the object itself
  std::string_view api_version;  // "apps/v1": what the documents of this call are written in
  // Now, in RFC 3339, in UTC and in whole seconds; empty leaves the entry without a time.
  std::string_view time;
  const Schema* schema = nullptr;          // null: nothing is known about the kind
  const FieldSet* reset_fields = nullptr;  // what a request of this kind never changes nor owns
};

struct Applied {
  Json object;
  // False when nothing at all is different, so that there is nothing to store.
  bool changed = false;
};

// Merges `config` into `live` (null when there is no object yet) and maintains
// metadata.managedFields. Conflicts are one error (409, Conflict) that lists every one; with
// `force` the fields change hands instead. A live object without managedFields is first taken to
// be owned by "before-first-apply".
//
// The manager "kubectl" takes over, without a conflict, what `live` has from its client-side apply:
// the fields in the annotation kubectl.kubernetes.io/last-applied-configuration that still have
// the value given there. It keeps that annotation up to date where there is one.
//
// The caller checks that there is a manager and that `config` is of the right kind and name.
Result<Applied> Apply(Json live, const Json& config, const FieldManagerOptions& options,
                      bool force);

// Maintains metadata.managedFields of `updated`, which a request other than apply is about to
// store in place of `live`. For a creation `live` is what an object of this kind consists of when
// nothing is set, or an empty object. Managed fields that the request itself carries are taken
// over when they are well-formed; a list of one empty entry removes them.
Json TrackUpdate(const Json& live, Json updated, const FieldManagerOptions& options);

}  // namespace kubexms
