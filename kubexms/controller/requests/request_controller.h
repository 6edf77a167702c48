#pragma once

// Requests: an operation is asked for by creating an object, and this is the whole life of that
// object. The author writes one function:
//
//   struct Grant : Object<GrantSpec, RequestStatus> { static constexpr KindName kKind{…}; };
//
//   Result<RequestOutcome> ExecuteGrant(ReconcileContext& context, Grant& grant) {
//     RETURN_IF_ERROR(CreateOrUpdate<rbacv1::RoleBinding>(context.client, …));
//     return RequestOutcome::Completed("granted " + grant.spec.role);
//   }
//
//   manager.Add(RequestController<Grant>(
//       {.controller = {.name = "grants", .workers = 4},
//        .execute = ExecuteGrant,
//        .one_at_a_time = [](const Grant& grant) { return grant.spec.user; },
//        .audit = &audit}));
//
// Phases: Pending (also when there is none yet) → Processing → Completed or Failed, with a message
// and a completionTime. A finished request is never executed again, whatever becomes of its spec.
//
// The status only shows how far a request is. What the executor believes is what it recorded
// itself, in `record_namespace`, into which those who ask must not be able to write: a status that
// somebody changed decides nothing, and is put right at the next reconcile. So execute must not
// decide by further members of the status either.
//
// The definition of a request's kind comes from RequestCrdOf(), or from a program with
// record_creators: the server records who created a request, whose spec nobody can change then, and
// which shows Pending from the moment of its creation.
//
// execute must be idempotent. It is called again after an error that can pass, and when a request
// is found in Processing after a crash: what it did before is still there then.
//   - Waiting: nothing is wrong, but it takes a while; called again after that time;
//   - Terminal(error), which no retry can mend: Failed at once;
//   - any other error, and a throw: tried again after `retry_after` (or when the error says), until
//     the request expires; the message says what is wrong meanwhile;
//   - success: Completed, with its message. Further members of the status that it set are written
//     with it.
//
// Requests with the same one_at_a_time key are executed one after another, the oldest of those that
// wait first (to the second, then by name), by whichever worker. One that was begun comes before
// all that were not: those wait until it is finished, also while it waits for its next attempt.
// This holds within a process: with several replicas, use the manager's leader election.
//
// Deleting a request that waits cancels it. One that is being executed is not interrupted by its
// deletion: what was begun is finished, once, and audited. One that was begun and is deleted before
// its next attempt is undone, recorded as "Canceled", and only then goes: a finalizer keeps it
// until then, as long as it is not finished. See RequestHold for when that is stored.
//
// Audit: before a request becomes Completed or Failed, a record of it is written. While that fails
// the request is not finished either: its status says what will come of it, and only the record is
// tried again after `retry_after`, not the execution. So there is at least one record of every
// finished request, and a crash between record and status can give a second one, with the same id.

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

// The definition of a request's kind; see WithRecordedCreators().
template <RequestKind T>
Json RequestCrdOf() {
  return WithRecordedCreators(CrdOf<T>());
}

// What an execution that did not fail came to.
class RequestOutcome {
 public:
  static RequestOutcome Completed(std::string message = "") {
    return RequestOutcome(std::move(message), std::nullopt);
  }
  // What was asked for is under way; see again after this time. The message says what it waits for,
  // and should be the same as long as that is.
  static RequestOutcome Waiting(std::string message, std::chrono::nanoseconds again_after) {
    return RequestOutcome(std::move(message), again_after);
  }

  const std::string& message() const { return message_; }
  // Of one that waits.
  const std::optional<std::chrono::nanoseconds>& again_after() const { return again_after_; }

 private:
  RequestOutcome(std::string message, std::optional<std::chrono::nanoseconds> again_after)
      : message_(std::move(message)), again_after_(again_after) {}

  std::string message_;
  std::optional<std::chrono::nanoseconds> again_after_;
};

struct RequestTimes {
  // From one attempt to the next.
  std::chrono::nanoseconds retry_after = std::chrono::seconds(30);
  // A request that is not finished so long after its creation becomes Failed; none: it may take for
  // ever. An execution that has begun is not interrupted. The creation is by the clock of the
  // server and the rest by that of the controller: choose a time that is long compared with what
  // the two can differ by, or requests expire early, or at once.
  std::optional<std::chrono::nanoseconds> expires_after = std::chrono::hours(1);
  // How long after its completion a request is deleted; none: it stays.
  std::optional<std::chrono::nanoseconds> keep_completed = std::chrono::hours(1);
  std::optional<std::chrono::nanoseconds> keep_failed = std::chrono::hours(1);
};

