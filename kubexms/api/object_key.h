#pragma once

// The namespace and name of an object, unique among the objects of a kind.

#include <boost/container_hash/hash.hpp>
#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "kubexms/api/meta_v1.h"

namespace kubexms {

struct ObjectKey {
  std::string namespace_name;  // empty for cluster-scoped objects
  std::string name;

  static ObjectKey Of(const ObjectMeta& metadata) {
    return {metadata.namespace_name, metadata.name};
  }

  // "namespace/name", or "name" for cluster-scoped objects.
  std::string ToString() const {
    return namespace_name.empty() ? name : namespace_name + "/" + name;
  }

  auto operator<=>(const ObjectKey&) const = default;
};

}  // namespace kubexms

template <>
struct std::hash<kubexms::ObjectKey> {
  size_t operator()(const kubexms::ObjectKey& key) const {
    size_t seed = std::hash<std::string_view>()(key.namespace_name);
    boost::hash_combine(seed, std::hash<std::string_view>()(key.name));
    return seed;
  }
};
