#include "kubexms/controller/reconcile.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

[[noreturn]] void WrongCache(const DeclaredCaches& declared, std::string_view what) {
  CheckFailed(fmt::format("controller \"{}\" {}", declared.controller, what).c_str(), __FILE__,
              __LINE__);
}

template <class Matches>
const ObjectCache& OnlyCache(const DeclaredCaches& declared, const ResourceType& resource,
                             const Matches& matches) {
  const Informer* found = nullptr;
  for (const DeclaredCache& cache : declared.caches) {
    if (!matches(cache) || cache.informer.get() == found) continue;
    if (found != nullptr) {
      WrongCache(declared,
                 fmt::format("has several caches of {}: name the scope, Cached<{}>(scope)",
                             resource.QualifiedName(), resource.kind));
    }
    found = cache.informer.get();
  }
  if (found != nullptr) return found->cache();
  WrongCache(declared,
             fmt::format("declares no cache of {} with this C++ type and scope: add .Reads<{}>(), "
                         ".Watches<{}>(…) or .Owns<{}>() to it",
                         resource.QualifiedName(), resource.kind, resource.kind, resource.kind));
}

}  // namespace

Outcome Outcome::And(const Outcome& other) const {
  if (!requeue_after_) return other;
  if (!other.requeue_after_) return *this;
  return RequeueAfter(std::min(*requeue_after_, *other.requeue_after_));
}

const ObjectCache& DeclaredCaches::CacheOf(const ResourceType& resource) const {
  return OnlyCache(*this, resource,
                   [&](const DeclaredCache& cache) { return cache.form.resource == resource; });
}

const ObjectCache& DeclaredCaches::CacheOf(const ObjectForm& form,
                                           const InformerScope* scope) const {
  return OnlyCache(*this, form.resource, [&](const DeclaredCache& cache) {
    return cache.form.resource == form.resource && cache.form.decode == form.decode &&
           (scope == nullptr || cache.informer->options().scope == *scope);
  });
}

}  // namespace kubexms
