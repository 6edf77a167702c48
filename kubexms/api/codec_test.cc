#include "kubexms/api/codec.h"

#include <gtest/gtest.h>

#include <limits>

namespace kubexms {
namespace {

struct Part : Struct {
  std::string name;
  Optional<int32_t> size;
  Optional<Part> inner;

  static void Describe(Type<Part>& type) {
    type.Doc("A part, which may have a part.");
    type.Field("name", &Part::name).Required();
    type.Field("size", &Part::size);
    type.Field("inner", &Part::inner);
  }
};

struct Machine : Struct {
  bool running = false;
  int64_t serial = 0;
  double weight = 0;
  std::string label;
  Part frame;
  std::vector<Part> parts;
  std::vector<std::string> tags;
  StringMap notes;
  StringKeyed<Part> spares;
  RawJson extra;

  static void Describe(Type<Machine>& type) {
    type.Field("running", &Machine::running);
    type.Field("serial", &Machine::serial);
    type.Field("weight", &Machine::weight);
    type.Field("label", &Machine::label);
    type.Field("frame", &Machine::frame);
    type.Field("parts", &Machine::parts);
    type.Field("tags", &Machine::tags);
    type.Field("notes", &Machine::notes);
    type.Field("spares", &Machine::spares);
    type.Field("extra", &Machine::extra);
  }
};

std::string Recode(std::string_view json) {
  const Result<Machine> machine = Decode<Machine>(json);
  return machine.ok() ? Encode(*machine) : machine.error().message();
}

TEST(CodecTest, RoundTripsEveryKindOfMember) {
  const std::string json =
      R"({"extra":{"a":[1,null]},"frame":{"name":"f"},"label":"x\n\"y\"","notes":{"a":"1","b":""},)"
      R"("parts":[{"inner":{"name":"q","size":0},"name":"p","size":-3}],"running":true,)"
      R"("serial":9223372036854775807,"spares":{"k":{"name":"s"}},"tags":["t",""],"weight":1.5})";
  EXPECT_EQ(Recode(json), json);
}

TEST(CodecTest, OmitsAbsentEmptyAndZeroFields) {
  EXPECT_EQ(Encode(Machine{}), "{}");
  EXPECT_EQ(Encode(Part{}), R"({"name":""})");
  EXPECT_EQ(Recode(R"({"frame":{"name":"f"},"tags":[],"notes":{},"serial":0,"label":""})"),
            R"({"frame":{"name":"f"}})");
}

TEST(CodecTest, EncodesAnOptionalZero) {
  EXPECT_EQ(Recode(R"({"frame":{"name":"f","size":0}})"), R"({"frame":{"name":"f","size":0}})");
}

TEST(CodecTest, NullMeansAbsent) {
  EXPECT_EQ(Recode(R"({"frame":{"name":null,"inner":null},"tags":null,"serial":null})"), "{}");
}

TEST(CodecTest, PreservesUnknownFieldsAtEveryLevelInOrder) {
  const std::string json = R"({"Zed":1,"frame":{"aaa":[{"z":1}],"name":"f","zzz":null},)"
                           R"("parts":[{"name":"p","unheard":{"of":true}}],"zoo":"last"})";
  Machine machine = Decode<Machine>(json).value();
  EXPECT_EQ(Encode(machine), json);
  machine.parts[0].name = "changed";
  Machine copy = machine;
  EXPECT_EQ(Encode(copy), R"({"Zed":1,"frame":{"aaa":[{"z":1}],"name":"f","zzz":null},)"
                          R"("parts":[{"name":"changed","unheard":{"of":true}}],"zoo":"last"})");
}

TEST(CodecTest, ErrorsNameTheFieldAndBothTypes) {
  EXPECT_EQ(Recode(R"({"serial":"1"})"), "serial: expected integer, got string");
  EXPECT_EQ(Recode(R"({"serial":1.5})"), "serial: expected integer, got number");
  EXPECT_EQ(Recode(R"({"parts":[{"name":"a"},{"name":{}}]})"),
            "parts[1].name: expected string, got object");
  EXPECT_EQ(Recode(R"({"spares":{"k":{"inner":{"size":true}}}})"),
            "spares.k.inner.size: expected integer, got boolean");
  EXPECT_EQ(Recode(R"([])"), "expected object, got array");
}

TEST(CodecTest, RefusesIntegersOutOfRange) {
  EXPECT_EQ(Recode(R"({"frame":{"size":2147483648}})"),
            "frame.size: 2147483648 is out of the range of a 32-bit integer");
  EXPECT_EQ(Recode(R"({"serial":9223372036854775808})"), "serial: the integer is out of range");
}

TEST(CodecTest, RefusesDuplicateFields) {
  EXPECT_EQ(Recode(R"({"label":"a","label":"b"})"), "label: the field is given twice");
  EXPECT_EQ(Recode(R"({"notes":{"k":"a","k":"b"}})"), "notes.k: the field is given twice");
  EXPECT_EQ(Recode(R"({"what":1,"what":2})"), "what: the field is given twice");
}

TEST(CodecTest, WritesNumbersWithoutJsonFormAsNull) {
  Machine machine;
  machine.weight = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Encode(machine), R"({"weight":null})");
}

