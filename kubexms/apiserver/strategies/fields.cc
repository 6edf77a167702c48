#include "kubexms/apiserver/strategies/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kubexms/api/codec.h"
#include "kubexms/api/labels.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/values/quote.h"

namespace kubexms {
namespace {

// Bounds the response: a long list of invalid items has one error or more for each.
constexpr size_t kMaxErrors = 500;

// Splits "spec.template" into "spec" and "template".
std::pair<std::string_view, std::string_view> SplitFirst(std::string_view dotted) {
  const size_t dot = dotted.find('.');
  if (dot == std::string_view::npos) return {dotted, {}};
  return {dotted.substr(0, dot), dotted.substr(dot + 1)};
}

const Json* PresentMember(const JsonObject& in, std::string_view key) {
  const Json* value = in.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool IsEmptyValue(const Json* value) {
  if (value == nullptr || value->is_null()) return true;
  if (value->is_object()) return value->get_object().empty();
  if (value->is_array()) return value->get_array().empty();
  return value->is_string() && value->get_string().empty();
}

bool SameMembers(const JsonObject& a, const JsonObject& b) {
  const auto same_in = [](const JsonObject& one, const JsonObject& other) {
    return std::all_of(one.begin(), one.end(), [&](const JsonObject::value_type& member) {
      return SemanticEqual(&member.value(), other.if_contains(member.key()));
    });
  };
  return same_in(a, b) && std::all_of(b.begin(), b.end(), [&](const auto& member) {
           return a.contains(member.key()) || IsEmptyValue(&member.value());
         });
}

bool SameItems(const JsonArray& a, const JsonArray& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Json& x, const Json& y) { return SemanticEqual(&x, &y); });
}

}  // namespace

const Json* Find(const JsonObject& in, std::string_view dotted) {
  const auto [first, rest] = SplitFirst(dotted);
  const Json* value = PresentMember(in, first);
  if (value == nullptr || rest.empty()) return value;
  return value->is_object() ? Find(value->get_object(), rest) : nullptr;
}

const JsonObject* FindObject(const JsonObject& in, std::string_view dotted) {
  const Json* value = Find(in, dotted);
  return value == nullptr ? nullptr : value->if_object();
}

JsonObject* FindObject(JsonObject& in, std::string_view dotted) {
  return const_cast<JsonObject*>(FindObject(std::as_const(in), dotted));
}

JsonArray* FindArray(JsonObject& in, std::string_view dotted) {
  const Json* value = Find(in, dotted);
  return value == nullptr ? nullptr : const_cast<JsonArray*>(value->if_array());
}

std::string_view TextAt(const JsonObject& in, std::string_view dotted) {
  const Json* value = Find(in, dotted);
  return value == nullptr || !value->is_string() ? std::string_view{} : AsView(value->get_string());
}

int64_t IntAt(const JsonObject& in, std::string_view dotted) {
  const Json* value = Find(in, dotted);
  return value == nullptr || !value->is_int64() ? 0 : value->get_int64();
}

bool TrueAt(const JsonObject& in, std::string_view dotted) {
  const Json* value = Find(in, dotted);
  return value != nullptr && value->is_bool() && value->get_bool();
}

JsonObject& EnsureObject(JsonObject& in, std::string_view dotted) {
  const auto [first, rest] = SplitFirst(dotted);
  Json& value = in[first];
  if (!value.is_object()) value.emplace_object();
  return rest.empty() ? value.get_object() : EnsureObject(value.get_object(), rest);
}

bool SetDefault(JsonObject& in, std::string_view key, Json value) {
  if (PresentMember(in, key) != nullptr) return false;
  in[key] = std::move(value);
  return true;
}

void CopyMember(JsonObject& to, const JsonObject& from, std::string_view key) {
  if (const Json* value = PresentMember(from, key)) {
    to[key] = *value;
  } else {
    to.erase(key);
  }
}

bool SemanticEqual(const Json* a, const Json* b) {
  if (IsEmptyValue(a) || IsEmptyValue(b)) return IsEmptyValue(a) && IsEmptyValue(b);
  if (a->is_object() && b->is_object()) return SameMembers(a->get_object(), b->get_object());
  if (a->is_array() && b->is_array()) return SameItems(a->get_array(), b->get_array());
  return JsonEqual(*a, *b);
}

