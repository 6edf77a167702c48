#include "kubexms/controller/events/event_correlator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "kubexms/api/names.h"

namespace kubexms {
namespace {

// Keys are lists of texts, each with its length before it: no two lists have the same key.
std::string Key(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts)
    fmt::format_to(std::back_inserter(key), "{}:{}", part.size(), part);
  return key;
}

std::string ObjectKeyOf(const corev1::ObjectReference& object) {
  return Key({object.kind, object.namespace_name, object.name, object.uid, object.api_version});
}

}  // namespace

EventCorrelator::EventCorrelator(const EventCorrelatorOptions& options)
    : options_(options),
      similar_(options.max_entries),
      counts_(options.max_entries),
      buckets_(options.max_entries) {}

std::optional<CorrelatedEvent> EventCorrelator::Correlate(Occurrence occurrence) {
  const std::string key = Aggregate(occurrence);
  CorrelatedEvent event = Observe(key, std::move(occurrence));
  if (IsSpam(event.occurrence)) return std::nullopt;
  return event;
}

// The key under which the occurrence is counted. Its message changes when it is one of many.
std::string EventCorrelator::Aggregate(Occurrence& occurrence) {
  std::string group = Key(
      {occurrence.component, ObjectKeyOf(occurrence.object), occurrence.type, occurrence.reason});
  const auto fresh = [&] { return Similar{{}, occurrence.time}; };
  Similar& similar = similar_.FindOrMake(group, fresh);
  if (occurrence.time - similar.last_time > options_.similar_window) similar = fresh();
  similar.messages.insert(occurrence.message);
  similar.last_time = occurrence.time;
  if (similar.messages.size() < options_.similar_events) {
    return Key({group, occurrence.object.field_path, occurrence.message});
  }
  similar.messages.erase(similar.messages.begin());
  occurrence.message = "(combined from similar events): " + occurrence.message;
  return group;
}

CorrelatedEvent EventCorrelator::Observe(const std::string& key, Occurrence occurrence) {
  Count& seen = counts_.FindOrMake(key, [&] {
    return Count{NameFor(occurrence), 0, occurrence.time};
  });
  ++seen.count;
  return {.occurrence = std::move(occurrence),
          .name = seen.name,
          .count = seen.count,
          .first_time = seen.first_time};
}

// As other components name them: the object's name and the moment, which here no two events share.
// Some objects have names that an event may not have; those are named after their kind.
std::string EventCorrelator::NameFor(const Occurrence& occurrence) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::nanoseconds>(occurrence.time.time_since_epoch());
  last_moment_ = std::max<int64_t>(last_moment_ + 1, since_epoch.count());
  std::string name = fmt::format("{}.{:x}", occurrence.object.name, last_moment_);
  if (ValidateDns1123Subdomain(name).empty()) return name;
  std::string kind = occurrence.object.kind;
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const size_t object = std::hash<std::string>()(ObjectKeyOf(occurrence.object));
  return fmt::format("{}-{:x}.{:x}", kind, object, last_moment_);
}

bool EventCorrelator::IsSpam(const Occurrence& occurrence) {
  const std::string key =
      Key({occurrence.component, ObjectKeyOf(occurrence.object), occurrence.type});
  const auto full = [&] { return Bucket{options_.burst, occurrence.time}; };
  Bucket& bucket = buckets_.FindOrMake(key, full);
  const std::chrono::duration<double> passed = occurrence.time - bucket.last_time;
  const double refilled = passed / std::chrono::duration<double>(options_.refill_period);
  bucket.tokens = std::min(options_.burst, bucket.tokens + std::max(0.0, refilled));
  bucket.last_time = occurrence.time;
  if (bucket.tokens < 1) return true;
  bucket.tokens -= 1;
  return false;
}

}  // namespace kubexms
