#pragma once

// Zero values of built-in kinds. Their Go types do not distinguish an absent field from a zero
// value ("", 0, an empty list), and depending on the field the server always or never writes the
// zero value. A ZeroForm has the ZeroPresence of all fields of a type. It gives a document the form
// in which Kubernetes would store and return it:
//
//   RemoveZeroValues(document, form);  // makes "", 0, [] and null absent, so that defaults apply
//   AddZeroValues(document, form);     // adds the fields that are always written: "", 0, null, {}

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
  // Of the value, or of the values in a list or map. Null if these are no structs.
  const ZeroForm* form = nullptr;
  TypeKind kind = TypeKind::kString;  // of the value, without Optional
  Json zero;                          // the value that kWritten writes if `form` is null
  Json element_zero;                  // the value that null means in the list or map
};

// The fields of a struct, sorted by name.
struct ZeroForm {
  std::vector<ZeroField> fields;

  const ZeroField* Find(std::string_view name) const;
};

// The form of a built-in kind or of a struct in one. It exists until the program ends. Any thread
// may call it.
const ZeroForm& ZeroFormOf(const TypeInfo& type);

// Removes nulls, and zero values of fields that are not pointers; a null in a list or map becomes
// the zero value. Creates structs that are always written, so that defaults apply inside them. The
// value must have the JSON types of its kind. Ignores metadata.managedFields.
void RemoveZeroValues(Json& object, const ZeroForm& form);

// Adds the fields that are always written. Idempotent.
void AddZeroValues(Json& object, const ZeroForm& form);

}  // namespace kubexms
