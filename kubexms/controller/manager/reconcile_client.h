#pragma once

// What a reconcile is given as its client: it ends with the reconcile.

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

// Calls end when `stop` is requested, unless they have a stop token of their own; from then on
// every call is refused, by an error that says why (Timeout: it may be tried again). Gets that
// allow it are answered from the controller's caches, those of the reconciled object itself
// excepted: whoever reads that again wants something newer than what they were given. Safe for use
// from any thread.
class ReconcileClient final : public Client {
 public:
  // What the reconcile decides by. Borrowed for the time of the reconcile.
  struct Reads {
    // No write is sent while it is not known what became of an earlier one of these.
    CacheAwareClient::Resources known;
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

  // Whether a call failed with an error of this code that can pass.
  bool MetTransient(int code) const EXCLUDES(mutex_);

 private:
  template <class Call>
  auto Bound(const ClientRequest& request, const Call& call) -> decltype(call(request));
  // Nothing when the server has to be asked.
  std::optional<Result<SharedBytes>> ReadCached(const ClientRequest& request) const;
  // Keeps in mind how a call failed.
  template <class Answer>
  Answer Noted(Answer answer) EXCLUDES(mutex_);

  CacheAwareClient& inner_;
  const Reads reads_;
  const std::stop_token stop_;
  mutable Mutex mutex_;
  std::set<int> transient_codes_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
