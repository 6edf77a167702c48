// PodDisruptionBudgets: their evaluation, their controller with a real server, and evictions.

#include <fmt/format.h>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/policy_v1.h"
#include "kubexms/builtin/builtin_fixture_test.h"
#include "kubexms/builtin/disruption/disruption_budget.h"

namespace kubexms {
namespace {

using appsv1::Deployment;
using appsv1::ReplicaSet;
using corev1::Pod;
using policyv1::Eviction;
using policyv1::PodDisruptionBudget;
using policyv1::PodDisruptionBudgetStatus;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kController = "disruption-controller";

PodDisruptionBudget BudgetOf(const std::string& spec) {
  return Decode<PodDisruptionBudget>(
             R"({"metadata":{"namespace":"default","name":"pdb","generation":3},"spec":)" + spec +
             "}")
      .value();
}

PodPointer PodWith(const std::string& name, bool ready = true, bool deleting = false) {
  Pod pod;
  pod.metadata.name = name;
  auto& condition = pod.status.conditions.emplace_back();
  condition.type = "Ready";
  condition.status = ready ? "True" : "False";
  if (deleting) pod.metadata.deletion_timestamp = Time(std::chrono::sys_seconds(seconds(1)));
  return std::make_shared<const Pod>(std::move(pod));
}

// "allowed: healthy of expected, desired desiredHealthy".
std::string Numbers(const PodDisruptionBudgetStatus& status) {
  return fmt::format("{}: {} of {}, {} wanted", status.disruptions_allowed, status.current_healthy,
                     status.expected_pods, status.desired_healthy);
}

class EvaluateBudgetTest : public ::testing::Test {
 protected:
  std::string Evaluate(const std::string& spec, int64_t scale,
                       std::vector<PodPointer> pods = {PodWith("a"), PodWith("b"), PodWith("c")}) {
    const auto verdict = EvaluateBudget(BudgetOf(spec), pods, scale, clock_);
    return verdict.ok() ? Numbers(verdict->status) : verdict.error().message();
  }

