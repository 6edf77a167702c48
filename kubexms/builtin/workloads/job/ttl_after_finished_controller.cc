#include "kubexms/builtin/workloads/job/ttl_after_finished_controller.h"

#include <chrono>
#include <optional>

#include "kubexms/base/time_left.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/workloads/job/job_state.h"

namespace kubexms {
namespace {

using batchv1::Job;

// The time left until the TTL of a finished Job expires; nothing if it does not expire.
std::optional<std::chrono::nanoseconds> TimeUntilExpiry(const Job& job, Clock::WallTime now) {
  const batchv1::JobCondition* end = FindTrueCondition(job, FinishedConditionType(job));
  const bool expires = end != nullptr && job.spec.ttl_seconds_after_finished.has_value() &&
                       job.metadata.deletion_timestamp.IsZero();
  if (!expires) return std::nullopt;
  return TimeLeft(end->last_transition_time.value(),
                  std::chrono::seconds(*job.spec.ttl_seconds_after_finished), now);
}

Result<Outcome> Reconcile(ReconcileContext& context, const Job& job) {
  const auto left = TimeUntilExpiry(job, context.clock.Now());
  if (!left) return Outcome::Done();
  if (*left > std::chrono::nanoseconds(0)) return Outcome::RequeueAfter(*left);
  // The resourceVersion precondition protects a Job whose TTL is extended at the same moment.
  DeleteOptions options = UidPrecondition(job.metadata);
  options.propagation_policy = "Foreground";
  options.preconditions->resource_version = job.metadata.resource_version;
  RETURN_IF_ERROR(IgnoreNotFound(context.client.Delete<Job>(context.key, options)));
  return Outcome::Done();
}

}  // namespace

Controller TtlAfterFinishedController() {
  ControllerFor<Job> controller({.name = "ttl-after-finished-controller"});
  controller.Reconciles(Reconcile);
  return controller;
}

}  // namespace kubexms
