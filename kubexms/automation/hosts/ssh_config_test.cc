#include "kubexms/automation/hosts/ssh_config.h"

#include <gtest/gtest.h>

#include "kubexms/base/test_directory_test.h"

namespace kubexms::automation {
namespace {

SshConfigEntry Lookup(std::string_view text, std::string_view alias) {
  const Result<SshConfig> config = SshConfig::Parse(text, "/home/me");
  EXPECT_TRUE(config.ok());
  return config.ok() ? config->Lookup(alias) : SshConfigEntry();
}

TEST(SshConfigTest, UsesTheFirstValueOfAKeyword) {
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

TEST(SshConfigTest, SupportsMatchByHostName) {
  constexpr std::string_view kText =
      "Match host web*,!web9\n  User web\n"
      "Host db\n  HostName db.example\n"
      "Match host *.example\n  Port 2222\n"
      "Match originalhost db host *.example\n  User db\n"
      "Match !host *.example\n  IdentityFile /near\n"
      "Match all\n  ProxyJump gate\n";
  EXPECT_EQ(Lookup(kText, "web1").user, "web");
  EXPECT_EQ(Lookup(kText, "web9").user, "");
  EXPECT_EQ(Lookup(kText, "db").port, 2222);
  EXPECT_EQ(Lookup(kText, "db").user, "db");
  EXPECT_TRUE(Lookup(kText, "db").identity_files.empty());
  EXPECT_EQ(Lookup(kText, "web1").identity_files, std::vector<std::string>{"/near"});
  EXPECT_EQ(Lookup(kText, "x").proxy_jump, "gate");
}

TEST(SshConfigTest, IgnoresUnsupportedBlocksWithAWarning) {
  const SshConfig config = SshConfig::Parse(
                               "User first\n"
                               "Match host web exec \"test -e /x\"\n  Port 1\n"
                               "Match user me\n  Port 2\n"
                               "Match final all\n  Port 3\n"
                               "Host *\n  Port 4\n",
                               "/home/me", "config")
                               .value();
  EXPECT_EQ(config.Lookup("web").port, 4);
  EXPECT_EQ(
      config.warnings(),
      (std::vector<std::string>{"config:2: Match exec is not supported; its block is ignored",
                                "config:4: Match user is not supported; its block is ignored",
                                "config:6: Match final is not supported; its block is ignored"}));
}

TEST(SshConfigTest, ReadsIncludedFilesInPlace) {
  TestDirectory home;
  home.Write(".ssh/config",
             "Include conf.d/*.conf absent\n"
             "Host web\n  Include web\n  Port 5\n"
             "Include config\n");
  home.Write(".ssh/conf.d/a.conf", "Host db\n  User a\n");
  home.Write(".ssh/conf.d/b.conf", "Host db\n  User b\n  Port 7\n");
  home.Write(".ssh/web", "User inside\nHost *\n  HostName of-web\n");
  const Result<SshConfig> config = SshConfig::Load(home.path() + "/.ssh/config", home.path());
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->Lookup("db").user, "a");
  EXPECT_EQ(config->Lookup("db").port, 7);
  EXPECT_EQ(config->Lookup("web").user, "inside");
  EXPECT_EQ(config->Lookup("web").host_name, "of-web");
  EXPECT_EQ(config->Lookup("web").port, 5);
  EXPECT_EQ(config->Lookup("other").host_name, "");
  // It includes itself.
  EXPECT_FALSE(config->warnings().empty());
}

TEST(SshConfigTest, RefusesAmbiguousValues) {
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
