#include "kubexms/api/schema/defaulting.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>

#include "kubexms/api/values/quantity.h"
#include "kubexms/api/values/time.h"

namespace kubexms {
namespace {

bool IsNullable(const Schema& node) { return node.nullable || node.Resolve().nullable; }

const std::optional<Json>& DefaultOf(const Schema& node) {
  return node.default_value ? node.default_value : node.Resolve().default_value;
}

std::string_view KeyOf(const JsonObject::value_type& member) {
  return {member.key().data(), member.key().size()};
}

// The approximate size as JSON. It also bounds the number of values to visit.
size_t SizeOf(const Json& value) {
  constexpr size_t kScalar = 8;
  if (const auto* text = value.if_string()) return text->size() + kScalar;
  size_t size = kScalar;
  if (const JsonObject* object = value.if_object()) {
    for (const auto& member : *object) size += member.key().size() + SizeOf(member.value());
  } else if (const JsonArray* items = value.if_array()) {
    for (const Json& item : *items) size += SizeOf(item);
  }
  return size;
}

// Sets defaults until they exceed the limit.
class Defaulting {
 public:
  explicit Defaulting(size_t max_bytes) : left_(max_bytes) {}

  bool exceeded() const { return exceeded_; }

  bool Apply(Json& value, const Schema& schema) {
    const Schema& shape = schema.Resolve();
    bool changed = false;
    if (JsonObject* object = value.if_object()) {
      changed = AddMissing(*object, shape);
      for (auto& member : *object) {
        if (exceeded_) break;
        const Schema* child = shape.FindMember(KeyOf(member));
        if (child == nullptr) continue;
        changed |= ReplaceNull(member.value(), *child);
        changed |= Apply(member.value(), *child);
      }
    } else if (JsonArray* items = value.if_array(); items != nullptr && shape.items != nullptr) {
      for (Json& item : *items) {
        if (exceeded_) break;
        changed |= ReplaceNull(item, *shape.items);
        changed |= Apply(item, *shape.items);
      }
    }
    return changed;
  }

 private:
  // Replaces a null that the schema does not allow with the default, if any.
  bool ReplaceNull(Json& value, const Schema& node) {
    if (!value.is_null() || IsNullable(node) || !DefaultOf(node)) return false;
    if (!Take(*DefaultOf(node))) return false;
    value = *DefaultOf(node);
    return true;
  }

  bool AddMissing(JsonObject& object, const Schema& shape) {
    bool changed = false;
    for (const Property& property : shape.properties) {
      if (!DefaultOf(*property.schema) || object.contains(property.name)) continue;
      if (!Take(*DefaultOf(*property.schema))) return changed;
      object.emplace(property.name, *DefaultOf(*property.schema));
      changed = true;
    }
    return changed;
  }

  bool Take(const Json& value) {
    const size_t size = SizeOf(value);
    exceeded_ = exceeded_ || size > left_;
    if (!exceeded_) left_ -= size;
    return !exceeded_;
  }

  size_t left_;
  bool exceeded_ = false;
};

std::string CanonicalQuantity(const Json& value) {
  const std::string text =
      value.is_string() ? std::string(AsView(value.get_string())) : WriteJson(value);
  const Result<Quantity> quantity = Quantity::Parse(text);
  return quantity.ok() ? quantity->ToString() : text;
}

template <class T>
std::string CanonicalTime(std::string_view text) {
  const Result<T> time = T::Parse(text);
  return time.ok() ? time->ToString() : std::string(text);
}

bool NormaliseScalar(Json& value, const Schema& shape) {
  std::string canonical;
  if (shape.quantity && (value.is_string() || value.is_number())) {
    canonical = CanonicalQuantity(value);
  } else if (shape.format == "date-time" && value.is_string()) {
    const std::string_view text = AsView(value.get_string());
    canonical = shape.micro_time ? CanonicalTime<MicroTime>(text) : CanonicalTime<Time>(text);
  } else {
    return false;
  }
  if (value.is_string() && AsView(value.get_string()) == canonical) return false;
  value = canonical;
  return true;
}

}  // namespace

bool ApplyDefaults(Json& value, const Schema& schema) {
  return Defaulting(std::numeric_limits<size_t>::max()).Apply(value, schema);
}

Result<void> ApplyDefaults(Json& value, const Schema& schema, size_t max_bytes) {
  Defaulting defaulting(max_bytes);
  defaulting.Apply(value, schema);
  if (!defaulting.exceeded()) return {};
  return Error::RequestTooLarge(
      fmt::format("the object is too large: its defaults have more than {} bytes", max_bytes));
}

bool RemoveNulls(Json& value, const Schema& schema) {
  const Schema& shape = schema.Resolve();
  bool changed = false;
  if (JsonObject* object = value.if_object()) {
    for (auto it = object->begin(); it != object->end();) {
      const Schema* child = shape.FindMember(KeyOf(*it));
      if (child != nullptr && it->value().is_null() && !IsNullable(*child) && !DefaultOf(*child)) {
        it = object->erase(it);
        changed = true;
        continue;
      }
      if (child != nullptr) changed |= RemoveNulls(it->value(), *child);
      ++it;
    }
  } else if (JsonArray* items = value.if_array(); items != nullptr && shape.items != nullptr) {
    for (Json& item : *items) changed |= RemoveNulls(item, *shape.items);
  }
  return changed;
}

bool Normalize(Json& value, const Schema& schema) {
  const Schema& shape = schema.Resolve();
  bool changed = false;
  if (JsonObject* object = value.if_object()) {
    for (auto& member : *object) {
      const Schema* child = shape.FindMember(KeyOf(member));
      if (child != nullptr) changed |= Normalize(member.value(), *child);
    }
  } else if (JsonArray* items = value.if_array()) {
    for (Json& item : *items) {
      if (shape.items != nullptr) changed |= Normalize(item, *shape.items);
    }
  } else {
    changed = NormaliseScalar(value, shape);
  }
  return changed;
}

}  // namespace kubexms
