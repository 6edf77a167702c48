#include "kubexms/api/patch/merge_patch.h"

namespace kubexms {
namespace {

void Merge(Json& target, const Json& patch) {
  const JsonObject* changes = patch.if_object();
  if (changes == nullptr) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  JsonObject& object = target.get_object();
  for (const auto& [key, value] : *changes) {
    if (value.is_null()) {
      object.erase(key);
    } else {
      Merge(object[key], value);
    }
  }
}

// Copies the members of one patch, including nulls, into another.
void Overlay(JsonObject& patch, const JsonObject& more) {
  for (const auto& [key, value] : more) {
    Json& slot = patch[key];
    if (slot.is_object() && value.is_object()) {
      Overlay(slot.get_object(), value.get_object());
    } else {
      slot = value;
    }
  }
}

// The patch for added and changed members of `modified`. A null in `modified` is a deletion.
JsonObject Changes(const JsonObject& original, const JsonObject& modified) {
  JsonObject patch;
  for (const auto& [key, value] : modified) {
    const Json* old = original.if_contains(key);
    if (old == nullptr) {
      patch[key] = value;
    } else if (old->is_object() && value.is_object()) {
      JsonObject inner = Changes(old->get_object(), value.get_object());
      if (!inner.empty()) patch[key] = std::move(inner);
    } else if (!JsonEqual(*old, value)) {
      patch[key] = value;
    }
  }
  return patch;
}

// The patch that deletes members that are not in `modified`.
JsonObject Deletions(const JsonObject& original, const JsonObject& modified) {
  JsonObject patch;
  for (const auto& [key, old] : original) {
    const Json* value = modified.if_contains(key);
    if (value == nullptr) {
      patch[key] = nullptr;
    } else if (old.is_object() && value->is_object()) {
      JsonObject inner = Deletions(old.get_object(), value->get_object());
      if (!inner.empty()) patch[key] = std::move(inner);
    }
  }
  return patch;
}

}  // namespace

Json ApplyMergePatch(Json document, const Json& patch) {
  Merge(document, patch);
  return document;
}

Json CreateMergePatch(const Json& original, const Json& modified) {
  return CreateThreeWayMergePatch(original, modified, original);
}

Json CreateThreeWayMergePatch(const Json& original, const Json& modified, const Json& current) {
  const JsonObject* wanted = modified.if_object();
  if (wanted == nullptr || !current.is_object()) return modified;
  JsonObject patch;
  if (original.is_object()) patch = Deletions(original.get_object(), *wanted);
  Overlay(patch, Changes(current.get_object(), *wanted));
  return patch;
}

}  // namespace kubexms
