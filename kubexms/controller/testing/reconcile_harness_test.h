#pragma once

// For tests that call a reconciler by hand: a server, a clock that stands still, and everything
// else that a ReconcileContext has.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/crd/crd.h"
#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/controller/events/event_broadcaster.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {

inline const ResourceType kCrdType{.group = "apiextensions.k8s.io",
                                   .version = "v1",
                                   .kind = "CustomResourceDefinition",
                                   .plural = "customresourcedefinitions",
                                   .namespaced = false};

inline void CreateCrd(Client& client, Json crd) {
  const auto created = client.Create(kCrdType, DynamicObject::FromJson(std::move(crd)).value());
  ASSERT_TRUE(created.ok()) << created.error().message();
}

class ReconcileHarness {
 public:
  ReconcileHarness() : server({.clock = &clock}), client(server.client()) { StartEvents(); }

  ReconcileContext Context(const ObjectKey& key) {
    return {.controller = controller,
            .key = key,
            .id = id_,
            .reasons = {},
            .waited = {},
            .failures = 0,
            .stop = stop.get_token(),
            .client = client,
            .events = *recorder_,
            .clock = clock,
            .metrics = metrics,
            .log = Logger(),
            .caches = {}};
  }

  // "Warning SecretFailed: message ×2" of every event so far.
  std::vector<std::string> Events() {
    std::stop_source stopped;
    stopped.request_stop();
    events_->Run(stopped.get_token());
    StartEvents();
    std::vector<std::string> texts;
    for (const DynamicObject& event : ListEvents()) texts.push_back(Describe(event));
    return texts;
  }

  ManualClock clock;
  TestServer server;
  InterceptedClient client;
  MetricsRegistry metrics;
  std::stop_source stop;
  const std::string controller = "test";

 private:
  void StartEvents() {
    events_ = std::make_unique<EventBroadcaster>(
        EventBroadcasterOptions{.client = &server.client(), .clock = &clock, .random = &random_});
    recorder_.emplace(*events_, "test");
  }

  std::vector<DynamicObject> ListEvents() {
    const ResourceType type{.group = "", .version = "v1", .kind = "Event", .plural = "events"};
    std::vector<DynamicObject> events;
    const ObjectPage page = server.client().List(type).value();
    for (const SharedBytes& item : page.items) {
      events.push_back(DynamicObject::Decode(item.view()).value());
    }
    return events;
  }

  static std::string Describe(const DynamicObject& event) {
    const Json content = event.content;
    const std::string count = std::to_string(event.content.at("count").to_number<int>());
    std::string text(FindString(content, "type"));
    text.append(" ").append(FindString(content, "reason"));
    text.append(": ").append(FindString(content, "message"));
    return count == "1" ? text : text + " ×" + count;
  }

  SystemRandom random_;
  const std::string id_ = "1";
  std::unique_ptr<EventBroadcaster> events_;
  std::optional<EventRecorder> recorder_;
};

}  // namespace kubexms
