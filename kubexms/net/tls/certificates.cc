#include "kubexms/net/tls/certificates.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "kubexms/base/utf8.h"
#include "kubexms/net/tls/openssl.h"

namespace kubexms {

std::string TakeOpenSslErrors() {
  std::string reasons;
  while (const unsigned long code = ERR_get_error()) {
    const char* reason = ERR_reason_error_string(code);
    if (!reasons.empty()) reasons += "; ";
    reasons += reason != nullptr ? reason : fmt::format("error {:#x}", code);
  }
  return reasons.empty() ? "unknown reason" : reasons;
}

namespace {

using BioPtr = std::unique_ptr<BIO, OpenSslFree<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree<EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, OpenSslFree<X509_free>>;
using RequestPtr = std::unique_ptr<X509_REQ, OpenSslFree<X509_REQ_free>>;
using NamePtr = std::unique_ptr<X509_NAME, OpenSslFree<X509_NAME_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, OpenSslFree<GENERAL_NAMES_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OpenSslFree<X509_EXTENSION_free>>;
using BignumPtr = std::unique_ptr<BIGNUM, OpenSslFree<BN_free>>;

void FreeExtensions(STACK_OF(X509_EXTENSION) * stack) {
  sk_X509_EXTENSION_pop_free(stack, X509_EXTENSION_free);
}
using ExtensionsPtr = std::unique_ptr<STACK_OF(X509_EXTENSION), OpenSslFree<FreeExtensions>>;

constexpr std::chrono::minutes kClockLag(5);

Error Failed(std::string_view what) {
  return Error::Internal(fmt::format("{}: {}", what, TakeOpenSslErrors()));
}

Error BadPem(std::string_view what) {
  return Error::BadRequest(fmt::format("not {} in PEM: {}", what, TakeOpenSslErrors()));
}

BioPtr BioOf(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

// Refuses keys with a passphrase instead of prompting on the terminal.
int NoPassPhrase(char*, int, int, void*) { return -1; }

Result<KeyPtr> ParseKey(std::string_view pem) {
  const BioPtr bio = BioOf(pem);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassPhrase, nullptr));
  if (!key) return BadPem("a private key");
  return key;
}

Result<CertificatePtr> ParseCertificate(std::string_view pem) {
  const BioPtr bio = BioOf(pem);
  CertificatePtr certificate(PEM_read_bio_X509(bio.get(), nullptr, NoPassPhrase, nullptr));
  if (!certificate) return BadPem("a certificate");
  return certificate;
}

Result<RequestPtr> ParseRequest(std::string_view pem) {
  const BioPtr bio = BioOf(pem);
  RequestPtr request(PEM_read_bio_X509_REQ(bio.get(), nullptr, NoPassPhrase, nullptr));
  if (!request) return BadPem("a signing request");
  EVP_PKEY* key = X509_REQ_get0_pubkey(request.get());
  if (key == nullptr || X509_REQ_verify(request.get(), key) != 1) {
    TakeOpenSslErrors();
    return Error::BadRequest("the signing request is not signed by its own key");
  }
  return request;
}

Result<std::string> CertificatePem(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(bio.get(), certificate) != 1) return Failed("write a certificate");
  return TextOf(bio.get());
}

Result<std::string> KeyPem(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return Failed("write a private key");
  }
  return TextOf(bio.get());
}

Result<KeyPtr> NewKey(KeyAlgorithm algorithm) {
  KeyPtr key(algorithm == KeyAlgorithm::kRsa2048 ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256"));
  if (!key) return Failed("create a private key");
  return key;
}

bool AddNameEntry(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

Result<NamePtr> NameOf(const CertificateSubject& subject) {
  NamePtr name(X509_NAME_new());
  for (const std::string& organization : subject.organizations) {
    if (!AddNameEntry(name.get(), "O", organization)) {
      return Error::BadRequest(
          fmt::format("organization \"{}\" does not fit into a certificate: {}", organization,
                      TakeOpenSslErrors()));
    }
  }
  if (!subject.common_name.empty() && !AddNameEntry(name.get(), "CN", subject.common_name)) {
    return Error::BadRequest(fmt::format("common name \"{}\" does not fit into a certificate: {}",
                                         subject.common_name, TakeOpenSslErrors()));
  }
  return name;
}

bool IsDnsName(std::string_view name) {
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '*';
  });
}

