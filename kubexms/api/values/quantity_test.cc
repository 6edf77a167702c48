#include "kubexms/api/values/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace kubexms {
namespace {

__extension__ typedef __int128 Int128;

using Format = Quantity::Format;

Quantity Q(std::string_view text) {
  Result<Quantity> quantity = Quantity::Parse(text);
  EXPECT_TRUE(quantity.ok()) << text << ": " << quantity.error().message();
  return quantity.value_or({});
}

std::string Canonical(std::string_view text) { return Q(text).ToString(); }

TEST(QuantityTest, WritesTheCanonicalForm) {
  const std::vector<std::pair<std::string, std::string>> table = {
      // Whole numbers and every decimal suffix.
      {"0", "0"},
      {"1", "1"},
      {"9", "9"},
      {"1024", "1024"},
      {"1025", "1025"},
      {"5n", "5n"},
      {"4u", "4u"},
      {"3m", "3m"},
      {"8k", "8k"},
      {"50k", "50k"},
      {"7M", "7M"},
      {"6G", "6G"},
      {"5T", "5T"},
      {"40T", "40T"},
      {"300T", "300T"},
      {"2P", "2P"},
      {"1E", "1E"},
      {"12E", "12E"},
      {"1000", "1k"},
      {"100000", "100k"},
      {"1234000", "1234k"},
      {"1000000000", "1G"},
      {"1000M", "1G"},
      {"1234567M", "1234567M"},
      {"0.001T", "1G"},
      {"1000u", "1m"},
      {"1000m", "1"},
      {"80m", "80m"},
      {"1080m", "1080m"},
      {"1080000000n", "1080m"},
      {"1080n", "1080n"},
      {"1080u", "1080u"},
      {"5000m", "5"},
      // Fractions.
      {"0.5", "500m"},
      {"0.05", "50m"},
      {"0.005", "5m"},
      {"0.001", "1m"},
      {"0.50000", "500m"},
      {"0.00500", "5m"},
      {"0.0005k", "500m"},
      {"0.00050k", "500m"},
      {".001", "1m"},
      {".0001k", "100m"},
      {"1.5", "1500m"},
      {"1.08", "1080m"},
      {"9.01", "9010m"},
      {"8.1k", "8100"},
      {"40.1T", "40100G"},
      {"300.2T", "300200G"},
      {"2.5P", "2500T"},
      {"1.01E", "1010P"},
      {"1.2345", "1234500u"},
      {"100.0", "100"},
      // Binary suffixes.
      {"1Ki", "1Ki"},
      {"8Ki", "8Ki"},
      {"7Mi", "7Mi"},
      {"6Gi", "6Gi"},
      {"5Ti", "5Ti"},
      {"4Pi", "4Pi"},
      {"3Ei", "3Ei"},
      {"10Ti", "10Ti"},
      {"100Ti", "100Ti"},
      {"1024Mi", "1Gi"},
      {"1024Ki", "1Mi"},
      {"2048Ki", "2Mi"},
      {"307200Ki", "300Mi"},
      {"1025024Mi", "1001Gi"},
      {"1024Gi", "1Ti"},
      {"1048576Ki", "1Gi"},
      {"512Mi", "512Mi"},
      {"1032Ki", "1032Ki"},
      {"1.5Gi", "1536Mi"},
      {"0.5Mi", "512Ki"},
      {"1.25Ki", "1280"},
      {"2.5Gi", "2560Mi"},
      {"0.5Ki", "512"},
      {"0.1Ki", "102400m"},
      {".001Ki", "1024m"},
      {".000001Ki", "1024u"},
      {".000000001Ki", "1024n"},
      {".000000000001Ki", "2n"},
      {"0.000000000001Ki", "2n"},
      {"100.035Ki", "102435840m"},
      {"0.05Gi", "53687091200m"},
      {"0.025Ti", "27487790694400m"},
      // Exponents.
      {"1e3", "1e3"},
      {"1e9", "1e9"},
      {"1e15", "1e15"},
      {"12e6", "12e6"},
      {"1e14", "100e12"},
      {"1e13", "10e12"},
      {"1.2e3", "1200"},
      {"1.3E+6", "1300e3"},
      {"1.40e9", "1400e6"},
      {"1.53E12", "1530e9"},
      {"1.6e15", "1600e12"},
      {"1.7E18", "1700e15"},
      {"0.5e0", "500e-3"},
      {"0.5e-1", "50e-3"},
      {"0.5e-2", "5e-3"},
      {".001e12", "1e9"},
      {"0.001e0", "1e-3"},
      {"1000e-12", "1e-9"},
      {"80e-3", "80e-3"},
      {"300e6", "300e6"},
      {"1e-9", "1e-9"},
      // Zeros of all kinds.
      {"00", "0"},
      {"0n", "0"},
      {"0m", "0"},
      {"0Ki", "0"},
      {"0Ti", "0"},
      {"0e5", "0"},
      {"0.0", "0"},
      {"-0", "0"},
      {"+0", "0"},
      {".", "0"},
      {"-.", "0"},
      {"-", "0"},
      {"m", "0"},
      // Less than a nano unit rounds away from zero.
      {"3.001n", "4n"},
      {"1.1E-9", "2e-9"},
      {"0.0000000001", "1n"},
      {"0.0000000005", "1n"},
      {"0.00000000050", "1n"},
      {"0.5e-9", "1e-9"},
      {"0.9n", "1n"},
      {"0.00000012345", "124n"},
      {"0.00000012354", "124n"},
      {".484785E-7466", "1e-9"},
      // Binary quantities have a cap, decimal ones have none that matters.
      {"8Ei", "9223372036854775807"},
      {"9Ei", "9223372036854775807"},
      {"9223372036854775807Ki", "9223372036854775807"},
      {"7Ei", "7Ei"},
      {"99999999999999999999999999999999999999999999Ki", "9223372036854775807"},
      {"9223372036854775808", "9223372036854775808"},
      {"18446744073709551616", "18446744073709551616"},
      // No suffix reaches beyond E.
      {"1000E", "1e21"},
      {"5000E", "5e21"},
      {"1000000E", "1e24"},
      {"1e70", "10e69"},
      {"1e2147483647", "10e2147483646"},
      {"1e-2147483647", "1e-9"},
  };
  for (const auto& [text, expected] : table) {
    EXPECT_EQ(Canonical(text), expected) << text;
    if (expected == "0" || text[0] == '-' || text[0] == '+') continue;
    EXPECT_EQ(Canonical("-" + text), "-" + expected) << text;
  }
}

TEST(QuantityTest, RetainsUnusualSpellingUntilChanged) {
  for (const char* text :
       {"1E3", "1E6", "1E-3", "1e+3", "1.500", "1.", "1.G", "+1", "01", "7.123456M", "100.035k",
        "10.035M", "6.987654321G", "5.444T", "+1Ki", "0100Ki", "-1.500", "1.Ki"}) {
    EXPECT_EQ(Canonical(text), text);
  }
  Quantity quantity = Q("1.500");
  quantity.Add(Q("0"));
  EXPECT_EQ(quantity.ToString(), "1500m");
  quantity = Q("1E3");
  quantity.Neg();
  EXPECT_EQ(quantity.ToString(), "-1e3");
}

TEST(QuantityTest, RetainsTheFormat) {
  EXPECT_EQ(Q("1").format(), Format::kDecimalSI);
  EXPECT_EQ(Q("1m").format(), Format::kDecimalSI);
  EXPECT_EQ(Q("0Ki").format(), Format::kBinarySI);
  EXPECT_EQ(Q("0.5Mi").format(), Format::kBinarySI);
  EXPECT_EQ(Q("1E6").format(), Format::kDecimalExponent);
  EXPECT_EQ(Q("1E").format(), Format::kDecimalSI);
  EXPECT_EQ(Q("0.000000000001Ki").format(), Format::kDecimalSI);
}

TEST(QuantityTest, RefusesMalformedTextWithKubernetesMessages) {
  const std::string format =
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  const std::string suffix = "unable to parse quantity's suffix";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", format},
      {"aoeu", format},
      {"1.1.M", format},
      {"1+1.0M", format},
      {"0.1am", format},
      {" 1", format},
      {"1 ", format},
      {"lots", format},
      {"1,5", format},
      {"--1", suffix},
      {"1Mb", format},
      {"1\n", format},
      {"0.1mi", suffix},
      {".5i", suffix},
      {"1i", suffix},
      {"-3.01i", suffix},
      {"-3.01e-", suffix},
      {"1e4294967297", suffix},
      {"1E2147483648", suffix},
      {"1K", suffix},
      {"1ki", suffix},
      {"1MiB", format},
      {"1e", suffix},
      {"1eE3", suffix},
      {"1m5", suffix},
      {"1KiKi", suffix},
      {"1E-2147483648", suffix},
      {"12345678901234567890123456789012345678901", "unable to parse numeric part of quantity"},
  };
  for (const auto& [text, message] : table) {
    const Result<Quantity> quantity = Quantity::Parse(text);
    ASSERT_FALSE(quantity.ok()) << text;
    EXPECT_EQ(quantity.error().message(), message) << text;
    EXPECT_TRUE(quantity.error().IsBadRequest());
  }
}

