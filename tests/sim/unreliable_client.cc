#include "tests/sim/unreliable_client.h"

#include <fmt/format.h>

#include "kubexms/api/stored_object.h"
#include "kubexms/client/no_response.h"

namespace kubexms::sim {
namespace {

constexpr uint64_t kMaxDelayMs = 300;
constexpr uint64_t kMaxWatchEvents = 30;
// Of a request body in the trace.
constexpr size_t kMaxTracedBytes = 200;

Error Unreachable() {
  return NoResponse(Error::ServiceUnavailable("the server cannot be reached"));
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
  if (!event->has_value()) return "end of the watch";
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
        events_left_(client.random_.Below(kMaxWatchEvents)) {}

  Result<std::optional<ObjectEvent>> Next() override {
    Result<std::optional<ObjectEvent>> event = Fail(inner_->Next());
    client_.AddToTrace(request_, OutcomeOf(event));
    return event;
  }

 private:
  // The event, possibly delayed, or a failure in its place.
  Result<std::optional<ObjectEvent>> Fail(Result<std::optional<ObjectEvent>> event) {
    if (!event.ok()) return event;
    if (client_.OneIn(4)) client_.clock_.SleepFor(client_.Delay(), request_.stop);
    if (client_.cut_) return Unreachable();
    if (!client_.faults_ || events_left_-- > 0) return event;
    if (client_.OneIn(2)) return std::optional<ObjectEvent>();
    return Unreachable();
  }

  UnreliableClient& client_;
  const std::unique_ptr<ObjectWatch> inner_;
  const ClientRequest request_;
  uint64_t events_left_;
};

std::chrono::milliseconds UnreliableClient::Delay() {
  return std::chrono::milliseconds(random_.Below(kMaxDelayMs));
}

std::optional<Error> UnreliableClient::Before(const ClientRequest& request) {
  if (OneIn(8)) clock_.SleepFor(Delay(), request.stop);
  if (cut_ || OneIn(20)) return Unreachable();
  const bool reads_version = request.verb == Verb::kList || request.verb == Verb::kWatch;
  if (reads_version && OneIn(20)) return Error::Expired("the resourceVersion is too old");
  if (request.verb == Verb::kUpdate && OneIn(30)) {
    return Error::Conflict(request.resource.QualifiedName(), request.name,
                           "the object has been modified");
  }
  return std::nullopt;
}

Result<SharedBytes> UnreliableClient::Do(const ClientRequest& request) {
  if (const auto error = Before(request)) {
    AddToTrace(request, "not performed: " + error->message());
    return *error;
  }
  Result<SharedBytes> answer = inner_.Do(request);
  const bool lost = cut_ || OneIn(20);
  AddToTrace(request, (lost ? "response lost: " : "") + OutcomeOf(answer));
  if (lost) return Unreachable();
  return answer;
}

void UnreliableClient::AddToTrace(const ClientRequest& request, std::string_view outcome) {
  const bool traced =
      IsWrite(request.verb) || (request.verb == Verb::kWatch && !request.metadata_only);
  if (trace_ == nullptr || !traced) return;
  trace_->Add(fmt::format("{} {} {}: {}", VerbName(request.verb), request.Path(),
                          std::string_view(request.body).substr(0, kMaxTracedBytes), outcome));
}

Result<ObjectPage> UnreliableClient::ListPage(const ClientRequest& request) {
  if (const auto error = Before(request)) return *error;
  return inner_.ListPage(request);
}

Result<std::unique_ptr<ObjectWatch>> UnreliableClient::OpenWatch(const ClientRequest& request) {
  if (const auto error = Before(request)) return *error;
  ASSIGN_OR_RETURN(auto watch, inner_.OpenWatch(request));
  AddToTrace(request, "opened at " + request.resource_version);
  return std::unique_ptr<ObjectWatch>(std::make_unique<Watch>(*this, std::move(watch), request));
}

Result<SharedBytes> UnreliableClient::GetPath(std::string_view path, std::stop_token stop) {
  if (cut_) return Unreachable();
  return inner_.GetPath(path, std::move(stop));
}

}  // namespace kubexms::sim
