#include "kubexms/builtin/endpoints/endpoint_slices.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "kubexms/api/codec.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/builtin/endpoints/endpoint_mirror.h"
#include "kubexms/builtin/endpoints/endpoint_subsets.h"

namespace kubexms {
namespace {

using corev1::Endpoints;
using corev1::EndpointSubset;
using corev1::Pod;
using corev1::Service;
using discoveryv1::Endpoint;
using discoveryv1::EndpointSlice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr const char* kManager = "manager";

Time At(int seconds) { return Time(std::chrono::sys_seconds(std::chrono::seconds(seconds))); }

Service MakeService(
    std::string_view ports = R"([{"port":80,"protocol":"TCP","targetPort":8080}])") {
  return Decode<Service>(
             fmt::format(
                 R"({{"metadata":{{"namespace":"default","name":"web","uid":"service-uid",
                 "creationTimestamp":"2024-01-01T00:00:00Z"}},
                 "spec":{{"selector":{{"app":"web"}},"clusterIP":"10.0.0.1","ipFamilies":["IPv4"],
                 "ports":{}}}}})",
                 ports))
      .value();
}

// A ready Pod on node "n" with its name as UID; `more` changes it.
PodPointer MakePod(const std::string& name, const std::string& address,
                   const std::function<void(Pod&)>& more = {}) {
  Pod pod;
  pod.metadata.namespace_name = "default";
  pod.metadata.name = pod.metadata.uid = name;
  pod.metadata.labels = {{"app", "web"}};
  pod.spec.node_name = "n";
  if (!address.empty()) pod.status.pod_ips.emplace_back().ip = address;
  auto& ready = pod.status.conditions.emplace_back();
  ready.type = "Ready";
  ready.status = "True";
  ready.last_transition_time = At(100);
  if (more) more(pod);
  return std::make_shared<const Pod>(std::move(pod));
}

void NotReady(Pod& pod) { pod.status.conditions[0].status = "False"; }
void Terminating(Pod& pod) { pod.metadata.deletion_timestamp = At(50); }
std::function<void(Pod&)> NamedPort(int32_t number) {
  return [number](Pod& pod) {
    auto& port = pod.spec.containers.emplace_back().ports.emplace_back();
    port.name = "http";
    port.protocol = "TCP";
    port.container_port = number;
  };
}

std::optional<std::string> Zone(const std::string& node) {
  if (node == "n") return "zone-a";
  if (node == "nowhere") return "";
  return std::nullopt;
}

std::vector<EndpointGroup> Group(const Service& service, std::vector<PodPointer> pods) {
  return GroupEndpoints(service, pods, Zone);
}

// "ready serving terminating" of the only endpoint.
std::string ConditionsOf(const Service& service, const PodPointer& pod) {
  const auto groups = Group(service, {pod});
  if (groups.size() != 1 || groups[0].endpoints.size() != 1) return "none";
  const auto& conditions = *groups[0].endpoints[0].endpoint.conditions;
  return fmt::format("{} {} {}", *conditions.ready, *conditions.serving, *conditions.terminating);
}

TEST(GroupEndpointsTest, SetsConditionsFromPodState) {
  const Service service = MakeService();
  Service whatever = MakeService();
  whatever.spec.publish_not_ready_addresses = true;
  const auto both = [](Pod& pod) { NotReady(pod), Terminating(pod); };
  EXPECT_EQ(ConditionsOf(service, MakePod("a", "10.0.0.1")), "true true false");
  EXPECT_EQ(ConditionsOf(service, MakePod("a", "10.0.0.1", NotReady)), "false false false");
  EXPECT_EQ(ConditionsOf(service, MakePod("a", "10.0.0.1", Terminating)), "false true true");
  EXPECT_EQ(ConditionsOf(service, MakePod("a", "10.0.0.1", both)), "false false true");
  EXPECT_EQ(ConditionsOf(whatever, MakePod("a", "10.0.0.1", both)), "true false true");
}

TEST(GroupEndpointsTest, OmitsPodsWithoutAddressOrNodeAndFinishedPods) {
  Service service = MakeService();
  const auto on_no_node = [](Pod& pod) { pod.spec.node_name = "unknown"; };
  EXPECT_EQ(ConditionsOf(service, MakePod("a", "")), "none");
  EXPECT_EQ(ConditionsOf(service, MakePod("a", "fd00::1")), "none");
  EXPECT_EQ(ConditionsOf(service, MakePod("a", "10.0.0.1", on_no_node)), "none");
  EXPECT_EQ(ConditionsOf(service,
                         MakePod("a", "10.0.0.1", [](Pod& pod) { pod.status.phase = "Failed"; })),
            "none");
  service.spec.publish_not_ready_addresses = true;
  EXPECT_EQ(ConditionsOf(service, MakePod("a", "10.0.0.1", on_no_node)), "true true false");
}

