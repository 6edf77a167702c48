#pragma once

// What a reconcile is given as its client: it ends with the reconcile.

#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>

#include "kubexms/controller/informer_set.h"

namespace kubexms {

// Calls end when `stop` is requested, unless they have a stop token of their own; from then on
// every call is refused, by an error that says why (Timeout: it may be tried again). Safe for use
// from any thread.
class ReconcileClient final : public Client {
 public:
  // `known` are the resources that the reconcile decides by: no write is sent while it is not known
  // what became of an earlier one of these. It must outlive the client, as `inner` must.
  ReconcileClient(CacheAwareClient& inner, CacheAwareClient::Resources known, std::stop_token stop)
      : inner_(inner), known_(known), stop_(std::move(stop)) {}

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

 private:
  template <class Call>
  auto Bound(const ClientRequest& request, const Call& call) -> decltype(call(request));

  CacheAwareClient& inner_;
  const CacheAwareClient::Resources known_;
  const std::stop_token stop_;
};

}  // namespace kubexms