bool SameAt(const JsonObject& a, const JsonObject& b, std::string_view dotted) {
  return SemanticEqual(Find(a, dotted), Find(b, dotted));
}

StringMap TextMap(const Json* object) {
  StringMap map;
  if (object == nullptr || !object->is_object()) return map;
  for (const auto& member : object->get_object()) {
    if (member.value().is_string())
      map.emplace(std::string(member.key()), std::string(AsView(member.value().get_string())));
  }
  return map;
}

Field::Field(const Json* value, const FieldPath& path, FieldErrors* errors)
    : value_(value != nullptr && value->is_null() ? nullptr : value),
      object_(value_ == nullptr ? nullptr : value_->if_object()),
      path_(path),
      errors_(errors) {}

bool Field::CanReport() const { return errors_ != nullptr && errors_->size() < kMaxErrors; }

size_t Field::size() const {
  if (object_ != nullptr) return object_->size();
  if (value_ == nullptr) return 0;
  if (value_->is_array()) return value_->get_array().size();
  return value_->is_string() ? value_->get_string().size() : 1;
}

const Json* Field::Member(std::string_view dotted) const {
  return object_ == nullptr ? nullptr : Find(*object_, dotted);
}

Field Field::operator[](std::string_view dotted) const& {
  return {Member(dotted), path_.Child(dotted), errors_};
}

Field Field::Item(size_t index) const& {
  return {&value_->get_array()[index], path_.Index(index), errors_};
}

Field Field::Entry(std::string_view key) const& {
  return {object_ == nullptr ? nullptr : object_->if_contains(key), path_.Key(key), errors_};
}

Field::ItemIterator Field::ItemRange::end() const {
  const bool is_list = list->value_ != nullptr && list->value_->is_array();
  return {list, is_list ? list->value_->get_array().size() : 0};
}

