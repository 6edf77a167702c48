#include "kubexms/api/schema/zero_values.h"

#include <algorithm>
#include <map>

#include "kubexms/base/mutex.h"

namespace kubexms {
namespace {

// The type of the value, without Optional.
const TypeInfo& ValueType(const TypeInfo& type) {
  const bool optional = type.kind == TypeKind::kOptional || type.kind == TypeKind::kBoxed;
  return optional ? *type.element : type;
}

bool IsContainer(TypeKind kind) { return kind == TypeKind::kList || kind == TypeKind::kMap; }

Json ZeroOf(const TypeInfo& type) {
  switch (type.kind) {
    case TypeKind::kBool: return false;
    case TypeKind::kInt32:
    case TypeKind::kInt64: return 0;
    case TypeKind::kDouble: return 0.0;
    case TypeKind::kString: return "";
    case TypeKind::kScalar:
      if (type.schema.quantity) return "0";
      if (type.schema.int_or_string) return 0;
      return nullptr;
    default: return nullptr;
  }
}

Json ElementZeroOf(const TypeInfo& type) {
  if (type.kind == TypeKind::kStruct) return JsonObject();
  return type.schema.format == "byte" ? Json("") : ZeroOf(type);
}

class Forms {
 public:
  const ZeroForm& Of(const TypeInfo& type) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return Made(type);
  }

 private:
  const ZeroForm& Made(const TypeInfo& type) REQUIRES(mutex_) {
    auto [found, is_new] = forms_.try_emplace(&type);
    if (!is_new) return *found->second;
    found->second = std::make_unique<ZeroForm>();
    ZeroForm& form = *found->second;
    for (const FieldInfo& field : type.fields) {
      if (field.type != nullptr) form.fields.push_back(MakeField(field));
    }
    return form;
  }

  ZeroField MakeField(const FieldInfo& field) REQUIRES(mutex_) {
    const TypeInfo* type = &ValueType(*field.type);
    ZeroField made{.name = field.name,
                   .presence = *field.zero_presence,
                   .kind = type->kind,
                   .zero = ZeroOf(*type)};
    while (IsContainer(type->kind)) type = type->element;
    if (type->kind == TypeKind::kStruct) made.form = &Made(*type);
    if (IsContainer(made.kind)) made.element_zero = ElementZeroOf(*type);
    return made;
  }

  Mutex mutex_;
  std::map<const TypeInfo*, std::unique_ptr<ZeroForm>> forms_ GUARDED_BY(mutex_);
};

bool IsZero(const Json& value, const ZeroField& field) {
  if (field.kind == TypeKind::kRawJson || field.kind == TypeKind::kStruct) return false;
  if (value.is_object()) return value.get_object().empty();
  if (value.is_array()) return value.get_array().empty();
  if (value.is_string())
    return value.get_string().empty() || (field.zero.is_string() && value == field.zero);
  if (value.is_bool()) return !value.get_bool();
  if (value.is_double()) return value.get_double() == 0;
  return value.is_number() && value.to_number<int64_t>() == 0;
}

// A null item means the zero value.
void RemoveInElement(Json& element, const ZeroField& field) {
  if (element.is_null()) element = field.element_zero;
  if (JsonArray* items = element.if_array()) {
    for (Json& item : *items) RemoveInElement(item, field);
  } else if (element.is_object() && field.form != nullptr) {
    RemoveZeroValues(element, *field.form);
  }
}

void RemoveInside(Json& value, const ZeroField& field) {
  if (JsonArray* items = value.if_array()) {
    for (Json& item : *items) RemoveInElement(item, field);
  } else if (value.is_object() && field.kind == TypeKind::kMap) {
    for (auto& member : value.get_object()) RemoveInElement(member.value(), field);
  } else if (value.is_object() && field.form != nullptr) {
    RemoveZeroValues(value, *field.form);
  }
}

void AddInside(Json& value, const ZeroField& field) {
  if (JsonArray* items = value.if_array()) {
    for (Json& item : *items) AddInside(item, field);
  } else if (value.is_object() && field.kind == TypeKind::kMap) {
    for (auto& member : value.get_object()) {
      if (member.value().is_object()) AddZeroValues(member.value(), *field.form);
    }
  } else if (value.is_object()) {
    AddZeroValues(value, *field.form);
  }
}

bool IsPointer(ZeroPresence presence) {
  return presence == ZeroPresence::kPointer || presence == ZeroPresence::kNull;
}

}  // namespace

const ZeroField* ZeroForm::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      fields.begin(), fields.end(), name,
      [](const ZeroField& field, std::string_view wanted) { return field.name < wanted; });
  return found != fields.end() && found->name == name ? &*found : nullptr;
}

const ZeroForm& ZeroFormOf(const TypeInfo& type) {
  static Forms forms;
  return forms.Of(type);
}

void RemoveZeroValues(Json& object, const ZeroForm& form) {
  JsonObject& members = object.get_object();
  for (const ZeroField& field : form.fields) {
    const bool always = field.kind == TypeKind::kStruct && field.presence == ZeroPresence::kWritten;
    if (!always) continue;
    Json& value = members[field.name];
    if (value.is_null()) value.emplace_object();
  }
  for (auto it = members.begin(); it != members.end();) {
    const ZeroField* field = form.Find(std::string_view(it->key().data(), it->key().size()));
    if (field == nullptr || field->name == "managedFields") {
      ++it;
      continue;
    }
    Json& value = it->value();
    if (!value.is_null()) RemoveInside(value, *field);
    const bool unset = value.is_null() || (!IsPointer(field->presence) && IsZero(value, *field)) ||
                       // Storage does not distinguish an empty list from an absent one.
                       (IsContainer(field->kind) && field->presence != ZeroPresence::kPointer &&
                        IsZero(value, *field));
    it = unset ? members.erase(it) : it + 1;
  }
}

void AddZeroValues(Json& object, const ZeroForm& form) {
  JsonObject& members = object.get_object();
  for (const ZeroField& field : form.fields) {
    Json* value = members.if_contains(field.name);
    const bool absent = value == nullptr || value->is_null();
    if (absent && field.presence == ZeroPresence::kNull) {
      members[field.name] = nullptr;
    } else if (absent && field.presence == ZeroPresence::kWritten) {
      Json& added = members[field.name] = field.zero;
      if (field.kind != TypeKind::kStruct) continue;
      added.emplace_object();
      AddZeroValues(added, *field.form);
    } else if (!absent && field.form != nullptr) {
      AddInside(*value, field);
    }
  }
}

}  // namespace kubexms
