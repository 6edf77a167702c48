#pragma once

// Operations of server-side apply on documents: the fields of a document, the difference between
// two, merging an applied configuration into a live object, and pruning fields without an owner.
// All of them follow the list and map types of the schema, by the rules of structured-merge-diff:
//   - objects are granular (each member has its own owners), unless the schema says atomic;
//   - lists are atomic, unless the schema says set or map;
//   - without a schema (a null schema, or preserved unknown fields) objects are granular and lists
//     are atomic.

#include "kubexms/api/patch/field_set.h"
#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// The fields that a manager owns by applying `document`: leaves, items of lists, entries of maps
// and empty objects, but not the named fields above them.
FieldSet ToFieldSet(const Json& document, const Schema* schema);

// The sets are disjoint. They include the parents of leaves: adding `.data.a` to an object without
// data also adds `.data`.
struct FieldChanges {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;

  bool Empty() const { return added.Empty() && modified.Empty() && removed.Empty(); }
};

// Ignores the members of `ignored` and everything below them.
FieldChanges CompareFields(const Json& before, const Json& after, const Schema* schema,
                           const FieldSet* ignored = nullptr);

struct MergedFields {
  FieldSet owned;        // ToFieldSet of the configuration
  FieldSet changed;      // fields that the merge added or modified
  FieldSet removed;      // fields that the merge replaced with a value of another JSON type
  bool touched = false;  // whether the document changed at all, including the order of lists
};

// Merges an applied configuration into a live document, in place. Members of `ignored` are neither
// changed nor owned. Items of both lists have the order of the configuration; other items remain at
// their positions among them.
//
// Fails when the configuration does not match the schema (an undeclared field, an item without its
// keys, two items with the same keys); the message starts with the path. `live` is then unusable.
Result<MergedFields> MergeApplied(const Json& config, const Schema* schema, const FieldSet* ignored,
                                  Json& live);

// Removes from `document` the fields that a manager owned before (`last`) and that no manager owns
// now; `owned` is the union of the fields of all managers, including that one. Fields that never
// had an owner remain, unless their parent is removed. Returns the removed paths.
FieldSet PruneFields(const FieldSet& last, const FieldSet& owned, const Schema* schema,
                     Json& document);

}  // namespace kubexms
