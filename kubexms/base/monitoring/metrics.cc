#include "kubexms/base/monitoring/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <unordered_map>

#include "kubexms/base/check.h"
#include "kubexms/base/utf8.h"

namespace kubexms {

// The type-independent interface of a family.
class MetricsRegistry::Family {
 public:
  virtual ~Family() = default;
  virtual prometheus::MetricFamily Collect() const = 0;
};

namespace {

constexpr size_t kMaxLabelBytes = 256;

// Replaces prometheus-cpp's histogram, which takes a lock for every observation. A concurrent
// Collect() may see an observation in the count that is not yet in the sum.
class HistogramSeries {
 public:
  explicit HistogramSeries(const std::vector<double>& bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void Observe(double value) {
    const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    counts_[static_cast<size_t>(bound - bounds_.begin())].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }

  void Add(std::span<const uint64_t> counts, double sum) {
    KUBEXMS_CHECK(counts.size() == counts_.size());
    for (size_t i = 0; i < counts.size(); ++i) {
      counts_[i].fetch_add(counts[i], std::memory_order_relaxed);
    }
    sum_.fetch_add(sum, std::memory_order_relaxed);
  }

  prometheus::ClientMetric Collect() const {
    prometheus::ClientMetric metric;
    prometheus::ClientMetric::Histogram& histogram = metric.histogram;
    for (size_t i = 0; i < counts_.size(); ++i) {
      histogram.sample_count += counts_[i].load(std::memory_order_relaxed);
      prometheus::ClientMetric::Bucket& bucket = histogram.bucket.emplace_back();
      bucket.cumulative_count = histogram.sample_count;
      bucket.upper_bound =
          i < bounds_.size() ? bounds_[i] : std::numeric_limits<double>::infinity();
    }
    histogram.sample_sum = sum_.load(std::memory_order_relaxed);
    return metric;
  }

 private:
  const std::vector<double> bounds_;
  std::vector<std::atomic<uint64_t>> counts_;  // the last counts values above all bounds
  std::atomic<double> sum_ = 0;
};

// The prometheus-cpp types of our metrics.
template <class Metric>
struct Behind;
template <>
struct Behind<Counter> {
  using Series = prometheus::Counter;
  static constexpr auto kType = prometheus::MetricType::Counter;
};
template <>
struct Behind<Gauge> {
  using Series = prometheus::Gauge;
  static constexpr auto kType = prometheus::MetricType::Gauge;
};
template <>
struct Behind<Histogram> {
  using Series = HistogramSeries;
  static constexpr auto kType = prometheus::MetricType::Histogram;
};

prometheus::Counter* AsCounter(void* series) { return static_cast<prometheus::Counter*>(series); }
prometheus::Gauge* AsGauge(void* series) { return static_cast<prometheus::Gauge*>(series); }

bool IsName(std::string_view name, bool colons) {
  const auto allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (colons && c == ':');
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), allowed);
}

void CheckNames(const MetricOptions& options) {
  KUBEXMS_CHECK(IsName(options.name, true));
  for (const std::string& label : options.labels) {
    KUBEXMS_CHECK(IsName(label, false) && !label.starts_with("__") && label != "le");
  }
}

std::string CleanLabel(std::string_view value) {
  return ToValidUtf8(value.substr(0, kMaxLabelBytes));
}

template <class Values>
std::string JoinKey(const Values& values) {
  std::string key;
  for (const std::string_view value : values) {
    key += value;
    key += '\0';
  }
  return key;
}

}  // namespace

template <class Metric>
class MetricFamily<Metric>::State final : public MetricsRegistry::Family {
 public:
  State(const MetricOptions& options, std::vector<double> buckets)
      : options_(options), buckets_(std::move(buckets)) {}

  bool IsSame(const MetricOptions& options, const std::vector<double>& buckets) const {
    return options.labels == options_.labels && buckets == buckets_;
  }

  void* Find(std::initializer_list<std::string_view> values) {
    KUBEXMS_CHECK(values.size() == options_.labels.size());
    std::string key = JoinKey(values);
    MutexLock lock(mutex_);
    if (const auto it = by_values_.find(key); it != by_values_.end()) return it->second;
    if (by_values_.size() >= options_.max_series) return Overflow();
    std::vector<std::string> clean;
    for (const std::string_view value : values) clean.push_back(CleanLabel(value));
    // Truncated label values may be equal to those of another series.
    Series*& series = by_values_[JoinKey(clean)];
    if (series == nullptr) series = Make(clean);
    return by_values_.try_emplace(std::move(key), series).first->second;
  }