TEST(CodecTest, RefusesMoreThanTheDepthLimit) {
  std::string json;
  for (int i = 0; i < 600; ++i) json += R"({"inner":)";
  EXPECT_FALSE(Decode<Part>(json + "{}" + std::string(600, '}')).ok());
}

struct Gadget : Struct {
  static constexpr KindName kKind{
      .group = "example.io", .version = "v1", .kind = "Gadget", .doc = "A gadget."};
  std::string data;

  static void Describe(Type<Gadget>& type) { type.Field("data", &Gadget::data); }
};

TEST(CodecTest, WritesAndChecksApiVersionAndKind) {
  Gadget gadget;
  gadget.data = "d";
  EXPECT_EQ(Encode(gadget), R"({"apiVersion":"example.io/v1","data":"d","kind":"Gadget"})");
  EXPECT_TRUE(Decode<Gadget>(R"({"data":"d"})").ok());
  EXPECT_EQ(Decode<Gadget>(R"({"kind":"Widget"})").error().message(),
            "kind: expected \"Gadget\", got \"Widget\"");
}

TEST(TypeTest, HasASchema) {
  const Schema& schema = SchemaOf<Machine>();
  EXPECT_EQ(schema.FindMember("serial")->format, "int64");
  EXPECT_EQ(schema.FindMember("parts")->items->FindMember("size")->type, SchemaType::kInteger);
  EXPECT_EQ(schema.FindMember("frame")->Resolve().doc, "A part, which may have a part.");
  EXPECT_TRUE(schema.FindMember("frame")->IsRequired("name"));
  EXPECT_EQ(schema.FindMember("spares")->FindMember("any")->FindMember("name")->type,
            SchemaType::kString);
  EXPECT_EQ(schema.FindMember("nothing"), nullptr);
}

TEST(TypeTest, ATypeMayContainItself) {
  const Schema* inner = SchemaOf<Part>().FindMember("inner");
  EXPECT_EQ(&inner->Resolve(), &SchemaOf<Part>());
}

TEST(KindNameTest, FormsPlurals) {
  const auto plural = [](std::string_view kind) { return KindName{.kind = kind}.Plural(); };
  EXPECT_EQ(plural("Pod"), "pods");
  EXPECT_EQ(plural("Ingress"), "ingresses");
  EXPECT_EQ(plural("NetworkPolicy"), "networkpolicies");
  EXPECT_EQ(plural("Devbox"), "devboxes");
  EXPECT_EQ(plural("Gateway"), "gateways");
}

}  // namespace
}  // namespace kubexms
