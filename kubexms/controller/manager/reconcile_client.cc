#include "kubexms/controller/manager/reconcile_client.h"

#include <fmt/format.h>

namespace kubexms {
namespace {

constexpr int kCanceled = 499;

// A transient error: the next reconcile has a new timeout.
Error Stopped(std::string_view path) {
  return Error::Timeout(fmt::format(
      "{}: the reconcile was stopped, because it exceeded reconcileTimeout or the process ends",
      path));
}

}  // namespace

template <class Answer>
Answer ReconcileClient::Recorded(Answer answer) {
  if (!answer.ok() && answer.error().IsTransient()) {
    MutexLock lock(mutex_);
    transient_codes_.insert(answer.error().code());
  }
  return answer;
}

bool ReconcileClient::HadTransientError(int code) const {
  MutexLock lock(mutex_);
  return transient_codes_.contains(code);
}

template <class Call>
auto ReconcileClient::WithStop(const ClientRequest& request, const Call& call)
    -> decltype(call(request)) {
  using Answer = decltype(call(request));
  if (stop_.stop_requested()) return Recorded<Answer>(Stopped(request.Path()));
  if (request.stop.stop_possible()) return Recorded(call(request));
  ClientRequest bound = request;
  bound.stop = stop_;
  Answer answer = call(bound);
  const bool ended = !answer.ok() && answer.error().code() == kCanceled && stop_.stop_requested();
  if (ended) return Recorded<Answer>(Stopped(request.Path()));
  return Recorded(std::move(answer));
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
    // An object outside of the label selector of a cache may still exist.
    if (!informer.options().scope.label_selector.IsEverything()) continue;
    return Error::NotFound(request.resource.QualifiedName(), request.name);
  }
  return std::nullopt;
}

Result<SharedBytes> ReconcileClient::Do(const ClientRequest& request) {
  return WithStop(request, [&](const ClientRequest& bound) {
    std::optional<Result<SharedBytes>> cached = ReadCached(bound);
    return cached ? *std::move(cached) : inner_.DoWithReadSet(reads_.read_set, bound);
  });
}

Result<ObjectPage> ReconcileClient::ListPage(const ClientRequest& request) {
  return WithStop(request, [&](const ClientRequest& bound) { return inner_.ListPage(bound); });
}

Result<std::unique_ptr<ObjectWatch>> ReconcileClient::OpenWatch(const ClientRequest& request) {
  return WithStop(request, [&](const ClientRequest& bound) { return inner_.OpenWatch(bound); });
}

Result<SharedBytes> ReconcileClient::GetPath(std::string_view path, std::stop_token stop) {
  if (stop_.stop_requested()) return Recorded<Result<SharedBytes>>(Stopped(path));
  return Recorded(inner_.GetPath(path, stop.stop_possible() ? std::move(stop) : stop_));
}

}  // namespace kubexms