TEST(QuantityTest, RoundsManyDigitsWithoutLosingThem) {
  EXPECT_EQ(Canonical("1.00000000000000000000000000000000000000000000000001"), "1000000001n");
  EXPECT_EQ(Canonical("1.00000000000000000000000000000000000000000000000000"), "1");
  EXPECT_EQ(Canonical("1234567890123456789012345678.123456789"),
            "1234567890123456789012345678123456789n");
  EXPECT_EQ(Canonical("1234567890123456789012345678.1234567891"),
            "1234567890123456789012345678123456790n");
  EXPECT_EQ(Canonical("100000000000000000000000000000000000000000000000"), "100e45");
  EXPECT_EQ(Canonical("0.00000000000000000000000000000000000000000000000001Ei"), "1n");
  EXPECT_EQ(Canonical("9.5000000001Gi"), "10200547328107374183n");
}

TEST(QuantityTest, RoundsIntegersAwayFromZero) {
  struct Case {
    const char* text;
    int64_t value, milli;
  };
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const Case table[] = {
      {"0", 0, 0},
      {"1", 1, 1000},
      {"-1", -1, -1000},
      {"1500m", 2, 1500},
      {"-1500m", -2, -1500},
      {"0.0005", 1, 1},
      {"-0.0005", -1, -1},
      {".484785E-1", 1, 49},
      {"1n", 1, 1},
      {"1Ki", 1024, 1024000},
      {"-.484785E-7466", -1, -1},
      {"9.5000000001Gi", 10200547329, 10200547328108},
      {"-9.5000000001Gi", -10200547329, -10200547328108},
      {"1e30", kMax, kMax},
      {"-1e30", kMin, kMin},
      {"9223372036854775807", kMax, kMax},
      {"9223372036854775808", kMax, kMax},
      {"1e2000000000", kMax, kMax},
  };
  for (const Case& item : table) {
    EXPECT_EQ(Q(item.text).Value(), item.value) << item.text;
    EXPECT_EQ(Q(item.text).MilliValue(), item.milli) << item.text;
  }
  EXPECT_EQ(Quantity::Scaled(1, 2).ScaledValue(-2), 10000);
  EXPECT_EQ(Quantity::Scaled(1, -9).ScaledValue(-3), 1);
}

