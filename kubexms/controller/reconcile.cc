#include "kubexms/controller/reconcile.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

[[noreturn]] void WrongCache(const ReconcileContext& context, const ResourceType& resource,
                             std::string_view what) {
  CheckFailed(fmt::format("controller \"{}\" asks for its cache of {}, but it {}",
                          context.controller, resource.QualifiedName(), what)
                  .c_str(),
              __FILE__, __LINE__);
}

template <class Matches>
const ObjectCache& OnlyCache(const ReconcileContext& context, const ResourceType& resource,
                             const Matches& matches) {
  const Informer* found = nullptr;
  for (const DeclaredCache& cache : context.caches) {
    if (!matches(cache) || cache.informer.get() == found) continue;
    if (found != nullptr) WrongCache(context, resource, "has several: say which one");
    found = cache.informer.get();
  }
  if (found == nullptr) WrongCache(context, resource, "declares none with this C++ type and scope");
  return found->cache();
}

}  // namespace

Outcome Outcome::And(const Outcome& other) const {
  if (!requeue_after_) return other;
  if (!other.requeue_after_) return *this;
  return RequeueAfter(std::min(*requeue_after_, *other.requeue_after_));
}

const ObjectCache& ReconcileContext::CacheOf(const ResourceType& resource) const {
  return OnlyCache(*this, resource,
                   [&](const DeclaredCache& cache) { return cache.form.resource == resource; });
}

const ObjectCache& ReconcileContext::CacheOf(const ObjectForm& form,
                                             const InformerScope* scope) const {
  return OnlyCache(*this, form.resource, [&](const DeclaredCache& cache) {
    return cache.form.resource == form.resource && cache.form.decode == form.decode &&
           (scope == nullptr || cache.informer->options().scope == *scope);
  });
}

}  // namespace kubexms