  ManualClock clock_;
};

TEST_F(EvaluateBudgetTest, NumbersAndPercentagesLimitDisruptions) {
  EXPECT_EQ(Evaluate(R"({"minAvailable":2})", 9), "1: 3 of 3, 2 wanted");
  EXPECT_EQ(Evaluate(R"({"minAvailable":5})", 9), "0: 3 of 3, 5 wanted");
  EXPECT_EQ(Evaluate(R"({"minAvailable":"50%"})", 3), "1: 3 of 3, 2 wanted");
  EXPECT_EQ(Evaluate(R"({"minAvailable":"50%"})", 9), "0: 3 of 9, 5 wanted");
  EXPECT_EQ(Evaluate(R"({"maxUnavailable":1})", 3), "1: 3 of 3, 2 wanted");
  EXPECT_EQ(Evaluate(R"({"maxUnavailable":7})", 3), "3: 3 of 3, 0 wanted");
  EXPECT_EQ(Evaluate(R"({"maxUnavailable":"34%"})", 3), "2: 3 of 3, 1 wanted");
  EXPECT_EQ(Evaluate(R"({"maxUnavailable":"nonsense"})", 3),
            "invalid value for IntOrString: invalid type: string is not a percentage");
}

TEST_F(EvaluateBudgetTest, OnlyReadyPodsAreHealthy) {
  EXPECT_EQ(Evaluate(R"({"minAvailable":0})", 0,
                     {PodWith("a"), PodWith("b", false), PodWith("c", true, true)}),
            "1: 1 of 3, 0 wanted");
}

TEST_F(EvaluateBudgetTest, AllowsNoDisruptionWithoutPods) {
  EXPECT_EQ(Evaluate(R"({"minAvailable":0})", 0, {}), "0: 0 of 0, 0 wanted");
  EXPECT_EQ(Evaluate("{}", 0), "0: 3 of 0, 0 wanted");
}

TEST_F(EvaluateBudgetTest, GrantedEvictionsCountUntilDeletionOrTimeout) {
  PodDisruptionBudget budget = BudgetOf(R"({"minAvailable":1})");
  const Time now = Time::Now(clock_);
  budget.status.disrupted_pods = {{"a", now}, {"b", now}, {"gone", now}};
  const std::vector<PodPointer> pods = {PodWith("a"), PodWith("b", true, true), PodWith("c")};
  clock_.Advance(seconds(30));
  const auto early = EvaluateBudget(budget, pods, 0, clock_);
  ASSERT_TRUE(early.ok());
  EXPECT_EQ(Numbers(early->status), "0: 1 of 3, 1 wanted");
  EXPECT_EQ(early->status.disrupted_pods, (StringKeyed<Time>{{"a", now}}));
  EXPECT_EQ(early->recheck_after, seconds(90));
  EXPECT_THAT(early->not_deleted, IsEmpty());
  clock_.Advance(seconds(90));
  const auto late = EvaluateBudget(budget, pods, 0, clock_);
  ASSERT_TRUE(late.ok());
  EXPECT_EQ(Numbers(late->status), "1: 2 of 3, 1 wanted");
  EXPECT_THAT(late->status.disrupted_pods, IsEmpty());
  EXPECT_THAT(late->not_deleted, ElementsAre(pods[0]));
  EXPECT_FALSE(late->recheck_after.has_value());
}

TEST_F(EvaluateBudgetTest, ConditionHasTheReason) {
  PodDisruptionBudget budget = BudgetOf(R"({"minAvailable":1})");
  const auto text = [&] {
    const Condition& condition = budget.status.conditions.at(0);
    return fmt::format("{} {} {} {} {}", condition.type, condition.status, condition.reason,
                       condition.message, *condition.observed_generation);
  };
  const std::vector<PodPointer> pods = {PodWith("a"), PodWith("b")};
  budget.status = EvaluateBudget(budget, pods, 0, clock_)->status;
  EXPECT_EQ(text(), "DisruptionAllowed True SufficientPods  3");
  EXPECT_EQ(budget.status.observed_generation, 3);
  budget.status = EvaluateBudget(budget, std::span(pods).first(1), 0, clock_)->status;
  EXPECT_EQ(text(), "DisruptionAllowed False InsufficientPods  3");
  budget.status = FailSafeStatus(budget, "no idea", clock_);
  EXPECT_EQ(text(), "DisruptionAllowed False SyncFailed no idea 3");
}

TEST(DisruptionTargetTest, IsStaleAfterTheTimeout) {
  ManualClock clock;
  Pod pod = *PodWith("a");
  EXPECT_FALSE(TimeUntilStale(pod, clock).has_value());
  auto& target = pod.status.conditions.emplace_back();
  target.type = "DisruptionTarget";
  target.status = "True";
  target.reason = "EvictionByEvictionAPI";
  target.last_transition_time = Time::Now(clock);
  clock.Advance(minutes(1));
  EXPECT_EQ(TimeUntilStale(pod, clock), minutes(1));
  clock.Advance(minutes(5));
  EXPECT_EQ(TimeUntilStale(pod, clock), minutes(0));
  Pod other = pod;
  other.status.phase = "Failed";
  EXPECT_FALSE(TimeUntilStale(other, clock).has_value());
  other = pod;
  other.status.conditions[1].reason = "TerminationByKubelet";
  EXPECT_FALSE(TimeUntilStale(other, clock).has_value());
  ClearDisruptionTarget(pod, clock);
  EXPECT_FALSE(TimeUntilStale(pod, clock).has_value());
  EXPECT_EQ(pod.status.conditions[1].status, "False");
  EXPECT_EQ(pod.status.conditions[1].reason, "");
}

class DisruptionTest : public BuiltinTest {
 protected:
  template <Kind T>
  T MakeFrom(const std::string& json) {
    const auto decoded = Decode<T>(json);
    EXPECT_TRUE(decoded.ok()) << decoded.error().message();
    const auto made = client().Create(*decoded);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? *made : T();
  }
  void MakeBudget(const std::string& spec, const std::string& name = "pdb") {
    MakeFrom<PodDisruptionBudget>(fmt::format(
        R"({{"metadata":{{"namespace":"default","name":"{}"}},"spec":{{
            "selector":{{"matchLabels":{{"app":"web"}}}},{}}}}})",
        name, spec));
  }
  template <Kind T>
  static std::string OwnerOf(const T& owner) {
    OwnerReference reference;
    reference.api_version = T::kKind.ApiVersion();
    reference.kind = T::kKind.kind;
    reference.name = owner.metadata.name;
    reference.uid = owner.metadata.uid;
    reference.controller = true;
    return Encode(reference);
  }
  // A running Pod; `owner` is an owner reference or empty.
  void MakePod(const std::string& name, const std::string& owner = "", bool ready = true) {
    MakeFrom<Pod>(fmt::format(R"({{"metadata":{{"namespace":"default","name":"{}",
        "labels":{{"app":"web"}},"ownerReferences":[{}]}},
        "spec":{{"nodeName":"n","containers":[{{"name":"c","image":"i"}}]}}}})",
                              name, owner));
    const auto patched = client().Patch<Pod>(
        {"default", name},
        {.body = fmt::format(
             R"({{"status":{{"phase":"Running","conditions":[{{"type":"Ready","status":"{}"}}]}}}})",
             ready ? "True" : "False")},
        {.subresource = "status"});
    ASSERT_TRUE(patched.ok()) << patched.error().message();
  }
  // A ReplicaSet of a Deployment with `replicas` replicas.
  ReplicaSet MakeDeployment(int replicas) {
    const std::string spec = fmt::format(R"("spec":{{"replicas":{},
        "selector":{{"matchLabels":{{"app":"web"}}}},"template":{{
        "metadata":{{"labels":{{"app":"web"}}}},
        "spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}})",
                                         replicas);
    const auto deployment =
        MakeFrom<Deployment>(R"({"metadata":{"namespace":"default","name":"web"},)" + spec + "}");
    return MakeFrom<ReplicaSet>(
        R"({"metadata":{"namespace":"default","name":"web-1","ownerReferences":[)" +
        OwnerOf(deployment) + "]}," + spec + "}");
  }
  PodDisruptionBudgetStatus StatusOf(const std::string& name = "pdb") {
    const auto budget = client().Get<PodDisruptionBudget>({"default", name});
    return budget.ok() ? budget->status : PodDisruptionBudgetStatus();
  }
  void ExpectNumbers(const std::string& numbers) {
    EXPECT_TRUE(Eventually([&] {
      const auto budget = client().Get<PodDisruptionBudget>({"default", "pdb"});
      return budget.ok() && budget->status.observed_generation == budget->metadata.generation &&
             Numbers(budget->status) == numbers;
    })) << Encode(StatusOf());
  }
  Result<void> Evict(const std::string& pod) {
    Eviction eviction;
    eviction.metadata.namespace_name = "default";
    eviction.metadata.name = pod;
    auto request = Client::WriteRequest(Verb::kCreate, ResourceType::Of<Pod>(), eviction.metadata,
                                        Encode(eviction), {.subresource = "eviction"});
    const auto answer = client().Do(request);
    return answer.ok() ? Result<void>() : Result<void>(answer.error());
  }
  // The message of the refusal.
  std::string Refusal(const std::string& pod) {
    const Result<void> evicted = Evict(pod);
    if (evicted.ok()) return "evicted";
    const auto& causes = evicted.error().details().causes;
    return fmt::format("{} {}", evicted.error().code(),
                       causes.empty() ? evicted.error().message() : causes[0].message);
  }
  bool IsBeingDeleted(const std::string& name) {
    const auto pod = client().Get<Pod>({"default", name});
    return !pod.ok() || !pod->metadata.deletion_timestamp.IsZero();
  }
};

TEST_F(DisruptionTest, UpdatesStatusWhenPodsAndOwnersChange) {
  MakeBudget(R"("maxUnavailable":"50%")");
  Start(kController);
  ExpectNumbers("0: 0 of 0, 0 wanted");
  const ReplicaSet set = MakeDeployment(2);
  MakePod("a", OwnerOf(set));
  MakePod("b", OwnerOf(set));
  ExpectNumbers("1: 2 of 2, 1 wanted");
  EXPECT_EQ(StatusOf().conditions.at(0).reason, "SufficientPods");
  // The number of desired Pods changes before the Pods are created.
  ASSERT_TRUE(
      client().Patch<Deployment>({"default", "web"}, {.body = R"({"spec":{"replicas":4}})"}).ok());
  ExpectNumbers("0: 2 of 4, 2 wanted");
  EXPECT_EQ(StatusOf().conditions.at(0).reason, "InsufficientPods");
  ASSERT_TRUE(client()
                  .Patch<PodDisruptionBudget>({"default", "pdb"},
                                              {.body = R"({"spec":{"maxUnavailable":4}})"})
                  .ok());
  ExpectNumbers("2: 2 of 4, 0 wanted");
}

TEST_F(DisruptionTest, ReadsScaleSubresourceOfOtherKinds) {
  DefineWidgets();
  const DynamicObject widget = CreateWidget({"default", "w"});
  MakePod("a", fmt::format(R"({{"apiVersion":"example.com/v1","kind":"Widget","name":"w",
      "uid":"{}","controller":true}})",
                           widget.metadata.uid));
  MakeBudget(R"("maxUnavailable":1)");
  Start(kController);
  EXPECT_TRUE(Eventually([&] { return !StatusOf().conditions.empty(); }));
  EXPECT_EQ(StatusOf().conditions.at(0).reason, "SyncFailed");
  EXPECT_EQ(StatusOf().conditions.at(0).message,
            "widgets.example.com does not implement the scale subresource");
  // With an absolute number the scale of the owner is not needed.
  ASSERT_TRUE(
      client()
          .Patch<PodDisruptionBudget>(
              {"default", "pdb"}, {.body = R"({"spec":{"maxUnavailable":null,"minAvailable":1}})"})
          .ok());
  ExpectNumbers("0: 1 of 1, 1 wanted");
}

