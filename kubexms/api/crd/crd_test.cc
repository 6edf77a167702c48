#include "kubexms/api/crd/crd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kubexms/api/crd/crd_schema.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/validation.h"

namespace kubexms {
namespace {

// The whole of a user's kind.
struct WidgetSpec : Struct {
  int32_t size = 0;
  std::string color;
  std::vector<std::string> tags;

  static void Describe(Type<WidgetSpec>& type) {
    type.Doc("What a widget should be.");
    type.Field("size", &WidgetSpec::size, "How big.").Minimum(1).Maximum(10).Default(3);
    type.Field("color", &WidgetSpec::color, "Paint.").Required().Enum({"red", "blue"}).Immutable();
    type.Field("tags", &WidgetSpec::tags).ListSet();
  }
};

struct WidgetStatus : Struct {
  std::string phase;
  Time painted_at;

  static void Describe(Type<WidgetStatus>& type) {
    type.Field("phase", &WidgetStatus::phase, "Where it is.").Column("Phase");
    type.Field("paintedAt", &WidgetStatus::painted_at).Column("Painted", 1);
  }
};

struct Widget : Object<WidgetSpec, WidgetStatus> {
  static constexpr KindName kKind{.group = "example.io",
                                  .version = "v1",
                                  .kind = "Widget",
                                  .doc = "A widget.",
                                  .short_names = "wd",
                                  .categories = "all toys"};
};

TEST(CrdTest, GeneratesADefinitionFromADescribedKind) {
  const Json crd = CrdOf<Widget>();
  EXPECT_EQ(crd.at("metadata").at("name"), "widgets.example.io");
  const Json& spec = crd.at("spec");
  EXPECT_EQ(WriteJson(spec.at("names")),
            R"({"categories":["all","toys"],"kind":"Widget","listKind":"WidgetList",)"
            R"("plural":"widgets","shortNames":["wd"],"singular":"widget"})");
  EXPECT_EQ(spec.at("scope"), "Namespaced");
  const Json& version = spec.at("versions").at(0);
  EXPECT_EQ(WriteJson(version.at("subresources")), R"({"status":{}})");
  EXPECT_EQ(WriteJson(version.at("additionalPrinterColumns")),
            R"([{"description":"Where it is.","jsonPath":".status.phase","name":"Phase",)"
            R"("type":"string"},)"
            R"({"jsonPath":".status.paintedAt","name":"Painted","priority":1,"type":"date"},)"
            R"({"jsonPath":".metadata.creationTimestamp","name":"Age","type":"date"}])");
}

TEST(CrdTest, TheSchemaIsStructuralAndMatchesTheDescription) {
  const Json crd = CrdOf<Widget>();
  const FieldPath path("schema");
  const CrdSchema parsed =
      ParseCrdSchema(crd.at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema"), path);
  ASSERT_NE(parsed.schema, nullptr)
      << parsed.errors.front().field << ": " << parsed.errors.front().message;
  EXPECT_TRUE(parsed.unevaluated_rules.empty());
  EXPECT_TRUE(parsed.schema->FindProperty("spec")->FindProperty("color")->immutable);
  Json widget = ParseJson(R"({"spec": {"color": "green", "tags": ["a", "a"]}})").value();
  EXPECT_TRUE(ApplyDefaults(widget, *parsed.schema));
  EXPECT_EQ(widget.at("spec").at("size"), 3);
  const std::vector<ErrorCause> errors = Validate(widget, *parsed.schema);
  ASSERT_EQ(errors.size(), 2);
  EXPECT_EQ(errors[0].field, "spec.color");
  EXPECT_EQ(errors[1].field, "spec.tags[1]");
}

struct PartSpec : Struct {
  std::string name;
  std::string material;

  static void Describe(Type<PartSpec>& type) {
    type.Field("name", &PartSpec::name).Required();
    type.Field("material", &PartSpec::material).MaxLength(100).Immutable();
  }
};

struct MachineLimits : Struct {
  int32_t power = 0;

  static void Describe(Type<MachineLimits>& type) {
    type.Field("power", &MachineLimits::power).Default(5);
  }
};

struct MachineSpec : Struct {
  corev1::PodTemplateSpec template_;
  std::vector<PartSpec> parts;
  MachineLimits limits;

  static void Describe(Type<MachineSpec>& type) {
    type.Field("template", &MachineSpec::template_);
    type.Field("parts", &MachineSpec::parts).ListMap({"name"}).MaxItems(100);
    type.Field("limits", &MachineSpec::limits);
  }
};

struct Machine : Object<MachineSpec, WidgetStatus> {
  static constexpr KindName kKind{.group = "example.io", .version = "v1", .kind = "Machine"};
};

SchemaHandle SchemaOfMachine() {
  const Json crd = CrdOf<Machine>();
  return ParseCrdSchema(crd.at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema"),
                        FieldPath("schema"))
      .schema;
}

void CountRules(const Json& value, int& count) {
  if (value.is_array()) {
    for (const Json& item : value.get_array()) CountRules(item, count);
  }
  if (!value.is_object()) return;
  for (const auto& member : value.get_object()) {
    if (member.key() == "x-kubernetes-validations") ++count;
    CountRules(member.value(), count);
  }
}

// Claims in volumes of Pods cannot be changed, but templates of them can.
TEST(CrdTest, FieldsOfKubernetesTypesAreNotImmutable) {
  int count = 0;
  CountRules(CrdOf<Machine>(), count);
  EXPECT_EQ(count, 1);
}

TEST(CrdTest, ItemsOfAListMapHaveTheirRules) {
  const SchemaHandle schema = SchemaOfMachine();
  ASSERT_NE(schema, nullptr);
  const auto machine = [](std::string_view parts) {
    return ParseJson(fmt::format(R"({{"spec": {{"parts": {}}}}})", parts)).value();
  };
  const Json old = machine(R"([{"name": "a", "material": "iron"}, {"name": "b"}])");
  EXPECT_TRUE(ValidateTransition(machine(R"([{"name": "b", "material": "tin"},
                                             {"name": "a", "material": "iron"}])"),
                                 old, *schema)
                  .empty());
  const auto errors =
      ValidateTransition(machine(R"([{"name": "a", "material": "wood"}])"), old, *schema);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].field, "spec.parts[0].material");
}