TEST(QuantityTest, ReturnsIntegersOnlyIfExact) {
  EXPECT_EQ(Q("1Gi").AsInt64(), 1073741824);
  EXPECT_EQ(Q("1000m").AsInt64(), 1);
  EXPECT_EQ(Q("-5k").AsInt64(), -5000);
  EXPECT_EQ(Q("1.5").AsInt64(), std::nullopt);
  EXPECT_EQ(Q("10E").AsInt64(), std::nullopt);
  EXPECT_EQ(Q("1e100").AsInt64(), std::nullopt);
  EXPECT_DOUBLE_EQ(Q("1500m").AsDouble(), 1.5);
  EXPECT_DOUBLE_EQ(Q("-1Ki").AsDouble(), -1024);
  EXPECT_DOUBLE_EQ(Q("1e100").AsDouble(), 1e100);
  EXPECT_TRUE(std::isinf(Q("1e1000").AsDouble()));
}

TEST(QuantityTest, ComparesByValue) {
  EXPECT_EQ(Q("1"), Q("1000m"));
  EXPECT_EQ(Q("1Ki"), Q("1024"));
  EXPECT_EQ(Q("0"), Q("0Ki"));
  EXPECT_EQ(Q("-1k"), Q("-1e3"));
  EXPECT_LT(Q("50m"), Q("100m"));
  EXPECT_GT(Q("10000T"), Q("100Gi"));
  EXPECT_LT(Q("-1"), Q("0"));
  EXPECT_LT(Q("0"), Q("1n"));
  EXPECT_LT(Q("-1e30"), Q("-1"));
  EXPECT_LT(Q("-2"), Q("-1500m"));
  EXPECT_GT(Q("1e2147483647"), Q("9223372036854775807"));
  EXPECT_LT(Q("999999999999999999999999999"), Q("1e27"));
}