bool AddGeneralName(GENERAL_NAMES* names, int type, ASN1_STRING* value) {
  GENERAL_NAME* name = GENERAL_NAME_new();
  if (name == nullptr || value == nullptr) return false;
  GENERAL_NAME_set0_value(name, type, value);
  return sk_GENERAL_NAME_push(names, name) > 0;
}

Result<NamesPtr> AlternativeNames(const CertificateSubject& subject) {
  NamesPtr names(GENERAL_NAMES_new());
  for (const std::string& dns : subject.dns_names) {
    if (!IsDnsName(dns)) {
      return Error::BadRequest(fmt::format("\"{}\" is not a DNS name for a certificate", dns));
    }
    ASN1_IA5STRING* text = ASN1_IA5STRING_new();
    ASN1_STRING_set(text, dns.data(), static_cast<int>(dns.size()));
    if (!AddGeneralName(names.get(), GEN_DNS, text)) return Failed("add a DNS name");
  }
  for (const std::string& ip : subject.ip_addresses) {
    ASN1_OCTET_STRING* address = a2i_IPADDRESS(ip.c_str());
    if (address == nullptr) {
      TakeOpenSslErrors();
      return Error::BadRequest(fmt::format("\"{}\" is not an IP address", ip));
    }
    if (!AddGeneralName(names.get(), GEN_IPADD, address)) return Failed("add an IP address");
  }
  return names;
}

std::string Utf8Of(const ASN1_STRING* text) {
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, text);
  if (size < 0) {
    TakeOpenSslErrors();
    return "";
  }
  std::string value(reinterpret_cast<char*>(utf8), static_cast<size_t>(size));
  OPENSSL_free(utf8);
  // OpenSSL accepts surrogates and other invalid code points.
  return IsValidUtf8(value) ? value : std::string();
}

std::vector<std::string> NameEntries(const X509_NAME* name, int nid) {
  std::vector<std::string> values;
  for (int i = -1; (i = X509_NAME_get_index_by_NID(name, nid, i)) >= 0;) {
    values.push_back(Utf8Of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, i))));
  }
  return values;
}

std::string CommonName(const X509_NAME* name) {
  std::vector<std::string> names = NameEntries(name, NID_commonName);
  return names.empty() ? "" : std::move(names.back());
}

std::string IpText(const ASN1_OCTET_STRING* address) {
  char text[INET6_ADDRSTRLEN] = "";
  const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(address) != 16) return "";
  inet_ntop(family, ASN1_STRING_get0_data(address), text, sizeof(text));
  return text;
}

void ReadAlternativeNames(const GENERAL_NAMES* names, CertificateSubject& subject) {
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    int type = 0;
    const void* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &type);
    if (type == GEN_DNS) {
      subject.dns_names.push_back(Utf8Of(static_cast<const ASN1_STRING*>(value)));
    } else if (type == GEN_IPADD) {
      subject.ip_addresses.push_back(IpText(static_cast<const ASN1_OCTET_STRING*>(value)));
    }
  }
}

CertificateSubject SubjectOf(const X509_NAME* name, const GENERAL_NAMES* alternatives) {
  CertificateSubject subject;
  subject.common_name = CommonName(name);
  subject.organizations = NameEntries(name, NID_organizationName);
  if (alternatives != nullptr) ReadAlternativeNames(alternatives, subject);
  return subject;
}

CertificateSubject SubjectOfRequest(X509_REQ* request) {
  const ExtensionsPtr extensions(X509_REQ_get_extensions(request));
  const NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509V3_get_d2i(extensions.get(), NID_subject_alt_name, nullptr, nullptr)));
  return SubjectOf(X509_REQ_get_subject_name(request), names.get());
}

Clock::WallTime TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

