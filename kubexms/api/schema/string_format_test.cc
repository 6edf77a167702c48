#include "kubexms/api/schema/string_format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kubexms {
namespace {

struct Examples {
  std::string format;
  std::vector<std::string> valid;
  std::vector<std::string> invalid;
};

void PrintTo(const Examples& examples, std::ostream* out) { *out << examples.format; }

class StringFormatTest : public ::testing::TestWithParam<Examples> {};

TEST_P(StringFormatTest, MatchesValidText) {
  EXPECT_TRUE(IsKnownStringFormat(GetParam().format));
  for (const std::string& text : GetParam().valid) {
    EXPECT_TRUE(MatchesStringFormat(GetParam().format, text)) << text;
  }
  for (const std::string& text : GetParam().invalid) {
    EXPECT_FALSE(MatchesStringFormat(GetParam().format, text)) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, StringFormatTest,
    ::testing::Values(
        Examples{"date-time",
                 {"2024-01-01T00:00:00Z", "2024-02-29t23:59:59.123+01:00"},
                 {"", "2024-01-01", "2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z",
                  "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00+1:00"}},
        Examples{"date", {"2024-02-29"}, {"2023-02-29", "2024-13-01", "24-01-01", "2024-01-1x"}},
        Examples{"duration",
                 {"1h30m", "0", "-1.5s", "22 ns", "3 days", "1h0m0s", "5µs"},
                 {"", "h", "1", "1 fortnight", "1..5s"}},
        Examples{"uuid",
                 {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE7DEC11D0A76500A0C91E6BF6"},
                 {"f81d4fae-7dec-11d0-a765-00a0c91e6bf", "x"}},
        Examples{"uuid3",
                 {"bcd02e22-68f0-3046-a512-327cca9def8f"},
                 {"bcd02e22-68f0-4046-a512-327cca9def8f"}},
        Examples{"uuid4",
                 {"025b0d74-00a2-4048-bf57-227c5111bb34"},
                 {"025b0d74-00a2-4048-7f57-227c5111bb34"}},
        Examples{"uuid5",
                 {"886313e1-3b8a-5372-9b90-0c9aee199e5d"},
                 {"886313e1-3b8a-4372-9b90-0c9aee199e5d"}},
        Examples{"email",
                 {"a@b.c", "A Name <a.b+c@example.com>", "\"x y\"@example.com"},
                 {"", "a", "@b", "a@", "a..b@c", "a b@c"}},
        Examples{"ipv4", {"1.2.3.4"}, {"1.2.3", "256.1.1.1", "::1", "01.2.3.4"}},
        Examples{
            "ipv6", {"::1", "2001:db8::1", "::ffff:1.2.3.4"}, {"1.2.3.4", "12345::", "::1%eth0"}},
        Examples{
            "cidr", {"10.0.0.0/8", "::/0"}, {"10.0.0.0", "10.0.0.0/33", "::/129", "::/x", "::/08"}},
        Examples{"mac",
                 {"00:00:5e:00:53:01", "02-00-5e-10-00-00-00-01", "0000.5e00.5301"},
                 {"00:00:5e:00:53", "00:00:5e-00:53:01", "0000.5e00.53011", "zz:00:5e:00:53:01"}},
        Examples{"byte", {"", "aGVsbG8=", "YQ==", "YWJj"}, {"a", "aGVsbG8", "a===", "YW?j"}},
        Examples{"hostname", {"localhost", "a-b.example.com"}, {"", "-a", "a_b", "a..b"}},
        Examples{"uri",
                 {"https://example.com/x?y#z", "/path", "urn:a:b"},
                 {"", "example.com", "http://a b/", "/%zz", "1a:b"}},
        Examples{"isbn", {"0321751043", "978-0321751041"}, {"0321751044", "978-0321751042", "1"}},
        Examples{"isbn10", {"0321751043", "080442957X"}, {"978-0321751041"}},
        Examples{"isbn13", {"978-0321751041"}, {"0321751043"}},
        Examples{"creditcard", {"4111-1111-1111-1111"}, {"4111-1111-1111-1112", "1"}},
        Examples{"ssn", {"111-11-1111", "111111111"}, {"11-11-1111"}},
        Examples{"hexcolor", {"#fff", "FFFFFF"}, {"#ffff", "#ggg"}},
        Examples{"rgbcolor", {"rgb(0, 1,255)"}, {"rgb(0,1,256)", "rgb(0,1)"}},
        Examples{"bsonobjectid", {"507f1f77bcf86cd799439011"}, {"507f1f77bcf86cd79943901"}},
        Examples{"password", {"", "anything"}, {}},
        Examples{"quantity", {"1", "100m", "1.5Gi"}, {"", "1.5 Gi", "x"}},
        Examples{"k8s-short-name", {"a", "a-1"}, {"", "A", "-a", "a.b", std::string(64, 'a')}},
        Examples{"k8s-long-name", {"a.b-c.d", std::string(100, 'a')}, {"a..b", "a.B", "a."}}));

TEST(StringFormatTest, IgnoresUnknownFormats) {
  EXPECT_FALSE(IsKnownStringFormat("telephone"));
  EXPECT_TRUE(MatchesStringFormat("telephone", "x"));
}

}  // namespace
}  // namespace kubexms
