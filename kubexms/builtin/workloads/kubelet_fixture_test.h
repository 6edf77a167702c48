#pragma once

// For tests of controllers whose Pods must come up and go: the test does what nodes do.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "kubexms/api/stored_object.h"
#include "kubexms/builtin/workloads/workload_fixture_test.h"

namespace kubexms {

class KubeletTest : public WorkloadTest {
 protected:
  template <Kind T>
  std::vector<T> All() {
    auto list = client().List<T>({.namespace_name = kNamespace});
    EXPECT_TRUE(list.ok());
    std::ranges::sort(list->items, {}, [](const T& object) { return object.metadata.name; });
    return std::move(list->items);
  }
  template <Kind T>
  static std::vector<std::string> NamesOf(const std::vector<T>& objects) {
    std::vector<std::string> names;
    for (const T& object : objects) names.push_back(object.metadata.name);
    return names;
  }
  std::vector<std::string> PodNames() { return NamesOf(All<Pod>()); }

  // Where a Pod that has no node yet goes; empty: it waits.
  virtual std::string NodeFor(const Pod&) { return "node-1"; }

  // One look of all nodes at their Pods: they start, and end when they are deleted. Those of an
  // image "broken:…" do not get ready; those named in held_ are not looked at.
  void RunPods() {
    for (const Pod& pod : All<Pod>()) {
      if (held_.contains(pod.metadata.name)) continue;
      const bool broken = pod.spec.containers[0].image.starts_with("broken");
      if (IsBeingDeleted(pod)) {
        End(pod);
      } else if (pod.spec.node_name.empty()) {
        const std::string node = NodeFor(pod);
        if (!node.empty()) Bind(pod, node);
      } else if (pod.status.phase == "Pending") {
        SetStatus(pod, "Running", !broken);
      }
    }
  }
  // The same as Eventually(), while the nodes work.
  template <class Condition>
  bool Settles(const Condition& condition) {
    return Eventually([&] {
      RunPods();
      return condition();
    });
  }

  // "create db-0", "delete db-0" … from now on, of what the account does to Pods.
  void RecordPodWrites(std::string_view account) {
    ClientOf(account).Set([this](Client& server, const ClientRequest& request) {
      Result<SharedBytes> answer = server.Do(request);
      if (answer.ok() && IsWrite(request.verb) && request.resource.plural == "pods") {
        const std::string name =
            request.name.empty() ? ReadHeader(answer->view())->name : request.name;
        MutexLock lock(mutex_);
        pod_writes_.push_back(std::string(VerbName(request.verb)) + " " + name);
      }
      return answer;
    });
  }
  std::vector<std::string> TakePodWrites() {
    MutexLock lock(mutex_);
    return std::exchange(pod_writes_, {});
  }

  // The writes among what an account has asked since the last call.
  std::vector<std::string> TakeWrites(std::string_view account) {
    std::vector<std::string> verbs = ClientOf(account).TakeVerbs();
    std::erase(verbs, "get");
    return verbs;
  }

  // Lets the account's process die at its write number `count`: that one is done, but its answer is
  // lost, or it is not done at all; none comes after it. True when it came to that.
  class Crash {
   public:
    Crash(InterceptedClient& client, int count, bool done) : client_(client) {
      client.Set([this, count, done](Client& server, const ClientRequest& request) {
        if (!IsWrite(request.verb)) return server.Do(request);
        const int number = writes_++;
        if (number < count) return server.Do(request);
        if (number == count && done) (void)server.Do(request);
        happened_ = true;
        return Result<SharedBytes>(Error::ServiceUnavailable("the process is no more"));
      });
    }
    ~Crash() { client_.Set({}); }
    bool happened() const { return happened_; }

   private:
    InterceptedClient& client_;
    std::atomic<int> writes_ = 0;
    std::atomic<bool> happened_ = false;
  };

  std::set<std::string> held_;
  Mutex mutex_;
  std::vector<std::string> pod_writes_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