std::string Hex(const unsigned char* bytes, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

std::string FingerprintOf(const X509* certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  X509_digest(certificate, EVP_sha256(), digest, &size);
  return Hex(digest, size);
}

std::string SerialOf(const X509* certificate) {
  const BignumPtr number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
  char* text = BN_bn2hex(number.get());
  std::string serial(text);
  OPENSSL_free(text);
  return serial;
}

Result<CertificateInfo> InfoOf(X509* certificate) {
  const NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  CertificateInfo info;
  info.subject = SubjectOf(X509_get_subject_name(certificate), names.get());
  info.issuer_common_name = CommonName(X509_get_issuer_name(certificate));
  info.serial = SerialOf(certificate);
  info.fingerprint = FingerprintOf(certificate);
  info.is_authority = X509_check_ca(certificate) == 1;
  info.not_before = TimeOf(X509_get0_notBefore(certificate));
  info.not_after = TimeOf(X509_get0_notAfter(certificate));
  return info;
}

// Adds an extension written in OpenSSL's configuration syntax; `value` is always our own text.
bool AddExtension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetRandomSerial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);
  const BignumPtr number(BN_bin2bn(bytes, sizeof(bytes), nullptr));
  return BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool SetValidity(X509* certificate, Clock::WallTime from, Clock::WallTime to) {
  return ASN1_TIME_set(X509_getm_notBefore(certificate),
                       std::chrono::system_clock::to_time_t(from)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), std::chrono::system_clock::to_time_t(to)) !=
             nullptr;
}

const char* ExtendedUsage(CertificateUsage usage) {
  switch (usage) {
    case CertificateUsage::kServer: return "serverAuth";
    case CertificateUsage::kClient: return "clientAuth";
    case CertificateUsage::kServerAndClient: return "serverAuth,clientAuth";
  }
  return "";
}

// A certificate without extensions and signature.
Result<CertificatePtr> Unsigned(const X509_NAME* subject, const X509_NAME* issuer, EVP_PKEY* key,
                                Clock::WallTime from, Clock::WallTime to) {
  CertificatePtr certificate(X509_new());
  if (X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      !SetRandomSerial(certificate.get()) || !SetValidity(certificate.get(), from, to) ||
      X509_set_subject_name(certificate.get(), subject) != 1 ||
      X509_set_issuer_name(certificate.get(), issuer) != 1 ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return Failed("create a certificate");
  }
  return certificate;
}

Result<void> SignWith(X509* certificate, EVP_PKEY* key) {
  if (X509_sign(certificate, key, EVP_sha256()) == 0) return Failed("sign a certificate");
  return {};
}

struct LeafOptions {
  const CertificateSubject& subject;
  EVP_PKEY* public_key;
  CertificateUsage usage;
  std::chrono::seconds lifetime;
};

Result<void> AddLeafExtensions(X509* leaf, X509* issuer, const LeafOptions& options) {
  const char* key_usage = EVP_PKEY_is_a(options.public_key, "RSA")
                              ? "critical,digitalSignature,keyEncipherment"
                              : "critical,digitalSignature";
  if (!AddExtension(leaf, issuer, NID_basic_constraints, "critical,CA:FALSE") ||
      !AddExtension(leaf, issuer, NID_key_usage, key_usage) ||
      !AddExtension(leaf, issuer, NID_ext_key_usage, ExtendedUsage(options.usage)) ||
      !AddExtension(leaf, issuer, NID_subject_key_identifier, "hash") ||
      !AddExtension(leaf, issuer, NID_authority_key_identifier, "keyid")) {
    return Failed("set the subject of a certificate");
  }
  ASSIGN_OR_RETURN(const NamesPtr names, AlternativeNames(options.subject));
  if (sk_GENERAL_NAME_num(names.get()) > 0 &&
      X509_add1_ext_i2d(leaf, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) != 1) {
    return Failed("add the alternative names of a certificate");
  }
  return {};
}

