#pragma once

// One authenticated SSH connection, shared by any number of concurrent commands and tunnels. libssh
// allows one thread per session, so each session has a thread that moves bytes between its channels
// and the waiting callers.

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/transport.h"
#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"

namespace kubexms::automation {

// The host key is always verified. A key that differs from a known one is always refused.
struct HostKeyPolicy {
  // "SHA256:…" fingerprints, or keys as in a .pub file. If not empty, the host must have one of
  // them, and the files below are not used.
  std::vector<std::string> pinned;
  // A known_hosts file, read first. A host that is in neither file is added here if
  // trust_on_first_use, and refused otherwise. Empty: none.
  std::string cluster_file;
  bool trust_on_first_use = false;
  // The known_hosts file of the user; never written.
  std::string known_hosts_file;
};

struct SshEndpoint {
  std::string host;  // name or address
  int port = 22;
  std::string user;

  // Tried in this order: the agent, the keys, the password.
  bool use_agent = true;
  std::string agent_socket;                    // empty: $SSH_AUTH_SOCK
  std::vector<std::string> private_key_files;  // files that do not exist are skipped
  Secret private_key;                          // the text of one
  Secret passphrase;                           // of those that are encrypted
  Secret password;

  HostKeyPolicy host_key;
  // For each of connection, key exchange and authentication.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);

  // "user@host:port".
  std::string Describe() const;
};

class SshSession {
 public:
  // Connects, optionally through the session of a bastion, which this session retains.
  // ServiceUnavailable when the host is unreachable; a terminal error when the host key or the
  // authentication is refused.
  static Result<std::shared_ptr<SshSession>> Connect(const SshEndpoint& endpoint,
                                                     std::shared_ptr<SshSession> bastion,
                                                     std::stop_token stop);

  virtual ~SshSession() = default;

  virtual Result<int> Execute(const Execution& execution) = 0;

  // False once the connection is lost; permanent.
  virtual bool alive() const = 0;

 protected:
  friend class SshDialer;
  // A socket connected to the port, from the host of this session.
  virtual Result<int> OpenTunnel(const std::string& host, int port) = 0;
};

}  // namespace kubexms::automation
