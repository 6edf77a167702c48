#include "kubexms/client/decorators.h"

#include <fmt/core.h>

#include <utility>

#include "kubexms/client/not_answered.h"

namespace kubexms {
namespace {

constexpr size_t kMaxRemembered = 10'000;

bool HasFault(const Fault& fault) {
  return fault.error || fault.stale || fault.break_after_events || fault.delay.count() > 0;
}

// Runs `call`, unless the fault comes first; its error may also come afterwards.
template <class Function>
auto WithFault(const Fault& fault, Function call) -> decltype(call()) {
  if (fault.error && !fault.answer_lost) return *fault.error;
  auto answer = call();
  if (fault.error) return NotAnswered(*fault.error);
  return answer;
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

Result<void> ClientDecorator::Change(ClientRequest&) { return {}; }

Result<SharedBytes> ClientDecorator::Do(const ClientRequest& request) {
  ClientRequest changed = request;
  RETURN_IF_ERROR(Change(changed));
  return inner_.Do(changed);
}

Result<ObjectPage> ClientDecorator::ListPage(const ClientRequest& request) {
  ClientRequest changed = request;
  RETURN_IF_ERROR(Change(changed));
  return inner_.ListPage(changed);
}

Result<std::unique_ptr<ObjectWatch>> ClientDecorator::OpenWatch(const ClientRequest& request) {
  ClientRequest changed = request;
  RETURN_IF_ERROR(Change(changed));
  return inner_.OpenWatch(changed);
}

Result<SharedBytes> ClientDecorator::GetPath(std::string_view path, std::stop_token stop) {
  return inner_.GetPath(path, std::move(stop));
}

Result<void> DryRunClient::Change(ClientRequest& request) {
  if (!IsWrite(request.verb)) return {};
  request.dry_run = true;
  const bool deletes = request.verb == Verb::kDelete || request.verb == Verb::kDeleteCollection;
  if (!deletes || request.body.empty()) return {};
  // A server that finds options in the body does not look for others in the query.
  ASSIGN_OR_RETURN(DeleteOptions options, Decode<DeleteOptions>(request.body));
  options.dry_run = {"All"};
  request.body = Encode(options);
  return {};
}

Result<void> FieldOwnerClient::Change(ClientRequest& request) {
  const bool writes_fields = request.verb == Verb::kCreate || request.verb == Verb::kUpdate ||
                             request.verb == Verb::kPatch;
  if (writes_fields && request.field_manager.empty()) request.field_manager = owner_;
  return {};
}

Result<void> NamespacedClient::Change(ClientRequest& request) {
  if (!request.resource.namespaced) return {};
  if (request.namespace_name.empty()) request.namespace_name = namespace_name_;
  if (request.namespace_name == namespace_name_) return {};
  return Error::BadRequest(
      fmt::format("{} {}: namespace \"{}\" is not \"{}\", the only one that this client works in",
                  VerbName(request.verb), request.resource.QualifiedName(), request.namespace_name,
                  namespace_name_));
}

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

void FaultyClient::Heal() {
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

Fault FaultyClient::Strike(const ClientRequest& request) {
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

std::optional<SharedBytes> FaultyClient::Remembered(const std::string& path) const {
  MutexLock lock(mutex_);
  const auto found = answers_.find(path);
  return found == answers_.end() ? std::nullopt : std::optional(found->second);
}

void FaultyClient::Remember(const std::string& path, const SharedBytes& answer) {
  MutexLock lock(mutex_);
  if (answers_.size() < kMaxRemembered || answers_.contains(path)) answers_[path] = answer;
}

Result<SharedBytes> FaultyClient::Do(const ClientRequest& request) {
  const Fault fault = Strike(request);
  const bool is_get = request.verb == Verb::kGet;
  const std::string path = is_get ? request.Path() : "";
  if (is_get && fault.stale) {
    if (const auto old = Remembered(path)) return *old;
  }
  Result<SharedBytes> answer = WithFault(fault, [&] { return inner_.Do(request); });
  if (is_get && answer.ok()) Remember(path, *answer);
  return answer;
}

Result<ObjectPage> FaultyClient::ListPage(const ClientRequest& request) {
  return WithFault(Strike(request), [&] { return inner_.ListPage(request); });
}

Result<std::unique_ptr<ObjectWatch>> FaultyClient::OpenWatch(const ClientRequest& request) {
  const Fault fault = Strike(request);
  auto watch = WithFault(fault, [&] { return inner_.OpenWatch(request); });
  if (!watch.ok() || !fault.break_after_events) return watch;
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<BreakingWatch>(std::move(*watch), *fault.break_after_events));
}

Result<SharedBytes> FaultyClient::GetPath(std::string_view path, std::stop_token stop) {
  return inner_.GetPath(path, std::move(stop));
}

}  // namespace kubexms
