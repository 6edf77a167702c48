#pragma once

// What ~/.ssh/config says about hosts, as far as it concerns how to reach them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms::automation {

// Empty where the file says nothing.
struct SshConfigEntry {
  std::string host_name;
  std::string user;
  std::optional<int> port;
  std::vector<std::string> identity_files;  // "~" and "%d" are the home directory
  std::string proxy_jump;                   // "a,user@b:2222"; "none": no bastion
  std::string known_hosts_file;             // the first one
  std::string identity_agent;
  std::optional<bool> identities_only;

  bool operator==(const SshConfigEntry&) const = default;
};

class SshConfig {
 public:
  // Knows the keywords for what is above; others are skipped. Files of "Include" are read, and of
  // "Match" what is about the host's name (all, host, originalhost). Blocks that depend on anything
  // else are ignored, with a warning: what they say can be said in the cluster's configuration.
  // `file` is for messages.
  static Result<SshConfig> Parse(std::string_view text, std::string_view home,
                                 const std::string& file = "");
  // Of a file that does not exist: empty.
  static Result<SshConfig> Load(const std::string& path, std::string_view home);

  // As ssh does: of each keyword the first value counts, of IdentityFile all.
  SshConfigEntry Lookup(std::string_view alias) const;
  // What was ignored: "/root/.ssh/config:3: Match exec is not supported; …".
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  class Reader;
  struct Condition {
    struct Criterion {
      std::vector<std::string> patterns;
      bool original = false;  // of the name that was asked for, and not of what it stands for
      bool negated = false;
    };
    std::vector<std::string> patterns;  // of the name: "*", "web?", "!web1"
    std::vector<Criterion> criteria;    // and each of these
    bool never = false;

    // `host_name` is what the blocks before say that the name stands for.
    bool Holds(std::string_view alias, std::string_view host_name) const;
  };
  struct Block {
    std::vector<Condition> conditions;  // all of them
    SshConfigEntry entry;
  };

  std::vector<Block> blocks_;
  std::vector<std::string> warnings_;
};

// "user@host:port" with optional user and port; an IPv6 address stands in brackets.
struct SshAddress {
  std::string user;
  std::string host;
  std::optional<int> port;

  bool operator==(const SshAddress&) const = default;
};
Result<SshAddress> ParseSshAddress(std::string_view text);

// The addresses of "a,user@b:2222"; empty for "" and "none".
Result<std::vector<SshAddress>> ParseProxyJump(std::string_view text);

}  // namespace kubexms::automation
