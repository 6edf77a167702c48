#include "kubexms/controller/reconcile_client.h"

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

template <class Call>
auto ReconcileClient::Bound(const ClientRequest& request, const Call& call)
    -> decltype(call(request)) {
  if (stop_.stop_requested()) return TimeIsOver(request.Path());
  if (request.stop.stop_possible()) return call(request);
  ClientRequest bound = request;
  bound.stop = stop_;
  auto answer = call(bound);
  const bool ended = !answer.ok() && answer.error().code() == kCanceled && stop_.stop_requested();
  if (ended) return TimeIsOver(request.Path());
  return answer;
}

Result<SharedBytes> ReconcileClient::Do(const ClientRequest& request) {
  return Bound(request,
               [&](const ClientRequest& bound) { return inner_.DoKnowing(known_, bound); });
}

Result<ObjectPage> ReconcileClient::ListPage(const ClientRequest& request) {
  return Bound(request, [&](const ClientRequest& bound) { return inner_.ListPage(bound); });
}

Result<std::unique_ptr<ObjectWatch>> ReconcileClient::OpenWatch(const ClientRequest& request) {
  return Bound(request, [&](const ClientRequest& bound) { return inner_.OpenWatch(bound); });
}

Result<SharedBytes> ReconcileClient::GetPath(std::string_view path, std::stop_token stop) {
  if (stop_.stop_requested()) return TimeIsOver(path);
  return inner_.GetPath(path, stop.stop_possible() ? std::move(stop) : stop_);
}

}  // namespace kubexms