// Since when a request whose deletion must be noticed is kept by the finalizer of requests. Without
// `undo` it is kUnfinished: the finalizer is for the record then.
enum class RequestHold {
  kBegun,  // before the first execution, so that nothing it does is forgotten; two writes more
  // Once an attempt ended without finishing it: a request that completes at its first attempt costs
  // no further write. One that is deleted after a crash in the middle of its first attempt, before
  // the controller is back, is neither undone nor recorded.
  kUnfinished,
};

template <RequestKind T>
struct RequestOptions {
  ControllerOptions controller;
  InformerScope scope;  // for example one namespace
  // Where it is recorded what became of requests; see request_record.h.
  std::string record_namespace{kRecordNamespace};
  RequestTimes times;

  std::function<Result<RequestOutcome>(ReconcileContext& context, T& request)> execute;  // required
  // Asked before every execution: whether the one who created the request may have what it asks
  // for. Terminal(error) refuses it; another error means that it cannot be told now. Empty: who may
  // create such requests may have it.
  std::function<Result<void>(ReconcileContext& context, const T& request,
                             const Requester& requester)>
      authorize;
  // Takes back what must not stay of an execution that was begun, before the request becomes
  // Failed, or goes because it was deleted. Called until it succeeds, without another execution;
  // must not mind to be called again. Empty: there is no such thing.
  std::function<Result<void>(ReconcileContext& context, const T& request)> undo;
  RequestHold hold = RequestHold::kBegun;
  // Requests with equal, not empty keys are not executed at the same time. Must depend on the spec
  // and metadata alone. Empty: all at once.
  std::function<std::string(const T& request)> one_at_a_time;
  // By which requests are found: unfinished ones are given these labels. Empty: none.
  std::function<StringMap(const T& request)> labels;
  AuditSink* audit = nullptr;  // borrowed; null: events on the objects only
};

// ---- What the templates below are made of, without the C++ type.

namespace request_internal {

inline constexpr std::string_view kFinalizer = "kubexms.io/request";

// What the requests of one controller have in common. Safe for use from any thread.
class Shared {
 public:
  Shared(RecordPlace records, const RequestTimes& request_times, RequestHold request_hold,
         AuditSink* sink)
      : place(std::move(records)), times(request_times), hold(request_hold), audit(sink) {}

  const RecordPlace place;
  const ResourceType& type = place.type;
  const RequestTimes times;
  const RequestHold hold;
  AuditSink* const audit;  // may be null
  RequestOrdering turns;
  // Wakes requests whose turn has come.
  const std::shared_ptr<ChannelSource> wake = std::make_shared<ChannelSource>("its turn");

  RequestCaches Caches(const ReconcileContext& context) const;

  // Whether the cache of records has what other processes did before this one began to work, such
  // as a request that they had begun. The server is asked once.
  Result<bool> KnowsOthers(ReconcileContext& context) EXCLUDES(mutex_);

  // Records that this process makes are no news to it.
  void NoteOwnRecord(const std::string& request_uid) EXCLUDES(mutex_);
  bool IsOwnRecord(const RequestRecord& record) const EXCLUDES(mutex_);
  // Deletes the records of requests that had the name of the one with the uid `kept`.
  Result<void> ForgetGone(ReconcileContext& context, std::string_view kept) EXCLUDES(mutex_);

  // Who asked for a request. The server is asked about once a minute what it records; while it
  // cannot be asked, the one that decides about access gets the error, and others an answer after
  // what it said last.
  Result<Requester> KnownRequester(ReconcileContext& context, const ObjectMeta& metadata)
      EXCLUDES(mutex_);
  Requester RequesterFor(ReconcileContext& context, const ObjectMeta& metadata) EXCLUDES(mutex_);

