#include "kubexms/api/crd.h"

#include <gtest/gtest.h>

#include "kubexms/api/crd_schema.h"
#include "kubexms/api/defaulting.h"
#include "kubexms/api/validation.h"

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

TEST(CrdTest, IsMadeFromADescribedKind) {
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

TEST(CrdTest, TheSchemaIsStructuralAndSaysWhatTheDescriptionSays) {
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

TEST(CrdTest, TheKindHasACodecOfItsOwn) {
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
