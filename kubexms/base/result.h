#pragma once

// Result<T> is a value or an Error: a subset of std::expected. Functions that can fail return a
// Result instead of throwing, and the compiler warns about ignored results.
//
//   Result<Config> Load(const std::string& path) {
//     ASSIGN_OR_RETURN(std::string text, ReadFile(path));
//     RETURN_IF_ERROR(CheckVersion(text));
//     return ParseConfig(text);
//   }

#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "kubexms/base/check.h"
#include "kubexms/base/error.h"

namespace kubexms {

template <class T = void>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // A default value, constructed in place: for large values that are assigned afterwards.
  Result() : ok_(true), value_() {}
  Result(T value) : ok_(true), value_(std::move(value)) {}
  Result(Error error) : ok_(false), error_(std::move(error)) {}
  Result(const Result& other) requires std::is_copy_constructible_v<T> : ok_(other.ok_) {
    if (ok_) {
      new (&value_) T(other.value_);
    } else {
      new (&error_) Error(other.error_);
    }
  }
  Result(Result&& other) noexcept : ok_(other.ok_) {
    if (ok_) {
      new (&value_) T(std::move(other.value_));
    } else {
      new (&error_) Error(std::move(other.error_));
    }
  }
  Result& operator=(Result other) noexcept {
    this->~Result();
    return *new (this) Result(std::move(other));
  }
  ~Result() {
    if (ok_) {
      value_.~T();
    } else {
      error_.~Error();
    }
  }

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok(); }

  // Reading the value of a failed result is a bug: the check fails (check.h).
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
    return error_;
  }

 private:
  T* Checked() {
    KUBEXMS_CHECK(ok());
    return &value_;
  }

  // Not a std::variant, which instantiates fifty functions for each of hundreds of types.
  bool ok_;
  union {
    T value_;
    Error error_;
  };
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

// Converts NotFound into success; returns other errors.
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
