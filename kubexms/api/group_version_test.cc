#include "kubexms/api/group_version.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace kubexms {
namespace {

TEST(GroupVersionTest, ParsesAndWritesApiVersions) {
  EXPECT_EQ(*GroupVersion::Parse("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(*GroupVersion::Parse("apps/v1"), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(*GroupVersion::Parse(""), GroupVersion());
  EXPECT_EQ(*GroupVersion::Parse("/"), GroupVersion());
  EXPECT_EQ(*GroupVersion::Parse("apps/"), (GroupVersion{"apps", ""}));
  EXPECT_EQ((GroupVersion{"", "v1"}).ToString(), "v1");
  EXPECT_EQ((GroupVersion{"batch", "v1"}).ToString(), "batch/v1");
  EXPECT_EQ(GroupVersion::Parse("a/b/c").error().message(),
            "unexpected GroupVersion string: a/b/c");
  EXPECT_EQ(GroupVersion::Parse("a//").error().message(), "unexpected GroupVersion string: a//");
}

TEST(GroupVersionTest, ParsesAndWritesQualifiedNames) {
  EXPECT_EQ(GroupResource::Parse("pods"), (GroupResource{"", "pods"}));
  EXPECT_EQ(GroupResource::Parse("deployments.apps"), (GroupResource{"apps", "deployments"}));
  EXPECT_EQ(GroupResource::Parse("widgets.a.example.com"),
            (GroupResource{"a.example.com", "widgets"}));
  EXPECT_EQ((GroupResource{"apps", "deployments"}).ToString(), "deployments.apps");
  EXPECT_EQ((GroupResource{"", "pods"}).ToString(), "pods");
  EXPECT_EQ(GroupKind::Parse("Deployment.apps"), (GroupKind{"apps", "Deployment"}));
  EXPECT_EQ((GroupKind{"apps", "Deployment"}).ToString(), "Deployment.apps");
}

TEST(GroupVersionTest, ParsesKindsAndResources) {
  const GroupVersionKind kind = *GroupVersionKind::Parse("apps/v1", "Deployment");
  EXPECT_EQ(kind, (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(kind.ToString(), "apps/v1, Kind=Deployment");
  EXPECT_EQ(kind.ApiVersion(), "apps/v1");
  EXPECT_EQ(kind.group_kind().ToString(), "Deployment.apps");
  const GroupVersionResource resource = *GroupVersionResource::Parse("v1", "pods");
  EXPECT_EQ(resource.ToString(), "/v1, Resource=pods");
  EXPECT_EQ(resource.group_resource().ToString(), "pods");
  EXPECT_FALSE(GroupVersionKind::Parse("a/b/c", "X").ok());
}

TEST(GroupVersionTest, OrdersVersionsByPreference) {
  std::vector<std::string> versions = {"foo1",    "v11alpha2", "v3beta1",  "v12alpha1", "v1",
                                       "v2",      "foo10",     "v11beta2", "v10",       "v10beta3",
                                       "v1beta1", "v1x",       "v"};
  std::sort(versions.begin(), versions.end(), IsPreferredVersion);
  EXPECT_EQ(versions, (std::vector<std::string>{"v10", "v2", "v1", "v11beta2", "v10beta3",
                                                "v3beta1", "v1beta1", "v12alpha1", "v11alpha2",
                                                "foo1", "foo10", "v", "v1x"}));
  EXPECT_TRUE(CompareVersions("v1", "v1") == 0);
  EXPECT_TRUE(CompareVersions("v99999999999999999999", "v1alpha1") < 0);
}

RC_GTEST_PROP(GroupVersionProperty, ParsesItsOwnTextToTheSameValue, ()) {
  const auto name =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::element('a', 'b', '1', '-')));
  const GroupVersion group_version{*rc::gen::oneOf(rc::gen::just(std::string()), name), *name};
  RC_ASSERT(*GroupVersion::Parse(group_version.ToString()) == group_version);
  const GroupResource resource{group_version.group, *name};
  RC_ASSERT(GroupResource::Parse(resource.ToString()) == resource);
}

}  // namespace
}  // namespace kubexms
