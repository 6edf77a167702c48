#include "kubexms/apiserver/role_aggregation.h"

#include <memory>
#include <utility>
#include <vector>

#include "kubexms/api/aggregated_rules.h"
#include "kubexms/api/codec.h"

namespace kubexms {
namespace {

using rbacv1::ClusterRole;

Result<void> WriteRules(ObjectWriter& writer, const Resource& roles, const ClusterRole& role) {
  JsonArray rules;
  for (const rbacv1::PolicyRule& rule : role.rules) rules.push_back(ToJson(rule));
  const UserInfo self{.name = "system:apiserver", .groups = {"system:masters"}};
  const Result<Written> written =
      writer.Update({.resource = roles,
                     .subresource = "",
                     .name_space = "",
                     .name = role.metadata.name,
                     .user = self,
                     .manager = "clusterrole-aggregation-controller"},
                    [&](const Json& old) -> Result<ObjectWriter::Change> {
                      Json changed = old;
                      changed.get_object()["rules"] = rules;
                      return ObjectWriter::Change{std::move(changed)};
                    });
  return IgnoreNotFound(written);
}

}  // namespace

Result<void> AggregateRoles(store::Store& store, ObjectWriter& writer, const Resource& roles) {
  ASSIGN_OR_RETURN(const store::ListPage page, store.List({.prefix = StoragePrefix(roles, "")}));
  std::vector<ClusterRolePointer> stored;
  for (const store::RecordPtr& record : page.records) {
    ASSIGN_OR_RETURN(ClusterRole role, Decode<ClusterRole>(record->value));
    stored.push_back(std::make_shared<const ClusterRole>(std::move(role)));
  }
  for (const ClusterRolePointer& role : SettleAggregatedRules(stored)) {
    RETURN_IF_ERROR(WriteRules(writer, roles, *role));
  }
  return {};
}

}  // namespace kubexms
