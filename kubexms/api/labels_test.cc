#include "kubexms/api/labels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

namespace kubexms {
namespace {

Selector Parsed(std::string_view text) {
  Result<Selector> selector = Selector::Parse(text);
  EXPECT_TRUE(selector.ok()) << text << ": " << selector.error().message();
  return selector.value_or({});
}

TEST(SelectorTest, ParsesTextAndWritesCanonicalText) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", ""},
      {"   ", ""},
      {"x=a", "x=a"},
      {"x==a", "x==a"},
      {" x = a ", "x=a"},
      {"x!=a", "x!=a"},
      {"x=", "x="},
      {"x=,z= ", "x=,z="},
      {"x", "x"},
      {"!x", "!x"},
      {"! x", "!x"},
      {"x in (foo)", "x in (foo)"},
      {"x in (b,a,b)", "x in (a,b)"},
      {"x in()", "x in ()"},
      {"x in ( , )", "x in ()"},
      {"x in (a,)", "x in (,a)"},
      {"x in (a,,b)", "x in (,a,b)"},
      {"x in (,,,b)", "x in (,b)"},
      {"x notin (foo)", "x notin (foo)"},
      {"x>1", "x>1"},
      {"x < 12", "x<12"},
      {"z,y=b,a in (c)", "a in (c),y=b,z"},
      {"a=1,a=2", "a=1,a=2"},
      {"in in (in,notin)", "in in (in,notin)"},
      {"notin=in", "notin=in"},
      {"x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()"},
      {"example.com/app=web\n,\ttier=front", "example.com/app=web,tier=front"},
  };
  for (const auto& [text, expected] : table) {
    const Selector selector = Parsed(text);
    EXPECT_EQ(selector.ToString(), expected) << text;
    EXPECT_EQ(Parsed(selector.ToString()), selector) << text;
  }
}

TEST(SelectorTest, RefusesMalformedTextWithKubernetesMessages) {
  const std::string requirement = "unable to parse requirement: ";
  const std::string operators = "expected: in, notin, =, ==, !=, gt, lt";
  const std::vector<std::pair<std::string, std::string>> table = {
      {",", "found ',', expected: !, identifier, or 'end of string'"},
      {"=a", "found '=', expected: !, identifier, or 'end of string'"},
      {"x=a,", "found '', expected: identifier after ','"},
      {"x=a,,y", "found ',', expected: identifier after ','"},
      {"x=a b", "found 'b', expected: ',' or 'end of string'"},
      {"!x=a", "found '=', expected: ',' or 'end of string'"},
      {"x in (a) b", "found 'b', expected: ',' or 'end of string'"},
      {"x==a==b", "found '==', expected: ',' or 'end of string'"},
      {"!", requirement + "found '', expected: identifier"},
      {"!!x", requirement + "found '!', expected: identifier"},
      {"x y", requirement + "found 'y', " + operators},
      {"x (a)", requirement + "found '(', " + operators},
      {"x!a", requirement + "found '!', " + operators},
      {"a in b", requirement + "found 'b' expected: '('"},
      {"a in", requirement + "found '' expected: '('"},
      {"a in (", requirement + "found '', expected: ',', ')' or identifier"},
      {"a in (=", requirement + "found '=', expected: ',', ')' or identifier"},
      {"a in (b", requirement + "found '', expected: ',' or ')'"},
      {"a in (b c)", requirement + "found 'c', expected: ',' or ')'"},
      {"a in (b,", requirement + "found '', expected: ',', or identifier"},
      {"a in (b,=)", requirement + "found '=', expected: ',', or identifier"},
      {"a=(b)", requirement + "found '(', expected: identifier"},
      {"a>b", requirement +
                  "values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an "
                  "integer"},
      {"a<", requirement +
                 "values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an "
                 "integer"},
  };
  for (const auto& [text, message] : table) {
    const Result<Selector> selector = Selector::Parse(text);
    ASSERT_FALSE(selector.ok()) << text;
    EXPECT_EQ(selector.error().message(), message) << text;
    EXPECT_TRUE(selector.error().IsBadRequest());
  }
}

