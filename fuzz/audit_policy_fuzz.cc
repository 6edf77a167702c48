#include <cstdint>
#include <string_view>

#include "kubexms/apiserver/audit/audit_policy.h"
#include "kubexms/base/json/yaml.h"

// A policy as in the file of --audit-policy; an accepted policy returns a level for any request.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Json> document = ParseJsonOrYaml(text);
  if (!document.ok()) return 0;
  const Result<AuditPolicy> policy = AuditPolicy::Parse(*document);
  if (!policy.ok()) return 0;
  const UserInfo user{.name = "u", .groups = {"g"}};
  policy->LevelFor(user, {.verb = "get",
                          .group = "apps",
                          .version = "v1",
                          .resource = "deployments",
                          .subresource = "scale",
                          .namespace_name = "n",
                          .name = "a"});
  policy->LevelFor(user, {.verb = "get", .is_resource = false, .path = "/healthz/etcd"});
  return 0;
}
