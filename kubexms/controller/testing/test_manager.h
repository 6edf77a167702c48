#pragma once

// Runs the controllers of a program in the process of a test, with the manager that the program
// uses.
//
//   TestServer server;
//   TestManager manager(server.client(), {.name = "hello",
//                                         .kinds = {&TypeOf<Hello>()},
//                                         .controllers = {HelloController()}});
//   ASSERT_TRUE(server.client().Create(hello).ok());
//   EXPECT_TRUE(manager.Eventually([&] { return Greeted(server.client(), hello); }));
//
// If it cannot be started, the test program ends with the reason.
//
// A TestServer runs no controllers: dependents of deleted owners and the contents of deleted
// namespaces are not deleted. A test that needs garbage collection adds the built-in controllers:
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
  // The clock of retries, resyncs and times in status; null: the system clock. It must outlive the
  // manager.
  Clock* clock = nullptr;
  std::optional<Logger> log;  // none: warnings and errors on standard error
};

// To be destroyed before the client. Safe for use from any thread.
class TestManager {
 public:
  // Creates the CustomResourceDefinitions of the program, starts its controllers, and returns when
  // their caches have synced.
  TestManager(Client& client, const ManagerProgram& program,
              const TestManagerOptions& options = {});
  // Drains the work queues and stops the controllers; with a clock of the test, stops them at once.
  ~TestManager();
  TestManager(const TestManager&) = delete;
  TestManager& operator=(const TestManager&) = delete;

  // True as soon as `condition()` is; false after 30 seconds, or if the manager has ended.
  bool Eventually(const std::function<bool()>& condition) const;

  // For metrics and health.
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
