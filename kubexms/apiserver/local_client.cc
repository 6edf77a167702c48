#include "kubexms/apiserver/local_client.h"

#include <algorithm>

#include "kubexms/apiserver/handlers/api_handler.h"
#include "kubexms/apiserver/handlers/local_request.h"

namespace kubexms {
namespace {

Error Canceled(const std::string& path) {
  return {499, "Canceled", path + ": the call was canceled"};
}

// Over HTTP, a path that the server does not know is answered with a page of text.
Error AsStatus(const Error& error) {
  if (error.code() != 404 || !error.reason().empty()) return error;
  return Error(404, "NotFound", "the server could not find the requested resource");
}

SharedBytes OneBuffer(Body body) {
  return body.size() == 1 ? std::move(body.front()) : SharedBytes(Flatten(body));
}

// The waiter for a watch: a blocked thread, or a callback.
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

  // Returns false, and does not call `call`, when it was woken since the last wait.
  bool CallWhenWoken(const std::function<void()>& call) {
    MutexLock lock(mutex_);
    if (std::exchange(woken_, false)) return false;
    call_ = call;
    return true;
  }

  // After this, the callback is not called.
  void ClearCallback() {
    MutexLock lock(mutex_);
    call_ = nullptr;
  }

  // Returns when it was woken since the last call, or at the deadline.
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
  ~LocalWatch() override { waiter_->ClearCallback(); }

  Result<std::optional<ObjectEvent>> Next() override {
    while (!stop_.stop_requested()) {
      if (FetchNext()) return *std::exchange(next_, std::nullopt);
      waiter_->WaitUntil(events_->NextDeadline());
    }
    return std::optional<ObjectEvent>();
  }

  bool IsReady(const std::function<void()>& ready) override {
    do {
      if (stop_.stop_requested() || FetchNext()) return true;
      ScheduleWake();
    } while (!waiter_->CallWhenWoken(ready));
    return false;
  }

 private:
  struct WakeUp {
    std::shared_ptr<WatchWaiter> waiter;
    void operator()() const { waiter->Wake(); }
  };

  // Fetches the next event, error or end into next_. Returns false when it has none yet.
  bool FetchNext() {
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

Result<HttpResponse> LocalClient::Send(const ClientRequest& request, DirectResult& direct) {
  if (request.stop.stop_requested()) return Canceled(request.Path());
  ASSIGN_OR_RETURN(const LocalApiRequest local, LocalApiRequest::Make(request, user_agent_));
  Result<HttpResponse> response = handler_.HandleLocal(user_, local, direct);
  if (!response.ok()) return AsStatus(response.error());
  return response;
}

Result<SharedBytes> LocalClient::Do(const ClientRequest& request) {
  RETURN_IF_ERROR(request.Check());
  DirectResult direct;
  ASSIGN_OR_RETURN(HttpResponse response, Send(request, direct));
  return OneBuffer(std::move(response.body));
}

Result<ObjectPage> LocalClient::ListPage(const ClientRequest& request) {
  DirectResult direct;
  RETURN_IF_ERROR(Send(request, direct));
  return std::move(direct.page);
}

Result<std::unique_ptr<ObjectWatch>> LocalClient::OpenWatch(const ClientRequest& request) {
  DirectResult direct;
  RETURN_IF_ERROR(Send(request, direct));
  return std::unique_ptr<ObjectWatch>(
      std::make_unique<LocalWatch>(std::move(direct.events), *direct.timer, request.stop));
}

Result<SharedBytes> LocalClient::GetPath(std::string_view path, std::stop_token stop) {
  if (stop.stop_requested()) return Canceled(std::string(path));
  HttpRequest http{.target = std::string(path)};
  http.headers.Add("User-Agent", user_agent_);
  Result<HttpResponse> response = handler_.HandleLocalPath(user_, http);
  if (!response.ok()) return AsStatus(response.error());
  SharedBytes answer = OneBuffer(std::move(response->body));
  // A failed health check is a response with an error code, and no Error.
  if (response->status >= 400) return Error(response->status, "", std::string(answer.view()));
  return answer;
}

}  // namespace kubexms
