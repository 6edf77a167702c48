#include "kubexms/base/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/json/monotonic_resource.hpp>
#include <limits>

#include "kubexms/base/json/json_gen_test.h"
#include "kubexms/base/json/json_reader.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

using ::testing::ElementsAre;

// The canonical form of a text, or its error message.
std::string Parse(std::string_view text, const JsonOptions& options = {}) {
  const Result<Json> value = ParseJson(text, options);
  return value.ok() ? WriteJson(*value) : value.error().message();
}

std::string Print(double number) {
  TextBuffer out;
  AppendJsonNumber(number, out);
  return out.ToString();
}

std::string Print(simdjson::dom::element element) {
  TextBuffer out;
  AppendJson(element, out);
  return out.ToString();
}

TEST(JsonTest, WritesTheCanonicalForm) {
  EXPECT_EQ(Parse(" { \"b\" : [ 1 , 2.50 , true , null ] , \"a\" : { } , \"\" : \"x\" } "),
            R"({"":"x","a":{},"b":[1,2.5,true,null]})");
  EXPECT_EQ(Parse(R"("\u00e9\ud83d\ude00\/\b\f\u0001\u007f")"), "\"é😀/\\u0008\\u000c\\u0001\x7F\"");
  for (const char* scalar : {"null", "true", "false", "0", "\"\"", "[]", "{}"}) {
    EXPECT_EQ(Parse(scalar), scalar);
  }
}

TEST(JsonTest, WritesInvalidUtf8AsReplacementCharacters) {
  // Of every length, because short and long texts are copied differently.
  for (size_t size = 1; size < 40; ++size) {
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text[at] = '\xFF';
      const std::string written = WriteJson(Json(text));
      EXPECT_TRUE(IsValidUtf8(written));
      EXPECT_EQ(written,
                '"' + std::string(at, 'x') + "\uFFFD" + std::string(size - at - 1, 'x') + '"');
    }
  }
  EXPECT_EQ(WriteJson(Json("\xED\xA0\x80\n")), "\"\uFFFD\uFFFD\uFFFD\\n\"");
  EXPECT_EQ(WriteJson(Json("grüße 😀 \"")), R"("grüße 😀 \"")");
}

TEST(JsonTest, SortsKeysByBytes) {
  EXPECT_EQ(Parse(R"({"é":1,"b":2,"B":3,"a":4,"aa":5})"), R"({"B":3,"a":4,"aa":5,"b":2,"é":1})");
}

