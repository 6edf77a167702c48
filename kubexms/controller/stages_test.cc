#include "kubexms/controller/stages.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "kubexms/controller/testing/reconcile_harness_test.h"

namespace kubexms {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct GadgetSpec : Struct {
  int32_t size = 0;

  static void Describe(Type<GadgetSpec>& type) { type.Field("size", &GadgetSpec::size); }
};

struct LampStatus : Struct {
  std::string phase;

  static void Describe(Type<LampStatus>& type) {
    type.Field("phase", &LampStatus::phase).Enum({"On", "Off"});
  }
};

struct GadgetStatus : Struct {
  std::vector<Condition> conditions;
  Optional<int64_t> observed_generation;
  std::string phase;
  int32_t parts = 0;
  std::string inspected_by;  // written by another client

  static void Describe(Type<GadgetStatus>& type) {
    type.Field("conditions", &GadgetStatus::conditions);
    type.Field("observedGeneration", &GadgetStatus::observed_generation);
    type.Field("phase", &GadgetStatus::phase);
    type.Field("parts", &GadgetStatus::parts);
    type.Field("inspectedBy", &GadgetStatus::inspected_by);
  }
};

struct Gadget : Object<GadgetSpec, GadgetStatus> {
  static constexpr KindName kKind{.group = "test.io", .version = "v1", .kind = "Gadget"};
};

struct GadgetState {
  std::vector<std::string> log;
};

using GadgetStage = Stage<Gadget, GadgetState>;
using GadgetStages = Stages<Gadget, GadgetState>;
using StageFunction = GadgetStage::Function;

class StagesTest : public testing::Test {
 protected:
  void SetUp() override {
    CreateCrd(harness_.server.client(), CrdOf<Gadget>());
    Gadget gadget;
    gadget.metadata.namespace_name = "default";
    gadget.metadata.name = "g";
    gadget.spec.size = 1;
    const auto created = harness_.server.client().Create(gadget);
    ASSERT_TRUE(created.ok()) << created.error().message();
  }

  // A stage that notes that it ran.
  StageFunction Noted(std::string name, Result<StageOutcome> result = StageOutcome::Done()) {
    return [this, name, result](ReconcileContext&, Gadget&, GadgetState&) {
      ran_.push_back(name);
      return result;
    };
  }
  GadgetStage Step(const std::string& name, Result<StageOutcome> result = StageOutcome::Done()) {
    return {.name = name, .condition = name + "Synced", .run = Noted(name, std::move(result))};
  }

  Gadget Stored() { return harness_.server.client().Get<Gadget>(key_).value(); }

  // One reconcile of the object as it is stored.
  Result<Outcome> Reconcile(const GadgetStages& stages) {
    ran_.clear();
    harness_.client.TakeVerbs();
    ReconcileContext context = harness_.Context(key_);
    return stages(context, Stored());
  }

  // "SecretSynced=True Succeeded" of each condition, in order.
  std::vector<std::string> Conditions() {
    std::vector<std::string> texts;
    for (const Condition& condition : Stored().status.conditions) {
      texts.push_back(condition.type + "=" + condition.status + " " + condition.reason);
    }
    return texts;
  }
  Condition TheCondition(const std::string& type) {
    const Gadget gadget = Stored();
    const Condition* condition = FindCondition(gadget.status.conditions, type);
    EXPECT_NE(condition, nullptr) << type;
    return condition == nullptr ? Condition() : *condition;
  }

  static Error Temporary() { return Error::ServiceUnavailable("the disk is away"); }
  static Error Permanent() { return Terminal(Error::BadRequest("no such color")); }

