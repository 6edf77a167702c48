#pragma once

// The Connector of a host with a shell: puts operations, commands and files into scripts for a
// Transport, and ends what a command has started when its time is over.
//
// What is secret (the sudo password, scripts, environments, contents) travels on standard input.
// The command line, which every user of the host can read, holds a loop that takes it from there.

#include <memory>
#include <string>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/automation/hosts/transport.h"
#include "kubexms/base/random.h"
#include "kubexms/base/secret.h"

namespace kubexms::automation {

struct SudoOptions {
  // What sudo asks for; empty: it must ask for nothing.
  Secret password;
};

// `random` must outlive the connector; it makes marks that tell one command from another.
std::unique_ptr<Connector> MakeShellConnector(std::unique_ptr<Transport> transport,
                                              SudoOptions sudo, Random* random);

}  // namespace kubexms::automation
