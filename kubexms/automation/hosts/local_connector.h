#pragma once

// The operator's machine as a host.

#include <memory>

#include "kubexms/automation/hosts/connector.h"
#include "kubexms/automation/hosts/shell_connector.h"
#include "kubexms/automation/hosts/transport.h"

namespace kubexms::automation {

// `random` must outlive the connector.
std::unique_ptr<Connector> MakeLocalConnector(SudoOptions sudo, Random* random);

std::unique_ptr<Transport> MakeLocalTransport();

}  // namespace kubexms::automation