TEST(QuantityTest, RetainsTheFormatInArithmetic) {
  const auto add = [](std::string_view a, std::string_view b) {
    Quantity sum = Q(a);
    sum.Add(Q(b));
    return sum.ToString();
  };
  const auto sub = [](std::string_view a, std::string_view b) {
    Quantity difference = Q(a);
    difference.Sub(Q(b));
    return difference.ToString();
  };
  EXPECT_EQ(add("0", "100m"), "100m");
  EXPECT_EQ(add("100m", "0"), "100m");
  EXPECT_EQ(add("0", "1Gi"), "1Gi");
  EXPECT_EQ(add("1Gi", "0"), "1Gi");
  EXPECT_EQ(add("1Gi", "512Mi"), "1536Mi");
  EXPECT_EQ(add("1Gi", "1G"), "2073741824");
  EXPECT_EQ(add("250m", "1750m"), "2");
  EXPECT_EQ(add("9223372036854775807", "1"), "9223372036854775808");
  EXPECT_EQ(sub("0", "1Gi"), "-1Gi");
  EXPECT_EQ(sub("10", "10"), "0");
  EXPECT_EQ(sub("1", "1m"), "999m");
  EXPECT_EQ(sub("1Gi", "1"), "1073741823");
}

TEST(QuantityTest, RoundsResultsBeyondItsPrecisionAwayFromZero) {
  Quantity sum = Q("1e40");
  sum.Add(Q("1n"));
  EXPECT_GT(sum, Q("1e40"));
  sum = Q("-1e40");
  sum.Sub(Q("1n"));
  EXPECT_LT(sum, Q("-1e40"));
  Quantity product = Q("1234567890123456789012345678901234567");
  product.MulInt(std::numeric_limits<int64_t>::min());
  EXPECT_LT(product, Q("-11e54"));
  EXPECT_GT(product, Q("-12e54"));
}

TEST(QuantityTest, MultipliesPastTheLargestSuffix) {
  Quantity quantity = Q("1Ei");
  quantity.MulInt(1024);
  EXPECT_EQ(quantity.ToString(), "1180591620717411303424");
  EXPECT_EQ(Q(quantity.ToString()), quantity);
  quantity.MulInt(0);
  EXPECT_EQ(quantity.ToString(), "0");
}

TEST(QuantityTest, CreatesQuantitiesFromNumbers) {
  EXPECT_EQ(Quantity(1024, Format::kBinarySI).ToString(), "1Ki");
  EXPECT_EQ(Quantity(2000, Format::kBinarySI).ToString(), "2000");
  EXPECT_EQ(Quantity(5, Format::kBinarySI).ToString(), "5");
  EXPECT_EQ(Quantity(1000000, Format::kDecimalExponent).ToString(), "1e6");
  EXPECT_EQ(Quantity::Scaled(1024, -3, Format::kBinarySI).ToString(), "1024m");
  EXPECT_EQ(Quantity::Scaled(1048576, -3, Format::kBinarySI).ToString(), "1048576m");
  EXPECT_EQ(Quantity::Scaled(1, -12).ToString(), "1e-12");
  EXPECT_EQ(Quantity::Scaled(1, -10).ToString(), "100e-12");
  EXPECT_EQ(Quantity(std::numeric_limits<int64_t>::min()).ToString(), "-9223372036854775808");
}

