#pragma once

// What --controllers means: built-in controllers by their names, and "platform" for all of the
// platform's.

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

// "*" is every built-in one, "name" one more, "-name" one less, "none" none; see SelectControllers.
Result<ControllerList> ReadControllerList(std::string_view list);

// --node-monitor-grace-period, of every command that runs the controllers: how long nodes may be
// silent.
Flag GracePeriodFlag();
Result<std::chrono::nanoseconds> ReadGracePeriod(const Invocation& call);

// Of every command that runs the platform. --devbox-tailnet and --devbox-ssh-gate: what devboxes
// can be reached by besides node ports. --workspace-groups: custom resources that owners of
// workspaces may work with. --watch-namespace: where requests are executed and devboxes run.
Flag TailnetFlag();
Flag SshGateFlag();
Flag WorkspaceGroupsFlag();
Flag WatchNamespaceFlag();
Result<platform::PlatformOptions> ReadPlatformOptions(const Invocation& call);

}  // namespace kubexms
