#pragma once

// Creates the objects that every cluster has: the system namespaces, the default roles and
// bindings, the priority classes, and the Service `kubernetes`, by which Pods reach the API.

#include <cstdint>
#include <string>

#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

struct BootstrapOptions {
  std::string cluster_ip_range;   // see ServiceAddressOptions
  std::string advertise_address;  // the address by which Pods reach this server
  uint16_t port = 0;
  std::string client_authority_pem;  // the CA of client certificates; empty: none
};

// The address of the Service `kubernetes`, the first one of the ranges: "10.96.0.1". The ranges
// must be valid.
std::string FirstClusterIp(std::string_view ranges);

// Creates missing objects, replaces damaged ones, and reconciles the default roles and bindings.
// Idempotent.
Result<void> Bootstrap(const BootstrapOptions& options, store::Store& store,
                       const ResourceSet& resources, ObjectWriter& writer, const Logger& log = {});

}  // namespace kubexms
