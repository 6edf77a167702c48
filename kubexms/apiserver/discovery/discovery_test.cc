#include "kubexms/apiserver/discovery/discovery.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/resources/builtin_resources.h"

namespace kubexms {
namespace {

ResourcePtr Custom(std::string group, std::string version, std::string kind, std::string plural) {
  Resource resource{.group = std::move(group),
                    .version = std::move(version),
                    .kind = std::move(kind),
                    .plural = std::move(plural),
                    .verbs = {"get", "list", "watch"},
                    .subresources = {{.name = "status", .verbs = {"get", "patch", "update"}}},
                    .storage_version = "v1",
                    .custom = true};
  return std::make_shared<Resource>(std::move(resource));
}

std::vector<ResourcePtr> AllResources() {
  std::vector<ResourcePtr> resources = BuiltinResources();
  resources.push_back(Custom("zoo.example.com", "v1", "Lion", "lions"));
  resources.push_back(Custom("example.com", "v1beta1", "Widget", "widgets"));
  resources.push_back(Custom("example.com", "v1", "Widget", "widgets"));
  return resources;
}

std::vector<std::string> Names(const Json& array, std::string_view key) {
  std::vector<std::string> names;
  for (const Json& item : array.as_array()) names.emplace_back(FindString(item, key));
  return names;
}

// The item of a list whose member has that value.
const Json& FindItem(const Json& array, std::string_view key, std::string_view value) {
  for (const Json& item : array.as_array()) {
    if (FindString(item, key) == value) return item;
  }
  ADD_FAILURE() << "no item has " << key << " " << value;
  static const Json kNone;
  return kNone;
}

TEST(DiscoveryTest, ReturnsTheCoreVersionAndTheServerAddress) {
  EXPECT_EQ(WriteJson(MakeApiVersions("10.0.0.1:6443")),
            R"({"kind":"APIVersions","serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0",)"
            R"("serverAddress":"10.0.0.1:6443"}],"versions":["v1"]})");
}

TEST(DiscoveryTest, ListsGroupsByPreference) {
  const Json list = MakeApiGroupList(AllResources());
  EXPECT_EQ(FindString(list, "kind"), "APIGroupList");
  EXPECT_EQ(Names(list.at("groups"), "name"),
            (std::vector<std::string>{"apiregistration.k8s.io",
                                      "apps",
                                      "events.k8s.io",
                                      "authentication.k8s.io",
                                      "authorization.k8s.io",
                                      "autoscaling",
                                      "batch",
                                      "certificates.k8s.io",
                                      "networking.k8s.io",
                                      "policy",
                                      "rbac.authorization.k8s.io",
                                      "storage.k8s.io",
                                      "admissionregistration.k8s.io",
                                      "apiextensions.k8s.io",
                                      "scheduling.k8s.io",
                                      "coordination.k8s.io",
                                      "node.k8s.io",
                                      "discovery.k8s.io",
                                      "resource.k8s.io",
                                      "flowcontrol.apiserver.k8s.io",
                                      "example.com",
                                      "zoo.example.com"}));
}

TEST(DiscoveryTest, PrefersTheNewestStableVersion) {
  const std::vector<ResourcePtr> resources = AllResources();
  EXPECT_EQ(WriteJson(*MakeApiGroup(resources, "autoscaling")),
            R"({"apiVersion":"v1","kind":"APIGroup","name":"autoscaling",)"
            R"("preferredVersion":{"groupVersion":"autoscaling/v2","version":"v2"},)"
            R"("versions":[{"groupVersion":"autoscaling/v2","version":"v2"},)"
            R"({"groupVersion":"autoscaling/v1","version":"v1"}]})");
  EXPECT_EQ(Names(MakeApiGroup(resources, "example.com")->at("versions"), "version"),
            (std::vector<std::string>{"v1", "v1beta1"}));
  EXPECT_FALSE(MakeApiGroup(resources, "nothing.example.com").has_value());
  EXPECT_FALSE(MakeApiGroup(resources, "").has_value());
}

TEST(DiscoveryTest, ListsTheResourcesOfAVersion) {
  const Json core = *MakeApiResourceList(AllResources(), "", "v1");
  EXPECT_EQ(FindString(core, "groupVersion"), "v1");
  EXPECT_EQ(FindMember(core, "apiVersion"), nullptr);
  const Json& resources = core.at("resources");
  EXPECT_EQ(resources.as_array().size(), 32U);
  EXPECT_EQ(WriteJson(FindItem(resources, "name", "pods")),
            R"({"categories":["all"],"kind":"Pod","name":"pods","namespaced":true,)"
            R"("shortNames":["po"],"singularName":"pod","storageVersionHash":"xPOwRZ+Yhw8=",)"
            R"("verbs":["create","delete","deletecollection","get","list","patch","update",)"
            R"("watch"]})");
  EXPECT_EQ(WriteJson(FindItem(resources, "name", "pods/eviction")),
            R"({"group":"policy","kind":"Eviction","name":"pods/eviction","namespaced":true,)"
            R"("singularName":"","verbs":["create"],"version":"v1"})");
  EXPECT_EQ(WriteJson(FindItem(resources, "name", "pods/binding")),
            R"({"kind":"Binding","name":"pods/binding","namespaced":true,"singularName":"",)"
            R"("verbs":["create"]})");
  EXPECT_EQ(WriteJson(FindItem(resources, "name", "bindings")),
            R"({"kind":"Binding","name":"bindings","namespaced":true,"singularName":"binding",)"
            R"("verbs":["create"]})");

  const Json apps = *MakeApiResourceList(AllResources(), "apps", "v1");
  EXPECT_EQ(FindString(apps, "apiVersion"), "v1");
  EXPECT_EQ(FindString(apps, "groupVersion"), "apps/v1");
  EXPECT_EQ(
      Names(apps.at("resources"), "name"),
      (std::vector<std::string>{"controllerrevisions", "daemonsets", "daemonsets/status",
                                "deployments", "deployments/scale", "deployments/status",
                                "replicasets", "replicasets/scale", "replicasets/status",
                                "statefulsets", "statefulsets/scale", "statefulsets/status"}));
  EXPECT_FALSE(MakeApiResourceList(AllResources(), "apps", "v2").has_value());
}

TEST(DiscoveryTest, HashesTheStorageVersion) {
  const Json batch = *MakeApiResourceList(AllResources(), "batch", "v1");
  EXPECT_EQ(FindString(FindItem(batch.at("resources"), "name", "jobs"), "storageVersionHash"),
            "mudhfqk/qZY=");
  const Json events = *MakeApiResourceList(AllResources(), "events.k8s.io", "v1");
  EXPECT_EQ(FindString(FindItem(events.at("resources"), "name", "events"), "storageVersionHash"),
            "r2yiGXH7wu8=");
}

TEST(DiscoveryTest, AggregatesTheCoreGroup) {
  const Json list = MakeAggregatedDiscovery(AllResources(), DiscoveryScope::kCore, "v2");
  EXPECT_EQ(FindString(list, "apiVersion"), "apidiscovery.k8s.io/v2");
  ASSERT_EQ(list.at("items").as_array().size(), 1U);
  const Json& version = list.at("items").at(0).at("versions").at(0);
  EXPECT_EQ(FindString(version, "freshness"), "Current");
  EXPECT_EQ(WriteJson(FindItem(version.at("resources"), "resource", "namespaces")),
            R"({"resource":"namespaces","responseKind":{"group":"","kind":"Namespace",)"
            R"("version":""},"scope":"Cluster","shortNames":["ns"],)"
            R"("singularResource":"namespace","subresources":[{"responseKind":{"group":"",)"
            R"("kind":"Namespace","version":""},"subresource":"finalize","verbs":["update"]},)"
            R"({"responseKind":{"group":"","kind":"Namespace","version":""},)"
            R"("subresource":"status","verbs":["get","patch","update"]}],)"
            R"("verbs":["create","delete","get","list","patch","update","watch"]})");
}

TEST(DiscoveryTest, AggregatesAllOtherGroups) {
  const Json list = MakeAggregatedDiscovery(AllResources(), DiscoveryScope::kGroups, "v2beta1");
  EXPECT_EQ(FindString(list, "apiVersion"), "apidiscovery.k8s.io/v2beta1");
  const JsonArray& items = list.at("items").as_array();
  ASSERT_EQ(items.size(), 22U);
  EXPECT_EQ(FindString(items[0].at("metadata"), "name"), "apiregistration.k8s.io");
  EXPECT_EQ(Names(items[5].at("versions"), "version"), (std::vector<std::string>{"v2", "v1"}));
  const Json& widgets = items[20].at("versions").at(0).at("resources").at(0);
  EXPECT_EQ(WriteJson(widgets.at("responseKind")),
            R"({"group":"example.com","kind":"Widget","version":"v1"})");
  EXPECT_EQ(WriteJson(widgets.at("subresources").at(0).at("responseKind")),
            R"({"group":"example.com","kind":"Widget","version":"v1"})");
}

TEST(DiscoveryTest, ReturnsTheVersionsOfTheApiAndTheBuild) {
  const Json version = MakeVersion("0.3.0");
  EXPECT_EQ(FindString(version, "major"), "1");
  EXPECT_EQ(FindString(version, "minor"), "34");
  EXPECT_EQ(FindString(version, "gitVersion"), "v1.34.0+kubexms-0.3.0");
}

}  // namespace
}  // namespace kubexms
