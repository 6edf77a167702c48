#pragma once

// The key that signs JSON web tokens. Supports the part of JOSE (RFC 7515 to 7518) that this needs:
// the key determines the one algorithm that is signed with and accepted.

#include <memory>
#include <string>
#include <string_view>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Immutable: any thread may use it.
class SigningKey {
 public:
  // A private key in PEM: ECDSA on P-256 signs with ES256, RSA of 2048 bits or more with RS256.
  static Result<SigningKey> Parse(std::string_view pem);
  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;
  ~SigningKey();

  std::string_view algorithm() const { return is_rsa_ ? "RS256" : "ES256"; }
  // A digest of the public key: the `kid`.
  const std::string& id() const { return id_; }

  // The signature in the format of JSON web tokens.
  Result<std::string> Sign(std::string_view text) const;
  bool Verifies(std::string_view text, std::string_view signature) const;

  // The public key, as a member of a JSON web key set.
  Result<JsonObject> PublicJwk() const;

 private:
  struct Native;

  SigningKey(std::unique_ptr<Native> native, bool is_rsa, std::string id);

  std::unique_ptr<Native> native_;
  bool is_rsa_;
  std::string id_;
};

}  // namespace kubexms