TEST(JsonTest, PrintsNumbersAsGoDoes) {
  EXPECT_EQ(Print(0), "0");
  EXPECT_EQ(Print(-0.0), "0");
  EXPECT_EQ(Print(1), "1");
  EXPECT_EQ(Print(-1.5), "-1.5");
  EXPECT_EQ(Print(0.1), "0.1");
  EXPECT_EQ(Print(1e6), "1000000");
  EXPECT_EQ(Print(123456789.125), "123456789.125");
  EXPECT_EQ(Print(1e-6), "0.000001");
  EXPECT_EQ(Print(1e-7), "1e-7");
  EXPECT_EQ(Print(1.5e-10), "1.5e-10");
  EXPECT_EQ(Print(1e21), "1e+21");
  EXPECT_EQ(Print(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(Print(5e-324), "5e-324");
}

TEST(JsonTest, PrintsLargeNumbersSoThatTheyCanBeReadBack) {
  EXPECT_EQ(Print(-0x1p63), "-9223372036854775808");
  EXPECT_EQ(Print(0x1p63), "9223372036854775808");
  EXPECT_EQ(Print(0x1p64), "1.8446744073709552e+19");
  EXPECT_EQ(Print(-1e19), "-1e+19");
}

TEST(JsonTest, KeepsIntegersExact) {
  EXPECT_EQ(Parse("[9223372036854775807,-9223372036854775808,18446744073709551615]"),
            "[9223372036854775807,-9223372036854775808,18446744073709551615]");
}

TEST(JsonTest, RefusesNumbersOutOfRange) {
  EXPECT_EQ(Parse("{\"a\":\"1e999\",\n \"b\": 18446744073709551616}"),
            "line 2, column 7: the number is malformed or out of range");
  EXPECT_EQ(Parse("[-9223372036854775809]"),
            "line 1, column 2: the number is malformed or out of range");
  EXPECT_EQ(Parse("[1, 1e400]"), "line 1, column 5: the number is malformed or out of range");
  EXPECT_EQ(Parse("[01]"), "line 1, column 2: the number is malformed or out of range");
  EXPECT_EQ(Parse("1e-400"), "0");
}

TEST(JsonTest, RefusesDeepNesting) {
  const std::string deep = std::string(512, '[') + "1" + std::string(512, ']');
  EXPECT_EQ(Parse(deep), deep);
  EXPECT_EQ(Parse("[" + deep + "]"), "line 1, column 513: nested deeper than 512 levels");
  EXPECT_EQ(Parse("[{\"a\":1}]", {.max_depth = 2}), "[{\"a\":1}]");
  EXPECT_EQ(Parse("[\n{\"a\":[1]}]", {.max_depth = 2}),
            "line 2, column 6: nested deeper than 2 levels");
}

TEST(JsonTest, RefusesDuplicatesWithTheirPath) {
  const std::string text = R"({"spec":{"containers":[{},{"image":1,"name":2,"image":3}]}})";
  EXPECT_EQ(Parse(text), "duplicate field \"spec.containers[1].image\"");
  EXPECT_EQ(Parse(R"({"a":1,"a":1})"), "duplicate field \"a\"");
  EXPECT_EQ(Parse(R"({"a":1,"\u0061":1})"), "duplicate field \"a\"");
}

TEST(JsonTest, UsesTheLastDuplicateOnRequest) {
  std::vector<std::string> duplicates;
  EXPECT_EQ(Parse(R"({"b":{"y":1,"x":2,"y":3},"a":1,"b":{"y":4,"x":5,"y":6}})",
                  {.duplicates = &duplicates}),
            R"({"a":1,"b":{"x":5,"y":6}})");
  EXPECT_THAT(duplicates, ElementsAre("b.y", "b.y", "b"));
}

TEST(JsonTest, RefusesInvalidUtf8WithItsPosition) {
  EXPECT_EQ(Parse("{\"a\":1,\n\"b\":\"x\xFFy\"}"), "line 2, column 7: invalid UTF-8");
  EXPECT_EQ(Parse("[\"\xC0\x80\"]"), "line 1, column 3: invalid UTF-8");
  EXPECT_EQ(Parse("[\"a\xE2\x82\"]"), "line 1, column 4: invalid UTF-8");
}

TEST(JsonTest, RefusesMalformedTextWithItsPosition) {
  EXPECT_EQ(Parse(""), "the JSON text is empty");
  EXPECT_EQ(Parse(" \n "), "the JSON text is empty");
  EXPECT_EQ(Parse("{\"a\":1"), "line 1, column 7: unexpected end of JSON input");
  EXPECT_EQ(Parse("{\"a\":1,}"), "line 1, column 8: malformed JSON");
  EXPECT_EQ(Parse("{\n  \"a\": tru\n}"), "line 2, column 8: malformed JSON");
  EXPECT_EQ(Parse("{} {}"), "line 1, column 4: malformed JSON");
  EXPECT_EQ(Parse("{a:1}"), "line 1, column 2: malformed JSON");
  EXPECT_EQ(Parse("[\"a\nb\"]"), "line 1, column 4: a control character inside a string");
  EXPECT_EQ(Parse("// comment\n1"), "line 1, column 1: malformed JSON");
  EXPECT_EQ(Parse("[\"\\ud800\"]").substr(0, 4), "line");
  EXPECT_EQ(Parse("NaN"), "line 1, column 1: malformed JSON");
}

TEST(JsonTest, ParsesIntoTheGivenStorage) {
  boost::json::monotonic_resource memory;
  const Result<Json> value = ParseJson(R"({"a":["b"]})", {.storage = &memory});
  EXPECT_EQ(value->storage().get(), &memory);
  EXPECT_EQ(value->at("a").at(0).storage().get(), &memory);
}

TEST(JsonTest, WritesIndentedJson) {
  EXPECT_EQ(WriteJsonPretty(*ParseJson(R"({"b":[],"a":[1,{"c":{}}]})")),
            "{\n"
            "  \"a\": [\n"
            "    1,\n"
            "    {\n"
            "      \"c\": {}\n"
            "    }\n"
            "  ],\n"
            "  \"b\": []\n"
            "}\n");
}

TEST(JsonTest, ComparesSemantically) {
  const auto equal = [](std::string_view a, std::string_view b) {
    const bool result = JsonEqual(*ParseJson(a), *ParseJson(b));
    EXPECT_EQ(result, JsonEqual(*ParseJson(b), *ParseJson(a)));
    return result;
  };
  EXPECT_TRUE(equal("1", "1.0"));
  EXPECT_TRUE(equal("18446744073709551615", "18446744073709551615"));
  EXPECT_TRUE(equal(R"({"a":[1],"b":2})", R"({"b":2.0,"a":[1.0]})"));
  EXPECT_FALSE(equal("1", "1.5"));
  EXPECT_FALSE(equal("-1", "18446744073709551615"));
  EXPECT_FALSE(equal("1", "\"1\""));
  EXPECT_FALSE(equal("1.5", "\"1.5\""));
  EXPECT_FALSE(equal("0", "false"));
  EXPECT_FALSE(equal("[1,2]", "[2,1]"));
  EXPECT_FALSE(equal("[1]", "[1,1]"));
  EXPECT_FALSE(equal(R"({"a":1})", R"({"b":1})"));
  EXPECT_FALSE(equal("{}", "[]"));
}

TEST(JsonTest, FindsMembers) {
  Json value = *ParseJson(R"({"a":{"b":"c"},"n":1})");
  EXPECT_EQ(*FindMember(*FindMember(value, "a"), "b"), Json("c"));
  EXPECT_EQ(FindMember(value, "x"), nullptr);
  EXPECT_EQ(FindMember(std::as_const(value), "x"), nullptr);
  EXPECT_EQ(FindMember(*FindMember(value, "n"), "x"), nullptr);
  EXPECT_EQ(FindString(value.at("a"), "b"), "c");
  EXPECT_EQ(FindString(value, "n"), "");
  EXPECT_EQ(FindString(value, "x"), "");
}

TEST(JsonTest, NamesTypes) {
  std::string names;
  const Json values = *ParseJson("[null,true,1,18446744073709551615,1.5,\"\",[],{}]");
  for (const Json& value : values.as_array()) {
    names += std::string(JsonTypeName(value)) + " ";
  }
  EXPECT_EQ(names, "null boolean integer integer number string array object ");
}

TEST(JsonTest, DescribesPositions) {
  EXPECT_EQ(DescribePosition("ab\ncd", 0), "line 1, column 1");
  EXPECT_EQ(DescribePosition("ab\ncd", 4), "line 2, column 2");
  EXPECT_EQ(DescribePosition("ab\ncd", 99), "line 2, column 3");
}

TEST(JsonReaderTest, ReturnsValuesOfTheText) {
  const auto root = JsonReader::Read(R"({"b":[1,-2,1.5,true,null,"x"],"a":18446744073709551615})");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(std::string_view((*root)["b"].at(5)), "x");
  EXPECT_EQ(Print(*root), R"({"a":18446744073709551615,"b":[1,-2,1.5,true,null,"x"]})");
}

TEST(JsonReaderTest, FreesLargeBuffers) {
  const std::string large = "\"" + std::string(3 << 20, 'x') + "\"";
  for (const std::string& text : {large, std::string("1"), large, std::string("[2]")}) {
    const auto root = JsonReader::Read(text);
    ASSERT_TRUE(root.ok());
    EXPECT_EQ(Print(*root).size(), text.size());
  }
}

TEST(JsonReaderTest, AppliesAChangedDepthLimit) {
  EXPECT_TRUE(JsonReader::Read("[[[1]]]", 3).ok());
  EXPECT_FALSE(JsonReader::Read("[[[1]]]", 2).ok());
  EXPECT_TRUE(JsonReader::Read("[[[1]]]", 3).ok());
}

// Any bytes, made valid: control characters, all lengths of sequences, U+FFFD.
rc::Gen<std::string> GenText() {
  return rc::gen::map(rc::gen::arbitrary<std::string>(),
                      [](const std::string& bytes) { return ToValidUtf8(bytes + "é€😀"); });
}

TEST(JsonTest, RoundTripsEveryDocument) {
  EXPECT_TRUE(rc::check([] {
    const Json value = GenJson(3, GenText());
    const std::string text = WriteJson(value);
    const Result<Json> back = ParseJson(text);
    if (!back.ok()) RC_FAIL(back.error().message() + " in: " + text);
    RC_ASSERT(JsonEqual(*back, value));
    RC_ASSERT(WriteJson(*back) == text);
    RC_ASSERT(JsonEqual(*ParseJson(WriteJsonPretty(value)), value));
    RC_ASSERT(Print(*JsonReader::Read(text)) == text);
  }));
}

TEST(JsonTest, RoundTripsEveryDouble) {
  EXPECT_TRUE(rc::check([] {
    const double number = GenDouble();
    const std::string text = Print(number);
    const Result<Json> back = ParseJson(text);
    if (!back.ok()) RC_FAIL(back.error().message() + ": " + text);
    RC_ASSERT(back->to_number<double>() == number);
  }));
}

}  // namespace
}  // namespace kubexms
