#include "kubexms/base/json/json_scanner.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kubexms/base/json/json.h"
#include "kubexms/base/json/json_gen_test.h"
#include "kubexms/base/json/json_reader.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

// The canonical form as the scanner finds it, or "refused".
std::string Scan(std::string_view text) {
  JsonScanner in(text);
  std::string out;
  const bool read = in.ReadCanonical(out).ok() && in.Finish();
  return read ? out : "refused";
}

// The result of simdjson, which is independent of our scanner; ParseJson, which uses the scanner,
// only reports duplicate keys.
std::string Parse(std::string_view text) {
  const Result<Json> value = ParseJson(text);
  const bool duplicates = !value.ok() && value.error().message().starts_with("duplicate field");
  const auto element = JsonReader::Read(text);
  if (!element.ok() || duplicates) return "refused";
  TextBuffer out;
  AppendJson(*element, out);
  return out.ToString();
}

TEST(JsonScannerTest, ReadsMembersOneByOne) {
  JsonScanner in(R"( {"name" : "a\tb", "size": -12, "big":18446744073709551615, "part":0.5,
                      "on":true, "off":false, "none":null, "list":[1, 2], "empty":{}} )");
  std::string seen;
  for (bool more = in.Enter('{'); more; more = in.Next('}')) {
    std::string_view key;
    ASSERT_TRUE(in.ReadKey(key));
    seen += std::string(key) + "=";
    std::string value;
    ASSERT_TRUE(in.ReadCanonical(value).ok());
    seen += value + ";";
  }
  EXPECT_TRUE(in.Finish());
  EXPECT_EQ(seen,
            "name=\"a\\tb\";size=-12;big=18446744073709551615;part=0.5;on=true;off=false;"
            "none=null;list=[1,2];empty={};");
}

TEST(JsonScannerTest, ReadsNumbersInTheFirstFittingForm) {
  using Form = JsonScanner::Number::Form;
  const auto read = [](std::string_view text) {
    JsonScanner::Number number;
    JsonScanner in(text);
    EXPECT_TRUE(in.ReadNumber(number) && in.Finish());
    return number;
  };
  EXPECT_EQ(read("999999999999999999").int64, 999999999999999999);
  EXPECT_EQ(read("-9223372036854775808").int64, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(read("-0").form, Form::kInt64);
  EXPECT_EQ(read("9223372036854775808").form, Form::kUint64);
  EXPECT_EQ(read("9223372036854775808").AsDouble(), 0x1p63);
  EXPECT_EQ(read("1.5").form, Form::kDouble);
  EXPECT_EQ(read("-25e-1").AsDouble(), -2.5);
}

TEST(JsonScannerTest, NamesTheTypeOfTheNextValue) {
  const auto name = [](std::string_view text) { return JsonScanner(text).ReadTypeName(); };
  EXPECT_EQ(name(" {}"), "object");
  EXPECT_EQ(name("[]"), "array");
  EXPECT_EQ(name("\"\""), "string");
  EXPECT_EQ(name("true"), "boolean");
  EXPECT_EQ(name("null"), "null");
  EXPECT_EQ(name("18446744073709551615"), "integer");
  EXPECT_EQ(name("1.0"), "number");
}

TEST(JsonScannerTest, FailsForeverAfterMalformedText) {
  JsonScanner in(R"([tru, 1])");
  bool value = false;
  EXPECT_TRUE(in.Enter('['));
  EXPECT_FALSE(in.ReadBool(value));
  EXPECT_FALSE(in.ok());
  EXPECT_FALSE(in.Next(']'));
  EXPECT_FALSE(in.Finish());
}

TEST(JsonScannerTest, RefusesTheSameTextsAsTheParser) {
  const std::string deep = std::string(512, '[') + "1" + std::string(512, ']');
  for (const std::string& text : std::vector<std::string>{
           deep,
           "[" + deep + "]",
           std::string(512, '[') + "{}" + std::string(512, ']'),
           "",
           " \n ",
           "{",
           "{\"a\"",
           "{\"a\":",
           "{\"a\":1",
           "{\"a\":1,}",
           "{\"a\" 1}",
           "{,}",
           "{a:1}",
           "{1:1}",
           "[",
           "[1,]",
           "[,1]",
           "[1 2]",
           "[1}",
           "{\"a\":1]",
           "]",
           "{} {}",
           "tru",
           "truex",
           "nul",
           "nulll",
           "falsy",
           "NaN",
           "01",
           "-",
           "--1",
           "+1",
           "1.",
           ".5",
           "1e",
           "1e+",
           "1e5",
           "1E-2",
           "-0",
           "-0.0",
           "1e400",
           "-1e400",
           "1e-400",
           "18446744073709551615",
           "18446744073709551616",
           "-9223372036854775808",
           "-9223372036854775809",
           "1234567890123456789012345",
           "\"",
           "\"a",
           "\"\\",
           "\"\\\"",
           "\"\\x\"",
           "\"\\u12\"",
           "\"\\u12g4\"",
           "\"\\u00e9\\ud83d\\ude00\\/\\b\\f\"",
           "\"\\ud800\"",
           "\"\\ud800x\"",
           "\"\\ud800\\n\"",
           "\"\\ud800\\ud800\"",
           "\"\\udc00\"",
           "\"\\u0000\"",
           "\"a\nb\"",
           "\"tab\there\"",
           "\"long enough for a whole word\x01\"",
           "\"\x7F\"",
           "\"\xFF\"",
           "[\"a\xE2\x82\"]",
           std::string("\"a\0b\"", 5),
           std::string("1\0", 2),
           std::string("\0", 1),
           "// comment\n1",
           "\xEF\xBB\xBF{}",
           "{\"a\":1,\"a\":2}",
           "{\"a\":1,\"\\u0061\":2}",
           "{\"b\":1,\"a\":{\"d\":[{\"f\":1,\"e\":2}],\"c\":3}}",
           "{\"a\\\"\":1,\"a\":2,\"\\\"\":3}",
           "\t[\r\n1 , 2 ]\n",
           "\f1",
       }) {
    EXPECT_EQ(Scan(text), Parse(text)) << text;
  }
}

TEST(JsonScannerTest, ReadsTheSameDocumentsAsTheParser) {
  const auto gen_text = rc::gen::map(rc::gen::arbitrary<std::string>(), ToValidUtf8);
  EXPECT_TRUE(rc::check([&] {
    const Json value = GenJson(3, gen_text);
    RC_ASSERT(Scan(WriteJson(value)) == Parse(WriteJson(value)));
    RC_ASSERT(Scan(WriteJsonPretty(value)) == WriteJson(value));
  }));
}

TEST(JsonScannerTest, TreatsCorruptedDocumentsAsTheParser) {
  const auto gen_text = rc::gen::element<std::string>("", "a", "b\"", "kubernetes.io/name", "\n");
  EXPECT_TRUE(rc::check([&] {
    std::string text = WriteJson(GenJson(3, gen_text));
    const auto at = *rc::gen::inRange<size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0: text.erase(at, 1); break;
      case 1: text[at] = *rc::gen::elementOf(std::string("{}[]\",:\\ 0-.e\x01tn")); break;
      default: text.resize(at); break;
    }
    RC_ASSERT(Scan(text) == Parse(text));
  }));
}

}  // namespace
}  // namespace kubexms
