#pragma once

// Opens an authenticated session: connect, exchange keys, verify the host key, authenticate.
// Internal to ssh_session.cc, which owns the session.

#include <libssh/libssh.h>

#include <stop_token>
#include <string>

#include "kubexms/automation/hosts/ssh_session.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

class SshDialer {
 public:
  // `endpoint` must outlive the dialer.
  SshDialer(const SshEndpoint& endpoint, std::stop_token stop)
      : endpoint_(endpoint), stop_(std::move(stop)) {}
  ~SshDialer();
  SshDialer(const SshDialer&) = delete;
  SshDialer& operator=(const SshDialer&) = delete;

  // The caller owns the session. May be called once.
  Result<ssh_session> Dial(SshSession* bastion);

 private:
  Result<int> Connect(SshSession* bastion);
  Result<void> SetOptions(int descriptor);
  Result<void> VerifyHostKey();
  Result<void> VerifyPinned(const std::string& fingerprint, ssh_key key);
  Result<void> StoreHostKey();
  Result<void> Authenticate();

  // The state of an authentication method: SSH_AUTH_SUCCESS and so on.
  int TryAgent();
  int TryKeys();
  int TryKey(const char* file, const std::string& text);
  int TryPassword();
  int TryKeyboard();

  const SshEndpoint& endpoint_;
  const std::stop_token stop_;
  ssh_session session_ = nullptr;
  std::string key_errors_;  // why private keys could not be used
};

}  // namespace kubexms::automation
