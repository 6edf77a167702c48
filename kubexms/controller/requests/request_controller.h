#pragma once

// Requests: objects that ask for an operation. The framework manages the lifecycle of the object;
// the author writes one function:
//
//   struct Grant : Object<GrantSpec, RequestStatus> { static constexpr KindName kKind{…}; };
//
//   Result<RequestOutcome> ExecuteGrant(ReconcileContext& context, Grant& grant) {
//     RETURN_IF_ERROR(CreateOrUpdate<rbacv1::RoleBinding>(context.client, …));
//     return RequestOutcome::Completed("granted " + grant.spec.role);
//   }
//
//   manager.Add(RequestController<Grant>(
//       {.controller = {.name = "grants", .max_concurrent_reconciles = 4},
//        .execute = ExecuteGrant,
//        .ordering_key = [](const Grant& grant) { return grant.spec.user; },
//        .audit = &audit}));
//
// Phases: Pending (or empty) → Processing → Completed or Failed, with a message and a
// completionTime. A finished request is never executed again.
//
// The status only displays the progress. The executor trusts its own records in `record_namespace`,
// which requesters must not be able to write: a status that another client changed has no effect,
// and is corrected by the next reconcile. So execute must not trust the status either.
//
// The CustomResourceDefinition of a request comes from RequestCrdOf(), or from a program with
// record_creators: the server records the creator of a request, rejects changes of its spec, and
// sets the phase Pending at its creation.
//
// execute must be idempotent: it is called again after a transient error, and after a crash.
//   - Waiting(message, time): the operation is in progress; called again after that time.
//   - Terminal(error): Failed at once.
//   - Other errors and exceptions: retried after `retry_after`, or the Retry-After of the error,
//     until the request expires; the message contains the error meanwhile.
//   - Completed(message): Completed. Further members of the status that it set are written, too.
//
// Requests with the same ordering_key are executed one after another, the oldest first (by creation
// in seconds, then by name). The next one starts after the previous one is finished, not while that
// waits for a retry. This holds within a process: with several replicas, enable leader election.
//
// Deleting a pending request cancels it. A running execution is not interrupted by the deletion: it
// is finished once, and audited. A started request that is deleted between two attempts is undone,
// recorded as "Canceled", and then deleted; a finalizer retains it until then. See
// RequestFinalizerPolicy.
//
// Audit: the audit record is written before a request becomes Completed or Failed. While that
// fails, the status has a pendingResult, and only the record is retried, not the execution. So
// every finished request has at least one record; a crash between record and status can cause a
// second one with the same id.

#include <chrono>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/crd/crd.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/events/object_reference.h"
#include "kubexms/controller/finalizer.h"
#include "kubexms/controller/requests/audit_record.h"
#include "kubexms/controller/requests/creator_trust.h"
#include "kubexms/controller/requests/request_ordering.h"
#include "kubexms/controller/requests/request_record.h"
#include "kubexms/controller/requests/request_status.h"
#include "kubexms/controller/status_patch.h"

namespace kubexms {

template <class T>
concept RequestKind = Kind<T> && requires(T object) {
  { object.status } -> std::convertible_to<const RequestStatus&>;
};

// The CustomResourceDefinition of a request; see WithRecordedCreators().
template <RequestKind T>
Json RequestCrdOf() {
  return WithRecordedCreators(CrdOf<T>());
}

// The result of a successful execution.
class RequestOutcome {
 public:
  static RequestOutcome Completed(std::string message = "") {
    return RequestOutcome(std::move(message), std::nullopt);
  }
  // The operation is in progress: execute again after this time. The message should stay the same
  // while the reason does, because every new message is a write.
  static RequestOutcome Waiting(std::string message, std::chrono::nanoseconds requeue_after) {
    return RequestOutcome(std::move(message), requeue_after);
  }

  const std::string& message() const { return message_; }
  // Of Waiting().
  const std::optional<std::chrono::nanoseconds>& requeue_after() const { return requeue_after_; }

 private:
  RequestOutcome(std::string message, std::optional<std::chrono::nanoseconds> requeue_after)
      : message_(std::move(message)), requeue_after_(requeue_after) {}

