#pragma once

// Cached objects for tests, made without a server.

#include <fmt/format.h>

#include <string>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/controller/informers/cached_object.h"

namespace kubexms {

struct ConfigMapParts {
  std::string name = "a";
  std::string namespace_name = "default";
  std::string uid = "uid-1";
  uint64_t version = 1;
  std::string labels = "{}";  // JSON
};

inline std::string ConfigMapJson(const ConfigMapParts& parts) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}","namespace":"{}",)"
      R"("uid":"{}","resourceVersion":"{}","labels":{}}}}})",
      parts.name, parts.namespace_name, parts.uid, parts.version, parts.labels);
}

inline CachedObject CachedConfigMap(const ConfigMapParts& parts) {
  return FormOf<corev1::ConfigMap>().Decode(ConfigMapJson(parts)).value();
}

}  // namespace kubexms
