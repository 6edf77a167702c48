#pragma once

// Amounts of a resource: "500m", "1536Mi", "1e3".
//
// A Quantity is an exact decimal number, not a floating-point number, with the format (family of
// suffixes) in which it is written. Parsing and writing follow Kubernetes' resource.Quantity:
//
//   - Parsing rounds away from zero to the next nano unit, so that a small request never becomes
//     zero, and caps binary quantities at 2^63-1.
//   - Writing uses the canonical form: no fraction, no lost digit, the largest possible suffix.
//     "0.5" becomes "500m" and "1024Mi" becomes "1Gi". Unusual spellings of a canonical number
//     ("+1", "1.500", "1E3") are preserved until the value changes.
//
// The number has up to 37 significant digits: every quantity below 10^28 is exact to the nano unit.
// Arithmetic rounds longer results away from zero; Parse refuses longer text.

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

class Quantity {
 public:
  enum class Format : uint8_t {
    kDecimalSI,        // n u m "" k M G T P E
    kBinarySI,         // Ki Mi Gi Ti Pi Ei
    kDecimalExponent,  // e3
  };

  // Zero.
  Quantity() = default;
  explicit Quantity(int64_t value, Format format = Format::kDecimalSI)
      : mantissa_(value), format_(format) {}
  // value * 10^scale: Scaled(5, -3) is 5m.
  static Quantity Scaled(int64_t value, int32_t scale, Format format = Format::kDecimalSI);

  static Result<Quantity> Parse(std::string_view text);

  std::string ToString() const;
  void AppendTo(std::string& out) const;

  Format format() const { return format_; }
  bool IsZero() const { return mantissa_ == 0; }
  // -1, 0 or 1.
  int Sign() const { return mantissa_ < 0 ? -1 : mantissa_ > 0 ? 1 : 0; }

  // Retains the format, except that zero adopts the format of `other`.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  void Neg();
  void MulInt(int64_t factor);

  // The number in units of 10^scale, rounded away from zero and clamped to int64.
  int64_t ScaledValue(int32_t scale) const;
  int64_t Value() const { return ScaledValue(0); }
  int64_t MilliValue() const { return ScaledValue(-3); }
  // The number, if it is an integer in the range of int64.
  std::optional<int64_t> AsInt64() const;
  double AsDouble() const;

  // By value: "1" and "1000m" are equal, whatever their formats.
  std::weak_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

 private:
  __extension__ typedef __int128 Mantissa;

  Quantity(Mantissa mantissa, int64_t scale, Format format)
      : mantissa_(mantissa), scale_(scale), format_(format) {}
  // mantissa_ * 10^scale_, if it is an integer of 128 bits.
  std::optional<Mantissa> AsInteger() const;
  bool AppendBinary(std::string& out) const;
  void AppendDecimal(std::string& out) const;

  friend class QuantityParser;

  Mantissa mantissa_ = 0;  // at most 10^37 in magnitude
  int64_t scale_ = 0;
  // Set only when the text differs from the canonical form and Kubernetes preserves the text.
  std::shared_ptr<const std::string> spelling_;
  Format format_ = Format::kDecimalSI;
};

}  // namespace kubexms