  ReconcileHarness harness_;
  const ObjectKey key_{"default", "g"};
  std::vector<std::string> ran_;
};

TEST_F(StagesTest, WritesEverythingOnceAfterAllStages) {
  const auto stages = GadgetStages().Add(Step("Secret")).Add(Step("Pod"));
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("Secret", "Pod"));
  EXPECT_THAT(Conditions(), ElementsAre("SecretSynced=True Succeeded", "PodSynced=True Succeeded",
                                        "Ready=True Ready"));
  EXPECT_EQ(Stored().status.phase, "Ready");
  EXPECT_EQ(Stored().status.observed_generation, 1);
  EXPECT_EQ(TheCondition("PodSynced").observed_generation, 1);
  EXPECT_THAT(harness_.client.TakeVerbs(), ElementsAre("patch status"));
}

TEST_F(StagesTest, WritesNothingWhenNothingChanged) {
  const auto stages = GadgetStages().Add(Step("Secret"));
  ASSERT_TRUE(Reconcile(stages).ok());
  const std::string version = Stored().metadata.resource_version;
  harness_.clock.Advance(seconds(100));
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_THAT(harness_.client.TakeVerbs(), IsEmpty());
  EXPECT_EQ(Stored().metadata.resource_version, version);
}

TEST_F(StagesTest, AFailureOnANewObjectIsStoredAndKeepsItFromBeingReady) {
  ASSERT_FALSE(Reconcile(GadgetStages().Add(Step("Secret", Temporary()))).ok());
  EXPECT_THAT(Conditions(), ElementsAre("SecretSynced=False ServiceUnavailable",
                                        "Ready=False ServiceUnavailable"));
  EXPECT_EQ(TheCondition("SecretSynced").message, "the disk is away");
  EXPECT_EQ(TheCondition("Ready").message, "Secret: the disk is away");
  EXPECT_EQ(Stored().status.phase, "Failed");
}

TEST_F(StagesTest, TheTransitionTimeDoesNotChangeWithTheMessage) {
  ASSERT_TRUE(Reconcile(GadgetStages().Add(Step("Secret", StageOutcome::Done("version 1")))).ok());
  const Time before = TheCondition("SecretSynced").last_transition_time;
  harness_.clock.Advance(seconds(100));
  ASSERT_TRUE(Reconcile(GadgetStages().Add(Step("Secret", StageOutcome::Done("version 2")))).ok());
  EXPECT_EQ(TheCondition("SecretSynced").message, "version 2");
  EXPECT_EQ(TheCondition("SecretSynced").last_transition_time, before);
  ASSERT_FALSE(Reconcile(GadgetStages().Add(Step("Secret", Temporary()))).ok());
  EXPECT_EQ(TheCondition("SecretSynced").last_transition_time, Time::Now(harness_.clock));
}

TEST_F(StagesTest, RunAllRunsEveryStage) {
  const auto stages = GadgetStages({.policy = StagePolicy::kRunAll})
                          .Add(Step("Secret", Temporary()))
                          .Add(Step("Pod"));
  ASSERT_FALSE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("Secret", "Pod"));
  EXPECT_EQ(TheCondition("PodSynced").status, "True");
}

TEST_F(StagesTest, StopAtFirstStopsAtTheFirstFailure) {
  const auto stages = GadgetStages({.policy = StagePolicy::kStopAtFirst})
                          .Add(Step("Secret", Temporary()))
                          .Add(Step("Pod"));
  ASSERT_FALSE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("Secret"));
  EXPECT_THAT(Conditions(),
              ElementsAre("SecretSynced=False ServiceUnavailable", "PodSynced=Unknown NotRun",
                          "Ready=False ServiceUnavailable"));
}

TEST_F(StagesTest, AStageThatDidNotRunKeepsItsCondition) {
  const StagesOptions stop{.policy = StagePolicy::kStopAtFirst};
  ASSERT_TRUE(Reconcile(GadgetStages(stop).Add(Step("Secret")).Add(Step("Pod"))).ok());
  const auto stages = GadgetStages(stop).Add(Step("Secret", Temporary())).Add(Step("Pod"));
  ASSERT_FALSE(Reconcile(stages).ok());
  EXPECT_EQ(TheCondition("PodSynced").status, "True");
  EXPECT_EQ(TheCondition("Ready").status, "False");
}

