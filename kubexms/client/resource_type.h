#pragma once

// A resource of a server: group, version, kind, plural and scope.

#include <string>
#include <string_view>

#include "kubexms/api/schema/type.h"

namespace kubexms {

struct ResourceType {
  std::string group;  // empty for core
  std::string version;
  std::string kind;
  std::string plural;
  bool namespaced = true;

  static ResourceType Of(const KindName& kind);
  template <class T>
  static ResourceType Of() {
    return Of(T::kKind);
  }

  // "v1" or "apps/v1".
  std::string ApiVersion() const;
  // "pods" or "deployments.apps", as errors name it.
  std::string QualifiedName() const;
  // The path of its objects, in a namespace or in all: "/apis/apps/v1/namespaces/a/deployments".
  std::string Path(std::string_view namespace_name) const;

  auto operator<=>(const ResourceType&) const = default;
};

}  // namespace kubexms
