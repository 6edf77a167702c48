#include "kubexms/controller/queue/work_queue.h"

namespace kubexms {
namespace {

std::vector<double> TimeBuckets() { return ExponentialBuckets(1e-8, 10, 12); }

}  // namespace

HistogramBatch WorkQueueMetrics::EmptyBatch() { return HistogramBatch(TimeBuckets()); }

WorkQueueMetrics::WorkQueueMetrics(MetricsRegistry* registry, const std::string& name) {
  if (registry == nullptr) return;
  const auto named = [](const char* metric, const char* help) {
    return MetricOptions{.name = metric, .help = help, .labels = {"name", "controller"}};
  };
  const auto seconds = [&](const char* metric, const char* help) {
    return registry->AddHistogram(named(metric, help), TimeBuckets()).With({name, name});
  };
  const auto gauge = [&](const char* metric, const char* help) {
    return registry->AddGauge(named(metric, help)).With({name, name});
  };
  const auto counter = [&](const char* metric, const char* help) {
    return registry->AddCounter(named(metric, help)).With({name, name});
  };
  const auto controller = [](const char* metric, const char* help) {
    return MetricOptions{.name = metric, .help = help, .labels = {"controller"}};
  };
  constexpr const char* kDepth = "Number of keys that wait for a worker.";
  constexpr const char* kAdds = "Number of times that a key became ready.";
  constexpr const char* kRetries = "Number of keys that were added with a delay.";
  queue_duration_ = seconds("workqueue_queue_duration_seconds",
                            "Time that keys were ready before a worker dequeued them.");
  work_duration_ = seconds("workqueue_work_duration_seconds", "Time to process a key.");
  depth_ = gauge("workqueue_depth", kDepth);
  adds_ = counter("workqueue_adds_total", kAdds);
  retries_ = counter("workqueue_retries_total", kRetries);
  unfinished_ = gauge("workqueue_unfinished_work_seconds",
                      "Sum of the processing times of all keys that are being processed.");
  longest_ = gauge("workqueue_longest_running_processor_seconds",
                   "Longest processing time of the keys that are being processed.");
  controller_depth_ =
      registry->AddGauge(controller("controller_workqueue_depth", kDepth)).With({name});
  controller_adds_ =
      registry->AddCounter(controller("controller_workqueue_adds_total", kAdds)).With({name});
  controller_retries_ =
      registry->AddCounter(controller("controller_workqueue_retries_total", kRetries)).With({name});
}

void WorkQueueMetrics::Publish(const Numbers& numbers) {
  const auto depth = static_cast<double>(numbers.depth);
  const auto adds = static_cast<double>(numbers.adds - published_adds_);
  const auto retries = static_cast<double>(numbers.retries - published_retries_);
  published_adds_ = numbers.adds;
  published_retries_ = numbers.retries;
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  depth_.Set(depth);
  controller_depth_.Set(depth);
  adds_.Increment(adds);
  controller_adds_.Increment(adds);
  retries_.Increment(retries);
  controller_retries_.Increment(retries);
  queue_duration_.ObserveBatch(numbers.waited);
  work_duration_.ObserveBatch(numbers.worked);
  unfinished_.Set(seconds(numbers.running.sum));
  longest_.Set(seconds(numbers.running.longest));
}

template class WorkQueue<ObjectKey>;

}  // namespace kubexms