TEST_F(StagesTest, AWaitingStageStopsTheListAndIsNoFailure) {
  const auto stages = GadgetStages({.policy = StagePolicy::kStopAtFirst})
                          .Add(Step("Pod", StageOutcome::Wait("PodStarting", "no address yet")))
                          .Add(Step("Network"));
  const auto result = Reconcile(stages);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result, Outcome::Done());
  EXPECT_THAT(ran_, ElementsAre("Pod"));
  EXPECT_THAT(Conditions(), ElementsAre("PodSynced=False PodStarting",
                                        "NetworkSynced=Unknown NotRun", "Ready=False PodStarting"));
  EXPECT_EQ(Stored().status.phase, "Pending");
  EXPECT_THAT(harness_.Events(), IsEmpty());
}

TEST_F(StagesTest, TheEarliestRequeueWins) {
  const auto stages =
      GadgetStages()
          .Add(Step("A", StageOutcome::Done().RequeueAfter(seconds(60))))
          .Add(Step("B", StageOutcome::Wait("Starting").RequeueAfter(seconds(5))))
          .Add(Step("C", StageOutcome::Skip("NotNeeded").RequeueAfter(seconds(30))));
  EXPECT_EQ(Reconcile(stages).value(), Outcome::RequeueAfter(seconds(5)));
}

TEST_F(StagesTest, ASkippedStageHasTheConditionThatItChose) {
  GadgetStage as_true = Step("A", StageOutcome::Skip("NotConfigured", "no script"));
  GadgetStage as_false = Step("B", StageOutcome::Skip("NotConfigured"));
  as_false.skipped = SkippedCondition::kFalse;
  GadgetStage as_none = Step("C", StageOutcome::Skip("NotConfigured"));
  as_none.skipped = SkippedCondition::kNone;
  ASSERT_TRUE(Reconcile(GadgetStages().Add(as_true).Add(Step("C"))).ok());
  EXPECT_EQ(TheCondition("Ready").status, "True");
  ASSERT_TRUE(Reconcile(GadgetStages().Add(as_true).Add(as_false).Add(as_none)).ok());
  EXPECT_THAT(Conditions(),
              UnorderedElementsAre("ASynced=True NotConfigured", "BSynced=False NotConfigured",
                                   "Ready=False NotConfigured"));
}

TEST_F(StagesTest, AnExceptionIsAFailureOfItsStage) {
  GadgetStage throws{.name = "Secret",
                     .condition = "SecretSynced",
                     .run = [](ReconcileContext&, Gadget&, GadgetState&) -> Result<StageOutcome> {
                       throw std::runtime_error("out of keys");
                     }};
  const auto result = Reconcile(GadgetStages().Add(throws).Add(Step("Pod")));
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(result.error().terminal());
  EXPECT_FALSE(result.error().IsTransient()) << "else maxRetries would not count";
  EXPECT_THAT(ran_, ElementsAre("Pod"));
  EXPECT_EQ(TheCondition("SecretSynced").reason, "Failed");
  EXPECT_THAT(TheCondition("SecretSynced").message, HasSubstr("out of keys"));
}

TEST_F(StagesTest, RetriesIfAnyFailureIsTransient) {
  const auto result =
      Reconcile(GadgetStages().Add(Step("A", Permanent())).Add(Step("B", Temporary())));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().IsTransient());
  EXPECT_EQ(result.error().message(), "A: no such color; B: the disk is away");
}

TEST_F(StagesTest, OnlyTerminalFailuresAreTerminal) {
  const auto result =
      Reconcile(GadgetStages().Add(Step("A", Permanent())).Add(Step("B", Permanent())));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().terminal());
}

TEST_F(StagesTest, ATerminalFailureDoesNotSwallowAnotherStagesTime) {
  const auto stages = GadgetStages()
                          .Add(Step("A", Permanent()))
                          .Add(Step("B", StageOutcome::Done().RequeueAfter(seconds(7))));
  EXPECT_EQ(Reconcile(stages).value(), Outcome::RequeueAfter(seconds(7)));
  EXPECT_EQ(TheCondition("ASynced").status, "False");
}

