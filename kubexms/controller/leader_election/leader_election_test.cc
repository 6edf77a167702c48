#include "kubexms/controller/leader_election/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/controller/events/event_broadcaster.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {
namespace {

using coordinationv1::Lease;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const ObjectKey kKey{"default", "manager"};

// A ManualClock that knows when one thread has nothing to do but wait for time to pass.
class SteppedClock final : public Clock {
 public:
  WallTime Now() const override { return clock_.Now(); }
  MonotonicTime MonotonicNow() const override { return clock_.MonotonicNow(); }

  bool SleepUntil(MonotonicTime deadline, std::stop_token stop) override {
    {
      MutexLock lock(mutex_);
      if (std::this_thread::get_id() == thread_) sleeps_until_ = deadline;
      changed_.NotifyAll();
    }
    return clock_.SleepUntil(deadline, std::move(stop));
  }
  void WaitUntil(CondVar& condition, Mutex& mutex, MonotonicTime deadline) override
      REQUIRES(mutex) {
    clock_.WaitUntil(condition, mutex, deadline);
  }

  // By the thread that is to be waited for.
  void Enter() {
    MutexLock lock(mutex_);
    thread_ = std::this_thread::get_id();
  }
  void Leave() {
    MutexLock lock(mutex_);
    left_ = true;
    changed_.NotifyAll();
  }

  void Advance(std::chrono::nanoseconds duration) { clock_.Advance(duration); }

  // Waits until the thread sleeps, then lets time pass. False when the thread has left.
  bool Step(std::chrono::nanoseconds duration) {
    {
      MutexLock lock(mutex_);
      while (!left_ && sleeps_until_ <= clock_.MonotonicNow()) changed_.Wait(mutex_);
      if (left_) return false;
    }
    clock_.Advance(duration);
    return true;
  }

 private:
  ManualClock clock_;
  Mutex mutex_;
  CondVar changed_;
  std::thread::id thread_ GUARDED_BY(mutex_);
  MonotonicTime sleeps_until_ GUARDED_BY(mutex_){};
  bool left_ GUARDED_BY(mutex_) = false;
};

// A flag that threads wait for.
class Signal {
 public:
  void Set() {
    MutexLock lock(mutex_);
    set_ = true;
    changed_.NotifyAll();
  }
  void Wait() {
    MutexLock lock(mutex_);
    while (!set_) changed_.Wait(mutex_);
  }
  bool IsSet() {
    MutexLock lock(mutex_);
    return set_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool set_ GUARDED_BY(mutex_) = false;
};

void WaitFor(const std::stop_token& token) {
  Signal stopped;
  const std::stop_callback set(token, [&] { stopped.Set(); });
  stopped.Wait();
}

// An elector in a thread. Its work says when it begins and waits to be told to end; if it is
// stubborn, it then waits for `patient`.
class Candidate {
 public:
  Candidate(Client& client, std::string identity)
      : elector_(LeaderElector::Create({.name = kKey.name,
                                        .namespace_name = kKey.namespace_name,
                                        .identity = std::move(identity),
                                        .client = &client},
                                       {.clock = clock,
                                        .random = random_,
                                        .metrics = &metrics,
                                        .log = Logger({.sink = &log, .clock = &clock}),
                                        .on_stuck_work = [this](const Error&) { stuck.Set(); }})
                     .value()) {}
  ~Candidate() {
    stop_.request_stop();
    patient.Set();
    if (thread_.joinable()) thread_.join();
  }

  void Start(LeaderElector::Work work = {}) {
    if (!work) work = [this](const Leadership& term) { return Work(term); };
    thread_ = std::thread([this, work = std::move(work)] {
      clock.Enter();
      result_ = elector_->Run(stop_.get_token(), work);
      clock.Leave();
    });
  }

  void Stop() { stop_.request_stop(); }
  Result<void> Join() {
    thread_.join();
    return result_;
  }

  LeaderElector& elector() { return *elector_; }

  SteppedClock clock;
  CapturingLogSink log;
  MetricsRegistry metrics;
  Signal began;
  Signal stopped;
  Signal patient;
  Signal stuck;
  std::atomic<bool> stubborn = false;
  std::atomic<bool> waits_for_loss = false;
  std::atomic<bool> lost = false;  // when it was stopped

 private:
  Result<void> Work(const Leadership& term) {
    began.Set();
    WaitFor(term.leading);
    lost = term.lost.stop_requested();
    stopped.Set();
    if (waits_for_loss) WaitFor(term.lost);
    if (stubborn) patient.Wait();
    return {};
  }

