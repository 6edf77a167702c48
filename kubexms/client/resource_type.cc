#include "kubexms/client/resource_type.h"

#include "kubexms/net/http/http.h"

namespace kubexms {

ResourceType ResourceType::Of(const KindName& kind) {
  return {.group = std::string(kind.group),
          .version = std::string(kind.version),
          .kind = std::string(kind.kind),
          .plural = kind.Plural(),
          .namespaced = kind.scope == Scope::kNamespaced};
}

std::string ResourceType::ApiVersion() const {
  return group.empty() ? version : group + "/" + version;
}

std::string ResourceType::QualifiedName() const {
  return group.empty() ? plural : plural + "." + group;
}

std::string ResourceType::Path(std::string_view namespace_name) const {
  std::string path = group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
  if (namespaced && !namespace_name.empty()) path += "/namespaces/" + PercentEncode(namespace_name);
  return path + "/" + plural;
}

}  // namespace kubexms
