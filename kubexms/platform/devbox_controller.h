#pragma once

// The devbox controller: it maintains a Secret with SSH keys, the network and, while the devbox
// runs, a Pod. The stages run in order; the first stage that fails or waits ends the reconcile, and
// its condition has the reason.
//
// States. A Paused devbox has no Pod and is resumed with the same content. A Stopped or Shutdown
// devbox starts its next run with new content, from the image as which the old content was
// committed; Shutdown also releases the port. A node agent commits the content. Without an agent,
// new content starts from the same image as the old one: data to retain belongs in a volume.

#include <string>

#include "kubexms/controller/controller.h"

namespace kubexms::platform {

struct DevboxControllerOptions {
  int workers = 10;
  // The namespace whose devboxes are reconciled; empty: all namespaces.
  std::string watch_namespace;
  // Node agents commit contents: a devbox is not Stopped before the commit record of its content
  // has the status Success.
  bool wait_for_commits = false;
  // The domain of the tailnet, and the host of the SSH gate; empty: not available.
  std::string tailnet;
  std::string ssh_gate;
};

Controller DevboxController(const DevboxControllerOptions& options);

}  // namespace kubexms::platform
