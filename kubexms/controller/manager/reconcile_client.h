#pragma once

// The client of one reconcile: its calls end with the reconcile.

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

#include "kubexms/base/mutex.h"
#include "kubexms/controller/informers/informer_set.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

// Calls without their own stop token end when `stop` is requested; from then on every call is
// refused with a Timeout, which is retried. Gets with `allow_cached` read the caches of the
// controller, except gets of the reconciled object: the reconciler already has its cached state.
// Safe for use from any thread.
class ReconcileClient final : public Client {
 public:
  // The caches that the reconciler reads. Borrowed during the reconcile.
  struct Reads {
    // Writes are sent after all pending writes of these resources are resolved.
    CacheAwareClient::Resources read_set;
    // The first is that of the reconciled object, if `reconciled` is set.
    std::span<const DeclaredCache> caches;
    const ObjectKey* reconciled = nullptr;
  };

  // `inner` must outlive it.
  ReconcileClient(CacheAwareClient& inner, Reads reads, std::stop_token stop)
      : inner_(inner), reads_(reads), stop_(std::move(stop)) {}

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

  // Whether a call failed with a transient error of this code.
  bool HadTransientError(int code) const EXCLUDES(mutex_);

 private:
  template <class Call>
  auto WithStop(const ClientRequest& request, const Call& call) -> decltype(call(request));
  // Nothing if no cache covers the object.
  std::optional<Result<SharedBytes>> ReadCached(const ClientRequest& request) const;
  // Stores the code of a transient error, and returns `answer`.
  template <class Answer>
  Answer Recorded(Answer answer) EXCLUDES(mutex_);

  CacheAwareClient& inner_;
  const Reads reads_;
  const std::stop_token stop_;
  mutable Mutex mutex_;
  std::set<int> transient_codes_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
