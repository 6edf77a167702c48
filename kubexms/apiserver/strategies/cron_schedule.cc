#include "kubexms/apiserver/strategies/cron_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kubexms/api/quote.h"
#include "kubexms/api/time.h"

namespace kubexms {
namespace {

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

// One of "5", "1-5", "*", each with an optional "/step".
Result<void> CheckRange(std::string_view expression, const Bounds& bounds) {
  const Texts range_and_step = Split(expression, '/');
  const Texts ends = Split(range_and_step[0], '-');
  const bool single = ends.size() == 1;
  int64_t start = bounds.minimum;
  int64_t end = bounds.maximum;
  if (!IsWildcard(ends[0])) {
    ASSIGN_OR_RETURN(start, ParseNumberOrName(ends[0], bounds));
    if (ends.size() > 2) return Refused(fmt::format("too many hyphens: {}", expression));
    end = start;
    if (!single) {
      ASSIGN_OR_RETURN(end, ParseNumberOrName(ends[1], bounds));
    }
  }
  if (range_and_step.size() > 2) return Refused(fmt::format("too many slashes: {}", expression));
  if (range_and_step.size() == 2) {
    ASSIGN_OR_RETURN(const int64_t step, ParseNumber(range_and_step[1]));
    if (single) end = bounds.maximum;  // "5/15" means "from 5 on"
    if (step == 0)
      return Refused(fmt::format("step of range should be a positive number: {}", expression));
  }
  if (start < bounds.minimum)
    return Refused(fmt::format("beginning of range ({}) below minimum ({}): {}", start,
                               bounds.minimum, expression));
  if (end > bounds.maximum)
    return Refused(
        fmt::format("end of range ({}) above maximum ({}): {}", end, bounds.maximum, expression));
  if (start > end)
    return Refused(fmt::format("beginning of range ({}) beyond end of range ({}): {}", start, end,
                               expression));
  return {};
}

Result<void> CheckDescriptor(std::string_view descriptor) {
  static constexpr std::string_view kKnown[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                                "@daily",  "@midnight", "@hourly"};
  if (std::find(std::begin(kKnown), std::end(kKnown), descriptor) != std::end(kKnown)) return {};
  static constexpr std::string_view kEvery = "@every ";
  if (!descriptor.starts_with(kEvery))
    return Refused(fmt::format("unrecognized descriptor: {}", descriptor));
  const Result<Duration> interval = Duration::Parse(descriptor.substr(kEvery.size()));
  if (interval.ok()) return {};
  return Refused(
      fmt::format("failed to parse duration {}: {}", descriptor, interval.error().message()));
}

}  // namespace

Result<void> CheckCronSchedule(std::string_view schedule) {
  if (schedule.empty()) return Refused("empty spec string");
  for (std::string_view prefix : {"TZ=", "CRON_TZ="}) {
    if (!schedule.starts_with(prefix)) continue;
    const size_t space = schedule.find(' ');
    schedule.remove_prefix(space == std::string_view::npos ? schedule.size() : space + 1);
    break;
  }
  if (schedule.starts_with('@')) return CheckDescriptor(schedule);
  const Texts fields = Words(schedule);
  if (fields.size() != std::size(kFields))
    return Refused(fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(),
                               fmt::join(fields, " ")));
  for (size_t i = 0; i < fields.size(); ++i) {
    for (std::string_view expression : Split(fields[i], ','))
      RETURN_IF_ERROR(CheckRange(expression, kFields[i]));
  }
  return {};
}

}  // namespace kubexms