  prometheus::MetricFamily Collect() const override {
    prometheus::MetricFamily family{options_.name, options_.help, Behind<Metric>::kType, {}};
    {
      MutexLock lock(mutex_);
      for (const Labelled& member : members_) {
        family.metric.push_back(member.series->Collect());
        family.metric.back().label = member.labels;
      }
    }
    std::sort(family.metric.begin(), family.metric.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
    return family;
  }

 private:
  using Series = typename Behind<Metric>::Series;
  struct Labelled {
    std::vector<prometheus::ClientMetric::Label> labels;
    std::unique_ptr<Series> series;
  };

  Series* Make(const std::vector<std::string>& values) REQUIRES(mutex_) {
    Labelled& member = members_.emplace_back();
    for (size_t i = 0; i < values.size(); ++i) {
      member.labels.push_back({options_.labels[i], values[i]});
    }
    // prometheus-cpp sorts labels by name.
    std::sort(member.labels.begin(), member.labels.end());
    if constexpr (std::is_same_v<Metric, Histogram>) {
      member.series = std::make_unique<Series>(buckets_);
    } else {
      member.series = std::make_unique<Series>();
    }
    return member.series.get();
  }

  Series* Overflow() REQUIRES(mutex_) {
    if (overflow_ == nullptr)
      overflow_ = Make(std::vector(options_.labels.size(), std::string(kOverflow)));
    return overflow_;
  }

  const MetricOptions options_;
  const std::vector<double> buckets_;
  mutable Mutex mutex_;
  std::vector<Labelled> members_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, Series*> by_values_ GUARDED_BY(mutex_);
  Series* overflow_ GUARDED_BY(mutex_) = nullptr;
};

template <class Metric>
Metric MetricFamily<Metric>::With(std::initializer_list<std::string_view> values) const {
  return state_ == nullptr ? Metric() : Metric(state_->Find(values));
}

template class MetricFamily<Counter>;
template class MetricFamily<Gauge>;
template class MetricFamily<Histogram>;

void Counter::Increment(double by) const {
  KUBEXMS_CHECK(by >= 0);
  if (series_ != nullptr) AsCounter(series_)->Increment(by);
}

double Counter::Value() const { return series_ == nullptr ? 0 : AsCounter(series_)->Value(); }

void Gauge::Set(double value) const {
  if (series_ != nullptr) AsGauge(series_)->Set(value);
}

void Gauge::Increment(double by) const {
  if (series_ != nullptr) AsGauge(series_)->Increment(by);
}

void Gauge::Decrement(double by) const {
  if (series_ != nullptr) AsGauge(series_)->Decrement(by);
}

double Gauge::Value() const { return series_ == nullptr ? 0 : AsGauge(series_)->Value(); }

void Histogram::Observe(double value) const {
  if (series_ != nullptr) static_cast<HistogramSeries*>(series_)->Observe(value);
}

HistogramBatch::HistogramBatch(std::vector<double> buckets)
    : bounds_(std::move(buckets)), counts_(bounds_.size() + 1) {}

HistogramBatch HistogramBatch::Release() { return std::exchange(*this, HistogramBatch(bounds_)); }

void Histogram::ObserveBatch(const HistogramBatch& batch) const {
  if (series_ != nullptr) static_cast<HistogramSeries*>(series_)->Add(batch.counts_, batch.sum_);
}

MetricsRegistry::MetricsRegistry() = default;
MetricsRegistry::~MetricsRegistry() = default;

template <class Metric>
MetricFamily<Metric> MetricsRegistry::Add(const MetricOptions& options,
                                          std::vector<double> buckets) {
  using State = typename MetricFamily<Metric>::State;
  CheckNames(options);
  MutexLock lock(mutex_);
  if (const auto it = families_.find(options.name); it != families_.end()) {
    auto* existing = dynamic_cast<State*>(it->second.get());
    KUBEXMS_CHECK(existing != nullptr && existing->IsSame(options, buckets));
    return MetricFamily<Metric>(existing);
  }
  auto state = std::make_unique<State>(options, std::move(buckets));
  const MetricFamily<Metric> family(state.get());
  families_.emplace(options.name, std::move(state));
  return family;
}

MetricFamily<Counter> MetricsRegistry::AddCounter(const MetricOptions& options) {
  return Add<Counter>(options, {});
}

MetricFamily<Gauge> MetricsRegistry::AddGauge(const MetricOptions& options) {
  return Add<Gauge>(options, {});
}

MetricFamily<Histogram> MetricsRegistry::AddHistogram(const MetricOptions& options,
                                                      std::vector<double> buckets) {
  KUBEXMS_CHECK(std::is_sorted(buckets.begin(), buckets.end(), std::less_equal<>()));
  return Add<Histogram>(options, std::move(buckets));
}

MetricsRegistry::Refresh MetricsRegistry::AddRefresh(std::function<void()> refresh) {
  MutexLock lock(refreshes_mutex_);
  return Refresh(this, refreshes_.insert(refreshes_.end(), std::move(refresh)));
}

MetricsRegistry::Refresh::~Refresh() {
  if (registry_ == nullptr) return;
  MutexLock lock(registry_->refreshes_mutex_);
  registry_->refreshes_.erase(place_);
}

std::string MetricsRegistry::Collect() const {
  {
    MutexLock lock(refreshes_mutex_);
    for (const std::function<void()>& refresh : refreshes_) refresh();
  }
  std::vector<prometheus::MetricFamily> collected;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, family] : families_) {
      prometheus::MetricFamily one = family->Collect();
      if (!one.metric.empty()) collected.push_back(std::move(one));
    }
  }
  return prometheus::TextSerializer().Serialize(collected);
}

std::vector<double> ExponentialBuckets(double start, double factor, int count) {
  KUBEXMS_CHECK(start > 0 && factor > 1 && count > 0);
  std::vector<double> buckets;
  for (int i = 0; i < count; ++i, start *= factor) buckets.push_back(start);
  return buckets;
}

std::vector<double> LinearBuckets(double start, double width, int count) {
  KUBEXMS_CHECK(width > 0 && count > 0);
  std::vector<double> buckets;
  for (int i = 0; i < count; ++i) buckets.push_back(start + width * i);
  return buckets;
}

}  // namespace kubexms
