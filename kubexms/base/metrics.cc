#include "kubexms/base/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <unordered_map>

#include "kubexms/base/check.h"
#include "kubexms/base/utf8.h"

namespace kubexms {

// What the registry needs to know of any family.
class MetricsRegistry::Family {
 public:
  virtual ~Family() = default;
  virtual prometheus::MetricFamily Collect() const = 0;
};

namespace {

constexpr size_t kMaxLabelBytes = 256;

// Which type of the library stands behind ours.
template <class Metric>
struct Library;
template <>
struct Library<Counter> {
  using Type = prometheus::Counter;
};
template <>
struct Library<Gauge> {
  using Type = prometheus::Gauge;
};
template <>
struct Library<Histogram> {
  using Type = prometheus::Histogram;
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

std::string JoinKey(std::initializer_list<std::string_view> values) {
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
      : options_(options), buckets_(std::move(buckets)), family_(options.name, options.help, {}) {}

  bool IsSame(const MetricOptions& options, const std::vector<double>& buckets) const {
    return options.labels == options_.labels && buckets == buckets_;
  }

  void* Find(std::initializer_list<std::string_view> values) {
    KUBEXMS_CHECK(values.size() == options_.labels.size());
    std::string key = JoinKey(values);
    MutexLock lock(mutex_);
    if (const auto it = series_.find(key); it != series_.end()) return it->second;
    if (series_.size() >= options_.max_series) return Overflow();
    Series* series = Make([&](size_t i) { return CleanLabel(values.begin()[i]); });
    series_.emplace(std::move(key), series);
    return series;
  }

  prometheus::MetricFamily Collect() const override {
    std::vector<prometheus::MetricFamily> collected = family_.Collect();
    if (collected.empty()) return {};
    std::sort(collected[0].metric.begin(), collected[0].metric.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
    return std::move(collected[0]);
  }

 private:
  using Series = typename Library<Metric>::Type;

  template <class LabelValue>
  Series* Make(LabelValue label_value) REQUIRES(mutex_) {
    prometheus::Labels labels;
    for (size_t i = 0; i < options_.labels.size(); ++i) labels[options_.labels[i]] = label_value(i);
    if constexpr (std::is_same_v<Metric, Histogram>) {
      return &family_.Add(labels, buckets_);
    } else {
      return &family_.Add(labels);
    }
  }

  Series* Overflow() REQUIRES(mutex_) {
    if (overflow_ == nullptr) overflow_ = Make([](size_t) { return std::string(kOverflow); });
    return overflow_;
  }

  const MetricOptions options_;
  const std::vector<double> buckets_;
  prometheus::Family<Series> family_;
  Mutex mutex_;
  std::unordered_map<std::string, Series*> series_ GUARDED_BY(mutex_);
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
  if (series_ != nullptr) static_cast<prometheus::Histogram*>(series_)->Observe(value);
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
