#include "kubexms/apiserver/admission/service_account_admission.h"

#include <gtest/gtest.h>

#include <thread>

#include "kubexms/apiserver/write/written_objects_test.h"

namespace kubexms {
namespace {

// Longer than a Pod waits for its account.
constexpr std::chrono::seconds kLong(3);

class ServiceAccountAdmissionTest : public WrittenObjects {
 protected:
  ServiceAccountAdmissionTest() {
    admissions_.push_back(MakeServiceAccountAdmission(*store_, clock_, random_));
  }

  Result<Json> CreatePod(std::string_view name) {
    return Create("", "pods",
                  fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":)"
                              R"([{{"name":"c","image":"i"}}]}}}})",
                              name));
  }

  Result<Json> CreateAccount(std::string_view name) {
    return Create("", "serviceaccounts", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
  }
};

TEST_F(ServiceAccountAdmissionTest, WaitsForTheDefaultAccount) {
  Result<Json> pod = Json();
  std::jthread creating([&] { pod = CreatePod("a"); });
  clock_.WaitForSleepers(1);
  ASSERT_TRUE(CreateAccount("default").ok());
  clock_.Advance(kLong);
  creating.join();
  ASSERT_TRUE(pod.ok()) << pod.error().message();
  EXPECT_EQ(FindString(pod->at("spec"), "serviceAccountName"), "default");
}

TEST_F(ServiceAccountAdmissionTest, RefusesAPodWhenTheDefaultAccountIsNotCreated) {
  Result<Json> pod = Json();
  std::atomic<bool> done = false;
  std::jthread creating([&] {
    pod = CreatePod("a");
    done = true;
  });
  while (!done) {
    clock_.Advance(kLong);
    std::this_thread::yield();
  }
  creating.join();
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.error().message(),
            "pods \"a\" is forbidden: error looking up service account default/default: "
            "serviceaccount \"default\" not found");
}

TEST_F(ServiceAccountAdmissionTest, LimitsTheNumberOfWaitingPods) {
  std::vector<std::jthread> waiting;
  for (int i = 0; i < kMaxPodsWaitingForAccounts; ++i) {
    waiting.emplace_back([this, i] { EXPECT_TRUE(CreatePod(fmt::format("p{}", i)).ok()); });
  }
  clock_.WaitForSleepers(kMaxPodsWaitingForAccounts);
  EXPECT_TRUE(CreatePod("late").error().IsForbidden());
  ASSERT_TRUE(CreateAccount("default").ok());
  clock_.Advance(kLong);
}

TEST_F(ServiceAccountAdmissionTest, DoesNotWaitForOtherAccounts) {
  const Result<Json> pod =
      Create("", "pods",
             R"({"metadata":{"generateName":"web-"},"spec":{"serviceAccountName":"robot",)"
             R"("containers":[{"name":"c","image":"i"}]}})");
  ASSERT_FALSE(pod.ok());
  EXPECT_EQ(pod.error().message(),
            "pods \"web-\" is forbidden: error looking up service account default/robot: "
            "serviceaccount \"robot\" not found");
}

}  // namespace
}  // namespace kubexms
