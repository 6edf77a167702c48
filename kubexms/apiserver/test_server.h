#pragma once

// The test kit's server: a real API server in the process of a test, in one line and some
// milliseconds.
//
//   TestServer server;
//   ASSERT_TRUE(server.client().Create(pod).ok());
//
// It is the server that `kubexms server` runs, over a store in memory: all of validation,
// admission, access control, watches and HTTPS on a free port of this machine, for kubectl and
// other programs. What it has on disk is in a temporary directory that goes with it. When it cannot
// be started, the test program ends with the reason.
//
// Threads of the test that use its clients must have ended before it is destroyed, as must its
// clients' watches.

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/server.h"
#include "kubexms/base/clock.h"
#include "kubexms/client/client.h"

namespace kubexms {

struct TestServerOptions {
  std::string store = "memory";  // or "rocksdb"
  std::string bind_address = "127.0.0.1";
  // For the times that objects get, see ApiServerOptions; null: the machine's. With a ManualClock,
  // the thread that expires events is one of its sleepers.
  Clock* clock = nullptr;
  // Without the controller that makes the ServiceAccount `default` of every namespace, that plugin
  // would refuse every Pod.
  std::vector<std::string> disabled_admission_plugins = {"ServiceAccount"};
  Logger log;
};

// Safe for use from any thread.
class TestServer {
 public:
  explicit TestServer(TestServerOptions options = {});
  // Ends what is under way and removes the directory.
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  // Of an administrator, in process.
  Client& client() { return *client_; }
  // As anybody else, who may do what the objects of rbac.authorization.k8s.io say. To be destroyed
  // before the server.
  std::unique_ptr<Client> NewClient(UserInfo user);

  // "https://127.0.0.1:45321".
  std::string url() const { return server_->url(); }
  // Of the administrator, over HTTPS: the text, and a file that has it.
  const std::string& kubeconfig() const { return server_->kubeconfig(); }
  const std::string& kubeconfig_path() const { return server_->kubeconfig_path(); }

  // Makes every version that was handed out so far too old: watches and pages that go on from one
  // are told 410. Watches that are open and up to date go on.
  void CompactNow();
  // Ends all watches as a lost connection would.
  void DropWatches() { server_->DropWatches(); }

 private:
  const std::string directory_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<Client> client_;
  std::jthread running_;
};

}  // namespace kubexms
