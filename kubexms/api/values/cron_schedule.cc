#include "kubexms/api/values/cron_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kubexms/api/values/quote.h"
#include "kubexms/api/values/time.h"

namespace kubexms {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using std::chrono::year_month_day;
using Texts = std::vector<std::string_view>;

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kDays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Bounds {
  int64_t minimum;
  int64_t maximum;
  std::span<const std::string_view> names;  // of the numbers from `minimum` on
};

const Bounds kFields[] = {{0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonths}, {0, 6, kDays}};

Texts Split(std::string_view text, char separator) {
  Texts parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Texts Words(std::string_view text) {
  Texts words;
  for (std::string_view word : Split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

Error Refused(std::string message) { return Error::BadRequest(std::move(message)); }

Result<int64_t> ParseNumber(std::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  if (digits) {
    if (const Result<int64_t> number = ParseInt64(text); number.ok()) return *number;
  }
  if (const Result<int64_t> negative = ParseInt64(text); negative.ok() && *negative < 0)
    return Refused(fmt::format("negative number ({}) not allowed: {}", *negative, text));
  return Refused(fmt::format(
      "failed to parse int from {}: strconv.Atoi: parsing {}: invalid syntax", text, Quoted(text)));
}

Result<int64_t> ParseNumberOrName(std::string_view text, const Bounds& bounds) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::find(bounds.names.begin(), bounds.names.end(), lower);
  if (found != bounds.names.end()) return bounds.minimum + (found - bounds.names.begin());
  return ParseNumber(text);
}

bool IsWildcard(std::string_view text) { return text == "*" || text == "?"; }

struct Range {
  int64_t start;
  int64_t end;
  int64_t step = 1;
  bool any = false;
};

Result<void> CheckRange(const Range& range, const Bounds& bounds, std::string_view expression) {
  if (range.start < bounds.minimum)
    return Refused(fmt::format("beginning of range ({}) below minimum ({}): {}", range.start,
                               bounds.minimum, expression));
  if (range.end > bounds.maximum)
    return Refused(fmt::format("end of range ({}) above maximum ({}): {}", range.end,
                               bounds.maximum, expression));
  if (range.start > range.end)
    return Refused(fmt::format("beginning of range ({}) beyond end of range ({}): {}", range.start,
                               range.end, expression));
  if (range.step == 0)
    return Refused(fmt::format("step of range should be a positive number: {}", expression));
  return {};
}

// One of "5", "1-5", "*", each with an optional "/step".
Result<Range> ParseRange(std::string_view expression, const Bounds& bounds) {
  const Texts range_and_step = Split(expression, '/');
  const Texts ends = Split(range_and_step[0], '-');
  Range range{.start = bounds.minimum, .end = bounds.maximum};
  if (IsWildcard(ends[0])) {
    range.any = true;
  } else {
    ASSIGN_OR_RETURN(range.start, ParseNumberOrName(ends[0], bounds));
    if (ends.size() > 2) return Refused(fmt::format("too many hyphens: {}", expression));
    range.end = range.start;
    if (ends.size() == 2) {
      ASSIGN_OR_RETURN(range.end, ParseNumberOrName(ends[1], bounds));
    }
  }
  if (range_and_step.size() > 2) return Refused(fmt::format("too many slashes: {}", expression));
  if (range_and_step.size() == 2) {
    ASSIGN_OR_RETURN(range.step, ParseNumber(range_and_step[1]));
    if (ends.size() == 1) range.end = bounds.maximum;  // "5/15" means "from 5 on"
    if (range.step > 1) range.any = false;
    range.step = std::min(range.step, bounds.maximum + 1);
  }
  RETURN_IF_ERROR(CheckRange(range, bounds, expression));
  return range;
}

Result<CronField> ParseField(std::string_view text, const Bounds& bounds) {
  CronField field;
  for (std::string_view expression : Split(text, ',')) {
    if (expression.empty()) continue;
    ASSIGN_OR_RETURN(const Range range, ParseRange(expression, bounds));
    for (int64_t number = range.start; number <= range.end; number += range.step)
      field.bits |= uint64_t{1} << number;
    field.any = field.any || range.any;
  }
  return field;
}

// The five fields of a descriptor; empty for an unknown descriptor.
std::string_view FieldsOf(std::string_view descriptor) {
  struct Known {
    std::string_view descriptor, fields;
  };
  static constexpr Known kKnown[] = {{"@yearly", "0 0 1 1 *"},  {"@annually", "0 0 1 1 *"},
                                     {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
                                     {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
                                     {"@hourly", "0 * * * *"}};
  for (const Known& known : kKnown) {
    if (known.descriptor == descriptor) return known.fields;
  }
  return {};
}

constexpr std::string_view kEvery = "@every ";

Result<seconds> ParseEvery(std::string_view descriptor) {
  const Result<Duration> interval = Duration::Parse(descriptor.substr(kEvery.size()));
  if (!interval.ok())
    return Refused(
        fmt::format("failed to parse duration {}: {}", descriptor, interval.error().message()));
  return std::max(seconds(1), floor<seconds>(interval->value()));
}

// Removes "TZ=Asia/Tokyo " from the start of the schedule, if present.
Result<TimeZone> TakeZone(std::string_view& schedule, const TimeZone& otherwise) {
  for (std::string_view prefix : {"TZ=", "CRON_TZ="}) {
    if (!schedule.starts_with(prefix)) continue;
    const size_t end = std::min(schedule.find(' '), schedule.size());
    const std::string_view name = schedule.substr(prefix.size(), end - prefix.size());
    const Result<TimeZone> zone = TimeZone::Load(name);
    if (!zone.ok())
      return Refused(fmt::format("provided bad location {}: {}", name, zone.error().message()));
    schedule.remove_prefix(end);
    schedule.remove_prefix(std::min(schedule.find_first_not_of(' '), schedule.size()));
    return *zone;
  }
  return otherwise;
}

}  // namespace

Result<CronSchedule> CronSchedule::Parse(std::string_view text, const TimeZone& zone) {
  if (text.empty()) return Refused("empty spec string");
  ASSIGN_OR_RETURN(const TimeZone named_zone, TakeZone(text, zone));
  CronSchedule schedule(named_zone);
  if (text.starts_with(kEvery)) {
    ASSIGN_OR_RETURN(schedule.every_, ParseEvery(text));
    return schedule;
  }
  const bool descriptor = text.starts_with('@');
  const Texts words = Words(descriptor ? FieldsOf(text) : text);
  if (descriptor && words.empty()) return Refused(fmt::format("unrecognized descriptor: {}", text));
  if (words.size() != std::size(kFields))
    return Refused(fmt::format("expected exactly 5 fields, found {}: [{}]", words.size(),
                               fmt::join(words, " ")));
  CronField* const fields[] = {&schedule.minute_, &schedule.hour_, &schedule.day_, &schedule.month_,
                               &schedule.weekday_};
  for (size_t i = 0; i < words.size(); ++i) {
    ASSIGN_OR_RETURN(*fields[i], ParseField(words[i], kFields[i]));
  }
  return schedule;
}

// If both the day of the month and the day of the week are restricted, either one may match.
bool CronSchedule::DayMatches(local_days day) const {
  const bool of_month = day_.Has(static_cast<unsigned>(year_month_day(day).day()));
  const bool of_week = weekday_.Has(std::chrono::weekday(day).c_encoding());
  return day_.any || weekday_.any ? of_month && of_week : of_month || of_week;
}

sys_seconds CronSchedule::Advance(sys_seconds time) const {
  const local_seconds local = zone_.ToLocal(time);
  const local_days day = floor<days>(local);
  const year_month_day date(day);
  if (!month_.Has(static_cast<unsigned>(date.month()))) {
    const auto next_month = date.year() / date.month() / 1 + std::chrono::months(1);
    return zone_.FirstMomentOf(local_days(next_month));
  }
  if (!DayMatches(day)) return zone_.FirstMomentOf(day + days(1));
  const std::chrono::hh_mm_ss clock(local - day);
  if (!hour_.Has(static_cast<unsigned>(clock.hours().count())))
    return time + std::chrono::hours(1) - clock.minutes();
  if (!minute_.Has(static_cast<unsigned>(clock.minutes().count()))) return time + minutes(1);
  return time;
}

std::optional<sys_seconds> CronSchedule::Next(sys_seconds after) const {
  if (every_) return after + *every_;
  const sys_seconds limit = after + std::chrono::years(5);
  sys_seconds time = floor<minutes>(after) + minutes(1);
  while (time <= limit) {
    const sys_seconds advanced = Advance(time);
    if (advanced == time) return time;
    time = advanced;
  }
  return std::nullopt;
}

std::optional<sys_seconds> CronSchedule::Last(sys_seconds after, sys_seconds until) const {
  std::optional<sys_seconds> last = Next(after);
  if (!last || *last > until) return std::nullopt;
  if (every_) return after + (until - after) / *every_ * *every_;
  // A binary search: no scheduled time in the remaining range is after `end`.
  for (sys_seconds end = until; *last < end;) {
    const sys_seconds middle = *last + (end - *last) / 2;
    const std::optional<sys_seconds> next = Next(middle);
    if (next && *next <= until) {
      last = next;
    } else {
      end = middle;
    }
  }
  return last;
}

}  // namespace kubexms
