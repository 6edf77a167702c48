#include "kubexms/controller/requests/request_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/stored_object.h"
#include "kubexms/base/time_left.h"
#include "kubexms/base/utf8.h"
#include "kubexms/controller/events/event_recorder.h"
#include "kubexms/controller/support/guarded.h"

namespace kubexms::request_internal {
namespace {

using std::chrono::nanoseconds;

constexpr size_t kMaxMessageBytes = 4096;
// The result in the audit record of a request that was deleted between two attempts; its phase is
// Failed.
constexpr std::string_view kCanceled = "Canceled";
// Fallback period of waiting requests, which are normally woken. Long: there may be very many.
constexpr nanoseconds kWaitingPeriod = std::chrono::minutes(1);
// How often a new process checks whether its caches have caught up.
constexpr nanoseconds kCatchUpPeriod = std::chrono::milliseconds(50);
// How often FindCreatorTrust() is called: definitions and policies can change.
constexpr nanoseconds kCreatorTrustPeriod = std::chrono::minutes(1);

// One reconcile of one request.
class Step {
 public:
  Step(Shared& shared, ReconcileContext& context, Request& request)
      : shared_(shared), context_(context), request_(request) {}

  Result<Outcome> Run();

 private:
  bool IsDeleted() const { return !request_.metadata.deletion_timestamp.IsZero(); }
  nanoseconds UntilExpiry() const;
  Outcome RequeueAfter(nanoseconds time) const;
  bool IsBegun() const { return request_.status.phase == kRequestProcessing; }
  bool IsExpired() const { return UntilExpiry() <= nanoseconds(0); }
  bool IsNextInTurn() const;
  Result<Outcome> WaitForTurn();
  Result<Outcome> Proceed();
  Result<Outcome> Execute();
  Result<RequestOutcome> Attempt();
  Result<Outcome> RetryLater(const Error& error);
  Result<Outcome> WaitFor(const RequestOutcome& outcome);
  Result<Outcome> RequeueUnfinished(nanoseconds time);
  Result<Outcome> Cancel();
  Result<Outcome> RemoveFinalizer();
  Result<Outcome> Expire();
  Result<Outcome> End(const RequestResult& result);
  Result<Outcome> RetryEnd(const RequestResult& result, const Error& error);
  Result<void> Undo();
  Result<void> Audit(const RequestResult& result);
  Result<Outcome> Finish(const RequestResult& result);
  Result<Outcome> Retire();
  void SetMessage(std::string_view message);
  std::string WithLastMessage(std::string_view text) const;
  void RecordEvent(EventType type, std::string_view reason, std::string_view message);
  void Count(std::string_view result);

