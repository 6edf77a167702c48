#include "kubexms/controller/requests/request_controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/client/client_decorator.h"
#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/testing/reconcile_harness_test.h"

namespace kubexms {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct OrderSpec : Struct {
  std::string user;
  std::string drink;

  static void Describe(Type<OrderSpec>& type) {
    type.Field("user", &OrderSpec::user);
    type.Field("drink", &OrderSpec::drink);
  }
};

struct OrderStatus : RequestStatus {
  std::string cup;

  static void Describe(Type<OrderStatus>& type) {
    RequestStatus::Describe(type);
    type.Field("cup", &OrderStatus::cup);
  }
};

struct Order : Object<OrderSpec, OrderStatus> {
  static constexpr KindName kKind{.group = "test.io", .version = "v1", .kind = "Order"};
};

Order MakeOrder(const std::string& name, const std::string& user = "alice") {
  Order order;
  order.metadata.namespace_name = "default";
  order.metadata.name = name;
  order.spec.user = user;
  order.spec.drink = "tea";
  return order;
}

// Keeps records in memory, or fails.
class MemoryAuditSink final : public AuditSink {
 public:
  Result<void> Write(const AuditRecord& record) override {
    if (failure) return *failure;
    records.push_back(record);
    return {};
  }
  std::optional<Error> failure;
  std::vector<AuditRecord> records;
};

class RequestControllerTest : public testing::Test {
 protected:
  void SetUp() override {
    CreateCrd(server(), RequestCrdOf<Order>());
    Create("o");
    const Controller controller = RequestController<Order>(Options());
    for (const CacheIndex& index : controller.indexes()) {
      if (index.form == caches_[0].form) records().AddIndex(index.name, index.function);
    }
  }

  Client& server() { return harness_.server.client(); }
  void Create(const std::string& name, const std::string& user = "alice") {
    const auto created = server().Create(MakeOrder(name, user));
    ASSERT_TRUE(created.ok()) << created.error().message();
  }
  Order Stored(const std::string& name = "o") {
    return server().Get<Order>({"default", name}).value();
  }
  bool Exists(const std::string& name = "o") { return server().Get<Order>({"default", name}).ok(); }

  RequestOptions<Order> Options() {
    return {.controller = {.name = "orders"},
            .execute =
                [this](ReconcileContext& context, Order& order) {
                  ++executions_;
                  return execute_(context, order);
                },
            .audit = &audit_};
  }

  // One reconcile of the object as it is given, with a cache that has all records.
  Result<Outcome> Reconcile(const Controller& controller, const Order& order) {
    harness_.client.TakeVerbs();
    SyncRecords();
    const ObjectKey key = ObjectKey::Of(order.metadata);
    ReconcileContext context = harness_.Context(key);
    context.caches = caches_;
    return controller.reconcile()(context, FormOf<Order>().Decode(Encode(order)).value());
  }
  Result<Outcome> Reconcile() { return Reconcile(RequestController<Order>(Options()), Stored()); }

  DeclaredCache MakeCache(const ObjectForm& form) {
    return {form, std::make_shared<Informer>(
                      InformerOptions{.form = form},
                      Informer::Environment{harness_.client, harness_.clock, random_, Logger()})};
  }
  ObjectCache& records() { return caches_[0].informer->cache(); }
  // Of all requests.
  std::vector<RequestRecord> StoredRecords() {
    const InformerScope scope = place_.Scope();
    return server()
        .List<RequestRecord>(
            {.namespace_name = scope.namespace_name, .label_selector = scope.label_selector})
        .value()
        .items;
  }
  void SyncRecords() {
    for (const CachedObject& known : records().List("", {})) {
      if (!server().Get<RequestRecord>(ObjectKey::Of(*known.metadata)).ok()) {
        (void)records().Remove(known);
      }
    }
    for (const RequestRecord& record : StoredRecords()) {
      (void)records().Put(caches_[0].form.Decode(Encode(record)).value());
    }
  }
  // As another process recorded it.
  void Record(const Order& order, const RequestStatus& status) {
    const ObjectKey key = ObjectKey::Of(order.metadata);
    ReconcileContext context = harness_.Context(key);
    context.caches = caches_;
    RecordHandle keeper(context, place_, order.metadata, order.spec.user);
    ASSERT_TRUE(keeper.Reload().ok());
    const auto stored = keeper.Store(status);
    ASSERT_TRUE(stored.ok()) << stored.error().message();
  }
  RequestStatus Processing() {
    RequestStatus status;
    status.phase = "Processing";
    status.start_time = Time::Now(harness_.clock);
    return status;
  }

  ReconcileHarness harness_;
  SystemRandom random_;
  const RecordLocation place_{.type = ResourceType::Of<Order>(), .namespace_name = "kube-system"};
  std::vector<DeclaredCache> caches_{
      MakeCache(FormOf<RequestRecord>(&StripManagedFields<RequestRecord>))};
  MemoryAuditSink audit_;
  int executions_ = 0;
  std::function<Result<RequestOutcome>(ReconcileContext&, Order&)> execute_ =
      [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return RequestOutcome::Completed("served");
  };
};

TEST_F(RequestControllerTest, ExecutesAndCompletes) {
  execute_ = [this](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    EXPECT_EQ(Stored().status.phase, "Processing");
    harness_.clock.Advance(seconds(4));
    order.status.cup = "blue";
    return RequestOutcome::Completed("served tea");
  };
  const Time begin = Time::Now(harness_.clock);
  EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(hours(1)));
  EXPECT_THAT(harness_.client.TakeVerbs(),
              ElementsAre("create", "patch status", "get", "update", "patch status"));
  const OrderStatus status = Stored().status;
  EXPECT_EQ(status.phase, "Completed");
  EXPECT_EQ(status.message, "served tea");
  EXPECT_EQ(status.cup, "blue");
  EXPECT_EQ(status.start_time, begin);
  EXPECT_EQ(status.completion_time, Time::Now(harness_.clock));
}

TEST_F(RequestControllerTest, NeverExecutesFinishedRequestsAgain) {
  ASSERT_TRUE(Reconcile().ok());
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_EQ(executions_, 1);
  EXPECT_THAT(audit_.records, SizeIs(1));
}

// Otherwise the record would name the author of another spec.
TEST_F(RequestControllerTest, TheSpecIsImmutable) {
  Order changed = Stored();
  EXPECT_EQ(changed.status.phase, "Pending");
  changed.spec.drink = "coffee";
  const auto updated = server().Update(changed);
  ASSERT_FALSE(updated.ok());
  EXPECT_THAT(updated.error().message(), HasSubstr("cannot be changed after creation"));
  // Nor add what was not asked for.
  DynamicObject empty =
      DynamicObject::FromJson(ParseJson(R"({"apiVersion":"test.io/v1","kind":"Order",
          "metadata":{"name":"empty","namespace":"default"}})")
                                  .value())
          .value();
  ASSERT_TRUE(server().Create(ResourceType::Of<Order>(), empty).ok());
  EXPECT_FALSE(
      server().Patch<Order>({"default", "empty"}, {.body = R"({"spec":{"drink":"gin"}})"}).ok());
}

