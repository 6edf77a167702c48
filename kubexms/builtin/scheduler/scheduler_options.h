#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace kubexms {

struct SchedulingQueueOptions {
  std::chrono::nanoseconds initial_backoff = std::chrono::seconds(1);
  std::chrono::nanoseconds max_backoff = std::chrono::seconds(10);
  std::chrono::nanoseconds max_unschedulable = std::chrono::minutes(5);
};

struct SchedulerOptions {
  // The spec.schedulerName of the Pods that it schedules.
  std::string name = "default-scheduler";
  // Writer threads, and the bound on pending writes; at the bound no decision is made.
  size_t writers = 16;
  size_t max_writes = 512;
  // A bound Pod that the watch does not confirm within this time is queued again.
  std::chrono::nanoseconds assumption_timeout = std::chrono::minutes(5);
  SchedulingQueueOptions queue;
};

}  // namespace kubexms
