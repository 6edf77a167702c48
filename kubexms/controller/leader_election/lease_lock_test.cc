#include "kubexms/controller/leader_election/lease_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/random.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {
namespace {

using coordinationv1::Lease;
using std::chrono::seconds;
using testing::ElementsAre;

const ObjectKey kKey{"default", "manager"};

LeaderElectionOptions Options(std::string identity, Client& client) {
  return {.name = kKey.name,
          .namespace_name = kKey.namespace_name,
          .identity = std::move(identity),
          .client = &client};
}

class LeaseLockTest : public testing::Test {
 protected:
  LeaseLockTest() : client_(server_.client()), a_(Options("a", client_), &clock_) {}

  std::string StoredSpec() { return Encode(client_.Get<Lease>(kKey).value().spec); }

  void Store(const std::string& spec) {
    const DynamicObject lease =
        DynamicObject::Decode(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
                              R"("metadata":{"name":"manager","namespace":"default"},"spec":)" +
                              spec + "}")
            .value();
    const Result<DynamicObject> created = client_.Create(ResourceType::Of<Lease>(), lease);
    ASSERT_TRUE(created.ok()) << created.error().message();
  }

  TestServer server_;
  InterceptedClient client_;
  ManualClock clock_;
  LeaseLock a_;
};

TEST_F(LeaseLockTest, TheFirstCandidateCreatesTheRecord) {
  EXPECT_TRUE(a_.TryAcquireOrRenew().value());
  EXPECT_EQ(StoredSpec(), R"({"acquireTime":"2024-01-01T00:00:00.000000Z","holderIdentity":"a",)"
                          R"("leaseDurationSeconds":15,"leaseTransitions":0,)"
                          R"("renewTime":"2024-01-01T00:00:00.000000Z"})");
}

TEST_F(LeaseLockTest, ARenewalRetainsAcquireTimeAndTransitions) {
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  clock_.Advance(std::chrono::milliseconds(2500));
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  EXPECT_EQ(StoredSpec(), R"({"acquireTime":"2024-01-01T00:00:00.000000Z","holderIdentity":"a",)"
                          R"("leaseDurationSeconds":15,"leaseTransitions":0,)"
                          R"("renewTime":"2024-01-01T00:00:02.500000Z"})");
}

TEST_F(LeaseLockTest, TheHolderWritesWithoutReading) {
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  client_.TakeVerbs();
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("update"));
  EXPECT_EQ(a_.slow_renewals(), 0);
}

TEST_F(LeaseLockTest, RereadsAnOutdatedLease) {
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  Lease lease = client_.Get<Lease>(kKey).value();
  lease.metadata.labels["touched"] = "yes";
  ASSERT_TRUE(client_.Update(lease).ok());
  client_.TakeVerbs();
  EXPECT_TRUE(a_.TryAcquireOrRenew().value());
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("update", "get", "update"));
  EXPECT_EQ(a_.slow_renewals(), 1);
  EXPECT_EQ(client_.Get<Lease>(kKey).value().metadata.labels["touched"], "yes");
}

// As client-go's leaderelection writes it, on a machine whose clock is wrong by decades.
TEST_F(LeaseLockTest, ExpiryIsMeasuredByTheOwnClock) {
  for (const std::string year : {"2001", "2099"}) {
    static_cast<void>(client_.Delete<Lease>(kKey));
    Store(R"({"holderIdentity":"host_6f1c","leaseDurationSeconds":15,"leaseTransitions":3,)"
          R"("acquireTime":")" +
          year + R"(-05-01T10:00:00.000001Z","renewTime":")" + year +
          R"(-05-01T10:00:20.123456Z"})");
    LeaseLock lock(Options("a", client_), &clock_);
    EXPECT_FALSE(lock.TryAcquireOrRenew().value());
    EXPECT_EQ(lock.Holder(), "host_6f1c");
    clock_.Advance(seconds(14));
    EXPECT_FALSE(lock.TryAcquireOrRenew().value());
    clock_.Advance(seconds(1));
    EXPECT_TRUE(lock.TryAcquireOrRenew().value());
    EXPECT_EQ(lock.lease().spec.lease_transitions, 4);
    EXPECT_EQ(lock.lease().spec.acquire_time, MicroTime::Now(clock_));
  }
}

