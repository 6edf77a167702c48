// The controllers of the examples, run by a manager against a server.

#include <gmock/gmock.h>

#include <functional>
#include <thread>

#include "examples/request/config_copy.h"
#include "examples/stages/website.h"
#include "kubexms/api/crd/crd.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/client/trace.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/testing/test_manager.h"

namespace kubexms {
namespace {

using config_copy::ConfigCopy;
using testing::HasSubstr;
using website::Website;

class ExampleControllersTest : public testing::Test {
 protected:
  void CreateCrd(Json crd) {
    const ResourceType crds{.group = "apiextensions.k8s.io",
                            .version = "v1",
                            .kind = "CustomResourceDefinition",
                            .plural = "customresourcedefinitions",
                            .namespaced = false};
    const auto created = client().Create(crds, DynamicObject::FromJson(std::move(crd)).value());
    ASSERT_TRUE(created.ok()) << created.error().message();
  }

  void Run(Json crd, Controller controller) {
    CreateCrd(std::move(crd));
    manager_.Add(std::move(controller));
    running_ = std::jthread([this](std::stop_token stop) { (void)manager_.Run(stop).ok(); });
  }

  Client& client() { return server_.client(); }

  template <Kind T>
  T Make(const std::string& name) {
    T object;
    object.metadata.namespace_name = "default";
    object.metadata.name = name;
    return object;
  }

  // Blocks until an object of the kind is so, and returns it.
  template <Kind T>
  T Await(const std::function<bool(const T&)>& so) {
    auto watch = client().Watch<T>().value();
    while (true) {
      auto event = watch.Next().value();
      if (so(event->object)) return std::move(event->object);
    }
  }

