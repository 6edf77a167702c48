#include "kubexms/controller/manager/reconcile_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using testing::HasSubstr;

class ReconcileClientTest : public testing::Test {
 protected:
  ReconcileClientTest() {
    map_.metadata.name = "a";
    map_.metadata.namespace_name = "default";
  }

  // One of each kind of call, by name.
  std::map<std::string, std::function<Result<void>()>> Calls() {
    const ObjectKey key = ObjectKey::Of(map_.metadata);
    const auto outcome = [](const auto& result) -> Result<void> {
      if (!result.ok()) return result.error();
      return {};
    };
    return {{"create", [=, this] { return outcome(client_.Create(map_)); }},
            {"delete", [=, this] { return client_.Delete<ConfigMap>(key); }},
            {"get", [=, this] { return outcome(client_.Get<ConfigMap>(key)); }},
            {"list", [=, this] { return outcome(client_.List<ConfigMap>()); }},
            {"path", [=, this] { return outcome(client_.GetPath("/version")); }},
            {"watch", [=, this] { return outcome(client_.Watch<ConfigMap>()); }}};
  }

  SystemClock clock_;
  SystemRandom random_;
  TestServer server_;
  InterceptedClient asked_{server_.client()};
  std::stop_source stop_;
  InformerSet informers_{{asked_, clock_, random_, Logger(), nullptr}};
  CacheAwareClient aware_{asked_, informers_};
  ReconcileClient client_{aware_, {}, stop_.get_token()};
  ConfigMap map_;
};

TEST_F(ReconcileClientTest, CallsHaveItsStopTokenUnlessTheyHaveTheirOwn) {
  const std::stop_source own;
  std::vector<std::stop_token> tokens;
  asked_.Set([&](Client& server, const ClientRequest& request) {
    tokens.push_back(request.stop);
    return server.Do(request);
  });
  ASSERT_TRUE(client_.Create(map_).ok());
  ASSERT_TRUE(client_.Update(map_, {.stop = own.get_token()}).ok());
  ASSERT_TRUE(client_.Delete<ConfigMap>({"default", "a"}).ok());
  EXPECT_TRUE(
      client_.Delete<ConfigMap>({"default", "a"}, {}, own.get_token()).error().IsNotFound());
  EXPECT_THAT(tokens, testing::ElementsAre(stop_.get_token(), own.get_token(), stop_.get_token(),
                                           own.get_token()));
}

TEST_F(ReconcileClientTest, RefusesCallsAfterTheStop) {
  for (const auto& [name, call] : Calls()) {
    if (name == "delete" || name == "get") continue;
    EXPECT_TRUE(call().ok()) << name;
  }
  (void)asked_.TakeVerbs();
  stop_.request_stop();
  const auto refused = [](auto&, const auto&...) -> Result<SharedBytes> {
    ADD_FAILURE() << "the server was asked";
    return Error::Internal("");
  };
  asked_.SetPath(refused);
  for (const auto& [name, call] : Calls()) {
    const Result<void> result = call();
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_THAT(result.error().message(), HasSubstr("the reconcile was stopped"));
    EXPECT_TRUE(result.error().IsTransient());
  }
  EXPECT_THAT(asked_.TakeVerbs(), testing::IsEmpty());
}

TEST_F(ReconcileClientTest, AStoppedCallNamesTheReason) {
  asked_.Set([&](Client&, const ClientRequest& request) -> Result<SharedBytes> {
    stop_.request_stop();
    EXPECT_TRUE(request.stop.stop_requested());
    return Error(499, "Canceled", "the call was canceled");
  });
  EXPECT_THAT(client_.Get<ConfigMap>({"default", "a"}).error().message(),
              HasSubstr("/api/v1/namespaces/default/configmaps/a: the reconcile was stopped"));
}

}  // namespace
}  // namespace kubexms