Result<std::string> IssueLeaf(const CertificateAndKey& authority, const LeafOptions& options,
                              Clock::WallTime now) {
  ASSIGN_OR_RETURN(const CertificatePtr issuer, ParseCertificate(authority.certificate_pem));
  ASSIGN_OR_RETURN(const KeyPtr issuer_key, ParseKey(authority.key_pem));
  ASSIGN_OR_RETURN(const NamePtr name, NameOf(options.subject));
  const Clock::WallTime to =
      std::min(now + options.lifetime, TimeOf(X509_get0_notAfter(issuer.get())));
  ASSIGN_OR_RETURN(const CertificatePtr leaf,
                   Unsigned(name.get(), X509_get_subject_name(issuer.get()), options.public_key,
                            now - kClockLag, to));
  RETURN_IF_ERROR(AddLeafExtensions(leaf.get(), issuer.get(), options));
  RETURN_IF_ERROR(SignWith(leaf.get(), issuer_key.get()));
  return CertificatePem(leaf.get());
}

Error FileError(std::string_view what, const std::string& path) {
  return Error::Internal(fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }
  bool Close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Result<void> SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0 || ::fsync(fd.get()) != 0) return FileError("sync the directory", folder);
  return {};
}

// Part of the names of temporary files, before six random characters.
constexpr std::string_view kTemporary = ".tmp-";

Result<void> ReplaceFile(const std::string& path, std::string_view content, mode_t mode) {
  std::string temporary = fmt::format("{}{}XXXXXX", path, kTemporary);
  FileDescriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (fd.get() < 0) return FileError("create", temporary);
  // mkostemp creates the file with mode 0600, so the content is never more readable than `mode`.
  if (!WriteAll(fd.get(), content) || ::fchmod(fd.get(), mode) != 0 || ::fsync(fd.get()) != 0 ||
      !fd.Close() || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = FileError("write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  return SyncFolderOf(path);
}

}  // namespace

Result<CertificateInfo> InspectCertificate(std::string_view pem) {
  ASSIGN_OR_RETURN(const CertificatePtr certificate, ParseCertificate(pem));
  return InfoOf(certificate.get());
}

Result<void> CheckSignedBy(std::string_view certificate_pem, std::string_view authority_pem) {
  ASSIGN_OR_RETURN(const CertificatePtr certificate, ParseCertificate(certificate_pem));
  ASSIGN_OR_RETURN(const CertificatePtr authority, ParseCertificate(authority_pem));
  if (X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) == 1) return {};
  TakeOpenSslErrors();
  return Error::BadRequest(fmt::format("the certificate of \"{}\" is not signed by \"{}\"",
                                       CommonName(X509_get_subject_name(certificate.get())),
                                       CommonName(X509_get_subject_name(authority.get()))));
}

Result<void> CheckKeyMatches(const CertificateAndKey& pair) {
  ASSIGN_OR_RETURN(const CertificatePtr certificate, ParseCertificate(pair.certificate_pem));
  ASSIGN_OR_RETURN(const KeyPtr key, ParseKey(pair.key_pem));
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    TakeOpenSslErrors();
    return Error::BadRequest(
        fmt::format("the private key does not belong to the certificate of \"{}\"",
                    CommonName(X509_get_subject_name(certificate.get()))));
  }
  return {};
}

Result<std::string> MakePrivateKey(KeyAlgorithm algorithm) {
  ASSIGN_OR_RETURN(const KeyPtr key, NewKey(algorithm));
  return KeyPem(key.get());
}

Result<std::string> MakeSigningRequest(std::string_view key_pem,
                                       const CertificateSubject& subject) {
  ASSIGN_OR_RETURN(const KeyPtr key, ParseKey(key_pem));
  ASSIGN_OR_RETURN(const NamePtr name, NameOf(subject));
  ASSIGN_OR_RETURN(const NamesPtr names, AlternativeNames(subject));
  const RequestPtr request(X509_REQ_new());
  STACK_OF(X509_EXTENSION)* extensions = nullptr;
  const bool has_names = sk_GENERAL_NAME_num(names.get()) > 0;
  if (has_names && X509V3_add1_i2d(&extensions, NID_subject_alt_name, names.get(), 0, 0) != 1) {
    return Failed("add the alternative names of a signing request");
  }
  const ExtensionsPtr owned(extensions);
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (X509_REQ_set_subject_name(request.get(), name.get()) != 1 ||
      X509_REQ_set_pubkey(request.get(), key.get()) != 1 ||
      (has_names && X509_REQ_add_extensions(request.get(), owned.get()) != 1) ||
      X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0 ||
      PEM_write_bio_X509_REQ(bio.get(), request.get()) != 1) {
    return Failed("create a signing request");
  }
  return TextOf(bio.get());
}

