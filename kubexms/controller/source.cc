#include "kubexms/controller/source.h"

namespace kubexms {

ChannelSource::ChannelSource(std::string reason, size_t capacity)
    : reason_(std::move(reason)), keys_(capacity) {}

bool ChannelSource::Send(ObjectKey key) { return keys_.TryPush(key); }

void ChannelSource::Run(const Enqueue& enqueue, Clock&, std::stop_token stop) {
  while (const std::optional<ObjectKey> key = keys_.Pop(stop)) enqueue(*key);
}

void TimerSource::Run(const Enqueue& enqueue, Clock& clock, std::stop_token stop) {
  while (clock.SleepFor(period_, stop)) {
    for (const ObjectKey& key : keys_()) enqueue(key);
  }
}

}  // namespace kubexms