TEST(GroupEndpointsTest, EndpointHasTargetAndTopology) {
  Service service = MakeService();
  const auto named = [](Pod& pod) {
    pod.spec.hostname = "db-0";
    pod.spec.subdomain = "web";
  };
  EXPECT_EQ(Encode(Group(service, {MakePod("a", "10.0.0.1", named)})[0].endpoints[0].endpoint),
            R"({"addresses":["10.0.0.1"],)"
            R"("conditions":{"ready":true,"serving":true,"terminating":false},)"
            R"("hostname":"db-0","nodeName":"n",)"
            R"("targetRef":{"kind":"Pod","name":"a","namespace":"default","uid":"a"},)"
            R"("zone":"zone-a"})");
  service.metadata.name = "other";
  EXPECT_EQ(Group(service, {MakePod("a", "10.0.0.1", named)})[0].endpoints[0].endpoint.hostname,
            "");
}

TEST(GroupEndpointsTest, SetsHintsForTrafficDistribution) {
  Service service = MakeService();
  const auto hints = [&](std::string_view wish, const std::function<void(Pod&)>& more = {}) {
    service.spec.traffic_distribution = wish;
    const auto groups = Group(service, {MakePod("a", "10.0.0.1", more)});
    const auto& found = groups[0].endpoints[0].endpoint.hints;
    return found ? Encode(*found) : "none";
  };
  EXPECT_EQ(hints(""), "none");
  EXPECT_EQ(hints("PreferClose"), R"({"forZones":[{"name":"zone-a"}]})");
  EXPECT_EQ(hints("PreferSameZone"), R"({"forZones":[{"name":"zone-a"}]})");
  EXPECT_EQ(hints("PreferSameNode"),
            R"({"forNodes":[{"name":"n"}],"forZones":[{"name":"zone-a"}]})");
  EXPECT_EQ(hints("PreferClose", NotReady), "none");
  EXPECT_EQ(hints("PreferClose", [](Pod& pod) { pod.spec.node_name = "nowhere"; }), "none");
}

TEST(GroupEndpointsTest, GroupsPodsByPorts) {
  const Service service = MakeService(R"([{"port":80,"protocol":"TCP","targetPort":"http"}])");
  const auto sidecar = [](Pod& pod) {
    auto& container = pod.spec.init_containers.emplace_back();
    container.restart_policy = "Always";
    auto& port = container.ports.emplace_back();
    port.name = "http", port.protocol = "TCP", port.container_port = 8080;
  };
  const auto groups = Group(service, {MakePod("a", "10.0.0.1", NamedPort(8080)),
                                      MakePod("b", "10.0.0.2", NamedPort(9090)),
                                      MakePod("c", "10.0.0.3", sidecar), MakePod("d", "10.0.0.4")});
  std::map<int32_t, size_t> sizes;
  for (const EndpointGroup& group : groups) {
    sizes[group.ports.empty() ? 0 : *group.ports[0].port] = group.endpoints.size();
  }
  EXPECT_THAT(sizes, (std::map<int32_t, size_t>{{0, 1}, {8080, 2}, {9090, 1}}));
}

TEST(GroupEndpointsTest, EveryAddressFamilyHasItsGroup) {
  Service service = MakeService();
  service.spec.ip_families = {"IPv4", "IPv6"};
  const auto dual = [](Pod& pod) { pod.status.pod_ips.emplace_back().ip = "fd00::1"; };
  const auto groups = Group(service, {MakePod("a", "10.0.0.1", dual), MakePod("b", "10.0.0.2")});
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(groups[0].address_type, "IPv4");
  EXPECT_THAT(groups[0].endpoints, SizeIs(2));
  EXPECT_EQ(groups[1].address_type, "IPv6");
  ASSERT_THAT(groups[1].endpoints, SizeIs(1));
  EXPECT_THAT(groups[1].endpoints[0].endpoint.addresses, ElementsAre("fd00::1"));
}

