#include "kubexms/api/schema/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "kubexms/api/builtin/builtin_kinds.h"
#include "kubexms/api/schema/schema_test.h"

namespace kubexms {
namespace {

using ::kubexms::testing::S;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::vector<std::string> kAllVerbs = {"get",    "list",  "watch",  "create",
                                            "update", "patch", "delete", "deletecollection"};

class OpenApiTest : public ::testing::Test {
 protected:
  OpenApiTest() {
    meta_.definition = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    meta_.type = SchemaType::kObject;
    meta_.properties = {{"name", &name_}};
    name_.type = SchemaType::kString;
    resources_ = {{.group = "example.com",
                   .version = "v1",
                   .kind = "Widget",
                   .resource = "widgets",
                   .verbs = kAllVerbs,
                   .subresources = {{.name = "status", .verbs = {"get", "patch", "update"}},
                                    {.name = "scale",
                                     .verbs = {"get"},
                                     .group = "autoscaling",
                                     .version = "v1",
                                     .kind = "Scale"}},
                   .schema = widget_.get()},
                  {.version = "v1",
                   .kind = "Node",
                   .resource = "nodes",
                   .namespaced = false,
                   .verbs = {"get", "list"}}};
    options_.object_meta = &meta_;
  }

  SchemaHandle widget_ = S(R"({"type": "object", "description": "A widget.",
                               "properties": {"spec": {"type": "object"}}})");
  Schema name_;
  Schema meta_;
  std::vector<ResourceDescription> resources_;
  OpenApiOptions options_;
};

// Every "$ref" in the document.
std::set<std::string> References(const Json& value) {
  std::set<std::string> found;
  const std::function<void(const Json&)> walk = [&](const Json& node) {
    if (const JsonArray* items = node.if_array()) {
      for (const Json& item : *items) walk(item);
    }
    if (const JsonObject* object = node.if_object()) {
      for (const auto& member : *object) {
        const JsonString* text = member.value().if_string();
        if (member.key() == "$ref" && text != nullptr) found.emplace(AsView(*text));
        walk(member.value());
      }
    }
  };
  walk(value);
  return found;
}

std::vector<std::string> Keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& member : object.as_object()) keys.emplace_back(member.key());
  return keys;
}

TEST_F(OpenApiTest, HasAPathForEachOperation) {
  const Json document = MakeOpenApiV2(resources_, options_);
  EXPECT_THAT(
      Keys(document.at("paths")),
      UnorderedElementsAre("/api/v1/nodes", "/api/v1/nodes/{name}", "/apis/example.com/v1/widgets",
                           "/apis/example.com/v1/namespaces/{namespace}/widgets",
                           "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}",
                           "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/scale",
                           "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status"));
  const Json& item =
      document.at("paths").at("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}");
  EXPECT_THAT(Keys(item), UnorderedElementsAre("get", "put", "patch", "delete", "parameters"));
  EXPECT_EQ(item.at("patch").at("x-kubernetes-action"), "patch");
  EXPECT_EQ(item.at("patch").at("operationId"), "patchExampleComV1NamespacedWidget");
  EXPECT_EQ(WriteJson(item.at("patch").at("x-kubernetes-group-version-kind")),
            R"({"group":"example.com","kind":"Widget","version":"v1"})");
}

TEST_F(OpenApiTest, ListsDryRunAndFieldValidationForPatches) {
  for (const Json& document :
       {MakeOpenApiV2(resources_, options_), MakeOpenApiV3(resources_, options_)}) {
    const Json& patch = document.at("paths")
                            .at("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}")
                            .at("patch");
    std::set<std::string> names;
    for (const Json& parameter : patch.at("parameters").as_array()) {
      names.emplace(FindString(parameter, "name"));
    }
    EXPECT_TRUE(names.contains("dryRun"));
    EXPECT_TRUE(names.contains("fieldValidation"));
    EXPECT_TRUE(names.contains("force"));
  }
}

