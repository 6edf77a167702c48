#pragma once

// Credentials of a ServiceAccount, by the TokenRequest API.

#include <memory>

#include "kubexms/api/object_key.h"
#include "kubexms/base/clock.h"
#include "kubexms/client/credentials/credentials.h"

namespace kubexms {

class Client;

// Requests tokens through `requester`. A token is valid for an hour and is renewed when a fifth of
// its lifetime is left; while that fails, the old one is used. An account that does not exist is
// created. `requester` and `clock` must outlive the source.
std::unique_ptr<CredentialSource> MakeServiceAccountCredentials(ObjectKey account,
                                                                Client& requester,
                                                                const Clock& clock);

}  // namespace kubexms
