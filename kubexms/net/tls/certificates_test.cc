#include "kubexms/net/tls/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace kubexms {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kDay = hours(24);

class CertificatesTest : public testing::Test {
 protected:
  CertificateAuthority MakeAuthority(const CertificateAuthority::Options& options = {}) {
    return CertificateAuthority::Create(options, now_).value();
  }

  ManualClock clock_;
  const Clock::WallTime now_ = clock_.Now();
};

TEST_F(CertificatesTest, InspectsTheAuthority) {
  const auto authority = MakeAuthority({.common_name = "test-ca"});
  const auto info = InspectCertificate(authority.certificate_pem()).value();
  EXPECT_TRUE(info.is_authority);
  EXPECT_EQ(info.subject.common_name, "test-ca");
  EXPECT_EQ(info.issuer_common_name, "test-ca");
  EXPECT_EQ(info.not_after, now_ + kDay * 3650);
  EXPECT_EQ(info.fingerprint.size(), 64u);
}

TEST_F(CertificatesTest, ServerCertificateHasItsNames) {
  const auto pair = MakeAuthority()
                        .Issue({.subject = {.common_name = "api",
                                            .dns_names = {"localhost", "*.example.com"},
                                            .ip_addresses = {"127.0.0.1", "fd00::1"}},
                                .lifetime = kDay},
                               now_)
                        .value();
  const auto info = InspectCertificate(pair.certificate_pem).value();
  EXPECT_FALSE(info.is_authority);
  EXPECT_EQ(info.subject.common_name, "api");
  EXPECT_THAT(info.subject.dns_names, ElementsAre("localhost", "*.example.com"));
  EXPECT_THAT(info.subject.ip_addresses, ElementsAre("127.0.0.1", "fd00::1"));
  EXPECT_EQ(info.not_after, now_ + kDay);
  EXPECT_TRUE(CheckKeyMatches(pair).ok());
}

TEST_F(CertificatesTest, ClientCertificateHasUserAndGroups) {
  const auto pair =
      MakeAuthority()
          .Issue({.subject = {.common_name = "admin", .organizations = {"system:masters", "ops"}},
                  .usage = CertificateUsage::kClient,
                  .algorithm = KeyAlgorithm::kRsa2048},
                 now_)
          .value();
  const auto info = InspectCertificate(pair.certificate_pem).value();
  EXPECT_EQ(info.subject.common_name, "admin");
  EXPECT_THAT(info.subject.organizations, ElementsAre("system:masters", "ops"));
}

TEST_F(CertificatesTest, LifetimeEndsWithTheAuthority) {
  const auto authority = MakeAuthority({.lifetime = kDay});
  const auto pair = authority.Issue({.lifetime = kDay * 30}, now_).value();
  EXPECT_EQ(InspectCertificate(pair.certificate_pem)->not_after, now_ + kDay);
}

TEST_F(CertificatesTest, RenewalIsDueInTheLastFifthOfTheLifetime) {
  const auto pair = MakeAuthority().Issue({.lifetime = kDay * 100}, now_).value();
  const auto info = InspectCertificate(pair.certificate_pem).value();
  EXPECT_FALSE(info.NeedsRenewalAt(now_ + kDay * 79));
  EXPECT_TRUE(info.NeedsRenewalAt(now_ + kDay * 81));
  EXPECT_FALSE(info.ExpiredAt(now_ + kDay * 99));
  EXPECT_TRUE(info.ExpiredAt(now_ + kDay * 100));
}

TEST_F(CertificatesTest, SignsTheSubjectOfARequest) {
  const auto key = MakePrivateKey().value();
  const auto request = MakeSigningRequest(key, {.common_name = "system:node:n1",
                                                .organizations = {"system:nodes"},
                                                .dns_names = {"n1"},
                                                .ip_addresses = {"10.0.0.7"}})
                           .value();
  const auto asked = InspectSigningRequest(request).value();
  EXPECT_EQ(asked.common_name, "system:node:n1");
  EXPECT_THAT(asked.organizations, ElementsAre("system:nodes"));
  EXPECT_THAT(asked.dns_names, ElementsAre("n1"));

  const auto certificate = MakeAuthority().Sign(request, {}, now_).value();
  const auto info = InspectCertificate(certificate).value();
  EXPECT_EQ(info.subject.common_name, "system:node:n1");
  EXPECT_THAT(info.subject.ip_addresses, ElementsAre("10.0.0.7"));
  EXPECT_TRUE(CheckKeyMatches({certificate, key}).ok());
}

TEST_F(CertificatesTest, RefusesATamperedRequest) {
  const auto key = MakePrivateKey().value();
  auto request = MakeSigningRequest(key, {.common_name = "a"}).value();
  const size_t signature = request.find("\n-----END") - 12;
  request[signature] = request[signature] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(InspectSigningRequest(request).ok());
  EXPECT_FALSE(MakeAuthority().Sign(request, {}, now_).ok());
}

TEST_F(CertificatesTest, LoadsAnAuthorityAndRefusesOtherCertificates) {
  const auto authority = MakeAuthority();
  ASSERT_TRUE(CertificateAuthority::Load(authority.pair()).ok());

  const auto leaf = authority.Issue({.subject = {.common_name = "leaf"}}, now_).value();
  EXPECT_THAT(CertificateAuthority::Load(leaf).error().message(), HasSubstr("not an authority's"));

  const auto other = MakeAuthority();
  const auto mixed =
      CertificateAuthority::Load({authority.certificate_pem(), other.pair().key_pem});
  EXPECT_THAT(mixed.error().message(), HasSubstr("does not belong"));
  EXPECT_THAT(CertificateAuthority::Load({"", ""}).error().message(), HasSubstr("certificate"));
}

TEST_F(CertificatesTest, RefusesNamesThatDoNotFit) {
  const auto authority = MakeAuthority();
  EXPECT_FALSE(authority.Issue({.subject = {.dns_names = {"a,b"}}}, now_).ok());
  EXPECT_FALSE(authority.Issue({.subject = {.ip_addresses = {"1.2.3"}}}, now_).ok());
  EXPECT_FALSE(authority.Issue({.subject = {.common_name = std::string(200, 'x')}}, now_).ok());
}

TEST_F(CertificatesTest, WritesKeyFilesForTheOwnerOnlyAndReplacesThem) {
  const std::string path = testing::TempDir() + "/certificates_test.key";
  ASSERT_TRUE(WritePrivateFile(path, "one").ok());
  ASSERT_TRUE(WritePrivateFile(path, "two").ok());
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  std::string content;
  std::ifstream(path) >> content;
  EXPECT_EQ(content, "two");
  std::filesystem::remove(path);

  EXPECT_THAT(WritePrivateFile("/no/such/folder/key", "x").error().message(),
              HasSubstr("/no/such/folder/key"));
}

}  // namespace
}  // namespace kubexms
