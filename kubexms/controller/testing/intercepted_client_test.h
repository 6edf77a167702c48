#pragma once

// A client for tests that puts a function between the caller and the server, and remembers what was
// asked.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/base/mutex.h"
#include "kubexms/client/client.h"

namespace kubexms {

// Safe for use from any thread.
class InterceptedClient final : public Client {
 public:
  // Answers instead of the server, which it may ask.
  using Intercept = std::function<Result<SharedBytes>(Client& server, const ClientRequest&)>;

  explicit InterceptedClient(Client& server) : server_(server) {}

  // For requests from now on; an empty one lets them pass.
  void Set(Intercept intercept) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    intercept_ = std::move(intercept);
  }

  // The same for paths outside the resources.
  using InterceptPath = std::function<Result<SharedBytes>(Client& server, std::string_view path)>;
  void SetPath(InterceptPath intercept) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    intercept_path_ = std::move(intercept);
  }

  // The same for lists.
  using InterceptList = std::function<Result<ObjectPage>(Client& server, const ClientRequest&)>;
  void SetList(InterceptList intercept) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    intercept_list_ = std::move(intercept);
  }

  // "get", "update", "patch status" … of every request since the last call.
  std::vector<std::string> TakeVerbs() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(verbs_, {});
  }

  Result<SharedBytes> Do(const ClientRequest& request) override EXCLUDES(mutex_) {
    Intercept intercept;
    {
      MutexLock lock(mutex_);
      std::string verb(VerbName(request.verb));
      if (!request.subresource.empty()) verb += " " + request.subresource;
      verbs_.push_back(std::move(verb));
      intercept = intercept_;
    }
    return intercept ? intercept(server_, request) : server_.Do(request);
  }

  Result<ObjectPage> ListPage(const ClientRequest& request) override EXCLUDES(mutex_) {
    InterceptList intercept;
    {
      MutexLock lock(mutex_);
      intercept = intercept_list_;
    }
    return intercept ? intercept(server_, request) : server_.ListPage(request);
  }
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override {
    return server_.OpenWatch(request);
  }
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop) override
      EXCLUDES(mutex_) {
    InterceptPath intercept;
    {
      MutexLock lock(mutex_);
      intercept = intercept_path_;
    }
    return intercept ? intercept(server_, path) : server_.GetPath(path, std::move(stop));
  }

 private:
  Client& server_;
  Mutex mutex_;
  Intercept intercept_ GUARDED_BY(mutex_);
  InterceptPath intercept_path_ GUARDED_BY(mutex_);
  InterceptList intercept_list_ GUARDED_BY(mutex_);
  std::vector<std::string> verbs_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
