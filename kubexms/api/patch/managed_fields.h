#pragma once

// Documents as server-side apply sees them: which fields one mentions, what differs between two,
// how an applied configuration is merged into a live object, and how fields that were given up go
// away. All of it follows the schema's list and map types:
//   - objects are granular: each member has its own owner, unless the schema says atomic;
//   - lists are one piece, unless they are sets or maps by keys;
//   - where the schema says nothing (a null schema, or fields that it preserves without knowing
//     them) objects are granular and lists are one piece.
// The rules are those of Kubernetes' structured-merge-diff.

#include "kubexms/api/patch/field_set.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// The fields that a manager owns who applies `document`: leaves, items of lists, entries of maps
// and empty objects, but not the named fields that merely lead to them.
FieldSet ToFieldSet(const Json& document, const Schema* schema);

// No path is in more than one of the sets. Here the parents of leaves count as well: who adds
// `.data.a` to an object without data has added `.data` too.
struct FieldChanges {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool Empty() const { return added.Empty() && modified.Empty() && removed.Empty(); }
};

// Members of `ignored`, and everything below them, are not looked at.
FieldChanges CompareFields(const Json& before, const Json& after, const Schema* schema,
                           const FieldSet* ignored = nullptr);

struct MergedFields {
  FieldSet owned;        // ToFieldSet of the configuration
  FieldSet changed;      // what the merge added and modified
  FieldSet removed;      // what it replaced with a value of another shape
  bool touched = false;  // the document is not what it was, be it only in the order of a list
};

// Merges an applied configuration into a live document, in place. Members of `ignored` are left
// as they are in `live` and are not owned. Items that both lists have come in the order of the
// configuration; the others keep their places among them.
//
// Fails when the configuration does not fit the schema (an undeclared field, an item without its
// keys, two items with the same keys); the message begins with the path. `live` is then spoilt.
Result<MergedFields> MergeApplied(const Json& config, const Schema* schema, const FieldSet* ignored,
                                  Json& live);

// Removes from `document` what a manager owned (`last`) and nobody owns any more: `owned` is what
// all managers own now, the giving-up one included. Unowned fields stay, unless everything around
// them goes. Returns the paths that are gone.
FieldSet PruneFields(const FieldSet& last, const FieldSet& owned, const Schema* schema,
                     Json& document);

}  // namespace kubexms
