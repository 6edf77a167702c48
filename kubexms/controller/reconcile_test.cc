#include "kubexms/controller/reconcile.h"

#include <gtest/gtest.h>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/controller/informers/informer_set.h"
#include "kubexms/controller/testing/reconcile_harness_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;

class CachedDeathTest : public testing::Test {
 protected:
  CachedDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  void Declare(const ObjectForm& form, const InformerScope& scope = {}) {
    caches_.push_back({form, informers_.Get(form, scope)});
  }
  ReconcileContext Context() {
    ReconcileContext context = harness_.Context(key_);
    context.caches = caches_;
    return context;
  }

  SystemRandom random_;
  ReconcileHarness harness_;
  InformerSet informers_{{harness_.client, harness_.clock, random_, Logger(), nullptr}};
  std::vector<DeclaredCache> caches_;
  const ObjectKey key_{"default", "a"};
};

TEST_F(CachedDeathTest, RequiresTheTypeOfTheCache) {
  Declare(FormOf<MetadataObject>(ResourceType::Of<ConfigMap>()));
  EXPECT_DEATH(Context().Cached<ConfigMap>(),
               "declares no cache of configmaps .*add .Reads<ConfigMap>");
  Declare(FormOf<ConfigMap>(&StripManagedFields<ConfigMap>));
  EXPECT_EQ(Context().Cached<ConfigMap>().Get(key_), nullptr);
  EXPECT_EQ(&Context().CacheOf(caches_[1].form), &caches_[1].informer->cache());
}

TEST_F(CachedDeathTest, OneOfSeveralScopesIsNamed) {
  const InformerScope mine{.namespace_name = "mine"};
  Declare(FormOf<ConfigMap>());
  Declare(FormOf<ConfigMap>());
  EXPECT_EQ(Context().Cached<ConfigMap>().Get(key_), nullptr);  // the same cache, declared twice
  Declare(FormOf<ConfigMap>(), mine);
  EXPECT_DEATH(Context().Cached<ConfigMap>(), "has several caches of configmaps: name the scope");
  EXPECT_EQ(&Context().CacheOf(FormOf<ConfigMap>(), &mine), &caches_[2].informer->cache());
}

}  // namespace
}  // namespace kubexms
