#include "kubexms/controller/manager/reconcile_client.h"

#include <fmt/format.h>

namespace kubexms {
namespace {

constexpr int kCanceled = 499;

// An error that passes, since the next reconcile has time again.
Error TimeIsOver(std::string_view path) {
  return Error::Timeout(
      fmt::format("{}: the reconcile was told to end: it took longer than reconcileTimeout, or the "
                  "process ends",
                  path));
}

}  // namespace

template <class Answer>
Answer ReconcileClient::Noted(Answer answer) {
  if (!answer.ok() && answer.error().IsTransient()) {
    MutexLock lock(mutex_);
    transient_codes_.insert(answer.error().code());
  }
  return answer;
}

bool ReconcileClient::MetTransient(int code) const {
  MutexLock lock(mutex_);
  return transient_codes_.contains(code);
}

template <class Call>
auto ReconcileClient::Bound(const ClientRequest& request, const Call& call)
    -> decltype(call(request)) {
  using Answer = decltype(call(request));
  if (stop_.stop_requested()) return Noted<Answer>(TimeIsOver(request.Path()));
  if (request.stop.stop_possible()) return Noted(call(request));
  ClientRequest bound = request;
  bound.stop = stop_;
  Answer answer = call(bound);
  const bool ended = !answer.ok() && answer.error().code() == kCanceled && stop_.stop_requested();
  if (ended) return Noted<Answer>(TimeIsOver(request.Path()));
  return Noted(std::move(answer));
}

std::optional<Result<SharedBytes>> ReconcileClient::ReadCached(const ClientRequest& request) const {
  const bool one_object = request.verb == Verb::kGet && request.subresource.empty();
  if (!request.allow_cached || !one_object || request.metadata_only) return std::nullopt;
  const ObjectKey key{request.namespace_name, request.name};
  if (reads_.reconciled != nullptr && key == *reads_.reconciled &&
      request.resource == reads_.caches.front().form.resource) {
    return std::nullopt;
  }
  for (const DeclaredCache& cache : reads_.caches) {
    const Informer& informer = *cache.informer;
    if (!cache.form.complete || !informer.Covers(request.resource, key.namespace_name)) continue;
    if (!informer.HasSynced()) continue;
    const CachedObject object = informer.cache().Get(key);
    if (object) return SharedBytes(cache.form.encode(object));
    // What is not in a selection may be there all the same.
    if (!informer.options().scope.label_selector.IsEverything()) continue;
    return Error::NotFound(request.resource.QualifiedName(), request.name);
  }
  return std::nullopt;
}

Result<SharedBytes> ReconcileClient::Do(const ClientRequest& request) {
  return Bound(request, [&](const ClientRequest& bound) {
    std::optional<Result<SharedBytes>> cached = ReadCached(bound);
    return cached ? *std::move(cached) : inner_.DoKnowing(reads_.known, bound);
  });
}

Result<ObjectPage> ReconcileClient::ListPage(const ClientRequest& request) {
  return Bound(request, [&](const ClientRequest& bound) { return inner_.ListPage(bound); });
}

Result<std::unique_ptr<ObjectWatch>> ReconcileClient::OpenWatch(const ClientRequest& request) {
  return Bound(request, [&](const ClientRequest& bound) { return inner_.OpenWatch(bound); });
}

Result<SharedBytes> ReconcileClient::GetPath(std::string_view path, std::stop_token stop) {
  if (stop_.stop_requested()) return Noted<Result<SharedBytes>>(TimeIsOver(path));
  return Noted(inner_.GetPath(path, stop.stop_possible() ? std::move(stop) : stop_));
}

}  // namespace kubexms
