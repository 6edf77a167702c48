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
  const auto wrong = [&](std::string_view what) {
    return Error::BadRequest(fmt::format("controller \"{}\": {}", options_.name, what));
  };
  if (options_.name.empty()) return wrong("it has no name");
  if (!reconcile_) return wrong("it does not say what it does: call Reconciles()");
  if (rules_.empty() && sources_.empty()) return wrong("it watches nothing, so it would never run");
  if (options_.workers < 1) return wrong("workers must be at least 1");
  if (options_.max_concurrent_reconciles < 0) {
    return wrong("maxConcurrentReconciles must not be negative");
  }
  if (options_.max_retries && *options_.max_retries < 0) {
    return wrong("maxRetries must not be negative");
  }
  if (options_.base_delay.count() <= 0) return wrong("baseDelay must be above zero");
  if (options_.max_delay < options_.base_delay) return wrong("maxDelay is less than baseDelay");
  if (options_.qps < 0) return wrong("qps must not be negative");
  if (options_.qps > 0 && options_.burst < 1) return wrong("burst must be at least 1");
  if (options_.reconcile_timeout.count() < 0) return wrong("reconcileTimeout must not be negative");
  const bool resyncs = options_.resync_period.count() != 0;
  if (resyncs && options_.resync_period < std::chrono::seconds(1)) {
    return wrong("resyncPeriod must be at least 1s, or 0s for never");
  }
  return {};
}

ObjectMapper ItsOwnKey() {
  return [](const DeclaredCaches&, const CachedObject& object, std::vector<ObjectKey>& keys) {
    keys.push_back(object.key());
  };
}

ObjectMapper ItsOwners(const ResourceType& owner, bool every_owner) {
  return [owner, every_owner](const DeclaredCaches&, const CachedObject& object,
                              std::vector<ObjectKey>& keys) {
    for (const OwnerReference& reference : object.metadata->owner_references) {
      const bool counts = every_owner || reference.controller.value_or(false);
      if (!counts || reference.kind != owner.kind) continue;
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