TEST_F(StagesTest, AfterAStopRunsNoFurtherStageAndWritesTheStatus) {
  GadgetStage slow{.name = "Slow",
                   .condition = "SlowSynced",
                   .run = [this](ReconcileContext&, Gadget&, GadgetState&) -> Result<StageOutcome> {
                     harness_.stop.request_stop();
                     return Error::Timeout("told to stop");
                   }};
  const auto result = Reconcile(GadgetStages().Add(Step("A")).Add(slow).Add(Step("B")));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().IsTransient());
  EXPECT_THAT(ran_, ElementsAre("A"));
  EXPECT_THAT(Conditions(), ElementsAre("ASynced=True Succeeded", "SlowSynced=Unknown Interrupted",
                                        "BSynced=Unknown NotRun", "Ready=Unknown Interrupted"));
  EXPECT_THAT(harness_.Events(), ElementsAre("Normal ASynced: A succeeded"));
}

TEST_F(StagesTest, RecordsEventsForFailuresAndNewSuccesses) {
  ASSERT_FALSE(Reconcile(GadgetStages().Add(Step("Secret", Temporary()))).ok());
  ASSERT_FALSE(Reconcile(GadgetStages().Add(Step("Secret", Temporary()))).ok());
  ASSERT_TRUE(Reconcile(GadgetStages().Add(Step("Secret"))).ok());
  ASSERT_TRUE(Reconcile(GadgetStages().Add(Step("Secret"))).ok());
  EXPECT_THAT(harness_.Events(), UnorderedElementsAre("Warning SecretFailed: the disk is away ×2",
                                                      "Normal SecretSynced: Secret succeeded"));
}

TEST_F(StagesTest, MeasuresEveryStageByController) {
  GadgetStage slow{.name = "Slow",
                   .run = [this](ReconcileContext&, Gadget&, GadgetState&) -> Result<StageOutcome> {
                     harness_.clock.Advance(seconds(3));
                     return Temporary();
                   }};
  ASSERT_FALSE(
      Reconcile(GadgetStages().Add({.name = "Net", .stages = GadgetStages().Add(slow)})).ok());
  const std::string metrics = harness_.metrics.Collect();
  EXPECT_THAT(metrics, HasSubstr("controller_stage_duration_seconds_sum{controller=\"test\","
                                 "stage=\"Net/Slow\"} 3"));
  EXPECT_THAT(
      metrics,
      HasSubstr("controller_stage_failures_total{controller=\"test\",stage=\"Net/Slow\"} 1"));
}

TEST_F(StagesTest, ListsNestWithTheirOwnPolicies) {
  const auto network = GadgetStages({.policy = StagePolicy::kStopAtFirst})
                           .Add(Step("Headless"))
                           .Add(Step("NodePort", Temporary()))
                           .Add(Step("Gate"));
  const auto stages = GadgetStages()
                          .Add({.name = "Network", .condition = "NetworkSynced", .stages = network})
                          .Add(Step("Pod"));
  ASSERT_FALSE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("Headless", "NodePort", "Pod"));
  EXPECT_EQ(TheCondition("NetworkSynced").status, "False");
  EXPECT_EQ(TheCondition("NetworkSynced").message, "NodePort: the disk is away");
  EXPECT_EQ(TheCondition("Ready").message, "Network: NodePort: the disk is away");
  EXPECT_EQ(TheCondition("GateSynced").reason, "NotRun");
  // The same list, used twice.
  ASSERT_FALSE(Reconcile(GadgetStages()
                             .Add({.name = "One", .stages = network})
                             .Add({.name = "Two", .stages = network}))
                   .ok());
  EXPECT_THAT(ran_, ElementsAre("Headless", "NodePort", "Headless", "NodePort"));
}

