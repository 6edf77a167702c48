#pragma once

// For tests of controllers whose Pods must start and terminate: the test acts as the kubelet of all
// nodes.

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

  // The node that an unassigned Pod is bound to; empty: it stays pending.
  virtual std::string NodeFor(const Pod&) { return "node-1"; }

  // One pass of all kubelets: they start Pods, and remove Pods that are being deleted. Pods with an
  // image "broken:…" never become ready; Pods named in paused_pods_ are skipped.
  void RunPods() {
    for (const Pod& pod : All<Pod>()) {
      if (paused_pods_.contains(pod.metadata.name)) continue;
      const bool broken = pod.spec.containers[0].image.starts_with("broken");
      if (IsBeingDeleted(pod)) {
        Remove(pod);
      } else if (pod.spec.node_name.empty()) {
        const std::string node = NodeFor(pod);
        if (!node.empty()) Bind(pod, node);
      } else if (pod.status.phase == "Pending") {
        SetStatus(pod, "Running", !broken);
      }
    }
  }
  // Eventually() while the kubelets run.
  template <class Condition>
  bool EventuallyWithKubelet(const Condition& condition) {
    return Eventually([&] {
      RunPods();
      return condition();
    });
  }

  // Records the account's later writes of Pods: "create db-0", "delete db-0" …
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

  // The verbs of the account's writes since the last call.
  std::vector<std::string> TakeWrites(std::string_view account) {
    std::vector<std::string> verbs = ClientOf(account).TakeVerbs();
    std::erase(verbs, "get");
    return verbs;
  }

  // Simulates a crash of the account's process at its write number `count`: that write is performed
  // and its response is lost, or it is not performed; all later writes fail.
  class Crash {
   public:
    Crash(InterceptedClient& client, int count, bool done) : client_(client) {
      client.Set([this, count, done](Client& server, const ClientRequest& request) {
        if (!IsWrite(request.verb)) return server.Do(request);
        const int number = writes_++;
        if (number < count) return server.Do(request);
        if (number == count && done) (void)server.Do(request);
        happened_ = true;
        return Result<SharedBytes>(Error::ServiceUnavailable("crashed"));
      });
    }
    ~Crash() { client_.Set({}); }
    bool happened() const { return happened_; }

   private:
    InterceptedClient& client_;
    std::atomic<int> writes_ = 0;
    std::atomic<bool> happened_ = false;
  };

  std::set<std::string> paused_pods_;
  Mutex mutex_;
  std::vector<std::string> pod_writes_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
