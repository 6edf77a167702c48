#pragma once

// The API server as one thing: a store, the API over it, and HTTPS around that. Everything it needs
// to be secure it makes itself on first start.
//
//   ASSIGN_OR_RETURN(auto server, ApiServer::Create({.data_directory = "/var/lib/kubexms"}));
//   server->Run(stop);
//
// Tests have it in one line: test_server.h.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/apiserver/handlers/health.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/services/service_addresses.h"
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
  // Keys, certificates, the embedded store and the audit log; made with mode 0700.
  std::string data_directory;
  // "rocksdb", "memory" or "etcd" (then with `etcd`).
  std::string store = "rocksdb";
  std::optional<store::EtcdOptions> etcd;

  std::string bind_address = "127.0.0.1";
  uint16_t port = 6443;  // 0: one that is free
  // Further names and addresses under which clients reach the server.
  std::vector<std::string> names;

  // Where the administrator's kubeconfig is written; empty: only into the data directory.
  std::string kubeconfig_path;
  std::string token_file;  // static tokens; empty: none
  // The longest that a token of a service account holds, whatever is asked for.
  std::chrono::seconds max_token_lifetime = std::chrono::hours(24 * 365);
  std::string audit_log;  // empty: "audit.log" in the data directory; "-": none
  // What the audit log has: a Policy of audit.k8s.io/v1. Null: who changed what, but not reads.
  Json audit_policy;
  ServiceAddressOptions addresses;
  // Admission plugins that are left out, by their names in Kubernetes: "ServiceAccount".
  std::vector<std::string> disabled_admission_plugins;

  HttpLimits limits;
  size_t max_in_flight = 600;
  size_t workers = 64;
  size_t io_threads = 2;
  std::chrono::seconds event_lifetime = std::chrono::hours(1);

  // For the times that objects get, the ages of tokens and the lifetime of events; null: the
  // machine's. It must outlive the server. Certificates, watches and compaction live in real time.
  Clock* clock = nullptr;

  // What else /livez and /readyz tell of.
  std::vector<HealthCheck> health_checks;
  // Of which ComponentStatuses tell besides the store: "controller-manager" and "scheduler", where
  // they run in this process.
  std::vector<HealthCheck> components;
  // Where its metrics go, if others are to be served with them; null: a registry of its own. It
  // must outlive the server.
  MetricsRegistry* metrics = nullptr;

  Logger log;
};

class ApiServer {
 public:
  // Opens the store, makes what is missing, and listens: clients can connect, and are served once
  // Run() is called.
  static Result<std::unique_ptr<ApiServer>> Create(ApiServerOptions options);
  // Where the RocksDB store of a server is.
  static std::string StoreDirectory(const std::string& data_directory) {
    return data_directory + "/store";
  }
  ~ApiServer();

  // Serves until `stop` is requested; then answers what is under way, ends the watches, and joins
  // every thread. To be called once.
  void Run(std::stop_token stop);

  // A client for this process that acts as `user` (local_client.h). It works from Create() until
  // the server is destroyed, before which it and its watches must be: before Run(), during it, and
  // after it too, so that controllers may be stopped after the network. Run() ends no watch of this
  // process. Only during Run() does the server do what it does by itself: events expire, history is
  // compacted, and the objects of deleted definitions are cleaned up.
  std::unique_ptr<Client> NewClient(UserInfo user, std::string user_agent = "kubexms");

  // For tests of what happens to clients when things go wrong; both may be called at any time.
  //
  // Forgets the history, so that every resource version that was handed out so far is too old to
  // watch from or to page on with. Watches that are open and up to date go on.
  Result<void> CompactNow();
  // Ends every watch that is open now, of the network and of this process, as a lost connection
  // would.
  void DropWatches();

  uint16_t port() const;
  // "https://127.0.0.1:6443".
  std::string url() const;
  // The certificates by which clients know the server.
  const std::string& authority_pem() const;
  // Of the administrator, as written to the file.
  const std::string& kubeconfig() const;
  const std::string& kubeconfig_path() const;

 private:
  class Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kubexms
