#include "kubexms/base/monitoring/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace kubexms {
namespace {

using std::chrono_literals::operator""ms;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsTest, WritesThePrometheusTextFormat) {
  MetricsRegistry metrics;
  const auto requests = metrics.AddCounter(
      {.name = "request_total", .help = "Requests.", .labels = {"verb", "code"}});
  requests.With({"list", "200"}).Increment();
  requests.With({"get", "404"}).Increment(2);
  requests.With({"list", "200"}).Increment();
  metrics.AddGauge({.name = "depth", .help = "Depth."}).With({}).Set(1.5);
  EXPECT_EQ(metrics.Collect(),
            "# HELP depth Depth.\n"
            "# TYPE depth gauge\n"
            "depth 1.5\n"
            "# HELP request_total Requests.\n"
            "# TYPE request_total counter\n"
            "request_total{code=\"200\",verb=\"list\"} 2\n"
            "request_total{code=\"404\",verb=\"get\"} 2\n");
}

TEST(MetricsTest, CountsObservationsIntoBuckets) {
  MetricsRegistry metrics;
  const auto family = metrics.AddHistogram({.name = "seconds", .help = "Time.", .labels = {"q"}},
                                           ExponentialBuckets(0.25, 2, 3));
  const Histogram histogram = family.With({"a"});
  histogram.Observe(0.25);  // a bound belongs to its bucket
  histogram.Observe(500ms);
  histogram.Observe(7.0);
  EXPECT_EQ(metrics.Collect(),
            "# HELP seconds Time.\n"
            "# TYPE seconds histogram\n"
            "seconds_count{q=\"a\"} 3\n"
            "seconds_sum{q=\"a\"} 7.75\n"
            "seconds_bucket{q=\"a\",le=\"0.25\"} 1\n"
            "seconds_bucket{q=\"a\",le=\"0.5\"} 2\n"
            "seconds_bucket{q=\"a\",le=\"1\"} 2\n"
            "seconds_bucket{q=\"a\",le=\"+Inf\"} 3\n");
}

TEST(MetricsTest, ObservesBatches) {
  MetricsRegistry metrics;
  const Histogram histogram =
      metrics.AddHistogram({.name = "seconds"}, ExponentialBuckets(0.25, 2, 2)).With({});
  HistogramBatch batch(ExponentialBuckets(0.25, 2, 2));
  batch.Observe(0.25);
  batch.Observe(500ms);
  histogram.ObserveBatch(batch.Release());
  batch.Observe(7.0);
  histogram.ObserveBatch(batch.Release());
  histogram.ObserveBatch(batch.Release());  // it was empty
  EXPECT_THAT(metrics.Collect(), HasSubstr("seconds_count 3\n"
                                           "seconds_sum 7.75\n"
                                           "seconds_bucket{le=\"0.25\"} 1\n"
                                           "seconds_bucket{le=\"0.5\"} 2\n"
                                           "seconds_bucket{le=\"+Inf\"} 3\n"));
}

TEST(MetricsTest, EscapesLabelValues) {
  MetricsRegistry metrics;
  metrics.AddCounter({.name = "a", .labels = {"l"}}).With({"x\"\\\n\xFF"}).Increment();
  EXPECT_THAT(metrics.Collect(), HasSubstr("a{l=\"x\\\"\\\\\\n\xEF\xBF\xBD\"} 1\n"));
}

TEST(MetricsTest, OmitsFamiliesWithoutSeries) {
  MetricsRegistry metrics;
  metrics.AddCounter({.name = "a"});
  EXPECT_EQ(metrics.Collect(), "");
}

TEST(MetricsTest, CollectsFurtherSeriesInTheOverflowSeries) {
  MetricsRegistry metrics;
  const auto family = metrics.AddCounter({.name = "a", .labels = {"l"}, .max_series = 2});
  for (const char* value : {"1", "2", "3", "4", "1"}) family.With({value}).Increment();
  EXPECT_EQ(family.With({"1"}).Value(), 2);
  EXPECT_EQ(family.With({"5"}).Value(), 2);
  EXPECT_THAT(metrics.Collect(), HasSubstr("a{l=\"_overflow\"} 2\n"));
  EXPECT_THAT(metrics.Collect(), Not(HasSubstr("\"3\"")));
}

TEST(MetricsTest, LabelValuesThatAreEqualAfterTruncationShareASeries) {
  MetricsRegistry metrics;
  const auto counter = metrics.AddCounter({.name = "n", .help = "h", .labels = {"l"}});
  const std::string long_value(300, 'x');
  counter.With({long_value + "1"}).Increment();
  counter.With({long_value + "2"}).Increment();
  EXPECT_THAT(metrics.Collect(), HasSubstr("x\"} 2\n"));
}

TEST(MetricsTest, CallsRefreshFunctionsOnCollect) {
  MetricsRegistry metrics;
  const Gauge gauge = metrics.AddGauge({.name = "a"}).With({});
  {
    MetricsRegistry::Refresh kept;
    kept = metrics.AddRefresh([&] { gauge.Increment(); });
    EXPECT_EQ(metrics.Collect(), "# TYPE a gauge\na 1\n");
    const MetricsRegistry::Refresh moved = std::move(kept);
    metrics.Collect();
    EXPECT_EQ(gauge.Value(), 2);
  }
  metrics.Collect();
  EXPECT_EQ(gauge.Value(), 2);
}

TEST(MetricsTest, ReturnsTheSameFamilyForTheSameName) {
  MetricsRegistry metrics;
  metrics.AddGauge({.name = "a", .labels = {"l"}}).With({"x"}).Increment(3);
  const Gauge again = metrics.AddGauge({.name = "a", .labels = {"l"}}).With({"x"});
  again.Decrement();
  EXPECT_EQ(again.Value(), 2);
}

TEST(MetricsTest, RefusesAFamilyWithAnotherTypeOrLabels) {
  MetricsRegistry metrics;
  metrics.AddGauge({.name = "a", .labels = {"l"}});
  EXPECT_DEATH(metrics.AddCounter({.name = "a", .labels = {"l"}}), "check failed");
  EXPECT_DEATH(metrics.AddGauge({.name = "a"}), "check failed");
  EXPECT_DEATH(metrics.AddGauge({.name = "not-a-name"}), "check failed");
}

TEST(MetricsTest, DoesNothingWithoutARegistry) {
  const MetricFamily<Counter> family;
  family.With({"any", "labels"}).Increment();
  EXPECT_EQ(family.With({}).Value(), 0);
  Gauge().Set(1);
  Histogram().Observe(1);
}

TEST(MetricsTest, CountsFromManyThreads) {
  MetricsRegistry metrics;
  const auto family = metrics.AddCounter({.name = "a", .labels = {"l"}});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) family.With({i % 2 == 0 ? "x" : "y"}).Increment();
        metrics.Collect();
      });
    }
  }
  EXPECT_EQ(family.With({"x"}).Value() + family.With({"y"}).Value(), 4000);
}

TEST(MetricsTest, ComputesBuckets) {
  EXPECT_THAT(ExponentialBuckets(1, 10, 3), ElementsAre(1, 10, 100));
  EXPECT_THAT(LinearBuckets(1, 0.5, 3), ElementsAre(1, 1.5, 2));
}

}  // namespace
}  // namespace kubexms