TEST_F(DisruptionTest, CountsScaleOfOtherKinds) {
  const auto definition = ParseJson(R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"CustomResourceDefinition","metadata":{"name":"farms.example.com"},
      "spec":{"group":"example.com","scope":"Namespaced",
      "names":{"plural":"farms","singular":"farm","kind":"Farm","listKind":"FarmList"},
      "versions":[{"name":"v1","served":true,"storage":true,
      "subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas",
      "statusReplicasPath":".status.replicas"}},
      "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
  ASSERT_TRUE(
      client().Create(kDefinitions, DynamicObject::FromJson(definition.value()).value()).ok());
  const ResourceType farms{
      .group = "example.com", .version = "v1", .kind = "Farm", .plural = "farms"};
  const auto farm =
      client().Create(farms, DynamicObject::Decode(R"({"apiVersion":"example.com/v1","kind":"Farm",
      "metadata":{"namespace":"default","name":"f"},"spec":{"replicas":3}})")
                                 .value());
  ASSERT_TRUE(farm.ok()) << farm.error().message();
  MakePod("a", fmt::format(R"({{"apiVersion":"example.com/v1","kind":"Farm","name":"f",
      "uid":"{}","controller":true}})",
                           farm->metadata.uid));
  MakeBudget(R"("maxUnavailable":2)");
  Start(kController);
  ExpectNumbers("0: 1 of 3, 1 wanted");
}

