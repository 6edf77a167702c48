// Properties of every schema and every document.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>

#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/pruning.h"
#include "kubexms/api/schema/schema_json.h"
#include "kubexms/api/schema/schema_test.h"
#include "kubexms/api/schema/validation.h"

namespace kubexms {
namespace {

// Schemas and documents over a few names, so that they meet often.
class Maker {
 public:
  explicit Maker(uint32_t seed) : random_(seed) {}

  Json MakeValue(int depth) {
    switch (Pick(depth > 0 ? 7 : 5)) {
      case 0: return Json(nullptr);
      case 1: return Json(Pick(2) == 0);
      case 2: return Json(Pick(5));
      case 3: return Json(Pick(9) / 2.0);
      case 4: return Json(Name());
      case 5: return MakeList(depth);
      default: return MakeObject(depth);
    }
  }

  JsonObject MakeSchema(int depth) {
    constexpr std::string_view kTypes[] = {"object",  "array",  "string",
                                           "integer", "number", "boolean"};
    JsonObject schema;
    const std::string_view type = kTypes[Pick(depth > 0 ? 6 : 4) + (depth > 0 ? 0 : 2)];
    schema["type"] = type;
    if (Pick(3) == 0) schema["default"] = MakeValue(1);
    if (Pick(4) == 0) schema["nullable"] = true;
    if (Pick(6) == 0) schema["x-kubernetes-preserve-unknown-fields"] = true;
    if (type == "object") DescribeObject(depth, schema);
    if (type == "array") DescribeArray(depth, schema);
    if (type == "integer") schema["maximum"] = Pick(5);
    if (type == "string" && Pick(2) == 0) schema["pattern"] = "^[ab]$";
    if (Pick(6) == 0) schema["anyOf"] = JsonArray{JsonObject{{"minimum", 2}}, JsonObject()};
    return schema;
  }

 private:
  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string_view Name() {
    constexpr std::string_view kNames[] = {"a", "b", "c", "d"};
    return kNames[Pick(4)];
  }

  JsonArray MakeList(int depth) {
    JsonArray list;
    for (int i = Pick(4); i > 0; --i) list.push_back(MakeValue(depth - 1));
    return list;
  }

  JsonObject MakeObject(int depth) {
    JsonObject object;
    for (int i = Pick(5); i > 0; --i) object[Name()] = MakeValue(depth - 1);
    return object;
  }

  void DescribeObject(int depth, JsonObject& schema) {
    if (Pick(4) == 0) {
      schema["additionalProperties"] = MakeSchema(depth - 1);
      return;
    }
    JsonObject properties;
    for (int i = Pick(4); i > 0; --i) properties[Name()] = MakeSchema(depth - 1);
    schema["properties"] = std::move(properties);
    if (Pick(2) == 0) schema["required"] = JsonArray{Name()};
  }

  void DescribeArray(int depth, JsonObject& schema) {
    schema["items"] = MakeSchema(depth - 1);
    if (Pick(3) == 0) schema["x-kubernetes-list-type"] = "set";
  }

  std::mt19937 random_;
};

struct Example {
  SchemaHandle schema;
  Json value;
};

Example MakeExample(uint32_t seed) {
  Maker maker(seed);
  const JsonObject schema = maker.MakeSchema(4);
  CrdSchema parsed = ParseCrdSchema(schema, FieldPath("schema"), {.structural = false});
  RC_ASSERT(parsed.errors.empty());
  return {parsed.schema, maker.MakeValue(4)};
}

template <class Property>
void ForEveryExample(const Property& property) {
  EXPECT_TRUE(rc::check([&](uint32_t seed) { property(MakeExample(seed)); }));
}

TEST(SchemaPropertyTest, PruningIsIdempotent) {
  ForEveryExample([](Example example) {
    std::vector<std::string> removed;
    const bool changed = Prune(example.value, *example.schema, {.removed = &removed});
    RC_ASSERT(changed == !removed.empty());
    const Json once = example.value;
    RC_ASSERT(!Prune(example.value, *example.schema));
    RC_ASSERT(JsonEqual(example.value, once));
  });
}

TEST(SchemaPropertyTest, DefaultingIsIdempotent) {
  ForEveryExample([](Example example) {
    RemoveNulls(example.value, *example.schema);
    ApplyDefaults(example.value, *example.schema);
    const Json once = example.value;
    RC_ASSERT(!ApplyDefaults(example.value, *example.schema));
    RC_ASSERT(JsonEqual(example.value, once));
  });
}

TEST(SchemaPropertyTest, DefaultingDoesNotChangePresentFields) {
  ForEveryExample([](Example example) {
    const Json before = example.value;
    ApplyDefaults(example.value, *example.schema);
    if (!before.is_object()) return;
    for (const auto& member : before.get_object()) {
      if (member.value().is_null() || member.value().is_structured()) continue;
      RC_ASSERT(JsonEqual(example.value.at(member.key()), member.value()));
    }
  });
}

TEST(SchemaPropertyTest, ValidationIsDeterministic) {
  ForEveryExample([](const Example& example) {
    const auto first = Validate(example.value, *example.schema);
    RC_ASSERT(Validate(example.value, *example.schema) == first);
    RC_ASSERT(Validate(example.value, *example.schema, {.max_errors = 1}).empty() == first.empty());
  });
}

TEST(SchemaPropertyTest, ParsesItsOwnJsonToAnEqualSchema) {
  ForEveryExample([](const Example& example) {
    const JsonObject written = SchemaToOpenApi(*example.schema, SchemaDialect::kCrd);
    const CrdSchema parsed = ParseCrdSchema(written, FieldPath("schema"), {.structural = false});
    RC_ASSERT(parsed.errors.empty());
    RC_ASSERT(JsonEqual(SchemaToOpenApi(*parsed.schema, SchemaDialect::kCrd), written));
    RC_ASSERT(Validate(example.value, *parsed.schema) == Validate(example.value, *example.schema));
  });
}

}  // namespace
}  // namespace kubexms