TEST(SlicePatternTest, HasServiceLabelsAndManagerLabels) {
  Service service = MakeService();
  service.metadata.labels = {{"tier", "front"}, {kServiceNameLabel, "lie"}, {kHeadlessLabel, ""}};
  const auto labels = [&] { return SlicePattern(service, kManager).metadata.labels; };
  const StringMap found_by = {
      {"tier", "front"}, {kServiceNameLabel, "web"}, {kSliceManagerLabel, kManager}};
  EXPECT_EQ(labels(), found_by);
  service.spec.cluster_ip = "None";
  StringMap headless = found_by;
  headless[kHeadlessLabel] = "";
  EXPECT_EQ(labels(), headless);
  const ObjectMeta metadata = SlicePattern(service, kManager).metadata;
  EXPECT_EQ(metadata.generate_name, "web-");
  EXPECT_EQ(Encode(metadata.owner_references[0]),
            R"({"apiVersion":"v1","blockOwnerDeletion":true,"controller":true,"kind":"Service",)"
            R"("name":"web","uid":"service-uid"})");
}

// The slices of a Service, to which plans are applied.
class Slices {
 public:
  explicit Slices(size_t max_endpoints = 100) : options_{.max_endpoints = max_endpoints} {}
  explicit Slices(SliceOptions options) : options_(options) {}

  SlicePlan Plan(std::span<const EndpointGroup> groups, Time since = At(1)) const {
    std::vector<EndpointSlicePtr> existing;
    for (const auto& [name, slice] : slices_) existing.push_back(slice);
    return PlanSlices(pattern, groups, existing, since, options_);
  }

  SlicePlan Apply(std::span<const EndpointGroup> groups, Time since = At(1)) {
    SlicePlan plan = Plan(groups, since);
    for (const EndpointSlicePtr& slice : plan.remove) slices_.erase(slice->metadata.name);
    for (EndpointSlice slice : plan.update) Put(std::move(slice));
    for (EndpointSlice slice : plan.create) {
      slice.metadata.name = fmt::format("slice-{:03}", ++made_);
      Put(std::move(slice));
    }
    return plan;
  }

  // The number of endpoints of each slice, in the order of creation.
  std::vector<size_t> Sizes() const {
    std::vector<size_t> sizes;
    for (const auto& [name, slice] : slices_) sizes.push_back(slice->endpoints.size());
    return sizes;
  }
  std::multiset<std::string> Names() const {
    std::multiset<std::string> names;
    for (const auto& [name, slice] : slices_) {
      for (const Endpoint& endpoint : slice->endpoints) names.insert(endpoint.target_ref->name);
    }
    return names;
  }
  const EndpointSlice& First() const { return *slices_.begin()->second; }

  EndpointSlice pattern = SlicePattern(MakeService(), kManager);

 private:
  void Put(EndpointSlice slice) {
    auto& place = slices_[slice.metadata.name];
    place = std::make_shared<const EndpointSlice>(std::move(slice));
  }

  const SliceOptions options_;
  int made_ = 0;
  std::map<std::string, EndpointSlicePtr> slices_;
};

std::string NameOf(int i) { return fmt::format("pod-{:04}", i); }

// The endpoints of Pods [from, to) with this port.
EndpointGroup Pods(int from, int to, int32_t port = 8080, const std::string& zone = "") {
  EndpointGroup group{.address_type = "IPv4"};
  group.ports.emplace_back().port = port;
  for (int i = from; i < to; ++i) {
    Endpoint endpoint;
    endpoint.addresses = {fmt::format("10.0.{}.{}", i / 250, i % 250)};
    endpoint.target_ref.emplace().name = NameOf(i);
    endpoint.zone = zone;
    group.endpoints.push_back({std::move(endpoint), At(1000 + i)});
  }
  return group;
}

std::string Writes(const SlicePlan& plan) {
  return fmt::format("{} created, {} updated, {} removed", plan.create.size(), plan.update.size(),
                     plan.remove.size());
}

TEST(PlanSlicesTest, FillsSlicesAndDoesNotChangeFullOnes) {
  Slices slices;
  EXPECT_EQ(Writes(slices.Apply({{Pods(0, 250)}})), "3 created, 0 updated, 0 removed");
  EXPECT_THAT(slices.Sizes(), ElementsAre(100, 100, 50));
  EXPECT_TRUE(slices.Plan({{Pods(0, 250)}}).empty());
  EXPECT_EQ(Writes(slices.Apply({{Pods(0, 260)}})), "0 created, 1 updated, 0 removed");
  EXPECT_THAT(slices.Sizes(), ElementsAre(100, 100, 60));
  EXPECT_EQ(Writes(slices.Apply({{Pods(0, 320)}})), "1 created, 0 updated, 0 removed");
  EXPECT_THAT(slices.Sizes(), ElementsAre(100, 100, 60, 60));
}

