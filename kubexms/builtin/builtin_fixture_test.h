#pragma once

// For tests of built-in controllers: a real API server, and a manager that runs them as `kubexms
// server` does, each with its own account.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/random.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/builtin/simulated_nodes/simulated_nodes.h"
#include "kubexms/controller/testing/eventually_test.h"
#include "kubexms/controller/testing/idle_test.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {

// For tests with a manual clock: a base before BuiltinTest, so that the clock outlives its users.
struct ManualTime {
  ManualClock manual_clock_;
};

class BuiltinTest : public ::testing::Test {
 protected:
  // `clock` is used by the server and the manager, and must outlive the fixture; null: the system
  // clock.
  explicit BuiltinTest(Clock* clock = nullptr)
      : clock_(clock == nullptr ? system_clock_ : *clock), server_({.clock = clock}) {}
  ~BuiltinTest() override { Stop(); }

  // Runs the selected controllers until Stop() or the end of the test.
  void Start(std::string_view controllers = "*") {
    const auto selected = SelectControllers(controllers);
    ASSERT_TRUE(selected.ok()) << selected.error().message();
    const Logger log({.level = LogLevel::kDebug, .sink = &log_, .clock = &clock_});
    if (manager_client_ == nullptr) {
      manager_client_ = server_.NewClient(
          {.name = "system:kube-controller-manager", .groups = {"system:authenticated"}});
    }
    manager_ = std::make_unique<Manager>(ManagerOptions{.name = "test",
                                                        .client = manager_client_.get(),
                                                        .clock = &clock_,
                                                        .random = &random_,
                                                        .log = log});
    environment_.clock = &clock_;
    environment_.random = &random_;
    environment_.log = log;
    environment_.client_of = [this](auto account) { return &ClientOf(account); };
    environment_.authority_pem = "the authority";
    AddBuiltinControllers(*selected, environment_, *manager_);
    if (simulated_nodes_.count > 0) {
      Client& nodes_client = nodes_client_ != nullptr ? *nodes_client_ : client();
      AddSimulatedNodes(simulated_nodes_, nodes_client, *manager_);
    }
    thread_ = std::jthread([this](std::stop_token stop) {
      const Result<void> ended = manager_->Run(std::move(stop));
      EXPECT_TRUE(ended.ok()) << ended.error().message();
    });
    // A manual clock must not be advanced during the first lists: they would time out.
    if (&clock_ != &system_clock_) {
      ASSERT_TRUE(Eventually([&] { return manager_->Readiness().ok(); }));
    }
  }
  void Stop() {
    thread_ = {};
    manager_ = nullptr;
  }

  void AwaitIdle() { ASSERT_TRUE(kubexms::AwaitIdle(*manager_)); }
  // True once the caches of the controllers have the object.
  template <class T>
  bool EventuallyCached(const ObjectKey& key) {
    return Eventually([&] {
      return manager_->informers().KnownVersion(ResourceType::Of<T>(), key).value_or(0) > 0;
    });
  }

