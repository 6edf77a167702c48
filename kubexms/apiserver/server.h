#pragma once

// The API server: a store, the API over it, and HTTPS. On its first start it creates its own
// certificate authority, certificates and keys.
//
//   ASSIGN_OR_RETURN(auto server, ApiServer::Create({.data_directory = "/var/lib/kubexms"}));
//   server->Run(stop);
//
// For tests: test_server.h.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/apiserver/handlers/health.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/services/service_address_options.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/result.h"
#include "kubexms/net/server/limits.h"
#include "kubexms/store/etcd_store.h"

namespace kubexms {

class Client;
class MetricsRegistry;

struct ApiServerOptions {
  // Keys, certificates, the embedded store and the API audit log; created with mode 0700.
  std::string data_directory;
  // "rocksdb", "memory" or "etcd" (then with `etcd`).
  std::string store = "rocksdb";
  std::optional<store::EtcdOptions> etcd;

  std::string bind_address = "127.0.0.1";
  uint16_t port = 6443;  // 0: any free port
  // Further host names and addresses of the server, for its certificate.
  std::vector<std::string> names;

  // The file of the administrator's kubeconfig; empty: admin.kubeconfig in the data directory.
  std::string kubeconfig_path;
  std::string token_file;  // static bearer tokens; empty: none
  // The longest lifetime of a service account token; longer requests are shortened.
  std::chrono::seconds max_token_lifetime = std::chrono::hours(24 * 365);
  std::string audit_log;  // empty: "audit.log" in the data directory; "-": no API audit log
  // The policy of the API audit log, a Policy of audit.k8s.io/v1. Null: all requests but reads.
  Json audit_policy;
  ServiceAddressOptions addresses;
  // Admission plugins to disable, by their names in Kubernetes: "ServiceAccount".
  std::vector<std::string> disabled_admission_plugins;

  HttpLimits limits;
  size_t max_in_flight = 600;
  size_t workers = 64;
  size_t io_threads = 2;
  std::chrono::seconds event_lifetime = std::chrono::hours(1);

  // The clock for timestamps of objects, tokens and the lifetime of Events; null: the system clock.
  // Must outlive the server. Certificates, watches and compaction always use the system clock.
  Clock* clock = nullptr;

  // Further checks of /livez and /readyz.
  std::vector<HealthCheck> health_checks;
  // The components for ComponentStatuses besides the store: "controller-manager" and "scheduler",
  // if they run in this process.
  std::vector<HealthCheck> components;
  // The registry of the metrics at /metrics, which may have metrics of others; null: a registry of
  // the server's own. Must outlive the server.
  MetricsRegistry* metrics = nullptr;

  Logger log;
};

class ApiServer {
 public:
  // Opens the store, creates missing files and objects, and listens: clients can connect, and are
  // served once Run() is called.
  static Result<std::unique_ptr<ApiServer>> Create(ApiServerOptions options);
  // The directory of a server's RocksDB store.
  static std::string StoreDirectory(const std::string& data_directory) {
    return data_directory + "/store";
  }
  ~ApiServer();

  // Serves until `stop` is requested; then completes the requests in flight, ends the watches, and
  // joins every thread. Must be called at most once.
  void Run(std::stop_token stop);

  // An in-process client that acts as `user` (local_client.h). It works before, during and after
  // Run(), so that controllers may be stopped after the network; it and its watches must be
  // destroyed before the server. The end of Run() ends no watch of this process. Background work is
  // done only during Run(): the expiry of Events, compaction, and the deletion of the objects of
  // deleted CustomResourceDefinitions.
  std::unique_ptr<Client> NewClient(UserInfo user, std::string user_agent = "kubexms");

  // For tests of clients. Both may be called at any time.
  //
  // Compacts the history: a watch or list that continues from a resourceVersion returned so far
  // fails with 410 Gone. Open watches that are up to date continue.
  Result<void> CompactNow();
  // Ends all open watches, of the network and of this process, as a lost connection would.
  void DropWatches();

  uint16_t port() const;
  // "https://127.0.0.1:6443".
  std::string url() const;
  // The CA certificates that clients verify the server with.
  const std::string& authority_pem() const;
  // The administrator's kubeconfig, and the file that has it.
  const std::string& kubeconfig() const;
  const std::string& kubeconfig_path() const;

 private:
  class Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
