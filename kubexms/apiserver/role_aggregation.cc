#include "kubexms/apiserver/role_aggregation.h"

#include <memory>
#include <utility>
#include <vector>

#include "kubexms/api/builtin/aggregated_rules.h"
#include "kubexms/api/codec.h"

namespace kubexms {
namespace {

using rbacv1::ClusterRole;

Result<void> WriteRules(ObjectWriter& writer, const Resource& roles, const ClusterRole& role) {
  JsonArray rules;
  for (const rbacv1::PolicyRule& rule : role.rules) rules.push_back(ToJson(rule));
  const Result<Written> written =
      writer.Update({.resource = roles,
                     .subresource = "",
                     .namespace_name = "",
                     .name = role.metadata.name,
                     .user = ApiServerUser(),
                     .manager = "clusterrole-aggregation-controller"},
                    [&](const Json& old) -> Result<ObjectWriter::Change> {
                      Json changed = old;
                      changed.get_object()["rules"] = rules;
                      return ObjectWriter::Change{std::move(changed)};
                    });
  return IgnoreNotFound(written);
}

}  // namespace

Result<void> AggregateRoles(store::Store& store, ObjectWriter& writer, const Resource& roles,
                            const Logger& log) {
  ASSIGN_OR_RETURN(const store::ListPage page, store.List({.prefix = StoragePrefix(roles, "")}));
  std::vector<ClusterRolePointer> stored;
  for (const store::RecordPtr& record : page.records) {
    Result<ClusterRole> role = Decode<ClusterRole>(record->value);
    if (!role.ok()) {
      log.Error("cannot aggregate a cluster role: it cannot be read",
                {{"key", record->key}, {"error", role.error()}});
      continue;
    }
    stored.push_back(std::make_shared<const ClusterRole>(std::move(*role)));
  }
  for (const ClusterRolePointer& role : UpdateAggregatedRules(stored)) {
    const Result<void> written = WriteRules(writer, roles, *role);
    // A role that is refused must not prevent the server from starting.
    if (written.ok()) continue;
    log.Error("cannot aggregate a cluster role",
              {{"role", role->metadata.name}, {"error", written.error()}});
  }
  return {};
}

}  // namespace kubexms
