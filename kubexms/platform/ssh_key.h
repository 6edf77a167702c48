#pragma once

// A pair of keys to log in with.

#include <string>
#include <string_view>

#include "kubexms/base/random.h"
#include "kubexms/base/result.h"

namespace kubexms::platform {

struct SshKeyPair {
  std::string private_key;  // in the form of OpenSSH, without a passphrase
  std::string public_key;   // a line of authorized_keys, without its end
};

// An ed25519 pair. `comment` says whose it is and must be one line.
Result<SshKeyPair> MakeSshKeyPair(Random& random, std::string_view comment);

}  // namespace kubexms::platform
