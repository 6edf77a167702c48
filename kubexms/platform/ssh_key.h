#pragma once

// An SSH key pair.

#include <string>
#include <string_view>

#include "kubexms/base/random.h"
#include "kubexms/base/result.h"

namespace kubexms::platform {

struct SshKeyPair {
  std::string private_key;  // OpenSSH format, without a passphrase
  std::string public_key;   // a line of authorized_keys, without the newline
};

// Generates an ed25519 key pair. `comment` must be one line.
Result<SshKeyPair> MakeSshKeyPair(Random& random, std::string_view comment);

}  // namespace kubexms::platform