  std::string message_;
  std::optional<std::chrono::nanoseconds> requeue_after_;
};

struct RequestTimeOptions {
  // Time between two attempts.
  std::chrono::nanoseconds retry_after = std::chrono::seconds(30);
  // A request that is not finished this long after its creation becomes Failed; none: never. A
  // running execution is not interrupted. The creationTimestamp is by the clock of the server:
  // choose a time that is long compared to the clock skew between server and controller.
  std::optional<std::chrono::nanoseconds> expires_after = std::chrono::hours(1);
  // Time after completion when a request is deleted; none: never.
  std::optional<std::chrono::nanoseconds> completed_ttl = std::chrono::hours(1);
  std::optional<std::chrono::nanoseconds> failed_ttl = std::chrono::hours(1);
};

// When the finalizer is added to a request. Without `undo` it is kAfterFirstAttempt: the finalizer
// then only ensures the audit record.
enum class RequestFinalizerPolicy {
  // Before the first execution, so that every effect is undone; two more writes.
  kBeforeExecution,
  // After an attempt that did not finish the request: a request that completes at its first attempt
  // needs no further write. A request that is deleted after a crash during its first attempt, while
  // the controller does not run, is neither undone nor recorded.
  kAfterFirstAttempt,
};

template <RequestKind T>
struct RequestOptions {
  ControllerOptions controller;
  InformerScope scope;  // of the requests, for example one namespace
  // Namespace of the records of the executor; see request_record.h.
  std::string record_namespace{kRecordNamespace};
  RequestTimeOptions times;

  std::function<Result<RequestOutcome>(ReconcileContext& context, T& request)> execute;  // required
  // Called before every execution: whether the requester is allowed the operation. Terminal(error)
  // denies it; other errors are retried. Empty: allowed to everyone who may create the request.
  std::function<Result<void>(ReconcileContext& context, const T& request,
                             const Requester& requester)>
      authorize;
  // Undoes a started execution before the request becomes Failed or is deleted. Retried until it
  // succeeds, without another execution; must be idempotent. Optional.
  std::function<Result<void>(ReconcileContext& context, const T& request)> undo;
  RequestFinalizerPolicy finalizer_policy = RequestFinalizerPolicy::kBeforeExecution;
  // Requests with equal, non-empty keys are executed one after another. The key must depend on the
  // spec and metadata only. Empty: all requests are executed concurrently.
  std::function<std::string(const T& request)> ordering_key;
  // Labels that are set on unfinished requests. Optional.
  std::function<StringMap(const T& request)> labels;
  AuditSink* audit = nullptr;  // borrowed; null: no audit records
};

// ---- The parts of the templates below that do not depend on the C++ type.

namespace request_internal {

inline constexpr std::string_view kFinalizer = "kubexms.io/request";

// The state that all requests of one controller share. Safe for use from any thread.
class Shared {
 public:
  Shared(RecordLocation records, const RequestTimeOptions& request_times,
         RequestFinalizerPolicy policy, AuditSink* sink)
      : place(std::move(records)), times(request_times), finalizer_policy(policy), audit(sink) {}

  const RecordLocation place;
  const ResourceType& type = place.type;
  const RequestTimeOptions times;
  const RequestFinalizerPolicy finalizer_policy;
  AuditSink* const audit;  // may be null
  RequestOrdering turns;
  // Wakes the next waiting request.
  const std::shared_ptr<ChannelSource> wake = std::make_shared<ChannelSource>("next in order");

  RequestCaches Caches(const ReconcileContext& context) const;

  // Whether the cache has all records that other processes wrote before this one started, such as
  // those of requests that they had started. Lists the records once.
  Result<bool> HasCaughtUp(ReconcileContext& context) EXCLUDES(mutex_);

  // The records that this process creates do not enqueue their requests.
  void NoteOwnRecord(const std::string& request_uid) EXCLUDES(mutex_);
  bool IsOwnRecord(const RequestRecord& record) const EXCLUDES(mutex_);
  // Deletes the records of deleted requests with the same name, but not that of the uid `kept`.
  Result<void> DeleteOrphanedRecords(ReconcileContext& context, std::string_view kept)
      EXCLUDES(mutex_);

  // The requester. Whether the server records creators is read once a minute; if that fails,
  // VerifiedRequester() returns the error and RequesterFor() uses the last known answer.
  Result<Requester> VerifiedRequester(ReconcileContext& context, const ObjectMeta& metadata)
      EXCLUDES(mutex_);
  Requester RequesterFor(ReconcileContext& context, const ObjectMeta& metadata) EXCLUDES(mutex_);

