#include "kubexms/controller/testing/test_manager.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"

namespace kubexms {
namespace {

struct NoteSpec : Struct {
  std::string text;

  static void Describe(Type<NoteSpec>& type) { type.Field("text", &NoteSpec::text, "Any."); }
};

struct Note : Object<NoteSpec> {
  static constexpr KindName kKind{.group = "example.io", .version = "v1", .kind = "Note"};
};

Result<Outcome> CopyNote(ReconcileContext& context, const Note& note) {
  corev1::ConfigMap map;
  map.metadata.namespace_name = note.metadata.namespace_name;
  map.metadata.name = note.metadata.name;
  map.data["text"] = note.spec.text;
  RETURN_IF_ERROR(context.client.Create(map));
  return Outcome::Done();
}

ManagerProgram Notes() {
  return {.name = "notes",
          .kinds = {&TypeOf<Note>()},
          .controllers = {ControllerFor<Note>({.name = "note"})
                              .RequiresAccess<corev1::ConfigMap>({"create"})
                              .Reconciles(CopyNote)}};
}

TEST(TestManagerTest, InstallsTheKindsAndRunsTheControllers) {
  TestServer server;
  const TestManager manager(server.client(), Notes());
  Note note;
  note.metadata.namespace_name = "default";
  note.metadata.name = "n";
  ASSERT_TRUE(server.client().Create(note).ok());
  EXPECT_TRUE(manager.Eventually([&] {
    return server.client().Get<corev1::ConfigMap>({"default", "n"}).ok();
  }));
}

TEST(TestManagerTest, EndsWithAManualClock) {
  TestServer server;
  ManualClock clock;
  std::atomic<int> tries = 0;
  ManagerProgram program = Notes();
  program.controllers = {ControllerFor<Note>({.name = "note"})
                             .Reconciles([&](ReconcileContext&, const Note&) -> Result<Outcome> {
                               ++tries;
                               return Error::ServiceUnavailable("never");
                             })};
  const TestManager manager(server.client(), program, {.clock = &clock});
  Note note;
  note.metadata.namespace_name = "default";
  note.metadata.name = "n";
  ASSERT_TRUE(server.client().Create(note).ok());
  EXPECT_TRUE(manager.Eventually([&] { return tries > 0; }));
}

TEST(TestManagerTest, StopsWaitingWhenTheManagerHasEnded) {
  TestServer server;
  std::promise<void> end;
  ManagerProgram program = Notes();
  program.setup = [&](Manager& manager) {
    manager.Add(Runnable{.name = "ends", .run = [&](std::stop_token) -> Result<void> {
                           end.get_future().wait();
                           return Error::BadRequest("enough");
                         }});
  };
  const TestManager manager(server.client(), program);
  end.set_value();
  EXPECT_FALSE(manager.Eventually([] { return false; }));
}

TEST(TestManagerDeathTest, SaysWhyItCannotStart) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto start = [] {
    TestServer server;
    ManagerProgram program = Notes();
    program.controllers.push_back(program.controllers.front());
    const TestManager manager(server.client(), program);
  };
  EXPECT_DEATH(start(), "the test manager cannot start: .*note");
}

}  // namespace
}  // namespace kubexms
