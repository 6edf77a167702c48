#include "kubexms/controller/manager/manager_process.h"

#include <utility>

namespace kubexms {

ManagerProcess::ManagerProcess(std::string name, ManagerConfiguration configuration,
                               ClientConfig server)
    : name_(std::move(name)),
      configuration_(std::move(configuration)),
      server_(std::move(server)),
      log_({.level = ParseLogLevel(configuration_.log.level).value_or(LogLevel::kInfo),
            .format = configuration_.log.format == "json" ? LogFormat::kJson : LogFormat::kText,
            .sink = &sink_,
            .clock = &clock_}) {}

Result<std::unique_ptr<ManagerProcess>> ManagerProcess::Make(std::string name,
                                                             ManagerConfiguration configuration,
                                                             ClientConfig server) {
  std::unique_ptr<ManagerProcess> process(
      new ManagerProcess(std::move(name), std::move(configuration), std::move(server)));
  ASSIGN_OR_RETURN(process->client_, process->NewClient(nullptr));
  ASSIGN_OR_RETURN(process->lease_client_, process->NewClient(nullptr));
  return process;
}

Result<std::unique_ptr<RestClient>> ManagerProcess::NewClient(
    std::shared_ptr<CredentialSource> credentials) {
  RestClientOptions options{.config = server_, .credentials = std::move(credentials)};
  const ClientConfiguration& limits = configuration_.client;
  if (limits.qps) options.requests_per_second = *limits.qps;
  if (limits.burst) options.burst = *limits.burst;
  options.user_agent = name_;
  options.clock = &clock_;
  options.metrics = &metrics_;
  options.log = log_.Named("client");
  return RestClient::Make(std::move(options));
}

ManagerOptions ManagerProcess::Complete(ManagerOptions defaults) {
  ManagerOptions options = std::move(defaults);
  options.name = name_;
  options.client = client_.get();
  options.clock = &clock_;
  options.random = &random_;
  options.metrics = &metrics_;
  options.log = log_;
  configuration_.ApplyTo(options);
  if (options.leader_election) options.leader_election->client = lease_client_.get();
  return options;
}

}  // namespace kubexms