TEST_F(StagesTest, AListThatIsNotReachedMarksItsStages) {
  const auto inner = GadgetStages().Add(Step("Inner"));
  ASSERT_FALSE(Reconcile(GadgetStages({.policy = StagePolicy::kStopAtFirst})
                             .Add(Step("Secret", Temporary()))
                             .Add({.name = "List", .condition = "ListSynced", .stages = inner}))
                   .ok());
  EXPECT_EQ(TheCondition("InnerSynced").reason, "NotRun");
  EXPECT_EQ(TheCondition("ListSynced").reason, "NotRun");
}

TEST_F(StagesTest, StagesShareStateAndStatusAndThePhaseIsDerived) {
  const auto stages =
      GadgetStages({.ready_condition = ""})
          .Add({.name = "Count",
                .condition = "Counted",
                .run =
                    [](ReconcileContext&, Gadget& gadget, GadgetState& state) {
                      gadget.status.parts = 3;
                      state.log.emplace_back("counted");
                      return Result<StageOutcome>(StageOutcome::Done());
                    }})
          .Phase([](const Gadget& gadget, const GadgetState& state) {
            EXPECT_THAT(state.log, ElementsAre("counted"));
            return IsConditionTrue(gadget.status.conditions, "Counted") ? "Counted" : "Lost";
          });
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_EQ(Stored().status.phase, "Counted");
  EXPECT_EQ(Stored().status.parts, 3);
  EXPECT_THAT(Conditions(), ElementsAre("Counted=True Succeeded"));
}

TEST_F(StagesTest, APhaseThatCannotBeDerivedDoesNotLoseTheConditions) {
  const auto stages =
      GadgetStages().Add(Step("A")).Phase([](const Gadget&, const GadgetState&) -> std::string {
        throw std::runtime_error("no idea");
      });
  EXPECT_FALSE(Reconcile(stages).ok());
  EXPECT_EQ(TheCondition("ASynced").status, "True");
  EXPECT_EQ(TheCondition("Ready").status, "False");
  EXPECT_THAT(TheCondition("Ready").message, HasSubstr("no idea"));
  harness_.clock.Advance(seconds(100));
  EXPECT_FALSE(Reconcile(stages).ok());
  EXPECT_THAT(harness_.client.TakeVerbs(), IsEmpty()) << "nothing is new";
}

TEST_F(StagesTest, ThePhaseMatchesTheConditionsAfterAStop) {
  const auto stages =
      GadgetStages()
          .Add({.name = "Slow",
                .condition = "SlowSynced",
                .run = [this](ReconcileContext&, Gadget&, GadgetState&) -> Result<StageOutcome> {
                  harness_.stop.request_stop();
                  return StageOutcome::Done();
                }})
          .Phase([](const Gadget&, const GadgetState&) { return "Running"; });
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_EQ(TheCondition("Ready").status, "True");
  EXPECT_EQ(Stored().status.phase, "Running");
}

// A stage that changes the object so, writes it, and sets the status afterwards.
StageFunction Writes(const std::function<void(Gadget&)>& change) {
  return [change](ReconcileContext& context, Gadget& gadget, GadgetState&) -> Result<StageOutcome> {
    change(gadget);
    ASSIGN_OR_RETURN(gadget, context.client.Update(gadget));
    gadget.status.inspected_by = "B";
    return StageOutcome::Done();
  };
}

class StagesThatWriteTest : public StagesTest {
 protected:
  // A changes the status, B as given, C looks.
  void Run(const std::function<void(Gadget&)>& change) {
    const auto stages =
        GadgetStages()
            .Add({.name = "A",
                  .condition = "ASynced",
                  .run = [](ReconcileContext&, Gadget& gadget,
                            GadgetState&) -> Result<StageOutcome> {
                    gadget.status.parts = 3;
                    return StageOutcome::Done();
                  }})
            .Add({.name = "B", .condition = "BSynced", .run = Writes(change)})
            .Add({.name = "C",
                  .condition = "CSynced",
                  .run = [](ReconcileContext&, Gadget& gadget,
                            GadgetState&) -> Result<StageOutcome> {
                    EXPECT_EQ(gadget.status.parts, 3);
                    EXPECT_TRUE(IsConditionTrue(gadget.status.conditions, "ASynced"));
                    return StageOutcome::Done();
                  }});
    const auto result = Reconcile(stages);
    ASSERT_TRUE(result.ok()) << result.error().message();
    EXPECT_THAT(Conditions(), ElementsAre("ASynced=True Succeeded", "BSynced=True Succeeded",
                                          "CSynced=True Succeeded", "Ready=True Ready"));
    EXPECT_EQ(Stored().status.parts, 3);
    EXPECT_EQ(Stored().status.inspected_by, "B");
  }
};

