#pragma once

// The part of ~/.ssh/config that configures connections.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms::automation {

// Fields are empty when the file does not set them.
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
  // Parses the keywords of the fields above; others are skipped. Supports "Include", and "Match"
  // with all, host and originalhost. Blocks with other criteria are ignored with a warning: their
  // settings can be part of the cluster's configuration. `file` is for messages.
  static Result<SshConfig> Parse(std::string_view text, std::string_view home,
                                 const std::string& file = "");
  // An empty configuration when the file does not exist.
  static Result<SshConfig> Load(const std::string& path, std::string_view home);

  // As ssh: the first value of each keyword, all values of IdentityFile.
  SshConfigEntry Lookup(std::string_view alias) const;
  // Ignored blocks: "/root/.ssh/config:3: Match exec is not supported; …".
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  class Reader;
  struct Condition {
    struct Criterion {
      std::vector<std::string> patterns;
      bool original = false;  // matches the name before substitution by HostName
      bool negated = false;
    };
    std::vector<std::string> patterns;  // of the name: "*", "web?", "!web1"
    std::vector<Criterion> criteria;    // and each of these
    bool never = false;

    // `host_name` is the HostName of earlier blocks.
    bool Matches(std::string_view alias, std::string_view host_name) const;
  };
  struct Block {
    std::vector<Condition> conditions;  // all of them
    SshConfigEntry entry;
  };

  std::vector<Block> blocks_;
  std::vector<std::string> warnings_;
};

// "user@host:port" with optional user and port; an IPv6 address is in brackets.
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
