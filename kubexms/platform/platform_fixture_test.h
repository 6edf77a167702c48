#pragma once

// For tests of the platform: a real API server, and the platform's controllers beside the built-in
// ones.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/random.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/client/credentials/kubeconfig.h"
#include "kubexms/client/rest/rest_client.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/testing/eventually_test.h"
#include "kubexms/controller/testing/idle_test.h"
#include "kubexms/controller/testing/intercepted_client_test.h"
#include "kubexms/platform/names.h"
#include "kubexms/platform/platform.h"

namespace kubexms::platform {

// Stores audit records in memory.
class MemoryAuditSink final : public AuditSink {
 public:
  Result<void> Write(const AuditRecord& record) override {
    MutexLock lock(mutex_);
    records_.push_back(record);
    return {};
  }
  std::vector<AuditRecord> records() const {
    MutexLock lock(mutex_);
    return records_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<AuditRecord> records_ GUARDED_BY(mutex_);
};

class PlatformTest : public ::testing::Test {
 protected:
  // `clock` is used by the server and the controllers; null: the system clock.
  explicit PlatformTest(Clock* clock = nullptr)
      : clock_(clock == nullptr ? system_clock_ : *clock) {
    const auto config = ParseKubeconfig(server_.kubeconfig());
    EXPECT_TRUE(config.ok());
    options_.users.server = {.url = config->server, .authority_pem = config->ca_pem};
    options_.operation_requests.audit = &audit_;
    options_.delete_requests.audit = &audit_;
    const auto installed = Install(client(), system_clock_, {});
    EXPECT_TRUE(installed.ok()) << installed.error().message();
  }
  ~PlatformTest() override { Stop(); }

  // Runs the controllers until Stop() or the end of the test.
  void Start() {
    const Logger log({.level = LogLevel::kDebug, .sink = &log_, .clock = &clock_});
    manager_ = std::make_unique<Manager>(ManagerOptions{.name = "platform",
                                                        .client = &intercepted_,
                                                        .clock = &clock_,
                                                        .random = &random_,
                                                        .log = log});
    for (Controller& controller : Controllers(options_)) manager_->Add(std::move(controller));
    // Namespace deletion and garbage collection.
    AddBuiltinControllers(
        SelectControllers("namespace-controller,garbage-collector-controller").value(),
        {.clock = &clock_, .log = log, .client_of = [this](auto) { return &server_.client(); }},
        *manager_);
    thread_ = std::jthread([this](std::stop_token stop) { (void)manager_->Run(std::move(stop)); });
  }
  void Stop() {
    thread_ = {};
    manager_ = nullptr;
  }

  Client& client() { return server_.client(); }

  userv1::User CreateUser(const std::string& name) {
    userv1::User user;
    user.metadata.name = name;
    const auto created = client().Create(user);
    EXPECT_TRUE(created.ok()) << created.error().message();
    return created.ok() ? *created : user;
  }
  userv1::User UserNamed(const std::string& name) {
    const auto user = client().Get<userv1::User>({"", name});
    return user.ok() ? *user : userv1::User();
  }
  bool BecomesActive(const std::string& name) {
    return Eventually([&] { return UserNamed(name).status.phase == "Active"; });
  }
  template <Kind T>
  bool Exists(const ObjectKey& key) {
    return client().Get<T>(key).ok();
  }
  template <Kind T>
  bool EventuallyDeleted(const ObjectKey& key) {
    return Eventually([&] {
      const auto object = client().Get<T>(key);
      return !object.ok() && object.error().IsNotFound();
    });
  }

  bool EventuallyRecorded(const std::string& object, const std::string& reason) {
    return Eventually([&] {
      const auto events = client().List<corev1::Event>();
      return events.ok() && std::any_of(events->items.begin(), events->items.end(),
                                        [&](const corev1::Event& event) {
                                          return event.involved_object.name == object &&
                                                 event.reason == reason;
                                        });
    });
  }

  // A client with the user's kubeconfig.
  std::unique_ptr<Client> ClientOf(const std::string& kubeconfig) {
    auto config = ParseKubeconfig(kubeconfig);
    EXPECT_TRUE(config.ok()) << config.error().message();
    auto made = RestClient::Make({.config = std::move(*config), .clock = &system_clock_});
    EXPECT_TRUE(made.ok()) << made.error().message();
    return std::move(*made);
  }
  std::unique_ptr<Client> ClientOfUser(const std::string& name) {
    return ClientOf(KubeconfigOf(name));
  }
  // Empty if the user has none.
  std::string KubeconfigOf(const std::string& name) {
    const userv1::User user = UserNamed(name);
    if (!user.status.kube_config_secret) return "";
    const auto secret = client().Get<corev1::Secret>(
        {user.status.kube_config_secret->namespace_name, user.status.kube_config_secret->name});
    return secret.ok() ? secret->data.at("kubeconfig").value : "";
  }

