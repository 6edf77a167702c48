#pragma once

// Kubernetes' own kinds cannot tell a field that was never written from one that was written as
// zero: their Go types have an empty text, a 0 or an empty list in both cases, and some of these
// are always in the JSON while others never are. A ZeroForm says which, for one type. With it a
// document becomes what Kubernetes would have read and would write again:
//
//   RemoveZeroValues(document, form);   // "" , 0, [] and null are as good as absent: defaults
//   apply AddZeroValues(document, form);      // what is always written is there: "", 0, null, {}

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/type.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

struct ZeroForm;

struct ZeroField {
  std::string_view name;
  ZeroPresence presence = ZeroPresence::kOmitted;
  // Of the value, or of the values in a list or map. Null: there is nothing inside to look at.
  const ZeroForm* form = nullptr;
  TypeKind kind = TypeKind::kString;  // of the value, without what makes it optional
  Json zero;                          // what kWritten writes where `form` does not say it
  Json element_zero;                  // in a list or map, what a null is
};

// The fields of a struct, by their names.
struct ZeroForm {
  std::vector<ZeroField> fields;

  const ZeroField* Find(std::string_view name) const;
};

// The form of a struct that is, or is part of, one of Kubernetes' own kinds. Lives as long as the
// program. Safe for use from any thread.
const ZeroForm& ZeroFormOf(const TypeInfo& type);

// Removes nulls and zero values, except those that a pointer has; a null in a list or map becomes
// the zero value. Structs that are always there are made, so that they get their defaults. The
// value must have the JSON types of its kind. The managed fields of an object are left alone.
void RemoveZeroValues(Json& object, const ZeroForm& form);

// Adds what is always written. Adding twice is the same as once.
void AddZeroValues(Json& object, const ZeroForm& form);

}  // namespace kubexms
