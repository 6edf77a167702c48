#pragma once

// Keeps events from flooding a server. Three things happen to an event, in this order:
//
//   aggregation   from the tenth different message about one object, source, type and reason within
//                 ten minutes on, they all become one event: "(combined from similar events): …"
//   counting      an event that says the same as an earlier one is not a new object: the count of
//                 the earlier one grows
//   filtering     a source may say 25 things about an object at once, and then one in five minutes
//
// The same as in Kubernetes' own components, so that events read alike whoever writes them.

#include <optional>
#include <set>
#include <string>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/base/clock.h"
#include "kubexms/controller/support/lru_map.h"

namespace kubexms {

// Something that happened to an object.
struct Occurrence {
  std::string component;  // who says so
  corev1::ObjectReference object;
  std::string type;
  std::string reason;
  std::string message;
  Clock::WallTime time;
};

// The event that an occurrence became.
struct CorrelatedEvent {
  Occurrence occurrence;  // its message is that of the event
  std::string name;
  int32_t count = 1;  // above one: the event with this name exists, and is to be changed
  Clock::WallTime first_time;
};

struct EventCorrelatorOptions {
  size_t similar_events = 10;
  std::chrono::seconds similar_window = std::chrono::minutes(10);
  double burst = 25;
  std::chrono::seconds refill_period = std::chrono::seconds(300);  // one more event
  size_t max_entries = 4096;  // of each of the three memories: the oldest are forgotten
};

// For one thread at a time.
class EventCorrelator {
 public:
  explicit EventCorrelator(const EventCorrelatorOptions& options = {});

  // What to send, or nothing when the source said too much. What is filtered is counted still.
  std::optional<CorrelatedEvent> Correlate(Occurrence occurrence);

 private:
  struct Similar {
    std::set<std::string> messages;
    Clock::WallTime last_time;
  };
  struct Count {
    std::string name;
    int32_t count = 0;
    Clock::WallTime first_time;
  };
  struct Bucket {
    double tokens;
    Clock::WallTime last_time;
  };

  std::string Aggregate(Occurrence& occurrence);
  CorrelatedEvent Observe(const std::string& key, Occurrence occurrence);
  std::string NameFor(const Occurrence& occurrence);
  bool IsSpam(const Occurrence& occurrence);

  const EventCorrelatorOptions options_;
  LruMap<Similar> similar_;
  LruMap<Count> counts_;
  LruMap<Bucket> buckets_;
  int64_t last_moment_ = 0;  // in an event's name, nanoseconds
};

}  // namespace kubexms