TEST(PlanSlicesTest, ReplacementIsAddedToTheSliceOfTheRemovedEndpoint) {
  Slices slices;
  slices.Apply({{Pods(0, 200)}});
  EXPECT_EQ(Writes(slices.Apply({{Pods(1, 201)}})), "0 created, 1 updated, 0 removed");
  EXPECT_THAT(slices.Sizes(), ElementsAre(100, 100));
}

TEST(PlanSlicesTest, FillsTheFullestSliceWithRoomForAll) {
  Slices slices(10);
  slices.Apply({{Pods(0, 26)}});
  std::vector<EndpointGroup> fewer = {Pods(1, 26)};
  slices.Apply(fewer);
  ASSERT_THAT(slices.Sizes(), ElementsAre(9, 10, 6));
  fewer[0] = Pods(1, 27);
  slices.Apply(fewer);
  EXPECT_THAT(slices.Sizes(), ElementsAre(10, 10, 6));
}

TEST(PlanSlicesTest, ReusesOrDeletesEmptySlices) {
  Slices slices(10);
  slices.Apply({{Pods(0, 20)}});
  EXPECT_EQ(Writes(slices.Apply({{Pods(0, 10)}})), "0 created, 0 updated, 1 removed");
  EXPECT_EQ(Writes(slices.Apply({{Pods(0, 10, 9090)}})), "0 created, 1 updated, 0 removed");
  EXPECT_EQ(*slices.First().ports[0].port, 9090);
  EXPECT_EQ(Writes(slices.Apply({{EndpointGroup{.address_type = "IPv4"}}})),
            "0 created, 1 updated, 0 removed");
  EXPECT_THAT(slices.First().endpoints, IsEmpty());
  EXPECT_THAT(slices.First().ports, IsEmpty());
  EXPECT_TRUE(slices.Plan({{EndpointGroup{.address_type = "IPv4"}}}).empty());
  EXPECT_EQ(Writes(slices.Apply({{EndpointGroup{.address_type = "IPv6"}}})),
            "1 created, 0 updated, 1 removed");
  EXPECT_EQ(Writes(slices.Apply({})), "0 created, 0 updated, 1 removed");
}

TEST(PlanSlicesTest, WritesChangedLabelsToEverySlice) {
  Slices slices(10);
  slices.Apply({{Pods(0, 20)}});
  slices.pattern.metadata.labels["tier"] = "front";
  EXPECT_EQ(Writes(slices.Apply({{Pods(0, 20)}})), "0 created, 2 updated, 0 removed");
  EXPECT_EQ(slices.First().metadata.labels.at("tier"), "front");
}

TEST(PlanSlicesTest, DeletesSlicesOfAnotherOwner) {
  Slices slices;
  slices.Apply({{Pods(0, 1)}});
  slices.pattern.metadata.owner_references[0].uid = "another";
  EXPECT_EQ(Writes(slices.Apply({{Pods(0, 1)}})), "1 created, 0 updated, 1 removed");
}

TEST(PlanSlicesTest, TriggerTimeIsThatOfTheFirstChange) {
  Slices slices;
  const auto trigger_time = [&]() -> std::string {
    const StringMap& annotations = slices.First().metadata.annotations;
    const auto found = annotations.find(kTriggerTimeAnnotation);
    return found == annotations.end() ? "none" : found->second;
  };
  slices.Apply({{Pods(0, 5)}});
  EXPECT_EQ(trigger_time(), At(1).ToString());
  slices.Apply({{Pods(0, 8)}});
  EXPECT_EQ(trigger_time(), At(1005).ToString());
  slices.Apply({{Pods(0, 7)}});
  EXPECT_EQ(trigger_time(), "none");
  slices.Apply({{Pods(0, 7, 9090)}});
  EXPECT_EQ(trigger_time(), "none");
  slices.Apply({{Pods(0, 7, 9090, "zone")}});
  EXPECT_EQ(trigger_time(), At(1000).ToString());
}