  SeededRandom random_{1};
  std::unique_ptr<LeaderElector> elector_;
  std::stop_source stop_;
  std::thread thread_;
  Result<void> result_;
};

class LeaderElectorTest : public testing::Test {
 protected:
  LeaderElectorTest() : client_(server_.client()), a_(client_, "a") {}

  Lease Stored() { return server_.client().Get<Lease>(kKey).value(); }
  std::string Holder() { return Stored().spec.holder_identity.value_or(""); }
  void WriteHolder(const std::string& identity) {
    Lease lease = Stored();
    lease.spec.holder_identity = identity;
    ASSERT_TRUE(server_.client().Update(lease).ok());
  }

  TestServer server_;
  InterceptedClient client_;
  Candidate a_;
};

TEST_F(LeaderElectorTest, AcquiresRenewsAndReleasesTheLease) {
  a_.Start();
  a_.began.Wait();
  EXPECT_TRUE(a_.elector().IsLeader());
  EXPECT_EQ(a_.elector().Leader(), "a");
  EXPECT_THAT(a_.metrics.Collect(), HasSubstr("leader_election_master_status{name=\"manager\"} 1"));
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(a_.clock.Step(seconds(1)));
  EXPECT_GE(Stored().spec.renew_time.value() - Stored().spec.acquire_time.value(), seconds(50));
  EXPECT_TRUE(a_.elector().Health().ok());
  a_.Stop();
  EXPECT_TRUE(a_.Join().ok());
  EXPECT_FALSE(a_.elector().IsLeader());
  EXPECT_EQ(Holder(), "");
  EXPECT_THAT(a_.metrics.Collect(), HasSubstr("leader_election_master_status{name=\"manager\"} 0"));
}

TEST_F(LeaderElectorTest, ACandidateThatNeverLedEndsWithoutAnError) {
  Candidate b(client_, "b");
  b.Start();
  b.began.Wait();
  a_.Start();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(a_.clock.Step(seconds(1)));
  EXPECT_EQ(a_.elector().Leader(), "b");
  a_.Stop();
  EXPECT_TRUE(a_.Join().ok());
  EXPECT_FALSE(a_.began.IsSet());
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaderElectorTest, TheNextCandidateLeadsSoonAfterARelease) {
  Candidate b(client_, "b");
  a_.Start();
  a_.began.Wait();
  b.Start();
  ASSERT_TRUE(b.clock.Step(milliseconds(1)));
  a_.Stop();
  ASSERT_TRUE(a_.Join().ok());
  ASSERT_TRUE(b.clock.Step(milliseconds(4400)));  // the longest pause between two attempts
  b.began.Wait();
  EXPECT_EQ(Stored().spec.lease_transitions, 1);
}

TEST_F(LeaderElectorTest, LogsTheHolderWhileItWaits) {
  Candidate b(client_, "b");
  a_.Start();
  a_.began.Wait();
  EXPECT_EQ(a_.elector().Status(), "leader: holds the lease default/manager");
  b.Start();
  const auto reports = [&] {
    const std::vector<std::string> lines = b.log.Lines();
    return std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("waiting for the lease") != std::string::npos &&
             line.find("holder=a") != std::string::npos;
    });
  };
  // At once, and then now and then, while a renews.
  ASSERT_TRUE(b.clock.Step(milliseconds(1)));
  EXPECT_EQ(reports(), 1);
  EXPECT_EQ(b.elector().Status(), "waiting for the lease default/manager, which a holds");
  for (int i = 0; i < 62; ++i) {
    ASSERT_TRUE(a_.clock.Step(seconds(1)));
    ASSERT_TRUE(b.clock.Step(seconds(1)));
  }
  EXPECT_GE(reports(), 2);
  EXPECT_LE(reports(), 3);
}

TEST_F(LeaderElectorTest, AcquiresTheLeaseOfADeadLeaderAfterItExpired) {
  Candidate b(client_, "b");
  a_.Start();
  a_.began.Wait();
  b.Start();  // time stands still for a, who therefore does not renew
  for (int i = 0; i < 200 && !b.began.IsSet(); ++i) b.clock.Step(milliseconds(500));
  b.began.Wait();
  EXPECT_EQ(Holder(), "b");
  a_.clock.Step(seconds(2));
  const Result<void> result = a_.Join();
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message(), HasSubstr("b holds it now"));
}

