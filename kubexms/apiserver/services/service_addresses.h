#pragma once

// Allocates the cluster IPs and node ports of Services. Each allocated address is a key of its own
// in the store (cluster IPs are IPAddress objects, as in Kubernetes), created in the commit that
// writes the Service and only if the key does not exist. So an address is never allocated twice,
// even if a server crashes or several servers share the store.

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
  std::string cluster_ip_range = "10.96.0.0/12";  // one or two, see ParseServiceIpRanges
  int32_t first_node_port = 30000;
  int32_t last_node_port = 32767;
};

class ServiceAddresses {
 public:
  // Fails when a range is malformed. `store` and `random` must outlive the result.
  static Result<ServiceAddresses> Create(const ServiceAddressOptions& options, store::Store& store,
                                         Random& random);

  // Allocates the addresses that the type of `service` requires and that it does not have, and adds
  // to `transaction` the operations that reserve them and that release those of `old` (null for a
  // creation) that `service` no longer has. An explicitly requested address that is not available
  // is an error.
  Result<store::Transaction> Assign(Json& service, const Json* old, Time now,
                                    store::Transaction transaction);

  // Adds the operations that release all addresses of a Service that is being removed.
  store::Transaction Release(const Json& service, store::Transaction transaction) const;
  // As Release, for a Service whose stored document cannot be parsed.
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
  std::vector<ServiceIpRange> ranges_;      // the default one first
  std::vector<std::string_view> families_;  // of ranges_
  store::Store& store_;
  Random& random_;
};

}  // namespace kubexms
