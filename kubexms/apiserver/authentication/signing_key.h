#pragma once

// The key that signs web tokens, and the few things of JOSE (RFC 7515 to 7518) that it takes: one
// algorithm, given by the key, and no others.

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
  // A digest of the public key.
  const std::string& id() const { return id_; }

  // The signature's bytes, in the form of web tokens.
  Result<std::string> Sign(std::string_view text) const;
  bool Verifies(std::string_view text, std::string_view signature) const;

  // The public key, as a member of a key set.
  Result<JsonObject> PublicJwk() const;

 private:
  struct Native;

  SigningKey(std::unique_ptr<Native> native, bool is_rsa, std::string id);

  std::unique_ptr<Native> native_;
  bool is_rsa_;
  std::string id_;
};

}  // namespace kubexms