TEST_F(DisruptionTest, RecordsUnmanagedPodsInTheWordsOfKubernetes) {
  MakePod("a");
  MakeBudget(R"("minAvailable":"50%")");
  Start(kController);
  EXPECT_TRUE(EventuallyRecorded(
      "UnmanagedPods",
      "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]"
      "string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be "
      "unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may "
      "result in undefined behavior. To account for these pods please set \".spec.minAvailable\" "
      "field of the PDB to an integer value."));
}

TEST_F(DisruptionTest, EvictionsReduceTheBudget) {
  MakeBudget(R"("minAvailable":1)");
  MakePod("a");
  MakePod("b");
  EXPECT_EQ(Refusal("a"), "429 The disruption budget pdb is still being processed by the server.");
  Start(kController);
  ExpectNumbers("1: 2 of 2, 1 wanted");
  EXPECT_TRUE(Evict("a").ok());
  EXPECT_TRUE(IsBeingDeleted("a"));
  // The Pod has its deletion timestamp, so its entry is not needed any more.
  ExpectNumbers("0: 1 of 2, 1 wanted");
  EXPECT_TRUE(Eventually([&] { return StatusOf().disrupted_pods.empty(); }));
  EXPECT_EQ(Refusal("b"), "429 The disruption budget pdb needs 1 healthy pods and has 1 currently");
  EXPECT_FALSE(IsBeingDeleted("b"));
}

