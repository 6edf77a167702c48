#include "kubexms/controller/controller.h"

#include <fmt/format.h>

#include "kubexms/api/group_version.h"
#include "kubexms/api/names.h"
#include "kubexms/base/check.h"

namespace kubexms {
namespace {

std::string GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : std::string(api_version.substr(0, slash));
}

}  // namespace

Controller::Controller(ControllerOptions options) : options_(std::move(options)) {}
Controller::Controller(const Controller&) = default;
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(const Controller&) = default;
Controller& Controller::operator=(Controller&&) noexcept = default;
Controller::~Controller() = default;

void Controller::AddRule(WatchRule rule) { rules_.push_back(std::move(rule)); }

void Controller::AddAccess(ResourceAccess access) { access_.push_back(std::move(access)); }

void Controller::AddIndex(CacheIndex index) { indexes_.push_back(std::move(index)); }

void Controller::AddSource(std::shared_ptr<Source> source) {
  sources_.push_back(std::move(source));
}

void Controller::AddPrecondition(Precondition condition) {
  preconditions_.push_back(std::move(condition));
}

void Controller::AddPredecessor(std::string controller) {
  predecessors_.push_back(std::move(controller));
}

void Controller::SetFor(WatchRule rule) {
  KUBEXMS_CHECK(rules_.empty());
  has_for_ = true;
  rules_.push_back(std::move(rule));
}

void Controller::AddForPredicate(Predicate predicate) {
  KUBEXMS_CHECK(has_for_);
  rules_.front().predicates.push_back(std::move(predicate));
}

void Controller::AddEventFilter(Predicate predicate) {
  event_filters_.push_back(std::move(predicate));
}

Result<void> Controller::Validate() const {
  const auto invalid = [&](std::string_view reason) {
    return Error::BadRequest(fmt::format("controller \"{}\": {}", options_.name, reason));
  };
  if (options_.name.empty()) return invalid("the name is empty");
  if (!reconcile_) return invalid("it has no reconciler: call Reconciles()");
  if (rules_.empty() && sources_.empty()) {
    return invalid("it watches no kind and no source, so it would never reconcile");
  }
  if (options_.max_concurrent_reconciles < 1) {
    return invalid("maxConcurrentReconciles must be at least 1");
  }
  if (options_.max_retries && *options_.max_retries < 0) {
    return invalid("maxRetries must not be negative");
  }
  const RateLimiterOptions& limits = options_.rate_limiter;
  if (limits.base_delay.count() <= 0) return invalid("baseDelay must be greater than zero");
  if (limits.max_delay < limits.base_delay) return invalid("maxDelay is less than baseDelay");
  if (limits.qps < 0) return invalid("qps must not be negative");
  if (limits.qps > 0 && limits.burst < 1) return invalid("burst must be at least 1");
  if (options_.reconcile_timeout.count() < 0) {
    return invalid("reconcileTimeout must not be negative");
  }
  const bool resyncs = options_.resync_period.count() != 0;
  if (resyncs && options_.resync_period < std::chrono::seconds(1)) {
    return invalid("resyncPeriod must be at least 1s, or 0s for never");
  }
  return {};
}

ObjectMapper EnqueueObject() {
  return [](const DeclaredCaches&, const CachedObject& object, std::vector<ObjectKey>& keys) {
    keys.push_back(object.key());
  };
}

ObjectMapper EnqueueOwner(const ResourceType& owner, bool match_every_owner) {
  return [owner, match_every_owner](const DeclaredCaches&, const CachedObject& object,
                                    std::vector<ObjectKey>& keys) {
    for (const OwnerReference& reference : object.metadata->owner_references) {
      const bool matches = match_every_owner || reference.controller.value_or(false);
      if (!matches || reference.kind != owner.kind) continue;
      if (GroupOf(reference.api_version) != owner.group) continue;
      keys.push_back({owner.namespaced ? object.metadata->namespace_name : "", reference.name});
    }
  };
}

std::vector<ResourceAccess> AccessToReconciled(const ResourceType& resource) {
  return {{resource, "", {"get", "list", "patch", "update", "watch"}},
          {resource, "status", {"get", "patch", "update"}},
          {resource, "finalizers", {"update"}}};
}

std::vector<ResourceAccess> AccessToOwned(const ResourceType& resource) {
  return {{resource, "", {"create", "delete", "get", "list", "patch", "update", "watch"}}};
}

std::vector<ResourceAccess> AccessToWatched(const ResourceType& resource) {
  return {{resource, "", {"get", "list", "watch"}}};
}

}  // namespace kubexms