TEST_F(LeaderElectorTest, LosesWhenItCannotRenewInTime) {
  a_.Start();
  a_.began.Wait();
  const Clock::MonotonicTime begin = a_.clock.MonotonicNow();
  client_.Set([](Client&, const ClientRequest&) -> Result<SharedBytes> {
    return Error::ServiceUnavailable("no route to host");
  });
  while (a_.clock.MonotonicNow() - begin < milliseconds(9'750)) {
    ASSERT_TRUE(a_.clock.Step(milliseconds(250)));
  }
  EXPECT_FALSE(a_.stopped.IsSet());
  ASSERT_TRUE(a_.clock.Step(milliseconds(250)));
  const Result<void> result = a_.Join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(),
            "leader election lost: lease default/manager: not renewed in time: no route to host");
  EXPECT_TRUE(a_.stopped.IsSet());
  EXPECT_FALSE(a_.elector().IsLeader());
  EXPECT_TRUE(a_.lost);
  EXPECT_THAT(a_.metrics.Collect(),
              HasSubstr("leader_election_slowpath_total{name=\"manager\"} 4"));
  EXPECT_EQ(Holder(), "a");  // nothing is known about who leads, so nothing is released
}

TEST_F(LeaderElectorTest, SurvivesAShortFailure) {
  a_.Start();
  a_.began.Wait();
  client_.Set([](Client&, const ClientRequest&) -> Result<SharedBytes> {
    return Error::ServiceUnavailable("no route to host");
  });
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(a_.clock.Step(milliseconds(500)));
  client_.Set({});
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(a_.clock.Step(milliseconds(500)));
  EXPECT_TRUE(a_.elector().IsLeader());
  a_.Stop();
  EXPECT_TRUE(a_.Join().ok());
}

TEST_F(LeaderElectorTest, DoesNotWaitForAnUnresponsiveServer) {
  a_.Start();
  a_.began.Wait();
  Signal hanging;
  client_.Set([&](Client&, const ClientRequest& request) -> Result<SharedBytes> {
    hanging.Set();
    WaitFor(request.stop);
    return Error::Timeout("ended by the caller");
  });
  ASSERT_TRUE(a_.clock.Step(seconds(2)));
  hanging.Wait();
  while (!a_.stopped.IsSet()) a_.clock.Advance(milliseconds(100));
  const Result<void> result = a_.Join();
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message(), HasSubstr("not renewed in time: ended by the caller"));
}

TEST_F(LeaderElectorTest, LosesTheLeaseToAnotherHolder) {
  a_.Start();
  a_.began.Wait();
  WriteHolder("b");
  ASSERT_TRUE(a_.clock.Step(seconds(2)));
  const Result<void> result = a_.Join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(),
            "leader election lost: lease default/manager: b holds it now");
  EXPECT_EQ(Holder(), "b");
}

TEST_F(LeaderElectorTest, TheLeaseIsKeptUntilTheWorkHasEnded) {
  a_.stubborn = true;
  a_.Start();
  a_.began.Wait();
  a_.Stop();
  a_.stopped.Wait();
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(a_.clock.Step(seconds(1)));
  EXPECT_EQ(Holder(), "a");
  EXPECT_TRUE(a_.elector().IsLeader());
  EXPECT_TRUE(a_.elector().Health().ok());
  a_.patient.Set();
  EXPECT_TRUE(a_.Join().ok());
  EXPECT_EQ(Holder(), "");
}

TEST_F(LeaderElectorTest, WorkThatOutlivesItsLeaseIsUnhealthy) {
  a_.stubborn = true;
  a_.Start();
  a_.began.Wait();
  WriteHolder("b");
  ASSERT_TRUE(a_.clock.Step(seconds(2)));
  a_.stopped.Wait();
  EXPECT_TRUE(a_.elector().Health().ok());
  a_.clock.Advance(seconds(15));
  EXPECT_FALSE(a_.elector().Health().ok());
  a_.patient.Set();
  EXPECT_FALSE(a_.Join().ok());
  EXPECT_TRUE(a_.elector().Health().ok());
}

TEST_F(LeaderElectorTest, SignalsALostLeaseWhileTheWorkIsEnding) {
  a_.waits_for_loss = true;
  a_.Start();
  a_.began.Wait();
  a_.Stop();
  a_.stopped.Wait();
  EXPECT_FALSE(a_.lost);
  WriteHolder("b");
  ASSERT_TRUE(a_.clock.Step(seconds(2)));
  EXPECT_THAT(a_.Join().error().message(), HasSubstr("b holds it now"));
  EXPECT_FALSE(a_.stuck.IsSet());
}