TEST_F(DisruptionTest, EvictionIsRecordedUntilTheControllerObservesIt) {
  MakeBudget(R"("minAvailable":1)");
  MakePod("a");
  MakePod("b");
  Start(kController);
  ExpectNumbers("1: 2 of 2, 1 wanted");
  Stop();
  EXPECT_TRUE(Evict("a").ok());
  EXPECT_TRUE(StatusOf().disrupted_pods.contains("a"));
  EXPECT_EQ(StatusOf().disruptions_allowed, 0);
  EXPECT_EQ(StatusOf().conditions.at(0).reason, "InsufficientPods");
}

TEST_F(DisruptionTest, UnhealthyPodEvictionPolicyDecidesAboutUnhealthyPods) {
  MakeBudget(R"("minAvailable":2)");
  MakePod("a");
  MakePod("sick", "", false);
  Start(kController);
  ExpectNumbers("0: 1 of 2, 2 wanted");
  EXPECT_EQ(Refusal("sick"),
            "429 The disruption budget pdb needs 2 healthy pods and has 1 currently");
  ASSERT_TRUE(client()
                  .Patch<PodDisruptionBudget>(
                      {"default", "pdb"},
                      {.body = R"({"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}})"})
                  .ok());
  ExpectNumbers("0: 1 of 2, 2 wanted");
  EXPECT_TRUE(Evict("sick").ok());
  MakePod("b");
  MakePod("weak", "", false);
  ExpectNumbers("0: 2 of 4, 2 wanted");
  EXPECT_TRUE(Evict("weak").ok());
  EXPECT_FALSE(Evict("b").ok());
}

TEST_F(DisruptionTest, EvictionFailsWithSeveralBudgets) {
  MakeBudget(R"("minAvailable":0)");
  MakeBudget(R"("minAvailable":0)", "second");
  MakePod("a");
  EXPECT_EQ(Refusal("a"),
            "500 This pod has more than one PodDisruptionBudget, which the eviction subresource "
            "does not support.");
}

TEST_F(DisruptionTest, WritesNothingWithoutAChange) {
  MakeBudget(R"("minAvailable":1)");
  MakePod("a");
  Start(kController);
  ExpectNumbers("0: 1 of 1, 1 wanted");
  Stop();
  ClientOf(kController).TakeVerbs();
  Start(kController);
  MakeBudget(R"("minAvailable":1)", "other");
  EXPECT_TRUE(Eventually([&] { return StatusOf("other").expected_pods == 1; }));
  EXPECT_THAT(ClientOf(kController).TakeVerbs(), ElementsAre("update status"));
}

TEST_F(DisruptionTest, ClearsStaleDisruptionTargets) {
  MakePod("a");
  const auto patched = client().Patch<Pod>({"default", "a"}, {.body = R"({"status":{"conditions":[
      {"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler",
       "lastTransitionTime":"2024-01-01T00:00:00Z"}]}})"},
                                           {.subresource = "status"});
  ASSERT_TRUE(patched.ok()) << patched.error().message();
  Start(kController);
  EXPECT_TRUE(Eventually([&] {
    const auto pod = client().Get<Pod>({"default", "a"});
    return pod.ok() && pod->status.conditions.at(0).status == "False";
  }));
}

}  // namespace
}  // namespace kubexms
