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

// Decides which IP families `service`, which is to have cluster IPs or is headless, has: by what it
// asks for with ipFamilyPolicy, ipFamilies and clusterIPs, by what it had (`old`, null if it is
// new), and by the families that the cluster has, the usual one first. Fills in ipFamilyPolicy and
// ipFamilies, and takes the second cluster IP off that is given back. Names all that contradicts
// each other or cannot be had.
Result<void> ChooseIpFamilies(Json& service, const Json* old,
                              std::span<const std::string_view> available);

}  // namespace kubexms
