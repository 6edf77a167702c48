#pragma once

// Describes API types in C++, without a code generator. A described struct derives from Struct, has
// ordinary members, and names each of them once:
//
//   struct WidgetSpec : Struct {
//     int32_t replicas = 0;
//     std::string color;
//
//     static void Describe(Type<WidgetSpec>& type) {
//       type.Doc("The desired state of a widget.");
//       type.Field("replicas", &WidgetSpec::replicas, "Number of widgets.").Minimum(0).Default(1);
//       type.Field("color", &WidgetSpec::color, "Color of the paint.").Enum({"red", "blue"});
//     }
//   };
//
// The description drives decoding and encoding (codec.h), protobuf (protobuf.h), and the Schema
// (schema.h) with defaults, validation, OpenAPI, CRDs, printer columns, patches and apply. One
// interpreter walks the tables of all types, so that a type adds little compile time and code.
//
// Types of members: bool, int32_t, int64_t, double, std::string; a described struct; Optional<T>;
// std::vector<T>; StringKeyed<T>; RawJson; and any class with a specialization of ScalarTraits
// (Time, Quantity, IntOrString, Bytes …).

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/result.h"

namespace kubexms {

// The base of every Boxed: gives the encoder access without the type.
class BoxBase {
 public:
  bool has_value() const { return value_ != nullptr; }
  const void* raw() const { return value_; }

 protected:
  explicit BoxBase(void* value = nullptr) : value_(value) {}

  void* value_;
};

// An optional struct on the heap: when absent it needs only a pointer. Copies are deep.
template <class T>
class Boxed : public BoxBase {
 public:
  Boxed() = default;
  Boxed(std::nullopt_t) {}
  Boxed(T value) : BoxBase(new T(std::move(value))) {}
  Boxed(const Boxed& other) : BoxBase(other ? new T(*other) : nullptr) {}
  Boxed(Boxed&& other) noexcept : BoxBase(std::exchange(other.value_, nullptr)) {}
  Boxed& operator=(Boxed other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Boxed() { delete get(); }

  explicit operator bool() const { return has_value(); }
  T& operator*() { return *get(); }
  const T& operator*() const { return *get(); }
  T* operator->() { return get(); }
  const T* operator->() const { return get(); }
  T& emplace() {
    reset();
    value_ = new T();
    return *get();
  }
  void reset() { *this = Boxed(); }

 private:
  T* get() const { return static_cast<T*>(value_); }
};

// A member that can be absent: inline for numbers and strings, boxed for structs.
template <class T>
using Optional = std::conditional_t<std::is_arithmetic_v<T> || std::is_same_v<T, std::string>,
                                    std::optional<T>, Boxed<T>>;

// A JSON object whose keys are data.
template <class T>
using StringKeyed = std::map<std::string, T, std::less<>>;
using StringMap = StringKeyed<std::string>;

// Any JSON as canonical text; empty means absent.
struct RawJson {
  std::string text;

  bool operator==(const RawJson&) const = default;
};

// The base of every described struct. It stores unknown fields as canonical JSON, so that encoding
// writes back what decoding did not know.
class Struct {
 public:
  using UnknownFields = std::vector<std::pair<std::string, RawJson>>;  // sorted by name

  Struct() = default;
  Struct(const Struct& other) : unknown_(CopyOf(other)) {}
  Struct(Struct&&) noexcept = default;
  Struct& operator=(const Struct& other) {
    if (this != &other) unknown_ = CopyOf(other);
    return *this;
  }
  Struct& operator=(Struct&&) noexcept = default;

  const UnknownFields* unknown_fields() const { return unknown_.get(); }
  UnknownFields& MutableUnknownFields() {
    if (unknown_ == nullptr) unknown_ = Make({});
    return *unknown_;
  }

 private:
  // Unknown fields are rare: out of line, so that the code of five hundred types stays small.
  struct Delete {
    void operator()(UnknownFields* fields) const noexcept;
  };
  using Pointer = std::unique_ptr<UnknownFields, Delete>;
  static Pointer Make(const UnknownFields& fields);
  static Pointer CopyOf(const Struct& other) {
    return other.unknown_ ? Make(*other.unknown_) : nullptr;
  }

