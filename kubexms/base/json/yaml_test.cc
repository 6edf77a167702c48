#include "kubexms/base/json/yaml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "kubexms/base/json/json_gen_test.h"

namespace kubexms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The canonical JSON of a YAML text, or its error message.
std::string ToJson(std::string_view yaml, const YamlOptions& options = {}) {
  const Result<YamlDocument> document = ParseYamlOne(yaml, options);
  return document.ok() ? WriteJson(document->value) : "error: " + document.error().message();
}

TEST(YamlScalarTest, ResolvesWordsAsKubernetesDoes) {
  EXPECT_EQ(ToJson("[~, null, Null, NULL, , ]").substr(0, 7), "error: ");
  EXPECT_EQ(ToJson("[~, null, Null, NULL]"), "[null,null,null,null]");
  EXPECT_EQ(ToJson("a:\nb: ~\n"), R"({"a":null,"b":null})");
  EXPECT_EQ(ToJson("[true, True, TRUE, yes, Yes, YES, on, On, ON, y, Y]"),
            "[true,true,true,true,true,true,true,true,true,true,true]");
  EXPECT_EQ(ToJson("[false, False, FALSE, no, No, NO, off, Off, OFF, n, N]"),
            "[false,false,false,false,false,false,false,false,false,false,false]");
  EXPECT_EQ(ToJson("[tRUE, yEs, nULL, nope, offline, yesterday, Y1]"),
            R"(["tRUE","yEs","nULL","nope","offline","yesterday","Y1"])");
}

TEST(YamlScalarTest, ReadsIntegersOfEveryBase) {
  EXPECT_EQ(ToJson("[0, 7, -7, +7, 1_000, 0x1F, -0xff, 0o17, 017, 0b101, -0b11, 0777]"),
            "[0,7,-7,7,1000,31,-255,15,15,5,-3,511]");
  EXPECT_EQ(ToJson("[9223372036854775807, -9223372036854775808, 18446744073709551615]"),
            "[9223372036854775807,-9223372036854775808,18446744073709551615]");
  EXPECT_EQ(ToJson("[08, 09.5]"), "[8,9.5]");
}

TEST(YamlScalarTest, ReadsDecimals) {
  EXPECT_EQ(ToJson("[1.5, -1.5, .5, -.5, 5., 1e3, 1E-3, 1.5e+2, 0.1, 1e-400]"),
            "[1.5,-1.5,0.5,-0.5,5,1000,0.001,150,0.1,0]");
  EXPECT_TRUE(ParseYamlOne("1e3")->value.is_double());
}

TEST(YamlScalarTest, ResolvesOtherScalarsToStrings) {
  EXPECT_EQ(ToJson("[1.2.3, 10.0.0.0/8, 100m, 1Gi, -, +, ., .e1, 0x, 0xZZ, 0o8, 1e, 1e+, --1]"),
            R"(["1.2.3","10.0.0.0/8","100m","1Gi","-","+",".",".e1","0x","0xZZ","0o8","1e","1e+",)"
            R"("--1"])");
  EXPECT_EQ(ToJson("[2024-01-31, 2024-01-31T10:00:00Z, 12:30:45]"),
            R"(["2024-01-31","2024-01-31T10:00:00Z","12:30:45"])");
}