// Each desired endpoint is in exactly one slice, no slice is too full, a second plan is empty, and
// no slice is written without need.
RC_GTEST_PROP(PlanSlicesPropertyTest, ContainsEveryEndpointOnceWithFewWrites, ()) {
  const size_t max = *rc::gen::inRange<size_t>(1, 8);
  Slices slices(max);
  const auto steps = *rc::gen::container<std::vector<std::vector<int>>>(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40)));
  std::set<int> before;
  for (const std::vector<int>& pods : steps) {
    const std::set<int> step(pods.begin(), pods.end());
    EndpointGroup group{.address_type = "IPv4"};
    std::multiset<std::string> wanted;
    for (const int i : step) {
      group.endpoints.push_back(Pods(i, i + 1).endpoints[0]);
      wanted.insert(NameOf(i));
    }
    const size_t slices_before = slices.Sizes().size();
    const SlicePlan plan = slices.Apply({{group}});
    RC_ASSERT(slices.Names() == wanted);
    for (const size_t size : slices.Sizes()) RC_ASSERT(size <= max);
    RC_ASSERT(slices.Plan({{group}}).empty());

    std::vector<int> gone;
    std::vector<int> added;
    std::ranges::set_difference(before, step, std::back_inserter(gone));
    std::ranges::set_difference(step, before, std::back_inserter(added));
    // A slice is written because an endpoint is removed, because a new one needs room, or because
    // the group needs a slice.
    const size_t room_for_new = (added.size() + max - 1) / max;
    const size_t writes = plan.create.size() + plan.update.size() + plan.remove.size();
    RC_ASSERT(writes <=
              std::min(gone.size(), slices_before) + room_for_new + (slices_before == 0 ? 1U : 0U));
    RC_ASSERT(plan.create.empty() || plan.remove.empty());
    before = step;
  }
}

// ---- Endpoints.

// "ready [notReady] : ports" of every subset.
std::vector<std::string> Texts(const std::vector<EndpointSubset>& subsets) {
  std::vector<std::string> texts;
  for (const EndpointSubset& subset : subsets) {
    std::string text;
    for (const auto& address : subset.addresses) text += address.ip + " ";
    for (const auto& address : subset.not_ready_addresses) text += "[" + address.ip + "] ";
    text += ":";
    for (const auto& port : subset.ports) text += fmt::format(" {}{}", port.name, port.port);
    texts.push_back(text);
  }
  return texts;
}

TEST(PackSubsetsTest, GroupsAddressesByPorts) {
  const Service service = MakeService(R"([{"name":"b","port":81,"protocol":"TCP","targetPort":81},
                      {"name":"a","port":80,"protocol":"TCP","targetPort":"http"}])");
  EXPECT_THAT(Texts(PackSubsets(service, {})), IsEmpty());
  const std::vector<PodPointer> pods = {
      MakePod("c", "10.0.0.3", NamedPort(8080)), MakePod("b", "10.0.0.2", NamedPort(9090)),
      MakePod("a", "10.0.0.1", [](Pod& pod) { NamedPort(8080)(pod), NotReady(pod); })};
  EXPECT_THAT(Texts(PackSubsets(service, pods)),
              ElementsAre("10.0.0.3 [10.0.0.1] : a8080", "10.0.0.2 : a9090",
                          "10.0.0.2 10.0.0.3 [10.0.0.1] : b81"));
  EXPECT_THAT(Texts(PackSubsets(service, std::span(pods).first(1))),
              ElementsAre("10.0.0.3 : a8080 b81"));
}

TEST(PackSubsetsTest, HeadlessServicesNeedNoPorts) {
  Service service = MakeService("[]");
  const std::vector<PodPointer> pods = {MakePod("a", "10.0.0.1"),
                                        MakePod("b", "10.0.0.2", Terminating)};
  EXPECT_THAT(Texts(PackSubsets(service, pods)), IsEmpty());
  service.spec.cluster_ip = "None";
  EXPECT_THAT(Texts(PackSubsets(service, pods)), ElementsAre("10.0.0.1 :"));
  service.spec.publish_not_ready_addresses = true;
  EXPECT_THAT(Texts(PackSubsets(service, pods)), ElementsAre("10.0.0.1 10.0.0.2 :"));
}