// As of one who takes over while its watch is behind what the one before wrote.
TEST_F(RequestControllerTest, NorWhenTheCacheStillShowsThemInProcessing) {
  Order begun;
  execute_ = [&](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    begun = Stored();
    return RequestOutcome::Completed("served");
  };
  ASSERT_TRUE(Reconcile().ok());
  ASSERT_EQ(begun.status.phase, "Processing");
  const Controller another = RequestController<Order>(Options());
  EXPECT_EQ(Reconcile(another, begun).value(), Outcome::RequeueAfter(hours(1)));
  EXPECT_EQ(executions_, 1);
  EXPECT_THAT(audit_.records, SizeIs(1));
  // Nor when it has expired meanwhile, is gone, or another one has its name.
  harness_.clock.Advance(minutes(70));
  EXPECT_EQ(Reconcile(another, begun).value(), Outcome::Done());
  EXPECT_FALSE(Exists());
  EXPECT_EQ(Reconcile(another, begun).value(), Outcome::Done());
  Create("o");
  EXPECT_EQ(Reconcile(another, begun).value(), Outcome::Done());
  EXPECT_EQ(Stored().status.phase, "Pending");
  EXPECT_EQ(executions_, 1);
  EXPECT_THAT(audit_.records, SizeIs(1));
}

TEST_F(RequestControllerTest, ExecutesAProcessingRequestAgainAfterACrash) {
  const RequestStatus begun = Processing();
  Record(Stored(), begun);
  harness_.clock.Advance(minutes(2));
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_EQ(executions_, 1);
  EXPECT_EQ(Stored().status.phase, "Completed");
  EXPECT_EQ(Stored().status.start_time, begun.start_time);
}

// Whoever may write the status of a request decides nothing by it.
TEST_F(RequestControllerTest, DoesNotTrustTheStatus) {
  // An end that never was.
  Order forged = Stored();
  forged.status.phase = "Processing";
  RequestResult& ending = forged.status.pending_result.emplace();
  ending.phase = "Completed";
  ending.message = "served champagne";
  ASSERT_TRUE(server().UpdateStatus(forged).ok());
  execute_ = [](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    EXPECT_FALSE(order.status.pending_result.has_value());
    return Terminal(Error::BadRequest("no champagne"));
  };
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_EQ(executions_, 1);
  EXPECT_EQ(Stored().status.phase, "Failed");
  EXPECT_FALSE(Stored().status.pending_result.has_value());
  ASSERT_THAT(audit_.records, SizeIs(1));
  EXPECT_EQ(audit_.records[0].result, "Failed");
  EXPECT_EQ(audit_.records[0].message, "no champagne");
  // Back to the beginning: it is not executed again, and shows what became of it.
  for (const char* phase : {"Pending", "Processing", "Completed"}) {
    forged = Stored();
    forged.status.phase = phase;
    forged.status.message = "not yet";
    forged.status.completion_time = {};
    ASSERT_TRUE(server().UpdateStatus(forged).ok());
    EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(hours(1))) << phase;
    EXPECT_EQ(Stored().status.phase, "Failed");
    EXPECT_EQ(Stored().status.message, "no champagne");
    EXPECT_EQ(Stored().status.completion_time, Time::Now(harness_.clock));
  }
  EXPECT_EQ(executions_, 1);
  EXPECT_THAT(audit_.records, SizeIs(1));
  // One that looks finished is executed all the same.
  Create("p");
  forged = Stored("p");
  forged.status.phase = "Completed";
  forged.status.completion_time = Time::Now(harness_.clock);
  ASSERT_TRUE(server().UpdateStatus(forged).ok());
  ASSERT_TRUE(Reconcile(RequestController<Order>(Options()), Stored("p")).ok());
  EXPECT_EQ(executions_, 2);
  EXPECT_EQ(Stored("p").status.phase, "Failed");
}

TEST_F(RequestControllerTest, DeletesTheRecordWithTheRequest) {
  const Controller controller = RequestController<Order>(Options());
  ASSERT_TRUE(Reconcile(controller, Stored()).ok());
  ASSERT_THAT(StoredRecords(), SizeIs(1));
  // Another one under its name has nothing of it.
  ASSERT_TRUE(server().Delete<Order>({"default", "o"}).ok());
  Create("o");
  ASSERT_TRUE(Reconcile(controller, Stored()).ok());
  EXPECT_EQ(executions_, 2);
  ASSERT_THAT(StoredRecords(), SizeIs(1));
  ASSERT_TRUE(server().Delete<Order>({"default", "o"}).ok());
  SyncRecords();
  const ObjectKey key{"default", "o"};
  ReconcileContext context = harness_.Context(key);
  context.caches = caches_;
  EXPECT_TRUE(controller.reconcile()(context, CachedObject()).ok());
  EXPECT_THAT(StoredRecords(), IsEmpty());
}

TEST_F(RequestControllerTest, DoesNotExecuteIfItsRecordCannotBeWritten) {
  RequestOptions<Order> options = Options();
  options.record_namespace = "nowhere";
  const auto result = Reconcile(RequestController<Order>(options), Stored());
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message(), HasSubstr("nowhere"));
  EXPECT_EQ(executions_, 0);
}

TEST_F(RequestControllerTest, RetriesTransientErrors) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Error::ServiceUnavailable("no water");
  };
  EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(seconds(30)));
  EXPECT_EQ(Stored().status.phase, "Processing");
  EXPECT_EQ(Stored().status.message, "retrying: no water");
  EXPECT_THAT(audit_.records, IsEmpty());
  // The same again is not written again.
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_THAT(harness_.client.TakeVerbs(), ElementsAre("get", "get"));
  EXPECT_THAT(harness_.Events(), ElementsAre("Warning Retrying: no water ×2"));
}

TEST_F(RequestControllerTest, RetriesAfterTheRetryAfterOfTheError) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Error::TooManyRequests("busy", seconds(7));
  };
  EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(seconds(7)));
}

TEST_F(RequestControllerTest, PermanentErrorsFailAtOnce) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Terminal(Error::BadRequest("no such drink"));
  };
  EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(hours(1)));
  EXPECT_EQ(Stored().status.phase, "Failed");
  EXPECT_EQ(Stored().status.message, "no such drink");
  EXPECT_EQ(Stored().status.completion_time, Time::Now(harness_.clock));
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_EQ(executions_, 1);
}

TEST_F(RequestControllerTest, MayWaitForWhatTakesLong) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return RequestOutcome::Waiting("the water is not hot yet", seconds(2));
  };
  EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(seconds(2)));
  EXPECT_EQ(Stored().status.phase, "Processing");
  EXPECT_EQ(Stored().status.message, "the water is not hot yet");
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_THAT(harness_.client.TakeVerbs(), ElementsAre("get", "get"));
  EXPECT_THAT(harness_.Events(), IsEmpty());
  EXPECT_THAT(audit_.records, IsEmpty());
}

TEST_F(RequestControllerTest, DeniesUnauthorizedRequesters) {
  RequestOptions<Order> options = Options();
  std::string asked_for;
  options.authorize = [&](ReconcileContext&, const Order& order,
                          const Requester& requester) -> Result<void> {
    asked_for = requester.user;
    return Terminal(Error::Forbidden("orders", order.metadata.name, "you had enough"));
  };
  ASSERT_TRUE(Reconcile(RequestController<Order>(options), Stored()).ok());
  EXPECT_EQ(executions_, 0);
  EXPECT_EQ(asked_for, "kubernetes-admin");
  EXPECT_EQ(Stored().status.phase, "Failed");
  EXPECT_THAT(Stored().status.message, HasSubstr("you had enough"));
  EXPECT_THAT(audit_.records, SizeIs(1));
}

