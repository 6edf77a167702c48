// The controllers of EndpointSlices and Endpoints with a real server.

#include <fmt/format.h>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/api/kinds/discovery_v1.h"
#include "kubexms/builtin/builtin_fixture_test.h"
#include "kubexms/builtin/shared/label_lookup.h"
#include "kubexms/controller/create_or_update.h"

namespace kubexms {
namespace {

using corev1::Endpoints;
using corev1::Node;
using corev1::Pod;
using corev1::Service;
using discoveryv1::EndpointSlice;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kSlices = "endpointslice-controller";
constexpr const char* kEndpoints = "endpoints-controller";
constexpr const char* kMirror = "endpointslice-mirroring-controller";

class EndpointsTest : public BuiltinTest {
 protected:
  EndpointsTest() {
    const auto node = client().Create(
        Decode<Node>(
            R"({"metadata":{"name":"n","labels":{"topology.kubernetes.io/zone":"zone-a"}}})")
            .value());
    EXPECT_TRUE(node.ok()) << node.error().message();
  }

  Service MakeService(const std::string& name, const std::string& spec) {
    const auto made = client().Create(
        Decode<Service>(
            fmt::format(R"({{"metadata":{{"namespace":"default","name":"{}"}},"spec":{}}})", name,
                        spec))
            .value());
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? *made : Service();
  }
  Service MakeWeb() {
    return MakeService("web", R"({"selector":{"app":"web"},"ports":[{"port":80}]})");
  }

  // A running Pod, as a kubelet would report it.
  void MakePod(const std::string& name, const std::string& address, bool ready = true,
               const std::string& app = "web") {
    const auto made =
        client().Create(Decode<Pod>(fmt::format(R"({{"metadata":{{"namespace":"default","name":"{}",
            "labels":{{"app":"{}"}}}},"spec":{{"nodeName":"n",
            "containers":[{{"name":"c","image":"i"}}]}}}})",
                                                name, app))
                            .value());
    ASSERT_TRUE(made.ok()) << made.error().message();
    SetStatus(name, address, ready);
  }
  void SetStatus(const std::string& name, const std::string& address, bool ready) {
    const auto patched =
        client().Patch<Pod>({"default", name},
                            {.body = fmt::format(R"({{"status":{{"phase":"Running","podIP":"{0}",
            "podIPs":[{{"ip":"{0}"}}],"conditions":[{{"type":"Ready","status":"{1}",
            "lastTransitionTime":"2024-01-01T00:00:00Z"}}]}}}})",
                                                 address, ready ? "True" : "False")},
                            {.subresource = "status"});
    ASSERT_TRUE(patched.ok()) << patched.error().message();
  }
  void DeletePod(const std::string& name) {
    DeleteOptions now;
    now.grace_period_seconds = 0;
    ASSERT_TRUE(client().Delete<Pod>({"default", name}, now).ok());
  }

  std::vector<EndpointSlice> Slices(const std::string& service = "web") {
    const auto list = client().List<EndpointSlice>(
        {.namespace_name = "default",
         .label_selector = Selector::Parse("kubernetes.io/service-name=" + service).value()});
    return list.ok() ? list->items : std::vector<EndpointSlice>();
  }
  // "address ready" of every endpoint.
  std::vector<std::string> EndpointLines(const std::string& service = "web") {
    std::vector<std::string> texts;
    for (const EndpointSlice& slice : Slices(service)) {
      for (const auto& endpoint : slice.endpoints) {
        texts.push_back(endpoint.addresses[0] + (*endpoint.conditions->ready ? " ready" : ""));
      }
    }
    return texts;
  }
  // "ready addresses [not ready addresses]".
  std::string Subsets(const std::string& name = "web") {
    const auto endpoints = client().Get<Endpoints>({"default", name});
    if (!endpoints.ok()) return "none";
    std::string text;
    for (const auto& subset : endpoints->subsets) {
      for (const auto& address : subset.addresses) text += address.ip + " ";
      for (const auto& address : subset.not_ready_addresses) text += "[" + address.ip + "] ";
    }
    return text;
  }
  template <class Matcher>
  void ExpectTold(const Matcher& matcher, const std::string& service = "web") {
    EXPECT_TRUE(Eventually([&] { return ::testing::Value(EndpointLines(service), matcher); }))
        << ::testing::PrintToString(EndpointLines(service));
  }
  void ExpectSubsets(const std::string& text, const std::string& name = "web") {
    EXPECT_TRUE(Eventually([&] { return Subsets(name) == text; })) << Subsets(name);
  }
};

