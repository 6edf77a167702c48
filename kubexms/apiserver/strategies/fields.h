#pragma once

// How the rules of built-in kinds walk over documents. A Field is a value, its path and the list
// that errors about it go to, so that a rule reads like a sentence:
//
//   const Field spec = object["spec"];
//   spec["replicas"].AtLeast(0);
//   const Field ports = spec["ports"];
//   for (const Field& port : ports.Items()) port["name"].MustBeLabel();
//
// and for changes there are the functions below: SetDefault, EnsureObject, ForEachObject.
//
// A member that is null counts as absent everywhere. Names with dots go down several levels.

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/names.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/type.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The value at "spec.template.spec", or null when it or anything above it is absent.
const Json* Find(const JsonObject& in, std::string_view dotted);
const JsonObject* FindObject(const JsonObject& in, std::string_view dotted);
JsonObject* FindObject(JsonObject& in, std::string_view dotted);
JsonArray* FindArray(JsonObject& in, std::string_view dotted);
// Empty, zero and false when absent.
std::string_view TextAt(const JsonObject& in, std::string_view dotted);
int64_t IntAt(const JsonObject& in, std::string_view dotted);
bool TrueAt(const JsonObject& in, std::string_view dotted);

// The object, made where it is absent.
JsonObject& EnsureObject(JsonObject& in, std::string_view dotted);
// Sets a member that is absent. True when it was.
bool SetDefault(JsonObject& in, std::string_view key, Json value);
// Copies what `from` has there, or removes the member when it has nothing.
void CopyMember(JsonObject& to, const JsonObject& from, std::string_view key);

// Calls `change` with each object of a list.
template <class Change>
void ForEachObject(JsonObject& in, std::string_view dotted, Change change) {
  JsonArray* list = FindArray(in, dotted);
  if (list == nullptr) return;
  for (Json& item : *list) {
    if (item.is_object()) change(item.get_object());
  }
}

// Whether two values mean the same: absent, null and empty ones are equal, as in Kubernetes.
bool SemanticEqual(const Json* a, const Json* b);
bool SameAt(const JsonObject& a, const JsonObject& b, std::string_view dotted);

// The strings of an object such as `labels`; empty when absent.
StringMap TextMap(const Json* object);

class Field {
 public:
  // The whole object.
  Field(const JsonObject& object, FieldErrors& errors) : object_(&object), errors_(&errors) {}
  // A value that stands at `path`, absent when null. The path is borrowed.
  Field(const Json* value, const FieldPath& path, FieldErrors& errors);

  // True when it is there.
  explicit operator bool() const { return object_ != nullptr || value_ != nullptr; }
  // Absent, or an empty text, list or object.
  bool empty() const { return size() == 0; }
  // Items of a list, members of an object, bytes of a text; 1 for other values.
  size_t size() const;

  // What is inside. The field that is asked must outlive the answer.
  Field operator[](std::string_view dotted) const&;
  Field operator[](std::string_view dotted) const&& = delete;
  // The item of a list, and what stands under a key of a map.
  Field Item(size_t index) const&;
  Field Entry(std::string_view key) const&;

  class ItemIterator {
   public:
    ItemIterator(const Field* list, size_t index) : list_(list), index_(index) {}
    Field operator*() const { return list_->Item(index_); }
    ItemIterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator!=(const ItemIterator& other) const { return index_ != other.index_; }

   private:
    const Field* list_;
    size_t index_;
  };
  struct ItemRange {
    const Field* list;
    ItemIterator begin() const { return {list, 0}; }
    ItemIterator end() const;
  };
  // The items of a list, none when it is absent.
  ItemRange Items() const& { return {this}; }
  ItemRange Items() const&& = delete;
  // The keys of a map, sorted.
  std::vector<std::string_view> Keys() const;

  std::string_view Text() const;
  int64_t Int(int64_t absent = 0) const;
  bool IsTrue() const;
  bool IsText() const { return value_ != nullptr && value_->is_string(); }
  Json ToJson() const;
  const Json* value() const { return value_; }
  const FieldPath& path() const { return path_; }
  FieldErrors& errors() const { return *errors_; }