TEST(TruncateSubsetsTest, RetainsReadyAddressesAndTruncatesProportionally) {
  const auto truncated = [](std::vector<std::pair<size_t, size_t>> sizes, size_t max) {
    std::vector<EndpointSubset> subsets(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      subsets[i].addresses.resize(sizes[i].first);
      subsets[i].not_ready_addresses.resize(sizes[i].second);
    }
    std::string text = TruncateSubsets(subsets, max) ? "truncated" : "whole";
    for (const EndpointSubset& subset : subsets) {
      text += fmt::format(" {}+{}", subset.addresses.size(), subset.not_ready_addresses.size());
    }
    return text;
  };
  EXPECT_EQ(truncated({{5, 5}}, 10), "whole 5+5");
  EXPECT_EQ(truncated({{5, 6}}, 10), "truncated 5+5");
  EXPECT_EQ(truncated({{12, 6}, {4, 0}}, 10), "truncated 8+0 2+0");
  EXPECT_EQ(truncated({{4, 6}, {0, 6}}, 10), "truncated 4+3 0+3");
}

TEST(PlanEndpointsTest, ReturnsNothingIfUpToDate) {
  Service service = MakeService();
  service.metadata.labels = {{"tier", "front"}, {kHeadlessLabel, ""}};
  std::vector<PodPointer> pods = {MakePod("a", "10.0.0.1")};
  const auto first = PlanEndpoints(service, pods, nullptr);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->metadata.labels,
            (StringMap{{"tier", "front"}, {kEndpointsManagerLabel, "endpoint-controller"}}));
  EXPECT_EQ(first->metadata.annotations,
            (StringMap{{kTriggerTimeAnnotation, "2024-01-01T00:00:00Z"}}));
  EXPECT_FALSE(PlanEndpoints(service, pods, &*first).has_value());

  pods.push_back(MakePod("b", "10.0.0.2"));
  const auto second = PlanEndpoints(service, pods, &*first);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->metadata.annotations.at(kTriggerTimeAnnotation), At(100).ToString());
  EXPECT_FALSE(PlanEndpoints(service, pods, &*second).has_value());
}

TEST(PlanEndpointsTest, AnnotatesTruncation) {
  const Service service = MakeService();
  std::vector<PodPointer> pods;
  for (int i = 0; i < 1100; ++i) {
    pods.push_back(MakePod(NameOf(i), fmt::format("10.0.{}.{}", i / 250, i % 250)));
  }
  const auto full = PlanEndpoints(service, pods, nullptr);
  ASSERT_TRUE(full.has_value());
  EXPECT_THAT(full->subsets[0].addresses, SizeIs(1000));
  EXPECT_EQ(full->metadata.annotations.at(kOverCapacityAnnotation), "truncated");
  EXPECT_FALSE(PlanEndpoints(service, pods, &*full).has_value());
  pods.resize(10);
  const auto few = PlanEndpoints(service, pods, &*full);
  ASSERT_TRUE(few.has_value());
  EXPECT_FALSE(few->metadata.annotations.contains(kOverCapacityAnnotation));
}

// ---- Mirrored Endpoints.

Endpoints Written(std::string_view subsets, std::string_view metadata = "") {
  return Decode<Endpoints>(fmt::format(R"({{"metadata":{{"namespace":"default","name":"db",
             "uid":"endpoints-uid"{}}},"subsets":{}}})",
                                       metadata, subsets))
      .value();
}

