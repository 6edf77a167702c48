#include "tests/sim/unreliable_client.h"

#include <fmt/format.h>

#include "kubexms/api/stored_object.h"
#include "kubexms/client/not_answered.h"

namespace kubexms::sim {
namespace {

constexpr uint64_t kLongestDelayMs = 300;
constexpr uint64_t kMostWatchEvents = 30;
// Of a body, in the trace.
constexpr size_t kMostBytes = 200;

Error Unreachable() {
  return NotAnswered(Error::ServiceUnavailable("the server cannot be reached"));
}

std::string NameAndVersion(std::string_view object) {
  const Result<ObjectHeader> header = ReadHeader(object);
  return header.ok() ? fmt::format("{} at {}", header->name, header->resource_version)
                     : "no object";
}

std::string OutcomeOf(const Result<SharedBytes>& answer) {
  return answer.ok() ? NameAndVersion(answer->view()) : answer.error().message();
}

std::string OutcomeOf(const Result<std::optional<ObjectEvent>>& event) {
  if (!event.ok()) return event.error().message();
  if (!event->has_value()) return "the end";
  return fmt::format("{} {}", ObjectEventTypeName((*event)->type),
                     NameAndVersion((*event)->object.view()));
}

}  // namespace

class UnreliableClient::Watch final : public ObjectWatch {
 public:
  Watch(UnreliableClient& client, std::unique_ptr<ObjectWatch> inner, ClientRequest request)
      : client_(client),
        inner_(std::move(inner)),
        request_(std::move(request)),
        events_left_(client.random_.Below(kMostWatchEvents)) {}

  Result<std::optional<ObjectEvent>> Next() override {
    Result<std::optional<ObjectEvent>> event = Fail(inner_->Next());
    client_.Note(request_, OutcomeOf(event));
    return event;
  }

 private:
  // The event, perhaps late, or a failure in its place.
  Result<std::optional<ObjectEvent>> Fail(Result<std::optional<ObjectEvent>> event) {
    if (!event.ok()) return event;
    if (client_.OneIn(4)) client_.clock_.SleepFor(client_.Delay(), request_.stop);
    if (client_.cut_) return Unreachable();
    if (!client_.storm_ || events_left_-- > 0) return event;
    if (client_.OneIn(2)) return std::optional<ObjectEvent>();
    return Unreachable();
  }

  UnreliableClient& client_;
  const std::unique_ptr<ObjectWatch> inner_;
  const ClientRequest request_;
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
  if (const auto error = Before(request)) {
    Note(request, "not done: " + error->message());
    return *error;
  }
  Result<SharedBytes> answer = inner_.Do(request);
  const bool lost = cut_ || OneIn(20);
  Note(request, (lost ? "the answer was lost: " : "") + OutcomeOf(answer));
  if (lost) return Unreachable();
  return answer;
}

void UnreliableClient::Note(const ClientRequest& request, std::string_view what) {
  const bool told =
      IsWrite(request.verb) || (request.verb == Verb::kWatch && !request.metadata_only);
  if (trace_ == nullptr || !told) return;
  trace_->Add(fmt::format("{} {} {}: {}", VerbName(request.verb), request.Path(),
                          std::string_view(request.body).substr(0, kMostBytes), what));
}

Result<ObjectPage> UnreliableClient::ListPage(const ClientRequest& request) {
  if (const auto error = Before(request)) return *error;
  return inner_.ListPage(request);
}

Result<std::unique_ptr<ObjectWatch>> UnreliableClient::OpenWatch(const ClientRequest& request) {
  if (const auto error = Before(request)) return *error;
  ASSIGN_OR_RETURN(auto watch, inner_.OpenWatch(request));
  Note(request, "opened at " + request.resource_version);
  return std::unique_ptr<ObjectWatch>(std::make_unique<Watch>(*this, std::move(watch), request));
}

Result<SharedBytes> UnreliableClient::GetPath(std::string_view path, std::stop_token stop) {
  if (cut_) return Unreachable();
  return inner_.GetPath(path, std::move(stop));
}

}  // namespace kubexms::sim