TEST_F(StagesThatWriteTest, KeepWhatTheStagesBeforeThemFound) {
  Run([](Gadget& gadget) { gadget.metadata.labels["written"] = "yes"; });
  EXPECT_EQ(Stored().metadata.labels.at("written"), "yes");
  EXPECT_THAT(harness_.client.TakeVerbs(), ElementsAre("update", "patch status"));
}

TEST_F(StagesThatWriteTest, KeepItAlsoWhenNothingChangedByIt) {
  Run([](Gadget&) {});
}

TEST_F(StagesThatWriteTest, KeepWhatOthersWroteBeforeThem) {
  Run([this](Gadget& gadget) {
    Gadget other = Stored();
    other.status.observed_generation = 7;
    gadget.metadata.resource_version =
        harness_.server.client().UpdateStatus(other).value().metadata.resource_version;
  });
}

TEST_F(StagesTest, AStageMayOverwriteTheStatusOfAnother) {
  const auto set = [](int32_t parts) -> StageFunction {
    return [parts](ReconcileContext&, Gadget& gadget, GadgetState&) -> Result<StageOutcome> {
      gadget.status.parts = parts;
      return StageOutcome::Done();
    };
  };
  const auto stages = [&](int32_t first, int32_t second) {
    return GadgetStages()
        .Add({.name = "A", .run = set(first)})
        .Add({.name = "B", .run = set(second)});
  };
  ASSERT_TRUE(Reconcile(stages(0, 5)).ok());
  ASSERT_TRUE(Reconcile(stages(0, 5)).ok());
  EXPECT_EQ(Stored().status.parts, 5);
}

// Concurrent changes by another client are retained.
TEST_F(StagesTest, RetainsConcurrentChanges) {
  const auto stages = GadgetStages().Add(
      {.name = "A",
       .condition = "ASynced",
       .run = [this](ReconcileContext&, Gadget& gadget, GadgetState&) -> Result<StageOutcome> {
         Gadget other = Stored();
         other.status.inspected_by = "alice";
         other.status.parts = 1;
         Condition condition;
         condition.type = "Inspected";
         condition.status = "True";
         condition.reason = "LooksGood";
         SetCondition(other.status.conditions, condition, harness_.clock);
         EXPECT_TRUE(harness_.server.client().UpdateStatus(other).ok());
         gadget.status.parts = 3;
         return StageOutcome::Done();
       }});
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_THAT(harness_.client.TakeVerbs(), ElementsAre("patch status", "get", "patch status"));
  EXPECT_EQ(Stored().status.inspected_by, "alice");
  EXPECT_EQ(Stored().status.parts, 3);
  EXPECT_THAT(Conditions(), ElementsAre("Inspected=True LooksGood", "ASynced=True Succeeded",
                                        "Ready=True Ready"));
}

TEST_F(StagesTest, RetriesLaterAfterTooManyConflicts) {
  harness_.client.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (!IsWrite(request.verb)) return server.Do(request);
    return Error::Conflict("gadgets.test.io", "g", "a concurrent write");
  });
  const auto result = Reconcile(GadgetStages().Add(Step("A")));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().IsConflict());
  // The success was not stored, so it is not told either.
  EXPECT_THAT(harness_.Events(), IsEmpty());
}

