#include "kubexms/store/etcd_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

#include "kubexms/store/etcd_process_test.h"
#include "kubexms/store/test_store_test.h"

namespace kubexms::store {
namespace {

using ::testing::HasSubstr;

constexpr std::chrono::seconds kTimeout(60);  // for slow machines; nothing waits that long

std::unique_ptr<Store> MustOpen(EtcdOptions options) {
  options.timeout = kTimeout;
  Result<std::unique_ptr<Store>> store = OpenEtcdStore(std::move(options));
  KUBEXMS_CHECK(store.ok());
  return std::move(store).value();
}

class EtcdTestStore final : public TestStore {
 public:
  Store& store() override { return *store_; }

 private:
  EtcdCluster cluster_;
  std::unique_ptr<Store> store_ = MustOpen({.endpoints = cluster_.endpoints()});
};

#if !defined(KUBEXMS_THREAD_SANITIZER)  // see store_test.cc

// Retries a put until it succeeds; the test tolerates duplicate writes.
void PutThroughTrouble(Store& store, const std::string& key, const std::string& value) {
  while (true) {
    const Result<CommitResult> result = store.Commit(Transaction().IfAbsent(key).Put(key, value));
    if (result.ok()) return;  // committed now, or by an attempt whose answer was lost
    EXPECT_EQ(result.error().code(), 503) << result.error().message();
  }
}

TEST(EtcdStoreTest, UsesTlsWithClientCertificates) {
  const TestCertificate certificate;
  EtcdCluster cluster(1, &certificate);
  const std::string text = TestCertificate::Read(certificate.certificate_file());
  const EtcdOptions options{.endpoints = cluster.endpoints(),
                            .certificate_authority = text,
                            .certificate = text,
                            .private_key = TestCertificate::Read(certificate.key_file())};
  const std::unique_ptr<Store> store = MustOpen(options);
  const Result<std::unique_ptr<Watch>> watch = store->OpenWatch({.prefix = "/"});
  MustPut(*store, "/a", "1");
  EXPECT_EQ(TakeEvents(**watch, 1).at(0)->record->value, "1");

  EtcdOptions anonymous{.endpoints = cluster.endpoints(),
                        .certificate_authority = text,
                        .timeout = std::chrono::milliseconds(500)};
  EXPECT_FALSE(OpenEtcdStore(anonymous).ok());
  const TestCertificate other;
  EtcdOptions distrusting = options;
  distrusting.certificate_authority = TestCertificate::Read(other.certificate_file());
  distrusting.timeout = std::chrono::milliseconds(500);
  EXPECT_FALSE(OpenEtcdStore(distrusting).ok());
}

TEST(EtcdStoreTest, FailsWhenNoEndpointIsReachable) {
  const Result<std::unique_ptr<Store>> store =
      OpenEtcdStore({.endpoints = {fmt::format("127.0.0.1:{}", UnusedPort())},
                     .timeout = std::chrono::milliseconds(200)});
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), 503);
  EXPECT_THAT(store.error().message(), HasSubstr("no endpoint can be reached"));
  EXPECT_TRUE(OpenEtcdStore({}).error().IsBadRequest());
}

TEST(EtcdStoreTest, UsesReachableEndpoints) {
  EtcdCluster cluster;
  std::vector<std::string> endpoints = {fmt::format("127.0.0.1:{}", UnusedPort()),
                                        cluster.endpoints()[0]};
  const std::unique_ptr<Store> store = MustOpen({.endpoints = endpoints});
  MustPut(*store, "/a", "1");
  EXPECT_EQ(store->Get("/a").value()->value, "1");
}

TEST(EtcdStoreTest, UsesTheOtherMembersWhenOneIsKilled) {
  EtcdCluster cluster(3);
  const std::unique_ptr<Store> store = MustOpen({.endpoints = cluster.endpoints()});
  const std::unique_ptr<Watch> watch = store->OpenWatch({.prefix = "/"}).value();
  int written = 0;
  const auto write = [&](int count) {
    for (int i = 0; i < count; ++i) {
      PutThroughTrouble(*store, fmt::format("/{:03}", written++), "x");
    }
  };
  write(10);
  cluster.Kill(0);
  write(10);
  EXPECT_EQ(store->List({.prefix = "/"}).value().records.size(), 20);
  cluster.Start(0);
  write(10);
  cluster.Kill(1);
  write(10);
  const std::vector<EventPtr> events = TakeEvents(*watch, 40);
  ASSERT_EQ(events.size(), 40);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(events[i]->record->key, fmt::format("/{:03}", i));
}

