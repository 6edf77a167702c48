#pragma once

// One SSH connection: logged in, its host's key verified, and shared by any number of commands and
// tunnels at a time. libssh lets one thread at a time into a session, so all of it happens on one
// thread per session, which moves bytes between the channels and those who wait for them.

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/transport.h"
#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"

namespace kubexms::automation {

// A host's key is always verified. One that is known to be another is always refused.
struct HostKeyPolicy {
  // "SHA256:…" fingerprints, or keys as in a .pub file. When there are any, the host must have one
  // of them, and nothing else counts.
  std::vector<std::string> pinned;
  // A file in the format of known_hosts, read first. A host that is in neither file is written
  // here when trust_on_first_use, and refused otherwise. Empty: nothing is read or written.
  std::string cluster_file;
  bool trust_on_first_use = false;
  // Read as well, never written: the user's own.
  std::string known_hosts_file;
};

struct SshEndpoint {
  std::string host;  // a name or an address
  int port = 22;
  std::string user;

  // Tried in this order: the agent, the keys, the password.
  bool use_agent = true;
  std::string agent_socket;                    // empty: $SSH_AUTH_SOCK
  std::vector<std::string> private_key_files;  // those that do not exist are passed over
  Secret private_key;                          // the text of one
  Secret passphrase;                           // of those that are encrypted
  Secret password;

  HostKeyPolicy host_key;
  // For each of: the connection, the exchange of keys, the login.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);

  // "user@host:port".
  std::string Describe() const;
};

class SshSession {
 public:
  // Connects, through another session if there is one, which then lives as long as this one.
  // ServiceUnavailable when the host does not answer; a terminal error when its key is not the
  // right one or it does not let us in.
  static Result<std::shared_ptr<SshSession>> Connect(const SshEndpoint& endpoint,
                                                     std::shared_ptr<SshSession> bastion,
                                                     std::stop_token stop);

  virtual ~SshSession() = default;

  virtual Result<int> Execute(const Execution& execution) = 0;

  // False once the connection is lost: it does not come back.
  virtual bool alive() const = 0;

 protected:
  friend class SshDialer;
  // A socket whose other end is that port, as seen from the host of this session.
  virtual Result<int> OpenTunnel(const std::string& host, int port) = 0;
};

}  // namespace kubexms::automation