TEST_F(StagesTest, AnObjectThatWentMeanwhileIsNoFailure) {
  const auto stages = GadgetStages().Add(
      {.name = "A",
       .condition = "ASynced",
       .run = [this](ReconcileContext&, Gadget&, GadgetState&) -> Result<StageOutcome> {
         EXPECT_TRUE(harness_.server.client().Delete<Gadget>(key_).ok());
         return StageOutcome::Done();
       }});
  EXPECT_TRUE(Reconcile(stages).ok());
}

TEST_F(StagesTest, DoesNotWriteTheStatusToARecreatedObject) {
  const auto stages = GadgetStages().Add(
      {.name = "A",
       .condition = "ASynced",
       .run = [this](ReconcileContext&, Gadget& gadget, GadgetState&) -> Result<StageOutcome> {
         Client& client = harness_.server.client();
         EXPECT_TRUE(client.Delete<Gadget>(key_).ok());
         Gadget again = gadget;
         again.metadata = {};
         again.metadata.namespace_name = key_.namespace_name;
         again.metadata.name = key_.name;
         EXPECT_TRUE(client.Create(again).ok());
         return StageOutcome::Done();
       }});
  EXPECT_TRUE(Reconcile(stages).ok());
  EXPECT_THAT(Conditions(), IsEmpty());
}

class StagesCleanupTest : public StagesTest {
 protected:
  static constexpr const char* kFinalizer = "test.io/cleanup";

  GadgetStage WithCleanup(const std::string& name,
                          Result<StageOutcome> cleanup = StageOutcome::Done()) {
    GadgetStage stage = Step(name);
    stage.cleanup = Noted("undo " + name, std::move(cleanup));
    return stage;
  }
  bool Exists() { return harness_.server.client().Get<Gadget>(key_).ok(); }
  void Delete() { ASSERT_TRUE(harness_.server.client().Delete<Gadget>(key_).ok()); }
};

TEST_F(StagesCleanupTest, CleansUpInReverseAndLetsTheObjectGo) {
  const auto inner = GadgetStages().Add(WithCleanup("B1")).Add(WithCleanup("B2"));
  const auto stages = GadgetStages({.finalizer = kFinalizer})
                          .Add(WithCleanup("A"))
                          .Add({.name = "B", .stages = inner})
                          .Add(Step("C"));
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("A", "B1", "B2", "C"));
  EXPECT_THAT(Stored().metadata.finalizers, ElementsAre(kFinalizer));
  Delete();
  ASSERT_TRUE(Exists());
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("undo B2", "undo B1", "undo A"));
  EXPECT_FALSE(Exists());
}

TEST_F(StagesCleanupTest, AFailedCleanupKeepsTheObjectAndSaysWhy) {
  const auto stages = GadgetStages({.policy = StagePolicy::kStopAtFirst, .finalizer = kFinalizer})
                          .Add(WithCleanup("A"))
                          .Add(WithCleanup("B", Temporary()));
  ASSERT_TRUE(Reconcile(stages).ok());
  Delete();
  ASSERT_FALSE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("undo B"));
  EXPECT_EQ(TheCondition("BSynced").reason, "CleanupFailed");
  EXPECT_EQ(TheCondition("BSynced").message, "the disk is away");
  EXPECT_THAT(harness_.Events(), testing::Contains("Warning BFailed: the disk is away"));
}

TEST_F(StagesCleanupTest, RunAllCleansUpWhatItCan) {
  const auto stages = GadgetStages({.finalizer = kFinalizer})
                          .Add(WithCleanup("A"))
                          .Add(WithCleanup("B", Temporary()));
  ASSERT_TRUE(Reconcile(stages).ok());
  Delete();
  ASSERT_FALSE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("undo B", "undo A"));
  EXPECT_TRUE(Exists());
}

TEST_F(StagesCleanupTest, ACleanupMayWait) {
  const auto stages =
      GadgetStages({.finalizer = kFinalizer})
          .Add(WithCleanup("A", StageOutcome::Wait("PodEnding").RequeueAfter(seconds(2))));
  ASSERT_TRUE(Reconcile(stages).ok());
  Delete();
  EXPECT_EQ(Reconcile(stages).value(), Outcome::RequeueAfter(seconds(2)));
  EXPECT_TRUE(Exists());
  EXPECT_EQ(TheCondition("ASynced").reason, "PodEnding");
}

