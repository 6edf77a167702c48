#include "kubexms/apiserver/authentication/signing_key.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>

#include "kubexms/base/text/base64.h"
#include "kubexms/net/tls/openssl.h"

namespace kubexms {
namespace {

using BioPtr = std::unique_ptr<BIO, OpenSslFree<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;
using DigestPtr = std::unique_ptr<EVP_MD_CTX, OpenSslFree<EVP_MD_CTX_free>>;
using BignumPtr = std::unique_ptr<BIGNUM, OpenSslFree<BN_free>>;
using EcdsaPtr = std::unique_ptr<ECDSA_SIG, OpenSslFree<ECDSA_SIG_free>>;

constexpr int kMinRsaBits = 2048;
constexpr int kCoordinateBytes = 32;  // of P-256

Error Failed(std::string_view what) {
  return Error::Internal(fmt::format("{}: {}", what, TakeOpenSslErrors()));
}

int NoPassPhrase(char*, int, int, void*) { return -1; }

const unsigned char* Octets(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

bool IsP256(EVP_PKEY* key) {
  std::array<char, 64> group{};
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, group.data(), group.size(), nullptr) == 1 &&
         std::string_view(group.data()) == "prime256v1";
}

// The digest of the DER form of the public key.
Result<std::string> DigestOf(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size <= 0) return Failed("encode the public key");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(der, static_cast<size_t>(size), digest.data());
  OPENSSL_free(der);
  return EncodeBase64({reinterpret_cast<const char*>(digest.data()), digest.size()},
                      Base64Form::kUrl);
}

// JSON web tokens concatenate the two numbers of an ECDSA signature, OpenSSL encodes them in DER.
Result<std::string> EcdsaSignatureFromDer(std::string_view der) {
  const unsigned char* at = Octets(der);
  const EcdsaPtr signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (!signature) return Failed("read a signature");
  std::string bytes(2 * kCoordinateBytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(bytes.data());
  if (BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, kCoordinateBytes) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + kCoordinateBytes, kCoordinateBytes) <
          0) {
    return Failed("write a signature");
  }
  return bytes;
}

// Empty when the signature is malformed.
std::string EcdsaSignatureToDer(std::string_view side_by_side) {
  if (side_by_side.size() != 2 * kCoordinateBytes) return {};
  const unsigned char* bytes = Octets(side_by_side);
  BignumPtr r(BN_bin2bn(bytes, kCoordinateBytes, nullptr));
  BignumPtr s(BN_bin2bn(bytes + kCoordinateBytes, kCoordinateBytes, nullptr));
  const EcdsaPtr signature(ECDSA_SIG_new());
  if (!r || !s || !signature || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return {};
  (void)r.release();  // now owned by the signature
  (void)s.release();
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &der);
  if (size <= 0) return {};
  std::string text(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return text;
}

// A number of the public key, big-endian, in at least `width` bytes.
Result<std::string> KeyNumber(EVP_PKEY* key, const char* parameter, int width) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, parameter, &raw) != 1) return Failed("read the public key");
  const BignumPtr number(raw);
  std::string bytes(static_cast<size_t>(std::max(width, BN_num_bytes(raw))), '\0');
  BN_bn2binpad(raw, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  return EncodeBase64(bytes, Base64Form::kUrl);
}

}  // namespace

struct SigningKey::Native {
  KeyPtr key;
};

SigningKey::SigningKey(std::unique_ptr<Native> native, bool is_rsa, std::string id)
    : native_(std::move(native)), is_rsa_(is_rsa), id_(std::move(id)) {}
SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;
SigningKey::~SigningKey() = default;

Result<SigningKey> SigningKey::Parse(std::string_view pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassPhrase, nullptr));
  if (!key) {
    return Error::BadRequest(
        fmt::format("cannot parse the private key; expected PEM without a passphrase: {}",
                    TakeOpenSslErrors()));
  }
  const bool is_rsa = EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_RSA;
  if (is_rsa ? EVP_PKEY_get_bits(key.get()) < kMinRsaBits : !IsP256(key.get())) {
    return Error::BadRequest(fmt::format(
        "a token signing key must be ECDSA P-256 or RSA with at least {} bits", kMinRsaBits));
  }
  ASSIGN_OR_RETURN(std::string id, DigestOf(key.get()));
  auto native = std::make_unique<Native>();
  native->key = std::move(key);
  return SigningKey(std::move(native), is_rsa, std::move(id));
}

Result<std::string> SigningKey::Sign(std::string_view text) const {
  const DigestPtr context(EVP_MD_CTX_new());
  size_t size = 0;
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, native_->key.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, Octets(text), text.size()) != 1) {
    return Failed("sign a token");
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     Octets(text), text.size()) != 1) {
    return Failed("sign a token");
  }
  signature.resize(size);
  if (is_rsa_) return signature;
  return EcdsaSignatureFromDer(signature);
}

bool SigningKey::Verifies(std::string_view text, std::string_view signature) const {
  const std::string native = is_rsa_ ? std::string(signature) : EcdsaSignatureToDer(signature);
  const DigestPtr context(EVP_MD_CTX_new());
  const bool valid = EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr,
                                          native_->key.get()) == 1 &&
                     EVP_DigestVerify(context.get(), Octets(native), native.size(), Octets(text),
                                      text.size()) == 1;
  if (!valid) TakeOpenSslErrors();
  return valid;
}

Result<JsonObject> SigningKey::PublicJwk() const {
  JsonObject jwk{{"use", "sig"}, {"alg", algorithm()}, {"kid", id_}};
  EVP_PKEY* key = native_->key.get();
  if (is_rsa_) {
    jwk["kty"] = "RSA";
    ASSIGN_OR_RETURN(jwk["n"], KeyNumber(key, OSSL_PKEY_PARAM_RSA_N, 0));
    ASSIGN_OR_RETURN(jwk["e"], KeyNumber(key, OSSL_PKEY_PARAM_RSA_E, 0));
    return jwk;
  }
  jwk["kty"] = "EC";
  jwk["crv"] = "P-256";
  ASSIGN_OR_RETURN(jwk["x"], KeyNumber(key, OSSL_PKEY_PARAM_EC_PUB_X, kCoordinateBytes));
  ASSIGN_OR_RETURN(jwk["y"], KeyNumber(key, OSSL_PKEY_PARAM_EC_PUB_Y, kCoordinateBytes));
  return jwk;
}

}  // namespace kubexms