TEST_F(EndpointsTest, UpdatesSlicesWhenPodsChange) {
  Start(kSlices);
  const Service service = MakeWeb();
  EXPECT_TRUE(Eventually([&] { return Slices().size() == 1; }));
  EXPECT_THAT(EndpointLines(), IsEmpty());
  MakePod("a", "10.1.0.1");
  MakePod("b", "10.1.0.2", false);
  MakePod("other", "10.1.0.3", true, "other");
  ExpectTold(UnorderedElementsAre("10.1.0.1 ready", "10.1.0.2"));
  SetStatus("b", "10.1.0.2", true);
  ExpectTold(UnorderedElementsAre("10.1.0.1 ready", "10.1.0.2 ready"));
  ASSERT_EQ(Slices().size(), 1U);
  const EndpointSlice slice = Slices()[0];
  EXPECT_EQ(
      slice.metadata.labels,
      (StringMap{{"kubernetes.io/service-name", "web"},
                 {"endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"}}));
  EXPECT_EQ(slice.metadata.owner_references[0].uid, service.metadata.uid);
  EXPECT_EQ(slice.endpoints[0].zone, "zone-a");
  EXPECT_EQ(Encode(slice.ports[0]), R"({"name":"","port":80,"protocol":"TCP"})");
  DeletePod("a");
  ExpectTold(ElementsAre("10.1.0.2 ready"));
}

TEST_F(EndpointsTest, RestoresSlicesThatOthersChange) {
  MakeWeb();
  MakePod("a", "10.1.0.1");
  Start(kSlices);
  ExpectTold(ElementsAre("10.1.0.1 ready"));
  const ObjectKey key = ObjectKey::Of(Slices()[0].metadata);
  ASSERT_TRUE(client().Patch<EndpointSlice>(key, {.body = R"({"endpoints":[]})"}).ok());
  ExpectTold(ElementsAre("10.1.0.1 ready"));
  ASSERT_TRUE(client().Delete<EndpointSlice>(key).ok());
  EXPECT_TRUE(
      Eventually([&] { return Slices().size() == 1 && Slices()[0].metadata.name != key.name; }));
}

TEST_F(EndpointsTest, IgnoresServicesWithoutASelector) {
  MakeService("manual", R"({"ports":[{"port":80}]})");
  MakeService("elsewhere",
              R"({"type":"ExternalName","externalName":"example.com","selector":{"app":"web"}})");
  Start(fmt::format("{},{}", kSlices, kEndpoints));
  MakeWeb();
  MakePod("a", "10.1.0.1");
  ExpectTold(ElementsAre("10.1.0.1 ready"));
  ExpectSubsets("10.1.0.1 ");
  for (const char* name : {"manual", "elsewhere"}) {
    EXPECT_THAT(Slices(name), IsEmpty());
    EXPECT_EQ(Subsets(name), "none");
  }
}

TEST_F(EndpointsTest, NodesDetermineEndpointsAndZones) {
  ASSERT_TRUE(client().Delete<Node>({"", "n"}).ok());
  MakeWeb();
  MakePod("a", "10.1.0.1");
  Start(kSlices);
  EXPECT_TRUE(Eventually([&] { return Slices().size() == 1; }));
  EXPECT_THAT(EndpointLines(), IsEmpty());
  Node node;
  node.metadata.name = "n";
  ASSERT_TRUE(client().Create(node).ok());
  ExpectTold(ElementsAre("10.1.0.1 ready"));
  ASSERT_TRUE(client()
                  .Patch<Node>({"", "n"}, {.body = R"({"metadata":{"labels":{
                      "topology.kubernetes.io/zone":"zone-b"}}})"})
                  .ok());
  EXPECT_TRUE(Eventually([&] { return Slices()[0].endpoints[0].zone == "zone-b"; }));
}

TEST_F(EndpointsTest, WritesNothingWithoutAChange) {
  MakeWeb();
  MakePod("a", "10.1.0.1");
  const std::string both = fmt::format("{},{}", kSlices, kEndpoints);
  Start(both);
  ExpectTold(ElementsAre("10.1.0.1 ready"));
  ExpectSubsets("10.1.0.1 ");
  Stop();
  ClientOf("endpointslice-controller").TakeVerbs();
  ClientOf("endpoint-controller").TakeVerbs();
  Start(both);
  // A change of a Pod that does not affect its endpoints is not written either.
  ASSERT_TRUE(
      client()
          .Patch<Pod>({"default", "a"}, {.body = R"({"metadata":{"annotations":{"x":"y"}}})"})
          .ok());
  MakeService("last", R"({"selector":{"app":"last"},"ports":[{"port":80}]})");
  EXPECT_TRUE(Eventually([&] { return Slices("last").size() == 1 && Subsets("last").empty(); }));
  EXPECT_THAT(ClientOf("endpointslice-controller").TakeVerbs(), ElementsAre("create"));
  EXPECT_THAT(ClientOf("endpoint-controller").TakeVerbs(), ElementsAre("create"));
}

