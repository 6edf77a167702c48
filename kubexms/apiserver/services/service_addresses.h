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
#include "kubexms/apiserver/resources/commit_hook.h"
#include "kubexms/apiserver/services/service_address_options.h"
#include "kubexms/apiserver/services/service_ip_range.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/random.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

class ServiceAddresses final : public CommitHook {
 public:
  // Fails when a range is malformed. `store` and `random` must outlive the result.
  static Result<ServiceAddresses> Create(const ServiceAddressOptions& options, store::Store& store,
                                         Random& random);

  bool AppliesTo(const Resource& resource) const override { return resource.Is("", "services"); }

  // Gives `service` the addresses that its type asks for and it does not have yet, and adds to
  // `transaction` what reserves them, and what frees those that `old` (null for a creation) had and
  // `service` no longer has. Addresses that are asked for by name and cannot be had are an error.
  Result<store::Transaction> OnWrite(Json& service, const Json* old, Time now,
                                     store::Transaction transaction) override;

  // Adds what frees all addresses of a Service that is about to be removed.
  store::Transaction OnRemove(const Json& service, store::Transaction transaction) override;
  // The same for a Service of which nothing but the name can be read.
  Result<store::Transaction> OnRemoveDamaged(std::string_view namespace_name, std::string_view name,
                                             store::Transaction transaction) override;

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
