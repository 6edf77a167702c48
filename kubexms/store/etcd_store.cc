#include "kubexms/store/etcd_store.h"

#include <fmt/format.h>
#include <grpcpp/alarm.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <random>
#include <thread>

#include "kubexms/base/mutex.h"
#include "kubexms/store/etcd_client.h"
#include "kubexms/store/etcd_layout.h"
#include "kubexms/store/watch_hub.h"

namespace kubexms::store {

namespace {

namespace pb = ::etcdserverpb;
using Retry = EtcdClient::Retry;

// The page size of long lists, which limits the size of etcd's responses.
constexpr size_t kPage = 1000;
constexpr std::chrono::milliseconds kProgressPause(200);

// The first key after all keys with the prefix. It exists because the root ends in a letter.
std::string PrefixEnd(std::string prefix) {
  while (static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  ++prefix.back();
  return prefix;
}

// A backlog of cached changes.
class ListedBacklog final : public Backlog {
 public:
  explicit ListedBacklog(std::vector<EventPtr> events) : events_(std::move(events)) {}

  Result<uint64_t> Read(uint64_t, uint64_t up_to, size_t max_events,
                        std::vector<EventPtr>& events) override {
    uint64_t reached = 0;
    size_t bytes = 0;
    for (; next_ < events_.size(); ++next_) {
      const EventPtr& event = events_[next_];
      const bool enough = events.size() >= max_events || bytes >= Watch::kMaxBatchBytes;
      if (enough && event->revision() != reached) return reached;
      reached = event->revision();
      bytes += event->bytes();
      events.push_back(event);
    }
    return up_to;
  }

 private:
  const std::vector<EventPtr> events_;
  size_t next_ = 0;
};

// The newest changes, without gaps.
class RecentChanges {
 public:
  RecentChanges(size_t capacity, uint64_t revision) : capacity_(capacity), start_(revision) {}

  void Add(const std::vector<EventPtr>& events) {
    MutexLock lock(mutex_);
    for (const EventPtr& event : events) {
      while (!events_.empty() && (events_.size() >= capacity_ || bytes_ > kMaxBytes)) {
        start_ = events_.front()->revision();
        bytes_ -= events_.front()->bytes();
        events_.pop_front();
      }
      events_.push_back(event);
      bytes_ += event->bytes();
    }
  }

  // Drops all changes; later ones have revisions after `revision`.
  void Restart(uint64_t revision) {
    MutexLock lock(mutex_);
    events_.clear();
    bytes_ = 0;
    start_ = revision;
  }

  // The changes of a prefix in (after, up_to]; none when some of them are not cached.
  std::optional<std::vector<EventPtr>> Find(std::string_view prefix, uint64_t after,
                                            uint64_t up_to) {
    MutexLock lock(mutex_);
    if (after < start_) return std::nullopt;
    std::vector<EventPtr> found;
    for (const EventPtr& event : events_) {
      if (event->revision() <= after || event->revision() > up_to) continue;
      if (event->record->key.starts_with(prefix)) found.push_back(event);
    }
    return found;
  }

 private:
  static constexpr size_t kMaxBytes = 128 << 20;

  const size_t capacity_;
  Mutex mutex_;
  std::deque<EventPtr> events_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t start_ GUARDED_BY(mutex_);  // events_ has all changes after it
};

// An etcd watch of all keys below the root, ended by Cancel() or the destructor.
class ChangeStream {
 public:
  ChangeStream(EtcdClient::Endpoint& endpoint, const std::string& prefix, uint64_t start,
               std::optional<EtcdClient::Deadline> deadline) {
    // Otherwise a member without quorum would hold the stream open and send nothing.
    context_.AddMetadata("hasleader", "true");
    if (deadline) context_.set_deadline(*deadline);
    stream_ = endpoint.watch->Watch(&context_);
    pb::WatchRequest request;
    pb::WatchCreateRequest* create = request.mutable_create_request();
    create->set_key(prefix);
    create->set_range_end(PrefixEnd(prefix));
    create->set_start_revision(static_cast<int64_t>(start));
    create->set_prev_kv(true);
    stream_->Write(request);
  }
  ~ChangeStream() {
    context_.TryCancel();
    stream_->Finish();
  }

  // False when the stream has ended.
  bool Read(pb::WatchResponse& response) { return stream_->Read(&response); }
  void Cancel() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<pb::WatchRequest, pb::WatchResponse>> stream_;
};

class EtcdStore final : public Store {
 public:
  explicit EtcdStore(EtcdOptions options)
      : options_(std::move(options)),
        layout_(options_.root),
        client_(options_),
        id_(fmt::format("{:08x}{:08x}", std::random_device()(), std::random_device()())) {}
  ~EtcdStore() override;

  // Must be called once, before any other method.
  Result<void> Start();

  Result<RecordPtr> Get(std::string_view key, uint64_t revision) override;
  Result<ListPage> List(const ListOptions& options) override;
  Result<CommitResult> Commit(Transaction transaction) override;
  void CommitAsync(Transaction transaction, CommitCallback done) override;
  Result<std::unique_ptr<Watch>> OpenWatch(WatchOptions options) override;
  Result<void> Compact(uint64_t revision) override;
  Result<uint64_t> CurrentRevision() override;
  Result<void> CheckWritable() override;
  Result<uint64_t> CompactedRevision() override;

 private:
  // A call that gRPC completes on one of its threads. A context owns the channel, whose destructor
  // waits for these threads: the completing thread releases the context before it reports the end
  // of the call, so that it never destroys the channel.
  struct CommitCall {
    Transaction transaction;
    CommitCallback done;
    pb::TxnRequest request;
    pb::TxnResponse response;
    std::optional<grpc::ClientContext> context{std::in_place};
  };
  struct ProgressCall {
    pb::PutRequest request;
    pb::PutResponse response;
    std::optional<grpc::ClientContext> context{std::in_place};
    grpc::Alarm pause;
  };

  Result<pb::RangeResponse> Range(const pb::RangeRequest& request, std::string_view what);
  Result<uint64_t> WriteProgress(uint64_t number);
  std::string ProgressValue(uint64_t number) const { return fmt::format("{} {}", id_, number); }

  Result<void> CheckReadable(uint64_t revision);
  Result<std::unique_ptr<Backlog>> MakeBacklog(const WatchOptions& options, uint64_t published);
  Result<std::vector<EventPtr>> Replay(const WatchOptions& options, uint64_t up_to);

  void RunFeed();
  void FollowFeed(ChangeStream& stream);
  // False when the watches could not be resumed and were ended.
  bool Deliver(pb::WatchResponse& response);
  void Restart();
  void PublishedMoved();
  Result<void> WaitUntilPublished(uint64_t revision);

  uint64_t SendProgressRequest();
  void StartProgress(uint64_t number);
  void ProgressWritten(const std::shared_ptr<ProgressCall>& call, uint64_t number, bool ok);
  void ProgressSeen(uint64_t number);

  void BeginCall();
  void EndCall();
  bool closing();

  const EtcdOptions options_;
  const EtcdLayout layout_;
  EtcdClient client_;
  const std::string id_;
  std::unique_ptr<RecentChanges> recent_;
  std::unique_ptr<WatchHub> hub_;

  Mutex mutex_;
  bool closing_ GUARDED_BY(mutex_) = false;
  ChangeStream* feed_stream_ GUARDED_BY(mutex_) = nullptr;
  int calls_ GUARDED_BY(mutex_) = 0;  // pending asynchronous calls
  CondVar calls_ended_;
  CondVar published_moved_;
  uint64_t compacted_ GUARDED_BY(mutex_) = 0;  // by this store
  uint64_t progress_asked_ GUARDED_BY(mutex_) = 0;
  bool progress_writing_ GUARDED_BY(mutex_) = false;

  std::thread feed_;
};

EtcdStore::~EtcdStore() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
    if (feed_stream_) feed_stream_->Cancel();
  }
  if (feed_.joinable()) feed_.join();
  MutexLock lock(mutex_);
  while (calls_ > 0) calls_ended_.Wait(mutex_);
}

// The feed starts at the revision of a write below the root, so that a replay up to that revision
// recognizes its end.
Result<void> EtcdStore::Start() {
  ASSIGN_OR_RETURN(const uint64_t revision, WriteProgress(0));
  recent_ = std::make_unique<RecentChanges>(options_.history, revision);
  hub_ = std::make_unique<WatchHub>(revision, [this] { return SendProgressRequest(); });
  feed_ = std::thread([this] { RunFeed(); });
  return {};
}

Result<uint64_t> EtcdStore::WriteProgress(uint64_t number) {
  pb::PutRequest request;
  request.set_key(layout_.progress);
  request.set_value(ProgressValue(number));
  pb::PutResponse response;
  const grpc::Status status = client_.Invoke(
      Retry::kAlways, [&](auto& kv, auto* context) { return kv.Put(context, request, &response); });
  if (!status.ok()) return ToError(status, "write " + layout_.progress);
  return static_cast<uint64_t>(response.header().revision());
}

Result<pb::RangeResponse> EtcdStore::Range(const pb::RangeRequest& request, std::string_view what) {
  pb::RangeResponse response;
  const grpc::Status status = client_.Invoke(Retry::kAlways, [&](auto& kv, auto* context) {
    return kv.Range(context, request, &response);
  });
  const uint64_t revision = static_cast<uint64_t>(request.revision());
  if (status.ok()) return response;
  if (IsCompacted(status)) return CompactedRevisionError(revision);
  if (!IsFuture(status)) return ToError(status, what);
  ASSIGN_OR_RETURN(const uint64_t current, CurrentRevision());
  return FutureRevisionError(revision, current);
}

Result<RecordPtr> EtcdStore::Get(std::string_view key, uint64_t revision) {
  pb::RangeRequest request;
  request.set_key(layout_.StoredKey(key));
  request.set_revision(static_cast<int64_t>(revision));
  ASSIGN_OR_RETURN(pb::RangeResponse response, Range(request, "read"));
  if (response.kvs_size() == 0) return RecordPtr();
  RecordPtr record = layout_.Decode(response.mutable_kvs(0));
  if (!record) return UnexpectedResponse();
  return record;
}

Result<ListPage> EtcdStore::List(const ListOptions& options) {
  RETURN_IF_ERROR(CheckCursor(options));
  const std::string prefix = layout_.StoredKey(options.prefix);
  ListPage page{.revision = options.cursor ? options.cursor->revision : options.revision};
  std::string start = options.cursor ? layout_.StoredKey(options.cursor->after) + '\0' : prefix;
  while (true) {
    const size_t missing = options.limit == 0 ? kPage : options.limit - page.records.size();
    pb::RangeRequest request;
    request.set_key(start);
    request.set_range_end(PrefixEnd(prefix));
    request.set_limit(static_cast<int64_t>(std::min(missing, kPage)));
    request.set_revision(static_cast<int64_t>(page.revision));
    ASSIGN_OR_RETURN(pb::RangeResponse response, Range(request, "list " + options.prefix));
    if (page.revision == kLatest) page.revision = response.header().revision();
    for (pb::KeyValue& kv : *response.mutable_kvs()) {
      RecordPtr record = layout_.Decode(&kv);
      if (!record) return UnexpectedResponse();
      page.records.push_back(std::move(record));
    }
    if (!response.more() || page.records.empty()) return page;
    const std::string last(page.records.back()->key);
    if (page.records.size() == options.limit) {
      const auto remaining = static_cast<uint64_t>(response.count() - response.kvs_size());
      page.next = ListCursor{.revision = page.revision, .after = last, .remaining = remaining};
      return page;
    }
    start = layout_.StoredKey(last) + '\0';
  }
}

Result<CommitResult> EtcdStore::Commit(Transaction transaction) {
  RETURN_IF_ERROR(transaction.Prepare());
  const pb::TxnRequest request = layout_.Encode(transaction);
  pb::TxnResponse response;
  const grpc::Status status = client_.Invoke(Retry::kWhenRefused, [&](auto& kv, auto* context) {
    return kv.Txn(context, request, &response);
  });
  if (!status.ok()) return ToError(status, "commit (it may have taken place: read before retry)");
  return layout_.Decode(transaction, response);
}

void EtcdStore::CommitAsync(Transaction transaction, CommitCallback done) {
  if (Result<void> prepared = transaction.Prepare(); !prepared.ok()) {
    return done(prepared.error());
  }
  auto call = std::make_shared<CommitCall>();
  call->request = layout_.Encode(transaction);
  call->transaction = std::move(transaction);
  call->done = std::move(done);
  call->context->set_deadline(client_.NewDeadline());
  call->context->set_wait_for_ready(true);
  BeginCall();
  EtcdClient::Endpoint& endpoint = client_.Ready();
  endpoint.kv->async()->Txn(
      &*call->context, &call->request, &call->response,
      [this, call, &endpoint](const grpc::Status& status) {
        call->context.reset();
        if (status.ok()) {
          call->done(layout_.Decode(call->transaction, call->response));
        } else {
          if (status.error_code() == grpc::StatusCode::UNAVAILABLE) client_.Avoid(endpoint);
          call->done(ToError(status, "commit (it may have taken place: read before retry)"));
        }
        EndCall();
      });
}

// Waits for the feed first: watches of this store must not lose undelivered changes.
Result<void> EtcdStore::Compact(uint64_t revision) {
  const Result<void> readable = CheckReadable(revision);
  if (!readable.ok()) return readable.error().IsExpired() ? Result<void>() : readable;
  RETURN_IF_ERROR(WaitUntilPublished(revision));
  pb::CompactionRequest request;
  request.set_revision(static_cast<int64_t>(revision));
  pb::CompactionResponse response;
  const grpc::Status status = client_.Invoke(Retry::kAlways, [&](auto& kv, auto* context) {
    return kv.Compact(context, request, &response);
  });
  if (!status.ok() && !IsCompacted(status)) return ToError(status, "compact");
  MutexLock lock(mutex_);
  compacted_ = std::max(compacted_, revision);
  return {};
}

Result<void> EtcdStore::WaitUntilPublished(uint64_t revision) {
  if (hub_->published() >= revision) return {};
  SendProgressRequest();
  const auto deadline = std::chrono::steady_clock::now() + options_.timeout;
  MutexLock lock(mutex_);
  while (hub_->published() < revision) {
    if (!published_moved_.WaitUntil(mutex_, deadline)) {
      return Error::ServiceUnavailable(
          "etcd: the changes did not arrive in time; check the endpoints");
    }
  }
  return {};
}

Result<uint64_t> EtcdStore::CurrentRevision() {
  pb::RangeRequest request;
  request.set_key(layout_.progress);
  request.set_count_only(true);
  ASSIGN_OR_RETURN(const pb::RangeResponse response, Range(request, "read the newest revision"));
  return static_cast<uint64_t>(response.header().revision());
}

// etcd returns the compacted revision only to a watch that starts before it.
Result<void> EtcdStore::CheckWritable() {
  RETURN_IF_ERROR(CurrentRevision());
  return {};
}

Result<uint64_t> EtcdStore::CompactedRevision() {
  Result<void> first = CheckReadable(kFirstRevision);
  if (first.ok()) return kFirstRevision;
  if (!first.error().IsExpired()) return first.error();
  const EtcdClient::Deadline deadline = client_.NewDeadline();
  while (EtcdClient::Endpoint* endpoint = client_.WaitReady(deadline)) {
    ChangeStream stream(*endpoint, layout_.progress, kFirstRevision, deadline);
    pb::WatchResponse response;
    while (stream.Read(response)) {
      if (response.compact_revision() > 0) return response.compact_revision();
    }
    client_.Avoid(*endpoint);
  }
  return Error::ServiceUnavailable(
      "etcd: no endpoint returned the compacted revision in time; check the endpoints");
}

Result<void> EtcdStore::CheckReadable(uint64_t revision) {
  pb::RangeRequest request;
  request.set_key(layout_.progress);
  request.set_count_only(true);
  request.set_revision(static_cast<int64_t>(revision));
  RETURN_IF_ERROR(Range(request, "check a revision"));
  return {};
}

Result<std::unique_ptr<Watch>> EtcdStore::OpenWatch(WatchOptions options) {
  if (options.after_revision == kLatest) {
    ASSIGN_OR_RETURN(options.after_revision, CurrentRevision());
  } else if (options.after_revision > hub_->published()) {
    RETURN_IF_ERROR(CheckReadable(options.after_revision));
  }
  {
    MutexLock lock(mutex_);
    if (options.after_revision < compacted_) return CompactedRevisionError(options.after_revision);
  }
  WatchOptions asked{.prefix = options.prefix, .after_revision = options.after_revision};
  return hub_->Open(std::move(options),
                    [this, asked](uint64_t published) { return MakeBacklog(asked, published); });
}

Result<std::unique_ptr<Backlog>> EtcdStore::MakeBacklog(const WatchOptions& options,
                                                        uint64_t published) {
  std::optional<std::vector<EventPtr>> events =
      recent_->Find(options.prefix, options.after_revision, published);
  if (!events) {
    ASSIGN_OR_RETURN(events, Replay(options, published));
  }
  return std::unique_ptr<Backlog>(std::make_unique<ListedBacklog>(std::move(*events)));
}

// Reads changes that are not cached from etcd. `up_to` is the revision of a change below the root,
// so that the stream reaches it.
Result<std::vector<EventPtr>> EtcdStore::Replay(const WatchOptions& options, uint64_t up_to) {
  const EtcdClient::Deadline deadline = client_.NewDeadline();
  while (EtcdClient::Endpoint* endpoint = client_.WaitReady(deadline)) {
    std::vector<EventPtr> found;
    ChangeStream stream(*endpoint, layout_.everything, options.after_revision + 1, deadline);
    RETURN_IF_ERROR(CheckReadable(options.after_revision));
    pb::WatchResponse response;
    while (stream.Read(response)) {
      if (response.compact_revision() > 0) return CompactedRevisionError(options.after_revision);
      for (pb::Event& event : *response.mutable_events()) {
        if (static_cast<uint64_t>(event.kv().mod_revision()) > up_to) return found;
        if (!layout_.IsData(event.kv().key())) continue;
        EventPtr decoded = layout_.Decode(&event);
        if (!decoded || found.size() >= options_.history) {
          return CompactedRevisionError(options.after_revision);
        }
        if (decoded->record->key.starts_with(options.prefix)) found.push_back(std::move(decoded));
      }
      if (response.events_size() > 0 &&
          static_cast<uint64_t>(response.events().rbegin()->kv().mod_revision()) >= up_to) {
        return found;
      }
    }
    client_.Avoid(*endpoint);
  }
  return Error::ServiceUnavailable(
      "etcd: no endpoint sent the changes in time; check the endpoints");
}

void EtcdStore::RunFeed() {
  while (!closing()) {
    EtcdClient::Endpoint* endpoint = client_.WaitReady(client_.NewDeadline());
    if (!endpoint) continue;
    ChangeStream stream(*endpoint, layout_.everything, hub_->published() + 1, std::nullopt);
    FollowFeed(stream);
    client_.Avoid(*endpoint);
  }
}

void EtcdStore::FollowFeed(ChangeStream& stream) {
  {
    MutexLock lock(mutex_);
    if (closing_) return;
    feed_stream_ = &stream;
  }
  pb::WatchResponse response;
  bool going_on = true;
  while (going_on && stream.Read(response) && !response.canceled()) {
    going_on = Deliver(response);
  }
  if (!going_on || response.compact_revision() > 0) Restart();
  MutexLock lock(mutex_);
  feed_stream_ = nullptr;
}

bool EtcdStore::Deliver(pb::WatchResponse& response) {
  std::vector<EventPtr> events;
  uint64_t progress = 0;
  for (pb::Event& event : *response.mutable_events()) {
    const pb::KeyValue& kv = event.kv();
    if (layout_.IsData(kv.key())) {
      events.push_back(layout_.Decode(&event));
      if (!events.back()) return false;
    } else if (kv.key() == layout_.progress && kv.value().starts_with(id_ + " ")) {
      std::from_chars(kv.value().data() + id_.size() + 1, kv.value().data() + kv.value().size(),
                      progress);
    }
  }
  if (response.events_size() == 0) return true;
  recent_->Add(events);
  hub_->Publish(events, response.events().rbegin()->kv().mod_revision());
  PublishedMoved();
  if (progress > 0) ProgressSeen(progress);
  return true;
}

// Changes are missing: ends all watches as Expired. Clients relist and start new watches.
void EtcdStore::Restart() {
  Result<uint64_t> revision = WriteProgress(0);
  while (!revision.ok() && !closing()) revision = WriteProgress(0);
  if (!revision.ok()) return;
  recent_->Restart(*revision);
  hub_->EndAll(CompactedRevisionError(hub_->published()), *revision);
  PublishedMoved();
}

void EtcdStore::PublishedMoved() {
  MutexLock lock(mutex_);
  published_moved_.NotifyAll();
}

uint64_t EtcdStore::SendProgressRequest() {
  uint64_t number;
  {
    MutexLock lock(mutex_);
    number = ++progress_asked_;
    if (progress_writing_) return number;
    progress_writing_ = true;
  }
  StartProgress(number);
  return number;
}

void EtcdStore::StartProgress(uint64_t number) {
  auto call = std::make_shared<ProgressCall>();
  call->request.set_key(layout_.progress);
  call->request.set_value(ProgressValue(number));
  call->context->set_deadline(client_.NewDeadline());
  call->context->set_wait_for_ready(true);
  BeginCall();
  client_.Ready().kv->async()->Put(&*call->context, &call->request, &call->response,
                                   [this, call, number](const grpc::Status& status) {
                                     ProgressWritten(call, number, status.ok());
                                   });
}

// The feed receives the write; if the write fails, it is retried after a delay.
void EtcdStore::ProgressWritten(const std::shared_ptr<ProgressCall>& call, uint64_t number,
                                bool ok) {
  call->context.reset();
  if (ok || closing()) return EndCall();
  call->pause.Set(std::chrono::system_clock::now() + kProgressPause,
                  [this, owner = call, number](bool) mutable {
                    if (!closing()) StartProgress(number);
                    owner.reset();  // it owns the alarm, which owns this function
                    EndCall();
                  });
}

void EtcdStore::ProgressSeen(uint64_t number) {
  hub_->ProgressReached(number);
  uint64_t next;
  {
    MutexLock lock(mutex_);
    progress_writing_ = progress_asked_ > number;
    next = progress_asked_;
    if (!progress_writing_) return;
  }
  StartProgress(next);
}

void EtcdStore::BeginCall() {
  MutexLock lock(mutex_);
  ++calls_;
}

void EtcdStore::EndCall() {
  MutexLock lock(mutex_);
  if (--calls_ == 0) calls_ended_.NotifyAll();
}

bool EtcdStore::closing() {
  MutexLock lock(mutex_);
  return closing_;
}

Result<void> CheckOptions(const EtcdOptions& options) {
  if (options.endpoints.empty()) {
    return Error::BadRequest("etcd: no endpoints; name at least one host:port");
  }
  if (options.root.empty() || static_cast<unsigned char>(options.root.back()) == 0xff) {
    return Error::BadRequest("etcd: root must be a path such as /kubexms");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Store>> OpenEtcdStore(EtcdOptions options) {
  RETURN_IF_ERROR(CheckOptions(options));
  auto store = std::make_unique<EtcdStore>(std::move(options));
  RETURN_IF_ERROR(store->Start());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace kubexms::store
