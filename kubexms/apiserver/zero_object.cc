#include "kubexms/apiserver/zero_object.h"

namespace kubexms {
namespace {

// Kinds of values that are always there when they are required, and are then empty.
Json ZeroValue(const TypeInfo& type) {
  switch (type.kind) {
    case TypeKind::kBool: return false;
    case TypeKind::kInt32:
    case TypeKind::kInt64: return 0;
    case TypeKind::kDouble: return 0.0;
    case TypeKind::kString: return "";
    case TypeKind::kStruct: return ZeroObject(type);
    default: return nullptr;
  }
}

}  // namespace

Json ZeroObject(const TypeInfo& type) {
  JsonObject zero;
  for (const FieldInfo& field : type.fields) {
    if (field.type == nullptr) continue;
    if (field.required || field.type->kind == TypeKind::kStruct) {
      zero[field.name] = ZeroValue(*field.type);
    }
  }
  return zero;
}

}  // namespace kubexms