TEST(YamlScalarTest, ResolvesQuotedScalarsToStrings) {
  EXPECT_EQ(ToJson("['true', \"1\", '~', '', \"\", 'it''s', \"a\\tb\\u00e9\\x41\"]"),
            R"(["true","1","~","","","it's","a\tbéA"])");
}

TEST(YamlScalarTest, RefusesNumbersOutOfRange) {
  EXPECT_EQ(ToJson("a: 18446744073709551616"),
            "error: line 1, column 4: the number 18446744073709551616 is out of range; quote it if "
            "it is meant as text");
  EXPECT_THAT(ToJson("-9223372036854775809"), HasSubstr("out of range"));
  EXPECT_THAT(ToJson("1e400"), HasSubstr("out of range"));
  EXPECT_THAT(ToJson("0xFFFFFFFFFFFFFFFFF"), HasSubstr("out of range"));
  for (const char* text : {".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN"}) {
    EXPECT_THAT(ToJson(text), HasSubstr("is not a JSON number")) << text;
  }
}

TEST(YamlTest, ReadsBlockScalars) {
  EXPECT_EQ(ToJson("a: |\n  x\n  y\n\nb: |-\n  x\nc: |+\n  x\n\nd: >\n  x\n  y\ne: |2\n    x\n"),
            R"({"a":"x\ny\n","b":"x","c":"x\n\n","d":"x y\n","e":"  x\n"})");
}

TEST(YamlTest, ConvertsScalarKeysToStrings) {
  EXPECT_EQ(ToJson("1: a\ntrue: b\non: c2\n").substr(0, 6), "error:");
  EXPECT_EQ(ToJson("1: a\n0x10: b\ny: c\nno: d\n1.50: e\n1e7: f\n'2': g\n-0.00001: h\n"),
            R"({"-1e-05":"h","1":"a","1.5":"e","16":"b","1e+07":"f","2":"g","false":"d",)"
            R"("true":"c"})");
}

TEST(YamlTest, RefusesKeysThatAreNotScalars) {
  EXPECT_EQ(ToJson("? [a]\n: b\n"),
            "error: line 1, column 3: a key must be a string, not a mapping or a sequence");
  EXPECT_THAT(ToJson("~: b\n"), HasSubstr("a key must be a string, not null"));
  EXPECT_THAT(ToJson("a: &x [1]\n*x : b\n"), HasSubstr("not a mapping or sequence"));
}

TEST(YamlTest, RepeatsAnchoredValues) {
  EXPECT_EQ(ToJson("a: &x {b: [1, 2]}\nc: *x\n"), R"({"a":{"b":[1,2]},"c":{"b":[1,2]}})");
  EXPECT_EQ(ToJson("&k key: 1\nb: *k\n*k : 2").substr(0, 6), "error:");
  EXPECT_EQ(ToJson("a: &k name\n*k : 2"), R"({"a":"name","name":2})");
  EXPECT_EQ(ToJson("[&a 1, *a, &a 2, *a]"), "[1,1,2,2]");
}

TEST(YamlTest, RefusesAliasesWithoutAValue) {
  EXPECT_EQ(ToJson("a: *x"), "error: line 1, column 4: the alias refers to an unknown anchor &x");
  EXPECT_EQ(ToJson("&x [*x]"), "error: line 1, column 5: the value of &x contains itself");
  EXPECT_THAT(ParseYaml("--- &x 1\n--- *x\n").error().message(), HasSubstr("unknown anchor &x"));
}

TEST(YamlTest, MergesMappingsWithoutOverwriting) {
  EXPECT_EQ(ToJson("b: &b {x: 1, v: 2}\nm:\n  x: 9\n  <<: *b\n  z: 3\n"),
            R"({"b":{"v":2,"x":1},"m":{"v":2,"x":9,"z":3}})");
  EXPECT_EQ(ToJson("- &a {x: 1}\n- &b {x: 2, v: 2}\n- <<: [*a, *b]\n"),
            R"([{"x":1},{"v":2,"x":2},{"v":2,"x":1}])");
  EXPECT_EQ(ToJson("'<<': {x: 1}"), R"({"<<":{"x":1}})");
  EXPECT_THAT(ToJson("<<: 1"),
              HasSubstr("the value of << must be a mapping or a list of mappings"));
  EXPECT_THAT(ToJson("<<: {a: 1}\n<<: {b: 1}"), HasSubstr("two << keys"));
}

TEST(YamlTest, RefusesAliasBombs) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i,
                        i - 1);
  }
  EXPECT_THAT(ToJson(bomb), HasSubstr("anchors and aliases repeat more than"));

  std::string long_text = "a: &a " + std::string(1 << 20, 'x') + "\nb: [";
  for (int i = 0; i < 100; ++i) long_text += "*a, ";
  EXPECT_THAT(ToJson(long_text + "]"), HasSubstr("anchors and aliases repeat more than"));

  EXPECT_THAT(ToJson("[&a [1, 2, 3], *a, *a]", {.max_nodes = 10}),
              HasSubstr("more than 10 values"));
}