TEST(EtcdStoreTest, ResumesWatchesAfterARestartOfEtcd) {
  EtcdCluster cluster;
  const std::unique_ptr<Store> store = MustOpen({.endpoints = cluster.endpoints()});
  const std::unique_ptr<Watch> watch = store->OpenWatch({.prefix = "/"}).value();
  MustPut(*store, "/a", "1");
  cluster.Kill(0);
  cluster.Start(0);
  PutThroughTrouble(*store, "/b", "2");
  const std::vector<EventPtr> events = TakeEvents(*watch, 2);
  EXPECT_EQ(events[0]->record->key, "/a");
  EXPECT_EQ(events[1]->record->key, "/b");
  watch->RequestProgress();
  EXPECT_GE(watch->Next({}).value().revision, events[1]->revision());
}

// gRPC's thread is still busy with its call when the response arrives.
TEST(EtcdStoreTest, CanBeDestroyedRightAfterAResponse) {
  EtcdCluster cluster;
  for (int i = 0; i < 10; ++i) {
    std::unique_ptr<Store> store = MustOpen({.endpoints = cluster.endpoints()});
    std::binary_semaphore answered(0);
    store->CommitAsync(Transaction().Put("/a", "x"), [&](Result<CommitResult> result) {
      EXPECT_TRUE(result.ok());
      answered.release();
    });
    answered.acquire();
    store.reset();
  }
}

TEST(EtcdStoreTest, StoresShareOneEtcd) {
  EtcdCluster cluster;
  const std::unique_ptr<Store> one = MustOpen({.endpoints = cluster.endpoints()});
  const std::unique_ptr<Store> two = MustOpen({.endpoints = cluster.endpoints()});
  const std::unique_ptr<Store> apart =
      MustOpen({.endpoints = cluster.endpoints(), .root = "/apart"});
  const std::unique_ptr<Watch> watch = two->OpenWatch({.prefix = "/"}).value();
  MustPut(*apart, "/a", "apart");
  MustPut(*one, "/a", "1");
  EXPECT_EQ(TakeEvents(*watch, 1).at(0)->record->value, "1");
  EXPECT_EQ(two->Get("/a").value()->value, "1");
  EXPECT_EQ(apart->Get("/a").value()->value, "apart");
}

TEST(EtcdStoreTest, ReadsOldChangesFromEtcdUpToALimit) {
  EtcdCluster cluster;
  const EtcdOptions options{.endpoints = cluster.endpoints(), .history = 10};
  uint64_t start;
  {
    const std::unique_ptr<Store> store = MustOpen(options);
    start = store->CurrentRevision().value();
    for (int i = 0; i < 50; ++i) MustPut(*store, i % 10 == 0 ? "/few" : "/many", "x");
  }
  const std::unique_ptr<Store> store = MustOpen(options);
  const std::unique_ptr<Watch> few =
      store->OpenWatch({.prefix = "/few", .after_revision = start}).value();
  EXPECT_EQ(TakeEvents(*few, 5).size(), 5);
  MustPut(*store, "/few", "x");
  EXPECT_EQ(TakeEvents(*few, 1).size(), 1);
  const Result<std::unique_ptr<Watch>> many =
      store->OpenWatch({.prefix = "/many", .after_revision = start});
  ASSERT_FALSE(many.ok());
  EXPECT_TRUE(many.error().IsExpired());
}

#endif  // KUBEXMS_THREAD_SANITIZER

}  // namespace

BackEnd EtcdBackEnd() {
  return {"Etcd", [] { return std::make_unique<EtcdTestStore>(); }};
}

}  // namespace kubexms::store
