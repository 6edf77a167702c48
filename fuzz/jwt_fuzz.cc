#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/authentication/service_account_tokens.h"
#include "kubexms/base/check.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {
namespace {

struct Fixture {
  Fixture()
      : pem(MakePrivateKey().value()),
        key(SigningKey::Parse(pem).value()),
        issuer(TokenIssuer::FromKey(pem, {.issuer = "https://issuer",
                                          .api_audiences = audiences,
                                          .clock = &clock,
                                          .random = &random})
                   .value()) {}

  const std::vector<std::string> audiences{"api"};
  ManualClock clock;
  SystemRandom random;
  const std::string pem;
  const SigningKey key;
  const TokenIssuer issuer;
};

// A token that the key has not signed is never accepted.
void CheckUnsigned(const Fixture& fixture, std::string_view text) {
  (void)fixture.issuer.HasThisIssuer(text);
  KUBEXMS_CHECK(!fixture.issuer.Verify(text, fixture.audiences).ok());
}

// Signed claims of any shape: accepted claims that are signed again have the same contents.
void CheckSigned(const Fixture& fixture, std::string_view claims) {
  std::string token = EncodeBase64(R"({"alg":"ES256"})", Base64Form::kUrl) + "." +
                      EncodeBase64(claims, Base64Form::kUrl);
  token += "." + EncodeBase64(fixture.key.Sign(token).value(), Base64Form::kUrl);
  const Result<TokenClaims> read = fixture.issuer.Verify(token, fixture.audiences);
  if (!read.ok()) return;
  const std::string again = fixture.issuer.Sign(*read).value();
  const TokenClaims same = fixture.issuer.Verify(again, fixture.audiences).value();
  KUBEXMS_CHECK(same.User().name == read->User().name);
  KUBEXMS_CHECK(same.expires_at == read->expires_at && same.pod == read->pod);
}

}  // namespace
}  // namespace kubexms

// The first byte selects whether the rest is a token or the claims to sign.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const kubexms::Fixture kFixture;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 2 == 0) {
    kubexms::CheckUnsigned(kFixture, text);
  } else {
    kubexms::CheckSigned(kFixture, text);
  }
  return 0;
}