TEST(YamlTest, LimitsTheDepthThroughAliases) {
  const std::string deep = std::string(512, '[') + "1" + std::string(512, ']');
  EXPECT_EQ(ToJson(deep), deep);
  EXPECT_THAT(ToJson("[" + deep + "]"), HasSubstr("column 513: nested deeper than 512 levels"));
  EXPECT_EQ(ToJson("[&a [[]], [*a]]", {.max_depth = 4}), "[[[]],[[[]]]]");
  EXPECT_THAT(ToJson("[&a [[]], [*a]]", {.max_depth = 3}), HasSubstr("nested deeper than 3"));
}

TEST(YamlTest, RefusesDuplicateKeysWithTheirPath) {
  const std::string text = "spec:\n  items:\n  - a: 1\n    a: 2\n";
  EXPECT_EQ(ToJson(text), "error: line 4, column 5: duplicate field \"spec.items[0].a\"");
  EXPECT_THAT(ToJson("1: a\n'1': b\n"), HasSubstr("duplicate field \"1\""));

  std::vector<std::string> duplicates;
  EXPECT_EQ(ToJson(text, {.duplicates = &duplicates}), R"({"spec":{"items":[{"a":2}]}})");
  EXPECT_THAT(duplicates, ElementsAre("spec.items[0].a"));
}

TEST(YamlTest, HandlesTags) {
  EXPECT_EQ(ToJson("[!!str 1, !!int '2', !!float 3, !!bool 'yes', !!null '', ! 4]"),
            R"(["1",2,3,true,null,"4"])");
  EXPECT_EQ(ToJson("!!map {a: !!seq [1]}"), R"({"a":[1]})");
  EXPECT_EQ(ToJson("!!int x"), "error: line 1, column 1: \"x\" does not match its tag !!int");
  EXPECT_EQ(ToJson("a: !custom x"),
            "error: line 1, column 4: the tag !custom is not supported here; remove it");
  EXPECT_THAT(ToJson("!!binary aGk="), HasSubstr("the tag !!binary is not supported"));
  EXPECT_THAT(ToJson("!!set {a}"), HasSubstr("the tag !!set is not supported"));
  EXPECT_THAT(ToJson("!!map []"), HasSubstr("not supported"));
}

TEST(YamlTest, ReportsThePositionOfMalformedText) {
  EXPECT_EQ(ToJson("a: b\n  c: d\n"),
            "error: line 2, column 4: mapping values are not allowed in this context");
  EXPECT_EQ(ToJson("a:\n\t- b\n"),
            "error: line 2, column 1: found character that cannot start any token; replace "
            "the tab by spaces (while scanning for the next token that begins at line 2, "
            "column 1)");
  EXPECT_EQ(ToJson("a: [1, 2\n"),
            "error: line 2, column 1: did not find expected ',' or ']' (while parsing a flow "
            "sequence that begins at line 1, column 4)");
}

TEST(YamlTest, RefusesBinaryInput) {
  EXPECT_EQ(ToJson("a: 1\nb: x\xFFy\n"), "error: line 2, column 5: invalid UTF-8");
  EXPECT_EQ(ToJson("a: \xC3"), "error: line 1, column 4: invalid UTF-8");
  EXPECT_EQ(ToJson(std::string_view("a: x\0y", 6)),
            "error: line 1, column 5: a control character is not allowed here");
  EXPECT_EQ(ToJson("\xEF\xBB\xBF{a: 1}"), R"({"a":1})");
}

TEST(YamlTest, ReadsSeveralDocuments) {
  const auto documents = ParseYaml("# first\na: 1\n---\n---\nb: 2\n...\n");
  ASSERT_TRUE(documents.ok());
  ASSERT_EQ(documents->size(), 3u);
  EXPECT_EQ((*documents)[0].line, 2);
  EXPECT_TRUE((*documents)[1].value.is_null());
  EXPECT_EQ(WriteJson((*documents)[2].value), R"({"b":2})");
  EXPECT_EQ((*documents)[2].line, 5);
}

TEST(YamlTest, RefusesASecondDocument) {
  EXPECT_EQ(ToJson("a: 1\n---\nb: 2\n"),
            "error: line 3: a second document begins here, but only one is allowed");
  EXPECT_EQ(ToJson("# nothing\n"), "error: the YAML text has no content");
}