// Nobody is taken for unknown, who might be allowed more, because the server was away.
TEST_F(RequestControllerTest, RetriesWhileTheRequesterIsUnknown) {
  RequestOptions<Order> options = Options();
  int asked = 0;
  options.authorize = [&](ReconcileContext&, const Order&, const Requester&) -> Result<void> {
    ++asked;
    return {};
  };
  const Controller controller = RequestController<Order>(options);
  harness_.client.SetPath([](Client&, std::string_view) -> Result<SharedBytes> {
    return Error::ServiceUnavailable("no route");
  });
  EXPECT_EQ(Reconcile(controller, Stored()).value(), Outcome::RequeueAfter(seconds(30)));
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(executions_, 0);
  harness_.client.SetPath({});
  ASSERT_TRUE(Reconcile(controller, Stored()).ok());
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(Stored().status.phase, "Completed");
}

TEST_F(RequestControllerTest, UndoesBeforeTheRequestFails) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Terminal(Error::BadRequest("no such drink"));
  };
  RequestOptions<Order> options = Options();
  int undone = 0;
  Result<void> undo = Error::ServiceUnavailable("no cloth");
  options.undo = [&](ReconcileContext&, const Order&) {
    ++undone;
    return undo;
  };
  const Controller controller = RequestController<Order>(options);
  EXPECT_EQ(Reconcile(controller, Stored()).value(), Outcome::RequeueAfter(seconds(30)));
  EXPECT_EQ(Stored().status.phase, "Processing");
  EXPECT_EQ(Stored().status.message, "retrying: it failed, and cannot be undone yet: no cloth");
  // Expiry is no way around it, nor a reason to hurry.
  harness_.clock.Advance(hours(2));
  EXPECT_EQ(Reconcile(controller, Stored()).value(), Outcome::RequeueAfter(seconds(30)));
  EXPECT_EQ(Stored().status.phase, "Processing");
  undo = {};
  ASSERT_TRUE(Reconcile(controller, Stored()).ok());
  EXPECT_EQ(Stored().status.phase, "Failed");
  EXPECT_EQ(Stored().status.message, "no such drink");
  EXPECT_EQ(undone, 3);
  EXPECT_EQ(executions_, 1);  // it has failed for good
}

TEST_F(RequestControllerTest, DoesNotUndoARequestThatWasNeverStarted) {
  RequestOptions<Order> options = Options();
  options.undo = [](ReconcileContext&, const Order&) -> Result<void> {
    ADD_FAILURE() << "there is nothing to undo";
    return {};
  };
  harness_.clock.Advance(hours(2));
  ASSERT_TRUE(Reconcile(RequestController<Order>(options), Stored()).ok());
  EXPECT_EQ(Stored().status.phase, "Failed");
}

TEST_F(RequestControllerTest, RetriesAfterAnException) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    throw std::runtime_error("spilled");
  };
  EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(seconds(30)));
  EXPECT_THAT(Stored().status.message, HasSubstr("spilled"));
}

TEST_F(RequestControllerTest, ExpiresSoLongAfterItsCreation) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Error::ServiceUnavailable("no water");
  };
  RequestOptions<Order> options = Options();
  options.times.expires_after = minutes(3);
  const Controller controller = RequestController<Order>(options);
  ASSERT_TRUE(Reconcile(controller, Stored()).ok());
  harness_.clock.Advance(seconds(170));
  // It is requeued at its expiry, not later.
  EXPECT_EQ(Reconcile(controller, Stored()).value(), Outcome::RequeueAfter(seconds(10)));
  harness_.clock.Advance(seconds(10));
  executions_ = 0;
  EXPECT_EQ(Reconcile(controller, Stored()).value(), Outcome::RequeueAfter(hours(1)));
  EXPECT_EQ(executions_, 0);
  EXPECT_EQ(Stored().status.phase, "Failed");
  EXPECT_EQ(Stored().status.message,
            "not finished within 3m0s of its creation; retrying: no water");
  ASSERT_THAT(audit_.records, SizeIs(1));
  EXPECT_EQ(audit_.records[0].result, "Failed");
}

TEST_F(RequestControllerTest, IsDeletedAfterItsCompletionAndNotAfterItsCreation) {
  harness_.clock.Advance(minutes(50));
  EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(hours(1)));
  harness_.clock.Advance(minutes(20));
  // The rest of the hour, not another one.
  EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(minutes(40)));
  harness_.clock.Advance(minutes(40));
  EXPECT_EQ(Reconcile().value(), Outcome::Done());
  EXPECT_FALSE(Exists());
}

TEST_F(RequestControllerTest, FailedOnesAreDeletedAfterTheirOwnTime) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Terminal(Error::BadRequest("no such drink"));
  };
  RequestOptions<Order> options = Options();
  options.times.failed_ttl = minutes(5);
  const Controller controller = RequestController<Order>(options);
  EXPECT_EQ(Reconcile(controller, Stored()).value(), Outcome::RequeueAfter(minutes(5)));
  harness_.clock.Advance(minutes(5));
  ASSERT_TRUE(Reconcile(controller, Stored()).ok());
  EXPECT_FALSE(Exists());
}

TEST_F(RequestControllerTest, MayBeKeptForEver) {
  RequestOptions<Order> options = Options();
  options.times.completed_ttl = std::nullopt;
  EXPECT_EQ(Reconcile(RequestController<Order>(options), Stored()).value(), Outcome::Done());
  EXPECT_TRUE(Exists());
}

TEST_F(RequestControllerTest, AnotherOneUnderTheSameNameIsNotDeleted) {
  ASSERT_TRUE(Reconcile().ok());
  const Order old = Stored();
  ASSERT_TRUE(server().Delete<Order>({"default", "o"}).ok());
  Create("o");
  harness_.clock.Advance(hours(2));
  EXPECT_TRUE(Reconcile(RequestController<Order>(Options()), old).ok());
  EXPECT_TRUE(Exists());
}

TEST_F(RequestControllerTest, FinishesAndAuditsARequestDeletedDuringItsExecution) {
  execute_ = [this](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    EXPECT_TRUE(server().Delete<Order>({"default", "o"}).ok());
    return RequestOutcome::Completed("served");
  };
  EXPECT_EQ(Reconcile().value(), Outcome::Done());
  EXPECT_THAT(audit_.records, SizeIs(1));
  EXPECT_FALSE(Exists());
}

// Between two attempts.
TEST_F(RequestControllerTest, UndoesAndAuditsAStartedRequestBeforeItsDeletion) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Error::ServiceUnavailable("no water");
  };
  RequestOptions<Order> options = Options();
  int undone = 0;
  Result<void> undo = Error::ServiceUnavailable("no cloth");
  options.undo = [&](ReconcileContext&, const Order&) {
    ++undone;
    return undo;
  };
  const Controller controller = RequestController<Order>(options);
  ASSERT_TRUE(Reconcile(controller, Stored()).ok());
  ASSERT_TRUE(server().Delete<Order>({"default", "o"}).ok());
  ASSERT_TRUE(Exists());
  EXPECT_EQ(Reconcile(controller, Stored()).value(), Outcome::RequeueAfter(seconds(30)));
  EXPECT_THAT(Stored().status.message, HasSubstr("it was deleted, and cannot be undone yet"));
  EXPECT_THAT(audit_.records, IsEmpty());
  undo = {};
  EXPECT_EQ(Reconcile(controller, Stored()).value(), Outcome::Done());
  EXPECT_FALSE(Exists());
  EXPECT_EQ(undone, 2);
  EXPECT_EQ(executions_, 1);
  ASSERT_THAT(audit_.records, SizeIs(1));
  EXPECT_EQ(audit_.records[0].result, "Canceled");
  EXPECT_EQ(audit_.records[0].message, "deleted before it was finished; retrying: no water");
}

