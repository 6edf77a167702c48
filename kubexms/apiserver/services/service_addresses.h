#pragma once

// The cluster IPs and node ports of Services. Each address in use is a key of its own in the store
// (cluster IPs as IPAddress objects, as in Kubernetes), written in the same commit as the Service
// that holds it and only if it is free: none is ever handed out twice, whatever crashes and however
// many servers share the store.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/services/service_ip_range.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/random.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

struct ServiceAddressOptions {
  std::string cluster_ip_range = "10.96.0.0/12";  // or two, see ParseServiceIpRanges
  int32_t first_node_port = 30000;
  int32_t last_node_port = 32767;
};

class ServiceAddresses {
 public:
  // Fails when a range is none. `store` and `random` must outlive it.
  static Result<ServiceAddresses> Create(const ServiceAddressOptions& options, store::Store& store,
                                         Random& random);

  // Gives `service` the addresses that its type asks for and it does not have yet, and adds to
  // `transaction` what reserves them, and what frees those that `old` (null for a creation) had and
  // `service` no longer has. Addresses that are asked for by name and cannot be had are an error.
  Result<store::Transaction> Assign(Json& service, const Json* old, Time now,
                                    store::Transaction transaction);

  // Adds what frees all addresses of a Service that is about to be removed.
  store::Transaction Release(const Json& service, store::Transaction transaction) const;
  // The same for a Service of which nothing but the name can be read.
  Result<store::Transaction> ReleaseHeldBy(std::string_view namespace_name, std::string_view name,
                                           store::Transaction transaction);

 private:
  ServiceAddresses(const ServiceAddressOptions& options, std::vector<ServiceIpRange> ranges,
                   store::Store& store, Random& random);

  Result<void> AssignClusterIps(Json& service, const Json* old);
  Result<void> AssignNodePorts(Json& service, const Json* old);
  Result<void> AssignHealthPort(Json& service, const Json* old);
  Result<std::string> ExplainNodePort(int64_t port);
  const ServiceIpRange& RangeOf(std::string_view family) const;
  Result<void> CheckClusterIp(const std::string& ip, const Json& service);
  Result<std::string> FreeClusterIp(const ServiceIpRange& range);
  Result<int64_t> FreeNodePort(const Json& service);
  Result<bool> IsTaken(const std::string& key);

  ServiceAddressOptions options_;
  std::vector<ServiceIpRange> ranges_;      // the usual one first
  std::vector<std::string_view> families_;  // of them
  store::Store& store_;
  Random& random_;
};

}  // namespace kubexms
