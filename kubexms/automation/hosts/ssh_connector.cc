#include "kubexms/automation/hosts/ssh_connector.h"

#include <fmt/format.h>

namespace kubexms::automation {
namespace {

constexpr size_t kMaxHops = 8;

class SshTransport final : public Transport {
 public:
  SshTransport(SshRoute route, SshConnections* connections)
      : route_(std::move(route)), connections_(connections) {}

  Result<int> Execute(const Execution& execution) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<SshSession> session,
                     connections_->Get(route_, execution.stop));
    return session->Execute(execution);
  }
  bool IsRoot() const override { return route_.back().user == "root"; }

 private:
  const SshRoute route_;
  SshConnections* const connections_;
};

SshEndpoint Fill(SshEndpoint endpoint, const SshConfigEntry& entry) {
  if (!entry.host_name.empty()) endpoint.host = entry.host_name;
  if (endpoint.user.empty()) endpoint.user = entry.user.empty() ? "root" : entry.user;
  if (entry.port && endpoint.port == SshEndpoint().port) endpoint.port = *entry.port;
  if (endpoint.private_key_files.empty()) endpoint.private_key_files = entry.identity_files;
  if (endpoint.agent_socket.empty()) endpoint.agent_socket = entry.identity_agent;
  if (entry.identities_only.value_or(false)) endpoint.use_agent = false;
  if (!entry.known_hosts_file.empty()) endpoint.host_key.known_hosts_file = entry.known_hosts_file;
  return endpoint;
}

// The bastion, reached with what `host` is reached with unless the configuration says otherwise.
SshEndpoint Bastion(const SshAddress& address, const SshEndpoint& host, const SshConfig& config) {
  const SshConfigEntry entry = config.Lookup(address.host);
  SshEndpoint bastion = host;
  bastion.host = address.host;
  bastion.host_key.pinned.clear();
  bastion.port = address.port.value_or(SshEndpoint().port);
  bastion.user = address.user.empty() ? entry.user : address.user;
  if (bastion.user.empty()) bastion.user = host.user;
  if (!entry.identity_files.empty()) bastion.private_key_files.clear();
  return Fill(std::move(bastion), entry);
}

}  // namespace

std::shared_ptr<SshConnections::Slot> SshConnections::SlotOf(const std::string& key) {
  MutexLock lock(mutex_);
  std::shared_ptr<Slot>& slot = slots_[key];
  if (!slot) slot = std::make_shared<Slot>();
  return slot;
}

Result<void> SshConnections::Connect(Slot& slot, const SshEndpoint& endpoint,
                                     std::shared_ptr<SshSession> bastion,
                                     std::stop_token stop) const {
  using SteadyClock = std::chrono::steady_clock;
  if (slot.failure && SteadyClock::now() - slot.failed_at < failure_ttl_) return *slot.failure;
  slot.failure.reset();
  Result<std::shared_ptr<SshSession>> session =
      SshSession::Connect(endpoint, std::move(bastion), std::move(stop));
  if (session.ok()) {
    slot.session = *std::move(session);
    return {};
  }
  if (session.error().IsTransient() && !IsCanceled(session.error())) {
    slot.failure = session.error();
    slot.failed_at = SteadyClock::now();
  }
  return session.error();
}

Result<std::shared_ptr<SshSession>> SshConnections::Get(const SshRoute& route,
                                                        std::stop_token stop) {
  KUBEXMS_CHECK(!route.empty() && route.size() <= kMaxHops);
  std::string key;
  std::shared_ptr<SshSession> session;
  for (const SshEndpoint& endpoint : route) {
    key += endpoint.Describe() + " ";
    const std::shared_ptr<Slot> slot = SlotOf(key);
    MutexLock lock(slot->mutex);
    if (!slot->session || !slot->session->alive()) {
      RETURN_IF_ERROR(Connect(*slot, endpoint, std::move(session), stop));
    }
    session = slot->session;
  }
  return session;
}

std::unique_ptr<Connector> MakeSshConnector(SshConnectorOptions options,
                                            SshConnections* connections, Random* random) {
  return MakeShellConnector(std::make_unique<SshTransport>(std::move(options.route), connections),
                            std::move(options.sudo), random);
}

Result<SshRoute> ResolveRoute(const SshEndpoint& host, const SshConfig& config) {
  const SshConfigEntry entry = config.Lookup(host.host);
  const SshEndpoint target = Fill(host, entry);
  ASSIGN_OR_RETURN(const std::vector<SshAddress> jumps, ParseProxyJump(entry.proxy_jump));
  if (jumps.size() >= kMaxHops) {
    return Error::BadRequest(fmt::format("{}: more than {} bastions", host.host, kMaxHops - 1));
  }
  SshRoute route;
  for (const SshAddress& jump : jumps) route.push_back(Bastion(jump, target, config));
  route.push_back(target);
  return route;
}

}  // namespace kubexms::automation