 private:
  Result<void> RefreshCreatorTrust(ReconcileContext& context) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::set<std::string, std::less<>> own_records_ GUARDED_BY(mutex_);  // by the requests' uids
  CreatorTrust creators_ GUARDED_BY(mutex_);
  std::optional<Clock::MonotonicTime> asked_ GUARDED_BY(mutex_);
  std::optional<uint64_t> others_version_ GUARDED_BY(mutex_);
};

// One request. `status` is the recorded one; `write` records it and writes it to the object.
struct Request {
  const ObjectMeta& metadata;
  RequestStatus& status;
  std::string turn;  // its ordering key
  std::function<std::string()> spec;
  std::function<Result<void>(const Requester& requester)> authorize;
  std::function<Result<RequestOutcome>()> execute;
  std::function<Result<void>()> undo;
  std::function<Result<StatusWrite>()> write;
  // Reads the object and its record from the server. False if it was deleted or recreated.
  std::function<Result<bool>()> refresh;
  // Whether the status of the object equals the recorded one.
  std::function<bool()> is_shown;
  // Adds the finalizer; all changes must have been written. False if the request is being deleted.
  std::function<Result<bool>()> hold;
};

Result<Outcome> Reconcile(Shared& shared, ReconcileContext& context, Request& request);
Result<Outcome> Deleted(Shared& shared, ReconcileContext& context);
// The access to requests besides reconciling: delete, read the definition, and write records.
std::vector<ResourceAccess> AccessToRequests(const RecordLocation& place);
// The changes that enqueue a request: not those of its status, which the controller writes.
bool SpecOrDeletionChanged(const ObjectMeta& before, const ObjectMeta& after);
// Adds missing labels and updates `metadata`.
Result<void> KeepLabels(ReconcileContext& context, const ResourceType& type,
                        const StringMap& labels, ObjectMeta& metadata);
// Deletes the object with this uid, not one that was recreated under its name.
Result<void> DeleteOne(Client& client, const ResourceType& type, const ObjectMeta& metadata);

// Neither finished nor being deleted.
template <RequestKind T>
bool IsOpen(const T& request) {
  return !request.status.IsFinished() && request.metadata.deletion_timestamp.IsZero();
}

// Indexes the requests that may still be executed by ordering key. A request whose status another
// client set to finished waits until its next reconcile, which corrects the status.
template <RequestKind T>
void IndexTurns(ControllerFor<T>& controller,
                const std::function<std::string(const T& request)>& turn) {
  const auto waiting = [turn](const T& request) {
    if (!IsOpen(request)) return std::vector<std::string>();
    return WaitingValues(turn(request), ObjectKey::Of(request.metadata));
  };
  controller.template Index<T>(std::string(kWaitingIndex), waiting);
}

// A record of another process enqueues its request, which may have been deleted.
template <RequestKind T>
void WatchRecords(ControllerFor<T>& controller, const std::shared_ptr<Shared>& shared) {
  const auto key_of = [](const RequestRecord& record) -> std::vector<ObjectKey> {
    const Result<RecordedRequest> request = ReadRecord(record);
    if (!request.ok()) return {};
    return {request->Key()};
  };
  const auto is_news = [shared](const CacheEvent& event) {
    return event.type == CacheEvent::Type::kAdd &&
           !shared->IsOwnRecord(*event.object.As<RequestRecord>());
  };
  controller.template Watches<RequestRecord>(
      key_of, {.scope = shared->place.Scope(), .predicates = {is_news}});
  controller.template Index<RequestRecord>(std::string(kBegunIndex), BegunValues);
  controller.template Index<RequestRecord>(std::string(kRequestIndex), RequestValues);
}

template <RequestKind T>
Result<Outcome> ReconcileTyped(Shared& shared, const RequestOptions<T>& options,
                               ReconcileContext& context, const T& object) {
  T before = object;
  T request = object;
  const std::string turn = options.ordering_key ? options.ordering_key(object) : "";
  RecordHandle keeper(context, shared.place, object.metadata, turn);
  RETURN_IF_ERROR(shared.DeleteOrphanedRecords(context, object.metadata.uid));
  RETURN_IF_ERROR(keeper.Load());
  // Only the recorded status is trusted.
  const auto take_record = [&] { static_cast<RequestStatus&>(request.status) = keeper.status(); };
  take_record();
  if (options.labels && IsOpen(request)) {
    RETURN_IF_ERROR(
        KeepLabels(context, ResourceType::Of<T>(), options.labels(object), request.metadata));
    before.metadata = request.metadata;
  }
  const auto write = [&]() -> Result<StatusWrite> {
    if (keeper.Begins(request.status)) shared.NoteOwnRecord(object.metadata.uid);
    RETURN_IF_ERROR(keeper.Store(request.status));
    ASSIGN_OR_RETURN(const StatusPatched patched,
                     PatchStatus(context.client, before, request, context.clock,
                                 {.only_if = [&](const T& fresh) {
                                   return fresh.status.phase == before.status.phase;
                                 }}));
    if (patched.result == StatusWrite::kWritten) {
      ASSIGN_OR_RETURN(before, Decode<T>(patched.object.view()));
      request = before;
      take_record();
    }
    return patched.result;
  };
  const auto refresh = [&]() -> Result<bool> {
    Result<T> fresh = context.client.Get<T>(context.key, {.stop = context.stop});
    if (!fresh.ok() && fresh.error().IsNotFound()) return false;
    if (!fresh.ok()) return fresh.error();
    if (fresh->metadata.uid != object.metadata.uid) return false;
    RETURN_IF_ERROR(keeper.Reload());
    request = before = *std::move(fresh);
    take_record();
    return true;
  };
  const auto hold = [&]() -> Result<bool> {
    finalizer_internal::Target target{ResourceType::Of<T>(), request.metadata};
    SharedBytes stored;
    ASSIGN_OR_RETURN(const auto added,
                     finalizer_internal::Add(context.client, target, {std::string(kFinalizer)},
                                             stored, context.stop));
    if (added == finalizer_internal::Added::kDeleting) return false;
    if (added == finalizer_internal::Added::kPresent) return true;
    ASSIGN_OR_RETURN(before, Decode<T>(stored.view()));
    request = before;
    take_record();
    return true;
  };
  const auto is_shown = [&] { return Encode(before.status) == Encode(request.status); };
  Request erased{.metadata = before.metadata,
                 .status = request.status,
                 .turn = turn,
                 .spec = [&] { return Encode(before.spec); },
                 .execute = [&] { return options.execute(context, request); },
                 .write = write,
                 .refresh = refresh,
                 .is_shown = is_shown,
                 .hold = hold};
  if (options.authorize) {
    erased.authorize = [&](const Requester& requester) {
      return options.authorize(context, request, requester);
    };
  }
  if (options.undo) erased.undo = [&] { return options.undo(context, request); };
  return Reconcile(shared, context, erased);
}

}  // namespace request_internal

template <RequestKind T>
ControllerFor<T> RequestController(RequestOptions<T> options) {
  namespace internal = request_internal;
  KUBEXMS_CHECK(options.execute != nullptr);
  const auto shared = std::make_shared<internal::Shared>(
      RecordLocation{.type = ResourceType::Of<T>(), .namespace_name = options.record_namespace},
      options.times, options.finalizer_policy, options.audit);
  ControllerFor<T> controller(options.controller, options.scope);
  controller.WithPredicates(Changed<T>([](const T& before, const T& after) {
    return internal::SpecOrDeletionChanged(before.metadata, after.metadata);
  }));
  if (options.ordering_key) internal::IndexTurns(controller, options.ordering_key);
  internal::WatchRecords(controller, shared);
  controller.WatchesRawSource(shared->wake);
  for (ResourceAccess& access : internal::AccessToRequests(shared->place)) {
    controller.AddAccess(std::move(access));
  }
  controller.Reconciles([shared, options](ReconcileContext& context, const T& request) {
    return internal::ReconcileTyped(*shared, options, context, request);
  });
  controller.OnDeleted(
      [shared](ReconcileContext& context) { return internal::Deleted(*shared, context); });
  return controller;
}

struct FinishedRequestFilter {
  std::string namespace_name;  // empty: of all
  std::string phase;           // "Completed" or "Failed"; empty: both
  std::chrono::nanoseconds older_than{0};
  std::stop_token stop;
};

// Deletes finished requests of a kind and returns their number. Objects without the phase and the
// completionTime of a finished request are not deleted.
Result<int> DeleteFinishedRequests(Client& client, const ResourceType& type, const Clock& clock,
                                   const FinishedRequestFilter& which = {});

template <RequestKind T>
Result<int> DeleteFinishedRequests(Client& client, const Clock& clock,
                                   const FinishedRequestFilter& which = {}) {
  return DeleteFinishedRequests(client, ResourceType::Of<T>(), clock, which);
}

}  // namespace kubexms
