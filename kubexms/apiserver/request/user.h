#pragma once

// Who makes a request, and what it asks for: what authentication finds out, authorization decides
// about, and the audit log records.

#include <map>
#include <string>
#include <vector>

namespace kubexms {

struct UserInfo {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool operator==(const UserInfo&) const = default;
};

// A request as authorization sees it.
struct RequestAttributes {
  std::string verb;  // get, list, watch, create, …; of non-resource requests: get, post, …

  bool is_resource = true;
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string namespace_name;  // empty: of the cluster, or of all namespaces
  std::string name;            // empty: not of one object

  std::string path;  // of non-resource requests: "/metrics"
};

}  // namespace kubexms