std::vector<std::string_view> Field::Keys() const {
  std::vector<std::string_view> keys;
  if (object_ == nullptr) return keys;
  for (const auto& member : *object_) keys.emplace_back(member.key().data(), member.key().size());
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::string_view Field::Text() const {
  return IsText() ? AsView(value_->get_string()) : std::string_view{};
}

int64_t Field::Int(int64_t absent) const {
  if (value_ == nullptr || !value_->is_number()) return absent;
  return value_->is_int64() ? value_->get_int64()
                            : static_cast<int64_t>(value_->to_number<double>());
}

bool Field::IsTrue() const { return value_ != nullptr && value_->is_bool() && value_->get_bool(); }

Json Field::ToJson() const {
  if (value_ != nullptr) return *value_;
  return object_ != nullptr ? Json(*object_) : Json("");
}

void Field::Required(std::string_view detail) const {
  if (CanReport()) errors_->push_back(kubexms::Required(path_, detail));
}
void Field::Invalid(const Json& shown, std::string_view detail) const {
  if (CanReport()) errors_->push_back(kubexms::Invalid(path_, shown, detail));
}
void Field::NotSupported(std::initializer_list<std::string_view> supported) const {
  if (CanReport()) errors_->push_back(kubexms::NotSupported(path_, ToJson(), supported));
}
void Field::InvalidAs(std::string_view shown, std::string_view detail) const {
  if (!CanReport()) return;
  ErrorCause cause = kubexms::Invalid(path_, Json(0), detail);
  cause.message = fmt::format("Invalid value: {}: {}", shown, detail);
  errors_->push_back(std::move(cause));
}
void Field::InvalidWithoutValue(std::string_view detail) const {
  if (!CanReport()) return;
  ErrorCause cause = kubexms::Invalid(path_, Json(0), detail);
  cause.message = fmt::format("Invalid value: {}", detail);
  errors_->push_back(std::move(cause));
}
void Field::NotSupportedAs(std::string_view shown,
                           std::initializer_list<std::string_view> supported) const {
  if (!CanReport()) return;
  ErrorCause cause = kubexms::NotSupported(path_, Json(0), supported);
  const size_t end = cause.message.find(": supported values");
  cause.message = fmt::format("Unsupported value: {}{}", shown, cause.message.substr(end));
  errors_->push_back(std::move(cause));
}
void Field::Duplicate(const Json& shown) const {
  if (CanReport()) errors_->push_back(kubexms::Duplicate(path_, shown));
}
void Field::NotFound() const {
  if (CanReport()) errors_->push_back(kubexms::NotFound(path_, ToJson()));
}
void Field::Forbidden(std::string_view detail) const {
  if (CanReport()) errors_->push_back(kubexms::Forbidden(path_, detail));
}
void Field::TooLong(int64_t max_bytes) const {
  if (CanReport()) errors_->push_back(kubexms::TooLong(path_, max_bytes));
}
void Field::TooMany(int64_t max_items) const {
  if (CanReport())
    errors_->push_back(kubexms::TooMany(path_, static_cast<int64_t>(size()), max_items));
}

bool Field::MustBeSet(std::string_view detail) const {
  if (!empty()) return true;
  Required(detail);
  return false;
}

void Field::Report(const Messages& problems) const {
  for (const std::string& problem : problems) Invalid(problem);
}

void Field::AtLeast(int64_t minimum) const {
  if (value_ == nullptr || !value_->is_number() || Int() >= minimum) return;
  Invalid(fmt::format("must be greater than or equal to {}", minimum));
}

void Field::Between(int64_t minimum, int64_t maximum) const {
  if (value_ == nullptr || !value_->is_number()) return;
  if (Int() >= minimum && Int() <= maximum) return;
  Invalid(fmt::format("must be between {} and {}, inclusive", minimum, maximum));
}

void Field::OneOf(std::initializer_list<std::string_view> supported) const {
  if (empty()) return;
  if (std::find(supported.begin(), supported.end(), Text()) == supported.end())
    NotSupported(supported);
}

void Field::SetAndOneOf(std::initializer_list<std::string_view> supported) const {
  if (MustBeSet()) OneOf(supported);
}

void Field::MustBeOneOf(std::initializer_list<std::string_view> supported) const {
  if (std::find(supported.begin(), supported.end(), Text()) == supported.end())
    NotSupported(supported);
}

bool Field::SameAs(const Field& old) const {
  if (value_ == nullptr && object_ != nullptr && old.object_ != nullptr)
    return SameMembers(*object_, *old.object_);
  return SemanticEqual(value_, old.value_);
}

void Field::Immutable(const Field& old, std::string_view detail) const {
  if (!SameAs(old)) Invalid(detail);
}

void Field::ImmutableMembers(const Field& old,
                             std::initializer_list<std::string_view> names) const {
  for (std::string_view name : names) (*this)[name].Immutable(old[name]);
}

bool UniqueTexts::Add(const Field& field) {
  const std::string_view text = field.Text();
  if (text.empty()) return true;
  if (Contains(text)) {
    field.Duplicate();
    return false;
  }
  seen_.emplace(text);
  return true;
}

bool UniqueTexts::Contains(std::string_view text) const { return seen_.contains(text); }

namespace {

void ValidateSelectorRequirement(const Field& requirement) {
  const Field values = requirement["values"];
  const Field op = requirement["operator"];
  if (op.Text() == "In" || op.Text() == "NotIn") {
    if (values.empty()) values.Required("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op.Text() == "Exists" || op.Text() == "DoesNotExist") {
    if (!values.empty())
      values.Forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else {
    op.Invalid("not a valid selector operator");
  }
  const Field key = requirement["key"];
  key.Report(ValidateQualifiedName(key.Text()));
  for (const Field& value : values.Items()) value.Report(ValidateLabelValue(value.Text()));
}

}  // namespace

void ValidateLabelSelector(const Field& selector) {
  if (!selector) return;
  const Field labels = selector["matchLabels"];
  ValidateLabels(labels);
  const Field expressions = selector["matchExpressions"];
  for (const Field& requirement : expressions.Items()) ValidateSelectorRequirement(requirement);
}

void ValidateLabels(const Field& labels) {
  for (std::string_view key : labels.Keys()) {
    for (const std::string& problem : ValidateQualifiedName(key))
      labels.Invalid(Json(key), problem);
    const std::string_view value = labels.Entry(key).Text();
    for (const std::string& problem : ValidateLabelValue(value))
      labels.Invalid(Json(value), problem);
  }
}

void ValidateAnnotations(const Field& annotations) {
  for (std::string_view key : annotations.Keys()) {
    for (const std::string& problem : ValidateAnnotationKey(key))
      annotations.Invalid(Json(key), problem);
  }
  if (!ValidateAnnotationsSize(TextMap(annotations.value())).empty())
    annotations.TooLong(kMaxAnnotationsSize);
}

bool IsOneOfEachFamily(const Field& ranges) {
  size_t v6 = 0;
  for (const Field& range : ranges.Items()) {
    if (range.Text().find(':') != std::string_view::npos) ++v6;
  }
  return v6 <= 1 && ranges.size() - v6 <= 1;
}

void ValidateDomainPrefixedPath(const Field& path) {
  if (!path.MustBeSet()) return;
  const std::string_view text = path.Text();
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size())
    return path.Invalid("must be a domain-prefixed path (such as \"acme.io/foo\")");
  const std::string_view domain = text.substr(0, slash);
  for (const std::string& problem : ValidateDns1123Subdomain(domain))
    path.Invalid(Json(domain), problem);
}

void ValidatePortNumberOrName(const Field& port) {
  if (port.IsText()) {
    port.Report(ValidatePortName(port.Text()));
  } else {
    port.Report(ValidatePortNumber(port.Int()));
  }
}

void ValidatePositiveIntOrPercent(const Field& value) {
  if (!value) return;
  if (value.IsText()) {
    value.Report(ValidatePercent(value.Text()));
  } else {
    value.AtLeast(0);
  }
}

int64_t IntOrPercentValue(const Field& value) {
  if (!value.IsText()) return value.Int();
  std::string_view text = value.Text();
  if (!text.ends_with('%')) return -1;
  text.remove_suffix(1);
  int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

void ValidateNotMoreThan100Percent(const Field& value) {
  if (value.IsText() && IntOrPercentValue(value) > 100)
    value.Invalid("must not be greater than 100%");
}

namespace {

Result<Selector> CompileSelector(const Field& selector) {
  ASSIGN_OR_RETURN(const LabelSelector described,
                   Decode<LabelSelector>(WriteJson(selector.ToJson())));
  return Selector::From(described);
}

}  // namespace

bool IsSelector(const Field& selector) { return CompileSelector(selector).ok(); }

bool SelectorMatches(const Field& selector, const StringMap& labels) {
  if (!selector) return false;
  const Result<Selector> compiled = CompileSelector(selector);
  return compiled.ok() && compiled->Matches(labels);
}

FieldSet FieldsAt(std::initializer_list<std::string_view> dotted) {
  FieldSet set;
  for (const std::string_view path : dotted) {
    const size_t dot = path.find('.');
    std::vector<PathElement> elements{PathElement::Field(path.substr(0, dot))};
    if (dot != std::string_view::npos) {
      elements.push_back(PathElement::Field(path.substr(dot + 1)));
    }
    set.Insert(elements);
  }
  return set;
}

const FieldSet& SpecAndMetadataFields() {
  static const FieldSet kFields = FieldsAt({"spec", "data", "metadata"});
  return kFields;
}

std::vector<std::string_view> KindStrategy::MetadataRetainedByStatus() const {
  if (!traits_.status_retains_metadata) return {};
  return {kClientMetadata.begin(), kClientMetadata.end()};
}

const FieldSet& KindStrategy::FieldsResetByStatus() const {
  return traits_.status_retains_metadata ? SpecAndMetadataFields()
                                         : Strategy::FieldsResetByStatus();
}

void ImmutableFieldsStrategy::ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                                             FieldErrors& errors) const {
  FieldErrors ignored;
  const Field root(object, errors);
  const Field old(old_object);
  for (std::string_view name : fixed_) root[name].Immutable(old[name]);
}

Messages ValidatePathSegmentName(std::string_view name) {
  if (name == "." || name == "..") return {fmt::format("may not be '{}'", name)};
  Messages problems;
  for (std::string_view part : {"/", "%"}) {
    if (name.find(part) != std::string_view::npos)
      problems.push_back(fmt::format("may not contain '{}'", part));
  }
  return problems;
}

}  // namespace kubexms
