#pragma once

// For tests of controllers of Pods: the test acts as the kubelet.

#include <algorithm>
#include <string>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/builtin/builtin_fixture_test.h"
#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {

class WorkloadTest : public BuiltinTest {
 protected:
  using Pod = corev1::Pod;
  using Pods = std::vector<Pod>;

  static constexpr const char* kNamespace = "default";

  static corev1::PodTemplateSpec TemplateOf(StringMap labels, const std::string& image = "web:1") {
    corev1::PodTemplateSpec pods;
    pods.metadata.labels = std::move(labels);
    pods.spec.containers.resize(1);
    pods.spec.containers[0].name = "web";
    pods.spec.containers[0].image = image;
    return pods;
  }

  template <Kind T>
  T Create(T object) {
    if (object.metadata.namespace_name.empty()) object.metadata.namespace_name = kNamespace;
    const auto created = client().Create(object);
    EXPECT_TRUE(created.ok()) << created.error().message();
    return created.ok() ? *created : object;
  }
  template <Kind T>
  T Read(const std::string& name) {
    const auto object = client().Get<T>({kNamespace, name});
    EXPECT_TRUE(object.ok()) << object.error().message();
    return object.ok() ? *object : T();
  }
  // A merge patch.
  template <Kind T>
  T Patch(const std::string& name, const std::string& body) {
    const auto patched = client().Patch<T>({kNamespace, name}, {.body = body});
    EXPECT_TRUE(patched.ok()) << patched.error().message();
    return patched.ok() ? *patched : T();
  }
  // As `kubectl scale` does.
  template <Kind T>
  void Scale(const std::string& name, int replicas) {
    const auto scaled = client().Do(
        Client::PatchRequest(ResourceType::Of<T>(), {kNamespace, name},
                             {.body = fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas)},
                             {.subresource = "scale"}));
    ASSERT_TRUE(scaled.ok()) << scaled.error().message();
  }

  Pods AllPods() {
    auto pods = client().List<Pod>({.namespace_name = kNamespace});
    EXPECT_TRUE(pods.ok());
    std::ranges::sort(pods->items, {}, [](const Pod& pod) { return pod.metadata.name; });
    return std::move(pods->items);
  }
  // The active Pods, as soon as there are `count`.
  Pods ActivePods(size_t count) {
    Pods active;
    EXPECT_TRUE(Eventually([&] {
      active = AllPods();
      std::erase_if(active, [](const Pod& pod) { return !IsActive(pod); });
      return active.size() == count;
    })) << active.size()
        << " active Pods instead of " << count;
    return active;
  }

  void SetStatus(Pod pod, const std::string& phase, bool ready) {
    pod.status.phase = phase;
    pod.status.conditions.resize(1);
    pod.status.conditions[0].type = "Ready";
    pod.status.conditions[0].status = ready ? "True" : "False";
    pod.status.conditions[0].last_transition_time = Time::Now(clock_);
    pod.metadata.resource_version.clear();
    const auto written = client().UpdateStatus(pod);
    EXPECT_TRUE(written.ok() || written.error().IsNotFound()) << written.error().message();
  }
  void MakeReady(const Pods& pods) {
    for (const Pod& pod : pods) SetStatus(pod, "Running", true);
  }
  // Binds the Pod to a node, so that its deletion is graceful.
  void Bind(const Pod& pod, const std::string& node) {
    corev1::Binding binding;
    binding.metadata.name = pod.metadata.name;
    binding.metadata.namespace_name = kNamespace;
    binding.target.kind = "Node";
    binding.target.name = node;
    const auto bound =
        client().Do(Client::WriteRequest(Verb::kCreate, ResourceType::Of<Pod>(), binding.metadata,
                                         Encode(binding), {.subresource = "binding"}));
    // The Pod may have been deleted meanwhile.
    ASSERT_TRUE(bound.ok() || bound.error().IsNotFound() || bound.error().IsConflict())
        << bound.error().message();
  }
  // Deletes the Pod without a grace period, as the kubelet does when its containers have
  // terminated.
  void Remove(const Pod& pod) {
    DeleteOptions at_once;
    at_once.grace_period_seconds = 0;
    const auto deleted = client().Delete<Pod>(ObjectKey::Of(pod.metadata), at_once);
    EXPECT_TRUE(deleted.ok() || deleted.error().IsNotFound()) << deleted.error().message();
  }

  // "Type reason: message" of the Events of an object, in no order.
  std::vector<std::string> EventsOf(const std::string& kind, const std::string& name) {
    std::vector<std::string> texts;
    const auto events = client().List<corev1::Event>({.namespace_name = kNamespace});
    for (const auto& event : events->items) {
      if (event.involved_object.kind != kind || event.involved_object.name != name) continue;
      texts.push_back(event.type + " " + event.reason + ": " + event.message);
    }
    return texts;
  }
};

}  // namespace kubexms