TEST_F(RequestControllerTest, AuditsAStartedRequestWithoutUndoBeforeItsDeletion) {
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return RequestOutcome::Waiting("the water is not hot yet", seconds(2));
  };
  ASSERT_TRUE(Reconcile().ok());
  ASSERT_TRUE(server().Delete<Order>({"default", "o"}).ok());
  EXPECT_EQ(Reconcile().value(), Outcome::Done());
  EXPECT_FALSE(Exists());
  ASSERT_THAT(audit_.records, SizeIs(1));
  EXPECT_EQ(audit_.records[0].result, "Canceled");
}

TEST_F(RequestControllerTest, AuditsARequestThatIsDeletedInItsFirstAttempt) {
  execute_ = [this](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    EXPECT_TRUE(server().Delete<Order>({"default", "o"}).ok());
    return Error::ServiceUnavailable("no water");
  };
  EXPECT_EQ(Reconcile().value(), Outcome::Done());
  EXPECT_FALSE(Exists());
  ASSERT_THAT(audit_.records, SizeIs(1));
  EXPECT_EQ(audit_.records[0].result, "Canceled");
}

TEST_F(RequestControllerTest, IsHeldBeforeTheFirstEffectAndNotOnceItIsFinished) {
  RequestOptions<Order> options = Options();
  options.undo = [](ReconcileContext&, const Order&) -> Result<void> { return {}; };
  execute_ = [this](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    EXPECT_THAT(Stored().metadata.finalizers, ElementsAre("kubexms.io/request"));
    return RequestOutcome::Completed("served");
  };
  ASSERT_TRUE(Reconcile(RequestController<Order>(options), Stored()).ok());
  EXPECT_EQ(executions_, 1);
  EXPECT_THAT(Stored().metadata.finalizers, IsEmpty());
  // Or only when its first attempt did not finish it, for fewer writes.
  Create("p");
  options.finalizer_policy = RequestFinalizerPolicy::kAfterFirstAttempt;
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return RequestOutcome::Completed("served");
  };
  ASSERT_TRUE(Reconcile(RequestController<Order>(options), Stored("p")).ok());
  EXPECT_THAT(harness_.client.TakeVerbs(),
              ElementsAre("create", "patch status", "get", "update", "patch status"));
  Create("q");
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Error::ServiceUnavailable("no water");
  };
  ASSERT_TRUE(Reconcile(RequestController<Order>(options), Stored("q")).ok());
  EXPECT_THAT(Stored("q").metadata.finalizers, ElementsAre("kubexms.io/request"));
}

// One that finished while it was being deleted, and whose finalizer a crash left.
TEST_F(RequestControllerTest, DoesNotUndoFinishedRequestsOnDeletion) {
  Order held = MakeOrder("held");
  held.metadata.finalizers = {"kubexms.io/request"};
  ASSERT_TRUE(server().Create(held).ok());
  const Order begun = Stored("held");
  RequestStatus completed = Processing();
  completed.phase = "Completed";
  completed.completion_time = Time::Now(harness_.clock);
  Record(begun, completed);
  ASSERT_TRUE(server().Delete<Order>({"default", "held"}).ok());
  RequestOptions<Order> options = Options();
  options.undo = [](ReconcileContext&, const Order&) -> Result<void> {
    ADD_FAILURE() << "it is completed";
    return {};
  };
  Order behind = begun;  // as a cache has it that lags
  behind.metadata.deletion_timestamp = Time::Now(harness_.clock);
  ASSERT_TRUE(Reconcile(RequestController<Order>(options), behind).ok());
  EXPECT_FALSE(Exists("held"));
  EXPECT_THAT(audit_.records, IsEmpty());
}

TEST_F(RequestControllerTest, DoesNotExecuteADeletedPendingRequest) {
  const Order old = Stored();
  ASSERT_TRUE(server().Delete<Order>({"default", "o"}).ok());
  EXPECT_EQ(Reconcile(RequestController<Order>(Options()), old).value(), Outcome::Done());
  // Another finalizer retains it.
  Order held = MakeOrder("held");
  held.metadata.finalizers = {"example.io/other"};
  ASSERT_TRUE(server().Create(held).ok());
  ASSERT_TRUE(server().Delete<Order>({"default", "held"}).ok());
  EXPECT_EQ(Reconcile(RequestController<Order>(Options()), Stored("held")).value(),
            Outcome::Done());
  EXPECT_EQ(executions_, 0);
}

TEST_F(RequestControllerTest, CorrectsAFinishedStatusOfAnotherWriter) {
  execute_ = [this](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    Order canceled = Stored();
    canceled.status.phase = "Failed";
    canceled.status.message = "canceled by hand";
    EXPECT_TRUE(server().UpdateStatus(canceled).ok());
    return RequestOutcome::Completed("served");
  };
  const auto result = Reconcile();
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().IsConflict());
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_EQ(executions_, 1);
  EXPECT_EQ(Stored().status.phase, "Completed");
  EXPECT_EQ(Stored().status.message, "served");
}

TEST_F(RequestControllerTest, ToleratesConcurrentChangesOfOtherFields) {
  execute_ = [this](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    Order labelled = Stored();
    labelled.metadata.labels["seen"] = "yes";
    EXPECT_TRUE(server().Update(labelled).ok());
    return RequestOutcome::Completed("served");
  };
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_EQ(Stored().status.phase, "Completed");
  EXPECT_EQ(Stored().metadata.labels["seen"], "yes");
}

TEST_F(RequestControllerTest, IsNotFinishedBeforeItsAuditRecordIsWritten) {
  execute_ = [this](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    harness_.clock.Advance(seconds(4));
    order.status.cup = "blue";
    return RequestOutcome::Completed("served");
  };
  audit_.failure = Error::Internal("the disk is full");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Reconcile().value(), Outcome::RequeueAfter(seconds(30)));
    EXPECT_EQ(Stored().status.phase, "Processing");
    EXPECT_EQ(Stored().status.message,
              "retrying: the request cannot be audited, so it is not finished: "
              "the disk is full");
    EXPECT_TRUE(Stored().status.completion_time.IsZero());
  }
  EXPECT_THAT(harness_.Events(), ElementsAre(HasSubstr("Warning Retrying: the request cannot be")));
  audit_.failure.reset();
  ASSERT_TRUE(Reconcile().ok());
  const OrderStatus status = Stored().status;
  EXPECT_EQ(status.phase, "Completed");
  EXPECT_EQ(status.message, "served");
  EXPECT_EQ(status.cup, "blue");
  EXPECT_FALSE(status.pending_result);
  EXPECT_EQ(executions_, 1);
  ASSERT_THAT(audit_.records, SizeIs(1));
  EXPECT_EQ(audit_.records[0].duration, seconds(4));
}

