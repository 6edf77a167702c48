#pragma once

// The environment of a process that runs a manager: a clock, a log, metrics, and clients of the
// server.
//
//   ASSIGN_OR_RETURN(const auto process,
//                    ManagerProcess::Make("hello-controller", configuration, server));
//   Manager manager(process->Complete({.endpoints_address = "127.0.0.1:8081"}));

#include <memory>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/random.h"
#include "kubexms/client/rest/rest_client.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/manager/manager_configuration.h"

namespace kubexms {

// It must outlive the managers and clients created with it.
class ManagerProcess {
 public:
  // `name` is the user agent of its clients and the source of its events. Does not connect yet.
  static Result<std::unique_ptr<ManagerProcess>> Make(std::string name,
                                                      ManagerConfiguration configuration,
                                                      ClientConfig server);
  ManagerProcess(const ManagerProcess&) = delete;
  ManagerProcess& operator=(const ManagerProcess&) = delete;

  // The options of a manager: `defaults`, overridden by the configuration.
  ManagerOptions Complete(ManagerOptions defaults);

  // Another client of the server with other credentials and its own rate limiter.
  Result<std::unique_ptr<RestClient>> NewClient(std::shared_ptr<CredentialSource> credentials);

  // The client with the credentials of the kubeconfig.
  Client& client() { return *client_; }
  Clock& clock() { return clock_; }
  Random& random() { return random_; }
  const Logger& log() const { return log_; }

 private:
  ManagerProcess(std::string name, ManagerConfiguration configuration, ClientConfig server);

  const std::string name_;
  const ManagerConfiguration configuration_;
  const ClientConfig server_;
  SystemClock clock_;
  SystemRandom random_;
  MetricsRegistry metrics_;
  FileLogSink sink_;
  const Logger log_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Client> lease_client_;
};

}  // namespace kubexms
