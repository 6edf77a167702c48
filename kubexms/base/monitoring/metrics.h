#pragma once

// Metrics in Prometheus' sense: counters, gauges and histograms in families, collected as text.
//
//   MetricsRegistry metrics;
//   const auto requests = metrics.AddCounter(
//       {.name = "apiserver_request_total", .help = "Requests by result.", .labels = {"code"}});
//   const Counter ok = requests.With({"200"});  // look up once, keep
//   ok.Increment();
//
// Handles are pointers in disguise: cheap to copy, valid as long as the registry, safe to use from
// any thread. A default-constructed one does nothing, so code need not ask whether it is measured.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

template <class Metric>
class MetricFamily;

// Only ever grows.
class Counter {
 public:
  Counter() = default;
  void Increment(double by = 1) const;  // `by` must not be negative
  double Value() const;

 private:
  friend class MetricFamily<Counter>;
  explicit Counter(void* series) : series_(series) {}
  void* series_ = nullptr;
};

// Goes up and down.
class Gauge {
 public:
  Gauge() = default;
  void Set(double value) const;
  void Increment(double by = 1) const;
  void Decrement(double by = 1) const;
  double Value() const;

 private:
  friend class MetricFamily<Gauge>;
  explicit Gauge(void* series) : series_(series) {}
  void* series_ = nullptr;
};

// Observations that are gathered where a lock is held anyway, for Histogram::Take(). Costs less
// than Histogram::Observe(). Not safe for use from several threads.
class HistogramBatch {
 public:
  // The buckets of the histogram that it is for.
  explicit HistogramBatch(std::vector<double> buckets);

  void Observe(double value) {
    const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<size_t>(bound - bounds_.begin())];
    sum_ += value;
  }
  void Observe(std::chrono::nanoseconds duration) {
    Observe(std::chrono::duration<double>(duration).count());
  }

  // What was gathered; nothing is left.
  HistogramBatch Release();

 private:
  friend class Histogram;

  std::vector<double> bounds_;
  std::vector<uint64_t> counts_;  // the last one is of what is above all bounds
  double sum_ = 0;
};

// Counts observations by size.
class Histogram {
 public:
  Histogram() = default;
  void Observe(double value) const;
  void Take(const HistogramBatch& batch) const;
  // In seconds, as Prometheus wants it.
  template <class Rep, class Period>
  void Observe(std::chrono::duration<Rep, Period> duration) const {
    Observe(std::chrono::duration<double>(duration).count());
  }

 private:
  friend class MetricFamily<Histogram>;
  explicit Histogram(void* series) : series_(series) {}
  void* series_ = nullptr;
};

struct MetricOptions {
  std::string name;  // as Prometheus allows: [a-zA-Z_:][a-zA-Z0-9_:]*
  std::string help;
  std::vector<std::string> labels;
  // Label values beyond this many series are counted together, see MetricFamily.
  size_t max_series = 1000;
};

// All series of one name. Handles as cheap as those of the metrics.
template <class Metric>
class MetricFamily {
 public:
  // Every label of a series that was asked for when the family was full.
  static constexpr std::string_view kOverflow = "_overflow";

  MetricFamily() = default;

  // The series with these label values, in the order of the family's labels; made when it is new.
  // Takes a lock and a look-up: on hot paths keep the result.
  Metric With(std::initializer_list<std::string_view> values) const;

 private:
  friend class MetricsRegistry;
  class State;
  explicit MetricFamily(State* state) : state_(state) {}
  State* state_ = nullptr;
};

// Owns the families. Safe for use from any thread.
class MetricsRegistry {
 public:
  // Ends what AddRefresh() began; waits for a refresh that is running.
  class Refresh;

  MetricsRegistry();
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  // Adding a family that exists gives the existing one; adding it as another type or with other
  // labels is a bug.
  MetricFamily<Counter> AddCounter(const MetricOptions& options) EXCLUDES(mutex_);
  MetricFamily<Gauge> AddGauge(const MetricOptions& options) EXCLUDES(mutex_);
  // `buckets` are upper bounds, ascending; the infinite one is added.
  MetricFamily<Histogram> AddHistogram(const MetricOptions& options, std::vector<double> buckets)
      EXCLUDES(mutex_);

  // Calls `refresh` at the start of every Collect() for as long as the result lives: for values
  // that are computed when they are read. It may set metrics but not collect or add a refresh.
  [[nodiscard]] Refresh AddRefresh(std::function<void()> refresh) EXCLUDES(refreshes_mutex_);

  // Everything, in Prometheus' text format, sorted by name and labels.
  std::string Collect() const EXCLUDES(mutex_, refreshes_mutex_);
  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  template <class Metric>
  friend class MetricFamily;
  class Family;

  template <class Metric>
  MetricFamily<Metric> Add(const MetricOptions& options, std::vector<double> buckets)
      EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, std::unique_ptr<Family>> families_ GUARDED_BY(mutex_);
  mutable Mutex refreshes_mutex_;  // before mutex_; held while they run
  std::list<std::function<void()>> refreshes_ GUARDED_BY(refreshes_mutex_);
};

class MetricsRegistry::Refresh {
 public:
  Refresh() = default;  // of nothing
  Refresh(Refresh&& other) noexcept
      : registry_(std::exchange(other.registry_, nullptr)), place_(other.place_) {}
  Refresh& operator=(Refresh&& other) noexcept {
    std::swap(registry_, other.registry_);
    std::swap(place_, other.place_);
    return *this;
  }
  ~Refresh();

 private:
  friend class MetricsRegistry;
  using Place = std::list<std::function<void()>>::iterator;
  Refresh(MetricsRegistry* registry, Place place) : registry_(registry), place_(place) {}

  MetricsRegistry* registry_ = nullptr;
  Place place_;
};

// `count` bounds: start, start × factor, start × factor² …
std::vector<double> ExponentialBuckets(double start, double factor, int count);
// `count` bounds: start, start + width, start + 2 × width …
std::vector<double> LinearBuckets(double start, double width, int count);

}  // namespace kubexms