  Shared& shared_;
  ReconcileContext& context_;
  Request& request_;
};

// Wakes the next request.
void WakeNext(Shared& shared, ReconcileContext& context, const std::string& turn) {
  const auto next = shared.turns.Next(shared.Caches(context), turn);
  // One that is to be tried again later knows when.
  if (!next || *next == context.key) return;
  // If the channel is full, the request is reconciled after kWaitingPeriod.
  shared.wake->Send(*next);
}

// A turn that has begun.
class Turn {
 public:
  Turn(Shared& shared, ReconcileContext& context, const std::string& turn)
      : shared_(shared), context_(context), turn_(turn) {}
  ~Turn() {
    shared_.turns.End(turn_);
    WakeNext(shared_, context_, turn_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Shared& shared_;
  ReconcileContext& context_;
  const std::string& turn_;
};

Result<Outcome> Step::Run() {
  if (IsBegun()) {
    // The cache may be behind one who has finished it since.
    ASSIGN_OR_RETURN(const bool exists, request_.refresh());
    if (!exists) return Deleted(shared_, context_);
  }
  if (request_.status.IsFinished()) return Retire();
  if (IsDeleted() && !IsBegun()) return RemoveFinalizer();
  if (request_.turn.empty()) return Proceed();
  shared_.turns.Note(request_.metadata, request_.turn);
  // Of one that was not begun there is nothing to undo, for which it would need its turn.
  if (!IsBegun() && IsExpired()) {
    const Result<Outcome> outcome = Expire();
    WakeNext(shared_, context_, request_.turn);
    return outcome;
  }
  if (!IsBegun()) {
    ASSIGN_OR_RETURN(const bool knows_others, shared_.HasCaughtUp(context_));
    if (!knows_others) return RequeueAfter(kCatchUpPeriod);
  }
  if (!IsNextInTurn() || !shared_.turns.Begin(request_.turn)) return WaitForTurn();
  const Turn turn(shared_, context_, request_.turn);
  return Proceed();
}

Result<Outcome> Step::Proceed() {
  if (request_.status.pending_result) return End(RequestResult(*request_.status.pending_result));
  if (IsDeleted()) return Cancel();
  return IsExpired() ? Expire() : Execute();
}

nanoseconds Step::UntilExpiry() const {
  if (!shared_.times.expires_after) return nanoseconds::max();
  return TimeLeft(request_.metadata.creation_timestamp.value(), *shared_.times.expires_after,
                  context_.clock.Now());
}

// Or when it expires, if that is sooner; one that has expired is only still to be undone.
Outcome Step::RequeueAfter(nanoseconds time) const {
  const nanoseconds left = UntilExpiry();
  return Outcome::RequeueAfter(left > nanoseconds(0) ? std::min(time, left) : time);
}

bool Step::IsNextInTurn() const {
  return !shared_.turns.IsRunning(request_.turn) &&
         shared_.turns.Next(shared_.Caches(context_), request_.turn) == context_.key;
}

// The request is woken when it is next; the period covers a process that was restarted.
Result<Outcome> Step::WaitForTurn() {
  if (!IsBegun()) {
    request_.status.phase = kRequestPending;
    SetMessage("waiting for earlier requests");
    RETURN_IF_ERROR(request_.write());
  }
  return RequeueAfter(kWaitingPeriod);
}

RequestResult ResultOf(std::string_view phase, std::string_view message, nanoseconds took = {}) {
  RequestResult result;
  result.phase = phase;
  result.message = CutUtf8(ToValidUtf8(message), kMaxMessageBytes);
  result.duration = Duration(took);
  return result;
}

std::string_view ResultLabel(const RequestResult& result) {
  if (result.phase == kRequestCompleted) return "completed";
  return result.phase == kCanceled ? "canceled" : "failed";
}

Result<Outcome> Step::Execute() {
  if (!IsBegun()) {
    if (!request_.turn.empty()) shared_.turns.Give(request_.turn, context_.key);
    request_.status.phase = kRequestProcessing;
    request_.status.message.clear();
    request_.status.start_time = Time::Now(context_.clock);
    ASSIGN_OR_RETURN(const StatusWrite written, request_.write());
    if (written == StatusWrite::kGone) return Outcome::Done();
  }
  if (request_.undo && shared_.finalizer_policy == RequestFinalizerPolicy::kBeforeExecution) {
    ASSIGN_OR_RETURN(const bool held, request_.hold());
    if (!held) return Outcome::Done();  // its deletion is looked at next
    if (request_.status.IsFinished()) return Retire();
  }
  const auto begun = context_.clock.MonotonicNow();
  const Result<RequestOutcome> result = Guarded("the execution", [&] { return Attempt(); });
  const nanoseconds took = context_.clock.MonotonicNow() - begun;
  if (!result.ok()) {
    if (!result.error().terminal()) return RetryLater(result.error());
    return End(ResultOf(kRequestFailed, result.error().message(), took));
  }
  if (result->requeue_after()) return WaitFor(*result);
  return End(ResultOf(kRequestCompleted, result->message(), took));
}

Result<RequestOutcome> Step::Attempt() {
  if (request_.authorize) {
    ASSIGN_OR_RETURN(const Requester requester,
                     shared_.VerifiedRequester(context_, request_.metadata));
    RETURN_IF_ERROR(request_.authorize(requester));
  }
  return request_.execute();
}

Result<Outcome> Step::WaitFor(const RequestOutcome& outcome) {
  SetMessage(outcome.message());
  return RequeueUnfinished(*outcome.requeue_after());
}

Result<Outcome> Step::RetryLater(const Error& error) {
  context_.log.Warn("request failed; retrying", {{"error", error}});
  RecordEvent(EventType::kWarning, "Retrying", error.message());
  Count("retried");
  SetMessage("retrying: " + error.message());
  return RequeueUnfinished(error.details().retry_after ? *error.details().retry_after
                                                       : shared_.times.retry_after);
}

// From here on its deletion must not go unnoticed.
Result<Outcome> Step::RequeueUnfinished(nanoseconds time) {
  ASSIGN_OR_RETURN(const StatusWrite written, request_.write());
  bool there = written != StatusWrite::kGone;
  if (there && !IsDeleted() && (request_.undo || shared_.audit != nullptr)) {
    ASSIGN_OR_RETURN(there, request_.hold());
  }
  if (there) return RequeueAfter(time);
  if (!request_.status.pending_result) return Cancel();
  context_.log.Error("the request was deleted before its end could be recorded",
                     {{"result", request_.status.pending_result->phase}});
  return Outcome::Done();
}

// For a request that was deleted between two attempts.
Result<Outcome> Step::Cancel() {
  return End(ResultOf(kCanceled, WithLastMessage("deleted before it was finished")));
}

// Removes the finalizer after all work is done.
Result<Outcome> Step::RemoveFinalizer() {
  finalizer_internal::Target target{shared_.type, request_.metadata};
  RETURN_IF_ERROR(
      finalizer_internal::Remove(context_.client, target, std::string(kFinalizer), context_.stop));
  return IsDeleted() ? Deleted(shared_, context_) : Outcome::Done();
}

Result<Outcome> Step::Expire() {
  if (!IsBegun()) {
    // The cache may be behind one who has begun, finished or deleted it since.
    ASSIGN_OR_RETURN(const bool exists, request_.refresh());
    if (!exists) return Deleted(shared_, context_);
    if (request_.status.IsFinished()) return Retire();
  }
  const std::string message = fmt::format("not finished within {} of its creation",
                                          Duration(*shared_.times.expires_after).ToString());
  return End(ResultOf(kRequestFailed, WithLastMessage(message)));
}

// The result is final; undo and audit are retried until they succeed.
Result<Outcome> Step::End(const RequestResult& result) {
  if (result.phase != kRequestCompleted) {
    const Result<void> undone = Undo();
    if (!undone.ok()) return RetryEnd(result, undone.error());
  }
  // Before the status: a request must not look finished without a record of it.
  const Result<void> recorded = Audit(result);
  if (!recorded.ok()) return RetryEnd(result, recorded.error());
  return Finish(result);
}

Result<Outcome> Step::RetryEnd(const RequestResult& result, const Error& error) {
  request_.status.pending_result = result;
  return RetryLater(error);
}

Result<void> Step::Undo() {
  const bool begun = !request_.status.start_time.IsZero();
  if (!begun || !request_.undo) return {};
  const Result<void> undone = Guarded("undoing it", request_.undo);
  if (undone.ok()) return {};
  return undone.error().WithContext(IsDeleted() ? "it was deleted, and cannot be undone yet"
                                                : "it failed, and cannot be undone yet");
}

Result<void> Step::Audit(const RequestResult& result) {
  if (shared_.audit == nullptr) return {};
  const Result<void> written =
      shared_.audit->Write({.id = request_.metadata.uid,
                            .type = shared_.type,
                            .key = context_.key,
                            .requester = shared_.RequesterFor(context_, request_.metadata),
                            .spec = request_.spec(),
                            .created = request_.metadata.creation_timestamp,
                            .started = request_.status.start_time,
                            .completed = Time::Now(context_.clock),
                            .duration = result.duration.value(),
                            .result = result.phase,
                            .message = result.message});
  if (written.ok()) return {};
  return written.error().WithContext("the request cannot be audited, so it is not finished");
}

Result<Outcome> Step::Finish(const RequestResult& result) {
  const bool completed = result.phase == kRequestCompleted;
  request_.status.phase = completed ? kRequestCompleted : kRequestFailed;
  request_.status.message = result.message;
  request_.status.completion_time = Time::Now(context_.clock);
  request_.status.pending_result.reset();
  ASSIGN_OR_RETURN(const StatusWrite written, request_.write());
  Count(ResultLabel(result));
  // Whose turn is next is known once the cache knows that it is gone: see Deleted().
  if (written == StatusWrite::kGone) {
    context_.log.Info("the request was deleted while it was executed", {{"result", result.phase}});
    return Outcome::Done();
  }
  RecordEvent(completed ? EventType::kNormal : EventType::kWarning, result.phase,
              fmt::format("{} (requested by {})", result.message,
                          shared_.RequesterFor(context_, request_.metadata).ToString()));
  return Retire();
}

// Deletes finished requests after their time to live.
Result<Outcome> Step::Retire() {
  if (!request_.is_shown()) {
    // A crash came before the status was written, another client changed it, or the cache is
    // behind.
    ASSIGN_OR_RETURN(const bool exists, request_.refresh());
    if (!exists) return Deleted(shared_, context_);
    if (!request_.status.IsFinished()) return RequeueAfter(kCatchUpPeriod);  // its record is gone
    RETURN_IF_ERROR(request_.write());
  }
  RETURN_IF_ERROR(RemoveFinalizer());
  if (IsDeleted()) return Outcome::Done();
  shared_.turns.Forget(context_.key);
  const std::optional<nanoseconds>& keep = request_.status.phase == kRequestCompleted
                                               ? shared_.times.completed_ttl
                                               : shared_.times.failed_ttl;
  if (!keep) return Outcome::Done();
  const nanoseconds left =
      TimeLeft(request_.status.completion_time.value(), *keep, context_.clock.Now());
  if (left > nanoseconds(0)) return Outcome::RequeueAfter(left);
  RETURN_IF_ERROR(DeleteOne(context_.client, shared_.type, request_.metadata));
  return Outcome::Done();
}

void Step::SetMessage(std::string_view message) {
  request_.status.message = CutUtf8(ToValidUtf8(message), kMaxMessageBytes);
}

std::string Step::WithLastMessage(std::string_view text) const {
  const std::string& last = request_.status.message;
  return last.empty() ? std::string(text) : fmt::format("{}; {}", text, last);
}

void Step::RecordEvent(EventType type, std::string_view reason, std::string_view message) {
  context_.events.Event(
      ReferenceTo(shared_.type.ApiVersion(), shared_.type.kind, request_.metadata), type, reason,
      message);
}

void Step::Count(std::string_view result) {
  context_.metrics
      .AddCounter({.name = "controller_requests_total",
                   .help = "Number of executions of requests by result.",
                   .labels = {"controller", "result"}})
      .With({context_.controller, result})
      .Increment();
  if (result == "retried") return;
  context_.metrics
      .AddHistogram({.name = "controller_request_duration_seconds",
                     .help = "Time from the creation of requests to their end.",
                     .labels = {"controller", "result"}},
                    ExponentialBuckets(0.1, 2, 16))
      .With({context_.controller, result})
      .Observe(context_.clock.Now() - request_.metadata.creation_timestamp.value());
}

}  // namespace

Result<void> Shared::RefreshCreatorTrust(ReconcileContext& context) {
  const auto now = context.clock.MonotonicNow();
  if (asked_ && now - *asked_ < kCreatorTrustPeriod) return {};
  ASSIGN_OR_RETURN(creators_, FindCreatorTrust(context.client, type, context.stop));
  asked_ = now;
  return {};
}

namespace {

// Of all records, also those that cannot be decoded.
Result<uint64_t> NewestVersion(ReconcileContext& context, const InformerScope& scope) {
  ASSIGN_OR_RETURN(const ObjectPage all,
                   context.client.ListAll(Client::ListRequest(
                       ResourceType::Of<RequestRecord>(), {.namespace_name = scope.namespace_name,
                                                           .label_selector = scope.label_selector,
                                                           .stop = context.stop})));
  uint64_t newest = 0;
  for (const SharedBytes& object : all.items) {
    ASSIGN_OR_RETURN(const ObjectHeader header, ReadHeader(object.view()));
    newest = std::max(newest, header.resource_version);
  }
  return newest;
}

}  // namespace

RequestCaches Shared::Caches(const ReconcileContext& context) const {
  return {.requests = context.CacheOf(type), .records = RecordCache(context), .place = place};
}

void Shared::NoteOwnRecord(const std::string& request_uid) {
  MutexLock lock(mutex_);
  own_records_.insert(request_uid);
}

Result<void> Shared::DeleteOrphanedRecords(ReconcileContext& context, std::string_view kept) {
  ASSIGN_OR_RETURN(const std::vector<std::string> gone,
                   DeleteRecordsOfGone(context, place, context.key, kept));
  MutexLock lock(mutex_);
  for (const std::string& uid : gone) own_records_.erase(uid);
  return {};
}

bool Shared::IsOwnRecord(const RequestRecord& record) const {
  const Result<RecordedRequest> request = ReadRecord(record);
  MutexLock lock(mutex_);
  return request.ok() && own_records_.contains(request->uid);
}

Result<bool> Shared::HasCaughtUp(ReconcileContext& context) {
  const auto awaited = [this] {
    MutexLock lock(mutex_);
    return others_version_;
  };
  std::optional<uint64_t> version = awaited();
  if (!version) {
    ASSIGN_OR_RETURN(version, NewestVersion(context, place.Scope()));
  }
  const bool knows = !RecordCache(context).IsNewer(*version);
  MutexLock lock(mutex_);
  others_version_ = knows ? 0 : *version;  // known once, whatever becomes of the versions
  return knows;
}

Result<Requester> Shared::VerifiedRequester(ReconcileContext& context, const ObjectMeta& metadata) {
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(RefreshCreatorTrust(context));
  return RequesterOf(metadata, creators_);
}

Requester Shared::RequesterFor(ReconcileContext& context, const ObjectMeta& metadata) {
  MutexLock lock(mutex_);
  const Result<void> asked = RefreshCreatorTrust(context);
  if (!asked.ok()) {
    context.log.Warn("cannot determine whether the server records requesters",
                     {{"error", asked.error()}});
  }
  return RequesterOf(metadata, creators_);
}

Result<Outcome> Reconcile(Shared& shared, ReconcileContext& context, Request& request) {
  return Step(shared, context, request).Run();
}

Result<Outcome> Deleted(Shared& shared, ReconcileContext& context) {
  RETURN_IF_ERROR(shared.DeleteOrphanedRecords(context, ""));
  if (const auto turn = shared.turns.Forget(context.key)) WakeNext(shared, context, *turn);
  return Outcome::Done();
}

std::vector<ResourceAccess> AccessToRequests(const RecordLocation& place) {
  std::vector<ResourceAccess> access = AccessToCreatorTrust();
  access.push_back({place.type, "", {"delete"}});
  access.push_back({ResourceType::Of<RequestRecord>(),
                    "",
                    {"get", "list", "watch", "create", "update", "delete"},
                    place.namespace_name});
  return access;
}

bool SpecOrDeletionChanged(const ObjectMeta& before, const ObjectMeta& after) {
  return before.generation != after.generation ||
         before.deletion_timestamp != after.deletion_timestamp;
}

Result<void> KeepLabels(ReconcileContext& context, const ResourceType& type,
                        const StringMap& labels, ObjectMeta& metadata) {
  JsonObject missing;
  for (const auto& [key, value] : labels) {
    const auto had = metadata.labels.find(key);
    if (had == metadata.labels.end() || had->second != value) missing[key] = value;
  }
  if (missing.empty()) return {};
  // Bound to the version that was read: the status is later compared with that.
  const Json patch =
      JsonObject{{"metadata", JsonObject{{"resourceVersion", metadata.resource_version},
                                         {"labels", std::move(missing)}}}};
  Result<DynamicObject> labelled = context.client.Patch(
      type, ObjectKey::Of(metadata), {.body = WriteJson(patch)}, {.stop = context.stop});
  if (!labelled.ok()) return IgnoreNotFound(labelled);
  metadata = std::move(labelled->metadata);
  return {};
}

Result<void> DeleteOne(Client& client, const ResourceType& type, const ObjectMeta& metadata) {
  DeleteOptions options;
  options.preconditions.emplace().uid = metadata.uid;
  const Result<void> deleted = client.Delete(type, ObjectKey::Of(metadata), options);
  if (!deleted.ok() && deleted.error().IsConflict()) return {};  // it is another one
  return IgnoreNotFound(deleted);
}

}  // namespace kubexms::request_internal

namespace kubexms {
namespace {

// What requests of all kinds have in common.
struct AnyRequest : Struct {
  ObjectMeta metadata;
  RequestStatus status;