TEST_F(RequestControllerTest, TheAuditRecordHasRequesterAndSpec) {
  const auto alice = harness_.server.NewClient({.name = "alice", .groups = {"system:masters"}});
  Order order = MakeOrder("hers");
  order.metadata.annotations["kubexms.io/creator"] = "the queen";
  ASSERT_TRUE(alice->Create(order).ok());
  execute_ = [this](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    harness_.clock.Advance(std::chrono::milliseconds(2500));
    return RequestOutcome::Completed("served");
  };
  ASSERT_TRUE(Reconcile(RequestController<Order>(Options()), Stored("hers")).ok());
  ASSERT_THAT(audit_.records, SizeIs(1));
  const AuditRecord& record = audit_.records[0];
  EXPECT_EQ(record.requester.user, "alice");
  EXPECT_THAT(record.requester.groups, testing::Contains("system:masters"));
  EXPECT_EQ(record.id, Stored("hers").metadata.uid);
  EXPECT_EQ(record.type, ResourceType::Of<Order>());
  EXPECT_EQ(record.key, (ObjectKey{"default", "hers"}));
  EXPECT_EQ(record.spec, R"({"drink":"tea","user":"alice"})");
  EXPECT_EQ(record.duration, std::chrono::milliseconds(2500));
  EXPECT_EQ(record.result, "Completed");
  EXPECT_THAT(harness_.Events(), ElementsAre("Normal Completed: served (requested by alice)"));
}

TEST_F(RequestControllerTest, TheRequesterIsClaimedIfTheServerDoesNotRecordIt) {
  DynamicObject definition = server().Get(kCrdType, {"", "orders.test.io"}).value();
  definition.metadata.annotations.clear();
  ASSERT_TRUE(server().Update(kCrdType, definition).ok());
  Order order = MakeOrder("claimed");
  order.metadata.annotations["kubexms.io/creator"] = "the queen";
  ASSERT_TRUE(server().Create(order).ok());
  ASSERT_TRUE(Reconcile(RequestController<Order>(Options()), Stored("claimed")).ok());
  ASSERT_THAT(audit_.records, SizeIs(1));
  EXPECT_EQ(audit_.records[0].requester, (Requester{.claimed = "the queen"}));
}

TEST_F(RequestControllerTest, LearnsWithinAMinuteThatCreatorsAreNoLongerRecorded) {
  const Controller controller = RequestController<Order>(Options());
  ASSERT_TRUE(Reconcile(controller, Stored()).ok());
  const auto annotate = [this](const StringMap& annotations) {
    DynamicObject definition = server().Get(kCrdType, {"", "orders.test.io"}).value();
    definition.metadata.annotations = annotations;
    ASSERT_TRUE(server().Update(kCrdType, definition).ok());
  };
  annotate({});
  Order forged = MakeOrder("forged");
  forged.metadata.annotations["kubexms.io/creator"] = "the queen";
  ASSERT_TRUE(server().Create(forged).ok());
  harness_.clock.Advance(minutes(1));
  ASSERT_TRUE(Reconcile(controller, Stored("forged")).ok());
  annotate({{"kubexms.io/record-creator", "true"}});
  Create("recorded");
  harness_.clock.Advance(minutes(1));
  ASSERT_TRUE(Reconcile(controller, Stored("recorded")).ok());
  ASSERT_THAT(audit_.records, SizeIs(3));
  EXPECT_EQ(audit_.records[0].requester.user, "kubernetes-admin");
  EXPECT_EQ(audit_.records[1].requester, (Requester{.claimed = "the queen"}));
  EXPECT_EQ(audit_.records[2].requester.user, "kubernetes-admin");
}

TEST_F(RequestControllerTest, MayHaveLabelsByWhichItIsFound) {
  RequestOptions<Order> options = Options();
  options.labels = [](const Order& order) { return StringMap{{"user", order.spec.user}}; };
  const Controller controller = RequestController<Order>(options);
  EXPECT_TRUE(Reconcile(controller, Stored()).ok());
  // One write more, which is in nobody's way.
  EXPECT_THAT(harness_.client.TakeVerbs(),
              ElementsAre("patch", "create", "patch status", "get", "update", "patch status"));
  EXPECT_EQ(Stored().metadata.labels.at("user"), "alice");
  EXPECT_EQ(Stored().status.phase, "Completed");
  EXPECT_TRUE(Reconcile(controller, Stored()).ok());
  EXPECT_THAT(harness_.client.TakeVerbs(), IsEmpty());
}

TEST_F(RequestControllerTest, CountsRequestsByResult) {
  ASSERT_TRUE(Reconcile().ok());
  EXPECT_THAT(harness_.metrics.Collect(),
              HasSubstr("controller_requests_total{controller=\"test\",result=\"completed\"} 1"));
}

TEST_F(RequestControllerTest, DeclaresTheAccessOfItsRole) {
  const Controller controller = RequestController<Order>(Options());
  const auto needs = [&](const std::string& plural, const std::string& verb) {
    return std::any_of(controller.access().begin(), controller.access().end(),
                       [&](const ResourceAccess& access) {
                         return access.resource.plural == plural && access.subresource.empty() &&
                                std::count(access.verbs.begin(), access.verbs.end(), verb) > 0;
                       });
  };
  EXPECT_TRUE(needs("orders", "delete"));
  EXPECT_TRUE(needs("customresourcedefinitions", "get"));
  EXPECT_TRUE(needs("configmaps", "create"));
  for (const ResourceAccess& access : controller.access()) {
    if (access.resource.plural == "configmaps") {
      EXPECT_EQ(access.namespace_name, "kube-system");
    }
  }
}

TEST_F(RequestControllerTest, FinishedOnesCanBeDeletedByHand) {
  ASSERT_TRUE(Reconcile().ok());
  Create("open");
  harness_.clock.Advance(minutes(10));
  EXPECT_EQ(
      DeleteFinishedRequests<Order>(server(), harness_.clock, {.older_than = minutes(11)}).value(),
      0);
  EXPECT_EQ(
      DeleteFinishedRequests<Order>(server(), harness_.clock, {.older_than = minutes(10)}).value(),
      1);
  EXPECT_FALSE(Exists());
  EXPECT_TRUE(Exists("open"));
}

// Failed Pods have a phase that requests have, too.
TEST_F(RequestControllerTest, DeleteFinishedRequestsIgnoresOtherKinds) {
  Order order = Stored();
  order.status.phase = "Failed";
  ASSERT_TRUE(server().UpdateStatus(order).ok());
  EXPECT_EQ(DeleteFinishedRequests(server(), ResourceType::Of<Order>(), harness_.clock, {}).value(),
            0);
  EXPECT_TRUE(Exists());
}

// With a cache that the test fills.
class RequestOrderingTest : public RequestControllerTest {
 protected:
  RequestOrderingTest() {
    RequestOptions<Order> options = Options();
    options.ordering_key = [](const Order& order) { return order.spec.user; };
    controller_.emplace(RequestController<Order>(options));
    caches_.push_back(MakeCache(form_));
    for (const CacheIndex& index : controller_->indexes()) {
      if (index.form == form_) cache().AddIndex(index.name, index.function);
    }
  }

  ObjectCache& cache() { return caches_[1].informer->cache(); }
  CachedObject Cached(const std::string& name) {
    return form_.Decode(Encode(Stored(name))).value();
  }

  Result<Outcome> ReconcileInTurn(const std::string& name) {
    if (sees_records_) SyncRecords();
    const ObjectKey key{"default", name};
    ReconcileContext context = harness_.Context(key);
    context.caches = caches_;
    return controller_->reconcile()(context, Cached(name));
  }