TEST(YamlTest, ParsesEveryJson) {
  EXPECT_EQ(ToJson("{\"a\":1,\"b\":[true,null,\"x\\/y\",\"\\ud83d\\ude00\"],\n\t\"c\":{}}"),
            "{\"a\":1,\"b\":[true,null,\"x/y\",\"😀\"],\"c\":{}}");
  const std::string long_key(2000, 'k');
  EXPECT_EQ(ToJson("{\"" + long_key + "\":1}"), "{\"" + long_key + "\":1}");
}

TEST(YamlTest, ChoosesBetweenJsonAndYaml) {
  const auto parse = [](std::string_view text) {
    const Result<Json> value = ParseJsonOrYaml(text);
    return value.ok() ? WriteJson(*value) : value.error().message();
  };
  EXPECT_EQ(parse("{\"a\":1}"), R"({"a":1})");
  EXPECT_EQ(parse("a: 1"), R"({"a":1})");
  EXPECT_EQ(parse("{a: 1}"), R"({"a":1})");
  EXPECT_EQ(parse("{\"a\": b}"), R"({"a":"b"})");
  EXPECT_EQ(parse("[a, b]"), R"(["a","b"])");
  EXPECT_EQ(parse("{\"a\": 1"), "line 1, column 8: unexpected end of JSON input");
  EXPECT_THAT(parse("{a: 1"), HasSubstr("flow mapping"));
}

TEST(YamlPositionsTest, FindsFields) {
  const auto document = ParseYamlOne(
      "kind: Pod\n"
      "metadata:\n"
      "  labels: {app: x, app.kubernetes.io/name: y}\n"
      "spec:\n"
      "  containers:\n"
      "  - name: a\n"
      "  - name: b\n"
      "    image: c\n",
      {.positions = true});
  ASSERT_TRUE(document.ok());
  const auto find = [&](std::string_view path) {
    const YamlPosition position = document->positions.Find(path);
    return fmt::format("{}:{}", position.line, position.column);
  };
  EXPECT_EQ(find("kind"), "1:1");
  EXPECT_EQ(find("metadata.labels.app"), "3:12");
  EXPECT_EQ(find("metadata.labels.app.kubernetes.io/name"), "3:20");
  EXPECT_EQ(find("metadata.labels[app.kubernetes.io/name]"), "3:20");
  EXPECT_EQ(find("spec.containers[0]"), "6:5");
  EXPECT_EQ(find("spec.containers[1].image"), "8:5");
  EXPECT_EQ(find("spec.containers[1].ports[0]"), "7:5");
  EXPECT_EQ(find("spec.containers[9]"), "5:3");
  EXPECT_EQ(find("status"), "1:1");
  EXPECT_EQ(find(""), "1:1");
}

TEST(YamlPositionsTest, AreEmptyByDefault) {
  EXPECT_EQ(ParseYamlOne("a: 1")->positions.Find("a"), YamlPosition{});
}

TEST(YamlWriterTest, WritesBlockStyleWithSortedKeys) {
  const Json value = *ParseJson(
      R"({"spec":{"containers":[{"name":"a","args":["--x=1","-y"],"env":[]}],"empty":{}},)"
      R"("kind":"Pod","matrix":[[1,2],[]],"none":null,"f":1.5})");
  EXPECT_EQ(WriteYaml(value),
            "f: 1.5\n"
            "kind: Pod\n"
            "matrix:\n"
            "- - 1\n"
            "  - 2\n"
            "- []\n"
            "none: null\n"
            "spec:\n"
            "  containers:\n"
            "  - args:\n"
            "    - --x=1\n"
            "    - -y\n"
            "    env: []\n"
            "    name: a\n"
            "  empty: {}\n");
  EXPECT_EQ(WriteYaml(Json()), "null\n");
  EXPECT_EQ(WriteYaml(Json(JsonObject())), "{}\n");
}

