#pragma once

// Sources of keys to reconcile other than watches: channels and timers.

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/object_key.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/threads/bounded_queue.h"

namespace kubexms {

// Enqueues keys while its controller runs.
class Source {
 public:
  // Never blocks.
  using Enqueue = std::function<void(const ObjectKey&)>;

  virtual ~Source() = default;

  // The reason of its reconciles, see ReconcileContext::reasons.
  virtual const std::string& reason() const = 0;
  // Runs on a separate thread until `stop` is requested; restarted after an exception.
  virtual void Run(const Enqueue& enqueue, Clock& clock, std::stop_token stop) = 0;
};

// Enqueues keys that other threads send.
class ChannelSource final : public Source {
 public:
  explicit ChannelSource(std::string reason = "message", size_t capacity = 1000);

  // False if the channel is full, because the controller is not running or cannot keep up.
  bool Send(ObjectKey key);

  const std::string& reason() const override { return reason_; }
  void Run(const Enqueue& enqueue, Clock& clock, std::stop_token stop) override;

 private:
  const std::string reason_;
  BoundedQueue<ObjectKey> keys_;
};

// Enqueues keys periodically, first one period after the start. The period is at least 1 ms.
class TimerSource final : public Source {
 public:
  TimerSource(std::chrono::nanoseconds period, std::function<std::vector<ObjectKey>()> keys,
              std::string reason = "timer")
      : period_(std::max<std::chrono::nanoseconds>(period, std::chrono::milliseconds(1))),
        keys_(std::move(keys)),
        reason_(std::move(reason)) {}

  const std::string& reason() const override { return reason_; }
  void Run(const Enqueue& enqueue, Clock& clock, std::stop_token stop) override;

 private:
  const std::chrono::nanoseconds period_;
  const std::function<std::vector<ObjectKey>()> keys_;
  const std::string reason_;
};

}  // namespace kubexms
