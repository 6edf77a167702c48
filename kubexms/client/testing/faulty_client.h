#pragma once

// A client for tests that fails as networks and servers do.
//
//   FaultyClient faulty(client, {.rules = {{.verb = Verb::kUpdate,
//                                           .probability = 0.1,
//                                           .fault = {.error = Error::ServiceUnavailable("no"),
//                                                     .response_lost = true}}}});

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/random.h"
#include "kubexms/client/client.h"

namespace kubexms {

// How one API call fails.
struct Fault {
  // Delays the call.
  std::chrono::nanoseconds delay{0};
  // The call fails with this error …
  std::optional<Error> error;
  // … but only after the server has processed it: the response is lost.
  bool response_lost = false;
  // Of a get: returns the response to the previous get of the object, without a call of the server.
  // No effect on the first get.
  bool stale = false;
  // Of a watch: breaks it after so many events.
  std::optional<int> break_after_events;
};

// The API calls that have the fault. An empty member matches all calls.
struct FaultRule {
  std::optional<Verb> verb;
  std::string plural;
  std::string name;
  double probability = 1;
  int times = -1;  // how often the rule may apply; negative: without a limit
  Fault fault;
};

// Safe for use from any thread.
class FaultyClient final : public Client {
 public:
  struct Options {
    std::vector<FaultRule> rules;  // the first one that applies is used
    // Decides if no rule applies.
    std::function<Fault(const ClientRequest&, Random&)> decide;
    uint64_t seed = 1;
    Clock* clock = nullptr;  // borrowed; required for delays
  };
  // `inner` must outlive it.
  FaultyClient(Client& inner, Options options);

  void AddRule(FaultRule rule) EXCLUDES(mutex_);
  // Removes all rules: further calls have no faults.
  void Clear() EXCLUDES(mutex_);
  // The number of calls that had a fault so far.
  int faults() const EXCLUDES(mutex_);

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

 private:
  // Chooses the fault of a call, and delays the call.
  Fault Inject(const ClientRequest& request) EXCLUDES(mutex_);
  Fault Decide(const ClientRequest& request) REQUIRES(mutex_);
  std::optional<SharedBytes> FindResponse(const std::string& path) const EXCLUDES(mutex_);
  void StoreResponse(const std::string& path, const SharedBytes& response) EXCLUDES(mutex_);

  Client& inner_;
  Clock* const clock_;
  SeededRandom random_;
  mutable Mutex mutex_;
  std::vector<FaultRule> rules_ GUARDED_BY(mutex_);
  std::function<Fault(const ClientRequest&, Random&)> decide_ GUARDED_BY(mutex_);
  int faults_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, SharedBytes> responses_ GUARDED_BY(mutex_);  // to gets, by path
};

}  // namespace kubexms
