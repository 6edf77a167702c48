#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// A list of texts in the spec of a Service: "clusterIPs", "ipFamilies".
std::vector<std::string> ServiceTexts(const Json& service, std::string_view name);

// "IPv4" or "IPv6", of an address that is known to be one.
std::string_view FamilyOf(std::string_view address);

// Selects the IP families of `service`, which has cluster IPs or is headless: by its
// ipFamilyPolicy, ipFamilies and clusterIPs, by `old` (null for a creation), and by the families of
// the cluster, the default one first. Sets ipFamilyPolicy and ipFamilies, and removes a secondary
// cluster IP that is released. The error names all contradictory or unavailable values.
Result<void> ChooseIpFamilies(Json& service, const Json* old,
                              std::span<const std::string_view> available);

}  // namespace kubexms
