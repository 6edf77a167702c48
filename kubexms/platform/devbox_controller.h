#pragma once

// What a devbox has: a Secret with the keys to log in, its network, and a Pod while it runs. Its
// stages come one after another; the first that fails or waits is the last one to run, and its
// condition says why.
//
// States. A devbox that is Paused has no Pod; it goes on with the same content. One that is Stopped
// or Shutdown begins its next run with a new content, from the image that the old one was saved as;
// Shutdown gives back the port, too. Saving is the job of a node agent. Where there is none, the
// new content begins with the same image as the old one: what is to stay belongs into a volume.

#include <string>

#include "kubexms/controller/controller.h"

namespace kubexms::platform {

struct DevboxControllerOptions {
  int workers = 10;
  // Whose devboxes; empty: those of all namespaces.
  std::string watch_namespace;
  // Node agents save the contents: a devbox is not Stopped before its content's record says
  // Success.
  bool wait_for_commits = false;
  // The domain of the tailnet, and the host of the SSH gate; empty: there is none.
  std::string tailnet;
  std::string ssh_gate;
};

Controller DevboxController(const DevboxControllerOptions& options);

}  // namespace kubexms::platform