  static void Describe(Type<AnyRequest>& type) {
    type.Field("metadata", &AnyRequest::metadata);
    type.Field("status", &AnyRequest::status);
  }
};

bool IsOne(const FinishedRequestFilter& which, const RequestStatus& status, const Clock& clock) {
  if (!status.IsFinished() || status.completion_time.IsZero()) return false;
  if (!which.phase.empty() && status.phase != which.phase) return false;
  const auto finished_by = std::chrono::floor<std::chrono::seconds>(clock.Now() - which.older_than);
  return status.completion_time.value() <= finished_by;
}

}  // namespace

Result<int> DeleteFinishedRequests(Client& client, const ResourceType& type, const Clock& clock,
                                   const FinishedRequestFilter& which) {
  ASSIGN_OR_RETURN(const ObjectPage all,
                   client.List(type, {.namespace_name = which.namespace_name, .stop = which.stop}));
  int deleted = 0;
  for (const SharedBytes& item : all.items) {
    const Result<AnyRequest> request = Decode<AnyRequest>(item.view());
    if (!request.ok() || !IsOne(which, request->status, clock)) continue;
    RETURN_IF_ERROR(request_internal::DeleteOne(client, type, request->metadata));
    ++deleted;
  }
  return deleted;
}

}  // namespace kubexms
