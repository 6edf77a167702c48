#pragma once

// Publishes the ConfigMap "kube-root-ca.crt" in every namespace: the CA certificates by which Pods
// verify the API server.

#include <string>

#include "kubexms/controller/controller.h"

namespace kubexms {

// `authority_pem` is the value of the key "ca.crt".
Controller RootCaController(std::string authority_pem);

}  // namespace kubexms