TEST_F(LeaseLockTest, EveryRenewalRestartsTheWait) {
  LeaseLock b(Options("b", client_), &clock_);
  ASSERT_TRUE(b.TryAcquireOrRenew().value());
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(a_.TryAcquireOrRenew().value());
    clock_.Advance(seconds(10));
    ASSERT_TRUE(b.TryAcquireOrRenew().value());
  }
}

TEST_F(LeaseLockTest, ARecordWithoutHolderIsFree) {
  Store(R"({"leaseDurationSeconds":15,"leaseTransitions":1})");
  EXPECT_TRUE(a_.TryAcquireOrRenew().value());
  EXPECT_EQ(a_.lease().spec.lease_transitions, 2);
}

TEST_F(LeaseLockTest, RetainsUnknownFieldsOfTheLease) {
  Store(R"({"holderIdentity":"","preferredHolder":"c","strategy":"OldestEmulationVersion"})");
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  EXPECT_EQ(a_.lease().spec.preferred_holder, "c");
  EXPECT_EQ(a_.lease().spec.strategy, "OldestEmulationVersion");
}

TEST_F(LeaseLockTest, AReleasedLockIsTakenAtOnce) {
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  LeaseLock b(Options("b", client_), &clock_);
  ASSERT_FALSE(b.TryAcquireOrRenew().value());
  ASSERT_TRUE(a_.Release().ok());
  EXPECT_EQ(StoredSpec(), R"({"acquireTime":"2024-01-01T00:00:00.000000Z","holderIdentity":"",)"
                          R"("leaseDurationSeconds":1,"leaseTransitions":0,)"
                          R"("renewTime":"2024-01-01T00:00:00.000000Z"})");
  EXPECT_FALSE(a_.IsHolder());
  EXPECT_TRUE(b.TryAcquireOrRenew().value());
  EXPECT_EQ(b.lease().spec.lease_transitions, 1);
}

TEST_F(LeaseLockTest, RetriesTheReleaseAfterAConflict) {
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  Lease lease = client_.Get<Lease>(kKey).value();
  lease.metadata.labels["touched"] = "yes";
  ASSERT_TRUE(client_.Update(lease).ok());
  ASSERT_TRUE(a_.Release().ok());
  EXPECT_EQ(client_.Get<Lease>(kKey).value().spec.holder_identity, "");
}

TEST_F(LeaseLockTest, DoesNotReleaseALeaseOfAnotherHolder) {
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  Lease lease = client_.Get<Lease>(kKey).value();
  lease.spec.holder_identity = "b";
  ASSERT_TRUE(client_.Update(lease).ok());
  EXPECT_TRUE(a_.Release().ok());
  EXPECT_EQ(client_.Get<Lease>(kKey).value().spec.holder_identity, "b");
}

TEST_F(LeaseLockTest, ReleaseOfADeletedLeaseSucceeds) {
  ASSERT_TRUE(a_.TryAcquireOrRenew().value());
  ASSERT_TRUE(client_.Delete<Lease>(kKey).ok());
  EXPECT_TRUE(a_.Release().ok());
}

TEST_F(LeaseLockTest, AnAnswerThatWasLostIsFoundByTheNextAttempt) {
  client_.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    Result<SharedBytes> answer = server.Do(request);
    if (IsWrite(request.verb)) return Error::Timeout("the answer was lost");
    return answer;
  });
  EXPECT_FALSE(a_.TryAcquireOrRenew().ok());
  client_.Set({});
  EXPECT_TRUE(a_.TryAcquireOrRenew().value());
  EXPECT_EQ(a_.lease().spec.lease_transitions, 0);
}

// ---- Candidates on machines with clocks of their own and a network that loses things. ----

// Runs at the speed of another clock, but shows other times.
class SkewedClock final : public Clock {
 public:
  SkewedClock(ManualClock& clock, std::chrono::nanoseconds skew) : clock_(clock), skew_(skew) {}

  WallTime Now() const override {
    return clock_.Now() + std::chrono::duration_cast<WallTime::duration>(skew_);
  }
  MonotonicTime MonotonicNow() const override { return clock_.MonotonicNow() + skew_; }
  bool SleepUntil(MonotonicTime deadline, std::stop_token stop) override {
    return clock_.SleepUntil(deadline - skew_, std::move(stop));
  }
  void WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline) override
      REQUIRES(mutex) {
    clock_.WaitUntil(condition, mutex, deadline - skew_);
  }

 private:
  ManualClock& clock_;
  const std::chrono::nanoseconds skew_;
};

