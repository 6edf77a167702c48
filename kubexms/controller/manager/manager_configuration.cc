#include "kubexms/controller/manager/manager_configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kubexms/api/codec.h"
#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/pruning.h"
#include "kubexms/api/schema/validation.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/base/small_file.h"
#include "kubexms/controller/manager/manager.h"

namespace kubexms {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 20;

template <class T, class Target>
void Take(const std::optional<T>& value, Target& target) {
  // NOLINTNEXTLINE(bugprone-optional-value-conversion): only some targets are optional
  if (value) target = static_cast<Target>(*value);
}

template <class Target>
void Take(const Optional<Duration>& value, Target& target) {
  if (value) target = std::chrono::duration_cast<Target>(value->value());
}

// The member `name` of `object`, which is created if it does not exist.
Json& Below(Json& object, std::string_view name) {
  Json& member = object.as_object()[name];
  if (!member.is_object()) member = JsonObject();
  return member;
}

Result<void> Set(Json& document, const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error::BadRequest(fmt::format(
        "\"{}\" is not of the form PATH=VALUE, for example controllers.hello.maxRetries=4",
        setting));
  }
  std::string_view path = std::string_view(setting).substr(0, equals);
  Json* place = &document;
  for (size_t dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
    place = &Below(*place, path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  ASSIGN_OR_RETURN(place->as_object()[path], ParseJsonOrYaml(setting.substr(equals + 1)));
  return {};
}

Result<Json> Parse(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return Json(JsonObject());
  ASSIGN_OR_RETURN(Json document, ParseJsonOrYaml(text));
  if (document.is_null()) return Json(JsonObject());
  if (!document.is_object()) return Error::BadRequest("the configuration must be a map");
  return document;
}

}  // namespace

void ControllerConfiguration::Describe(Type<ControllerConfiguration>& type) {
  using Self = ControllerConfiguration;
  type.Doc("The configuration of one controller.");
  type.Field("maxConcurrentReconciles", &Self::max_concurrent_reconciles,
             "Maximum number of objects that are reconciled at the same time.")
      .Minimum(1);
  type.Field("maxRetries", &Self::max_retries,
             "Number of retries of an object after failures that are not the server's.")
      .Minimum(0);
  type.Field("baseDelay", &Self::base_delay, "Delay before the first retry; it doubles each time.");
  type.Field("maxDelay", &Self::max_delay, "Maximum delay before a retry.");
  type.Field("qps", &Self::qps, "Retries per second of all objects together; 0: no limit.")
      .Minimum(0);
  type.Field("burst", &Self::burst, "Retries at once before qps applies.").Minimum(1);
  type.Field("reconcileTimeout", &Self::reconcile_timeout,
             "Time after which a reconcile is stopped; 0s: never.");
  type.Field("resyncPeriod", &Self::resync_period,
             "Period after which all objects are reconciled without a change; 0s: never.");
}

void ControllerConfiguration::ApplyTo(ControllerOptions& options) const {
  Take(max_concurrent_reconciles, options.max_concurrent_reconciles);
  Take(max_retries, options.max_retries);
  Take(base_delay, options.rate_limiter.base_delay);
  Take(max_delay, options.rate_limiter.max_delay);
  Take(qps, options.rate_limiter.qps);
  Take(burst, options.rate_limiter.burst);
  Take(reconcile_timeout, options.reconcile_timeout);
  Take(resync_period, options.resync_period);
}

void LeaderElectionConfiguration::Describe(Type<LeaderElectionConfiguration>& type) {
  using Self = LeaderElectionConfiguration;
  type.Doc("Leader election: only one of several replicas reconciles.");
  type.Field("enabled", &Self::enabled, "Defaults to the choice of the program.");
  type.Field("name", &Self::name, "Name of the Lease; defaults to the name of the program.");
  type.Field("namespace", &Self::namespace_name, "Namespace of the Lease.");
  type.Field("leaseDuration", &Self::lease_duration,
             "Time without a renewal after which another replica acquires the lease.");
  type.Field("renewDeadline", &Self::renew_deadline,
             "Time without a renewal after which the leader steps down.");
  type.Field("retryPeriod", &Self::retry_period,
             "Time between two attempts to acquire or renew the lease.");
}

void CacheConfiguration::Describe(Type<CacheConfiguration>& type) {
  using Self = CacheConfiguration;
  type.Doc("The caches of the server's objects.");
  type.Field("maxBytes", &Self::max_bytes,
             "Maximum JSON size of the objects of a kind; 0: no limit.")
      .Minimum(0);
  type.Field("listTimeout", &Self::list_timeout, "Timeout of a list.");
  type.Field("watchTimeout", &Self::watch_timeout,
             "Timeout of a watch, times a random factor between 1 and 2.");
  type.Field("streamingList", &Self::streaming_list,
             "List by a watch (sendInitialEvents) if the server supports it.");
}

void ClientConfiguration::Describe(Type<ClientConfiguration>& type) {
  using Self = ClientConfiguration;
  type.Doc("The rate limit of API calls.");
  type.Field("qps", &Self::qps, "API calls per second; 0: no limit.").Minimum(0);
  type.Field("burst", &Self::burst, "API calls at once before qps applies.").Minimum(1);
}

void LogConfiguration::Describe(Type<LogConfiguration>& type) {
  using Self = LogConfiguration;
  type.Field("level", &Self::level).Enum({"debug", "info", "warn", "error"});
  type.Field("format", &Self::format).Enum({"text", "json"});
}

void ManagerConfiguration::Describe(Type<ManagerConfiguration>& type) {
  using Self = ManagerConfiguration;
  type.Doc("The configuration of a manager and its controllers.");
  type.Field("endpointsAddress", &Self::endpoints_address,
             "Address of /healthz, /readyz and /metrics.");
  type.Field("shutdownTimeout", &Self::shutdown_timeout,
             "Time to drain the work queues at a graceful shutdown.");
  type.Field("syncTimeout", &Self::sync_timeout, "Timeout for the initial lists of all caches.");
  type.Field("leaderElection", &Self::leader_election);
  type.Field("cache", &Self::cache);
  type.Field("client", &Self::client);
  type.Field("log", &Self::log);
  type.Field("controllers", &Self::controllers, "Configuration of controllers by name.");
}

Result<ManagerConfiguration> ManagerConfiguration::Read(std::string_view text,
                                                        const std::vector<std::string>& settings) {
  ASSIGN_OR_RETURN(Json document, Parse(text));
  for (const std::string& setting : settings) RETURN_IF_ERROR(Set(document, setting));
  const Schema& schema = SchemaOf<ManagerConfiguration>();
  std::vector<std::string> unknown;
  Prune(document, schema, {.resource_root = false, .removed = &unknown});
  if (!unknown.empty()) {
    return Error::BadRequest(fmt::format("unknown field: {}", fmt::join(unknown, ", ")));
  }
  std::vector<ErrorCause> causes = Validate(document, schema);
  if (!causes.empty()) {
    return Error::BadRequest(fmt::format("{}: {}", causes.front().field, causes.front().message));
  }
  return FromJson<ManagerConfiguration>(document);
}

Result<ManagerConfiguration> ManagerConfiguration::ReadFile(
    const std::string& path, const std::vector<std::string>& settings) {
  if (path.empty()) return Read("", settings);
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadSmallFile(path, kMaxFileBytes));
  if (!text) return Error::BadRequest(fmt::format("file {} does not exist", path));
  Result<ManagerConfiguration> configuration = Read(*text, settings);
  if (!configuration.ok()) return configuration.error().WithContext(path);
  return configuration;
}

void ManagerConfiguration::ApplyTo(ManagerOptions& options) const {
  if (!endpoints_address.empty()) options.endpoints_address = endpoints_address;
  Take(shutdown_timeout, options.shutdown_timeout);
  Take(sync_timeout, options.sync_timeout);
  Take(cache.max_bytes, options.cache.max_bytes);
  Take(cache.list_timeout, options.cache.reflector.list_timeout);
  Take(cache.watch_timeout, options.cache.reflector.watch_timeout);
  Take(cache.streaming_list, options.cache.reflector.streaming_list);
  options.controllers = controllers;
  if (leader_election.enabled == false) options.leader_election.reset();
  if (leader_election.enabled == true && !options.leader_election)
    options.leader_election.emplace();
  if (!options.leader_election) return;
  LeaderElectionOptions& election = *options.leader_election;
  if (!leader_election.name.empty()) election.name = leader_election.name;
  if (!leader_election.namespace_name.empty())
    election.namespace_name = leader_election.namespace_name;
  Take(leader_election.lease_duration, election.lease_duration);
  Take(leader_election.renew_deadline, election.renew_deadline);
  Take(leader_election.retry_period, election.retry_period);
}

}  // namespace kubexms