  Pointer unknown_;
};

// For large structs: compiles constructors, assignments and the destructor once, at
// KUBEXMS_DEFINE_SPECIAL_MEMBERS, instead of in every unit that uses the struct.
#define KUBEXMS_DECLARE_SPECIAL_MEMBERS(T) \
  T();                                     \
  T(const T&);                             \
  T(T&&) noexcept;                         \
  T& operator=(const T&);                  \
  T& operator=(T&&) noexcept;              \
  ~T()

#define KUBEXMS_DEFINE_SPECIAL_MEMBERS(T)  \
  T::T() = default;                        \
  T::T(const T&) = default;                \
  T::T(T&&) noexcept = default;            \
  T& T::operator=(const T&) = default;     \
  T& T::operator=(T&&) noexcept = default; \
  T::~T() = default

// Decodes and encodes a class that is one JSON scalar. A specialization has:
//   static Result<T> FromText(std::string_view)           from a JSON string
//   static Result<T> FromInteger(int64_t)                 optional: from a JSON integer
//   static Result<T> FromDouble(double)                   optional: from another JSON number
//   static void AppendJson(const T&, TextBuffer& out)    canonical JSON, quotes included
//   static bool IsZero(const T&)                          true when Encode omits an optional field
//   static void Describe(Schema&)                         type, format, …
template <class T>
struct ScalarTraits;

enum class Scope { kNamespaced, kCluster };

// The name of a kind. A described struct with a `metadata` member becomes a kind by the constant:
//   static constexpr KindName kKind{.group = "example.io", .version = "v1", .kind = "Widget"};
struct KindName {
  std::string_view group;  // empty for core
  std::string_view version;
  std::string_view kind;
  Scope scope = Scope::kNamespaced;
  std::string_view doc;
  std::string_view plural;       // defaults to the plural of the kind, "Policy" → "policies"
  std::string_view short_names;  // space-separated
  std::string_view categories;   // space-separated

  std::string ApiVersion() const;  // "v1" or "apps/v1"
  std::string Plural() const;
  std::string Singular() const;
};

struct TypeInfo;

enum class TypeKind : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kString,
  kScalar,
  kRawJson,
  kStruct,
  kOptional,  // std::optional
  kBoxed,     // Boxed
  kList,
  kMap,
};

// The cheapest test by which the encoder recognizes a field that it omits.
enum class Absence : uint8_t {
  kNever,        // the field is required
  kZeroWord,     // eight zero bytes: Boxed, int64_t, double
  kFalse,        // bool
  kEmptyString,  // std::string
  kOther,        // by TypeInfo
};

// How Kubernetes' own Go type has a field: what happens to the field when it has no value, or the
// zero value of its type. Custom kinds do not need it.
enum class ZeroPresence : uint8_t {
  kOmitted,  // zero is absent, and is omitted
  kWritten,  // zero is absent, and is written: as zero, or as null for a list, a map or a time
  kPointer,  // absent is omitted, zero is a value
  kNull,     // absent is written as null, zero is a value
};

// The number of a field in Kubernetes' protobuf messages; the kinds of this library have them,
// custom kinds have none. Numbers are part of the API: a field never changes its number.
//
// JSON inlines some messages into the object around them. The number of a field in such a message
// is a path: {2, 1} is field 1 of the message that is field 2.
struct ProtobufNumber {
  constexpr ProtobufNumber() = default;  // no number
  constexpr ProtobufNumber(uint8_t number) : path{number} {}
  constexpr ProtobufNumber(uint8_t outer, uint8_t inner) : path{outer, inner} {}
  constexpr ProtobufNumber(uint8_t outer, uint8_t middle, uint8_t inner)
      : path{outer, middle, inner} {}

  explicit operator bool() const { return path[0] != 0; }
  auto operator<=>(const ProtobufNumber&) const = default;
  size_t Depth() const;
  // The number of the field `number` of this message; of an object's field when this is no number.
  // No number when the fields of kinds have none that large or that deep.
  ProtobufNumber Child(uint64_t number) const;
  bool StartsWith(ProtobufNumber message) const;

  std::array<uint8_t, 3> path{};
};

// How protobuf represents a JSON value whose type does not say it all: the values of a JSON schema
// that are a schema or something else.
enum class ProtobufForm : uint8_t {
  kPlain,
  kSchemaOrBool,     // {1: a boolean, 2: a schema}
  kSchemaOrList,     // {1: a schema, 2: schemas}
  kSchemaOrStrings,  // {1: a schema, 2: strings}
};

struct FieldInfo {
  // The first up to eight bytes of `name"` as a word, and a mask of these bytes: a decoder compares
  // them with the next bytes of the input to find the field of a key.
  uint64_t prefix = 0;
  uint64_t prefix_mask = 0;
  std::string name;
  std::string key;  // with quotes and colon: "name":
  size_t offset = 0;
  const TypeInfo* type = nullptr;
  bool required = false;
  Absence absence = Absence::kNever;
  ProtobufNumber protobuf_number;
  ProtobufForm protobuf_form = ProtobufForm::kPlain;
  // Unset for apiVersion and kind of a kind.
  std::optional<ZeroPresence> zero_presence;
  // For apiVersion and kind of a kind, which have no member and no type: the value.
  std::string constant;
};

// The limit on the fields of a struct: decoding uses one bit for each.
inline constexpr size_t kMaxFields = 128;

struct MapEntry {
  std::string_view key;
  void* value;
  bool inserted;
};

// The description of one type, with type-erased operations. Built on first use; immutable
// afterwards.
struct TypeInfo {
  TypeKind kind;
  size_t size;

