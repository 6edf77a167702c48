#pragma once

// The configuration of a manager and its controllers, in a file or on the command line. Settings
// that are absent do not change the options of the program.
//
//   endpointsAddress: 0.0.0.0:8081
//   leaderElection: {enabled: true, namespace: hello-system}
//   controllers:
//     hello: {maxConcurrentReconciles: 4, maxRetries: 10, reconcileTimeout: 1m}

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"
#include "kubexms/base/result.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

struct ManagerOptions;

struct ControllerConfiguration : Struct {
  Optional<int32_t> max_concurrent_reconciles;
  Optional<int32_t> max_retries;
  Optional<Duration> base_delay;
  Optional<Duration> max_delay;
  Optional<double> qps;
  Optional<int32_t> burst;
  Optional<Duration> reconcile_timeout;
  Optional<Duration> resync_period;

  static void Describe(Type<ControllerConfiguration>& type);
  void ApplyTo(ControllerOptions& options) const;
};

struct LeaderElectionConfiguration : Struct {
  Optional<bool> enabled;
  std::string name;
  std::string namespace_name;
  Optional<Duration> lease_duration;
  Optional<Duration> renew_deadline;
  Optional<Duration> retry_period;

  static void Describe(Type<LeaderElectionConfiguration>& type);
};

struct CacheConfiguration : Struct {
  Optional<int64_t> max_bytes;
  Optional<Duration> list_timeout;
  Optional<Duration> watch_timeout;
  Optional<bool> streaming_list;

  static void Describe(Type<CacheConfiguration>& type);
};

struct ClientConfiguration : Struct {
  Optional<double> qps;
  Optional<int32_t> burst;

  static void Describe(Type<ClientConfiguration>& type);
};

struct LogConfiguration : Struct {
  std::string level;
  std::string format;

  static void Describe(Type<LogConfiguration>& type);
};

struct ManagerConfiguration : Struct {
  std::string endpoints_address;
  Optional<Duration> shutdown_timeout;
  Optional<Duration> sync_timeout;
  LeaderElectionConfiguration leader_election;
  CacheConfiguration cache;
  ClientConfiguration client;
  LogConfiguration log;
  StringKeyed<ControllerConfiguration> controllers;

  static void Describe(Type<ManagerConfiguration>& type);

  // Parses YAML or JSON, which may be empty, and then applies `settings` of the form "path=value",
  // such as "controllers.hello.maxRetries=4". Errors name the field and its allowed values.
  static Result<ManagerConfiguration> Read(std::string_view text,
                                           const std::vector<std::string>& settings = {});
  // The same from a file, whose name is part of errors; an empty `path` stands for an empty file.
  static Result<ManagerConfiguration> ReadFile(const std::string& path,
                                               const std::vector<std::string>& settings);
  void ApplyTo(ManagerOptions& options) const;
};

}  // namespace kubexms