// "family port: address address!", where "!" marks an address that is not ready.
std::vector<std::string> AddressLines(const MirroredEndpoints& mirrored) {
  std::vector<std::string> texts;
  for (const EndpointGroup& group : mirrored.groups) {
    std::string text = fmt::format("{} {}:", group.address_type, *group.ports.at(0).port);
    for (const DesiredEndpoint& wanted : group.endpoints) {
      const Endpoint& endpoint = wanted.endpoint;
      text += " " + endpoint.addresses.at(0) + (*endpoint.conditions->ready ? "" : "!");
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST(EndpointMirrorTest, CreatesASlicePerPortsAndFamily) {
  const MirroredEndpoints mirrored = MirrorEndpoints(Written(R"([
      {"addresses":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}],"notReadyAddresses":[{"ip":"10.0.0.2"}],
       "ports":[{"port":80}]},
      {"addresses":[{"ip":"10.0.0.3"}],"ports":[{"port":81}]},
      {"addresses":[{"ip":"10.0.0.4"}],"ports":[{"port":80}]}])"));
  EXPECT_THAT(AddressLines(mirrored),
              UnorderedElementsAre("IPv4 80: 10.0.0.1 10.0.0.2! 10.0.0.4", "IPv6 80: fd00::1",
                                   "IPv4 81: 10.0.0.3"));
  EXPECT_EQ(mirrored.skipped, 0U);
  EXPECT_THAT(MirrorEndpoints(Written(R"([{"ports":[{"port":80}]}])")).groups, IsEmpty());
}

TEST(EndpointMirrorTest, MirrorsAllFieldsOfAnAddress) {
  const MirroredEndpoints mirrored = MirrorEndpoints(Written(R"([
      {"addresses":[{"ip":"10.0.0.1","hostname":"a","nodeName":"n",
                     "targetRef":{"kind":"Pod","name":"p"}}],
       "ports":[{"port":80,"name":"http","protocol":"TCP","appProtocol":"h2c"}]}])"));
  ASSERT_THAT(mirrored.groups, SizeIs(1));
  EXPECT_EQ(Encode(mirrored.groups[0].endpoints.at(0).endpoint),
            R"({"addresses":["10.0.0.1"],"conditions":{"ready":true},"hostname":"a",)"
            R"("nodeName":"n","targetRef":{"kind":"Pod","name":"p"}})");
  EXPECT_EQ(Encode(mirrored.groups[0].ports.at(0)),
            R"({"appProtocol":"h2c","name":"http","port":80,"protocol":"TCP"})");
}

TEST(EndpointMirrorTest, PrefersReadyAddressesBeyondTheLimit) {
  Endpoints endpoints = Written(R"([{"notReadyAddresses":[{"ip":"10.9.0.1"}]}])");
  auto& addresses = endpoints.subsets[0].addresses;
  for (size_t i = 0; i < kMaxMirroredAddresses + 2; ++i) {
    addresses.emplace_back().ip = fmt::format("10.1.{}.{}", i / 256, i % 256);
  }
  const MirroredEndpoints mirrored = MirrorEndpoints(endpoints);
  EXPECT_EQ(mirrored.skipped, 3U);
  EXPECT_EQ(mirrored.groups.at(0).endpoints.size(), kMaxMirroredAddresses);
}

TEST(EndpointMirrorTest, CopiesLabelsAndAnnotations) {
  const EndpointSlice pattern =
      MirrorPattern(Written("[]", R"(,"labels":{"a":"b"},"annotations":{"note":"x",
          "kubectl.kubernetes.io/last-applied-configuration":"{}",
          "endpoints.kubernetes.io/last-change-trigger-time":"2024-01-01T00:00:00Z"})"),
                    kManager);
  EXPECT_EQ(pattern.metadata.labels,
            (StringMap{{"a", "b"},
                       {"kubernetes.io/service-name", "db"},
                       {"endpointslice.kubernetes.io/managed-by", kManager}}));
  EXPECT_EQ(pattern.metadata.annotations, (StringMap{{"note", "x"}}));
  EXPECT_EQ(pattern.metadata.owner_references.at(0).kind, "Endpoints");
}

TEST(EndpointMirrorTest, RemovesAnnotationsThatTheEndpointsNoLongerHave) {
  Slices slices({.exact_annotations = true});
  slices.pattern.metadata.annotations = {{"a", "1"}, {"b", "2"}};
  const std::vector<EndpointGroup> groups =
      MirrorEndpoints(Written(R"([{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80}]}])"))
          .groups;
  slices.Apply(groups, Time());
  EXPECT_TRUE(slices.Plan(groups, Time()).empty());
  slices.pattern.metadata.annotations.erase("b");
  EXPECT_THAT(slices.Apply(groups, Time()).update, SizeIs(1));
  EXPECT_EQ(slices.First().metadata.annotations, (StringMap{{"a", "1"}}));
}

TEST(EndpointMirrorTest, SkipsLeaderElectionRecordsAndLabeledEndpoints) {
  EXPECT_TRUE(ShouldMirror(Written("[]")));
  EXPECT_TRUE(ShouldMirror(
      Written("[]", R"(,"labels":{"endpointslice.kubernetes.io/skip-mirror":"false"})")));
  EXPECT_FALSE(ShouldMirror(
      Written("[]", R"(,"labels":{"endpointslice.kubernetes.io/skip-mirror":"true"})")));
  EXPECT_FALSE(ShouldMirror(
      Written("[]", R"(,"annotations":{"control-plane.alpha.kubernetes.io/leader":"{}"})")));
}

}  // namespace
}  // namespace kubexms
