#include "kubexms/platform/ssh_key.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>

#include "kubexms/base/text/base64.h"

namespace kubexms::platform {
namespace {

constexpr size_t kKeyBytes = 32;
constexpr std::string_view kType = "ssh-ed25519";
constexpr size_t kLineLength = 70;

// The binary encoding of the SSH protocol: big-endian numbers, strings after their length.
class SshWriter {
 public:
  SshWriter& Number(uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes_ += static_cast<char>((number >> shift) & 0xff);
    }
    return *this;
  }
  SshWriter& Text(std::string_view text) {
    Number(static_cast<uint32_t>(text.size()));
    return Raw(text);
  }
  SshWriter& Raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  // Pads to a multiple of eight with 1, 2, 3 …
  SshWriter& Pad() {
    for (char next = 1; bytes_.size() % 8 != 0; ++next) bytes_ += next;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string InLines(std::string_view text) {
  std::string lines;
  for (size_t begin = 0; begin < text.size(); begin += kLineLength) {
    lines.append(text.substr(begin, kLineLength)).append("\n");
  }
  return lines;
}

Result<std::string> PublicKeyOf(std::string_view seed) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                   reinterpret_cast<const unsigned char*>(seed.data()),
                                   seed.size()),
      &EVP_PKEY_free);
  std::string raw(kKeyBytes, '\0');
  size_t size = raw.size();
  const bool made =
      key != nullptr && EVP_PKEY_get_raw_public_key(
                            key.get(), reinterpret_cast<unsigned char*>(raw.data()), &size) == 1;
  if (!made || size != kKeyBytes) return Error::Internal("cannot generate an ed25519 key");
  return raw;
}

}  // namespace

Result<SshKeyPair> MakeSshKeyPair(Random& random, std::string_view comment) {
  const std::string seed = random.Bytes(kKeyBytes);
  ASSIGN_OR_RETURN(const std::string raw, PublicKeyOf(seed));
  const std::string blob = SshWriter().Text(kType).Text(raw).bytes();
  // The check number is stored twice, so that a reader of an encrypted key can verify the
  // passphrase.
  const auto check = static_cast<uint32_t>(random.Next());
  const std::string secret = SshWriter()
                                 .Number(check)
                                 .Number(check)
                                 .Text(kType)
                                 .Text(raw)
                                 .Text(seed + raw)
                                 .Text(comment)
                                 .Pad()
                                 .bytes();
  constexpr std::string_view kMagic{"openssh-key-v1\0", 15};
  const std::string file = SshWriter()
                               .Raw(kMagic)
                               .Text("none")  // cipher
                               .Text("none")  // key derivation
                               .Text("")      // its options
                               .Number(1)     // keys
                               .Text(blob)
                               .Text(secret)
                               .bytes();
  return SshKeyPair{
      .private_key =
          fmt::format("-----BEGIN OPENSSH PRIVATE KEY-----\n{}-----END OPENSSH PRIVATE KEY-----\n",
                      InLines(EncodeBase64(file))),
      .public_key = fmt::format("{} {} {}", kType, EncodeBase64(blob), comment)};
}

}  // namespace kubexms::platform
