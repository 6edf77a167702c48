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

#include <chrono>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
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

// Counts observations by size.
class Histogram {
 public:
  Histogram() = default;
  void Observe(double value) const;
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

  // Everything, in Prometheus' text format, sorted by name and labels.
  std::string Collect() const EXCLUDES(mutex_);
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
};

// `count` bounds: start, start × factor, start × factor² …
std::vector<double> ExponentialBuckets(double start, double factor, int count);
// `count` bounds: start, start + width, start + 2 × width …
std::vector<double> LinearBuckets(double start, double width, int count);

}  // namespace kubexms
