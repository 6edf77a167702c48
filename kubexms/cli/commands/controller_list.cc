#include "kubexms/cli/commands/controller_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kubexms/api/names.h"
#include "kubexms/api/values/time.h"
#include "kubexms/platform/workspace_roles.h"

namespace kubexms {
namespace {

constexpr std::string_view kPlatform = "platform";
constexpr std::string_view kGracePeriod = "node-monitor-grace-period";
constexpr std::string_view kTailnet = "devbox-tailnet";
constexpr std::string_view kSshGate = "devbox-ssh-gate";
constexpr std::string_view kWorkspaceGroups = "workspace-groups";
constexpr std::string_view kWatchNamespace = "watch-namespace";

// The value of `flag`; empty when the flag is not on the command line.
Result<std::string> ReadDomain(const Invocation& call, std::string_view flag) {
  if (!call.Given(flag)) return std::string();
  std::string name = call.Value(flag);
  const Messages wrong = ValidateDns1123Subdomain(name);
  if (!wrong.empty()) {
    return Error::BadRequest(fmt::format("--{}: \"{}\": {}", flag, name, wrong.front()));
  }
  return name;
}

Result<std::vector<std::string>> ReadGroups(const Invocation& call) {
  std::vector<std::string> groups;
  const std::string list = call.Value(kWorkspaceGroups);
  std::string_view rest = list;
  while (!rest.empty()) {
    std::string group(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(group.size() + 1, rest.size()));
    const Result<void> checked = platform::CheckWorkspaceGroup(group);
    if (!checked.ok()) return checked.error().WithContext(fmt::format("--{}", kWorkspaceGroups));
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

Result<ControllerList> ReadControllerList(std::string_view list) {
  ControllerList read;
  bool without_platform = false;
  std::string builtin;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    if (word == kPlatform) {
      read.platform = true;
    } else if (word.starts_with('-') && word.substr(1) == kPlatform) {
      without_platform = true;
    } else {
      builtin.append(word).append(",");
    }
  }
  if (without_platform) read.platform = false;
  Result<std::vector<const BuiltinController*>> selected = SelectControllers(builtin);
  if (!selected.ok()) {
    return Error::BadRequest("--controllers: " + selected.error().message() +
                             "; platform selects all controllers of the platform");
  }
  read.builtin = *std::move(selected);
  return read;
}

Flag GracePeriodFlag() {
  return {.name = std::string(kGracePeriod),
          .value = "TIME",
          .doc = "time without a heartbeat before a node's Ready condition becomes Unknown",
          .fallback = "50s"};
}

Result<std::chrono::nanoseconds> ReadGracePeriod(const Invocation& call) {
  const Result<Duration> grace = Duration::Parse(call.Value(kGracePeriod));
  if (!grace.ok()) return grace.error().WithContext("--node-monitor-grace-period");
  if (grace->value() < std::chrono::seconds(1)) {
    return Error::BadRequest("--node-monitor-grace-period must be at least 1s");
  }
  return grace->value();
}

Flag TailnetFlag() {
  return {.name = std::string(kTailnet),
          .value = "DOMAIN",
          .doc = "platform: domain of the tailnet for devboxes with the network type Tailnet"};
}

Flag SshGateFlag() {
  return {.name = std::string(kSshGate),
          .value = "HOST",
          .doc = "platform: SSH gateway for devboxes with the network type SSHGate"};
}

Flag WorkspaceGroupsFlag() {
  return {.name = std::string(kWorkspaceGroups),
          .value = "GROUP,...",
          .doc =
              "platform: comma-separated API groups of custom resources that owners of "
              "workspaces may use"};
}

Flag WatchNamespaceFlag() {
  return {.name = std::string(kWatchNamespace),
          .value = "NAMESPACE",
          .doc =
              "platform: the only namespace whose Operationrequests and Devboxes are reconciled; "
              "defaults to all namespaces"};
}

Result<platform::PlatformOptions> ReadPlatformOptions(const Invocation& call) {
  platform::PlatformOptions options;
  ASSIGN_OR_RETURN(options.devboxes.tailnet, ReadDomain(call, kTailnet));
  ASSIGN_OR_RETURN(options.devboxes.ssh_gate, ReadDomain(call, kSshGate));
  ASSIGN_OR_RETURN(options.users.workspace_groups, ReadGroups(call));
  const std::string namespace_name = call.Value(kWatchNamespace);
  if (call.Given(kWatchNamespace) && !ValidateDns1123Label(namespace_name).empty()) {
    return Error::BadRequest(
        fmt::format("--{}: \"{}\" is not a valid namespace name", kWatchNamespace, namespace_name));
  }
  options.devboxes.watch_namespace = namespace_name;
  options.operation_requests.watch_namespace = namespace_name;
  return options;
}

}  // namespace kubexms
