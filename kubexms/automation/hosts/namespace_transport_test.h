#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "kubexms/automation/hosts/command.h"
#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/hosts/transport.h"

namespace kubexms::automation {

// Runs each command on this machine in a mount namespace of its own. `script` mounts there what is
// wanted and ends with running "$1"; the machine itself sees nothing of it.
class NamespaceTransport final : public Transport {
 public:
  explicit NamespaceTransport(std::string script) : script_(std::move(script)) {}

  static bool IsPossible() {
    return ::geteuid() == 0 && std::system("unshare -m true 2>/dev/null") == 0;
  }

  Result<int> Execute(const Execution& execution) override {
    Execution inside = execution;
    inside.command_line = fmt::format("exec unshare -m sh -c {} sh {}", ShellQuote(script_),
                                      ShellQuote(execution.command_line));
    return machine_->Execute(inside);
  }
  bool IsRoot() const override { return true; }

 private:
  const std::string script_;
  const std::unique_ptr<Transport> machine_ = MakeLocalTransport();
};

}  // namespace kubexms::automation
