#include "kubexms/client/testing/faulty_client.h"

#include <utility>

#include "kubexms/client/no_response.h"

namespace kubexms {
namespace {

constexpr size_t kMaxResponses = 10'000;

bool HasFault(const Fault& fault) {
  return fault.error || fault.stale || fault.break_after_events || fault.delay.count() > 0;
}

// Runs `call` and returns the error of the fault, before the call or instead of its response.
template <class Function>
auto WithFault(const Fault& fault, Function call) -> decltype(call()) {
  if (fault.error && !fault.response_lost) return *fault.error;
  auto response = call();
  if (fault.error) return NoResponse(*fault.error);
  return response;
}

class BreakingWatch final : public ObjectWatch {
 public:
  BreakingWatch(std::unique_ptr<ObjectWatch> inner, int events)
      : inner_(std::move(inner)), events_left_(events) {}

  Result<std::optional<ObjectEvent>> Next() override {
    if (events_left_-- <= 0) {
      events_left_ = 0;
      inner_.reset();
      return Error::ServiceUnavailable("the connection broke (injected)");
    }
    return inner_->Next();
  }
  bool IsReady(const std::function<void()>& ready) override {
    return events_left_ <= 0 || inner_->IsReady(ready);
  }

 private:
  std::unique_ptr<ObjectWatch> inner_;
  int events_left_;
};

}  // namespace

FaultyClient::FaultyClient(Client& inner, Options options)
    : inner_(inner),
      clock_(options.clock),
      random_(options.seed),
      rules_(std::move(options.rules)),
      decide_(std::move(options.decide)) {}

void FaultyClient::AddRule(FaultRule rule) {
  MutexLock lock(mutex_);
  rules_.push_back(std::move(rule));
}

void FaultyClient::Clear() {
  MutexLock lock(mutex_);
  rules_.clear();
  decide_ = nullptr;
}

int FaultyClient::faults() const {
  MutexLock lock(mutex_);
  return faults_;
}

Fault FaultyClient::Decide(const ClientRequest& request) {
  for (FaultRule& rule : rules_) {
    const bool matches = (!rule.verb || *rule.verb == request.verb) &&
                         (rule.plural.empty() || rule.plural == request.resource.plural) &&
                         (rule.name.empty() || rule.name == request.name);
    if (!matches || rule.times == 0) continue;
    if (rule.probability < 1 && random_.Fraction() >= rule.probability) continue;
    if (rule.times > 0) --rule.times;
    return rule.fault;
  }
  return decide_ ? decide_(request, random_) : Fault();
}

Fault FaultyClient::Inject(const ClientRequest& request) {
  Fault fault;
  {
    MutexLock lock(mutex_);
    fault = Decide(request);
    if (HasFault(fault)) ++faults_;
  }
  if (fault.delay.count() > 0) {
    KUBEXMS_CHECK(clock_ != nullptr);
    clock_->SleepFor(fault.delay, request.stop);
  }
  return fault;
}

std::optional<SharedBytes> FaultyClient::FindResponse(const std::string& path) const {
  MutexLock lock(mutex_);
  const auto found = responses_.find(path);
  return found == responses_.end() ? std::nullopt : std::optional(found->second);
}

void FaultyClient::StoreResponse(const std::string& path, const SharedBytes& response) {
  MutexLock lock(mutex_);
  if (responses_.size() < kMaxResponses || responses_.contains(path)) responses_[path] = response;
}

Result<SharedBytes> FaultyClient::Do(const ClientRequest& request) {
  const Fault fault = Inject(request);
  const bool is_get = request.verb == Verb::kGet;
  const std::string path = is_get ? request.Path() : "";
  if (is_get && fault.stale) {
    if (const auto old = FindResponse(path)) return *old;
  }
  Result<SharedBytes> response = WithFault(fault, [&] { return inner_.Do(request); });
  if (is_get && response.ok()) StoreResponse(path, *response);
  return response;
}

Result<ObjectPage> FaultyClient::ListPage(const ClientRequest& request) {
  return WithFault(Inject(request), [&] { return inner_.ListPage(request); });
}

Result<std::unique_ptr<ObjectWatch>> FaultyClient::OpenWatch(const ClientRequest& request) {
  const Fault fault = Inject(request);
  auto watch = WithFault(fault, [&] { return inner_.OpenWatch(request); });
  if (!watch.ok() || !fault.break_after_events) return watch;
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<BreakingWatch>(std::move(*watch), *fault.break_after_events));
}

Result<SharedBytes> FaultyClient::GetPath(std::string_view path, std::stop_token stop) {
  return inner_.GetPath(path, std::move(stop));
}

}  // namespace kubexms
