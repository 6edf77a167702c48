#include "kubexms/api/schema/type.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "kubexms/base/mutex.h"

namespace kubexms {
namespace {

// Descriptions are built rarely and once; one lock for all of them makes cycles simple.
Mutex& BuildMutex() {
  static Mutex mutex;
  return mutex;
}

Schema* NewFieldSchema(const TypeInfo& type) {
  auto* schema = new Schema;
  if (type.kind == TypeKind::kStruct) {
    schema->ref = &type.schema;
    schema->type = SchemaType::kObject;
  } else {
    *schema = type.schema;
  }
  return schema;
}

void SetName(FieldInfo& field, std::string_view name) {
  field.name = name;
  field.key = QuoteJson(name) + ":";
  const size_t size = std::min<size_t>(name.size() + 1, 8);
  std::memcpy(&field.prefix, field.key.data() + 1, size);
  std::memset(&field.prefix_mask, 0xFF, size);
}

Absence AbsenceOf(const FieldInfo& field) {
  if (field.type == nullptr || field.required) return Absence::kNever;
  switch (field.type->kind) {
    case TypeKind::kBoxed:
    case TypeKind::kInt64:
    case TypeKind::kDouble: return Absence::kZeroWord;
    case TypeKind::kBool: return Absence::kFalse;
    case TypeKind::kString: return Absence::kEmptyString;
    default: return Absence::kOther;
  }
}

ZeroPresence DefaultPresence(const FieldInfo& field) {
  const TypeKind kind = field.type->kind;
  if (kind == TypeKind::kOptional || kind == TypeKind::kBoxed) return ZeroPresence::kPointer;
  const bool time = kind == TypeKind::kScalar && field.type->schema.format == "date-time";
  const bool written = field.required || kind == TypeKind::kStruct || time;
  return written ? ZeroPresence::kWritten : ZeroPresence::kOmitted;
}

void IndexProtobufNumbers(TypeInfo& info) {
  std::vector<uint8_t>& index = info.fields_by_protobuf_number;
  for (size_t i = 0; i < info.fields.size(); ++i) {
    if (info.fields[i].protobuf_number) index.push_back(static_cast<uint8_t>(i));
  }
  std::sort(index.begin(), index.end(), [&](uint8_t a, uint8_t b) {
    return info.fields[a].protobuf_number < info.fields[b].protobuf_number;
  });
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace

void Struct::Delete::operator()(UnknownFields* fields) const noexcept { delete fields; }

Struct::Pointer Struct::Make(const UnknownFields& fields) {
  return Pointer(new UnknownFields(fields));
}

std::string KindName::ApiVersion() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string KindName::Singular() const { return Lower(kind); }

std::string KindName::Plural() const {
  if (!plural.empty()) return std::string(plural);
  std::string name = Lower(kind);
  const auto ends_with = [&](std::string_view end) { return name.ends_with(end); };
  if (ends_with("s") || ends_with("x") || ends_with("ch") || ends_with("sh")) return name + "es";
  if (ends_with("y") && name.size() > 1 &&
      std::string_view("aeiou").find(name[name.size() - 2]) == std::string_view::npos) {
    name.back() = 'i';
    return name + "es";
  }
  return name + "s";
}

const FieldInfo* TypeInfo::FindField(std::string_view name) const {
  const auto it = std::lower_bound(
      fields.begin(), fields.end(), name,
      [](const FieldInfo& field, std::string_view wanted) { return field.name < wanted; });
  return it != fields.end() && it->name == name ? &*it : nullptr;
}

size_t ProtobufNumber::Depth() const {
  return static_cast<size_t>(std::find(path.begin(), path.end(), 0) - path.begin());
}

ProtobufNumber ProtobufNumber::Child(uint64_t number) const {
  const size_t depth = Depth();
  if (number > UINT8_MAX || depth == path.size()) return {};
  ProtobufNumber child = *this;
  child.path[depth] = static_cast<uint8_t>(number);
  return child;
}

bool ProtobufNumber::StartsWith(ProtobufNumber message) const {
  return std::equal(path.begin(), path.begin() + static_cast<ptrdiff_t>(message.Depth()),
                    message.path.begin());
}

const FieldInfo* TypeInfo::FindField(ProtobufNumber number) const {
  const auto it = std::lower_bound(
      fields_by_protobuf_number.begin(), fields_by_protobuf_number.end(), number,
      [&](uint8_t index, ProtobufNumber wanted) { return fields[index].protobuf_number < wanted; });
  if (!number || it == fields_by_protobuf_number.end()) return nullptr;
  const FieldInfo& field = fields[*it];
  return field.protobuf_number.StartsWith(number) ? &field : nullptr;
}

FieldBuilder& FieldBuilder::Required() {
  field_.required = true;
  owner_.schema.required.push_back(field_.name);
  return *this;
}

FieldBuilder& FieldBuilder::Immutable() {
  schema_.immutable = true;
  return *this;
}

FieldBuilder& FieldBuilder::Nullable() {
  schema_.nullable = true;
  return *this;
}

FieldBuilder& FieldBuilder::Default(bool value) {
  schema_.default_value = Json(value);
  return *this;
}

FieldBuilder& FieldBuilder::Default(int value) {
  schema_.default_value = Json(value);
  return *this;
}

FieldBuilder& FieldBuilder::Default(const char* value) {
  schema_.default_value = Json(std::string_view(value));
  return *this;
}

FieldBuilder& FieldBuilder::DefaultJson(std::string_view json) {
  Result<Json> value = ParseJson(json);
  KUBEXMS_CHECK(value.ok());
  schema_.default_value = std::move(value).value();
  return *this;
}

FieldBuilder& FieldBuilder::Enum(std::initializer_list<std::string_view> values) {
  Schema* target = &schema_;
  if (schema_.type == SchemaType::kArray) {
    target = new Schema(*schema_.items);
    schema_.items = target;
  }
  for (std::string_view value : values) target->enum_values.emplace_back(value);
  return *this;
}

FieldBuilder& FieldBuilder::Minimum(double value) {
  schema_.minimum = value;
  return *this;
}

FieldBuilder& FieldBuilder::Maximum(double value) {
  schema_.maximum = value;
  return *this;
}

FieldBuilder& FieldBuilder::MinLength(int64_t value) {
  schema_.min_length = value;
  return *this;
}

FieldBuilder& FieldBuilder::MaxLength(int64_t value) {
  schema_.max_length = value;
  return *this;
}

FieldBuilder& FieldBuilder::Pattern(std::string_view regex) {
  schema_.pattern = regex;
  return *this;
}

FieldBuilder& FieldBuilder::MinItems(int64_t value) {
  schema_.min_items = value;
  return *this;
}

FieldBuilder& FieldBuilder::MaxItems(int64_t value) {
  schema_.max_items = value;
  return *this;
}

FieldBuilder& FieldBuilder::Format(std::string_view format) {
  schema_.format = format;
  return *this;
}

FieldBuilder& FieldBuilder::PreserveUnknownFields() {
  schema_.preserve_unknown_fields = true;
  return *this;
}

FieldBuilder& FieldBuilder::ListAtomic() {
  schema_.list_type = ListType::kAtomic;
  schema_.list_type_given = true;
  return *this;
}

FieldBuilder& FieldBuilder::ListSet() {
  schema_.list_type = ListType::kSet;
  schema_.list_type_given = true;
  return *this;
}

FieldBuilder& FieldBuilder::ListMap(std::initializer_list<std::string_view> keys) {
  schema_.list_type = ListType::kMap;
  schema_.list_type_given = true;
  schema_.list_map_keys.assign(keys.begin(), keys.end());
  return *this;
}

FieldBuilder& FieldBuilder::MapAtomic() {
  schema_.map_atomic = true;
  return *this;
}

FieldBuilder& FieldBuilder::PatchMerge(std::string_view merge_key) {
  schema_.patch_strategy = PatchStrategy::kMerge;
  schema_.patch_merge_key = merge_key;
  return *this;
}

FieldBuilder& FieldBuilder::PatchRetainKeys() {
  schema_.patch_strategy = PatchStrategy::kRetainKeys;
  return *this;
}

FieldBuilder& FieldBuilder::PatchMergeRetainKeys(std::string_view merge_key) {
  schema_.patch_strategy = PatchStrategy::kMergeRetainKeys;
  schema_.patch_merge_key = merge_key;
  return *this;
}

FieldBuilder& FieldBuilder::SetZeroPresence(ZeroPresence presence) {
  field_.zero_presence = presence;
  return *this;
}

FieldBuilder& FieldBuilder::ProtobufAs(ProtobufForm form) {
  field_.protobuf_form = form;
  return *this;
}

FieldBuilder& FieldBuilder::Column(std::string_view title, int priority) {
  schema_.column = title;
  schema_.column_priority = priority;
  return *this;
}

namespace type_internal {

// A type can contain itself through a list or an Optional, and is then referenced during its own
// build. For a struct the incomplete description is enough: the caller needs only its address and
// kind. The list or Optional must be complete, and is built immediately.
const TypeInfo* Reference(LazyType& type) {
  struct InProgress {
    const LazyType* type;
    const TypeInfo* info;
  };
  static std::vector<InProgress> in_progress;  // guarded by BuildMutex()

  if (type.info != nullptr) return type.info;
  for (const InProgress& build : in_progress) {
    if (build.type == &type && build.info->kind == TypeKind::kStruct) return build.info;
  }
  auto info = std::make_unique<TypeInfo>();
  in_progress.push_back({&type, info.get()});
  type.build(*info);
  in_progress.pop_back();
  if (type.info == nullptr) type.info = info.release();
  return type.info;
}

const TypeInfo& Built(LazyType& type) {
  MutexLock lock(BuildMutex());
  return *Reference(type);
}

FieldBuilder AddField(TypeInfo& owner, std::string_view name, ProtobufNumber number, size_t offset,
                      const TypeInfo* type, std::string_view doc) {
  FieldInfo& field = owner.fields.emplace_back();
  SetName(field, name);
  field.protobuf_number = number;
  field.offset = offset;
  field.type = type;
  Schema* schema = NewFieldSchema(*type);
  if (!doc.empty()) schema->doc = doc;
  owner.schema.properties.push_back({std::string(name), schema});
  return {owner, field, *schema};
}

void DescribeKind(TypeInfo& info, const KindName& kind) {
  info.kind_name = &kind;
  info.schema.doc = kind.doc;
  const auto add = [&](std::string_view name, std::string constant, std::string_view doc) {
    FieldInfo& field = info.fields.emplace_back();
    SetName(field, name);
    field.constant = std::move(constant);
    auto* schema = new Schema;
    schema->type = SchemaType::kString;
    schema->doc = doc;
    info.schema.properties.push_back({std::string(name), schema});
  };
  add("apiVersion", kind.ApiVersion(), "Group and version of the API this object is written in.");
  add("kind", std::string(kind.kind), "What kind of object this is.");
}

void BuildPrimitive(TypeInfo& info, TypeKind kind) {
  info.kind = kind;
  Schema& schema = info.schema;
  switch (kind) {
    case TypeKind::kBool: schema.type = SchemaType::kBoolean; break;
    case TypeKind::kInt32:
      schema.type = SchemaType::kInteger;
      schema.format = "int32";
      break;
    case TypeKind::kInt64:
      schema.type = SchemaType::kInteger;
      schema.format = "int64";
      break;
    case TypeKind::kDouble:
      schema.type = SchemaType::kNumber;
      schema.format = "double";
      break;
    case TypeKind::kString: schema.type = SchemaType::kString; break;
    default: schema.preserve_unknown_fields = true; break;
  }
}

void FinishOptional(TypeInfo& info, TypeKind kind) {
  info.kind = kind;
  const std::unique_ptr<Schema> schema(NewFieldSchema(*info.element));
  info.schema = *schema;
}

void FinishList(TypeInfo& info) {
  info.kind = TypeKind::kList;
  info.schema.type = SchemaType::kArray;
  info.schema.items = &info.element->schema;
}

void FinishMap(TypeInfo& info) {
  info.kind = TypeKind::kMap;
  info.schema.type = SchemaType::kObject;
  info.schema.additional_properties = &info.element->schema;
}

void FinishStruct(TypeInfo& info) {
  info.schema.type = SchemaType::kObject;
  for (FieldInfo& field : info.fields) {
    field.absence = AbsenceOf(field);
    if (!field.zero_presence && field.type != nullptr) field.zero_presence = DefaultPresence(field);
  }
  std::sort(info.fields.begin(), info.fields.end(),
            [](const FieldInfo& a, const FieldInfo& b) { return a.name < b.name; });
  std::sort(info.schema.properties.begin(), info.schema.properties.end(),
            [](const Property& a, const Property& b) { return a.name < b.name; });
  std::sort(info.schema.required.begin(), info.schema.required.end());
  KUBEXMS_CHECK(info.fields.size() <= kMaxFields);
  IndexProtobufNumbers(info);
}

}  // namespace type_internal
}  // namespace kubexms