TEST(YamlWriterTest, QuotesStringsThatResolveToOtherTypes) {
  const auto write = [](std::string_view text) { return WriteYaml(Json(text)); };
  for (const char* text : {"plain", "a b", "nginx:1.25", "http://x/y?z=1#top", "-x", "--- not",
                           "café", "a'b", "a\"b", "100m", "1.2.3", "x: y"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(ParseYamlOne(write(text))->value, Json(text));
  }
  EXPECT_EQ(write("nginx:1.25"), "nginx:1.25\n");
  EXPECT_EQ(write("it's"), "it's\n");
  EXPECT_EQ(write("yes"), "\"yes\"\n");
  EXPECT_EQ(write("0123"), "\"0123\"\n");
  EXPECT_EQ(write("1e400"), "\"1e400\"\n");
  EXPECT_EQ(write(".nan"), "\".nan\"\n");
  EXPECT_EQ(write(""), "\"\"\n");
  EXPECT_EQ(write("2024-01-31T10:00:00Z"), "\"2024-01-31T10:00:00Z\"\n");
  EXPECT_EQ(write("12:30"), "\"12:30\"\n");
  EXPECT_EQ(write("<<"), "\"<<\"\n");
  EXPECT_EQ(write("*"), "'*'\n");
  EXPECT_EQ(write("a: b"), "'a: b'\n");
  EXPECT_EQ(write("a #b"), "'a #b'\n");
  EXPECT_EQ(write(" a"), "' a'\n");
  EXPECT_EQ(write("a\tb"), "\"a\\tb\"\n");
  EXPECT_EQ(write("\x7F\xC2\x85\xE2\x80\xA8"), "\"\\x7f\\u0085\\u2028\"\n");
}

TEST(YamlWriterTest, WritesLinesAsLiteralBlocks) {
  const Json value =
      *ParseJson(R"({"a":"x\n\ty\n","b":"x\ny","c":"x\n\n","d":" x\ny","e":"x \ny"})");
  EXPECT_EQ(WriteYaml(value),
            "a: |\n"
            "  x\n"
            "  \ty\n"
            "b: |-\n"
            "  x\n"
            "  y\n"
            "c: |+\n"
            "  x\n"
            "\n"
            "d: \" x\\ny\"\n"
            "e: \"x \\ny\"\n");
  EXPECT_EQ(WriteYaml(Json("x\ny\n")), "|\n  x\n  y\n");
}

// Strings of the pieces that are hardest to write.
rc::Gen<std::string> GenText() {
  static const std::vector<std::string> kPieces = {"a",
                                                   "b ",
                                                   " ",
                                                   "\n",
                                                   "\t",
                                                   ":",
                                                   ": ",
                                                   "#",
                                                   " #",
                                                   "-",
                                                   "- ",
                                                   "?",
                                                   "'",
                                                   "\"",
                                                   "\\",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   "&",
                                                   "*",
                                                   "!",
                                                   "|",
                                                   ">",
                                                   "%",
                                                   "@",
                                                   "`",
                                                   "<<",
                                                   "=",
                                                   "~",
                                                   "null",
                                                   "true",
                                                   "yes",
                                                   "1",
                                                   "0x",
                                                   "0",
                                                   ".",
                                                   "e5",
                                                   "_",
                                                   "+",
                                                   "é",
                                                   "😀",
                                                   "\r",
                                                   "\x7F",
                                                   "\x01",
                                                   "\xC2\x85",
                                                   "\xE2\x80\xA8",
                                                   "\xEF\xBB\xBF",
                                                   "\xEF\xBF\xBF",
                                                   "---",
                                                   "...",
                                                   "2024-01-01"};
  return rc::gen::map(
      rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(0, kPieces.size())),
      [](const std::vector<size_t>& indices) {
        std::string text;
        for (size_t i = 0; i < indices.size() && i < 12; ++i) {
          text += kPieces[indices[i]];
        }
        return text;
      });
}

TEST(YamlWriterTest, RoundTripsEveryDocument) {
  EXPECT_TRUE(rc::check([] {
    const Json value = GenJson(3, GenText());
    const std::string text = WriteYaml(value);
    const Result<YamlDocument> back = ParseYamlOne(text);
    if (!back.ok()) RC_FAIL(back.error().message() + " in:\n" + text);
    if (!JsonEqual(back->value, value)) RC_FAIL(WriteJson(value) + " became:\n" + text);
  }));
}

TEST(YamlWriterTest, RoundTripsLongKeys) {
  JsonObject object;
  object[std::string(3000, 'k')] = JsonArray{1, JsonObject{{std::string(2000, ':'), "x"}}};
  object["z"] = 1;
  EXPECT_EQ(ParseYamlOne(WriteYaml(Json(object)))->value, Json(object));
}

}  // namespace
}  // namespace kubexms
