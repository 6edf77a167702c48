#pragma once

// Validation errors of fields, with Kubernetes' messages. Validation by schema and validation in
// code use the same functions:
//
//   const FieldPath spec("spec");
//   const FieldPath containers = spec.Child("containers");
//   for (size_t i = 0; i < pod.containers.size(); ++i) {
//     const FieldPath container = containers.Index(i);
//     if (pod.containers[i].image.empty()) errors.push_back(Required(container.Child("image")));
//   }

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/error.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The path of a field: `spec.containers[0].image`, `metadata.labels[app]`. It allocates nothing
// before ToString: a path borrows its parent and its name, and both must outlive it. Extending a
// temporary path would leave it dangling and does not compile; give each level a name.
class FieldPath {
 public:
  // The object itself: empty before a field name, "<nil>" alone.
  FieldPath() = default;
  explicit FieldPath(std::string_view name) : step_(Step::kChild), name_(name) {}

  // A field of an object. The name may contain dots: Child("template.spec").
  FieldPath Child(std::string_view name) const& { return {this, Step::kChild, name, 0}; }
  // An item of a list.
  FieldPath Index(size_t index) const& { return {this, Step::kIndex, {}, index}; }
  // A value of a map, written in brackets.
  FieldPath Key(std::string_view key) const& { return {this, Step::kKey, key, 0}; }
  FieldPath Child(std::string_view name) const&& = delete;
  FieldPath Index(size_t index) const&& = delete;
  FieldPath Key(std::string_view key) const&& = delete;

  // "spec.containers[0].image"; empty for the object itself.
  std::string ToString() const;
  void AppendTo(std::string& out) const;

 private:
  enum class Step { kRoot, kChild, kIndex, kKey };

  FieldPath(const FieldPath* parent, Step step, std::string_view name, size_t index)
      : parent_(parent), step_(step), name_(name), index_(index) {}

  const FieldPath* parent_ = nullptr;
  Step step_ = Step::kRoot;
  std::string_view name_;
  size_t index_ = 0;
};

// Create causes. The messages show `value` as Kubernetes does: strings in quotes, objects and lists
// as JSON.
ErrorCause Required(const FieldPath& path, std::string_view detail = {});
ErrorCause Invalid(const FieldPath& path, const Json& value, std::string_view detail);
ErrorCause TypeInvalid(const FieldPath& path, const Json& value, std::string_view detail);
// "Unsupported value: "x": supported values: "a", "b"".
ErrorCause NotSupported(const FieldPath& path, const Json& value,
                        std::span<const std::string_view> supported);
ErrorCause NotSupported(const FieldPath& path, const Json& value,
                        std::initializer_list<std::string_view> supported);
ErrorCause Duplicate(const FieldPath& path, const Json& value);
ErrorCause NotFound(const FieldPath& path, const Json& value);
ErrorCause Forbidden(const FieldPath& path, std::string_view detail);
// The message does not show the value. It does not name a negative maximum.
ErrorCause TooLong(const FieldPath& path, int64_t max_bytes);
ErrorCause TooMany(const FieldPath& path, int64_t actual, int64_t max_items);
ErrorCause InternalError(const FieldPath& path, std::string_view detail);

// A value as those messages show it.
std::string DescribeValue(const Json& value);
// A number as Go's %v writes it: "10", "0.5", "1e+21".
std::string DescribeNumber(double number);

}  // namespace kubexms
