#include "kubexms/apiserver/resources/selectable_field.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kubexms/apiserver/resources/builtin_resources.h"

namespace kubexms {
namespace {

SelectableField Find(std::string_view group, std::string_view plural, std::string_view name) {
  const std::vector<ResourcePtr> resources = BuiltinResources();
  const auto found = std::ranges::find_if(resources, [&](const ResourcePtr& resource) {
    return resource->group == group && resource->plural == plural;
  });
  return FindSelectableField(**found, name);
}

TEST(SelectableFieldTest, HasThePathOfItsName) {
  EXPECT_EQ(Find("", "pods", "spec.nodeName"), (SelectableField{.path = "spec.nodeName"}));
  EXPECT_EQ(Find("", "pods", "metadata.name"), (SelectableField{.path = "metadata.name"}));
  EXPECT_EQ(Find("", "secrets", "type"), (SelectableField{.path = "type"}));
}

TEST(SelectableFieldTest, HasItsZeroValueWhenAbsent) {
  EXPECT_EQ(Find("", "nodes", "spec.unschedulable").zero, "false");
  EXPECT_EQ(Find("", "pods", "spec.hostNetwork").zero, "false");
  EXPECT_EQ(Find("apps", "replicasets", "status.replicas").zero, "0");
}

TEST(SelectableFieldTest, OfEventsHasThePathOfTheStoredVersion) {
  EXPECT_EQ(Find("", "events", "source"),
            (SelectableField{.path = "source.component", .fallback_path = "reportingComponent"}));
  EXPECT_EQ(Find("", "events", "involvedObject.kind").path, "involvedObject.kind");
  EXPECT_EQ(Find("events.k8s.io", "events", "regarding.kind").path, "involvedObject.kind");
  EXPECT_EQ(Find("events.k8s.io", "events", "reportingController").path, "reportingComponent");
}

TEST(SelectableFieldTest, OfJobsHasAnotherPath) {
  EXPECT_EQ(Find("batch", "jobs", "status.successful"),
            (SelectableField{.path = "status.succeeded", .zero = "0"}));
}

TEST(SelectableFieldTest, OfCustomResourcesHasNoZeroValue) {
  Schema flag{.type = SchemaType::kBoolean};
  auto schema = std::make_shared<Schema>();
  schema->type = SchemaType::kObject;
  schema->properties = {{"on", &flag}};
  const Resource widgets{
      .group = "example.com", .kind = "Widget", .schema = schema, .custom = true};
  EXPECT_EQ(FindSelectableField(widgets, "on"), (SelectableField{.path = "on"}));
}

}  // namespace
}  // namespace kubexms
