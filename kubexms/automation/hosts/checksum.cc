#include "kubexms/automation/hosts/checksum.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

namespace kubexms::automation {
namespace {

constexpr size_t kPiece = 1 << 16;

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(digest); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  KUBEXMS_CHECK(EVP_DigestInit_ex(context_->digest, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::Update(std::string_view bytes) {
  KUBEXMS_CHECK(EVP_DigestUpdate(context_->digest, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  KUBEXMS_CHECK(EVP_DigestFinal_ex(context_->digest, digest.data(), &size) == 1);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string Sha256Of(std::string_view bytes) {
  Sha256 sum;
  sum.Update(bytes);
  return sum.Finish();
}

Result<std::string> Sha256OfFile(const FilePart& file) {
  ASSIGN_OR_RETURN(FilePartReader reader, FilePartReader::Open(file));
  Sha256 sum;
  for (;;) {
    ASSIGN_OR_RETURN(const std::string piece, reader.Read(kPiece));
    if (piece.empty()) return sum.Finish();
    sum.Update(piece);
  }
}

}  // namespace kubexms::automation