  // What is wrong.
  void Required(std::string_view detail = {}) const;
  void Invalid(std::string_view detail) const { Invalid(ToJson(), detail); }
  void Invalid(const Json& shown, std::string_view detail) const;
  void InvalidWithoutValue(std::string_view detail) const;
  // With a value that is shown as it is written here: the JSON of one of Kubernetes' Go structs.
  void InvalidAs(std::string_view shown, std::string_view detail) const;
  void NotSupported(std::initializer_list<std::string_view> supported) const;
  void NotSupportedAs(std::string_view shown,
                      std::initializer_list<std::string_view> supported) const;
  void Duplicate() const { Duplicate(ToJson()); }
  void Duplicate(const Json& shown) const;
  void NotFound() const;
  void Forbidden(std::string_view detail) const;
  void TooLong(int64_t max_bytes) const;
  void TooMany(int64_t max_items) const;

  // Rules. Those that return something say whether the rule is kept.
  bool MustBeSet(std::string_view detail = {}) const;  // not empty
  void Accept(const Messages& problems) const;         // each is an error
  void MustBeLabel() const { Accept(ValidateDns1123Label(Text())); }
  void MustBeSubdomain() const { Accept(ValidateDns1123Subdomain(Text())); }
  void AtLeast(int64_t minimum) const;                                  // when it is there
  void Between(int64_t minimum, int64_t maximum) const;                 // when it is there
  void OneOf(std::initializer_list<std::string_view> supported) const;  // when it is not empty
  void SetAndOneOf(std::initializer_list<std::string_view> supported) const;
  // Also when it is empty.
  void MustBeOneOf(std::initializer_list<std::string_view> supported) const;
  bool SameAs(const Field& old) const;
  void Immutable(const Field& old, std::string_view detail = "field is immutable") const;
  // Immutable in every one of these members.
  void ImmutableMembers(const Field& old, std::initializer_list<std::string_view> names) const;

 private:
  const Json* Member(std::string_view dotted) const;

  const Json* value_ = nullptr;         // null for the whole object and for what is absent
  const JsonObject* object_ = nullptr;  // where the value is one
  FieldPath path_;
  FieldErrors* errors_;
};

// A list in which no two items may have the same text.
class UniqueTexts {
 public:
  // Reports the field when its text was seen before; empty texts do not count.
  bool Add(const Field& field);
  bool Contains(std::string_view text) const;
  void Insert(std::string_view text) { seen_.emplace(text); }

 private:
  std::set<std::string, std::less<>> seen_;
};

// Rules that several groups share.

// A label selector, where there is one: keys, operators and values.
void ValidateLabelSelector(const Field& selector);
// Labels or annotations of templates: keys and, for labels, values.
void ValidateLabels(const Field& labels);
void ValidateAnnotations(const Field& annotations);
// Whether a list of networks has at most one of IPv4 and one of IPv6.
bool IsOneOfEachFamily(const Field& ranges);
// "acme.io/foo": a domain and a path.
void ValidateDomainPrefixedPath(const Field& path);
// A port: "http" or 80.
void ValidatePortNumberOrName(const Field& port);
// "25%" or a number that is not negative.
void ValidatePositiveIntOrPercent(const Field& value);
// No more than 100 when it is a percentage.
void ValidateNotMoreThan100Percent(const Field& value);
// The number, or the number before '%'; -1 for anything else.
int64_t IntOrPercentValue(const Field& value);
// Whether there is something to select by: operators and values as they should be.
bool IsSelector(const Field& selector);
// True when the selector, as LabelSelector objects are written, is valid and matches the labels.
bool SelectorMatches(const Field& selector, const StringMap& labels);

// What the kinds of a group differ in without code.
struct KindTraits {
  bool has_status = false;
  bool counts_generations = false;
  bool allows_create_on_update = false;
  Messages (*validate_name)(std::string_view) = ValidateDns1123Subdomain;
};

class KindStrategy : public Strategy {
 public:
  explicit KindStrategy(const KindTraits& traits = {}) : traits_(traits) {}

  Messages ValidateName(std::string_view name) const override {
    return traits_.validate_name(name);
  }
  bool CountsGenerations() const override { return traits_.counts_generations; }
  bool HasStatus() const override { return traits_.has_status; }
  bool AllowsCreateOnUpdate() const override { return traits_.allows_create_on_update; }

 private:
  const KindTraits traits_;
};

// A kind of which some fields never change.
class FixedFieldsStrategy : public KindStrategy {
 public:
  FixedFieldsStrategy(const KindTraits& traits, std::vector<std::string_view> fixed)
      : KindStrategy(traits), fixed_(std::move(fixed)) {}

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override;

 private:
  const std::vector<std::string_view> fixed_;
};

// A name that can be part of a URL's path: not "." or "..", without '/' and '%'.
Messages ValidatePathSegmentName(std::string_view name);

}  // namespace kubexms
