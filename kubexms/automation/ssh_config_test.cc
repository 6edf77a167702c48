#include "kubexms/automation/ssh_config.h"

#include <gtest/gtest.h>

namespace kubexms::automation {
namespace {

SshConfigEntry Lookup(std::string_view text, std::string_view alias) {
  const Result<SshConfig> config = SshConfig::Parse(text, "/home/me");
  EXPECT_TRUE(config.ok());
  return config.ok() ? config->Lookup(alias) : SshConfigEntry();
}

TEST(SshConfigTest, TheFirstValueOfAKeywordCounts) {
  constexpr std::string_view kText =
      "User early\n"
      "# a comment\n"
      "host web? !web9 db\n"
      "  HostName = \"10.0.0.1\"   # not part of it\n"
      "  port=2222\n"
      "  IdentityFile ~/.ssh/a\n"
      "Host *\n"
      "  User late\n"
      "  Port 22\n"
      "  IdentityFile %d/b\n"
      "  IdentitiesOnly yes\n";
  const SshConfigEntry entry = Lookup(kText, "web1");
  EXPECT_EQ(entry.host_name, "10.0.0.1");
  EXPECT_EQ(entry.user, "early");
  EXPECT_EQ(entry.port, 2222);
  EXPECT_EQ(entry.identity_files, (std::vector<std::string>{"/home/me/.ssh/a", "/home/me/b"}));
  EXPECT_EQ(entry.identities_only, true);
  EXPECT_EQ(Lookup(kText, "web9").host_name, "");
  EXPECT_EQ(Lookup(kText, "web10").port, 22);
  EXPECT_EQ(Lookup(kText, "db").host_name, "10.0.0.1");
}

TEST(SshConfigTest, MatchesPatterns) {
  for (const char* alias : {"abc", "axxc", "ac"}) {
    EXPECT_EQ(Lookup("Host a*c\nUser u", alias).user, "u") << alias;
  }
  EXPECT_EQ(Lookup("Host a*c\nUser u", "acb").user, "");
  EXPECT_EQ(Lookup("Host **\nUser u", "x").user, "u");
}

TEST(SshConfigTest, RefusesWhatItWouldHaveToGuess) {
  EXPECT_FALSE(SshConfig::Parse("Match host x\n", "/").ok());
  EXPECT_FALSE(SshConfig::Parse("Include other\n", "/").ok());
  const Result<SshConfig> port = SshConfig::Parse("\nPort many\n", "/");
  ASSERT_FALSE(port.ok());
  EXPECT_EQ(port.error().message(), "line 2: \"many\" is not a port: use 1 to 65535");
}

TEST(SshAddressTest, ReadsUserHostAndPort) {
  EXPECT_EQ(*ParseSshAddress("h"), (SshAddress{"", "h", {}}));
  EXPECT_EQ(*ParseSshAddress("u@h:22"), (SshAddress{"u", "h", 22}));
  EXPECT_EQ(*ParseSshAddress("u@[::1]:22"), (SshAddress{"u", "::1", 22}));
  for (const char* wrong : {"", "u@", "h:0", "h:x", "[::1", "[::1]x"}) {
    EXPECT_FALSE(ParseSshAddress(wrong).ok()) << wrong;
  }
  EXPECT_TRUE(ParseProxyJump("none")->empty());
  EXPECT_EQ(ParseProxyJump("a,b:1")->size(), 2u);
  EXPECT_FALSE(ParseProxyJump("a,").ok());
}

}  // namespace
}  // namespace kubexms::automation