TEST(SelectorTest, RefusesInvalidKeysAndValuesWithKubernetesMessages) {
  const std::string name =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
      "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const std::string value =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
      "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value', "
      " or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  EXPECT_EQ(Selector::Parse("-x=a").error().message(),
            "unable to parse requirement: <nil>: Invalid value: \"-x\": " + name);
  EXPECT_EQ(Selector::Parse("x=-a").error().message(),
            "unable to parse requirement: values[0][x]: Invalid value: \"-a\": " + value);
  EXPECT_EQ(Selector::Parse("x in (a,-b,-c)").error().message(),
            "unable to parse requirement: [values[0][x]: Invalid value: \"-b\": " + value +
                ", values[1][x]: Invalid value: \"-c\": " + value + "]");
  EXPECT_EQ(Selector::From({.match_labels = {{"-x", "a"}}}).error().message(),
            "key: Invalid value: \"-x\": " + name);
}

TEST(SelectorTest, MatchesByEachOperator) {
  const StringMap labels = {{"app", "web"}, {"empty", ""}, {"size", "10"}, {"tier", "front"}};
  for (const char* text :
       {"", "app", "app=web", "app==web", "app!=api", "none!=x", "app in (api,web)",
        "app notin (api,db)", "none notin (x)", "!none", "size>9", "size<11", "size>09",
        "empty=", "empty in ()", "empty", "app=web,tier=front", "app in (a,b,c,d,e,f,g,h,i,j,web)",
        "app=web,app!=api"}) {
    EXPECT_TRUE(Parsed(text).Matches(labels)) << text;
  }
  for (const char* text :
       {"none", "app=api", "app==api", "app!=web", "app in (api,db)", "app notin (api,web)", "!app",
        "size>10", "size<10", "app>1", "none>1", "none<1", "empty>0", "none=", "none in ()",
        "app=web,tier=back", "app in (a,b,c,d,e,f,g,h,i,j,k)", "app=web,app=api"}) {
    EXPECT_FALSE(Parsed(text).Matches(labels)) << text;
  }
}

TEST(SelectorTest, EverythingAndNothing) {
  EXPECT_TRUE(Selector::Everything().Matches({}));
  EXPECT_TRUE(Selector::Everything().IsEverything());
  EXPECT_FALSE(Selector::Nothing().Matches({}));
  EXPECT_FALSE(Selector::Nothing().Matches({{"a", "b"}}));
  EXPECT_FALSE(Selector::Nothing().IsEverything());
  EXPECT_TRUE(Selector::Nothing().IsNothing());
  EXPECT_EQ(Selector::Nothing().ToString(), "");
  EXPECT_NE(Selector::Nothing(), Selector::Everything());
}

LabelSelectorRequirement Expression(std::string key, std::string op,
                                    std::vector<std::string> values) {
  return {.key = std::move(key), .operator_ = std::move(op), .values = std::move(values)};
}

TEST(SelectorTest, ConvertsALabelSelector) {
  const Result<Selector> selector = Selector::From(
      {.match_expressions = {Expression("tier", "In", {"front", "back"}),
                             Expression("env", "NotIn", {"test"}), Expression("node", "Exists", {}),
                             Expression("legacy", "DoesNotExist", {})},
       .match_labels = {{"app", "web"}}});
  ASSERT_TRUE(selector.ok()) << selector.error().message();
  EXPECT_EQ(selector->ToString(), "app=web,env notin (test),!legacy,node,tier in (back,front)");
  EXPECT_TRUE(Selector::From({})->IsEverything());
  EXPECT_EQ(Selector::FromLabels({{"b", "2"}, {"a", "1"}}).ToString(), "a=1,b=2");
}

