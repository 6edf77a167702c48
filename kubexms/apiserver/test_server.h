#pragma once

// A real API server in the process of a test, started in one line and some milliseconds.
//
//   TestServer server;
//   ASSERT_TRUE(server.client().Create(pod).ok());
//
// It is the server that `kubexms server` runs, with a store in memory: validation, admission,
// authorization, watches, and HTTPS on a free port of the loopback address for kubectl and other
// programs. Its files are in a temporary directory, which its destructor removes. When it cannot
// start, the test program aborts with the reason.
//
// Threads of the test that use its clients, and the watches of its clients, must end before it is
// destroyed.

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
  // See ApiServerOptions; null: the system clock. With a ManualClock, the thread that expires
  // Events is one of its sleepers.
  Clock* clock = nullptr;
  // The ServiceAccount plugin would refuse every Pod: the controller that creates the
  // ServiceAccount
  // `default` of every namespace does not run.
  std::vector<std::string> disabled_admission_plugins = {"ServiceAccount"};
  Logger log;
};

// Safe for use from any thread.
class TestServer {
 public:
  explicit TestServer(TestServerOptions options = {});
  // Completes the requests in flight, and removes the directory.
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  // The in-process client of an administrator.
  Client& client() { return *client_; }
  // An in-process client of `user`, who may do what RBAC allows. Must be destroyed before the
  // server.
  std::unique_ptr<Client> NewClient(UserInfo user);

  // "https://127.0.0.1:45321".
  std::string url() const { return server_->url(); }
  // The kubeconfig of the administrator, for HTTPS, and the file that has it.
  const std::string& kubeconfig() const { return server_->kubeconfig(); }
  const std::string& kubeconfig_path() const { return server_->kubeconfig_path(); }

  // Expires every resourceVersion returned so far: a watch or list that continues from one fails
  // with 410 Gone. Open watches that are up to date continue.
  void CompactNow();
  // Ends all open watches as a lost connection would.
  void DropWatches() { server_->DropWatches(); }

 private:
  const std::string directory_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<Client> client_;
  std::jthread running_;
};

}  // namespace kubexms