  // kOptional, kBoxed, kList, kMap: the type of the elements.
  const TypeInfo* element = nullptr;
  // kOptional, kBoxed: sets a new element. kList: appends an item. Returns the new element.
  void* (*emplace)(void* container) = nullptr;
  // kOptional: the element, or null. A kBoxed is a BoxBase, which needs no such function.
  const void* (*get)(const void* optional) = nullptr;
  // kList.
  std::pair<const void*, size_t> (*items)(const void* list) = nullptr;
  // kMap: finds or inserts the entry of a key.
  MapEntry (*insert)(void* map, std::string_view key) = nullptr;
  void (*visit)(const void* map, void* context,
                void (*visitor)(void* context, const std::string& key,
                                const void* value)) = nullptr;
  // kList, kMap, kScalar: whether the encoder omits the value of an optional field.
  bool (*is_zero)(const void* value) = nullptr;

  // kScalar. from_integer and from_double are null when only strings are allowed.
  Result<void> (*from_text)(void* value, std::string_view text) = nullptr;
  Result<void> (*from_integer)(void* value, int64_t number) = nullptr;
  Result<void> (*from_double)(void* value, double number) = nullptr;
  void (*append)(const void* value, TextBuffer& out) = nullptr;

  // kStruct: fields sorted by name, and access to the unknown fields. `kind_name` is set for kinds.
  std::vector<FieldInfo> fields;
  std::vector<uint8_t> fields_by_protobuf_number;  // indices of those with a number
  const KindName* kind_name = nullptr;
  Struct* (*as_struct)(void* value) = nullptr;
  // kStruct: creates a value, for code that has only the description of the type.
  std::shared_ptr<void> (*make)() = nullptr;

  // The schema of the type. For a struct, the shared definition.
  Schema schema;

  // The field, or null.
  const FieldInfo* FindField(std::string_view name) const;
  // The field with a number or, when it is the number of an inlined message, the first field in
  // that message; null when there is neither.
  const FieldInfo* FindField(ProtobufNumber number) const;
};

// The description of T.
template <class T>
const TypeInfo& TypeOf();

// Adds to the description of one field; returned by Type<T>::Field.
class FieldBuilder {
 public:
  FieldBuilder(TypeInfo& owner, FieldInfo& field, Schema& schema)
      : owner_(owner), field_(field), schema_(schema) {}

  // Decoding does not require the field; validation does, and Encode always writes it.
  FieldBuilder& Required();
  FieldBuilder& Immutable();
  FieldBuilder& Nullable();

  FieldBuilder& Default(bool value);
  FieldBuilder& Default(int value);
  FieldBuilder& Default(const char* value);
  FieldBuilder& DefaultJson(std::string_view json);

  // The allowed values; of each item, for a list.
  FieldBuilder& Enum(std::initializer_list<std::string_view> values);
  FieldBuilder& Minimum(double value);
  FieldBuilder& Maximum(double value);
  FieldBuilder& MinLength(int64_t value);
  FieldBuilder& MaxLength(int64_t value);
  FieldBuilder& Pattern(std::string_view regex);
  FieldBuilder& MinItems(int64_t value);
  FieldBuilder& MaxItems(int64_t value);
  FieldBuilder& Format(std::string_view format);
  FieldBuilder& PreserveUnknownFields();

  // Ownership by server-side apply. Lists without one of these are atomic.
  FieldBuilder& ListAtomic();
  FieldBuilder& ListSet();
  FieldBuilder& ListMap(std::initializer_list<std::string_view> keys);
  FieldBuilder& MapAtomic();
  // Behavior of strategic merge patches.
  FieldBuilder& PatchMerge(std::string_view merge_key = "");
  FieldBuilder& PatchRetainKeys();
  FieldBuilder& PatchMergeRetainKeys(std::string_view merge_key);

