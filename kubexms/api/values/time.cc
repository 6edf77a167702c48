#include "kubexms/api/values/time.h"

#include <fmt/format.h>

#include <optional>

namespace kubexms {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Quotes like Go's package time: bytes that are not printable ASCII become \xNN.
std::string QuotedAscii(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x80) {
      out += fmt::format("\\x{:02x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
  return out;
}

// Parses the canonical form "2006-01-02T15:04:05Z"; none for any other form and for invalid times.
// A fast path: every object has several times, and parsing them dominates decoding.
std::optional<sys_seconds> ParseUsualTime(std::string_view text) {
  if (text.size() != 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':' || text[19] != 'Z') {
    return std::nullopt;
  }
  bool digits = true;
  const auto two = [&](size_t at) {
    digits = digits && IsDigit(text[at]) && IsDigit(text[at + 1]);
    return static_cast<unsigned>(text[at] - '0') * 10 + static_cast<unsigned>(text[at + 1] - '0');
  };
  const std::chrono::year year(static_cast<int>(two(0) * 100 + two(2)));
  const std::chrono::year_month_day date{year, std::chrono::month(two(5)),
                                         std::chrono::day(two(8))};
  const unsigned hour = two(11);
  const unsigned minute = two(14);
  const unsigned second = two(17);
  if (!digits || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return sys_days(date) + seconds(hour * 3600 + minute * 60 + second);
}

// Parses one RFC 3339 time, element by element, like Go's time.Parse with that layout. After a
// failure the following steps do nothing.
class TimeParser {
 public:
  enum class Fraction { kOptional, kSixDigits };

  TimeParser(std::string_view text, Fraction fraction)
      : text_(text), rest_(text), fraction_(fraction) {}

  Result<MicroTime::Value> Parse() {
    const int year = Number("2006", 4, 4);
    Literal('-');
    const int month = Number("01", 2, 2);
    InRange("month", month, 1, 12);
    Literal('-');
    const int day = Number("02", 2, 2);
    Literal('T');
    const int hour = Number("15", 1, 2);
    InRange("hour", hour, 0, 23);
    Literal(':');
    const int minute = Number("04", 2, 2);
    InRange("minute", minute, 0, 59);
    Literal(':');
    const int second = Number("05", 2, 2);
    InRange("second", second, 0, 59);
    const microseconds fraction = ReadFraction();
    const seconds offset = ReadOffset();
    if (error_.empty() && !rest_.empty()) Fail("extra text: " + QuotedAscii(rest_));
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (error_.empty() && !date.ok()) Fail("day out of range");
    if (!error_.empty()) return Error::BadRequest("parsing time " + QuotedAscii(text_) + error_);
    return sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
           seconds(second) + fraction - offset;
  }

 private:
  void Fail(std::string_view why) {
    if (error_.empty()) error_ = fmt::format(": {}", why);
  }

  void Mismatch(std::string_view element) {
    if (!error_.empty()) return;
    const std::string_view layout = fraction_ == Fraction::kOptional
                                        ? "2006-01-02T15:04:05Z07:00"
                                        : "2006-01-02T15:04:05.000000Z07:00";
    error_ =
        fmt::format(" as \"{}\": cannot parse {} as \"{}\"", layout, QuotedAscii(rest_), element);
  }

  bool HasDigits(size_t from, size_t count) const {
    if (rest_.size() < from + count) return false;
    for (size_t i = from; i < from + count; ++i) {
      if (!IsDigit(rest_[i])) return false;
    }
    return true;
  }

  // The longest number of `least` to `most` digits at the start.
  int Number(std::string_view element, size_t least, size_t most) {
    size_t count = most;
    while (count >= least && !HasDigits(0, count)) --count;
    if (count < least) Mismatch(element);
    if (!error_.empty()) return 0;
    int number = 0;
    for (char c : rest_.substr(0, count)) number = number * 10 + (c - '0');
    rest_.remove_prefix(count);
    return number;
  }

  void Literal(char c) {
    if (!error_.empty()) return;
    if (rest_.empty() || rest_[0] != c) return Mismatch(std::string_view(&c, 1));
    rest_.remove_prefix(1);
  }

  void InRange(std::string_view what, int number, int least, int most) {
    if (number < least || number > most) Fail(fmt::format("{} out of range", what));
  }

  microseconds ReadFraction() {
    const bool point = !rest_.empty() && (rest_[0] == '.' || rest_[0] == ',');
    if (fraction_ == Fraction::kSixDigits && (!point || !HasDigits(1, 6))) Mismatch(".000000");
    if (!error_.empty() || !point || !HasDigits(1, 1)) return {};
    rest_.remove_prefix(1);
    int64_t micros = 0;
    size_t count = 0;
    for (; HasDigits(count, 1) && (fraction_ == Fraction::kOptional || count < 6); ++count) {
      if (count < 6) micros = micros * 10 + (rest_[count] - '0');
    }
    rest_.remove_prefix(count);
    for (; count < 6; ++count) micros *= 10;
    return microseconds(micros);
  }

  seconds ReadOffset() {
    if (!error_.empty()) return {};
    if (!rest_.empty() && rest_[0] == 'Z') {
      rest_.remove_prefix(1);
      return {};
    }
    const bool sign = !rest_.empty() && (rest_[0] == '+' || rest_[0] == '-');
    if (!sign || !HasDigits(1, 2) || rest_.size() < 6 || rest_[3] != ':' || !HasDigits(4, 2)) {
      Mismatch("Z07:00");
      return {};
    }
    const int direction = rest_[0] == '-' ? -1 : 1;
    const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    InRange("time zone offset hour", hours, 0, 24);
    InRange("time zone offset minute", minutes, 0, 60);
    rest_.remove_prefix(6);
    return direction * (std::chrono::hours(hours) + std::chrono::minutes(minutes));
  }

  const std::string_view text_;
  std::string_view rest_;
  const Fraction fraction_;
  std::string error_;  // what follows the quoted text in the message
};

// Writes exactly `digits` digits and returns a pointer to their end.
char* WriteDigits(char* out, unsigned number, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return out + digits;
}

// Writes "2006-01-02T15:04:05" without std::format: times dominate the encoding of objects.
std::string FormatDateTime(sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const auto second_of_day = static_cast<unsigned>((time - day).count());
  char text[19];
  char* end = WriteDigits(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  *end++ = '-';
  end = WriteDigits(end, static_cast<unsigned>(date.month()), 2);
  *end++ = '-';
  end = WriteDigits(end, static_cast<unsigned>(date.day()), 2);
  *end++ = 'T';
  end = WriteDigits(end, second_of_day / 3600, 2);
  *end++ = ':';
  end = WriteDigits(end, second_of_day / 60 % 60, 2);
  *end++ = ':';
  WriteDigits(end, second_of_day % 60, 2);
  return std::string(text, sizeof(text));
}

constexpr uint64_t kLargest = uint64_t{1} << 63;  // nanoseconds, allowed for negative ones only

// Nanoseconds of a unit of Go's notation, or zero.
uint64_t UnitOf(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  if (unit == "h") return 3'600'000'000'000;
  return 0;
}

Error InvalidDuration(std::string_view text) {
  return Error::BadRequest("time: invalid duration " + QuotedAscii(text));
}

std::string_view TakeDigits(std::string_view& rest) {
  size_t count = 0;
  while (count < rest.size() && IsDigit(rest[count])) ++count;
  const std::string_view digits = rest.substr(0, count);
  rest.remove_prefix(count);
  return digits;
}

std::optional<uint64_t> ReadWhole(std::string_view digits) {
  uint64_t number = 0;
  for (char c : digits) {
    if (number > kLargest / 10) return std::nullopt;
    number = number * 10 + static_cast<uint64_t>(c - '0');
    if (number > kLargest) return std::nullopt;
  }
  return number;
}

// 0.`digits` units in nanoseconds. Digits that do not fit are below a nanosecond.
uint64_t ReadFraction(std::string_view digits, uint64_t unit) {
  uint64_t number = 0;
  double scale = 1;
  for (char c : digits) {
    if (number > (kLargest - 1) / 10) break;
    const uint64_t next = number * 10 + static_cast<uint64_t>(c - '0');
    if (next > kLargest) break;
    number = next;
    scale *= 10;
  }
  return static_cast<uint64_t>(static_cast<double>(number) * (static_cast<double>(unit) / scale));
}

// Parses one number with its unit and removes them from `rest`.
Result<uint64_t> ReadTerm(std::string_view text, std::string_view& rest) {
  const std::string_view whole_digits = TakeDigits(rest);
  std::string_view fraction_digits;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    fraction_digits = TakeDigits(rest);
  }
  const std::optional<uint64_t> whole = ReadWhole(whole_digits);
  if (!whole || (whole_digits.empty() && fraction_digits.empty())) return InvalidDuration(text);
  const std::string_view name = rest.substr(0, rest.find_first_of(".0123456789"));
  if (name.empty()) {
    return Error::BadRequest("time: missing unit in duration " + QuotedAscii(text));
  }
  const uint64_t unit = UnitOf(name);
  if (unit == 0) {
    return Error::BadRequest(
        fmt::format("time: unknown unit {} in duration {}", QuotedAscii(name), QuotedAscii(text)));
  }
  if (*whole > kLargest / unit) return InvalidDuration(text);
  const uint64_t term = *whole * unit + ReadFraction(fraction_digits, unit);
  if (term > kLargest) return InvalidDuration(text);
  rest.remove_prefix(name.size());
  return term;
}

// number / 10^digits without trailing zeros: 1500, 3 → "1.5".
std::string WithPoint(uint64_t number, int digits) {
  uint64_t unit = 1;
  for (int i = 0; i < digits; ++i) unit *= 10;
  std::string text = fmt::format("{}", number / unit);
  if (number % unit == 0) return text;
  text += fmt::format(".{:0{}}", number % unit, digits);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace

Time Time::Now(const Clock& clock) {
  return Time(std::chrono::floor<std::chrono::seconds>(clock.Now()));
}

Result<Time> Time::Parse(std::string_view text) {
  if (const std::optional<sys_seconds> usual = ParseUsualTime(text)) return Time(*usual);
  ASSIGN_OR_RETURN(const auto time, TimeParser(text, TimeParser::Fraction::kOptional).Parse());
  return Time(std::chrono::floor<seconds>(time));
}

std::string Time::ToString() const { return FormatDateTime(time_) + "Z"; }

MicroTime MicroTime::Now(const Clock& clock) {
  return MicroTime(std::chrono::floor<std::chrono::microseconds>(clock.Now()));
}

Result<MicroTime> MicroTime::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(const auto time, TimeParser(text, TimeParser::Fraction::kSixDigits).Parse());
  return MicroTime(time);
}

std::string MicroTime::ToString() const {
  const auto second = std::chrono::floor<seconds>(time_);
  return fmt::format("{}.{:06}Z", FormatDateTime(second), (time_ - second).count());
}

Result<Duration> Duration::Parse(std::string_view text) {
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  if (rest == "0") return Duration();
  if (rest.empty()) return InvalidDuration(text);
  uint64_t total = 0;
  while (!rest.empty()) {
    ASSIGN_OR_RETURN(const uint64_t term, ReadTerm(text, rest));
    if (term > kLargest - total) return InvalidDuration(text);
    total += term;
  }
  if (total == kLargest && !negative) return InvalidDuration(text);
  return Duration(nanoseconds(static_cast<int64_t>(negative ? -total : total)));
}

std::string Duration::ToString() const {
  const bool negative = duration_.count() < 0;
  const auto count = static_cast<uint64_t>(duration_.count());
  const uint64_t nanos = negative ? -count : count;
  const std::string_view sign = negative ? "-" : "";
  if (nanos == 0) return "0s";
  if (nanos < 1'000) return fmt::format("{}{}ns", sign, nanos);
  if (nanos < 1'000'000) return fmt::format("{}{}µs", sign, WithPoint(nanos, 3));
  if (nanos < 1'000'000'000) return fmt::format("{}{}ms", sign, WithPoint(nanos, 6));
  const uint64_t minutes = nanos / 60'000'000'000;
  const std::string rest = WithPoint(nanos % 60'000'000'000, 9);
  if (minutes == 0) return fmt::format("{}{}s", sign, rest);
  if (minutes < 60) return fmt::format("{}{}m{}s", sign, minutes, rest);
  return fmt::format("{}{}h{}m{}s", sign, minutes / 60, minutes % 60, rest);
}

}  // namespace kubexms
