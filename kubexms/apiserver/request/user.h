#pragma once

// The user and the attributes of an HTTP request: set by authentication and by parsing, used by
// authorization and admission, recorded in the API audit log.

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

// The server itself, as the user of the writes that it makes on its own.
inline const UserInfo& ApiServerUser() {
  static const UserInfo kUser{.name = "system:apiserver", .groups = {"system:masters"}};
  return kUser;
}

// A request as authorization sees it.
struct RequestAttributes {
  std::string verb;  // get, list, watch, create, …; for non-resource paths: get, post, …

  bool is_resource = true;
  std::string group;
  std::string version;
  std::string resource;
  std::string subresource;
  std::string namespace_name;  // empty: cluster-scoped, or all namespaces
  std::string name;            // empty: not a single object

  std::string path;  // of a non-resource path: "/metrics"
};

}  // namespace kubexms
