#pragma once

// A client whose requests fail like those over a real network, at rates that a seed determines:
// they are delayed, not performed, performed without a response, or conflict; watches lag, break
// and end; and the connection can be cut.

#include <atomic>
#include <memory>
#include <optional>

#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/client/client.h"
#include "tests/sim/trace.h"

namespace kubexms::sim {

// Safe for use from any thread.
class UnreliableClient final : public Client {
 public:
  // Everything is borrowed. No random faults occur while `faults` is false. Writes and watch events
  // are added to `trace`, which may be null.
  UnreliableClient(Client& inner, Clock& clock, const std::atomic<bool>& faults, uint64_t seed,
                   Trace* trace = nullptr)
      : inner_(inner), clock_(clock), faults_(faults), random_(seed), trace_(trace) {}

  // While the connection is cut, all requests and watches fail.
  void Cut(bool cut) { cut_ = cut; }

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop) override;

 private:
  class Watch;

  // True in one of `n` cases, while faults are enabled.
  bool OneIn(uint64_t n) { return faults_ && random_.Below(n) == 0; }
  std::chrono::milliseconds Delay();
  // Delays some requests, and returns the error of a request that is not performed.
  std::optional<Error> Before(const ClientRequest& request);
  void AddToTrace(const ClientRequest& request, std::string_view outcome);

  Client& inner_;
  Clock& clock_;
  const std::atomic<bool>& faults_;
  SeededRandom random_;
  Trace* const trace_;
  std::atomic<bool> cut_ = false;
};

}  // namespace kubexms::sim