// kubectl sends strategic merge patches to every kind whose document offers them.
TEST_F(OpenApiTest, ListsStrategicMergePatchesWhereTheyAreAccepted) {
  const auto offers = [&] {
    const Json document = MakeOpenApiV3(resources_, options_);
    const Json& patch = document.at("paths")
                            .at("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}")
                            .at("patch");
    return patch.at("requestBody")
        .at("content")
        .as_object()
        .contains("application/strategic-merge-patch+json");
  };
  EXPECT_TRUE(offers());
  resources_[0].strategic_patch = false;
  EXPECT_FALSE(offers());
}

TEST_F(OpenApiTest, NamesTheKindOfEachDefinition) {
  const Json document = MakeOpenApiV2(resources_, options_);
  const Json& widget = document.at("definitions").at("com.example.v1.Widget");
  EXPECT_EQ(WriteJson(widget.at("x-kubernetes-group-version-kind")),
            R"([{"group":"example.com","kind":"Widget","version":"v1"}])");
  EXPECT_EQ(widget.at("description"), "A widget.");
  EXPECT_EQ(WriteJson(widget.at("properties").at("metadata")),
            R"({"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"})");
  EXPECT_TRUE(document.at("definitions").as_object().contains("com.example.v1.WidgetList"));
  EXPECT_TRUE(document.at("definitions").as_object().contains("autoscaling.v1.Scale"));
}

TEST_F(OpenApiTest, RefersOnlyToExistingDefinitions) {
  for (const std::string& reference : References(MakeOpenApiV2(resources_, options_))) {
    const std::string name = reference.substr(std::string("#/definitions/").size());
    EXPECT_TRUE(MakeOpenApiV2(resources_, options_).at("definitions").as_object().contains(name))
        << reference;
  }
  const Json v3 = MakeOpenApiV3(resources_, options_);
  for (const std::string& reference : References(v3)) {
    const std::string name = reference.substr(std::string("#/components/schemas/").size());
    EXPECT_TRUE(v3.at("components").at("schemas").as_object().contains(name)) << reference;
  }
}

TEST_F(OpenApiTest, DescribesRequestAndResponseBodiesInVersion3) {
  const Json document = MakeOpenApiV3(resources_, options_);
  const Json& create =
      document.at("paths").at("/apis/example.com/v1/namespaces/{namespace}/widgets").at("post");
  EXPECT_EQ(create.at("requestBody").at("content").at("application/json").at("schema").at("$ref"),
            "#/components/schemas/com.example.v1.Widget");
  EXPECT_THAT(Keys(create.at("responses")), UnorderedElementsAre("200", "201", "202", "401"));
}

TEST_F(OpenApiTest, ListsTheDocumentsOfVersion3) {
  const std::vector<std::pair<std::string, std::string>> documents = {{"apis/apps/v1", "AB12"}};
  EXPECT_EQ(WriteJson(MakeOpenApiV3Index(documents)),
            R"({"paths":{"apis/apps/v1":{"serverRelativeURL":)"
            R"("/openapi/v3/apis/apps/v1?hash=AB12"}}})");
}

TEST_F(OpenApiTest, DefinesEverythingThatTheBuiltInKindsReferTo) {
  std::vector<ResourceDescription> resources;
  for (const TypeInfo* type : BuiltinKinds()) {
    const KindName& name = *type->kind_name;
    resources.push_back({.group = std::string(name.group),
                         .version = std::string(name.version),
                         .kind = std::string(name.kind),
                         .resource = name.Plural(),
                         .namespaced = name.scope == Scope::kNamespaced,
                         .verbs = kAllVerbs,
                         .schema = &type->schema});
  }
  const Json document = MakeOpenApiV2(resources);
  const JsonObject& definitions = document.at("definitions").as_object();
  for (const std::string& reference : References(document)) {
    EXPECT_TRUE(definitions.contains(reference.substr(14))) << reference;
  }
  EXPECT_GT(definitions.size(), 300);
}

}  // namespace
}  // namespace kubexms
