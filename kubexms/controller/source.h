#pragma once

// Reasons to reconcile that are not changes of objects: a message from elsewhere, the time.

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

// Adds keys to a controller's queue for as long as it works.
class Source {
 public:
  // Queues a key; never blocks.
  using Enqueue = std::function<void(const ObjectKey&)>;

  virtual ~Source() = default;

  // The reason that the reconciles it causes are given.
  virtual const std::string& reason() const = 0;
  // Until `stop` is requested, on a thread of its own. Called once, and again after it threw.
  virtual void Run(const Enqueue& enqueue, Clock& clock, std::stop_token stop) = 0;
};

// Keys sent by other code: keep the pointer, and send from any thread.
class ChannelSource final : public Source {
 public:
  explicit ChannelSource(std::string reason = "message", size_t capacity = 1000);

  // False, and nothing is sent, when the channel is full: the controller is not working, or so many
  // were sent at once.
  bool Send(ObjectKey key);

  const std::string& reason() const override { return reason_; }
  void Run(const Enqueue& enqueue, Clock& clock, std::stop_token stop) override;

 private:
  const std::string reason_;
  BoundedQueue<ObjectKey> keys_;
};

// Certain keys, once every period, which is at least a millisecond. The first time is one period
// after the start.
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
