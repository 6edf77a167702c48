#include "kubexms/cluster/config/support_matrix.h"

#include <gtest/gtest.h>

namespace kubexms::cluster {
namespace {

TEST(SupportMatrixTest, ComparesVersionsByTheirNumbers) {
  EXPECT_TRUE(IsAtLeast("3.5.24", "3.5.24"));
  EXPECT_TRUE(IsAtLeast("3.5.24-0", "3.5.24"));
  EXPECT_TRUE(IsAtLeast("3.10.1", "3.5.24"));
  EXPECT_TRUE(IsAtLeast("1:2.0~ds1-1+deb12u1", "2.0"));
  EXPECT_TRUE(IsAtLeast("v1.7.23", "1.7"));
  EXPECT_TRUE(IsAtLeast("12", "11"));
  EXPECT_TRUE(IsAtLeast("20.04", "20.04"));
  EXPECT_TRUE(IsAtLeast("6.1.0-13-amd64", "5.13"));
  EXPECT_FALSE(IsAtLeast("3.4.23+dfsg-4", "3.5.24"));
  EXPECT_FALSE(IsAtLeast("3.5.3", "3.5.24"));
  EXPECT_FALSE(IsAtLeast("5.9", "5.13"));
  EXPECT_FALSE(IsAtLeast("1.6.20~ds1-1+deb12u1", "2.0"));
  EXPECT_FALSE(IsAtLeast("9", "11"));
  EXPECT_FALSE(IsAtLeast("", "1"));
}

TEST(SupportMatrixTest, FindsAMinorVersionInAllItsSpellings) {
  for (const char* text : {"1.34", "v1.34", "1.34.0", "v1.34.12"}) {
    ASSERT_NE(FindKubernetes(text), nullptr) << text;
    EXPECT_EQ(FindKubernetes(text)->version, "1.34") << text;
  }
  for (const char* text : {"", "1", "1.3", "1.340", "1.34.", "1.34.x", "1.34-rc.1", "1.28", "2.34",
                           "latest", "vv1.34"}) {
    EXPECT_EQ(FindKubernetes(text), nullptr) << text;
  }
}

TEST(SupportMatrixTest, LaterKubernetesVersionsRequireNoLess) {
  const KubernetesSupport* before = nullptr;
  for (const KubernetesSupport& next : SupportedKubernetes()) {
    if (before != nullptr) {
      EXPECT_FALSE(IsAtLeast(before->version, next.version)) << next.version;
      EXPECT_TRUE(IsAtLeast(next.least_etcd, before->least_etcd)) << next.version;
      EXPECT_TRUE(IsAtLeast(next.least_containerd, before->least_containerd)) << next.version;
      EXPECT_LE(next.takes_cgroup_v1, before->takes_cgroup_v1) << next.version;
      EXPECT_GE(next.has_nftables, before->has_nftables) << next.version;
    }
    before = &next;
  }
}

TEST(SupportMatrixTest, HasTestedVersionsOfPlugins) {
  ASSERT_NE(FindPlugin("cilium", "v1.18.3"), nullptr);
  EXPECT_EQ(FindPlugin("cilium", "1.18")->last_kubernetes, "1.33");
  EXPECT_EQ(FindPlugin("calico", "1.18"), nullptr);
  EXPECT_EQ(FindPlugin("flannel", "0.27.0"), nullptr);
}

}  // namespace
}  // namespace kubexms::cluster