Result<CertificateSubject> InspectSigningRequest(std::string_view request_pem) {
  ASSIGN_OR_RETURN(const RequestPtr request, ParseRequest(request_pem));
  return SubjectOfRequest(request.get());
}

Result<CertificateAuthority> CertificateAuthority::Create(const Options& options,
                                                          Clock::WallTime now) {
  ASSIGN_OR_RETURN(const KeyPtr key, NewKey(options.algorithm));
  ASSIGN_OR_RETURN(const NamePtr name, NameOf({.common_name = options.common_name}));
  ASSIGN_OR_RETURN(const CertificatePtr root, Unsigned(name.get(), name.get(), key.get(),
                                                       now - kClockLag, now + options.lifetime));
  if (!AddExtension(root.get(), root.get(), NID_basic_constraints, "critical,CA:TRUE") ||
      !AddExtension(root.get(), root.get(), NID_key_usage,
                    "critical,digitalSignature,keyCertSign,cRLSign") ||
      !AddExtension(root.get(), root.get(), NID_subject_key_identifier, "hash")) {
    return Failed("set the subject of an authority's certificate");
  }
  RETURN_IF_ERROR(SignWith(root.get(), key.get()));
  ASSIGN_OR_RETURN(std::string certificate_pem, CertificatePem(root.get()));
  ASSIGN_OR_RETURN(std::string key_pem, KeyPem(key.get()));
  return CertificateAuthority({std::move(certificate_pem), std::move(key_pem)});
}

Result<CertificateAuthority> CertificateAuthority::Load(CertificateAndKey pair) {
  ASSIGN_OR_RETURN(const CertificateInfo info, InspectCertificate(pair.certificate_pem));
  if (!info.is_authority) {
    return Error::BadRequest(
        fmt::format("the certificate of \"{}\" is not an authority's", info.subject.common_name));
  }
  RETURN_IF_ERROR(CheckKeyMatches(pair));
  return CertificateAuthority(std::move(pair));
}

Result<CertificateAndKey> CertificateAuthority::Issue(const IssueOptions& options,
                                                      Clock::WallTime now) const {
  ASSIGN_OR_RETURN(const KeyPtr key, NewKey(options.algorithm));
  ASSIGN_OR_RETURN(std::string certificate_pem, IssueLeaf(pair_,
                                                          {.subject = options.subject,
                                                           .public_key = key.get(),
                                                           .usage = options.usage,
                                                           .lifetime = options.lifetime},
                                                          now));
  ASSIGN_OR_RETURN(std::string key_pem, KeyPem(key.get()));
  return CertificateAndKey{std::move(certificate_pem), std::move(key_pem)};
}

Result<std::string> CertificateAuthority::Sign(std::string_view request_pem,
                                               const SignOptions& options,
                                               Clock::WallTime now) const {
  ASSIGN_OR_RETURN(const RequestPtr request, ParseRequest(request_pem));
  const CertificateSubject subject = SubjectOfRequest(request.get());
  return IssueLeaf(pair_,
                   {.subject = subject,
                    .public_key = X509_REQ_get0_pubkey(request.get()),
                    .usage = options.usage,
                    .lifetime = options.lifetime},
                   now);
}

Result<void> WritePrivateFile(const std::string& path, std::string_view content) {
  return ReplaceFile(path, content, 0600);
}

Result<void> WritePublicFile(const std::string& path, std::string_view content) {
  return ReplaceFile(path, content, 0644);
}

void RemoveTemporaryFiles(const std::string& path) {
  constexpr size_t kRandom = 6;
  const std::filesystem::path file(path);
  const std::string prefix = fmt::format("{}{}", file.filename().string(), kTemporary);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(
           file.has_parent_path() ? file.parent_path() : ".", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kRandom) continue;
    std::error_code ignored;
    std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace kubexms