  // The ZeroPresence where it does not follow from the type of the member: kPointer for Optional,
  // kWritten for required members, structs and times, else kOmitted.
  FieldBuilder& OmitZero() { return SetZeroPresence(ZeroPresence::kOmitted); }
  FieldBuilder& WriteZero() { return SetZeroPresence(ZeroPresence::kWritten); }
  FieldBuilder& Pointer() { return SetZeroPresence(ZeroPresence::kPointer); }
  FieldBuilder& WriteNull() { return SetZeroPresence(ZeroPresence::kNull); }

  FieldBuilder& ProtobufAs(ProtobufForm form);

  // Shows the field as a column of `kubectl get`; with priority 1 only for -o wide.
  FieldBuilder& Column(std::string_view title, int priority = 0);

 private:
  FieldBuilder& SetZeroPresence(ZeroPresence presence);

  TypeInfo& owner_;
  FieldInfo& field_;
  Schema& schema_;
};

// Describes the struct T; the parameter of T::Describe.
template <class T>
class Type {
 public:
  explicit Type(TypeInfo& info) : info_(info) {}

  Type& Doc(std::string_view doc) {
    info_.schema.doc = doc;
    return *this;
  }
  // The name of the definition in OpenAPI documents: "io.k8s.api.apps.v1.DeploymentSpec".
  Type& Name(std::string_view name) {
    info_.schema.definition = name;
    return *this;
  }
  // Values of this type are atomic for server-side apply.
  Type& Atomic() {
    info_.schema.map_atomic = true;
    return *this;
  }

  // `member` is a member of T or of one of its bases.
  template <class M, class Owner>
  FieldBuilder Field(std::string_view name, ProtobufNumber number, M Owner::*member,
                     std::string_view doc = "");
  // For types that are never read from protobuf, such as those of custom kinds.
  template <class M, class Owner>
  FieldBuilder Field(std::string_view name, M Owner::*member, std::string_view doc = "") {
    return Field(name, ProtobufNumber(), member, doc);
  }

