#include "kubexms/builtin/disruption/disruption_controller.h"

#include <fmt/format.h>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/builtin/disruption/disruption_budget.h"
#include "kubexms/builtin/disruption/owner_scale.h"
#include "kubexms/builtin/endpoints/label_lookup.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using corev1::Pod;
using policyv1::PodDisruptionBudget;
using policyv1::PodDisruptionBudgetStatus;
using BudgetLookup = SelectorLookup<PodDisruptionBudget>;

// A run for one budget.
class Judgement {
 public:
  Judgement(ReconcileContext& context, const PodDisruptionBudget& budget)
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
    const Result<BudgetVerdict> verdict =
        JudgeBudget(budget_, pods_, scale.replicas, context_.clock);
    if (!verdict.ok()) return Fail(verdict.error());
    ASSIGN_OR_RETURN(const bool written, Write(verdict->status));
    if (written) Tell(scale, *verdict);
    if (!verdict->recheck_after) return Outcome::Done();
    return Outcome::RequeueAfter(*verdict->recheck_after);
  }

 private:
  // What cannot be judged must not be disrupted; it is judged again when something changes, or
  // later where that may be enough.
  Result<Outcome> Fail(const Error& error) {
    ASSIGN_OR_RETURN(const bool written,
                     Write(FailedVerdict(budget_, error.message(), context_.clock)));
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

  void Tell(const OwnerScale& scale, const BudgetVerdict& verdict) {
    if (pods_.empty()) Event("NoPods", "No matching pods found", EventType::kNormal);
    if (scale.unmanaged) {
      Event("UnmanagedPods",
            fmt::format("Some of the pods selected by {} have no controller, so how many there "
                        "should be is not known. Set .spec.minAvailable to a number to count them.",
                        SelectorOfBudget(budget_).ToString()));
    }
    for (const PodPointer& pod : verdict.not_deleted) {
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

// Owners that come, go or want another number of Pods.
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
        return Judgement(context, budget).Run(*kinds);
      });
  return controller;
}

Controller DisruptionTargetController() {
  ControllerFor<Pod> controller({.name = "disruption-target-controller"});
  controller
      .When(Matches<Pod>(
          [](const Pod& pod) { return FindPodCondition(pod, "DisruptionTarget") != nullptr; }))
      .Reconciles(ClearIfStale);
  return controller;
}

}  // namespace kubexms