  TestServer server_;
  SystemClock clock_;
  SystemRandom random_;
  Manager manager_{{.shutdown_timeout = std::chrono::nanoseconds(0),
                    .client = &server_.client(),
                    .clock = &clock_,
                    .random = &random_}};
  std::jthread running_;
};

TEST_F(ExampleControllersTest, AWebsiteGetsItsPartsAndBecomesReady) {
  Run(CrdOf<Website>(), website::WebsiteController());
  auto home = Make<Website>("home");
  home.spec.text = "hello";
  home.spec.port = 8080;
  ASSERT_TRUE(client().Create(home).ok());
  const auto ready =
      Await<Website>([](const Website& website) { return website.status.phase == "Ready"; });
  EXPECT_FALSE(ready.status.address.empty());
  EXPECT_TRUE(IsConditionTrue(ready.status.conditions, "ContentSynced"));
  EXPECT_TRUE(IsConditionTrue(ready.status.conditions, "NetworkSynced"));
  EXPECT_EQ(client().Get<corev1::Service>({"default", "home"})->spec.ports.at(0).port, 8080);

  // Changes by other clients are reverted.
  ASSERT_TRUE(client().Delete<corev1::ConfigMap>({"default", "home"}).ok());
  const auto mended = Await<corev1::ConfigMap>(
      [](const corev1::ConfigMap& config_map) { return config_map.metadata.name == "home"; });
  EXPECT_EQ(mended.data.at("index.html"), "hello");
}

// As in a cluster: what a website owns goes with it.
TEST(TestKitTest, ATestCanHaveTheControllersOfACluster) {
  TestServer server;
  SystemClock clock;
  SystemRandom random;
  const auto add_cluster = [&](Manager& manager) {
    AddBuiltinControllers(
        SelectControllers("garbage-collector-controller,namespace-controller").value(),
        {.clock = &clock, .random = &random, .client_of = [&](auto) { return &server.client(); }},
        manager);
  };
  const TestManager manager(server.client(), {.name = "test",
                                              .kinds = {&TypeOf<Website>()},
                                              .controllers = {website::WebsiteController()},
                                              .setup = add_cluster});
  Website home;
  home.metadata.namespace_name = "default";
  home.metadata.name = "home";
  home.spec.text = "hello";
  ASSERT_TRUE(server.client().Create(home).ok());
  const auto is_there = [&] {
    return server.client().Get<corev1::Service>({"default", "home"}).ok();
  };
  ASSERT_TRUE(manager.Eventually(is_there));
  ASSERT_TRUE(server.client().Delete<Website>({"default", "home"}).ok());
  EXPECT_TRUE(manager.Eventually([&] { return !is_there(); }));
}

TEST_F(ExampleControllersTest, AConfigCopyIsMadeOnce) {
  Run(RequestCrdOf<ConfigCopy>(), config_copy::ConfigCopyController(nullptr));
  auto fonts = Make<corev1::ConfigMap>("fonts");
  fonts.data["size"] = "12";
  ASSERT_TRUE(client().Create(fonts).ok());
  auto request = Make<ConfigCopy>("copy");
  request.spec.name = "fonts";
  request.spec.to = "kube-public";
  ASSERT_TRUE(client().Create(request).ok());
  const auto done =
      Await<ConfigCopy>([](const ConfigCopy& copy) { return copy.status.IsFinished(); });
  EXPECT_EQ(done.status.phase, "Completed");
  EXPECT_EQ(done.status.message, "copied to kube-public/fonts");
  EXPECT_EQ(client().Get<corev1::ConfigMap>({"kube-public", "fonts"})->data.at("size"), "12");
}

// Runs a controller while the function does.
void RunWhile(Client& client, Clock& clock, Controller controller,
              const std::function<void()>& meanwhile) {
  SeededRandom random(7);
  Manager manager({.client = &client, .clock = &clock, .random = &random});
  manager.Add(std::move(controller));
  const std::jthread running([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
  meanwhile();
}

TEST_F(ExampleControllersTest, ARecordedRunOfAWebsiteHappensAgainWithoutTheServer) {
  std::string trace;
  TraceRecorder recorder(client(), clock_, [&](std::string_view line) { trace.append(line); });
  CreateCrd(CrdOf<Website>());
  RunWhile(recorder, clock_, website::WebsiteController(), [&] {
    auto home = Make<Website>("home");
    home.spec.text = "hello";
    ASSERT_TRUE(client().Create(home).ok());
    Await<Website>([](const Website& website) { return website.status.phase == "Ready"; });
    ASSERT_TRUE(client().Delete<corev1::ConfigMap>({"default", "home"}).ok());
    Await<corev1::ConfigMap>(
        [](const corev1::ConfigMap& map) { return map.metadata.name == "home"; });
  });
  ManualClock clock(TraceStartTime(trace).value());
  const auto replay = TraceReplay::Load(trace, clock);
  ASSERT_TRUE(replay.ok()) << replay.error().message();
  RunWhile(**replay, clock, website::WebsiteController(), [&] {
    for (int i = 0; i < 300 && !(*replay)->MissingCalls().empty(); ++i) {
      clock.Advance(std::chrono::milliseconds(20));
      clock_.SleepFor(std::chrono::milliseconds(1));
    }
  });
  EXPECT_THAT((*replay)->MissingCalls(), testing::IsEmpty());
  EXPECT_THAT((*replay)->UnexpectedCalls(), testing::IsEmpty());
}

TEST_F(ExampleControllersTest, AConfigCopyToItsOwnNamespaceFails) {
  Run(RequestCrdOf<ConfigCopy>(), config_copy::ConfigCopyController(nullptr));
  auto request = Make<ConfigCopy>("copy");
  request.spec.name = "fonts";
  request.spec.to = "default";
  ASSERT_TRUE(client().Create(request).ok());
  const auto done =
      Await<ConfigCopy>([](const ConfigCopy& copy) { return copy.status.IsFinished(); });
  EXPECT_EQ(done.status.phase, "Failed");
  EXPECT_THAT(done.status.message, HasSubstr("spec.to"));
}

}  // namespace
}  // namespace kubexms
