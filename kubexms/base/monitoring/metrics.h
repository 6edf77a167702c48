#pragma once

// Prometheus metrics: families of counters, gauges and histograms, collected as text.
//
//   MetricsRegistry metrics;
//   const auto requests = metrics.AddCounter(
//       {.name = "apiserver_request_total", .help = "Requests by result.", .labels = {"code"}});
//   const Counter ok = requests.With({"200"});  // look up once, store
//   ok.Increment();
//
// Handles are cheap to copy, valid as long as the registry, and thread-safe. A default-constructed
// handle does nothing, so code need not check whether metrics are enabled.

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

// A value that only increases.
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

// A value that increases and decreases.
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

// Collects observations under a lock that is held anyway, for Histogram::ObserveBatch(). Costs less
// than Histogram::Observe(). Not thread-safe.
class HistogramBatch {
 public:
  // `buckets` are those of the histogram.
  explicit HistogramBatch(std::vector<double> buckets);

  void Observe(double value) {
    const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<size_t>(bound - bounds_.begin())];
    sum_ += value;
  }
  void Observe(std::chrono::nanoseconds duration) {
    Observe(std::chrono::duration<double>(duration).count());
  }

  // Returns the observations and clears the batch.
  HistogramBatch Release();

 private:
  friend class Histogram;

  std::vector<double> bounds_;
  std::vector<uint64_t> counts_;  // the last counts values above all bounds
  double sum_ = 0;
};

// Counts observations by buckets.
class Histogram {
 public:
  Histogram() = default;
  void Observe(double value) const;
  void ObserveBatch(const HistogramBatch& batch) const;
  // In seconds, the base unit of Prometheus.
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
  // Further label values share one series, see MetricFamily::kOverflow.
  size_t max_series = 1000;
};

// All series with one name. A cheap handle.
template <class Metric>
class MetricFamily {
 public:
  // The label values of all series beyond MetricOptions::max_series.
  static constexpr std::string_view kOverflow = "_overflow";

  MetricFamily() = default;

  // The series with these label values, in the order of the family's labels; created if it does not
  // exist. Takes a lock and a lookup: on hot paths store the result.
  Metric With(std::initializer_list<std::string_view> values) const;

 private:
  friend class MetricsRegistry;
  class State;
  explicit MetricFamily(State* state) : state_(state) {}
  State* state_ = nullptr;
};

// Owns the families. Thread-safe.
class MetricsRegistry {
 public:
  // Unregisters a refresh function; waits for a running refresh.
  class Refresh;

  MetricsRegistry();
  ~MetricsRegistry();
  MetricsRegistry(const MetricsRegistry&) = delete;
  MetricsRegistry& operator=(const MetricsRegistry&) = delete;

  // Returns the existing family if there is one, which must have the same type and labels.
  MetricFamily<Counter> AddCounter(const MetricOptions& options) EXCLUDES(mutex_);
  MetricFamily<Gauge> AddGauge(const MetricOptions& options) EXCLUDES(mutex_);
  // `buckets` are ascending upper bounds without infinity.
  MetricFamily<Histogram> AddHistogram(const MetricOptions& options, std::vector<double> buckets)
      EXCLUDES(mutex_);

  // Calls `refresh` at the start of every Collect() until the result is destroyed, for values that
  // are computed on demand. `refresh` may set metrics but not call Collect() or AddRefresh().
  [[nodiscard]] Refresh AddRefresh(std::function<void()> refresh) EXCLUDES(refreshes_mutex_);

  // All metrics in Prometheus' text format, sorted by name and labels.
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
  mutable Mutex refreshes_mutex_;  // locked before mutex_, and while refresh functions run
  std::list<std::function<void()>> refreshes_ GUARDED_BY(refreshes_mutex_);
};

class MetricsRegistry::Refresh {
 public:
  Refresh() = default;
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
