#include "kubexms/builtin/disruption/disruption_controller.h"

#include <fmt/format.h>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/builtin/disruption/disruption_budget.h"
#include "kubexms/builtin/disruption/owner_scale.h"
#include "kubexms/builtin/shared/label_lookup.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using corev1::Pod;
using policyv1::PodDisruptionBudget;
using policyv1::PodDisruptionBudgetStatus;
using BudgetLookup = SelectorLookup<PodDisruptionBudget>;

// A selector as Kubernetes' Go code prints it, for the Event that clients know.
std::string GoText(const Optional<LabelSelector>& selector) {
  if (!selector) return "nil";
  std::string labels;
  for (const auto& [key, value] : selector->match_labels) {
    labels += fmt::format("{}: {},", key, value);
  }
  std::string expressions;
  for (const LabelSelectorRequirement& requirement : selector->match_expressions) {
    expressions +=
        fmt::format("LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},", requirement.key,
                    requirement.operator_, fmt::join(requirement.values, " "));
  }
  return fmt::format(
      "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:"
      "[]LabelSelectorRequirement{{{}}},}}",
      labels, expressions);
}

// One reconcile of a PodDisruptionBudget.
class DisruptionSync {
 public:
  DisruptionSync(ReconcileContext& context, const PodDisruptionBudget& budget)
      : context_(context),
        budget_(budget),
        pods_(SelectedBy(SelectorOfBudget(budget), budget.metadata.namespace_name,
                         context.Cached<Pod>())) {}

  Result<Outcome> Run(ResourceMapper& kinds) {
    OwnerScale scale;
    if (DependsOnScale(budget_.spec)) {
      const Result<OwnerScale> found = ScaleOfOwners(context_, kinds, pods_);
      if (!found.ok()) return Fail(found.error());
      scale = *found;
    }
    const Result<BudgetEvaluation> evaluation =
        EvaluateBudget(budget_, pods_, scale.replicas, context_.clock);
    if (!evaluation.ok()) return Fail(evaluation.error());
    ASSIGN_OR_RETURN(const bool written, Write(evaluation->status));
    if (written) RecordEvents(scale, *evaluation);
    if (!evaluation->recheck_after) return Outcome::Done();
    return Outcome::RequeueAfter(*evaluation->recheck_after);
  }

 private:
  // Allows no disruptions. Transient errors are retried; otherwise the next change triggers a
  // reconcile.
  Result<Outcome> Fail(const Error& error) {
    ASSIGN_OR_RETURN(const bool written,
                     Write(FailSafeStatus(budget_, error.message(), context_.clock)));
    if (written) {
      Event("CalculateExpectedPodCountFailed",
            "Failed to calculate the number of expected pods: " + error.message());
    }
    if (error.IsTransient()) return error;
    return Outcome::Done();
  }

  Result<bool> Write(const PodDisruptionBudgetStatus& status) {
    if (SemanticEqual(status, budget_.status)) return false;
    PodDisruptionBudget changed = budget_;
    changed.status = status;
    const auto written = context_.client.UpdateStatus(changed, {.stop = context_.stop});
    RETURN_IF_ERROR(IgnoreNotFound(written));
    return written.ok();
  }

  void RecordEvents(const OwnerScale& scale, const BudgetEvaluation& evaluation) {
    if (pods_.empty()) Event("NoPods", "No matching pods found", EventType::kNormal);
    if (scale.unmanaged) {
      Event("UnmanagedPods",
            fmt::format("Pods selected by this PodDisruptionBudget (selector: {}) were found to be "
                        "unmanaged. As a result, the status of the PDB cannot be calculated "
                        "correctly, which may result in undefined behavior. To account for these "
                        "pods please set \".spec.minAvailable\" field of the PDB to an integer "
                        "value.",
                        GoText(budget_.spec.selector)));
    }
    for (const PodPointer& pod : evaluation.not_deleted) {
      context_.events.Event(ReferenceTo(*pod), EventType::kWarning, "NotDeleted",
                            fmt::format("Pod was expected by PDB {} to be deleted but it wasn't",
                                        context_.key.ToString()));
    }
  }

  void Event(std::string_view reason, const std::string& message,
             EventType type = EventType::kWarning) {
    context_.events.Event(ReferenceTo(budget_), type, reason, message);
  }

  ReconcileContext& context_;
  const PodDisruptionBudget& budget_;
  const std::vector<PodPointer> pods_;
};

// Reconciles budgets when an owner of Pods is created, deleted or scaled.
template <Kind T>
void WatchScale(const std::shared_ptr<const BudgetLookup>& budgets,
                ControllerFor<PodDisruptionBudget>& controller) {
  controller.Watches<T>(
      [budgets](const T& owner) {
        return budgets->Selecting(owner.metadata.namespace_name,
                                  owner.spec.template_.metadata.labels);
      },
      {.predicates = {Changed<T>([](const T& before, const T& after) {
         return before.spec.replicas != after.spec.replicas;
       })}});
}

Result<Outcome> ClearIfStale(ReconcileContext& context, const Pod& pod) {
  const auto left = TimeUntilStale(pod, context.clock);
  if (!left) return Outcome::Done();
  if (left->count() > 0) return Outcome::RequeueAfter(*left);
  Pod changed = pod;
  ClearDisruptionTarget(changed, context.clock);
  RETURN_IF_ERROR(IgnoreNotFound(context.client.UpdateStatus(changed, {.stop = context.stop})));
  return Outcome::Done();
}

}  // namespace

Controller DisruptionController(InformerSet& informers, std::shared_ptr<ResourceMapper> kinds) {
  const auto budgets = std::make_shared<const BudgetLookup>(informers, &SelectorOfBudget);
  ControllerFor<PodDisruptionBudget> controller(
      {.name = "disruption-controller", .event_source = "controllermanager"});
  controller
      .Watches<Pod>(
          [budgets](const Pod& pod) {
            return budgets->Selecting(pod.metadata.namespace_name, pod.metadata.labels);
          },
          {.predicates = {Changed<Pod>(&HealthChanged)}})
      .Index<Pod>(kLabelIndex, &LabelsOf<Pod>);
  WatchScale<appsv1::Deployment>(budgets, controller);
  WatchScale<appsv1::ReplicaSet>(budgets, controller);
  WatchScale<appsv1::StatefulSet>(budgets, controller);
  WatchScale<corev1::ReplicationController>(budgets, controller);
  controller.Reconciles(
      [kinds = std::move(kinds)](ReconcileContext& context, const PodDisruptionBudget& budget) {
        return DisruptionSync(context, budget).Run(*kinds);
      });
  return controller;
}

Controller DisruptionTargetController() {
  ControllerFor<Pod> controller({.name = "disruption-target-controller"});
  controller
      .WithPredicates(Matches<Pod>(
          [](const Pod& pod) { return FindPodCondition(pod, "DisruptionTarget") != nullptr; }))
      .Reconciles(ClearIfStale);
  return controller;
}

}  // namespace kubexms
