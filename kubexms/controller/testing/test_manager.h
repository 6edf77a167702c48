#pragma once

// The test kit's manager: a program's controllers in the process of a test, as they will run in
// earnest.
//
//   TestServer server;
//   TestManager manager(server.client(), {.name = "hello",
//                                         .kinds = {&TypeOf<Hello>()},
//                                         .controllers = {HelloController()}});
//   ASSERT_TRUE(server.client().Create(hello).ok());
//   EXPECT_TRUE(manager.Eventually([&] { return Greeted(server.client(), hello); }));
//
// When it cannot be started, the test program ends with the reason.
//
// A TestServer stores what it is told and does nothing by itself: objects stay when their owner
// goes, and namespaces that are deleted are not emptied. A test that needs it has the controllers
// that do it in a cluster added, from the library builtin:
//
//   .setup = [&](Manager& manager) {
//     AddBuiltinControllers(
//         SelectControllers("garbage-collector-controller,namespace-controller").value(),
//         {.clock = &clock, .random = &random, .client_of = [&](auto) { return &client; }},
//         manager);
//   }

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/manager/program.h"

namespace kubexms {

struct TestManagerOptions {
  // For retries, resyncs and times in status; null: the machine's. A ManualClock moves all of them,
  // and must outlive the manager.
  Clock* clock = nullptr;
  std::optional<Logger> log;  // none: warnings and errors go to standard error
};

// To be destroyed before the client. Safe for use from any thread.
class TestManager {
 public:
  // Installs the program's kinds as it would have them, starts its controllers, and returns when
  // everything that they watch has been listed.
  TestManager(Client& client, const ManagerProgram& program,
              const TestManagerOptions& options = {});
  // Ends the controllers after what they have queued; at once with a clock of the test, which does
  // not move any more.
  ~TestManager();
  TestManager(const TestManager&) = delete;
  TestManager& operator=(const TestManager&) = delete;

  // True as soon as `condition()` is; false when that takes unreasonably long (half a minute), or
  // when the manager has ended, which it should not.
  bool Eventually(const std::function<bool()>& condition) const;

  // For metrics, health and what else a test may ask.
  Manager& manager() { return manager_; }

 private:
  bool HasEnded() const EXCLUDES(mutex_);

  mutable SystemClock system_clock_;
  SystemRandom random_;
  FileLogSink sink_;
  Manager manager_;
  mutable Mutex mutex_;
  std::optional<Result<void>> ended_ GUARDED_BY(mutex_);
  std::jthread running_;
};

}  // namespace kubexms
