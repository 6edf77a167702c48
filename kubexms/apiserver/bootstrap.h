#pragma once

// What is there from the start: the namespaces of the system, the default roles and bindings, the
// priority classes, and the Service under which Pods reach the API.

#include <cstdint>
#include <string>

#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

struct BootstrapOptions {
  std::string cluster_ip_range;   // see ServiceAddressOptions
  std::string advertise_address;  // where Pods reach this server
  uint16_t port = 0;
  std::string client_authority_pem;  // by which this server knows its clients; empty: by none
};

// The first address, "10.96.0.1", of ranges that were found to be right: that of the Service
// "kubernetes".
std::string FirstClusterIp(std::string_view ranges);

// Makes what is missing, makes anew what is damaged, and mends the default roles. Doing it twice is
// the same as once.
Result<void> Bootstrap(const BootstrapOptions& options, store::Store& store,
                       const ResourceSet& resources, ObjectWriter& writer, const Logger& log = {});

}  // namespace kubexms
