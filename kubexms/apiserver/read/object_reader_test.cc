#include "kubexms/apiserver/read/object_reader.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/write/written_objects_test.h"

namespace kubexms {
namespace {

class ObjectReaderTest : public WrittenObjects {
 protected:
  Result<ObjectList> List(const std::string& continue_token) {
    const Resource& resource = Find("", "configmaps");
    const ListQuery query{.limit = 1, .continue_token = continue_token};
    ASSIGN_OR_RETURN(const ObjectFilter filter, ObjectFilter::Make(resource, query));
    return ObjectReader(*store_).List(resource, "default", query, filter);
  }
};

TEST_F(ObjectReaderTest, AnExpiredListCanContinueInTheNewestState) {
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(
        Create("", "configmaps", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)).ok());
  }
  const std::string token = List("").value().continue_token;
  ASSERT_TRUE(Delete("", "configmaps", "b").ok());
  ASSERT_TRUE(store_->Compact(store_->CurrentRevision().value()).ok());
  ASSERT_TRUE(List(token).error().IsExpired());
  const ObjectList rest = List(TokenForNewest(token)).value();
  ASSERT_EQ(rest.records.size(), 1);
  EXPECT_TRUE(rest.records[0]->key.ends_with("/c"));
  EXPECT_EQ(TokenForNewest("no token"), "");
}

}  // namespace
}  // namespace kubexms
