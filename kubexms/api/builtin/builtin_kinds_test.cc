#include "kubexms/api/builtin/builtin_kinds.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <set>

#include "kubexms/api/codec.h"
#include "kubexms/api/patch/apply.h"
#include "kubexms/api/patch/strategic_patch.h"
#include "kubexms/api/schema/defaulting.h"

namespace kubexms {
namespace {

// A random document that a type can hold: every field may be there, none has the value that means
// "absent", and some structs have fields that no description knows.
class DocumentGenerator {
 public:
  explicit DocumentGenerator(uint64_t seed) : random_(seed) {}

  Json Make(const TypeInfo& type, int depth) {
    switch (type.kind) {
      case TypeKind::kBool: return true;
      case TypeKind::kInt32: return 1 + Below(1000);
      case TypeKind::kInt64: return int64_t{1} << (1 + Below(60));
      case TypeKind::kDouble: return 0.5 + Below(10);
      case TypeKind::kString: return Json(Text().c_str());
      case TypeKind::kScalar: return Scalar(type.schema);
      case TypeKind::kRawJson: return JsonObject{{"any", JsonArray{1, nullptr, Text()}}};
      case TypeKind::kStruct: return MakeStruct(type, depth);
      case TypeKind::kOptional:
      case TypeKind::kBoxed: return Make(*type.element, depth);
      case TypeKind::kList:
        return JsonArray{Make(*type.element, depth), Make(*type.element, depth)};
      case TypeKind::kMap:
        return JsonObject{{Text(), Make(*type.element, depth)},
                          {"key", Make(*type.element, depth)}};
    }
    return nullptr;
  }

 private:
  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  std::string Text() { return "t\n\"é" + std::to_string(Below(1'000'000)); }

  Json Scalar(const Schema& schema) {
    if (schema.quantity) return std::vector{"1", "500m", "1536Mi", "2e3", "0"}[Below(5)];
    if (schema.int_or_string) return Below(2) == 0 ? Json(Below(100)) : Json("25%");
    if (schema.format == "byte") return "aGVsbG8=";
    if (schema.micro_time) return "2024-05-06T07:08:09.000010Z";
    return "2024-05-06T07:08:09Z";
  }

  // A struct of only such structs counts as absent.
  static bool NothingIsSetIn(const Json& value) {
    return value.is_object() && std::ranges::all_of(value.get_object(), [](const auto& member) {
             return NothingIsSetIn(member.value());
           });
  }

  Json MakeStruct(const TypeInfo& type, int depth) {
    JsonObject object;
    for (const FieldInfo& field : type.fields) {
      if (field.type == nullptr) {
        object[field.name] = field.constant;
      } else if (field.required || (depth > 0 && Below(3) != 0)) {
        Json value = Make(*field.type, depth - 1);
        if (field.required || !NothingIsSetIn(value)) {
          object[field.name] = std::move(value);
        }
      }
    }
    if (Below(4) == 0) object["zUnheardOf"] = JsonObject{{"of", JsonArray{Text()}}};
    return object;
  }

