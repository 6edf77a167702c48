#include "kubexms/apiserver/authentication/server_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "kubexms/base/mutex.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ServerCredentialsTest : public testing::Test {
 protected:
  ServerCredentialsTest() {
    std::string name = (fs::temp_directory_path() / "credentials-XXXXXX").string();
    KUBEXMS_CHECK(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~ServerCredentialsTest() override { fs::remove_all(folder_); }

  CredentialOptions Options(std::vector<std::string> names = {"localhost"}) const {
    return {.directory = folder_, .dns_names = std::move(names), .ip_addresses = {"127.0.0.1"}};
  }
  Result<ServerCredentials> Load(std::vector<std::string> names = {"localhost"}) {
    return LoadOrCreateCredentials(Options(std::move(names)), clock_.Now());
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  ManualClock clock_;
  fs::path folder_;
};

TEST_F(ServerCredentialsTest, AreLoadedAgainAtTheNextStart) {
  EXPECT_EQ(Load().value(), Load().value());
}

TEST_F(ServerCredentialsTest, FailWhenAPartOfTheAuthorityIsMissing) {
  ASSERT_TRUE(Load().ok());
  for (const std::string missing : {"ca.key", "ca.crt"}) {
    const std::string other = missing == "ca.key" ? "ca.crt" : "ca.key";
    const std::string kept = Read(other);
    const std::string removed = Read(missing);
    fs::remove(folder_ / missing);
    const auto loaded = Load();
    ASSERT_FALSE(loaded.ok());
    EXPECT_THAT(loaded.error().message(),
                HasSubstr(missing + " is missing in " + folder_.string()));
    EXPECT_THAT(loaded.error().message(), HasSubstr("restore the authority from a backup"));
    EXPECT_EQ(Read(other), kept);
    EXPECT_FALSE(fs::exists(folder_ / missing));
    Write(missing, removed);
    EXPECT_TRUE(Load().ok());
  }
}

TEST_F(ServerCredentialsTest, FailWhenAUsedAuthorityIsMissing) {
  ASSERT_TRUE(Load().ok());
  fs::remove(folder_ / "ca.key");
  fs::remove(folder_ / "ca.crt");
  EXPECT_FALSE(Load().ok());
}

TEST_F(ServerCredentialsTest, AreCreatedAfterAnInterruptedFirstStart) {
  Write("ca.key", "what was written first");
  Write("ca.crt.tmp-a1B2c3", "what was not complete");
  Write("ca.key.backup", "of a careful administrator");
  EXPECT_TRUE(Load().ok());
  EXPECT_FALSE(fs::exists(folder_ / "ca.crt.tmp-a1B2c3"));
  EXPECT_TRUE(fs::exists(folder_ / "ca.key.backup"));
}

TEST_F(ServerCredentialsTest, ReplaceCertificatesOfAnotherAuthority) {
  const ServerCredentials old = Load().value();
  // With the same name and the same validity.
  const CertificateAuthority other =
      CertificateAuthority::Create({.common_name = "kubernetes-ca"}, clock_.Now()).value();
  Write("ca.crt", other.pair().certificate_pem);
  Write("ca.key", other.pair().key_pem);
  const ServerCredentials credentials = Load().value();
  EXPECT_NE(credentials.server, old.server);
  EXPECT_NE(credentials.administrator, old.administrator);
  EXPECT_TRUE(CheckSignedBy(credentials.server.certificate_pem, other.pair().certificate_pem).ok());
  EXPECT_FALSE(CheckSignedBy(old.server.certificate_pem, other.pair().certificate_pem).ok());
}

TEST_F(ServerCredentialsTest, ReplaceCertificatesWithOtherNames) {
  const ServerCredentials old = Load().value();
  const ServerCredentials renamed = Load({"localhost", "example.com"}).value();
  EXPECT_NE(renamed.server, old.server);
  EXPECT_EQ(renamed.administrator, old.administrator);
}

TEST_F(ServerCredentialsTest, ReplaceCertificatesAboutToExpire) {
  const ServerCredentials old = Load().value();
  clock_.Advance(std::chrono::hours(24 * 200));
  EXPECT_EQ(Load().value(), old);
  clock_.Advance(std::chrono::hours(24 * 150));
  EXPECT_NE(Load().value().server, old.server);
}

TEST_F(ServerCredentialsTest, FailWhenTheAuthorityHasExpired) {
  ASSERT_TRUE(Load().ok());
  clock_.Advance(std::chrono::hours(24 * 3651));
  EXPECT_THAT(Load().error().message(), HasSubstr("has expired: restore a newer"));
}

TEST_F(ServerCredentialsTest, AreRenewedWhileTheServerRuns) {
  const ServerCredentials old = Load().value();
  Mutex mutex;
  CondVar changed;
  std::vector<ServerCredentials> used;
  std::jthread renewal([&](const std::stop_token& stop) {
    const auto use = [&](const ServerCredentials& credentials) -> Result<void> {
      MutexLock lock(mutex);
      used.push_back(credentials);
      changed.NotifyAll();
      // The first attempt fails.
      return used.size() == 1 ? Result<void>(Error::Internal("no")) : Result<void>();
    };
    RenewCredentials(Options(), old, clock_, {}, use, stop);
  });
  clock_.Advance(std::chrono::hours(24 * 300));
  const auto wait_for = [&](size_t count) {
    for (;;) {
      {
        MutexLock lock(mutex);
        if (used.size() >= count) return;
        changed.WaitUntil(mutex, std::chrono::steady_clock::now() + std::chrono::milliseconds(1));
      }
      clock_.Advance(std::chrono::hours(1));
    }
  };
  wait_for(2);
  MutexLock lock(mutex);
  EXPECT_NE(used[0].server, old.server);
  EXPECT_EQ(used[1], used[0]);
  EXPECT_EQ(used[1], Load().value());
}

}  // namespace
}  // namespace kubexms
