#include "kubexms/controller/informers/handler_buffer.h"

namespace kubexms {

HandlerBuffer::HandlerBuffer(size_t capacity) : capacity_(capacity) {}

// A deletion stays on its own: what follows it is another object, or nothing.
bool HandlerBuffer::Merge(const CacheEvent& event) {
  const auto last = last_.find(event.object.key());
  if (last == last_.end()) return false;
  CacheEvent& waiting = waiting_[last->second - taken_];
  if (waiting.type == CacheEvent::Type::kDelete) return false;
  if (event.type == CacheEvent::Type::kUpdate) {
    waiting.object = event.object;
    waiting.resync = waiting.resync && event.resync;
    return true;
  }
  if (waiting.type == CacheEvent::Type::kUpdate && event.type == CacheEvent::Type::kDelete) {
    waiting = event;
    return true;
  }
  return false;
}

void HandlerBuffer::Push(const CacheEvent& event, std::stop_token stop) {
  const std::stop_callback wake(stop, [this] { WakeAll(); });
  MutexLock lock(mutex_);
  while (!stop.stop_requested() && !closed_) {
    if (Merge(event)) return;
    if (waiting_.size() < capacity_) break;
    changed_.Wait(mutex_);
  }
  if (stop.stop_requested() || closed_) return;
  last_[event.object.key()] = taken_ + waiting_.size();
  waiting_.push_back(event);
  changed_.NotifyAll();
}

void HandlerBuffer::Run(const EventHandler& handler, std::stop_token stop) {
  const std::stop_callback wake(stop, [this] { WakeAll(); });
  while (true) {
    CacheEvent event{};
    {
      MutexLock lock(mutex_);
      handled_ = taken_;
      changed_.NotifyAll();
      while (waiting_.empty() && !stop.stop_requested()) changed_.Wait(mutex_);
      if (stop.stop_requested()) return;
      event = std::move(waiting_.front());
      waiting_.pop_front();
      const auto last = last_.find(event.object.key());
      if (last != last_.end() && last->second == taken_) last_.erase(last);
      ++taken_;
      changed_.NotifyAll();  // there is room while the handler works
    }
    handler(event);
  }
}

void HandlerBuffer::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

void HandlerBuffer::EndFirstList() {
  MutexLock lock(mutex_);
  first_list_ = taken_ + waiting_.size();
}

bool HandlerBuffer::caught_up() const {
  MutexLock lock(mutex_);
  return first_list_ && handled_ >= *first_list_;
}

void HandlerBuffer::WakeAll() {
  MutexLock lock(mutex_);
  changed_.NotifyAll();
}

}  // namespace kubexms
