#pragma once

// Flags of every command that runs controllers: --controllers selects built-in controllers by name,
// and "platform" selects all controllers of the platform.

#include <chrono>
#include <string_view>
#include <vector>

#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/cli/command.h"
#include "kubexms/platform/platform.h"

namespace kubexms {

struct ControllerList {
  std::vector<const BuiltinController*> builtin;
  bool platform = false;

  bool empty() const { return builtin.empty() && !platform; }
};

// Parses a comma-separated list: "*" selects every built-in controller, "NAME" adds one, "-NAME"
// removes one, "none" selects no controller; see SelectControllers.
Result<ControllerList> ReadControllerList(std::string_view list);

// --node-monitor-grace-period: the time without a node heartbeat before the node's Ready condition
// becomes Unknown.
Flag GracePeriodFlag();
Result<std::chrono::nanoseconds> ReadGracePeriod(const Invocation& call);

// Flags of the platform. --devbox-tailnet and --devbox-ssh-gate: how users connect to devboxes
// without node ports. --workspace-groups: API groups of custom resources that owners of workspaces
// may use. --watch-namespace: the only namespace whose requests and devboxes are reconciled.
Flag TailnetFlag();
Flag SshGateFlag();
Flag WorkspaceGroupsFlag();
Flag WatchNamespaceFlag();
Result<platform::PlatformOptions> ReadPlatformOptions(const Invocation& call);

}  // namespace kubexms