 private:
  TypeInfo& info_;
};

// ---- Internal: the implementation of the type erasure. ----

namespace type_internal {

// One for each described type: constant-initialized, built on first use, never destroyed.
struct LazyType {
  void (*build)(TypeInfo& info);
  TypeInfo* info = nullptr;  // guarded by the mutex in type.cc
};
// The complete description, including all types that it refers to.
const TypeInfo& Built(LazyType& type);
// During a build: the description of a type that the type uses. For the type itself, it is
// incomplete.
const TypeInfo* Reference(LazyType& type);
FieldBuilder AddField(TypeInfo& owner, std::string_view name, ProtobufNumber number, size_t offset,
                      const TypeInfo* type, std::string_view doc);

template <class T>
void Build(TypeInfo& info);

template <class T>
constinit LazyType lazy_type{&Build<T>};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {
  using Element = T;
};
template <class T>
struct IsOptional<Boxed<T>> : std::true_type {
  using Element = T;
};
template <class T>
struct IsStringKeyed : std::false_type {};
template <class T>
struct IsStringKeyed<StringKeyed<T>> : std::true_type {};

template <class T>
void BuildScalar(TypeInfo& info) {
  using Traits = ScalarTraits<T>;
  info.kind = TypeKind::kScalar;
  info.from_text = [](void* value, std::string_view text) -> Result<void> {
    ASSIGN_OR_RETURN(*static_cast<T*>(value), Traits::FromText(text));
    return {};
  };
  if constexpr (requires { Traits::FromInteger(int64_t{}); }) {
    info.from_integer = [](void* value, int64_t number) -> Result<void> {
      ASSIGN_OR_RETURN(*static_cast<T*>(value), Traits::FromInteger(number));
      return {};
    };
  }
  if constexpr (requires { Traits::FromDouble(double{}); }) {
    info.from_double = [](void* value, double number) -> Result<void> {
      ASSIGN_OR_RETURN(*static_cast<T*>(value), Traits::FromDouble(number));
      return {};
    };
  }
  info.append = [](const void* value, TextBuffer& out) {
    Traits::AppendJson(*static_cast<const T*>(value), out);
  };
  info.is_zero = [](const void* value) { return Traits::IsZero(*static_cast<const T*>(value)); };
  Traits::Describe(info.schema);
}

void BuildPrimitive(TypeInfo& info, TypeKind kind);
void FinishOptional(TypeInfo& info, TypeKind kind);
void FinishList(TypeInfo& info);
void FinishMap(TypeInfo& info);
void FinishStruct(TypeInfo& info);
void DescribeKind(TypeInfo& info, const KindName& kind);

template <class T>
void BuildOptional(TypeInfo& info) {
  using Element = typename IsOptional<T>::Element;
  info.element = Reference(lazy_type<Element>);
  info.emplace = [](void* optional) -> void* { return &static_cast<T*>(optional)->emplace(); };
  if constexpr (std::is_base_of_v<BoxBase, T>) {
    FinishOptional(info, TypeKind::kBoxed);
  } else {
    info.get = [](const void* optional) -> const void* {
      const T& value = *static_cast<const T*>(optional);
      return value.has_value() ? &*value : nullptr;
    };
    FinishOptional(info, TypeKind::kOptional);
  }
}

template <class T>
void BuildList(TypeInfo& info) {
  info.element = Reference(lazy_type<typename T::value_type>);
  info.emplace = [](void* list) -> void* { return &static_cast<T*>(list)->emplace_back(); };
  info.items = [](const void* list) -> std::pair<const void*, size_t> {
    const T& value = *static_cast<const T*>(list);
    return {value.data(), value.size()};
  };
  info.is_zero = [](const void* list) { return static_cast<const T*>(list)->empty(); };
  FinishList(info);
}

template <class T>
void BuildMap(TypeInfo& info) {
  info.element = Reference(lazy_type<typename T::mapped_type>);
  info.insert = [](void* map, std::string_view key) -> MapEntry {
    T& value = *static_cast<T*>(map);
    const size_t size = value.size();
    const auto it = value.try_emplace(value.end(), std::string(key));  // keys are sorted
    return {it->first, &it->second, value.size() != size};
  };
  info.visit = [](const void* map, void* context,
                  void (*visitor)(void*, const std::string&, const void*)) {
    for (const auto& [key, value] : *static_cast<const T*>(map)) visitor(context, key, &value);
  };
  info.is_zero = [](const void* map) { return static_cast<const T*>(map)->empty(); };
  FinishMap(info);
}

// Sets the kind first: a type that refers to itself reads it before the build is complete.
template <class T>
void Build(TypeInfo& info) {
  info.size = sizeof(T);
  if constexpr (std::is_same_v<T, bool>) {
    BuildPrimitive(info, TypeKind::kBool);
  } else if constexpr (std::is_same_v<T, int32_t>) {
    BuildPrimitive(info, TypeKind::kInt32);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    BuildPrimitive(info, TypeKind::kInt64);
  } else if constexpr (std::is_same_v<T, double>) {
    BuildPrimitive(info, TypeKind::kDouble);
  } else if constexpr (std::is_same_v<T, std::string>) {
    BuildPrimitive(info, TypeKind::kString);
  } else if constexpr (std::is_same_v<T, RawJson>) {
    BuildPrimitive(info, TypeKind::kRawJson);
  } else if constexpr (IsOptional<T>::value) {
    BuildOptional<T>(info);
  } else if constexpr (IsVector<T>::value) {
    BuildList<T>(info);
  } else if constexpr (IsStringKeyed<T>::value) {
    BuildMap<T>(info);
  } else if constexpr (std::is_base_of_v<Struct, T>) {
    info.kind = TypeKind::kStruct;
    info.as_struct = [](void* value) -> Struct* { return static_cast<T*>(value); };
    info.make = []() -> std::shared_ptr<void> { return std::make_shared<T>(); };
    if constexpr (requires { T::kKind; }) DescribeKind(info, T::kKind);
    Type<T> type(info);
    T::Describe(type);
    FinishStruct(info);
  } else {
    BuildScalar<T>(info);
  }
}

}  // namespace type_internal

template <class T>
const TypeInfo& TypeOf() {
  static const TypeInfo& info = type_internal::Built(type_internal::lazy_type<T>);
  return info;
}

template <class T>
template <class M, class Owner>
FieldBuilder Type<T>::Field(std::string_view name, ProtobufNumber number, M Owner::*member,
                            std::string_view doc) {
  static_assert(std::is_base_of_v<Owner, T>);
  // Computes the offset of the member on storage without an object.
  alignas(T) static char storage[sizeof(T)];
  const T* object = reinterpret_cast<const T*>(storage);
  const size_t offset = static_cast<size_t>(reinterpret_cast<const char*>(&(object->*member)) -
                                            reinterpret_cast<const char*>(object));
  return type_internal::AddField(info_, name, number, offset,
                                 type_internal::Reference(type_internal::lazy_type<M>), doc);
}

}  // namespace kubexms
