#include "kubexms/api/values/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "kubexms/api/values/quote.h"

namespace kubexms {
namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

constexpr int kMaxDigits = 37;
constexpr int kNanoScale = -9;
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinInt64 = std::numeric_limits<int64_t>::min();

constexpr std::array<Uint128, kMaxDigits + 2> kPowersOfTen = [] {
  std::array<Uint128, kMaxDigits + 2> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

Uint128 Magnitude(Int128 number) {
  return number < 0 ? -static_cast<Uint128>(number) : static_cast<Uint128>(number);
}

Int128 WithSign(Uint128 magnitude, bool negative) {
  return negative ? -static_cast<Int128>(magnitude) : static_cast<Int128>(magnitude);
}

int CountDigits(Uint128 number) {
  int digits = 1;
  while (digits <= kMaxDigits && number >= kPowersOfTen[digits]) ++digits;
  return digits;
}

// number / 10^power, rounded up.
Uint128 DivideUp(Uint128 number, int64_t power) {
  if (power > kMaxDigits + 1) return number == 0 ? 0 : 1;
  const Uint128 divisor = kPowersOfTen[power];
  return number / divisor + (number % divisor != 0 ? 1 : 0);
}

// number / 10^power, rounded away from zero.
Int128 DivideAway(Int128 number, int64_t power) {
  return WithSign(DivideUp(Magnitude(number), power), number < 0);
}

// Moves factors of ten from the mantissa to the scale.
void StripZeros(Uint128& mantissa, int64_t& scale) {
  while (mantissa > std::numeric_limits<uint64_t>::max() && mantissa % 10 == 0) {
    mantissa /= 10;
    ++scale;
  }
  if (mantissa == 0 || mantissa > std::numeric_limits<uint64_t>::max()) return;
  auto small = static_cast<uint64_t>(mantissa);
  while (small % 10 == 0) {
    small /= 10;
    ++scale;
  }
  mantissa = small;
}

void AppendDigits(Uint128 number, std::string& out) {
  constexpr uint64_t kSplit = 10'000'000'000'000'000'000u;
  if (number <= std::numeric_limits<uint64_t>::max()) {
    char buffer[20];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), static_cast<uint64_t>(number));
    out.append(buffer, end.ptr);
    return;
  }
  AppendDigits(number / kSplit, out);
  fmt::format_to(std::back_inserter(out), "{:019}", static_cast<uint64_t>(number % kSplit));
}

void AppendExponent(int64_t exponent, std::string& out) {
  if (exponent == 0) return;
  out += 'e';
  char buffer[20];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), exponent).ptr);
}

}  // namespace

// Parses one quantity in the same steps and with the same errors as Kubernetes.
class QuantityParser {
 public:
  explicit QuantityParser(std::string_view text) : text_(text) {}

  Result<Quantity> Parse() {
    RETURN_IF_ERROR(Split());
    RETURN_IF_ERROR(InterpretSuffix());
    const std::optional<Quantity> quantity =
        format_ == Quantity::Format::kBinarySI ? MakeBinary() : MakeDecimal();
    if (!quantity) return Error::BadRequest("unable to parse numeric part of quantity");
    return Spelled(*quantity);
  }