  // The client of the account, see BuiltinEnvironment::client_of.
  InterceptedClient& ClientOf(std::string_view account) {
    Account& known = accounts_[std::string(account)];
    if (known.client == nullptr) {
      UserInfo user{.name = std::string(account), .groups = {"system:authenticated"}};
      if (!account.starts_with("system:")) {
        user = {.name = "system:serviceaccount:kube-system:" + std::string(account),
                .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system",
                           "system:authenticated"}};
      }
      known.client = server_.NewClient(std::move(user));
      known.intercepted = std::make_unique<InterceptedClient>(*known.client);
    }
    return *known.intercepted;
  }

  Client& client() { return server_.client(); }

  void CreateNamespace(const std::string& name) {
    corev1::Namespace object;
    object.metadata.name = name;
    const auto created = client().Create(object);
    ASSERT_TRUE(created.ok()) << created.error().message();
  }
  // Waits for such an Event in the namespace "default".
  bool EventuallyRecorded(const std::string& reason, const std::string& message) {
    return Eventually([&] {
      const auto events = client().List<corev1::Event>({.namespace_name = "default"});
      return events.ok() && std::any_of(events->items.begin(), events->items.end(),
                                        [&](const corev1::Event& event) {
                                          return event.reason == reason && event.message == message;
                                        });
    });
  }

  // Lets the account's first `writes` writes succeed and fails all later ones, as if the process
  // had crashed. The result becomes true when a write has failed.
  std::shared_ptr<std::atomic<bool>> CrashAfter(int writes, std::string_view account) {
    const auto crashed = std::make_shared<std::atomic<bool>>(false);
    const auto left = std::make_shared<std::atomic<int>>(writes);
    ClientOf(account).Set([=](Client& server, const ClientRequest& request) {
      if (request.verb != Verb::kGet && (*left)-- <= 0) {
        *crashed = true;
        return Result<SharedBytes>(Error::ServiceUnavailable("crashed"));
      }
      return server.Do(request);
    });
    return crashed;
  }

  bool NamespaceExists(const std::string& name) {
    return client().Get<corev1::Namespace>({"", name}).ok();
  }

  static corev1::ConfigMap ConfigMapNamed(const ObjectKey& key) {
    corev1::ConfigMap map;
    map.metadata.namespace_name = key.namespace_name;
    map.metadata.name = key.name;
    return map;
  }
  corev1::ConfigMap CreateConfigMap(const corev1::ConfigMap& map) {
    const auto created = client().Create(map);
    EXPECT_TRUE(created.ok()) << created.error().message();
    return created.ok() ? *created : map;
  }
  bool Exists(const ObjectKey& key) { return client().Get<corev1::ConfigMap>(key).ok(); }
  bool EventuallyDeleted(const ObjectKey& key) {
    return Eventually([&] { return !Exists(key); });
  }

  // Creates the CustomResourceDefinition of Widget in example.com.
  void DefineWidgets() {
    const auto definition = ParseJson(R"({"apiVersion":"apiextensions.k8s.io/v1",
        "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
        "spec":{"group":"example.com","scope":"Namespaced",
        "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
        "versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
    const auto created =
        client().Create(kDefinitions, DynamicObject::FromJson(definition.value()).value());
    ASSERT_TRUE(created.ok()) << created.error().message();
  }
  DynamicObject CreateWidget(const ObjectKey& key, std::vector<OwnerReference> owners = {},
                             std::vector<std::string> finalizers = {}) {
    DynamicObject widget{.api_version = "example.com/v1", .kind = "Widget"};
    widget.metadata.namespace_name = key.namespace_name;
    widget.metadata.name = key.name;
    widget.metadata.owner_references = std::move(owners);
    widget.metadata.finalizers = std::move(finalizers);
    const auto created = client().Create(kWidgets, widget);
    EXPECT_TRUE(created.ok()) << created.error().message();
    return created.ok() ? *created : widget;
  }
  bool WidgetExists(const ObjectKey& key) { return client().Get(kWidgets, key).ok(); }

  inline static const ResourceType kDefinitions{.group = "apiextensions.k8s.io",
                                                .version = "v1",
                                                .kind = "CustomResourceDefinition",
                                                .plural = "customresourcedefinitions",
                                                .namespaced = false};
  inline static const ResourceType kWidgets{
      .group = "example.com", .version = "v1", .kind = "Widget", .plural = "widgets"};

  struct Account {
    std::unique_ptr<Client> client;
    std::unique_ptr<InterceptedClient> intercepted;
  };

  SystemClock system_clock_;
  Clock& clock_;
  TestServer server_;
  SystemRandom random_;
  CapturingLogSink log_;
  // For Start(), which sets missing fields.
  BuiltinEnvironment environment_;
  // Run by Start() beside the controllers, with the administrator's or another client.
  SimulatedNodesOptions simulated_nodes_;
  Client* nodes_client_ = nullptr;
  std::unique_ptr<Client> manager_client_;
  std::map<std::string, Account> accounts_;
  std::unique_ptr<Manager> manager_;
  std::jthread thread_;
};

}  // namespace kubexms
