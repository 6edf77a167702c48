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
  // Of the Pods that it is responsible for.
  std::string name = "default-scheduler";
  // Threads that write, and how many writes may be under way; then no decision is made.
  size_t writers = 16;
  size_t max_writes = 512;
  // A Pod that was bound, and of which the server's watch does not tell within this time, is looked
  // at again.
  std::chrono::nanoseconds assumption_timeout = std::chrono::minutes(5);
  SchedulingQueueOptions queue;
};

}  // namespace kubexms
