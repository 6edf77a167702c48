#pragma once

// Result<T> is a value or an Error: a subset of std::expected. Nothing in kubexms throws; what can
// fail returns a Result, and the compiler warns when one is dropped.
//
//   Result<Config> Load(const std::string& path) {
//     ASSIGN_OR_RETURN(std::string text, ReadFile(path));
//     RETURN_IF_ERROR(CheckVersion(text));
//     return ParseConfig(text);
//   }

#include <utility>
#include <variant>

#include "kubexms/base/check.h"
#include "kubexms/base/error.h"

namespace kubexms {

template <class T = void>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // A default value, made in its place: for large values that are filled in afterwards.
  Result() : state_(std::in_place_index<0>) {}
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Asking for what is not there is a bug of the caller and ends the program.
  T& value() & { return *Checked(); }
  const T& value() const& { return *const_cast<Result*>(this)->Checked(); }
  T&& value() && { return std::move(*Checked()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return Checked(); }
  const T* operator->() const { return const_cast<Result*>(this)->Checked(); }

  T value_or(T fallback) const& { return ok() ? value() : std::move(fallback); }
  T value_or(T fallback) && { return ok() ? std::move(*this).value() : std::move(fallback); }

  const Error& error() const {
    KUBEXMS_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  T* Checked() {
    KUBEXMS_CHECK(ok());
    return std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }

  const Error& error() const {
    KUBEXMS_CHECK(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

// Success when the result is one or failed only because the object does not exist.
template <class T>
Result<void> IgnoreNotFound(const Result<T>& result) {
  if (result.ok() || result.error().IsNotFound()) return {};
  return result.error();
}

}  // namespace kubexms

#define KUBEXMS_CONCAT_INNER(a, b) a##b
#define KUBEXMS_CONCAT(a, b) KUBEXMS_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)                               \
  if (auto kubexms_result = (expression); !kubexms_result.ok()) { \
    return kubexms_result.error();                                \
  }

#define ASSIGN_OR_RETURN_INNER(result, declaration, ...) \
  auto result = (__VA_ARGS__);                           \
  if (!result.ok()) return result.error();               \
  declaration = std::move(result).value()

// ASSIGN_OR_RETURN(auto pod, client.Get(key)): declares `pod`, or returns the error.
#define ASSIGN_OR_RETURN(declaration, ...) \
  ASSIGN_OR_RETURN_INNER(KUBEXMS_CONCAT(kubexms_result_, __LINE__), declaration, __VA_ARGS__)
