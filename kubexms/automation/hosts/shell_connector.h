#pragma once

// The Connector of a host with a shell: converts operations, commands and files to scripts for a
// Transport, and kills the processes of a command after its timeout.
//
// Secrets (the sudo password, scripts, environments, contents) travel on standard input. The
// command line, which every user of the host can read, has only a loop that reads them.

#include <memory>
#include <string>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/automation/hosts/transport.h"
#include "kubexms/base/random.h"
#include "kubexms/base/secret.h"

namespace kubexms::automation {

struct SudoOptions {
  // The password for sudo; empty: sudo must not require one.
  Secret password;
};

// `random` must outlive the connector; it makes the markers that distinguish commands.
std::unique_ptr<Connector> MakeShellConnector(std::unique_ptr<Transport> transport,
                                              SudoOptions sudo, Random* random);

}  // namespace kubexms::automation
