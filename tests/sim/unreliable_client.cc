#include "tests/sim/unreliable_client.h"

namespace kubexms::sim {
namespace {

constexpr uint64_t kLongestDelayMs = 300;
constexpr uint64_t kMostWatchEvents = 30;

Error Unreachable() { return Error::ServiceUnavailable("the server cannot be reached"); }

}  // namespace

class UnreliableClient::Watch final : public ObjectWatch {
 public:
  Watch(UnreliableClient& client, std::unique_ptr<ObjectWatch> inner, std::stop_token stop)
      : client_(client),
        inner_(std::move(inner)),
        stop_(std::move(stop)),
        events_left_(client.random_.Below(kMostWatchEvents)) {}

  Result<std::optional<ObjectEvent>> Next() override {
    Result<std::optional<ObjectEvent>> event = inner_->Next();
    if (!event.ok()) return event;
    if (client_.OneIn(4)) {
      client_.clock_.SleepFor(client_.Delay(), stop_);
    }
    if (client_.cut_) return Unreachable();
    if (!client_.storm_ || events_left_-- > 0) return event;
    if (client_.OneIn(2)) return std::optional<ObjectEvent>();
    return Unreachable();
  }

 private:
  UnreliableClient& client_;
  const std::unique_ptr<ObjectWatch> inner_;
  const std::stop_token stop_;
  uint64_t events_left_;
};

std::chrono::milliseconds UnreliableClient::Delay() {
  return std::chrono::milliseconds(random_.Below(kLongestDelayMs));
}

std::optional<Error> UnreliableClient::Before(const ClientRequest& request) {
  if (OneIn(8)) clock_.SleepFor(Delay(), request.stop);
  if (cut_ || OneIn(20)) return Unreachable();
  const bool reads_version = request.verb == Verb::kList || request.verb == Verb::kWatch;
  if (reads_version && OneIn(20)) return Error::Expired("the version is not there any more");
  if (request.verb == Verb::kUpdate && OneIn(30)) {
    return Error::Conflict(request.resource.QualifiedName(), request.name, "it was changed");
  }
  return std::nullopt;
}

Result<SharedBytes> UnreliableClient::Do(const ClientRequest& request) {
  if (const auto error = Before(request)) return *error;
  Result<SharedBytes> answer = inner_.Do(request);
  if (cut_ || OneIn(20)) return Unreachable();
  return answer;
}

Result<ObjectPage> UnreliableClient::ListPage(const ClientRequest& request) {
  if (const auto error = Before(request)) return *error;
  return inner_.ListPage(request);
}

Result<std::unique_ptr<ObjectWatch>> UnreliableClient::OpenWatch(const ClientRequest& request) {
  if (const auto error = Before(request)) return *error;
  ASSIGN_OR_RETURN(auto watch, inner_.OpenWatch(request));
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<Watch>(*this, std::move(watch), request.stop));
}

Result<SharedBytes> UnreliableClient::GetPath(std::string_view path, std::stop_token stop) {
  if (cut_) return Unreachable();
  return inner_.GetPath(path, std::move(stop));
}

}  // namespace kubexms::sim
