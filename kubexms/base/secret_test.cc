#include "kubexms/base/secret.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(SecretTest, PrintsAsRedacted) {
  const Secret secret("hunter2");
  EXPECT_EQ(fmt::format("{}", secret), "[redacted]");
  EXPECT_EQ(secret.Reveal(), "hunter2");
}

TEST(SecretRegistryTest, RedactsEveryOccurrence) {
  SecretRegistry secrets;
  secrets.Add("swordfish");
  secrets.Add(Secret("abcdef.0123456789abcdef"));
  EXPECT_EQ(secrets.Redact("swordfish, join abcdef.0123456789abcdef; swordfishswordfish"),
            "[redacted], join [redacted]; [redacted][redacted]");
  EXPECT_EQ(secrets.Redact("swordfis"), "swordfis");
  EXPECT_EQ(secrets.Redact(""), "");
}

TEST(SecretRegistryTest, PrefersTheLongerOfTwoValues) {
  SecretRegistry secrets;
  secrets.Add("password");
  secrets.Add("password-and-more");
  EXPECT_EQ(secrets.Redact("x password-and-more y"), "x [redacted] y");
}

TEST(SecretRegistryTest, IgnoresValuesThatAreTooShort) {
  SecretRegistry secrets;
  secrets.Add("admin");
  secrets.Add("");
  EXPECT_EQ(secrets.Redact("admin"), "admin");
}

TEST(SecretRegistryTest, EvictsTheOldestWhenFull) {
  SecretRegistry secrets(2);
  secrets.Add("first-value");
  secrets.Add("second-value");
  secrets.Add("second-value");
  secrets.Add("third-value");
  EXPECT_EQ(secrets.Redact("first-value second-value third-value"),
            "first-value [redacted] [redacted]");
}

}  // namespace
}  // namespace kubexms