TEST_F(LeaderElectorTest, ReportsStuckWorkBeforeTheLeaseExpires) {
  a_.stubborn = true;
  a_.Start();
  a_.began.Wait();
  const Clock::MonotonicTime begin = a_.clock.MonotonicNow();
  client_.Set([](Client&, const ClientRequest&) -> Result<SharedBytes> {
    return Error::ServiceUnavailable("no route to host");
  });
  const auto step_until = [&](milliseconds time) {
    while (a_.clock.MonotonicNow() - begin < time) ASSERT_TRUE(a_.clock.Step(milliseconds(250)));
  };
  step_until(seconds(10));
  a_.stopped.Wait();
  step_until(milliseconds(14'750));
  EXPECT_FALSE(a_.stuck.IsSet());
  step_until(seconds(15));
  a_.stuck.Wait();
}

using LeaderElectorDeathTest = LeaderElectorTest;

TEST_F(LeaderElectorDeathTest, TerminatesTheProcessIfTheWorkDoesNotEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto lead_for_ever = [&] {
    ManualClock clock;
    SystemRandom random;
    FileLogSink sink;
    const auto elector =
        LeaderElector::Create(
            {.name = kKey.name, .namespace_name = kKey.namespace_name, .client = &client_},
            {.clock = clock, .random = random, .log = Logger({.sink = &sink, .clock = &clock})})
            .value();
    const std::jthread time([&](const std::stop_token& over) {
      while (!over.stop_requested()) clock.Advance(milliseconds(1));
    });
    (void)elector->Run({}, [&](const Leadership&) -> Result<void> {
      client_.Set([](auto&, auto&) -> Result<SharedBytes> { return Error::Internal("no"); });
      Signal().Wait();
      return {};
    });
  };
  EXPECT_EXIT(lead_for_ever(), testing::ExitedWithCode(1),
              "its work did not end after the lease was lost");
}

TEST_F(LeaderElectorTest, WorkThatIsDoneEndsIt) {
  a_.Start([](const Leadership&) -> Result<void> { return Error::Internal("broken"); });
  const Result<void> result = a_.Join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), "broken");
  EXPECT_EQ(Holder(), "");
}

TEST_F(LeaderElectorTest, ReleasesALeaseThatIsAcquiredAfterTheStop) {
  client_.Set([&](Client& server, const ClientRequest& request) {
    const Result<SharedBytes> answer = server.Do(request);
    if (request.verb == Verb::kCreate) a_.Stop();
    return answer;
  });
  a_.Start();
  EXPECT_TRUE(a_.Join().ok());
  EXPECT_FALSE(a_.began.IsSet());
  EXPECT_EQ(Holder(), "");
}

TEST_F(LeaderElectorTest, RecordsLeaderElectionEvents) {
  SystemClock clock;
  SystemRandom random;
  EventBroadcaster broadcaster({.client = &server_.client(), .clock = &clock, .random = &random});
  const EventRecorder events(broadcaster, "manager");
  const auto elector =
      LeaderElector::Create(
          {.name = kKey.name, .namespace_name = kKey.namespace_name, .client = &client_},
          {.clock = clock, .random = random, .events = &events})
          .value();
  EXPECT_THAT(elector->identity(), HasSubstr("_"));
  ASSERT_TRUE(elector->Run({}, [](const Leadership&) { return Result<void>(); }).ok());
  std::stop_source stopped;
  stopped.request_stop();
  broadcaster.Run(stopped.get_token());
  std::vector<std::string> messages;
  const auto list = server_.client().List<corev1::Event>({.namespace_name = "default"}).value();
  for (const corev1::Event& event : list.items) {
    EXPECT_EQ(event.reason, "LeaderElection");
    EXPECT_EQ(event.involved_object.kind, "Lease");
    EXPECT_FALSE(event.involved_object.uid.empty());
    messages.push_back(event.message);
  }
  EXPECT_THAT(messages, testing::UnorderedElementsAre(elector->identity() + " became leader",
                                                      elector->identity() + " stopped leading"));
}

TEST_F(LeaderElectorTest, WrongOptionsAreNamed) {
  SystemClock clock;
  SystemRandom random;
  const LeaderElectionOptions good{.name = "n", .namespace_name = "s", .client = &client_};
  const auto message = [&](auto change) {
    LeaderElectionOptions options = good;
    change(options);
    const auto elector = LeaderElector::Create(options, {.clock = clock, .random = random});
    return elector.ok() ? "" : elector.error().message();
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_EQ(message([](auto& options) { options.name = ""; }),
            "leader election: name is empty: set the name of the Lease");
  EXPECT_EQ(message([](auto& options) { options.namespace_name = ""; }),
            "leader election: namespace_name is empty: set the namespace of the Lease");
  EXPECT_EQ(message([](auto& options) { options.lease_duration = seconds(10); }),
            "leader election: lease_duration (10 s) must be longer than renew_deadline (10 s)");
  EXPECT_EQ(message([](auto& options) { options.renew_deadline = milliseconds(2400); }),
            "leader election: renew_deadline (2.4 s) must be longer than 1.2 times retry_period "
            "(2 s)");
  EXPECT_EQ(message([](auto& options) { options.retry_period = seconds(0); }),
            "leader election: retry_period must be greater than zero");
}

}  // namespace
}  // namespace kubexms