TEST(SelectorTest, RefusesInvalidRequirementsWithKubernetesMessages) {
  const auto message = [](const std::string& key, const std::string& op,
                          const std::vector<std::string>& values) {
    return Selector::From({.match_expressions = {Expression(key, op, values)}}).error().message();
  };
  EXPECT_EQ(message("a", "Equals", {"b"}), "\"Equals\" is not a valid label selector operator");
  EXPECT_EQ(message("a", "In", {}),
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
  EXPECT_EQ(message("a", "Exists", {"b", "c"}),
            "values: Invalid value: [\"b\",\"c\"]: values set must be empty for exists and does "
            "not exist");
}

TEST(SelectorTest, ReturnsTheRequiredValue) {
  const Selector selector = Parsed("a=1,b in (2),c in (3,4),d,e!=5");
  EXPECT_EQ(selector.RequiredValue("a"), "1");
  EXPECT_EQ(selector.RequiredValue("b"), "2");
  for (const char* key : {"c", "d", "e", "f"}) {
    EXPECT_EQ(selector.RequiredValue(key), std::nullopt) << key;
  }
}

rc::Gen<std::string> AnyName() {
  return rc::gen::element<std::string>("a", "b", "c", "app", "in", "notin", "x.y", "A_1",
                                       "example.com/app", "1");
}

rc::Gen<std::string> AnyRequirement() {
  return rc::gen::exec([] {
    const auto value = rc::gen::element<std::string>("", "a", "b", "c", "in", "notin", "12", "x_y");
    std::string key = *AnyName();
    const auto op = *rc::gen::element<std::string>("", "!", "=", "==", "!=", " = ", ">", "<",
                                                   " in (", " notin ( ");
    if (op.empty()) return key;
    if (op == "!") return op + key;
    if (op == ">" || op == "<") return key + op + std::to_string(*rc::gen::inRange(0, 1000));
    if (op.find('(') == op.npos) return key + op + *value;
    std::string text = key + op + *value;
    for (const std::string& item : *rc::gen::container<std::vector<std::string>>(value)) {
      text += "," + item;
    }
    return text + ")";
  });
}

rc::Gen<std::string> AnySelector() {
  return rc::gen::exec([] {
    std::string text;
    for (int left = *rc::gen::inRange(0, 6); left > 0; --left) {
      text += (text.empty() ? "" : ",") + *AnyRequirement();
    }
    return text;
  });
}

RC_GTEST_PROP(SelectorProperty, CanonicalTextParsesToAnEqualSelector, ()) {
  const std::string text = *AnySelector();
  const Result<Selector> selector = Selector::Parse(text);
  RC_ASSERT(selector.ok());
  const std::string canonical = selector->ToString();
  const Result<Selector> again = Selector::Parse(canonical);
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == *selector);
  RC_ASSERT(again->ToString() == canonical);
}

// The definition of matching, requirement by requirement and without any compilation.
bool MatchesNaively(const Selector& selector, const StringMap& labels) {
  for (const Selector::Requirement& requirement : selector.requirements()) {
    const bool present = labels.contains(requirement.key);
    const std::string value = present ? labels.find(requirement.key)->second : "";
    bool listed = false;
    for (const std::string& allowed : requirement.values) listed |= allowed == value;
    const bool numeric = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
    const int64_t number = numeric ? std::stoll(value) : 0;
    bool holds = false;
    switch (requirement.op) {
      case SelectorOperator::kEquals:
      case SelectorOperator::kDoubleEquals:
      case SelectorOperator::kIn: holds = present && listed; break;
      case SelectorOperator::kNotEquals:
      case SelectorOperator::kNotIn: holds = !present || !listed; break;
      case SelectorOperator::kExists: holds = present; break;
      case SelectorOperator::kDoesNotExist: holds = !present; break;
      case SelectorOperator::kGreaterThan:
        holds = present && numeric && number > std::stoll(requirement.values[0]);
        break;
      case SelectorOperator::kLessThan:
        holds = present && numeric && number < std::stoll(requirement.values[0]);
        break;
    }
    if (!holds) return false;
  }
  return true;
}

RC_GTEST_PROP(SelectorProperty, MatchesByItsRequirements, ()) {
  const Selector selector = Selector::Parse(*AnySelector()).value();
  const auto values = rc::gen::element<std::string>("", "a", "b", "c", "in", "12", "500");
  const auto labels = *rc::gen::container<StringMap>(AnyName(), values);
  RC_ASSERT(selector.Matches(labels) == MatchesNaively(selector, labels));
}

}  // namespace
}  // namespace kubexms