  // Creates the request through `by` and waits until it is finished.
  template <Kind T>
  RequestStatus CreateAndFinish(Client& by, const T& request) {
    const auto created = by.Create(request);
    EXPECT_TRUE(created.ok()) << created.error().message();
    if (!created.ok()) return {};
    RequestStatus status;
    EXPECT_TRUE(Eventually([&] {
      const auto stored = client().Get<T>(ObjectKey::Of(created->metadata));
      if (stored.ok()) status = stored->status;
      return status.IsFinished();
    })) << status.phase
        << ": " << status.message;
    return status;
  }

  // The next `survive` writes of the controllers succeed and all later ones fail, as after a crash.
  // Events do not count.
  void CrashAfter(int survive) {
    writes_ = 0;
    intercepted_.Set(
        [this, survive](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
          const bool counts = IsWrite(request.verb) && request.resource.plural != "events";
          if (counts && writes_++ >= survive) return Error::ServiceUnavailable("crashed");
          Result<SharedBytes> answer = server.Do(request);
          if (counts && answer.ok()) Record(request);
          return answer;
        });
  }
  void NeverCrash() { CrashAfter(std::numeric_limits<int>::max()); }
  bool HasCrashed(int survive) const { return writes_ > survive; }

  // A test that crashes the process after every possible number of writes, until a run needs no
  // more writes.
  struct CrashTest {
    // Before the crash, with running controllers.
    std::function<void(const std::string& name)> prepare = [](const std::string&) {};
    // Triggers the work of the controllers, and checks whether it is done.
    std::function<void(const std::string& name)> trigger;
    std::function<bool(const std::string& name)> is_done;
    // Invariants after the crash, and in the end.
    std::function<void(const std::string& name)> check_crashed = [](const std::string&) {};
    std::function<void(const std::string& name)> check_done;
  };
  void CrashAtEveryWrite(const CrashTest& test) {
    bool crashed = true;
    for (int survive = 0; crashed; ++survive) {
      SCOPED_TRACE(fmt::format("after {} writes", survive));
      ASSERT_LT(survive, 40);
      const std::string name = fmt::format("user{}", survive);
      NeverCrash();
      Start();
      test.prepare(name);
      Stop();
      CrashAfter(survive);
      Start();
      test.trigger(name);
      ASSERT_TRUE(Eventually([&] { return HasCrashed(survive) || test.is_done(name); }));
      Stop();
      crashed = HasCrashed(survive);
      test.check_crashed(name);
      NeverCrash();
      Start();
      ASSERT_TRUE(Eventually([&] { return test.is_done(name); }));
      test.check_done(name);
      Stop();
      if (HasFailure()) return;
    }
  }

  // How often the request was written as finished, since CrashAfter() or NeverCrash().
  int TimesFinished(const std::string& request) const {
    MutexLock lock(mutex_);
    return static_cast<int>(
        std::count_if(written_.begin(), written_.end(), [&](const ClientRequest& write) {
          return write.name == request && write.subresource == "status" &&
                 write.body.find("completionTime") != std::string::npos;
        }));
  }
  // The resources of deleted objects, in this order.
  std::vector<std::string> DeletedKinds() const {
    std::vector<std::string> kinds;
    MutexLock lock(mutex_);
    for (const ClientRequest& write : written_) {
      const bool same = !kinds.empty() && kinds.back() == write.resource.plural;
      if (write.verb == Verb::kDelete && !same) kinds.push_back(write.resource.plural);
    }
    return kinds;
  }
  // The paths of writes with the text in their path or body.
  std::vector<std::string> WritesAbout(const std::string& text) const {
    std::vector<std::string> paths;
    MutexLock lock(mutex_);
    for (const ClientRequest& write : written_) {
      const std::string path = write.Path();
      if ((path + write.body).find(text) != std::string::npos) paths.push_back(path);
    }
    return paths;
  }

  void Record(const ClientRequest& write) {
    MutexLock lock(mutex_);
    written_.push_back(write);
  }

  SystemClock system_clock_;
  Clock& clock_;
  TestServer server_{{.clock = &clock_}};
  SystemRandom random_;
  CapturingLogSink log_;
  MemoryAuditSink audit_;
  PlatformOptions options_;
  InterceptedClient intercepted_{server_.client()};
  std::atomic<int> writes_ = 0;
  mutable Mutex mutex_;
  std::vector<ClientRequest> written_ GUARDED_BY(mutex_);
  std::unique_ptr<Manager> manager_;
  std::jthread thread_;
};

struct ManualTime {
  ManualClock time{std::chrono::system_clock::now()};
};

// A server and controllers with a manual clock.
class TimedPlatformTest : protected ManualTime, public PlatformTest {
 protected:
  TimedPlatformTest() : PlatformTest(&time) {}

  // Advances the clock after the manager has become idle.
  void AdvanceTime(std::chrono::seconds by) {
    ASSERT_TRUE(AwaitIdle(*manager_));
    time.Advance(by);
  }
  // Eventually() while the clock advances slowly.
  template <class Condition>
  bool EventuallyInTime(const Condition& condition) {
    return Eventually([&] {
      time.Advance(std::chrono::milliseconds(1));
      return condition();
    });
  }
};

}  // namespace kubexms::platform
