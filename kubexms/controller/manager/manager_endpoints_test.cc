#include "kubexms/controller/manager/manager_endpoints.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

int StatusOf(const std::string& path, const std::string& peer, const std::string& method = "GET") {
  const MetricsRegistry metrics;
  ManagerEndpoints endpoints({.health = [] { return Result<void>(); },
                              .readiness = [] { return Result<void>(); },
                              .reconciles = [] { return Json(JsonArray()); },
                              .metrics = metrics,
                              .log = Logger()});
  HttpRequest request{.method = method, .target = path, .body = "info"};
  request.peer = std::make_shared<const HttpPeer>(HttpPeer{.address = peer});
  return endpoints.Handle(std::move(request)).status;
}

// Other machines are to see whether it works, and nothing of what it works on.
TEST(ManagerEndpointsTest, DebuggingIsForTheSameMachine) {
  for (const std::string path : {"/healthz", "/livez", "/readyz", "/metrics"}) {
    EXPECT_EQ(StatusOf(path, "10.1.2.3:4"), 200) << path;
  }
  for (const std::string path : {"/debug/reconciles", "/debug/threads"}) {
    EXPECT_EQ(StatusOf(path, "127.0.0.1:4"), 200) << path;
    EXPECT_EQ(StatusOf(path, "[::1]:4"), 200) << path;
    EXPECT_EQ(StatusOf(path, "10.1.2.3:4"), 403) << path;
  }
  EXPECT_EQ(StatusOf("/debug/log-level", "127.0.0.1:4", "PUT"), 200);
  EXPECT_EQ(StatusOf("/debug/log-level", "10.1.2.3:4", "PUT"), 403);
}

TEST(ManagerEndpointsTest, ReadyzContainsTheLeaderElectionStatus) {
  const MetricsRegistry metrics;
  ManagerEndpoints endpoints(
      {.health = [] { return Result<void>(); },
       .readiness = [] { return Result<void>(); },
       .leader_election_status = [] { return std::string("waits for the lease a/b"); },
       .reconciles = [] { return Json(JsonArray()); },
       .metrics = metrics,
       .log = Logger()});
  const HttpResponse ready = endpoints.Handle({.method = "GET", .target = "/readyz"});
  EXPECT_EQ(ready.status, 200);
  EXPECT_EQ(Flatten(ready.body), "ok\nwaits for the lease a/b\n");
  EXPECT_EQ(Flatten(endpoints.Handle({.method = "GET", .target = "/healthz"}).body), "ok");
}

}  // namespace
}  // namespace kubexms
