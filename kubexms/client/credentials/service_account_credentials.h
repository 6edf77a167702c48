#pragma once

// Acts as a ServiceAccount of the server, as somebody who may ask for its tokens.

#include <memory>

#include "kubexms/api/object_key.h"
#include "kubexms/base/clock.h"
#include "kubexms/client/credentials/credentials.h"

namespace kubexms {

class Client;

// Tokens by TokenRequest, asked for through `requester`. Each is good for an hour and is replaced
// when a fifth of its time is left; while that fails, the old one is used for as long as the server
// takes it. An account that is not there is made. `requester` and `clock` must outlive the source.
std::unique_ptr<CredentialSource> MakeServiceAccountCredentials(ObjectKey account,
                                                                Client& requester,
                                                                const Clock& clock);

}  // namespace kubexms
