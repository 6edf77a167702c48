#include "kubexms/apiserver/local_client.h"

#include <algorithm>

#include "kubexms/apiserver/handlers/api_handler.h"

namespace kubexms {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kMetadata =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr std::string_view kMetadataList =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

std::string_view MethodOf(Verb verb) {
  switch (verb) {
    case Verb::kGet:
    case Verb::kList:
    case Verb::kWatch: return "GET";
    case Verb::kCreate: return "POST";
    case Verb::kUpdate: return "PUT";
    case Verb::kPatch: return "PATCH";
    case Verb::kDelete:
    case Verb::kDeleteCollection: return "DELETE";
  }
  return "";
}

HttpRequest HttpRequestOf(const ClientRequest& request, std::string_view user_agent) {
  HttpRequest http{.method = std::string(MethodOf(request.verb)),
                   .target = request.Path() + request.Query()};
  http.headers.Add("User-Agent", user_agent);
  if (request.metadata_only) {
    http.headers.Add("Accept", request.verb == Verb::kList ? kMetadataList : kMetadata);
  }
  if (IsWrite(request.verb)) {
    http.headers.Add("Content-Type",
                     request.verb == Verb::kPatch ? PatchContentType(request.patch_type) : kJson);
    http.body = request.body;
  }
  return http;
}

Result<void> CheckNotStopped(const std::stop_token& stop, std::string_view path) {
  if (!stop.stop_requested()) return {};
  return Error(499, "Canceled", std::string(path) + ": the call was canceled");
}

// The network would show a path that means nothing as a page of text.
Error AsStatus(const Error& error) {
  if (error.code() != 404 || !error.reason().empty()) return error;
  return Error(404, "NotFound", "the server could not find the requested resource");
}

SharedBytes OneBuffer(Body body) {
  return body.size() == 1 ? std::move(body.front()) : SharedBytes(Flatten(body));
}

// Who waits for a watch: a thread that sleeps until it is woken, or a function that is then called.
class WatchWaiter final : public StreamWaker::Target {
 public:
  void Wake() override {
    std::function<void()> call;
    {
      MutexLock lock(mutex_);
      woken_ = true;
      changed_.NotifyAll();
      call = std::exchange(call_, nullptr);
    }
    if (call) call();
  }

  // False when it was woken since the last wait: then nothing is called.
  bool CallWhenWoken(const std::function<void()>& call) {
    MutexLock lock(mutex_);
    if (std::exchange(woken_, false)) return false;
    call_ = call;
    return true;
  }

  // Nothing is called any more.
  void Forget() {
    MutexLock lock(mutex_);
    call_ = nullptr;
  }

  // Returns once it was woken since the last call, or at the deadline.
  void WaitUntil(Clock::MonotonicTime deadline) {
    MutexLock lock(mutex_);
    while (!woken_) {
      if (!changed_.WaitUntil(mutex_, deadline)) break;
    }
    woken_ = false;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool woken_ GUARDED_BY(mutex_) = false;
  std::function<void()> call_ GUARDED_BY(mutex_);
};

class LocalWatch final : public ObjectWatch {
 public:
  LocalWatch(std::unique_ptr<WatchEvents> events, WakeTimer& timer, std::stop_token stop)
      : events_(std::move(events)), timer_(timer), stop_(stop), on_stop_(stop, WakeUp{waiter_}) {
    events_->SetWaker(StreamWaker(waiter_));
  }
  ~LocalWatch() override { waiter_->Forget(); }

  Result<std::optional<ObjectEvent>> Next() override {
    while (!stop_.stop_requested()) {
      if (Look()) return *std::exchange(next_, std::nullopt);
      waiter_->WaitUntil(events_->NextDeadline());
    }
    return std::optional<ObjectEvent>();
  }

  bool IsReady(const std::function<void()>& ready) override {
    do {
      if (stop_.stop_requested() || Look()) return true;
      ScheduleWake();
    } while (!waiter_->CallWhenWoken(ready));
    return false;
  }

 private:
  struct WakeUp {
    std::shared_ptr<WatchWaiter> waiter;
    void operator()() const { waiter->Wake(); }
  };

  // True when next_ has something to tell.
  bool Look() {
    if (next_) return true;
    Result<std::optional<ObjectEvent>> event = events_->Next();
    if (!event.ok() || *event || events_->ended()) next_ = std::move(event);
    return next_.has_value();
  }

  void ScheduleWake() {
    if (scheduled_ == events_->NextDeadline()) return;
    scheduled_ = events_->NextDeadline();
    timer_.Schedule(scheduled_, StreamWaker(waiter_));
  }

  const std::shared_ptr<WatchWaiter> waiter_ = std::make_shared<WatchWaiter>();
  const std::unique_ptr<WatchEvents> events_;
  WakeTimer& timer_;
  std::optional<Result<std::optional<ObjectEvent>>> next_;
  Clock::MonotonicTime scheduled_;
  const std::stop_token stop_;
  const std::stop_callback<WakeUp> on_stop_;
};

UserInfo Authenticated(UserInfo user) {
  const std::string group(kAuthenticatedGroup);
  if (std::ranges::count(user.groups, group) == 0 && user.name != kAnonymousUser) {
    user.groups.push_back(group);
  }
  return user;
}

}  // namespace

LocalClient::LocalClient(ApiHandler& handler, UserInfo user, std::string user_agent)
    : handler_(handler),
      user_(Authenticated(std::move(user))),
      user_agent_(std::move(user_agent)) {}

Result<SharedBytes> LocalClient::Do(const ClientRequest& request) {
  RETURN_IF_ERROR(request.Check());
  const HttpRequest http = HttpRequestOf(request, user_agent_);
  RETURN_IF_ERROR(CheckNotStopped(request.stop, http.path()));
  DirectAnswer direct;
  Result<HttpResponse> response = handler_.HandleAs(user_, http, direct);
  if (!response.ok()) return AsStatus(response.error());
  return OneBuffer(std::move(response->body));
}

Result<ObjectPage> LocalClient::ListPage(const ClientRequest& request) {
  ClientRequest whole = request;
  whole.page_size = 0;
  const HttpRequest http = HttpRequestOf(whole, user_agent_);
  RETURN_IF_ERROR(CheckNotStopped(request.stop, http.path()));
  DirectAnswer direct;
  const Result<HttpResponse> response = handler_.HandleAs(user_, http, direct);
  if (!response.ok()) return AsStatus(response.error());
  return std::move(direct.page);
}

Result<std::unique_ptr<ObjectWatch>> LocalClient::OpenWatch(const ClientRequest& request) {
  const HttpRequest http = HttpRequestOf(request, user_agent_);
  RETURN_IF_ERROR(CheckNotStopped(request.stop, http.path()));
  DirectAnswer direct;
  const Result<HttpResponse> response = handler_.HandleAs(user_, http, direct);
  if (!response.ok()) return AsStatus(response.error());
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<LocalWatch>(std::move(direct.events), *direct.timer, request.stop));
}

Result<SharedBytes> LocalClient::GetPath(std::string_view path, std::stop_token stop) {
  RETURN_IF_ERROR(CheckNotStopped(stop, path));
  HttpRequest http{.target = std::string(path)};
  http.headers.Add("User-Agent", user_agent_);
  DirectAnswer direct;
  Result<HttpResponse> response = handler_.HandleAs(user_, http, direct);
  if (!response.ok()) return AsStatus(response.error());
  SharedBytes answer = OneBuffer(std::move(response->body));
  // Only the health of the server is told by a status that is no error.
  if (response->status >= 400) return Error(response->status, "", std::string(answer.view()));
  return answer;
}

}  // namespace kubexms
