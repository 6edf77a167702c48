#include "kubexms/controller/reconcile.h"

#include <algorithm>

#include "kubexms/base/check.h"

namespace kubexms {

Outcome Outcome::And(const Outcome& other) const {
  if (!requeue_after_) return other;
  if (!other.requeue_after_) return *this;
  return RequeueAfter(std::min(*requeue_after_, *other.requeue_after_));
}

const ObjectCache& ReconcileContext::CacheOf(const ResourceType& resource) const {
  const auto cache = std::find_if(caches.begin(), caches.end(), [&](const DeclaredCache& declared) {
    return declared.form.resource == resource;
  });
  KUBEXMS_CHECK(cache != caches.end());
  return cache->informer->cache();
}

}  // namespace kubexms
