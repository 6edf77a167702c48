#pragma once

// A value inside an object that is being printed. Printers read fields that are often absent, at
// any depth: a JsonView of an absent or null value, or of another type, acts as an empty value, so
// a printer is a list of the fields it shows:
//
//   pod["status"]["containerStatuses"].Items()
//
// Views borrow from a JsonReader and are valid as long as its document. Only printers include this.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/base/json/json_reader.h"

namespace kubexms {

class JsonView {
 public:
  JsonView() = default;  // an absent value
  explicit JsonView(simdjson::dom::element element)
      : element_(element), present_(!element.is_null()) {}

  explicit operator bool() const { return present_; }

  // The member of an object.
  JsonView operator[](std::string_view key) const {
    simdjson::dom::element member;
    if (!present_ || element_.at_key(key).get(member) != simdjson::SUCCESS) return {};
    return JsonView(member);
  }

  std::string_view Text(std::string_view fallback = {}) const { return Get(fallback); }
  int64_t Number(int64_t fallback = 0) const { return Get(fallback); }
  bool Bool(bool fallback = false) const { return Get(fallback); }
  // Text unchanged, other scalars as JSON.
  std::string ToText(std::string_view fallback = {}) const;

  // The number of items or members.
  size_t size() const;
  bool empty() const { return size() == 0; }
  std::vector<JsonView> Items() const;
  std::vector<std::pair<std::string_view, JsonView>> Members() const;

  bool IsText() const { return present_ && element_.is_string(); }
  bool IsNumber() const { return present_ && element_.is_number(); }
  bool IsBool() const { return present_ && element_.is_bool(); }
  double AsDouble() const { return Get(0.0); }

  // Appends the value as JSON; null if absent.
  void AppendTo(TextBuffer& out) const;

 private:
  template <class T>
  T Get(T fallback) const {
    T value;
    return present_ && element_.get(value) == simdjson::SUCCESS ? value : fallback;
  }

  simdjson::dom::element element_;
  bool present_ = false;
};

}  // namespace kubexms
