#pragma once

// A client whose requests fail as networks and servers make them fail, as often as a seed decides:
// they are late, are not done, are done without an answer, conflict; watches lag, break and end;
// and the connection can be cut altogether.

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
  // Everything is borrowed. Nothing fails by chance while `storm` is false. Writes, and what
  // watches tell, are noted in `trace`, if there is one.
  UnreliableClient(Client& inner, Clock& clock, const std::atomic<bool>& storm, uint64_t seed,
                   Trace* trace = nullptr)
      : inner_(inner), clock_(clock), storm_(storm), random_(seed), trace_(trace) {}

  // While it is cut no request arrives and no watch says anything.
  void Cut(bool cut) { cut_ = cut; }

  Result<SharedBytes> Do(const ClientRequest& request) override;
  Result<ObjectPage> ListPage(const ClientRequest& request) override;
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override;
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop) override;

 private:
  class Watch;

  // True in one of `n` cases, while there is a storm.
  bool OneIn(uint64_t n) { return storm_ && random_.Below(n) == 0; }
  std::chrono::milliseconds Delay();
  // Waits a while, now and then; then says what is wrong before the request is done.
  std::optional<Error> Before(const ClientRequest& request);
  void Note(const ClientRequest& request, std::string_view what);

  Client& inner_;
  Clock& clock_;
  const std::atomic<bool>& storm_;
  SeededRandom random_;
  Trace* const trace_;
  std::atomic<bool> cut_ = false;
};

}  // namespace kubexms::sim
