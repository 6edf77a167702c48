#include "kubexms/api/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <re2/re2.h>

namespace kubexms {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const char kLabelMessage[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const char kSubdomainMessage[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const char kNamePartMessage[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

TEST(NamesTest, Dns1123Label) {
  for (const char* valid : {"a", "ab", "a1", "1", "a-1", "a--1--2--b", "0--1"}) {
    EXPECT_THAT(ValidateDns1123Label(valid), IsEmpty()) << valid;
  }
  for (const char* invalid : {"", "A", "a-", "-a", "_", "a_b", "a b", " a", "a@b", "ä", "a\n"}) {
    EXPECT_THAT(ValidateDns1123Label(invalid), ElementsAre(kLabelMessage)) << invalid;
  }
  EXPECT_THAT(ValidateDns1123Label("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(ValidateDns1123Label(std::string(63, 'a')), IsEmpty());
  EXPECT_THAT(ValidateDns1123Label(std::string(64, 'a')),
              ElementsAre("must be no more than 63 characters"));
  EXPECT_THAT(ValidateDns1123Label(std::string(64, 'A')),
              ElementsAre("must be no more than 63 characters", kLabelMessage));
}

TEST(NamesTest, Dns1123Subdomain) {
  for (const char* valid : {"a", "a.b.c", "0.0.0", "a-b.c--d", "kubernetes.io", "1.a"}) {
    EXPECT_THAT(ValidateDns1123Subdomain(valid), IsEmpty()) << valid;
  }
  for (const char* invalid :
       {"", "A", ".", ".a", "a.", "a..b", "a.-b", "a-.b", "Bad_Name", "a.B", "a.b c"}) {
    EXPECT_THAT(ValidateDns1123Subdomain(invalid), ElementsAre(kSubdomainMessage)) << invalid;
  }
  EXPECT_THAT(ValidateDns1123Subdomain(std::string(253, 'a')), IsEmpty());
  EXPECT_THAT(ValidateDns1123Subdomain(std::string(254, 'a')),
              ElementsAre("must be no more than 253 characters"));
}

TEST(NamesTest, Dns1035Label) {
  EXPECT_THAT(ValidateDns1035Label("a-1"), IsEmpty());
  for (const char* invalid : {"", "1a", "-a", "a-", "a.b", "A"}) {
    EXPECT_THAT(ValidateDns1035Label(invalid),
                ElementsAre("a DNS-1035 label must consist of lower case alphanumeric characters "
                            "or '-', start with an alphabetic character, and end with an "
                            "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used "
                            "for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"));
  }
}

TEST(NamesTest, WildcardSubdomain) {
  EXPECT_THAT(ValidateWildcardDns1123Subdomain("*.example.com"), IsEmpty());
  for (const char* invalid : {"", "*", "*.", "example.com", "*.*.com", "f*.com", "*bar.com"}) {
    EXPECT_THAT(
        ValidateWildcardDns1123Subdomain(invalid),
        ElementsAre("a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS "
                    "subdomain, which must consist of lower case alphanumeric characters, '-' or "
                    "'.' and end with an alphanumeric character (e.g. '*.example.com', regex used "
                    "for validation is "
                    "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
  }
}

TEST(NamesTest, QualifiedName) {
  for (const char* valid : {"simple", "now-with-dashes", "1-starts-with-num", "1234",
                            "simple/simple", "example.com/MyName_1.x", "A", "x.y/Z"}) {
    EXPECT_THAT(ValidateQualifiedName(valid), IsEmpty()) << valid;
  }
  EXPECT_THAT(ValidateQualifiedName("a b"), ElementsAre(kNamePartMessage));
  EXPECT_THAT(ValidateQualifiedName(""),
              ElementsAre("name part must be non-empty", kNamePartMessage));
  EXPECT_THAT(ValidateQualifiedName("a/"),
              ElementsAre("name part must be non-empty", kNamePartMessage));
  EXPECT_THAT(ValidateQualifiedName("/a"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(ValidateQualifiedName("A/a"),
              ElementsAre(std::string("prefix part ") + kSubdomainMessage));
  EXPECT_THAT(ValidateQualifiedName(std::string(254, 'a') + "/a"),
              ElementsAre("prefix part must be no more than 253 characters"));
  EXPECT_THAT(ValidateQualifiedName(std::string(64, 'a')),
              ElementsAre("name part must be no more than 63 characters"));
  EXPECT_THAT(
      ValidateQualifiedName("a/b/c"),
      ElementsAre("a valid label key must consist of alphanumeric characters, '-', '_' or '.', and "
                  "must start and end with an alphanumeric character (e.g. 'MyName',  or "
                  "'my.name',  or '123-abc', regex used for validation is "
                  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain "
                  "prefix and '/' (e.g. 'example.com/MyName')"));
}

TEST(NamesTest, LabelValue) {
  for (const char* valid : {"", "a", "MyValue", "my_value", "12345", "a.b-c_d"}) {
    EXPECT_THAT(ValidateLabelValue(valid), IsEmpty()) << valid;
  }
  for (const char* invalid : {"a/b", "-a", "a-", "_", "a b", "a@"}) {
    EXPECT_THAT(ValidateLabelValue(invalid),
                ElementsAre("a valid label must be an empty string or consist of alphanumeric "
                            "characters, '-', '_' or '.', and must start and end with an "
                            "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
                            "regex used for validation is "
                            "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
  }
  EXPECT_THAT(ValidateLabelValue(std::string(64, 'a')),
              ElementsAre("must be no more than 63 characters"));
}

TEST(NamesTest, Annotations) {
  EXPECT_THAT(ValidateAnnotationKey("Example.COM/Key"), IsEmpty());
  EXPECT_THAT(ValidateAnnotationKey("a b"), ElementsAre(kNamePartMessage));
  EXPECT_THAT(ValidateAnnotationsSize({{"a", std::string(kMaxAnnotationsSize - 1, 'x')}}),
              IsEmpty());
  EXPECT_THAT(ValidateAnnotationsSize({{"a", std::string(kMaxAnnotationsSize, 'x')}}),
              ElementsAre("may not be more than 262144 bytes"));
}

TEST(NamesTest, EnvVarName) {
  for (const char* valid : {"PATH", "1", "my.name", "a b", "$(x)", "-"}) {
    EXPECT_THAT(ValidateEnvVarName(valid), IsEmpty()) << valid;
  }
  EXPECT_THAT(ValidateEnvVarName(""), ElementsAre("environment variable name must be non-empty"));
  for (const char* invalid : {"a=b", "ä", "a\n"}) {
    EXPECT_THAT(ValidateEnvVarName(invalid),
                ElementsAre("a valid environment variable name must consist only of printable "
                            "ASCII characters other than '='"));
  }
}

TEST(NamesTest, StrictEnvVarName) {
  EXPECT_THAT(ValidateStrictEnvVarName("MY_ENV.NAME-1"), IsEmpty());
  EXPECT_THAT(
      ValidateStrictEnvVarName("1a"),
      ElementsAre("a valid environment variable name must consist of alphabetic characters, "
                  "digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name', "
                  " or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is "
                  "'[-._a-zA-Z][-._a-zA-Z0-9]*')"));
  EXPECT_THAT(ValidateStrictEnvVarName("."), ElementsAre("must not be '.'"));
  EXPECT_THAT(ValidateStrictEnvVarName("..a"), ElementsAre("must not start with '..'"));
}

TEST(NamesTest, ConfigMapKey) {
  for (const char* valid : {"a", "good.key-NAME_1", ".x", "1.x"}) {
    EXPECT_THAT(ValidateConfigMapKey(valid), IsEmpty()) << valid;
  }
  EXPECT_THAT(ValidateConfigMapKey("a/b"),
              ElementsAre("a valid config key must consist of alphanumeric characters, '-', '_' or "
                          "'.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for "
                          "validation is '[-._a-zA-Z0-9]+')"));
  EXPECT_THAT(ValidateConfigMapKey(".."), ElementsAre("must not be '..'"));
  EXPECT_THAT(ValidateConfigMapKey(std::string(254, 'a')),
              ElementsAre("must be no more than 253 characters"));
}

TEST(NamesTest, Ports) {
  for (const char* valid : {"http", "http-1", "1a", "a"}) {
    EXPECT_THAT(ValidatePortName(valid), IsEmpty()) << valid;
  }
  EXPECT_THAT(ValidatePortName(""),
              ElementsAre("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                          "must contain at least one letter (a-z)"));
  EXPECT_THAT(ValidatePortName("80"), ElementsAre("must contain at least one letter (a-z)"));
  EXPECT_THAT(ValidatePortName("a--b"), ElementsAre("must not contain consecutive hyphens"));
  EXPECT_THAT(ValidatePortName("a-"), ElementsAre("must not begin or end with a hyphen"));
  EXPECT_THAT(ValidatePortName("abcdefghijklmnop"),
              ElementsAre("must be no more than 15 characters"));
  EXPECT_THAT(ValidatePortNumber(1), IsEmpty());
  EXPECT_THAT(ValidatePortNumber(0), ElementsAre("must be between 1 and 65535, inclusive"));
  EXPECT_THAT(ValidatePortNumber(65536), ElementsAre("must be between 1 and 65535, inclusive"));
}

TEST(NamesTest, Percent) {
  EXPECT_THAT(ValidatePercent("25%"), IsEmpty());
  for (const char* invalid : {"", "%", "25", "-1%", "1.5%", "1%%"}) {
    EXPECT_THAT(ValidatePercent(invalid),
                ElementsAre("a valid percent string must be a numeric string followed by an "
                            "ending '%' (e.g. '1%',  or '93%', regex used for validation is "
                            "'[0-9]+%')"));
  }
}

TEST(NamesTest, Ip) {
  for (const char* valid :
       {"1.2.3.4", "0.0.0.0", "255.255.255.255", "010.1.2.3", "::", "::1", "1::", "2001:db8::ffff",
        "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:7::", "a:b:c:d:e:f:0:0", "1::1.2.3.4"}) {
    EXPECT_THAT(ValidateIp(valid), IsEmpty()) << valid;
  }
  for (
      const char* invalid :
      {"",          "1",        "1.2.3", "1.2.3.4.5",         "256.1.1.1", "1.2.3.4 ",   "a.b.c.d",
       ":",         ":::",      "1:2",   "1:2:3:4:5:6:7:8:9", "1::2::3",   "12345::",    "::g",
       "1.2.3.4::", "::1%eth0", "1:",    "1:2:3:4:5:6:7:8::", "::1:",      "1.2.3.4/24", "[::1]"}) {
    EXPECT_THAT(ValidateIp(invalid),
                ElementsAre("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"))
        << invalid;
  }
}

TEST(NamesTest, Cidr) {
  for (const char* valid : {"10.0.0.0/8", "1.2.3.4/32", "0.0.0.0/0", "2001:db8::/64", "::/128"}) {
    EXPECT_THAT(ValidateCidr(valid), IsEmpty()) << valid;
  }
  for (const char* invalid : {"", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "/8", "::/129",
                              "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "x/8"}) {
    EXPECT_THAT(ValidateCidr(invalid),
                ElementsAre("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"))
        << invalid;
  }
}

// The matchers are written by hand; the regular expressions in their messages are the rule.
RC_GTEST_PROP(NamesProperty, MatchersAgreeWithTheExpressionsTheyName, ()) {
  static const RE2 kLabel("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
  static const RE2 kSubdomain("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  static const RE2 kLabel1035("[a-z]([-a-z0-9]*[a-z0-9])?");
  static const RE2 kValue("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");
  static const RE2 kKey("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
  static const RE2 kConfigKey("[-._a-zA-Z0-9]+");
  const auto text =
      *rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::element(
                              'a', 'z', '0', '9', '-', '.', '_', 'A', 'a', '0', ' ', '\n')));
  RC_ASSERT(ValidateDns1123Label(text).empty() == RE2::FullMatch(text, kLabel));
  RC_ASSERT(ValidateDns1123Subdomain(text).empty() == RE2::FullMatch(text, kSubdomain));
  RC_ASSERT(ValidateDns1035Label(text).empty() == RE2::FullMatch(text, kLabel1035));
  RC_ASSERT(ValidateLabelValue(text).empty() == RE2::FullMatch(text, kValue));
  RC_ASSERT(ValidateQualifiedName(text).empty() == RE2::FullMatch(text, kKey));
  RC_ASSERT(ValidateConfigMapKey(text).empty() ==
            (RE2::FullMatch(text, kConfigKey) && text != "." && !text.starts_with("..")));
}

}  // namespace
}  // namespace kubexms