 private:
  // Like Kubernetes, parses text without digits as zero.
  Result<void> Split() {
    size_t at = 0;
    const auto skip = [&](auto&& accepts) {
      const size_t start = at;
      while (at < text_.size() && accepts(text_[at])) ++at;
      return text_.substr(start, at - start);
    };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_sign = [](char c) { return c == '+' || c == '-'; };
    if (!text_.empty() && is_sign(text_[0])) {
      negative_ = text_[0] == '-';
      unusual_ = !negative_;
      ++at;
    }
    unusual_ |= !skip([](char c) { return c == '0'; }).empty();
    whole_ = skip(is_digit);
    if (at < text_.size() && text_[at] == '.') {
      ++at;
      unusual_ = true;
      fraction_ = skip(is_digit);
    }
    const size_t suffix = at;
    skip([](char c) { return std::string_view("eEinumkKMGTP").find(c) != std::string_view::npos; });
    if (at < text_.size() && is_sign(text_[at])) ++at;
    skip(is_digit);
    suffix_ = text_.substr(suffix);
    if (!text_.empty() && at == text_.size()) return {};
    return Error::BadRequest(
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }

  Result<void> InterpretSuffix() {
    constexpr std::string_view kDecimal[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    constexpr std::string_view kBinary[] = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    for (int i = 0; i < 10; ++i) {
      if (suffix_ == kDecimal[i]) return Interpreted(Quantity::Format::kDecimalSI, 3 * (i - 3));
    }
    for (int i = 0; i < 6; ++i) {
      if (suffix_ == kBinary[i]) return Interpreted(Quantity::Format::kBinarySI, 10 * (i + 1));
    }
    if (suffix_[0] == 'e' || suffix_[0] == 'E') {
      const Result<int64_t> exponent = ParseInt64(suffix_.substr(1));
      constexpr int64_t kMaxExponent = std::numeric_limits<int32_t>::max();
      if (exponent.ok() && *exponent <= kMaxExponent && *exponent >= -kMaxExponent) {
        std::string usual;
        AppendExponent(*exponent, usual);
        unusual_ |= suffix_ != usual;
        return Interpreted(Quantity::Format::kDecimalExponent, *exponent);
      }
    }
    return Error::BadRequest("unable to parse quantity's suffix");
  }

  Result<void> Interpreted(Quantity::Format format, int64_t exponent) {
    format_ = format;
    exponent_ = exponent;
    return {};
  }

  // Sets mantissa_ and scale_ to the number before the suffix. Drops digits that do not fit; more_
  // is set if one of them was not zero.
  void ReadNumber() {
    scale_ = -static_cast<int64_t>(fraction_.size());
    int digits = 0;
    for (std::string_view part : {whole_, fraction_}) {
      for (char c : part) {
        if (digits == kMaxDigits) {
          ++scale_;
          more_ |= c != '0';
          continue;
        }
        mantissa_ = mantissa_ * 10 + static_cast<Uint128>(c - '0');
        if (mantissa_ != 0) ++digits;
      }
    }
  }

  std::optional<Quantity> MakeDecimal() {
    ReadNumber();
    scale_ += exponent_;
    if (more_ && scale_ > kNanoScale) return std::nullopt;
    if (scale_ < kNanoScale) {
      const Uint128 exact = mantissa_;
      const int64_t dropped = kNanoScale - scale_;
      mantissa_ = DivideUp(exact, dropped);
      const bool rounded = dropped > kMaxDigits || exact % kPowersOfTen[dropped] != 0;
      if (more_ && !rounded) ++mantissa_;
      scale_ = kNanoScale;
    } else if (more_) {
      ++mantissa_;
    }
    return Quantity(WithSign(mantissa_, negative_), scale_, format_);
  }

  std::optional<Quantity> MakeBinary() {
    ReadNumber();
    constexpr Uint128 kNano = 1'000'000'000;
    constexpr Uint128 kCap = static_cast<Uint128>(kMaxInt64) * kNano;
    const Uint128 nanos = std::min(BinaryNanos(kCap), kCap);
    // Fractions have no binary form.
    if (nanos != 0 && nanos < kNano) format_ = Quantity::Format::kDecimalSI;
    if (nanos % kNano == 0) return Quantity(WithSign(nanos / kNano, negative_), 0, format_);
    return Quantity(WithSign(nanos, negative_), kNanoScale, format_);
  }

  // mantissa_ * 10^scale_ * 2^exponent_ in nano units, rounded up; any value above `cap` if the
  // result exceeds it.
  Uint128 BinaryNanos(Uint128 cap) {
    int64_t divide = -scale_ + kNanoScale;
    for (; divide > kMaxDigits; --divide) mantissa_ = DivideUp(mantissa_, 1);
    Uint128 divisor = 1;
    Uint128 quotient = mantissa_;
    if (divide >= 0) {
      divisor = kPowersOfTen[divide];
      quotient = mantissa_ / divisor;
    } else if (-divide > kMaxDigits || mantissa_ > cap / kPowersOfTen[-divide]) {
      return mantissa_ == 0 ? 0 : cap + 1;
    } else {
      quotient = mantissa_ * kPowersOfTen[-divide];
    }
    Uint128 rest = mantissa_ % divisor;
    for (int64_t i = 0; i < exponent_ && quotient <= cap; ++i) {
      rest *= 2;
      quotient = quotient * 2 + (rest >= divisor ? 1 : 0);
      if (rest >= divisor) rest -= divisor;
    }
    return quotient + (rest != 0 || more_ ? 1 : 0);
  }

  // Kubernetes preserves text that its fast path parses as canonical. These are the conditions of
  // that path.
  Quantity Spelled(Quantity quantity) const {
    if (unusual_ && KeepsSpelling()) {
      quantity.spelling_ = std::make_shared<const std::string>(text_);
    }
    return quantity;
  }

  bool KeepsSpelling() const {
    const size_t digits = std::max<size_t>(whole_.size(), 1) + fraction_.size();
    if (format_ == Quantity::Format::kBinarySI) {
      return fraction_.empty() && mantissa_ % 8 != 0 &&
             static_cast<int64_t>(digits) <= 14 - exponent_ * 3 / 10;
    }
    const int64_t scale = exponent_ - static_cast<int64_t>(fraction_.size());
    const bool zeros = (std::string(whole_) += fraction_).ends_with("000");
    return digits <= 18 && scale >= kNanoScale && scale % 3 == 0 && !zeros && !whole_.empty();
  }

  const std::string_view text_;
  bool negative_ = false;
  bool unusual_ = false;       // may differ from the canonical form
  std::string_view whole_;     // digits before the point, without leading zeros
  std::string_view fraction_;  // digits after the point
  std::string_view suffix_;
  Quantity::Format format_ = Quantity::Format::kDecimalSI;
  int64_t exponent_ = 0;  // of two for kBinarySI, otherwise of ten
  Uint128 mantissa_ = 0;
  int64_t scale_ = 0;
  bool more_ = false;
};

Quantity Quantity::Scaled(int64_t value, int32_t scale, Format format) {
  return Quantity(static_cast<Mantissa>(value), scale, format);
}

Result<Quantity> Quantity::Parse(std::string_view text) { return QuantityParser(text).Parse(); }

std::string Quantity::ToString() const {
  std::string out;
  AppendTo(out);
  return out;
}

void Quantity::AppendTo(std::string& out) const {
  if (spelling_) {
    out += *spelling_;
  } else if (format_ != Format::kBinarySI || !AppendBinary(out)) {
    AppendDecimal(out);
  }
}

// False, and writes nothing, when the binary form would be inexact or has no suffix.
bool Quantity::AppendBinary(std::string& out) const {
  constexpr std::string_view kSuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const std::optional<Mantissa> number = AsInteger();
  if (!number) return false;
  Uint128 magnitude = Magnitude(*number);
  if (magnitude < 1024) return false;
  size_t power = 0;
  for (; magnitude % 1024 == 0; magnitude /= 1024) ++power;
  if (power >= std::size(kSuffixes)) return false;
  if (*number < 0) out += '-';
  AppendDigits(magnitude, out);
  out += kSuffixes[power];
  return true;
}

void Quantity::AppendDecimal(std::string& out) const {
  if (IsZero()) {
    out += '0';
    return;
  }
  Uint128 magnitude = Magnitude(mantissa_);
  int64_t exponent = scale_;
  StripZeros(magnitude, exponent);
  if (mantissa_ < 0) out += '-';
  AppendDigits(magnitude, out);
  for (; exponent % 3 != 0; --exponent) out += '0';
  constexpr std::string_view kSuffixes = "num.kMGTPE";
  if (format_ == Format::kDecimalExponent || exponent < -9 || exponent > 18) {
    AppendExponent(exponent, out);
  } else if (exponent != 0) {
    out += kSuffixes[static_cast<size_t>(exponent / 3 + 3)];
  }
}

std::optional<Quantity::Mantissa> Quantity::AsInteger() const {
  const Uint128 magnitude = Magnitude(mantissa_);
  if (magnitude == 0 || scale_ == 0) return mantissa_;
  if (scale_ < 0) {
    if (-scale_ > kMaxDigits || magnitude % kPowersOfTen[-scale_] != 0) return std::nullopt;
    return WithSign(magnitude / kPowersOfTen[-scale_], mantissa_ < 0);
  }
  if (scale_ + CountDigits(magnitude) > kMaxDigits + 1) return std::nullopt;
  return WithSign(magnitude * kPowersOfTen[scale_], mantissa_ < 0);
}

void Quantity::Add(const Quantity& other) {
  spelling_.reset();
  if (IsZero()) {
    *this = Quantity(other.mantissa_, other.scale_, other.format_);
    return;
  }
  if (other.IsZero()) return;
  Quantity coarse(other.mantissa_, other.scale_, format_);
  if (coarse.scale_ < scale_) std::swap(*this, coarse);
  // Lowers the larger scale as far as the digits of its mantissa allow, then raises the smaller
  // scale.
  const int64_t gap = coarse.scale_ - scale_;
  const int digits = CountDigits(Magnitude(coarse.mantissa_));
  const int64_t room = std::min<int64_t>(gap, std::max(kMaxDigits - digits, 0));
  coarse.mantissa_ *= static_cast<Mantissa>(kPowersOfTen[room]);
  mantissa_ = DivideAway(mantissa_, gap - room) + coarse.mantissa_;
  scale_ += gap - room;
  if (Magnitude(mantissa_) > kPowersOfTen[kMaxDigits]) {
    mantissa_ = DivideAway(mantissa_, 1);
    ++scale_;
  }
}

void Quantity::Sub(const Quantity& other) {
  Quantity negated = other;
  negated.Neg();
  Add(negated);
}

void Quantity::Neg() {
  spelling_.reset();
  mantissa_ = -mantissa_;
}

void Quantity::MulInt(int64_t factor) {
  spelling_.reset();
  const bool negative = (mantissa_ < 0) != (factor < 0);
  Uint128 magnitude = Magnitude(mantissa_);
  const Uint128 times = Magnitude(factor);
  StripZeros(magnitude, scale_);
  Uint128 product = 0;
  while (__builtin_mul_overflow(magnitude, times, &product)) {
    magnitude = DivideUp(magnitude, 1);
    ++scale_;
  }
  for (; product > kPowersOfTen[kMaxDigits]; ++scale_) product = DivideUp(product, 1);
  if (product == 0) scale_ = 0;
  mantissa_ = WithSign(product, negative);
}

int64_t Quantity::ScaledValue(int32_t scale) const {
  if (IsZero()) return 0;
  const int64_t shift = scale_ - scale;
  const int64_t limit = mantissa_ < 0 ? kMinInt64 : kMaxInt64;
  Mantissa number = mantissa_;
  if (shift < 0) {
    number = DivideAway(mantissa_, -shift);
  } else if (shift + CountDigits(Magnitude(mantissa_)) > kMaxDigits + 1) {
    return limit;
  } else {
    number *= static_cast<Mantissa>(kPowersOfTen[shift]);
  }
  return number > kMaxInt64 || number < kMinInt64 ? limit : static_cast<int64_t>(number);
}

std::optional<int64_t> Quantity::AsInt64() const {
  const std::optional<Mantissa> number = AsInteger();
  if (!number || *number > kMaxInt64 || *number < kMinInt64) return std::nullopt;
  return static_cast<int64_t>(*number);
}

double Quantity::AsDouble() const {
  std::string text = mantissa_ < 0 ? "-" : "";
  AppendDigits(Magnitude(mantissa_), text);
  AppendExponent(scale_, text);
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec == std::errc()) return number;
  return scale_ < 0 ? 0.0 : std::copysign(std::numeric_limits<double>::infinity(), Sign());
}

std::weak_ordering Quantity::operator<=>(const Quantity& other) const {
  if (scale_ == other.scale_ || Sign() != other.Sign() || IsZero()) {
    return scale_ == other.scale_ ? mantissa_ <=> other.mantissa_ : Sign() <=> other.Sign();
  }
  Uint128 left = Magnitude(mantissa_);
  Uint128 right = Magnitude(other.mantissa_);
  const int64_t left_top = scale_ + CountDigits(left);
  const int64_t right_top = other.scale_ + CountDigits(right);
  std::weak_ordering order = left_top <=> right_top;
  if (order == 0) {
    // The leading digits have the same position, so aligning the scales cannot overflow.
    if (scale_ > other.scale_) left *= kPowersOfTen[scale_ - other.scale_];
    if (scale_ < other.scale_) right *= kPowersOfTen[other.scale_ - scale_];
    order = left <=> right;
  }
  if (mantissa_ > 0 || order == 0) return order;
  return order > 0 ? std::weak_ordering::less : std::weak_ordering::greater;
}

}  // namespace kubexms
