#include "kubexms/store/watch_hub.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/base/check.h"

namespace kubexms::store {

// The changes of one prefix that some of its watches have not received.
struct WatchHub::Channel {
  explicit Channel(std::string channel_prefix) : prefix(std::move(channel_prefix)) {}

  void Append(const EventPtr& event) REQUIRES(mutex);
  // Drops changes that every watch has received or is too far behind to receive: by more than
  // `max_bytes` or its buffer.
  void DropTaken(size_t max_bytes) REQUIRES(mutex);
  // The number of changes from `cursor` on, up to a revision, that are about `max_events` in
  // complete commits.
  size_t CountFrom(uint64_t cursor, uint64_t up_to, size_t max_events) const REQUIRES(mutex);
  void WakeWaiting() REQUIRES(mutex);
  uint64_t end() const REQUIRES(mutex) { return begin + events.size(); }
  const EventPtr& At(uint64_t number) const REQUIRES(mutex) { return events[number - begin].event; }
  // The bytes of all changes before this one, since the channel was created.
  uint64_t BytesBefore(uint64_t number) const REQUIRES(mutex) {
    return number == end() ? appended_bytes : events[number - begin].bytes_before;
  }
  size_t bytes() const REQUIRES(mutex) { return appended_bytes - BytesBefore(begin); }
  // Whether a watch has exceeded its buffer.
  bool IsTooSlow(const HubWatch& watch, size_t max_bytes) const REQUIRES(mutex);

  static constexpr size_t kDropStep = 64;
  static constexpr size_t kDropBytes = 1 << 20;

  struct Item {
    EventPtr event;
    uint64_t bytes_before;
  };

  const std::string prefix;

  Mutex mutex;
  std::deque<Item> events GUARDED_BY(mutex);
  uint64_t appended_bytes GUARDED_BY(mutex) = 0;
  uint64_t begin GUARDED_BY(mutex) = 0;  // the number of the first of `events`
  size_t drop_at GUARDED_BY(mutex) = kDropStep;
  size_t drop_at_bytes GUARDED_BY(mutex) = kDropBytes;
  std::vector<HubWatch*> watches GUARDED_BY(mutex);
  std::vector<HubWatch*> waiting GUARDED_BY(mutex);
};

class WatchHub::HubWatch final : public Watch {
 public:
  HubWatch(WatchHub* hub, WatchOptions options)
      : hub_(hub),
        options_(std::move(options)),
        start_(options_.after_revision),
        reached_(options_.after_revision) {}
  ~HubWatch() override { hub_->Leave(this); }

  Result<WatchBatch> Poll(size_t max_events) override;
  Result<WatchBatch> Next(std::stop_token stop, size_t max_events) override;
  void RequestProgress() override;

 private:
  friend class WatchHub;
  friend struct Channel;

  Result<WatchBatch> Take(size_t max_events);
  Result<void> TakeBacklog(size_t max_events, std::vector<EventPtr>& events);
  Result<void> TakeLive(size_t max_events, WatchBatch& batch);
  void Wake();  // with channel_->mutex held
  Error TooSlow() const;

  // Constant once the watch is open.
  WatchHub* const hub_;
  const WatchOptions options_;
  Channel* channel_ = nullptr;
  uint64_t start_;       // the watch delivers changes after it
  uint64_t joined_ = 0;  // the end of the backlog

  // Used only by the polling thread.
  std::unique_ptr<Backlog> backlog_;  // null after its end
  uint64_t reached_;                  // all changes up to it were returned
  std::optional<Error> ended_;