TEST_F(EndpointsTest, UpdatesEndpointsAndDeletesThemWithTheService) {
  Start(kEndpoints);
  MakeWeb();
  MakePod("a", "10.1.0.1");
  MakePod("b", "10.1.0.2", false);
  ExpectSubsets("10.1.0.1 [10.1.0.2] ");
  const auto endpoints = client().Get<Endpoints>({"default", "web"});
  ASSERT_TRUE(endpoints.ok());
  EXPECT_EQ(endpoints->metadata.labels,
            (StringMap{{"endpoints.kubernetes.io/managed-by", "endpoint-controller"}}));
  EXPECT_EQ(Encode(endpoints->subsets[0].ports[0]), R"({"port":80,"protocol":"TCP"})");
  ASSERT_TRUE(client().Delete<Endpoints>({"default", "web"}).ok());
  ExpectSubsets("10.1.0.1 [10.1.0.2] ");
  ASSERT_TRUE(client().Delete<Service>({"default", "web"}).ok());
  ExpectSubsets("none");
}

TEST_F(EndpointsTest, DeletesLeftoverEndpointsAfterARestart) {
  Start(kEndpoints);
  MakeWeb();
  MakePod("a", "10.1.0.1");
  ExpectSubsets("10.1.0.1 ");
  Stop();
  ASSERT_TRUE(client().Delete<Service>({"default", "web"}).ok());
  Endpoints manual;
  manual.metadata.namespace_name = "default";
  manual.metadata.name = "manual";
  ASSERT_TRUE(client().Create(manual).ok());
  Start(kEndpoints);
  ExpectSubsets("none");
  EXPECT_EQ(Subsets("manual"), "");
}

// ---- Mirrored Endpoints.

class EndpointMirroringTest : public EndpointsTest {
 protected:
  EndpointMirroringTest() {
    MakeService("manual", R"({"ports":[{"port":80}]})");
    Start(kMirror);
  }
  void Write(const std::string& addresses) {
    Endpoints endpoints;
    endpoints.metadata.namespace_name = "default";
    endpoints.metadata.name = "manual";
    const auto written = CreateOrUpdate<Endpoints>(
        client(), ObjectKey::Of(endpoints.metadata), [&](Endpoints& current) -> Result<void> {
          current.subsets = Decode<Endpoints>(fmt::format(R"({{"subsets":[{{"addresses":[{}],
                  "ports":[{{"port":80}}]}}]}})",
                                                          addresses))
                                .value()
                                .subsets;
          return {};
        });
    ASSERT_TRUE(written.ok()) << written.error().message();
  }
};

TEST_F(EndpointMirroringTest, UpdatesSlicesWhenEndpointsChange) {
  Write(R"({"ip":"10.2.0.1"})");
  ExpectTold(ElementsAre("10.2.0.1 ready"), "manual");
  const EndpointSlice slice = Slices("manual").at(0);
  EXPECT_EQ(slice.metadata.owner_references.at(0).kind, "Endpoints");
  EXPECT_EQ(slice.metadata.labels.at("endpointslice.kubernetes.io/managed-by"),
            "endpointslicemirroring-controller.k8s.io");
  Write(R"({"ip":"10.2.0.1"},{"ip":"10.2.0.2"})");
  ExpectTold(UnorderedElementsAre("10.2.0.1 ready", "10.2.0.2 ready"), "manual");
  EXPECT_EQ(Slices("manual").at(0).metadata.name, slice.metadata.name);
  ASSERT_TRUE(client().Delete<EndpointSlice>(ObjectKey::Of(slice.metadata)).ok());
  ExpectTold(UnorderedElementsAre("10.2.0.1 ready", "10.2.0.2 ready"), "manual");
  ASSERT_TRUE(client().Delete<Endpoints>({"default", "manual"}).ok());
  EXPECT_TRUE(Eventually([&] { return Slices("manual").empty(); }));
}

