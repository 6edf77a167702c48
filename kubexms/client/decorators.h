#pragma once

// Clients that change what goes through them. Each wraps another client, which must outlive it, and
// is as safe for use from any thread.
//
//   DryRunClient trial(client);
//   NamespacedClient mine(trial, "team-a");

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

// Forwards everything. Derive from it and override Change().
class ClientDecorator : public Client {
 public:
  explicit ClientDecorator(Client& inner) : inner_(inner) {}

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

 protected:
  // Changes a request of any verb, or refuses it by an error.
  virtual Result<void> Change(ClientRequest& request);
  Client& inner() { return inner_; }

 private:
  Client& inner_;
};

// Nothing is stored: every write is a trial.
class DryRunClient final : public ClientDecorator {
 public:
  using ClientDecorator::ClientDecorator;

 private:
  Result<void> Change(ClientRequest& request) override;
};

// Names the manager of fields that are written without one.
class FieldOwnerClient final : public ClientDecorator {
 public:
  FieldOwnerClient(Client& inner, std::string owner)
      : ClientDecorator(inner), owner_(std::move(owner)) {}

 private:
  Result<void> Change(ClientRequest& request) override;

  const std::string owner_;
};

// Stays in one namespace: requests for namespaced objects go there, also those that mean all
// namespaces; ones that name another are refused. Objects of the cluster pass.
class NamespacedClient final : public ClientDecorator {
 public:
  NamespacedClient(Client& inner, std::string namespace_name)
      : ClientDecorator(inner), namespace_name_(std::move(namespace_name)) {}

 private:
  Result<void> Change(ClientRequest& request) override;

  const std::string namespace_name_;
};

// ---- For tests: a client that fails as networks and servers do. ----

// What goes wrong with one request.
struct Fault {
  // Before anything else happens.
  std::chrono::nanoseconds delay{0};
  // The request fails with this …
  std::optional<Error> error;
  // … but only after the server has done it: the answer got lost.
  bool answer_lost = false;
  // Of a get: what it gave the last time, without asking the server; nothing is wrong the first
  // time.
  bool stale = false;
  // Of a watch: it breaks after so many events.
  std::optional<int> break_after_events;
};

// Which requests have the fault. Empty means any.
struct FaultRule {
  std::optional<Verb> verb;
  std::string plural;
  std::string name;
  double probability = 1;
  int times = -1;  // how often it may strike; negative: always
  Fault fault;
};

class FaultyClient final : public Client {
 public:
  struct Options {
    std::vector<FaultRule> rules;  // the first that strikes counts
    // Asked when no rule strikes.
    std::function<Fault(const ClientRequest&, Random&)> decide;
    uint64_t seed = 1;
    Clock* clock = nullptr;  // borrowed; required for delays
  };
  FaultyClient(Client& inner, Options options);

  void AddRule(FaultRule rule) EXCLUDES(mutex_);
  // Nothing goes wrong any more.
  void Heal() EXCLUDES(mutex_);
  // Requests that had a fault so far.
  int faults() const EXCLUDES(mutex_);

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop = {}) override;

 private:
  // The fault of a request, after its delay.
  Fault Strike(const ClientRequest& request) EXCLUDES(mutex_);
  Fault Decide(const ClientRequest& request) REQUIRES(mutex_);
  std::optional<SharedBytes> Remembered(const std::string& path) const EXCLUDES(mutex_);
  void Remember(const std::string& path, const SharedBytes& answer) EXCLUDES(mutex_);

  Client& inner_;
  Clock* const clock_;
  SeededRandom random_;
  mutable Mutex mutex_;
  std::vector<FaultRule> rules_ GUARDED_BY(mutex_);
  std::function<Fault(const ClientRequest&, Random&)> decide_ GUARDED_BY(mutex_);
  int faults_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, SharedBytes> answers_ GUARDED_BY(mutex_);  // to gets, by path
};

}  // namespace kubexms