  const ObjectForm form_ = FormOf<Order>(&StripManagedFields<Order>);
  bool sees_records_ = true;  // at once
  std::optional<Controller> controller_;
};

TEST_F(RequestOrderingTest, TheOldestOfAKeyIsFirst) {
  harness_.clock.Advance(seconds(1));
  Create("later");
  Create("of-bob", "bob");
  for (const char* name : {"later", "o", "of-bob"}) (void)cache().Put(Cached(name));
  EXPECT_EQ(ReconcileInTurn("later").value(), Outcome::RequeueAfter(minutes(1)));
  EXPECT_EQ(Stored("later").status.phase, "Pending");
  EXPECT_EQ(executions_, 0);
  EXPECT_TRUE(ReconcileInTurn("of-bob").ok());
  EXPECT_EQ(executions_, 1);
  EXPECT_TRUE(ReconcileInTurn("o").ok());
  EXPECT_EQ(executions_, 2);
  (void)cache().Put(Cached("o"));
  EXPECT_EQ(ReconcileInTurn("later").value(), Outcome::RequeueAfter(hours(1)));
  EXPECT_EQ(Stored("later").status.phase, "Completed");
}

// "a" is of the same second, so that it would come first.
TEST_F(RequestOrderingTest, OneThatWasBegunComesBeforeAllThatWait) {
  (void)cache().Put(Cached("o"));
  execute_ = [&](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    if (order.metadata.name == "o") return Error::ServiceUnavailable("no water");
    return RequestOutcome::Completed("served");
  };
  EXPECT_EQ(ReconcileInTurn("o").value(), Outcome::RequeueAfter(seconds(30)));
  Create("a");
  (void)cache().Put(Cached("o"));
  (void)cache().Put(Cached("a"));
  EXPECT_EQ(ReconcileInTurn("a").value(), Outcome::RequeueAfter(minutes(1)));
  EXPECT_EQ(Stored("a").status.phase, "Pending");
  EXPECT_EQ(executions_, 1);
  EXPECT_EQ(ReconcileInTurn("o").value(), Outcome::RequeueAfter(seconds(30)));
  EXPECT_EQ(executions_, 2);
}

// "a" is of the same second, so that it would come first, and the cache does not know that "o" was
// begun.
TEST_F(RequestOrderingTest, OneThatMayHaveBegunComesBeforeAllThatWait) {
  (void)cache().Put(Cached("o"));
  sees_records_ = false;
  harness_.client.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    (void)server.Do(request).ok();
    return Error::ServiceUnavailable("the answer is lost");
  });
  EXPECT_FALSE(ReconcileInTurn("o").ok());
  harness_.client.Set({});
  EXPECT_THAT(StoredRecords(), SizeIs(1));
  Create("a");
  (void)cache().Put(Cached("a"));
  EXPECT_EQ(ReconcileInTurn("a").value(), Outcome::RequeueAfter(minutes(1)));
  sees_records_ = true;
  EXPECT_EQ(ReconcileInTurn("o").value(), Outcome::RequeueAfter(hours(1)));
  (void)cache().Put(Cached("o"));
  EXPECT_EQ(ReconcileInTurn("a").value(), Outcome::RequeueAfter(hours(1)));
  EXPECT_EQ(executions_, 2);
}

// "a" would come first, but another process has begun "o".
TEST_F(RequestOrderingTest, ANewProcessWaitsForTheRecordsOfOthers) {
  Create("a");
  (void)cache().Put(Cached("o"));
  (void)cache().Put(Cached("a"));
  sees_records_ = false;
  Record(Stored(), Processing());
  EXPECT_EQ(ReconcileInTurn("a").value(), Outcome::RequeueAfter(milliseconds(50)));
  sees_records_ = true;
  EXPECT_EQ(ReconcileInTurn("a").value(), Outcome::RequeueAfter(minutes(1)));
  EXPECT_EQ(executions_, 0);
}

// "o" is the oldest, and looks as if it had been begun, or were finished.
TEST_F(RequestOrderingTest, AnUntrustedStatusDoesNotBlockOthers) {
  harness_.clock.Advance(seconds(1));
  Create("later");
  for (const char* name : {"o", "later"}) (void)cache().Put(Cached(name));
  EXPECT_EQ(ReconcileInTurn("o").value(), Outcome::RequeueAfter(hours(1)));
  for (const auto& [phase, name] : {std::pair{"Processing", "later"}, {"Pending", "latest"}}) {
    Order forged = Stored();
    forged.status.phase = phase;
    ASSERT_TRUE(server().UpdateStatus(forged).ok());
    (void)cache().Put(Cached("o"));
    if (!Exists(name)) Create(name);
    (void)cache().Put(Cached(name));
    EXPECT_EQ(ReconcileInTurn(name).value(), Outcome::RequeueAfter(hours(1))) << name;
    (void)cache().Put(Cached(name));
  }
  EXPECT_EQ(executions_, 3);
  // One that waits and is made to look finished has its turn all the same.
  harness_.clock.Advance(seconds(1));
  Create("first");
  Order forged = Stored("first");
  forged.status.phase = "Completed";
  ASSERT_TRUE(server().UpdateStatus(forged).ok());
  (void)cache().Put(Cached("first"));
  EXPECT_EQ(ReconcileInTurn("first").value(), Outcome::RequeueAfter(minutes(1)));
  EXPECT_EQ(Stored("first").status.phase, "Pending");
  (void)cache().Put(Cached("first"));
  EXPECT_EQ(ReconcileInTurn("first").value(), Outcome::RequeueAfter(hours(1)));
  EXPECT_EQ(executions_, 4);
}

// "a" comes while the order of the others is known.
TEST_F(RequestOrderingTest, ThoseThatComeLaterHaveTheirPlace) {
  Create("p");
  Create("q");
  for (const char* name : {"o", "p", "q"}) (void)cache().Put(Cached(name));
  EXPECT_EQ(ReconcileInTurn("q").value(), Outcome::RequeueAfter(minutes(1)));
  Create("a");
  (void)cache().Put(Cached("a"));
  EXPECT_EQ(ReconcileInTurn("a").value(), Outcome::RequeueAfter(hours(1)));
  (void)cache().Put(Cached("a"));
  // One that goes leaves its place to the next.
  const CachedObject gone = Cached("o");
  ASSERT_TRUE(server().Delete<Order>({"default", "o"}).ok());
  (void)cache().Remove(gone);
  EXPECT_EQ(ReconcileInTurn("q").value(), Outcome::RequeueAfter(minutes(1)));
  EXPECT_EQ(ReconcileInTurn("p").value(), Outcome::RequeueAfter(hours(1)));
  (void)cache().Put(Cached("p"));
  EXPECT_EQ(ReconcileInTurn("q").value(), Outcome::RequeueAfter(hours(1)));
}

