#include "kubexms/cluster/modules/identities.h"

#include <gtest/gtest.h>

namespace kubexms::cluster {
namespace {

TEST(IdentitiesTest, ParsesEveryPipelineName) {
  for (const PipelineId id :
       {PipelineId::kCreateCluster, PipelineId::kAddNodes, PipelineId::kRemoveNodes,
        PipelineId::kDeleteCluster, PipelineId::kRestoreEtcd}) {
    EXPECT_EQ(ParsePipelineName(PipelineName(id)), id);
    EXPECT_EQ(ParsePipelineName(PipelineName(id, "3f9c")), id);
  }
  EXPECT_EQ(PipelineName(PipelineId::kRestoreEtcd, "3f9c"), "etcd restore 3f9c");
  EXPECT_EQ(ParsePipelineName("create clusters"), std::nullopt);
  EXPECT_EQ(ParsePipelineName("adopted"), std::nullopt);
}

TEST(IdentitiesTest, OnlyPipelinesThatConvergeAreResumable) {
  EXPECT_TRUE(IsResumable(PipelineId::kCreateCluster));
  EXPECT_TRUE(IsResumable(PipelineId::kAddNodes));
  EXPECT_FALSE(IsResumable(PipelineId::kRestoreEtcd));
}

}  // namespace
}  // namespace kubexms::cluster