TEST(CrdTest, AnAbsentSpecHasTheDefaultsOfItsMembers) {
  Json machine = JsonObject();
  EXPECT_TRUE(ApplyDefaults(machine, *SchemaOfMachine()));
  EXPECT_EQ(WriteJson(machine), R"({"spec":{"limits":{"power":5}}})");
  // What is required and has no default must be given.
  Json widget = JsonObject();
  const Json crd = CrdOf<Widget>();
  const CrdSchema parsed = ParseCrdSchema(
      crd.at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema"), FieldPath("schema"));
  EXPECT_FALSE(ApplyDefaults(widget, *parsed.schema));
}

struct ShelfSpec : Struct {
  std::vector<PartSpec> parts;

  static void Describe(Type<ShelfSpec>& type) { type.Field("parts", &ShelfSpec::parts); }
};

struct Shelf : Object<ShelfSpec, WidgetStatus> {
  static constexpr KindName kKind{.group = "example.io", .version = "v1", .kind = "Shelf"};
};

TEST(CrdDeathTest, RefusesRulesThatKubernetesRefuses) {
  EXPECT_DEATH(CrdOf<Shelf>(), "uncorrelatable portion of the schema within Shelf");
}

TEST(CrdTest, EncodesAndDecodesTheKind) {
  Widget widget;
  widget.metadata.name = "w";
  widget.spec.color = "red";
  const std::string json =
      R"({"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"w"},)"
      R"("spec":{"color":"red"}})";
  EXPECT_EQ(Encode(widget), json);
  EXPECT_EQ(Encode(Decode<Widget>(json).value()), json);
}

}  // namespace
}  // namespace kubexms
