#include "kubexms/apiserver/decoding/strict_decoding.h"

#include <fmt/format.h>

#include <set>
#include <unordered_set>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/base/json/json_scanner.h"

namespace kubexms {
namespace {

class StrictDecoder {
 public:
  explicit StrictDecoder(std::string_view json) : in_(json) {}

  std::vector<std::string> Read(const Schema* schema) && {
    if (schema == nullptr) {
      ReadValue(Values::kAny, nullptr);
    } else {
      ReadRoot(*schema);
    }
    return std::move(errors_);
  }

 private:
  // How the decoder reads a value: by its schema, as any value, or not at all.
  enum class Values { kTyped, kAny, kSkipped };

  // Values that decode themselves, or are stored unchanged, have no fields to check.
  static Values HowToRead(const Schema& node) {
    const Schema& shape = node.Resolve();
    const bool by_itself = node.preserve_unknown_fields || shape.preserve_unknown_fields ||
                           shape.quantity || shape.int_or_string || shape.type == SchemaType::kAny;
    return by_itself ? Values::kSkipped : Values::kTyped;
  }

  void ReadRoot(const Schema& schema) {
    ReadObject([&](std::string_view key, bool again) {
      const Schema* property = schema.Resolve().FindProperty(key);
      if (property == nullptr && key == "metadata") property = &TypeOf<ObjectMeta>().schema;
      const bool type = key == "apiVersion" || key == "kind";
      ReadField(key, again, property, type ? Values::kSkipped : Values::kTyped);
    });
  }

  void ReadValue(Values values, const Schema* schema) {
    if (values == Values::kTyped) values = HowToRead(*schema);
    switch (in_.Peek()) {
      case '{': return ReadAnyObject(values, schema);
      case '[': return ReadList(values, schema);
      default: return SkipScalar();
    }
  }

  void ReadAnyObject(Values values, const Schema* schema) {
    ReadObject([&](std::string_view key, bool again) {
      if (values == Values::kSkipped) return ReadValue(values, nullptr);
      if (values == Values::kTyped && !schema->IsMap()) {
        return ReadField(key, again, schema->Resolve().FindProperty(key), Values::kTyped);
      }
      if (again) Report("duplicate", key);
      const Schema* below =
          values == Values::kAny ? nullptr : schema->Resolve().additional_properties;
      ReadBelow(fmt::format("{}{}", path_.empty() ? "" : ".", key), values, below);
    });
  }

  // A field of a struct. A field without a schema is unknown, unless the value is skipped.
  void ReadField(std::string_view key, bool again, const Schema* schema, Values values) {
    if (schema == nullptr && values == Values::kTyped) {
      Report("unknown", key);
      values = Values::kSkipped;
    } else if (again) {
      Report("duplicate", key);
    }
    ReadBelow(fmt::format("{}{}", path_.empty() ? "" : ".", key), values, schema);
  }

  void ReadList(Values values, const Schema* schema) {
    const Schema* items =
        values == Values::kTyped && schema != nullptr ? schema->Resolve().items : nullptr;
    if (values == Values::kTyped && items == nullptr) values = Values::kSkipped;
    size_t index = 0;
    for (bool more = in_.Enter('['); more; more = in_.Next(']')) {
      ReadBelow(fmt::format("[{}]", index++), values, items);
    }
  }

  void ReadBelow(std::string_view step, Values values, const Schema* schema) {
    const size_t length = path_.size();
    path_ += step;
    ReadValue(values, schema);
    path_.resize(length);
  }

  // Calls `read(key, again)` for each member; it must consume the value.
  template <class ReadMember>
  void ReadObject(ReadMember read) {
    if (in_.Peek() != '{') return SkipScalar();
    std::set<std::string, std::less<>> seen;
    for (bool more = in_.Enter('{'); more; more = in_.Next('}')) {
      std::string_view text;
      if (!in_.ReadKey(text)) return;
      const auto [key, first] = seen.emplace(text);
      read(*key, !first);
    }
  }

  void SkipScalar() {
    std::string_view text;
    bool truth = false;
    JsonScanner::Number number;
    switch (in_.Peek()) {
      case '"': (void)in_.ReadString(text); break;
      case 't':
      case 'f': (void)in_.ReadBool(truth); break;
      case 'n': (void)in_.ReadNull(); break;
      default: (void)in_.ReadNumber(number);
    }
  }

  void Report(std::string_view what, std::string_view key) {
    if (errors_.size() >= kMaxStrictErrors) return;
    std::string error = fmt::format(
        "{} field {}", what, Quoted(fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", key)));
    if (reported_.insert(error).second) errors_.push_back(std::move(error));
  }

  JsonScanner in_;
  std::string path_;
  std::vector<std::string> errors_;
  std::unordered_set<std::string> reported_;
};

}  // namespace

std::vector<std::string> FindStrictErrors(std::string_view json, const Schema* schema) {
  return StrictDecoder(json).Read(schema);
}

}  // namespace kubexms