rc::Gen<Quantity> AnyQuantity() {
  return rc::gen::map(rc::gen::tuple(rc::gen::arbitrary<int64_t>(), rc::gen::inRange(-9, 10),
                                     rc::gen::element(Format::kDecimalSI, Format::kBinarySI,
                                                      Format::kDecimalExponent)),
                      [](const std::tuple<int64_t, int, Format>& parts) {
                        const auto& [value, scale, format] = parts;
                        return Quantity::Scaled(value, scale, format);
                      });
}

RC_GTEST_PROP(QuantityProperty, ParsesItsOwnTextToTheSameValueAndText, ()) {
  const Quantity quantity = *AnyQuantity();
  const Result<Quantity> parsed = Quantity::Parse(quantity.ToString());
  RC_ASSERT(parsed.ok());
  // Reading caps binary quantities at the largest int64, as Kubernetes does.
  const Quantity largest(std::numeric_limits<int64_t>::max());
  Quantity smallest = largest;
  smallest.Neg();
  if (quantity.format() == Format::kBinarySI && (quantity > largest || quantity < smallest)) return;
  RC_ASSERT(*parsed == quantity);
  // Without a suffix, the text of a binary quantity reads as a decimal one.
  if (quantity.format() == Format::kBinarySI) return;
  RC_ASSERT(parsed->ToString() == quantity.ToString());
}

// Nano units in 128 bits hold everything that AnyQuantity makes below 10^10 times int64.
Int128 Nanos(int64_t value, int scale) {
  Int128 nanos = value;
  for (int i = -9; i < scale; ++i) nanos *= 10;
  return nanos;
}

RC_GTEST_PROP(QuantityProperty, ArithmeticAgreesWith128BitIntegers, ()) {
  const auto a = *rc::gen::arbitrary<int64_t>();
  const auto b = *rc::gen::arbitrary<int64_t>();
  const int a_scale = *rc::gen::inRange(-9, 7);
  const int b_scale = *rc::gen::inRange(-9, 7);
  const auto factor = *rc::gen::inRange<int64_t>(-1000, 1000);
  const Int128 sum = Nanos(a, a_scale) + Nanos(b, b_scale);

  const Quantity left = Quantity::Scaled(a, a_scale);
  const Quantity right = Quantity::Scaled(b, b_scale);
  Quantity total = left;
  total.Add(right);
  Quantity back = total;
  back.Sub(right);
  RC_ASSERT(back == left);

  // 128-bit equality through a quantity of the parts: sum = high * 2^40 + low.
  const Int128 unit = Int128{1} << 40;
  Quantity expected = Quantity::Scaled(static_cast<int64_t>(sum / unit), -9);
  expected.MulInt(int64_t{1} << 40);
  expected.Add(Quantity::Scaled(static_cast<int64_t>(sum % unit), -9));
  if (sum / unit <= std::numeric_limits<int64_t>::max() &&
      sum / unit >= std::numeric_limits<int64_t>::min()) {
    RC_ASSERT(total == expected);
  }
  RC_ASSERT((left < right) == (Nanos(a, a_scale) < Nanos(b, b_scale)));
  RC_ASSERT((left == right) == (Nanos(a, a_scale) == Nanos(b, b_scale)));

  Quantity product = left;
  product.MulInt(factor);
  Quantity repeated;
  for (int64_t i = 0; i < std::abs(factor); ++i) repeated.Add(left);
  if (factor < 0) repeated.Neg();
  RC_ASSERT(product == repeated);
}

RC_GTEST_PROP(QuantityProperty, ValueRoundsAwayFromZero, ()) {
  const auto value = *rc::gen::arbitrary<int64_t>();
  const int scale = *rc::gen::inRange(-9, 1);
  Int128 unit = 1;
  for (int i = scale; i < 0; ++i) unit *= 10;
  const Int128 magnitude = value < 0 ? -static_cast<Int128>(value) : value;
  const auto rounded = static_cast<int64_t>((magnitude + unit - 1) / unit);
  RC_PRE(value != std::numeric_limits<int64_t>::min());
  RC_ASSERT(Quantity::Scaled(value, scale).Value() == (value < 0 ? -rounded : rounded));
}

}  // namespace
}  // namespace kubexms