// What LeaderElector does with a lock, without its threads: renews, and believes to lead for the
// renew deadline after the last attempt that succeeded.
class SimulatedCandidate {
 public:
  SimulatedCandidate(std::string name, Client& server, ManualClock& clock,
                     std::chrono::nanoseconds skew)
      : clock_(clock),
        skewed_(clock, skew),
        client_(server),
        lock_(Options(std::move(name), client_), &skewed_) {}

  void Try() {
    const Clock::MonotonicTime begin = clock_.MonotonicNow();
    const Result<bool> held = lock_.TryAcquireOrRenew();
    // An answer that comes after the deadline is one too late.
    const bool in_time = clock_.MonotonicNow() < begin + kRenewDeadline;
    if (held.ok() && *held && in_time) leads_until_ = begin + kRenewDeadline;
    if (held.ok() && !*held) leads_until_ = {};
    next_try_ = clock_.MonotonicNow() + kRetryPeriod;
  }

  bool IsDue() const { return clock_.MonotonicNow() >= next_try_; }
  bool Leads() const { return clock_.MonotonicNow() < leads_until_; }
  InterceptedClient& client() { return client_; }

 private:
  static constexpr seconds kRenewDeadline{10};
  static constexpr seconds kRetryPeriod{2};

  ManualClock& clock_;
  SkewedClock skewed_;
  InterceptedClient client_;
  LeaseLock lock_;
  Clock::MonotonicTime leads_until_{};
  Clock::MonotonicTime next_try_{};
};

class Simulation {
 public:
  Simulation(Client& server, uint64_t seed) : random_(seed) {
    for (size_t i = 0; i < candidates_.size(); ++i) {
      const auto skew = seconds(static_cast<int64_t>(random_.Below(200'000)) - 100'000);
      candidates_[i] = std::make_unique<SimulatedCandidate>(
          std::string(1, static_cast<char>('a' + i)), server, clock_, skew);
      candidates_[i]->client().Set([this, i](Client& inner, const ClientRequest& request) {
        return Disturbed(i, inner, request);
      });
    }
  }

  // At most one leads, always.
  void Run(int steps) {
    for (int step = 0; step < steps; ++step) {
      if (random_.Below(40) == 0) cut_off_[random_.Below(cut_off_.size())] = random_.Below(2) == 0;
      SimulatedCandidate& candidate = *candidates_[random_.Below(candidates_.size())];
      if (candidate.IsDue()) candidate.Try();
      ASSERT_LE(Leaders(), 1) << "step " << step;
      clock_.Advance(std::chrono::milliseconds(random_.Below(800)));
      ASSERT_LE(Leaders(), 1) << "step " << step;
    }
  }

  void Heal() {
    healed_ = true;
    cut_off_.fill(false);
  }

  int Leaders() const {
    int count = 0;
    for (const auto& candidate : candidates_) count += candidate->Leads() ? 1 : 0;
    return count;
  }

  int writes() const { return writes_; }

 private:
  Result<SharedBytes> Disturbed(size_t candidate, Client& inner, const ClientRequest& request) {
    if (healed_) return inner.Do(request);
    if (cut_off_[candidate]) return Error::ServiceUnavailable("no route");
    clock_.Advance(std::chrono::milliseconds(random_.Below(1500)));  // on the way there
    if (random_.Below(5) == 0) return Error::ServiceUnavailable("the request was lost");
    Result<SharedBytes> answer = inner.Do(request);
    if (answer.ok() && IsWrite(request.verb)) ++writes_;
    clock_.Advance(std::chrono::milliseconds(random_.Below(1500)));  // on the way back
    if (random_.Below(5) == 0) return Error::Timeout("the answer was lost");
    return answer;
  }

  SeededRandom random_;
  ManualClock clock_;
  std::array<std::unique_ptr<SimulatedCandidate>, 3> candidates_;
  std::array<bool, 3> cut_off_{};
  bool healed_ = false;
  int writes_ = 0;
};

TEST(LeaseLockSimulationTest, AtMostOneLeadsUnderFaults) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TestServer server;
    Simulation simulation(server.client(), seed);
    simulation.Run(1500);
    if (testing::Test::HasFatalFailure()) return;
    EXPECT_GT(simulation.writes(), 10);
    simulation.Heal();
    simulation.Run(300);
    EXPECT_EQ(simulation.Leaders(), 1);
  }
}

}  // namespace
}  // namespace kubexms
