#include "kubexms/controller/status_patch.h"

#include <gmock/gmock.h>

#include "kubexms/api/condition.h"
#include "kubexms/controller/testing/reconcile_harness_test.h"

namespace kubexms {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct LampSpec : Struct {
  static void Describe(Type<LampSpec>&) {}
};

struct LampStatus : Struct {
  std::string color;
  std::string owner;
  std::vector<Condition> conditions;

  static void Describe(Type<LampStatus>& type) {
    type.Field("color", &LampStatus::color);
    type.Field("owner", &LampStatus::owner);
    type.Field("conditions", &LampStatus::conditions);
  }
};

struct Lamp : Object<LampSpec, LampStatus> {
  static constexpr KindName kKind{.group = "test.io", .version = "v1", .kind = "Lamp"};
};

Condition MakeCondition(const std::string& type) {
  Condition condition;
  condition.type = type;
  condition.status = "True";
  condition.reason = "Because";
  return condition;
}

class StatusPatchTest : public testing::Test {
 protected:
  void Create(Json crd = CrdOf<Lamp>()) {
    CreateCrd(server(), std::move(crd));
    Lamp lamp;
    lamp.metadata.namespace_name = "default";
    lamp.metadata.name = "l";
    ASSERT_TRUE(server().Create(lamp).ok());
  }
  Client& server() { return harness_.server.client(); }
  Lamp Stored() { return server().Get<Lamp>({"default", "l"}).value(); }

  // A concurrent write of another client.
  void Write(const std::function<void(Lamp&)>& change) {
    Lamp lamp = Stored();
    change(lamp);
    ASSERT_TRUE(server().UpdateStatus(lamp).ok());
  }

  Result<StatusPatched> Patch(const Lamp& before, const Lamp& after,
                              const StatusPatchOptions<Lamp>& options = {}) {
    return PatchStatus(harness_.client, before, after, harness_.clock, options);
  }

  ReconcileHarness harness_;
};

TEST_F(StatusPatchTest, SendsNothingWhenNothingDiffers) {
  Create();
  const Lamp lamp = Stored();
  EXPECT_EQ(Patch(lamp, lamp)->result, StatusWrite::kUnchanged);
  EXPECT_THAT(harness_.client.TakeVerbs(), IsEmpty());
}

TEST_F(StatusPatchTest, SetsAndRemovesOnlyWhatDiffers) {
  Create();
  Write([&](Lamp& lamp) {
    lamp.status.color = "red";
    SetCondition(lamp.status.conditions, MakeCondition("Old"), harness_.clock);
  });
  const Lamp before = Stored();
  Lamp after = before;
  after.status.color.clear();
  RemoveCondition(after.status.conditions, "Old");
  SetCondition(after.status.conditions, MakeCondition("New"), harness_.clock);
  Write([&](Lamp& lamp) {
    lamp.status.owner = "alice";
    SetCondition(lamp.status.conditions, MakeCondition("Hers"), harness_.clock);
  });
  EXPECT_EQ(Patch(before, after)->result, StatusWrite::kWritten);
  const Lamp lamp = Stored();
  EXPECT_EQ(lamp.status.color, "");
  EXPECT_EQ(lamp.status.owner, "alice");
  ASSERT_EQ(lamp.status.conditions.size(), 2);
  EXPECT_EQ(lamp.status.conditions[0].type, "Hers");
  EXPECT_EQ(lamp.status.conditions[1].type, "New");
}

// What others wrote before that stays all the same.
TEST_F(StatusPatchTest, AnOwnWriteInBetweenIsNotAConflict) {
  Create();
  const Lamp before = Stored();
  Write([&](Lamp& lamp) {
    lamp.status.owner = "alice";
    SetCondition(lamp.status.conditions, MakeCondition("Hers"), harness_.clock);
  });
  Lamp after = server()
                   .Patch<Lamp>({"default", "l"}, {.body = R"({"metadata":{"labels":{"a":"b"}}})"})
                   .value();
  after.status.color = "red";
  SetCondition(after.status.conditions, MakeCondition("New"), harness_.clock);
  EXPECT_EQ(Patch(before, after)->result, StatusWrite::kWritten);
  EXPECT_THAT(harness_.client.TakeVerbs(), ElementsAre("patch status"));
  EXPECT_EQ(Stored().status.color, "red");
  EXPECT_EQ(Stored().status.owner, "alice");
  EXPECT_EQ(Stored().status.conditions.size(), 2U);
}

TEST_F(StatusPatchTest, ChecksOnlyIfAfterAConflict) {
  Create();
  const Lamp before = Stored();
  Lamp after = before;
  after.status.color = "red";
  Write([](Lamp& lamp) { lamp.status.owner = "alice"; });
  const auto refused = Patch(
      before, after, {.only_if = [](const Lamp& fresh) { return fresh.status.owner.empty(); }});
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().IsConflict());
  EXPECT_EQ(Stored().status.color, "");
}

TEST_F(StatusPatchTest, ADeletedObjectIsNotAnError) {
  Create();
  const Lamp before = Stored();
  Lamp after = before;
  after.status.color = "red";
  ASSERT_TRUE(server().Delete<Lamp>({"default", "l"}).ok());
  EXPECT_EQ(Patch(before, after)->result, StatusWrite::kGone);
}

TEST_F(StatusPatchTest, AKindWithoutAStatusIsAnError) {
  Json crd = CrdOf<Lamp>();
  crd.at("spec").at("versions").at(0).as_object().erase("subresources");
  Create(std::move(crd));
  const Lamp before = Stored();
  Lamp after = before;
  after.status.color = "red";
  const auto patched = Patch(before, after);
  ASSERT_FALSE(patched.ok());
  EXPECT_TRUE(patched.error().IsNotFound());
}

}  // namespace
}  // namespace kubexms
