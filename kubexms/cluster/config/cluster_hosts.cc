#include "kubexms/cluster/config/cluster_hosts.h"

#include <fmt/format.h>

#include <algorithm>

namespace kubexms::cluster {
namespace {

using automation::Host;
using automation::SshAddress;
using automation::SshConfig;
using automation::SshEndpoint;
using automation::SshRoute;

std::string ExpandHome(const std::string& path, const std::string& home) {
  return path.starts_with("~/") ? home + path.substr(1) : path;
}

Result<Secret> Resolve(const std::string& reference, SecretRegistry& secrets) {
  if (reference.empty()) return Secret();
  return automation::ResolveSecret(reference, secrets);
}

SshEndpoint EndpointOf(const HostSpec& host, const Secret& passphrase, const Secret& password,
                       const ConnectOptions& options) {
  SshEndpoint endpoint{.host = host.address,
                       .port = host.port,
                       .user = host.user,
                       .passphrase = passphrase,
                       .password = password};
  if (!host.private_key_path.empty()) {
    endpoint.private_key_files = {ExpandHome(host.private_key_path, options.home)};
  }
  endpoint.host_key = {.cluster_file = options.cluster_directory + "/known_hosts",
                       .trust_on_first_use = true,
                       .known_hosts_file = options.home + "/.ssh/known_hosts"};
  if (!host.host_key.empty()) endpoint.host_key.pinned = {host.host_key};
  return endpoint;
}

// Bastions of the configuration take precedence over ~/.ssh/config.
Result<SshRoute> RouteTo(const HostSpec& host, const SshEndpoint& endpoint,
                         const SshConfig& config) {
  ASSIGN_OR_RETURN(SshRoute route, automation::ResolveRoute(endpoint, config));
  if (host.bastion.empty()) return route;
  ASSIGN_OR_RETURN(const std::vector<SshAddress> jumps, automation::ParseProxyJump(host.bastion));
  SshRoute explicit_route;
  for (const SshAddress& jump : jumps) {
    SshEndpoint bastion = route.back();
    bastion.host = jump.host;
    bastion.port = jump.port.value_or(22);
    if (!jump.user.empty()) bastion.user = jump.user;
    bastion.host_key.pinned.clear();
    explicit_route.push_back(std::move(bastion));
  }
  explicit_route.push_back(route.back());
  return explicit_route;
}

Result<std::shared_ptr<automation::Connector>> ConnectorTo(const HostSpec& host,
                                                           const SshConfig& config,
                                                           const ConnectOptions& options) {
  ASSIGN_OR_RETURN(const Secret passphrase, Resolve(host.private_key_passphrase, *options.secrets));
  ASSIGN_OR_RETURN(const Secret password, Resolve(host.password, *options.secrets));
  ASSIGN_OR_RETURN(const Secret sudo, Resolve(host.sudo_password, *options.secrets));
  ASSIGN_OR_RETURN(const SshRoute route,
                   RouteTo(host, EndpointOf(host, passphrase, password, options), config));
  return std::shared_ptr<automation::Connector>(automation::MakeSshConnector(
      {.route = route, .sudo = {.password = sudo.empty() ? password : sudo}}, options.connections,
      options.random));
}

}  // namespace

std::vector<Host> HostsOf(const ClusterSpec& spec) {
  const std::pair<const char*, const std::vector<std::string>*> groups[] = {
      {"etcd", &spec.role_groups.etcd},
      {"controlPlane", &spec.role_groups.control_plane},
      {"worker", &spec.role_groups.worker},
      {"loadBalancer", &spec.role_groups.load_balancer}};
  std::vector<Host> hosts;
  for (const HostSpec& host : spec.hosts) {
    Host& made = hosts.emplace_back(
        Host{.name = host.name, .variables = {{"internalAddress", host.InternalAddress()}}});
    for (const auto& [role, names] : groups) {
      if (std::ranges::find(*names, host.name) != names->end()) made.roles.insert(role);
    }
  }
  return hosts;
}

Result<std::vector<Host>> ConnectHosts(const ClusterSpec& spec, const ConnectOptions& options) {
  ASSIGN_OR_RETURN(const SshConfig config,
                   SshConfig::Load(options.home + "/.ssh/config", options.home));
  if (options.warnings) *options.warnings = config.warnings();
  std::vector<Host> hosts = HostsOf(spec);
  for (size_t i = 0; i < hosts.size(); ++i) {
    auto connector = ConnectorTo(spec.hosts[i], config, options);
    if (!connector.ok()) return connector.error().WithContext("host " + hosts[i].name);
    hosts[i].connector = *std::move(connector);
  }
  return hosts;
}

}  // namespace kubexms::cluster