 private:
  Result<void> AskWhatIsRecorded(ReconcileContext& context) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::set<std::string, std::less<>> own_records_ GUARDED_BY(mutex_);  // by the requests' uids
  CreatorTrust creators_ GUARDED_BY(mutex_);
  std::optional<Clock::MonotonicTime> asked_ GUARDED_BY(mutex_);
  std::optional<uint64_t> others_version_ GUARDED_BY(mutex_);
};

// One request. `status` is as it is recorded; `write` records it, and shows it in the object.
struct Request {
  const ObjectMeta& metadata;
  RequestStatus& status;
  std::string turn;  // its one_at_a_time key
  std::function<std::string()> spec;
  std::function<Result<void>(const Requester& requester)> authorize;
  std::function<Result<RequestOutcome>()> execute;
  std::function<Result<void>()> undo;
  std::function<Result<StatusWrite>()> write;
  // Makes it, and what is recorded, what the server has now. False: it is gone, or another one has
  // its name.
  std::function<Result<bool>()> refresh;
  // Whether the object shows what is recorded.
  std::function<bool()> is_shown;
  // Stores the finalizer; all that was set must have been written. False: it is too late for that.
  std::function<Result<bool>()> hold;
};

Result<Outcome> Reconcile(Shared& shared, ReconcileContext& context, Request& request);
Result<Outcome> Deleted(Shared& shared, ReconcileContext& context);
// What is done with requests besides reconciling them: they are deleted, their definition says
// whether their creators are recorded, and records are kept of them.
std::vector<ResourceAccess> AccessToRequests(const RecordPlace& place);
// What a request is to be looked at for. Its status is not: it is written here.
bool SpecOrDeletionChanged(const ObjectMeta& before, const ObjectMeta& after);
// Writes those that it does not have; `metadata` is then as the server has it.
Result<void> KeepLabels(ReconcileContext& context, const ResourceType& type,
                        const StringMap& labels, ObjectMeta& metadata);
// Only this very object, not one that was made anew under its name.
Result<void> DeleteOne(Client& client, const ResourceType& type, const ObjectMeta& metadata);

// Still to be executed, or to be executed again.
template <RequestKind T>
bool IsOpen(const T& request) {
  return !request.status.IsFinished() && request.metadata.deletion_timestamp.IsZero();
}

// Requests that may still be executed, by their turn. One that somebody made look finished waits
// until its next reconcile, which puts that right.
template <RequestKind T>
void IndexTurns(ControllerFor<T>& controller,
                const std::function<std::string(const T& request)>& turn) {
  const auto waiting = [turn](const T& request) {
    if (!IsOpen(request)) return std::vector<std::string>();
    return WaitingValues(turn(request), ObjectKey::Of(request.metadata));
  };
  controller.template Index<T>(std::string(kWaitingIndex), waiting);
}

// A record that another process left concerns its request: it may be gone.
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
  const std::string turn = options.one_at_a_time ? options.one_at_a_time(object) : "";
  RecordKeeper keeper(context, shared.place, object.metadata, turn);
  RETURN_IF_ERROR(shared.ForgetGone(context, object.metadata.uid));
  RETURN_IF_ERROR(keeper.Load());
  // What is decided by is what is recorded.
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
    if (added == finalizer_internal::Added::kTooLate) return false;
    if (added == finalizer_internal::Added::kAlready) return true;
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
      RecordPlace{.type = ResourceType::Of<T>(), .namespace_name = options.record_namespace},
      options.times, options.hold, options.audit);
  ControllerFor<T> controller(options.controller, options.scope);
  controller.When(Changed<T>([](const T& before, const T& after) {
    return internal::SpecOrDeletionChanged(before.metadata, after.metadata);
  }));
  if (options.one_at_a_time) internal::IndexTurns(controller, options.one_at_a_time);
  internal::WatchRecords(controller, shared);
  controller.From(shared->wake);
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

struct FinishedRequests {
  std::string namespace_name;  // empty: of all
  std::string phase;           // "Completed" or "Failed"; empty: both
  std::chrono::nanoseconds older_than{0};
  std::stop_token stop;
};

// Deletes requests of a kind that have been finished for so long; how many there were. Of another
// kind nothing is deleted: what has not the phase and the completionTime of a request is none.
Result<int> DeleteFinishedRequests(Client& client, const ResourceType& type, const Clock& clock,
                                   const FinishedRequests& which = {});

template <RequestKind T>
Result<int> DeleteFinishedRequests(Client& client, const Clock& clock,
                                   const FinishedRequests& which = {}) {
  return DeleteFinishedRequests(client, ResourceType::Of<T>(), clock, which);
}

}  // namespace kubexms
