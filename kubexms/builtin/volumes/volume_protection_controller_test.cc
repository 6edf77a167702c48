#include "kubexms/builtin/volumes/volume_protection_controller.h"

#include <fmt/format.h>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/volume.h"
#include "kubexms/builtin/builtin_fixture_test.h"

namespace kubexms {
namespace {

using corev1::PersistentVolume;
using corev1::PersistentVolumeClaim;
using corev1::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class VolumeProtectionTest : public BuiltinTest {
 protected:
  VolumeProtectionTest() {
    Start("persistentvolumeclaim-protection-controller,persistentvolume-protection-controller");
  }

  template <Kind T>
  void Make(const std::string& json) {
    const auto made = client().Create(Decode<T>(json).value());
    ASSERT_TRUE(made.ok()) << made.error().message();
  }
  void MakeClaim(const std::string& name) {
    Make<PersistentVolumeClaim>(
        fmt::format(R"({{"metadata":{{"namespace":"default","name":"{}"}},"spec":{{
            "accessModes":["ReadWriteOnce"],"resources":{{"requests":{{"storage":"1Gi"}}}}}}}})",
                    name));
  }
  void MakePod(const std::string& name, const std::string& claim, const std::string& node) {
    Make<Pod>(fmt::format(R"({{"metadata":{{"namespace":"default","name":"{}"}},
        "spec":{{"nodeName":"{}","containers":[{{"name":"c","image":"i"}}],"volumes":[{{"name":"v",
        "persistentVolumeClaim":{{"claimName":"{}"}}}}]}}}})",
                          name, node, claim));
  }
  bool HasClaim(const std::string& name) {
    return client().Get<PersistentVolumeClaim>({"default", name}).ok();
  }
  void DeleteClaim(const std::string& name) {
    ASSERT_TRUE(client().Delete<PersistentVolumeClaim>({"default", name}).ok());
  }
};

TEST_F(VolumeProtectionTest, RetainsClaimsThatAssignedPodsUse) {
  MakeClaim("used");
  MakeClaim("free");
  MakePod("user", "used", "n");
  MakePod("pending", "free", "");
  DeleteClaim("used");
  DeleteClaim("free");
  EXPECT_TRUE(Eventually([&] { return !HasClaim("free"); }));
  EXPECT_TRUE(HasClaim("used"));
  DeleteOptions now;
  now.grace_period_seconds = 0;
  ASSERT_TRUE(client().Delete<Pod>({"default", "user"}, now).ok());
  EXPECT_TRUE(Eventually([&] { return !HasClaim("used"); }));
}

TEST_F(VolumeProtectionTest, RetainsBoundVolumes) {
  const ObjectKey key{"", "disk"};
  Make<PersistentVolume>(R"({"metadata":{"name":"disk"},"spec":{"capacity":{"storage":"1Gi"},
      "accessModes":["ReadWriteOnce"],"hostPath":{"path":"/d"}}})");
  const auto phase = [&](const std::string& value) {
    const auto patched = client().Patch<PersistentVolume>(
        key, {.body = fmt::format(R"({{"status":{{"phase":"{}"}}}})", value)},
        {.subresource = "status"});
    ASSERT_TRUE(patched.ok()) << patched.error().message();
  };
  phase("Bound");
  ASSERT_TRUE(client().Delete<PersistentVolume>(key).ok());
  AwaitIdle();
  EXPECT_TRUE(client().Get<PersistentVolume>(key).ok());
  phase("Released");
  EXPECT_TRUE(Eventually([&] { return !client().Get<PersistentVolume>(key).ok(); }));
}

TEST_F(VolumeProtectionTest, AddsMissingFinalizers) {
  MakeClaim("data");
  ASSERT_TRUE(client()
                  .Patch<PersistentVolumeClaim>({"default", "data"},
                                                {.body = R"({"metadata":{"finalizers":null}})"})
                  .ok());
  const auto finalizers = [&] {
    return client().Get<PersistentVolumeClaim>({"default", "data"})->metadata.finalizers;
  };
  EXPECT_TRUE(Eventually([&] { return !finalizers().empty(); }));
  EXPECT_THAT(finalizers(), ElementsAre("kubernetes.io/pvc-protection"));
  // The controller has written nothing else.
  EXPECT_THAT(ClientOf("pvc-protection-controller").TakeVerbs(), ElementsAre("update"));
  EXPECT_THAT(ClientOf("pv-protection-controller").TakeVerbs(), IsEmpty());
}

}  // namespace
}  // namespace kubexms