  // Guarded by channel_->mutex. Not annotated: the channel's methods access them under the same
  // mutex by another name, which the analysis does not recognize.
  uint64_t cursor_ = 0;
  bool waiting_ = false;
  bool progress_ready_ = false;
  uint64_t progress_number_ = 0;  // of the pending progress request; 0 for none
  std::optional<Error> end_;
  CondVar woken_;
};

void WatchHub::Channel::Append(const EventPtr& event) {
  events.push_back({event, appended_bytes});
  appended_bytes += event->bytes();
  if (events.size() >= drop_at || bytes() >= drop_at_bytes) DropTaken(SIZE_MAX);
}

bool WatchHub::Channel::IsTooSlow(const HubWatch& watch, size_t max_bytes) const {
  if (watch.cursor_ < begin || end() - watch.cursor_ > watch.options_.buffer) return true;
  const uint64_t behind = appended_bytes - BytesBefore(watch.cursor_);
  return behind > std::min(watch.options_.buffer_bytes, max_bytes);
}

// Visits all watches only once per kDropStep changes or kDropBytes, so that the cost is amortized.
void WatchHub::Channel::DropTaken(size_t max_bytes) {
  uint64_t needed = end();
  for (const HubWatch* watch : watches) {
    if (!IsTooSlow(*watch, max_bytes)) needed = std::min(needed, watch->cursor_);
  }
  events.erase(events.begin(), events.begin() + static_cast<ptrdiff_t>(needed - begin));
  begin = needed;
  drop_at = std::max(kDropStep, events.size() * 2);
  drop_at_bytes = std::max(kDropBytes, bytes() * 2);
}

size_t WatchHub::Channel::CountFrom(uint64_t cursor, uint64_t up_to, size_t max_events) const {
  const auto is_full = [&](uint64_t last) {
    return last - cursor >= max_events ||
           BytesBefore(last) - BytesBefore(cursor) >= Watch::kMaxBatchBytes;
  };
  uint64_t last = cursor;
  while (last < end() && At(last)->revision() <= up_to &&
         (!is_full(last) || At(last)->revision() == At(last - 1)->revision())) {
    ++last;
  }
  return last - cursor;
}

void WatchHub::Channel::WakeWaiting() {
  std::vector<HubWatch*> woken;
  woken.swap(waiting);
  for (HubWatch* watch : woken) {
    watch->waiting_ = false;
    watch->Wake();
  }
  woken.clear();
  if (waiting.empty()) waiting.swap(woken);  // reuses the capacity
}

Result<WatchBatch> WatchHub::HubWatch::Poll(size_t max_events) {
  Result<WatchBatch> batch = Take(std::max<size_t>(max_events, 1));
  if (!batch.ok()) ended_ = batch.error();
  return batch;
}

Result<WatchBatch> WatchHub::HubWatch::Take(size_t max_events) {
  if (ended_) return *ended_;
  WatchBatch batch;
  while (backlog_ && batch.events.empty()) {
    RETURN_IF_ERROR(TakeBacklog(max_events, batch.events));
  }
  if (batch.events.empty()) RETURN_IF_ERROR(TakeLive(max_events, batch));
  batch.revision = reached_;
  return batch;
}

Result<void> WatchHub::HubWatch::TakeBacklog(size_t max_events, std::vector<EventPtr>& events) {
  ASSIGN_OR_RETURN(reached_, backlog_->Read(reached_, joined_, max_events, events));
  if (reached_ >= joined_) backlog_.reset();
  return {};
}

Result<void> WatchHub::HubWatch::TakeLive(size_t max_events, WatchBatch& batch) {
  MutexLock lock(channel_->mutex);
  if (end_) return *end_;
  if (channel_->IsTooSlow(*this, SIZE_MAX)) return TooSlow();
  // Skips changes before start_, which only a watch that was opened ahead of the published revision
  // can meet.
  while (cursor_ < channel_->end() && channel_->At(cursor_)->revision() <= start_) ++cursor_;
  // Published commits are complete in the channel; an unpublished one may be there only in part.
  const uint64_t published = hub_->published();
  const size_t count = channel_->CountFrom(cursor_, published, max_events);
  batch.events.reserve(count);
  for (size_t i = 0; i < count; ++i) batch.events.push_back(channel_->At(cursor_ + i));
  cursor_ += count;
  const bool all = cursor_ == channel_->end() || channel_->At(cursor_)->revision() > published;
  if (count > 0) reached_ = batch.events.back()->revision();
  if (all) reached_ = std::max(reached_, published);
  if (count == 0 && !waiting_) {
    waiting_ = true;
    channel_->waiting.push_back(this);
  }
  return {};
}

void WatchHub::HubWatch::Wake() {
  woken_.NotifyAll();
  if (options_.on_ready) options_.on_ready();
}

Error WatchHub::HubWatch::TooSlow() const {
  return Error::TooManyRequests(
      fmt::format(
          "watch on {} fell more than {} changes or {} bytes behind; resume the watch after "
          "revision {}",
          options_.prefix, options_.buffer, options_.buffer_bytes, reached_),
      std::chrono::seconds(1));
}

Result<WatchBatch> WatchHub::HubWatch::Next(std::stop_token stop, size_t max_events) {
  const std::stop_callback wake_on_stop(stop, [this] {
    MutexLock lock(channel_->mutex);
    woken_.NotifyAll();
  });
  while (true) {
    ASSIGN_OR_RETURN(WatchBatch batch, Poll(max_events));
    MutexLock lock(channel_->mutex);
    if (!batch.events.empty() || progress_ready_ || stop.stop_requested()) {
      progress_ready_ = false;
      return batch;
    }
    while (waiting_ && !stop.stop_requested()) woken_.Wait(channel_->mutex);
  }
}

void WatchHub::HubWatch::RequestProgress() {
  const uint64_t number = hub_->request_progress_ ? hub_->request_progress_() : 0;
  MutexLock lock(channel_->mutex);
  // The progress may have arrived already.
  if (number > hub_->progress_reached_.load(std::memory_order_acquire)) {
    progress_number_ = number;
    return;
  }
  progress_ready_ = true;
  if (!waiting_) return;
  std::erase(channel_->waiting, this);
  waiting_ = false;
  Wake();
}

WatchHub::WatchHub(uint64_t revision, RequestProgress request_progress, size_t max_bytes)
    : request_progress_(std::move(request_progress)), max_bytes_(max_bytes), published_(revision) {}

WatchHub::~WatchHub() {
  MutexLock lock(mutex_);
  KUBEXMS_CHECK(channels_.empty());  // a watch must not outlive its store
}

Result<std::unique_ptr<Watch>> WatchHub::Open(WatchOptions options,
                                              const MakeBacklog& make_backlog) {
  auto watch = std::make_unique<HubWatch>(this, std::move(options));
  watch->channel_ = Join(watch.get());
  if (watch->reached_ == kLatest) watch->start_ = watch->reached_ = watch->joined_;
  if (watch->reached_ < watch->joined_) {
    ASSIGN_OR_RETURN(watch->backlog_, make_backlog(watch->joined_));
  }
  return std::unique_ptr<Watch>(std::move(watch));
}

WatchHub::Channel* WatchHub::Join(HubWatch* watch) {
  MutexLock lock(mutex_);
  const std::string& prefix = watch->options_.prefix;
  std::unique_ptr<Channel>& channel = channels_[prefix];
  if (!channel) {
    channel = std::make_unique<Channel>(prefix);
    ++lengths_[prefix.size()];
  }
  watch->channel_ = channel.get();
  watch->joined_ = published();
  MutexLock channel_lock(watch->channel_->mutex);
  watch->cursor_ = watch->channel_->end();
  watch->channel_->watches.push_back(watch);
  return channel.get();
}

void WatchHub::Leave(HubWatch* watch) {
  MutexLock lock(mutex_);
  Channel* channel = watch->channel_;
  bool last;
  {
    MutexLock channel_lock(channel->mutex);
    std::erase(channel->waiting, watch);
    std::erase(channel->watches, watch);
    last = channel->watches.empty();
    if (last) bytes_ -= channel->bytes();
  }
  if (!last) return;
  const auto length = lengths_.find(channel->prefix.size());
  if (--length->second == 0) lengths_.erase(length);
  channels_.erase(channels_.find(channel->prefix));
}

void WatchHub::Append(const EventPtr& event, std::vector<Channel*>& touched) {
  const std::string_view key = event->record->key;
  for (const auto& [length, count] : lengths_) {
    if (length > key.size()) return;
    const auto found = channels_.find(key.substr(0, length));
    if (found == channels_.end()) continue;
    Channel* channel = found->second.get();
    MutexLock lock(channel->mutex);
    bytes_ -= channel->bytes();
    channel->Append(event);
    bytes_ += channel->bytes();
    touched.push_back(channel);
  }
}

void WatchHub::LimitBytes() {
  while (bytes_ > max_bytes_) {
    Channel* largest = nullptr;
    size_t most = 0;
    for (const auto& [prefix, channel] : channels_) {
      MutexLock lock(channel->mutex);
      if (channel->bytes() < most) continue;
      most = channel->bytes();
      largest = channel.get();
    }
    MutexLock lock(largest->mutex);
    largest->DropTaken(most / 2);
    bytes_ -= most - largest->bytes();
  }
}

void WatchHub::Publish(const std::vector<EventPtr>& events, uint64_t revision) {
  MutexLock lock(mutex_);
  std::vector<Channel*> touched;
  for (const EventPtr& event : events) Append(event, touched);
  LimitBytes();
  published_.store(revision, std::memory_order_release);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (Channel* channel : touched) {
    MutexLock channel_lock(channel->mutex);
    channel->WakeWaiting();
  }
}

void WatchHub::ProgressReached(uint64_t number) {
  MutexLock lock(mutex_);
  progress_reached_.store(std::max(number, progress_reached_.load()), std::memory_order_release);
  for (const auto& [prefix, channel] : channels_) {
    MutexLock channel_lock(channel->mutex);
    for (HubWatch* watch : channel->watches) {
      if (watch->progress_number_ == 0 || watch->progress_number_ > number) continue;
      watch->progress_number_ = 0;
      watch->progress_ready_ = true;
      if (!watch->waiting_) continue;
      std::erase(channel->waiting, watch);
      watch->waiting_ = false;
      watch->Wake();
    }
  }
}

void WatchHub::EndAll(const Error& error, uint64_t revision) {
  MutexLock lock(mutex_);
  for (const auto& [prefix, channel] : channels_) {
    MutexLock channel_lock(channel->mutex);
    for (HubWatch* watch : channel->watches) watch->end_ = error;
    channel->WakeWaiting();
  }
  // Last, so that no open watch mistakes the jump of the revision for progress.
  published_.store(revision, std::memory_order_release);
}

}  // namespace kubexms::store
