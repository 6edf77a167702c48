#include "kubexms/builtin/roles/role_aggregation_controller.h"

#include <algorithm>

#include "kubexms/api/builtin/aggregated_rules.h"
#include "kubexms/builtin/shared/label_lookup.h"

namespace kubexms {
namespace {

using rbacv1::ClusterRole;

constexpr const char* kAggregating = "aggregating";
constexpr const char* kAggregatingValue = "yes";
constexpr const char* kFieldManager = "clusterrole-aggregation-controller";

std::vector<std::string> AggregatingIndexValues(const ClusterRole& role) {
  if (!role.aggregation_rule) return {};
  return {kAggregatingValue};
}

std::vector<ClusterRolePointer> SelectedRoles(const ReconcileContext& context,
                                              const ClusterRole& role) {
  std::vector<ClusterRolePointer> roles;
  for (const Selector& selector : AggregationSelectors(role)) {
    std::ranges::move(SelectedBy(selector, "", context.Cached<ClusterRole>()),
                      std::back_inserter(roles));
  }
  return roles;
}

Result<Outcome> Reconcile(ReconcileContext& context, const ClusterRole& role) {
  if (!role.aggregation_rule) return Outcome::Done();
  ClusterRole wanted = role;
  wanted.rules = AggregatedRules(role, SelectedRoles(context, role));
  if (SemanticEqual(wanted, role)) return Outcome::Done();
  RETURN_IF_ERROR(IgnoreNotFound(
      context.client.Update(wanted, {.field_manager = kFieldManager, .stop = context.stop})));
  return Outcome::Done();
}

}  // namespace

Controller RoleAggregationController() {
  ControllerFor<ClusterRole> controller({.name = "clusterrole-aggregation-controller"});
  controller.Index<ClusterRole>(kLabelIndex, &LabelsOf<ClusterRole>)
      .Index<ClusterRole>(kAggregating, &AggregatingIndexValues)
      .Watches<ClusterRole>([](const DeclaredCaches& caches, const ClusterRole& changed) {
        std::vector<ObjectKey> keys;
        for (const auto& role :
             caches.Cached<ClusterRole>().ByIndex(kAggregating, kAggregatingValue)) {
          if (Aggregates(*role, changed)) keys.push_back(ObjectKey::Of(role->metadata));
        }
        return keys;
      })
      .Reconciles(Reconcile);
  return controller;
}

}  // namespace kubexms