// What an expired one began is undone in its turn.
TEST_F(RequestOrderingTest, NoOtherRequestStartsWhileAnExpiredOneIsUndone) {
  RequestOptions<Order> options = Options();
  options.ordering_key = [](const Order& order) { return order.spec.user; };
  int undone = 0;
  options.undo = [&](ReconcileContext&, const Order&) -> Result<void> {
    ++undone;
    EXPECT_EQ(ReconcileInTurn("a").value(), Outcome::RequeueAfter(minutes(1)));
    (void)cache().Remove(Cached("o"));  // so that only the turn keeps it from beginning
    EXPECT_EQ(ReconcileInTurn("a").value(), Outcome::RequeueAfter(minutes(1)));
    EXPECT_EQ(Stored("a").status.phase, "Pending");
    return {};
  };
  controller_.emplace(RequestController<Order>(options));
  (void)cache().Put(Cached("o"));
  execute_ = [](ReconcileContext&, Order&) -> Result<RequestOutcome> {
    return Error::ServiceUnavailable("no water");
  };
  ASSERT_TRUE(ReconcileInTurn("o").ok());
  harness_.clock.Advance(hours(2));
  Create("a");
  (void)cache().Put(Cached("o"));
  (void)cache().Put(Cached("a"));
  ASSERT_TRUE(ReconcileInTurn("o").ok());
  EXPECT_EQ(undone, 1);
  EXPECT_EQ(Stored("o").status.phase, "Failed");
}

TEST_F(RequestOrderingTest, DoesNotBeginWhileADeletedOneIsStillExecuted) {
  Create("p");
  (void)cache().Put(Cached("o"));
  (void)cache().Put(Cached("p"));
  execute_ = [&](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    if (order.metadata.name == "p") return RequestOutcome::Completed("served");
    const CachedObject deleted = Cached("o");
    EXPECT_TRUE(server().Delete<Order>({"default", "o"}).ok());
    (void)cache().Remove(deleted);
    EXPECT_EQ(ReconcileInTurn("p").value(), Outcome::RequeueAfter(minutes(1)));
    EXPECT_EQ(Stored("p").status.phase, "Pending");
    return RequestOutcome::Completed("served");
  };
  EXPECT_EQ(ReconcileInTurn("o").value(), Outcome::Done());
  EXPECT_TRUE(ReconcileInTurn("p").ok());
  EXPECT_EQ(Stored("p").status.phase, "Completed");
}

TEST_F(RequestOrderingTest, AWaitingOneExpiresToo) {
  harness_.clock.Advance(minutes(59));
  Create("later");
  (void)cache().Put(Cached("o"));
  (void)cache().Put(Cached("later"));
  harness_.clock.Advance(minutes(60));
  ASSERT_TRUE(ReconcileInTurn("later").ok());
  EXPECT_EQ(Stored("later").status.phase, "Failed");
  EXPECT_EQ(Stored("later").status.message, "not finished within 1h0m0s of its creation");
}

TEST(RequestStatusTest, HasColumnsAndTheAllowedPhases) {
  const std::string crd = WriteJson(RequestCrdOf<Order>());
  EXPECT_THAT(crd, HasSubstr(R"("jsonPath":".status.phase","name":"Phase")"));
  EXPECT_THAT(crd, HasSubstr(R"("enum":["Pending","Processing","Completed","Failed"])"));
  EXPECT_THAT(crd, HasSubstr(R"("kubexms.io/record-creator":"true")"));
}

// ---- With a manager, on real time: caches, workers, restarts.

class RunningManager {
 public:
  RunningManager(Client& client, Controller controller)
      : manager_({.shutdown_timeout = nanoseconds(0),
                  .client = &client,
                  .clock = &clock_,
                  .random = &random_}) {
    manager_.Add(std::move(controller));
    thread_ = std::jthread([this](std::stop_token stop) { (void)manager_.Run(stop).ok(); });
  }

 private:
  SystemClock clock_;
  SystemRandom random_;
  Manager manager_;
  std::jthread thread_;
};

class RunningRequestsTest : public testing::Test {
 protected:
  void SetUp() override { CreateCrd(server_.client(), RequestCrdOf<Order>()); }

  void Create(const std::string& name, const std::string& user = "alice") {
    const auto created = server_.client().Create(MakeOrder(name, user));
    ASSERT_TRUE(created.ok()) << created.error().message();
  }

  // Blocks until so many orders are Completed.
  void AwaitCompleted(size_t count) {
    auto watch = server_.client().Watch<Order>();
    ASSERT_TRUE(watch.ok());
    std::set<std::string> completed;
    while (completed.size() < count) {
      const auto event = watch->Next();
      ASSERT_TRUE(event.ok() && event->has_value());
      const Order& order = (*event)->object;
      if (order.status.phase == "Completed") completed.insert(order.metadata.name);
    }
  }

  TestServer server_;
};

TEST_F(RunningRequestsTest, RequestsWithOneKeyAreExecutedOneAfterAnotherInOrder) {
  constexpr int kEach = 5;
  for (int i = 0; i < kEach; ++i) {
    for (const char* user : {"alice", "bob"}) {
      Create(std::string(user) + std::to_string(i), user);
    }
  }
  Mutex mutex;
  std::map<std::string, int> running;
  std::map<std::string, std::vector<std::string>> order_of;
  std::vector<std::string> overlaps;
  const auto execute = [&](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    {
      MutexLock lock(mutex);
      if (++running[order.spec.user] > 1) overlaps.push_back(order.metadata.name);
      order_of[order.spec.user].push_back(order.metadata.name);
    }
    std::this_thread::yield();
    MutexLock lock(mutex);
    --running[order.spec.user];
    return RequestOutcome::Completed("served");
  };
  const RunningManager manager(
      server_.client(), RequestController<Order>(
                            {.controller = {.name = "orders", .max_concurrent_reconciles = 4},
                             .execute = execute,
                             .ordering_key = [](const Order& order) { return order.spec.user; }}));
  AwaitCompleted(2 * kEach);
  MutexLock lock(mutex);
  EXPECT_THAT(overlaps, IsEmpty());
  EXPECT_THAT(order_of["alice"], ElementsAre("alice0", "alice1", "alice2", "alice3", "alice4"));
  EXPECT_THAT(order_of["bob"], ElementsAre("bob0", "bob1", "bob2", "bob3", "bob4"));
}

TEST_F(RunningRequestsTest, AStatusWriteDoesNotHastenTheRetry) {
  std::atomic<int> tries = 0;
  const auto execute = [&](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    if (order.metadata.name != "a-first") return RequestOutcome::Completed("served");
    return Error::ServiceUnavailable("no water, try " + std::to_string(++tries));
  };
  Create("a-first");
  const RunningManager manager(
      server_.client(),
      RequestController<Order>({.controller = {.name = "orders"}, .execute = execute}));
  auto watch = server_.client().Watch<Order>();
  while ((*watch->Next())->object.status.message.empty()) {
  }
  // The one worker comes to this after everything that the status has caused.
  Create("b-second");
  AwaitCompleted(1);
  EXPECT_EQ(tries, 1);
}

TEST_F(RunningRequestsTest, StartsTheNextRequestWhenTheRunningOneIsDeleted) {
  Create("a-first");
  Create("b-second");
  const auto execute = [](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    if (order.metadata.name == "a-first") return Error::ServiceUnavailable("no water");
    return RequestOutcome::Completed("served");
  };
  const RunningManager manager(
      server_.client(), RequestController<Order>(
                            {.controller = {.name = "orders", .max_concurrent_reconciles = 2},
                             .times = {.retry_after = hours(1)},
                             .execute = execute,
                             .ordering_key = [](const Order& order) { return order.spec.user; }}));
  auto watch = server_.client().Watch<Order>();
  while ((*watch->Next())->object.status.message != "waiting for earlier requests") {
  }
  ASSERT_TRUE(server_.client().Delete<Order>({"default", "a-first"}).ok());
  AwaitCompleted(1);
}