TEST_F(EndpointMirroringTest, IgnoresServicesWithASelector) {
  Write(R"({"ip":"10.2.0.1"})");
  ExpectTold(ElementsAre("10.2.0.1 ready"), "manual");
  const ObjectKey key{"default", "manual"};
  ASSERT_TRUE(client().Patch<Service>(key, {.body = R"({"spec":{"selector":{"a":"b"}}})"}).ok());
  EXPECT_TRUE(Eventually([&] { return Slices("manual").empty(); }));
  ASSERT_TRUE(client().Patch<Service>(key, {.body = R"({"spec":{"selector":null}})"}).ok());
  ExpectTold(ElementsAre("10.2.0.1 ready"), "manual");
  ASSERT_TRUE(client().Delete<Service>(key).ok());
  EXPECT_TRUE(Eventually([&] { return Slices("manual").empty(); }));
}

TEST_F(EndpointMirroringTest, WritesNothingWithoutAChange) {
  Write(R"({"ip":"10.2.0.1"})");
  ExpectTold(ElementsAre("10.2.0.1 ready"), "manual");
  Stop();
  ClientOf("endpointslicemirroring-controller").TakeVerbs();
  Start(kMirror);
  MakeService("last", R"({"ports":[{"port":80}]})");
  Endpoints last;
  last.metadata.namespace_name = "default";
  last.metadata.name = "last";
  last.subsets.emplace_back().addresses.emplace_back().ip = "10.2.0.9";
  ASSERT_TRUE(client().Create(last).ok());
  ExpectTold(ElementsAre("10.2.0.9 ready"), "last");
  EXPECT_THAT(ClientOf("endpointslicemirroring-controller").TakeVerbs(), ElementsAre("create"));
}

// ---- Finding Services by the labels of a Pod.

class SelectorLookupTest : public ::testing::Test {
 protected:
  static Selector SelectorOf(const corev1::ConfigMap& map) {
    return Selector::Parse(map.data.at("selector")).value();
  }
  void Put(const std::string& name, const std::string& selector,
           const std::string& namespace_name = "default") {
    auto map = std::make_shared<corev1::ConfigMap>();
    map->metadata.namespace_name = namespace_name;
    map->metadata.name = map->metadata.uid = name;
    map->metadata.labels = {{"name", name}, {"group", name.substr(0, 1)}};
    map->data["selector"] = selector;
    const ObjectMeta& metadata = map->metadata;
    cache().Put({.value = std::move(map), .metadata = &metadata, .version = ++version_});
  }
  std::vector<std::string> Selecting(const StringMap& labels) {
    std::vector<std::string> names;
    for (const ObjectKey& key : lookup_.Selecting("default", labels)) names.push_back(key.name);
    return names;
  }
  std::vector<std::string> Selected(const std::string& selector) {
    cache().AddIndex(kLabelIndex, [](const CachedObject& object) {
      return LabelsOf(*object.As<corev1::ConfigMap>());
    });
    std::vector<std::string> names;
    for (const auto& map : SelectedBy(Selector::Parse(selector).value(), "default",
                                      Lister<corev1::ConfigMap>(cache()))) {
      names.push_back(map->metadata.name);
    }
    return names;
  }
  ObjectCache& cache() { return informers_.Get<corev1::ConfigMap>()->cache(); }

  TestServer server_;
  SystemClock clock_;
  SystemRandom random_;
  InformerSet informers_{InformerSet::Environment{server_.client(), clock_, random_, {}, nullptr}};
  SelectorLookup<corev1::ConfigMap> lookup_{informers_, &SelectorOf};
  uint64_t version_ = 0;
};

TEST_F(SelectorLookupTest, FindsMatchingSelectors) {
  Put("app", "app=web");
  Put("both", "app=web,tier=front");
  Put("expression", "tier in (front,back),!legacy");
  Put("all", "");
  Put("elsewhere", "app=web", "other");
  EXPECT_THAT(Selecting({{"app", "web"}}), UnorderedElementsAre("app", "all"));
  EXPECT_THAT(Selecting({{"app", "web"}, {"tier", "front"}}),
              UnorderedElementsAre("app", "both", "expression", "all"));
  EXPECT_THAT(Selecting({{"tier", "back"}, {"legacy", ""}}), UnorderedElementsAre("all"));
  EXPECT_THAT(Selecting({}), UnorderedElementsAre("all"));
}

TEST_F(SelectorLookupTest, FindsSelectedObjects) {
  for (const char* name : {"a1", "a2", "b1"}) Put(name, "x=y");
  Put("a3", "x=y", "other");
  EXPECT_THAT(Selected("group=a"), UnorderedElementsAre("a1", "a2"));
  EXPECT_THAT(Selected("group=a,name=a2"), UnorderedElementsAre("a2"));
  EXPECT_THAT(Selected("group,name!=a2"), UnorderedElementsAre("a1", "b1"));
  EXPECT_THAT(Selected("group=c"), IsEmpty());
}

}  // namespace
}  // namespace kubexms
