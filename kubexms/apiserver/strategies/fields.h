#pragma once

// Access to documents for the rules of built-in kinds. A Field is a value, its path, and the list
// that receives its errors, so a rule is one expression:
//
//   const Field spec = object["spec"];
//   spec["replicas"].AtLeast(0);
//   const Field ports = spec["ports"];
//   for (const Field& port : ports.Items()) port["name"].MustBeLabel();
//
// SetDefault, EnsureObject and ForEachObject below change documents.
//
// A null member counts as absent. Dots in a name separate levels.

#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/names.h"
#include "kubexms/api/patch/field_set.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/type.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

// The value at "spec.template.spec"; null if any part of the path is absent.
const Json* Find(const JsonObject& in, std::string_view dotted);
const JsonObject* FindObject(const JsonObject& in, std::string_view dotted);
JsonObject* FindObject(JsonObject& in, std::string_view dotted);
JsonArray* FindArray(JsonObject& in, std::string_view dotted);
// Empty, zero and false if absent.
std::string_view TextAt(const JsonObject& in, std::string_view dotted);
int64_t IntAt(const JsonObject& in, std::string_view dotted);
bool TrueAt(const JsonObject& in, std::string_view dotted);

// The object at that path; created if absent.
JsonObject& EnsureObject(JsonObject& in, std::string_view dotted);
// Sets the member if it is absent. Returns true if it was.
bool SetDefault(JsonObject& in, std::string_view key, Json value);
// Copies the member from `from`; removes it if `from` does not have it.
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

// Whether two values are semantically equal: absent, null and empty values are equal, as in
// Kubernetes.
bool SemanticEqual(const Json* a, const Json* b);
bool SameAt(const JsonObject& a, const JsonObject& b, std::string_view dotted);

// The strings of an object such as `labels`; empty if absent.
StringMap TextMap(const Json* object);

class Field {
 public:
  // The whole object.
  Field(const JsonObject& object, FieldErrors& errors) : object_(&object), errors_(&errors) {}
  // A stored object, which new values are compared with: errors about it are dropped.
  explicit Field(const JsonObject& stored) : object_(&stored) {}
  // A value at `path`, absent when null. The path is borrowed.
  Field(const Json* value, const FieldPath& path, FieldErrors& errors)
      : Field(value, path, &errors) {}

  // True when present.
  explicit operator bool() const { return object_ != nullptr || value_ != nullptr; }
  // Absent, or an empty string, list or object.
  bool empty() const { return size() == 0; }
  // The items of a list, members of an object, bytes of a string; 1 for other values.
  size_t size() const;

  // The member. This field must outlive the result.
  Field operator[](std::string_view dotted) const&;
  Field operator[](std::string_view dotted) const&& = delete;
  // The item of a list, and the value of a key of a map.
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
  // The items of a list; none if absent.
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
  // Not for a stored object.
  FieldErrors& errors() const { return *errors_; }

  // Report an error about this field.
  void Required(std::string_view detail = {}) const;
  void Invalid(std::string_view detail) const { Invalid(ToJson(), detail); }
  void Invalid(const Json& shown, std::string_view detail) const;
  void InvalidWithoutValue(std::string_view detail) const;
  // Shows the value as the text `shown`: the JSON of one of Kubernetes' Go structs.
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

  // Rules. Those that return a bool return true when the value is valid.
  bool MustBeSet(std::string_view detail = {}) const;  // not empty
  void Report(const Messages& messages) const;         // reports each message
  void MustBeLabel() const { Report(ValidateDns1123Label(Text())); }
  void MustBeSubdomain() const { Report(ValidateDns1123Subdomain(Text())); }
  void AtLeast(int64_t minimum) const;                                  // if present
  void Between(int64_t minimum, int64_t maximum) const;                 // if present
  void OneOf(std::initializer_list<std::string_view> supported) const;  // if not empty
  void SetAndOneOf(std::initializer_list<std::string_view> supported) const;
  // As OneOf, also if empty.
  void MustBeOneOf(std::initializer_list<std::string_view> supported) const;
  bool SameAs(const Field& old) const;
  void Immutable(const Field& old, std::string_view detail = "field is immutable") const;
  // Each of these members is immutable.
  void ImmutableMembers(const Field& old, std::initializer_list<std::string_view> names) const;

 private:
  Field(const Json* value, const FieldPath& path, FieldErrors* errors);
  const Json* Member(std::string_view dotted) const;
  bool CanReport() const;

  const Json* value_ = nullptr;         // null for the whole object and for absent values
  const JsonObject* object_ = nullptr;  // set when the value is an object
  FieldPath path_;
  FieldErrors* errors_ = nullptr;  // null: errors are dropped
};

// Detects items of a list with the same text.
class UniqueTexts {
 public:
  // Reports a duplicate when the text was added before; ignores empty texts.
  bool Add(const Field& field);
  bool Contains(std::string_view text) const;
  void Insert(std::string_view text) { seen_.emplace(text); }

 private:
  std::set<std::string, std::less<>> seen_;
};

// Validates keys, operators and values of a label selector, if present.
void ValidateLabelSelector(const Field& selector);
// Validate labels and annotations of templates.
void ValidateLabels(const Field& labels);
void ValidateAnnotations(const Field& annotations);
// Whether a list of networks has at most one IPv4 and one IPv6 network.
bool IsOneOfEachFamily(const Field& ranges);
// A domain and a path: "acme.io/foo".
void ValidateDomainPrefixedPath(const Field& path);
// "http" or 80.
void ValidatePortNumberOrName(const Field& port);
// "25%" or a number that is not negative.
void ValidatePositiveIntOrPercent(const Field& value);
// At most 100 if it is a percentage.
void ValidateNotMoreThan100Percent(const Field& value);
// The number, or the number before '%'; -1 for anything else.
int64_t IntOrPercentValue(const Field& value);
// Whether the selector is valid and has at least one requirement.
bool IsSelector(const Field& selector);
// Whether a LabelSelector is valid and matches the labels.
bool SelectorMatches(const Field& selector, const StringMap& labels);

// The set of the fields at these paths, of one or two names: "spec", "metadata.labels".
FieldSet FieldsAt(std::initializer_list<std::string_view> dotted);
// "spec", "data" and "metadata".
const FieldSet& SpecAndMetadataFields();

// What the kinds of a group differ in without code.
struct KindTraits {
  bool has_status = false;
  bool counts_generations = false;
  bool allows_create_on_update = false;
  // Updates of /status retain the metadata that clients write.
  bool status_retains_metadata = false;
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
  std::vector<std::string_view> MetadataRetainedByStatus() const override;
  const FieldSet& FieldsResetByStatus() const override;

 private:
  const KindTraits traits_;
};

// A kind with immutable fields.
class ImmutableFieldsStrategy : public KindStrategy {
 public:
  ImmutableFieldsStrategy(const KindTraits& traits, std::vector<std::string_view> fixed)
      : KindStrategy(traits), fixed_(std::move(fixed)) {}

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override;

 private:
  const std::vector<std::string_view> fixed_;
};

// A name that can be a segment of a URL path: not "." or "..", without '/' and '%'.
Messages ValidatePathSegmentName(std::string_view name);

}  // namespace kubexms