TEST_F(RunningRequestsTest, StartsTheNextRequestWhenTheRunningOneIsDeletedDuringItsExecution) {
  Create("a-first");
  Create("b-second");
  const auto execute = [&](ReconcileContext&, Order& order) -> Result<RequestOutcome> {
    if (order.metadata.name != "a-first") return RequestOutcome::Completed("served");
    EXPECT_TRUE(server_.client().Delete<Order>({"default", "a-first"}).ok());
    return Error::ServiceUnavailable("no water");
  };
  const RunningManager manager(
      server_.client(), RequestController<Order>(
                            {.controller = {.name = "orders", .max_concurrent_reconciles = 2},
                             .times = {.retry_after = hours(1)},
                             .execute = execute,
                             .ordering_key = [](const Order& order) { return order.spec.user; }}));
  AwaitCompleted(1);
}

// A process that dies at its n-th write: before it, or after it without knowing.
class MortalClient final : public ClientDecorator {
 public:
  MortalClient(Client& server, int dies_at, bool after)
      : ClientDecorator(server), after_(after), left_(dies_at) {}

  // Blocks until it is dead or `over` says so after one of its writes. True when it is dead.
  bool AwaitDeath(const std::function<bool()>& over) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (left_ > 0 && !over()) written_.Wait(mutex_);
    return left_ <= 0;
  }

  Result<SharedBytes> Do(const ClientRequest& request) override EXCLUDES(mutex_) {
    if (!IsWrite(request.verb) || request.resource.kind == "Event") {
      return ClientDecorator::Do(request);
    }
    MutexLock lock(mutex_);
    const int left = left_--;
    written_.NotifyAll();
    if (left > 1) return ClientDecorator::Do(request);
    if (left == 1 && after_) (void)ClientDecorator::Do(request).ok();
    return Error::ServiceUnavailable("the process is dead");
  }

 private:
  const bool after_;
  Mutex mutex_;
  CondVar written_;
  int left_ GUARDED_BY(mutex_);
};

class RequestCrashTest : public RunningRequestsTest {
 protected:
  static constexpr int kMostWrites = 20;

  void SetUp() override {
    RunningRequestsTest::SetUp();
    std::string name = testing::TempDir() + "crash_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // Executes with one effect: a ConfigMap with the name of the order.
  static Result<RequestOutcome> Serve(ReconcileContext& context, Order& order) {
    RETURN_IF_ERROR(CreateOrUpdate<corev1::ConfigMap>(
        context.client, {"default", order.metadata.name},
        [&](corev1::ConfigMap& cup) { cup.data["drink"] = order.spec.drink; }));
    return RequestOutcome::Completed("served");
  }

  static Result<void> Unserve(ReconcileContext& context, const Order& order) {
    return IgnoreNotFound(
        context.client.Delete<corev1::ConfigMap>({"default", order.metadata.name}));
  }

  struct Process {
    std::function<Result<RequestOutcome>(ReconcileContext&, Order&)> execute = Serve;
    bool undoes = false;
    int dies_at = kMostWrites;
    bool after = false;
  };

  // Runs until the process is dead, or it is over. True when it died.
  bool RunUntilDeath(const Process& process, const std::function<bool()>& over) {
    MortalClient client(server_.client(), process.dies_at, process.after);
    const auto audit = FileAuditSink::Open(directory_ + "/audit").value();
    RequestOptions<Order> options{.controller = {.name = "orders"},
                                  .times = {.retry_after = hours(1)},
                                  .execute = process.execute,
                                  .audit = audit.get()};
    if (process.undoes) options.undo = Unserve;
    const RunningManager manager(client, RequestController<Order>(options));
    return client.AwaitDeath(over);
  }

  Result<Order> Stored(const std::string& name) {
    return server_.client().Get<Order>({"default", name});
  }
  bool HasEffect(const std::string& name) {
    return server_.client().Get<corev1::ConfigMap>({"default", name}).ok();
  }
  bool HasRecord(const std::string& uid) {
    const RecordLocation place{.type = ResourceType::Of<Order>(), .namespace_name = "kube-system"};
    return server_.client().Get<RequestRecord>(place.KeyOf(uid)).ok();
  }
  bool IsCompleted(const std::string& name) {
    const Order order = Stored(name).value();
    return order.status.phase == "Completed" && order.metadata.finalizers.empty();
  }

  // Completes one with a crash at each of its writes; how many those are.
  int CompleteWithCrashes(bool undoes, bool after) {
    int n = 1;
    for (bool died = true; died && n < kMostWrites; ++n) {
      const std::string name = fmt::format("{}{}{}", undoes ? "u" : "o", after ? "a" : "b", n);
      Create(name);
      const auto over = [&] { return IsCompleted(name); };
      died = RunUntilDeath({.undoes = undoes, .dies_at = n, .after = after}, over);
      if (!over()) RunUntilDeath({.undoes = undoes}, over);
      EXPECT_TRUE(HasEffect(name)) << name;
      EXPECT_EQ(RecordsOf(Stored(name)->metadata.uid), 1) << name;
    }
    return n - 2;  // of the last one it survived all
  }

  // Cancels one that has its effect and waits for its next attempt.
  int CancelWithCrashes(bool after) {
    const auto wait = [](ReconcileContext& context, Order& order) -> Result<RequestOutcome> {
      RETURN_IF_ERROR(Serve(context, order));
      return RequestOutcome::Waiting("the water is not hot yet", hours(1));
    };
    int n = 1;
    for (bool died = true; died && n < kMostWrites; ++n) {
      const std::string name = fmt::format("c{}{}", after ? "a" : "b", n);
      Create(name);
      RunUntilDeath({.execute = wait, .undoes = true},
                    [&] { return !Stored(name)->status.message.empty(); });
      EXPECT_TRUE(HasEffect(name)) << name;
      const std::string uid = Stored(name)->metadata.uid;
      EXPECT_TRUE(server_.client().Delete<Order>({"default", name}).ok());
      const auto over = [&] { return !Stored(name).ok() && !HasRecord(uid); };
      died = RunUntilDeath({.execute = wait, .undoes = true, .dies_at = n, .after = after}, over);
      if (!over()) RunUntilDeath({.execute = wait, .undoes = true}, over);
      EXPECT_FALSE(HasEffect(name)) << name;
      EXPECT_EQ(RecordsOf(uid), 1) << name;
    }
    return n - 2;
  }

  size_t RecordsOf(const std::string& uid) const {
    std::ifstream file(directory_ + "/audit");
    size_t count = 0;
    for (std::string line; std::getline(file, line);) {
      if (FindString(ParseJson(line).value(), "id") == uid) ++count;
    }
    return count;
  }

  std::string directory_;
};

TEST_F(RequestCrashTest, ACrashAtAnyWriteLosesNothingAndRepeatsNoEnd) {
  for (const bool after : {false, true}) {
    // Processing as a record and in the status, the effect, Completed in both; with an undo also
    // the finalizer, which comes and goes.
    EXPECT_EQ(CompleteWithCrashes(false, after), 5);
    EXPECT_EQ(CompleteWithCrashes(true, after), 7);
    // The effect goes, Failed in both, the finalizer goes, and the record.
    EXPECT_EQ(CancelWithCrashes(after), 5);
  }
}

}  // namespace
}  // namespace kubexms
