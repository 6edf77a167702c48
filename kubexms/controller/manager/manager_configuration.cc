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

// The member `name` of `object`, which becomes an object if there is none.
Json& Below(Json& object, std::string_view name) {
  Json& member = object.as_object()[name];
  if (!member.is_object()) member = JsonObject();
  return member;
}

Result<void> Set(Json& document, const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error::BadRequest(fmt::format(
        "a setting is PATH=VALUE, for example controllers.hello.workers=4, not \"{}\"", setting));
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
  if (!document.is_object()) return Error::BadRequest("a configuration is a map of settings");
  return document;
}

}  // namespace

void ControllerSettings::Describe(Type<ControllerSettings>& type) {
  type.Doc("How one controller works.");
  type.Field("workers", &ControllerSettings::workers, "Threads that reconcile.").Minimum(1);
  type.Field("maxConcurrentReconciles", &ControllerSettings::max_concurrent_reconciles,
             "At most so many at a time; 0: as many as there are workers.")
      .Minimum(0);
  type.Field("maxRetries", &ControllerSettings::max_retries,
             "After how many failures that are not the server's an object is left alone.")
      .Minimum(0);
  type.Field("baseDelay", &ControllerSettings::base_delay, "Before the first retry.");
  type.Field("maxDelay", &ControllerSettings::max_delay, "Before any retry, at most.");
  type.Field("qps", &ControllerSettings::qps, "Retries a second, all objects together; 0: any.")
      .Minimum(0);
  type.Field("burst", &ControllerSettings::burst, "Retries at once before qps counts.").Minimum(1);
  type.Field("reconcileTimeout", &ControllerSettings::reconcile_timeout,
             "After which a reconcile is told to end; 0s: never.");
  type.Field("resyncPeriod", &ControllerSettings::resync_period,
             "How often everything is reconciled without a change; 0s: never.");
}

void ControllerSettings::ApplyTo(ControllerOptions& options) const {
  Take(workers, options.workers);
  Take(max_concurrent_reconciles, options.max_concurrent_reconciles);
  Take(max_retries, options.max_retries);
  Take(base_delay, options.base_delay);
  Take(max_delay, options.max_delay);
  Take(qps, options.qps);
  Take(burst, options.burst);
  Take(reconcile_timeout, options.reconcile_timeout);
  Take(resync_period, options.resync_period);
}

void LeaderElectionConfiguration::Describe(Type<LeaderElectionConfiguration>& type) {
  using Self = LeaderElectionConfiguration;
  type.Doc("Of several replicas, one works.");
  type.Field("enabled", &Self::enabled, "As the program has it if not said.");
  type.Field("name", &Self::name, "Of the Lease; the program's name if not said.");
  type.Field("namespace", &Self::namespace_name, "Of the Lease.");
  type.Field("leaseDuration", &Self::lease_duration, "After which others take over.");
  type.Field("renewDeadline", &Self::renew_deadline, "After which a leader gives up.");
  type.Field("retryPeriod", &Self::retry_period, "Between two attempts.");
}

void CacheConfiguration::Describe(Type<CacheConfiguration>& type) {
  using Self = CacheConfiguration;
  type.Doc("What is kept of the server's objects.");
  type.Field("maxBytes", &Self::max_bytes, "Of each kind, as JSON; 0: no bound.").Minimum(0);
  type.Field("listTimeout", &Self::list_timeout, "Of one list.");
  type.Field("watchTimeout", &Self::watch_timeout, "After which, or twice it, a watch is renewed.");
  type.Field("streamingList", &Self::streaming_list, "List by a watch where the server can.");
}

void ClientConfiguration::Describe(Type<ClientConfiguration>& type) {
  using Self = ClientConfiguration;
  type.Doc("How hard the server is asked.");
  type.Field("qps", &Self::qps, "Requests a second; 0: any.").Minimum(0);
  type.Field("burst", &Self::burst, "Requests at once before qps counts.").Minimum(1);
}

void LogConfiguration::Describe(Type<LogConfiguration>& type) {
  using Self = LogConfiguration;
  type.Field("level", &Self::level).Enum({"debug", "info", "warn", "error"});
  type.Field("format", &Self::format).Enum({"text", "json"});
}

void ManagerConfiguration::Describe(Type<ManagerConfiguration>& type) {
  using Self = ManagerConfiguration;
  type.Doc("The settings of a manager and its controllers.");
  type.Field("endpointsAddress", &Self::endpoints_address,
             "Where /healthz, /readyz and /metrics are served.");
  type.Field("shutdownTimeout", &Self::shutdown_timeout, "To work off what is queued at the end.");
  type.Field("syncTimeout", &Self::sync_timeout, "For the first lists.");
  type.Field("leaderElection", &Self::leader_election);
  type.Field("cache", &Self::cache);
  type.Field("client", &Self::client);
  type.Field("log", &Self::log);
  type.Field("controllers", &Self::controllers, "By the controller's name.");
}

Result<ManagerConfiguration> ManagerConfiguration::Read(std::string_view text,
                                                        const std::vector<std::string>& settings) {
  ASSIGN_OR_RETURN(Json document, Parse(text));
  for (const std::string& setting : settings) RETURN_IF_ERROR(Set(document, setting));
  const Schema& schema = SchemaOf<ManagerConfiguration>();
  std::vector<std::string> unknown;
  Prune(document, schema, {.resource_root = false, .removed = &unknown});
  if (!unknown.empty()) {
    return Error::BadRequest(fmt::format("unknown setting: {}", fmt::join(unknown, ", ")));
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
  if (!text) return Error::BadRequest(fmt::format("there is no file {}", path));
  Result<ManagerConfiguration> configuration = Read(*text, settings);
  if (!configuration.ok()) return configuration.error().WithContext(path);
  return configuration;
}

void ManagerConfiguration::ApplyTo(ManagerOptions& options) const {
  if (!endpoints_address.empty()) options.endpoints_address = endpoints_address;
  Take(shutdown_timeout, options.shutdown_timeout);
  Take(sync_timeout, options.sync_timeout);
  Take(cache.max_bytes, options.cache.max_bytes);
  Take(cache.list_timeout, options.cache.list_timeout);
  Take(cache.watch_timeout, options.cache.watch_timeout);
  Take(cache.streaming_list, options.cache.streaming_list);
  options.controllers = controllers;
  if (leader_election.enabled == false) options.leader_election.reset();
  if (leader_election.enabled == true && !options.leader_election)
    options.leader_election.emplace();
  if (!options.leader_election) return;
  LeaderElectionSettings& election = *options.leader_election;
  if (!leader_election.name.empty()) election.name = leader_election.name;
  if (!leader_election.namespace_name.empty())
    election.namespace_name = leader_election.namespace_name;
  Take(leader_election.lease_duration, election.lease_duration);
  Take(leader_election.renew_deadline, election.renew_deadline);
  Take(leader_election.retry_period, election.retry_period);
}

}  // namespace kubexms
