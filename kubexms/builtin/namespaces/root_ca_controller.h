#pragma once

// Every namespace has a ConfigMap "kube-root-ca.crt" with the certificates by which Pods know the
// API server.

#include <string>

#include "kubexms/controller/controller.h"

namespace kubexms {

// `authority_pem` is what the ConfigMap has under "ca.crt".
Controller RootCaController(std::string authority_pem);

}  // namespace kubexms
