#include "kubexms/client/credentials/service_account_credentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/api/kinds/authentication_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/time_left.h"
#include "kubexms/client/client.h"

namespace kubexms {
namespace {

using authenticationv1::TokenRequest;
using corev1::ServiceAccount;
using std::chrono::nanoseconds;

constexpr auto kLifetime = std::chrono::hours(1);
// Between two attempts to renew a token; also bounds how often a clock that is wrong asks.
constexpr auto kRenewPeriod = std::chrono::seconds(10);

class ServiceAccountCredentials final : public CredentialSource {
 public:
  ServiceAccountCredentials(ObjectKey account, Client& requester, const Clock& clock)
      : account_(std::move(account)), requester_(requester), clock_(clock) {}

  Result<Credential> Get(std::stop_token stop) override {
    MutexLock lock(mutex_);
    if (!token_.empty() && clock_.MonotonicNow() < renew_at_) return Credential{token_};
    const Result<TokenRequest> granted = Request(stop);
    if (granted.ok()) {
      token_ = Secret("Bearer " + granted->status.token);
      const nanoseconds left =
          TimeLeft(granted->status.expiration_timestamp.value(), {}, clock_.Now());
      renew_at_ = clock_.MonotonicNow() + std::max<nanoseconds>(left / 5 * 4, kRenewPeriod);
    } else if (token_.empty()) {
      return granted.error().WithContext(
          fmt::format("get a token of the service account {}", account_.ToString()));
    } else {
      renew_at_ = clock_.MonotonicNow() + kRenewPeriod;
    }
    return Credential{token_};
  }

  bool Reject(const Credential& refused) override {
    MutexLock lock(mutex_);
    if (refused.authorization == token_) token_ = {};
    return true;
  }

 private:
  Result<TokenRequest> Request(const std::stop_token& stop) {
    Result<TokenRequest> granted = RequestOnce(stop);
    if (granted.ok() || !granted.error().IsNotFound()) return granted;
    ServiceAccount account;
    account.metadata.namespace_name = account_.namespace_name;
    account.metadata.name = account_.name;
    const Result<ServiceAccount> made = requester_.Create(account, {.stop = stop});
    if (!made.ok() && !made.error().IsAlreadyExists()) return made.error();
    return RequestOnce(stop);
  }

  Result<TokenRequest> RequestOnce(const std::stop_token& stop) {
    TokenRequest request;
    request.spec.expiration_seconds = std::chrono::seconds(kLifetime).count();
    return requester_.CreateSubresource<ServiceAccount>(account_, "token", request, {.stop = stop});
  }

  const ObjectKey account_;
  Client& requester_;
  const Clock& clock_;
  Mutex mutex_;
  Secret token_ GUARDED_BY(mutex_);
  Clock::MonotonicTime renew_at_ GUARDED_BY(mutex_){};
};

}  // namespace

std::unique_ptr<CredentialSource> MakeServiceAccountCredentials(ObjectKey account,
                                                                Client& requester,
                                                                const Clock& clock) {
  return std::make_unique<ServiceAccountCredentials>(std::move(account), requester, clock);
}

}  // namespace kubexms