TEST_F(StagesCleanupTest, TheStatusSaysThatTheObjectIsBeingDeletedWhileCleanupsRun) {
  std::string phase;
  std::string ready;
  GadgetStage stage = Step("A");
  stage.cleanup = [&](ReconcileContext&, Gadget&, auto&) -> Result<StageOutcome> {
    phase = Stored().status.phase;
    ready = TheCondition("Ready").reason;
    return StageOutcome::Wait("PodEnding");
  };
  const auto stages = GadgetStages({.finalizer = kFinalizer}).Add(stage);
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_EQ(Stored().status.phase, "Ready");
  Delete();
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_EQ(phase, "Terminating");
  EXPECT_EQ(ready, "Terminating");
  EXPECT_EQ(Stored().status.phase, "Terminating");
  EXPECT_EQ(TheCondition("Ready").status, "False");
  EXPECT_EQ(TheCondition("Ready").reason, "PodEnding");
  // Once it says so, it is written again only when something else is to be said.
  const std::string version = Stored().metadata.resource_version;
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_EQ(ready, "PodEnding");
  EXPECT_EQ(Stored().metadata.resource_version, version);
}

TEST_F(StagesCleanupTest, CleanupsRunAlsoWhenTheStatusCannotBeWritten) {
  const auto stages = GadgetStages({.finalizer = kFinalizer}).Add(WithCleanup("A"));
  ASSERT_TRUE(Reconcile(stages).ok());
  Delete();
  harness_.client.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (request.subresource == "status") return Error::Internal("no");
    return server.Do(request);
  });
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_THAT(ran_, ElementsAre("undo A"));
  EXPECT_FALSE(Exists());
}

TEST_F(StagesCleanupTest, APhaseThatTheServerRefusesHidesNothing) {
  const auto stages = GadgetStages({.finalizer = kFinalizer})
                          .Add(WithCleanup("A", StageOutcome::Wait("PodEnding")));
  ASSERT_TRUE(Reconcile(stages).ok());
  Delete();
  harness_.client.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    const bool refused = request.body.find(R"("phase":"Terminating")") != std::string::npos;
    if (refused) return Error::BadRequest("no such phase");
    return server.Do(request);
  });
  ASSERT_TRUE(Reconcile(stages).ok());
  EXPECT_EQ(TheCondition("ASynced").reason, "PodEnding");
  EXPECT_EQ(TheCondition("Ready").status, "False");
}

TEST_F(StagesCleanupTest, APhaseIsOneOfTheKind) {
  using stages_internal::HasPhaseNamed;
  EXPECT_TRUE(HasPhaseNamed(TypeOf<GadgetStatus>(), "Terminating"));
  EXPECT_FALSE(HasPhaseNamed(TypeOf<GadgetStatus>(), ""));
  EXPECT_FALSE(HasPhaseNamed(TypeOf<LampStatus>(), "Terminating"));
  EXPECT_TRUE(HasPhaseNamed(TypeOf<LampStatus>(), "On"));
}

TEST_F(StagesCleanupTest, ACleanupWithoutAFinalizerIsAnErrorThatSaysWhatIsMissing) {
  const Result<Outcome> result = Reconcile(GadgetStages().Add(WithCleanup("A")));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().terminal());
  EXPECT_THAT(result.error().message(), testing::HasSubstr("set StagesOptions::finalizer"));
}

TEST_F(StagesCleanupTest, WithoutAFinalizerADeletedObjectIsLeftAlone) {
  Gadget gadget = Stored();
  AddFinalizer(gadget.metadata, "example.io/other");
  ASSERT_TRUE(harness_.server.client().Update(gadget).ok());
  Delete();
  ASSERT_TRUE(Reconcile(GadgetStages().Add(Step("A"))).ok());
  EXPECT_THAT(ran_, IsEmpty());
}

}  // namespace
}  // namespace kubexms