  std::mt19937_64 random_;
};

// The surroundings of the first byte that differs.
std::string DescribeDifference(std::string_view wanted, std::string_view got) {
  size_t i = 0;
  while (i < wanted.size() && i < got.size() && wanted[i] == got[i]) ++i;
  const size_t from = i < 100 ? 0 : i - 100;
  return std::string(wanted.substr(from, 200)) + "\nbecame\n" + std::string(got.substr(from, 200));
}

TEST(BuiltinKindsTest, EncodingADecodedObjectGivesTheSameBytes) {
  EXPECT_TRUE(rc::check([](uint64_t seed) {
    for (const TypeInfo* type : BuiltinKinds()) {
      const std::string text = WriteJson(DocumentGenerator(seed).Make(*type, 6));
      const std::shared_ptr<void> object = type->make();
      const Result<void> decoded = codec_internal::Decode(*type, object.get(), text);
      if (!decoded.ok()) RC_FAIL(decoded.error().message() + " in " + text);
      TextBuffer encoded;
      codec_internal::AppendEncoded(*type, object.get(), encoded);
      if (encoded.view() != text) RC_FAIL(DescribeDifference(text, encoded.view()));
    }
  }));
}

// Every schema that a kind can hold, each once.
void Visit(const Schema& schema, std::set<const Schema*>& seen) {
  if (!seen.insert(&schema).second) return;
  const Schema& shape = schema.Resolve();
  if (&shape != &schema) return Visit(shape, seen);
  for (const Property& property : schema.properties) Visit(*property.schema, seen);
  if (schema.items != nullptr) Visit(*schema.items, seen);
  if (schema.additional_properties != nullptr) Visit(*schema.additional_properties, seen);
}

std::set<const Schema*> AllSchemas() {
  std::set<const Schema*> seen;
  for (const TypeInfo* type : BuiltinKinds()) Visit(type->schema, seen);
  return seen;
}

TEST(BuiltinKindsTest, EveryTypeHasANameAndDocumentation) {
  int definitions = 0;
  for (const Schema* schema : AllSchemas()) {
    if (schema->properties.empty()) continue;
    ++definitions;
    EXPECT_FALSE(schema->definition.empty());
    EXPECT_FALSE(schema->doc.empty()) << schema->definition;
  }
  EXPECT_GT(definitions, 450);
}

TEST(BuiltinKindsTest, DescribesAKindThatContainsItself) {
  const Schema& definition =
      FindBuiltinKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")->schema;
  const Schema* props = definition.FindMember("spec")
                            ->FindMember("versions")
                            ->items->FindMember("schema")
                            ->FindMember("openAPIV3Schema");
  EXPECT_EQ(&props->FindMember("not")->Resolve(), &props->Resolve());
  EXPECT_EQ(&props->FindMember("allOf")->items->Resolve(), &props->Resolve());
  EXPECT_EQ(&props->FindMember("properties")->FindMember("x")->Resolve(), &props->Resolve());
}

TEST(BuiltinKindsTest, KeysOfListMapsAreFieldsOfTheirItems) {
  for (const Schema* schema : AllSchemas()) {
    if (schema->items == nullptr) continue;
    for (const std::string& key : schema->list_map_keys) {
      EXPECT_NE(schema->items->FindMember(key), nullptr) << schema->doc << ": " << key;
    }
    if (!schema->patch_merge_key.empty()) {
      EXPECT_NE(schema->items->FindMember(schema->patch_merge_key), nullptr) << schema->doc;
    }
  }
}

TEST(BuiltinKindsTest, CanBeFoundByName) {
  ASSERT_NE(FindBuiltinKind("apps", "v1", "Deployment"), nullptr);
  EXPECT_EQ(FindBuiltinKind("apps", "v1", "Deployment")->kind_name->Plural(), "deployments");
  EXPECT_EQ(FindBuiltinKind("", "v1", "Pod")->kind_name->short_names, "po");
  EXPECT_EQ(FindBuiltinKind("", "v1", "Endpoints")->kind_name->Plural(), "endpoints");
  EXPECT_EQ(FindBuiltinKind("", "v1", "Node")->kind_name->scope, Scope::kCluster);
  EXPECT_EQ(FindBuiltinKind("apps", "v1", "Pod"), nullptr);
}

TEST(BuiltinKindsTest, HasTheDefaultsOfKubernetes) {
  Json deployment =
      ParseJson(R"({"spec":{"template":{"spec":{"containers":[{"name":"a","ports":[{}]}]}}}})")
          .value();
  ApplyDefaults(deployment, FindBuiltinKind("apps", "v1", "Deployment")->schema);
  const Json& spec = deployment.at("spec");
  EXPECT_EQ(spec.at("replicas"), 1);
  EXPECT_EQ(spec.at("revisionHistoryLimit"), 10);
  const Json& pod = spec.at("template").at("spec");
  EXPECT_EQ(pod.at("restartPolicy"), "Always");
  EXPECT_EQ(pod.at("containers").at(0).at("ports").at(0).at("protocol"), "TCP");
  EXPECT_EQ(pod.at("containers").at(0).at("terminationMessagePath"), "/dev/termination-log");
}

constexpr std::string_view kDeployment = R"({
  "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
  "spec": {"replicas": 2, "template": {"spec": {"containers": [
    {"name": "a", "image": "a:1", "ports": [{"containerPort": 80, "protocol": "TCP"}]},
    {"name": "b", "image": "b:1"}]}}}})";

TEST(BuiltinKindsTest, StrategicPatchesMergeListsByTheirKeys) {
  const Schema& schema = FindBuiltinKind("apps", "v1", "Deployment")->schema;
  const Json patch = ParseJson(R"({"spec": {"template": {"spec": {"containers": [
      {"name": "a", "image": "a:2"}, {"name": "b", "$patch": "delete"}]}}}})")
                         .value();
  const Json patched = ApplyStrategicPatch(ParseJson(kDeployment).value(), patch, schema).value();
  EXPECT_EQ(WriteJson(patched.at("spec").at("template").at("spec").at("containers")),
            R"([{"image":"a:2","name":"a","ports":[{"containerPort":80,"protocol":"TCP"}]}])");
}

TEST(BuiltinKindsTest, ServerSideApplyOwnsListItemsByTheirKeys) {
  const FieldManagerOptions one{.manager = "one",
                                .api_version = "apps/v1",
                                .time = "2024-01-01T00:00:00Z",
                                .schema = &FindBuiltinKind("apps", "v1", "Deployment")->schema};
  FieldManagerOptions two = one;
  two.manager = "two";
  const Json live = Apply(nullptr, ParseJson(kDeployment).value(), one, false).value().object;

  const Json other_item = ParseJson(R"({"spec": {"template": {"spec": {"containers": [
      {"name": "c", "image": "c:1"}]}}}})")
                              .value();
  const Json both = Apply(live, other_item, two, false).value().object;
  EXPECT_EQ(both.at("spec").at("template").at("spec").at("containers").as_array().size(), 3);

  const Json same_field = ParseJson(R"({"spec": {"template": {"spec": {"containers": [
      {"name": "a", "image": "a:2"}]}}}})")
                              .value();
  EXPECT_EQ(Apply(live, same_field, two, false).error().message(),
            "Apply failed with 1 conflict: conflict with \"one\": "
            ".spec.template.spec.containers[name=\"a\"].image");
}

}  // namespace
}  // namespace kubexms
