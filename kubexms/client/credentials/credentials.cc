#include "kubexms/client/credentials/credentials.h"

#include <fmt/core.h>

#include <algorithm>

#include "kubexms/api/values/time.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/small_file.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/client/credentials/reloaded_files.h"
#include "kubexms/client/credentials/subprocess.h"

namespace kubexms {
namespace {

constexpr std::chrono::seconds kTokenFileLifetime(60);
constexpr size_t kMaxTokenBytes = size_t{1024} * 1024;
constexpr size_t kMaxErrorBytes = 500;

// A header must stay one: what a token can have is printable.
bool IsHeaderText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

Result<Secret> BearerToken(std::string_view token, std::string_view origin) {
  if (token.empty()) return Error::Unauthorized(fmt::format("{}: the token is empty", origin));
  if (!IsHeaderText(token)) {
    return Error::Unauthorized(
        fmt::format("{}: the token has characters that no token can have", origin));
  }
  return Secret("Bearer " + std::string(token));
}

// The certificate of a user, which may be in files.
class UserCertificate {
 public:
  UserCertificate(const UserCredentials& user, const Logger& log) {
    if (!user.certificate) return;
    files_ = std::make_unique<ReloadedFiles>(ReloadedFiles::Options{
        .paths = {user.certificate_file, user.key_file},
        .texts = {user.certificate->certificate_pem, user.certificate->key_pem},
        .check = [](const ReloadedFiles::Texts& texts) { return CheckKeyMatches(Pair(texts)); },
        .log = log});
  }

  std::optional<CertificateAndKey> Get() const {
    if (files_ == nullptr) return std::nullopt;
    return Pair(files_->Get());
  }

 private:
  static CertificateAndKey Pair(const ReloadedFiles::Texts& texts) {
    return {.certificate_pem = texts[0], .key_pem = texts[1]};
  }

  std::unique_ptr<ReloadedFiles> files_;
};

class FixedCredentials final : public CredentialSource {
 public:
  FixedCredentials(Result<Secret> authorization, UserCertificate certificate)
      : authorization_(std::move(authorization)), certificate_(std::move(certificate)) {}

  Result<Credential> Get(std::stop_token) override {
    if (!authorization_.ok()) return authorization_.error();
    return Credential{*authorization_, certificate_.Get()};
  }
  bool Reject(const Credential&) override { return false; }

 private:
  const Result<Secret> authorization_;
  const UserCertificate certificate_;
};

class TokenFileCredentials final : public CredentialSource {
 public:
  TokenFileCredentials(std::string path, UserCertificate certificate, const Clock& clock)
      : path_(std::move(path)), certificate_(std::move(certificate)), clock_(clock) {}

  Result<Credential> Get(std::stop_token) override {
    MutexLock lock(mutex_);
    const bool fresh = clock_.MonotonicNow() < read_again_;
    if (fresh && !token_.empty()) return Credential{token_, certificate_.Get()};
    read_again_ = clock_.MonotonicNow() + kTokenFileLifetime;
    Result<Secret> token = Read();
    if (token.ok()) token_ = std::move(*token);
    if (token_.empty()) return token.error();
    return Credential{token_, certificate_.Get()};
  }

  bool Reject(const Credential& refused) override {
    MutexLock lock(mutex_);
    if (refused.authorization != token_) return true;  // there is a newer one already
    const Result<Secret> token = Read();
    if (!token.ok() || *token == token_) return false;
    token_ = *token;
    return true;
  }

 private:
  Result<Secret> Read() const {
    ASSIGN_OR_RETURN(const auto text, ReadSmallFile(path_, kMaxTokenBytes));
    if (!text) return Error::Unauthorized(fmt::format("{}: there is no such token file", path_));
    return BearerToken(Trimmed(*text), path_);
  }

  const std::string path_;
  const UserCertificate certificate_;
  const Clock& clock_;
  Mutex mutex_;
  Secret token_ GUARDED_BY(mutex_);
  Clock::MonotonicTime read_again_ GUARDED_BY(mutex_){};
};

// A credential as a plugin printed it.
struct PluginCredential {
  Credential credential;
  std::optional<Clock::WallTime> expires;
};

class ExecCredentials final : public CredentialSource {
 public:
  ExecCredentials(ExecPlugin plugin, UserCertificate certificate, const Clock& clock)
      : plugin_(std::move(plugin)), certificate_(std::move(certificate)), clock_(clock) {}

  Result<Credential> Get(std::stop_token stop) override {
    MutexLock lock(mutex_);
    if (!cached_ || (cached_->expires && clock_.Now() >= *cached_->expires)) {
      cached_.reset();
      Result<PluginCredential> made = Run(std::move(stop));
      if (!made.ok()) return made.error().WithContext("get credentials for the server");
      cached_ = std::move(*made);
    }
    Credential credential = cached_->credential;
    if (!credential.certificate) credential.certificate = certificate_.Get();
    return credential;
  }

  bool Reject(const Credential& refused) override {
    MutexLock lock(mutex_);
    const auto same = [&](const Credential& other) {
      return other.authorization == refused.authorization &&
             (!other.certificate || KeyOf(other.certificate) == KeyOf(refused.certificate));
    };
    if (cached_ && same(cached_->credential)) cached_.reset();
    return true;
  }

 private:
  static std::string_view KeyOf(const std::optional<CertificateAndKey>& pair) {
    return pair ? std::string_view(pair->certificate_pem) : std::string_view();
  }

  Result<PluginCredential> Run(std::stop_token stop) const {
    SubprocessOptions options{.command = {plugin_.command},
                              .environment = plugin_.environment,
                              .timeout = plugin_.timeout,
                              .stop = std::move(stop)};
    options.command.insert(options.command.end(), plugin_.arguments.begin(),
                           plugin_.arguments.end());
    options.environment.emplace_back("KUBERNETES_EXEC_INFO", ExecInfo());
    const Result<SubprocessResult> ran = RunSubprocess(options);
    if (!ran.ok() && ran.error().IsNotFound()) return NotInstalled(ran.error());
    if (!ran.ok()) return ran.error();
    if (ran->exit_code != 0) return Failed(*ran);
    return Parse(ran->output);
  }

  std::string ExecInfo() const {
    JsonObject spec{{"interactive", false}};
    if (!plugin_.cluster_json.empty()) spec["cluster"] = ParseJson(plugin_.cluster_json).value();
    return WriteJson(JsonObject{
        {"apiVersion", plugin_.api_version}, {"kind", "ExecCredential"}, {"spec", spec}});
  }

  Error NotInstalled(const Error& error) const {
    const std::string hint = plugin_.install_hint.empty()
                                 ? "install it, or correct users[].user.exec.command"
                                 : plugin_.install_hint;
    return Terminal(Error::Unauthorized(fmt::format("{}: {}", error.message(), hint)));
  }

  Error Failed(const SubprocessResult& ran) const {
    std::string_view errors = Trimmed(ran.errors);
    if (errors.size() > kMaxErrorBytes) errors.remove_prefix(errors.size() - kMaxErrorBytes);
    return Error::Unauthorized(fmt::format("\"{}\" failed with exit code {}{}{}", plugin_.command,
                                           ran.exit_code, errors.empty() ? "" : ": ", errors));
  }

  // Says what is wrong without any of what was printed, which is secret.
  Error Malformed(std::string_view what) const {
    return Error::Unauthorized(
        fmt::format("\"{}\" did not print a usable ExecCredential: {}", plugin_.command, what));
  }

  Result<PluginCredential> Parse(std::string_view output) const {
    const Result<Json> document = ParseJson(output);
    if (!document.ok()) return Malformed("it is not JSON");
    if (FindString(*document, "kind") != "ExecCredential") return Malformed("wrong kind");
    if (FindString(*document, "apiVersion") != plugin_.api_version) {
      return Malformed(fmt::format("apiVersion must be {}, as users[].user.exec.apiVersion says",
                                   plugin_.api_version));
    }
    const Json* status = FindMember(*document, "status");
    if (status == nullptr) return Malformed("there is no status");
    return ParseCredential(*status);
  }

  Result<PluginCredential> ParseCredential(const Json& status) const {
    PluginCredential made;
    const std::string_view token = FindString(status, "token");
    const std::string_view certificate = FindString(status, "clientCertificateData");
    const std::string_view key = FindString(status, "clientKeyData");
    if (certificate.empty() != key.empty()) {
      return Malformed("clientCertificateData and clientKeyData belong together");
    }
    if (token.empty() && certificate.empty()) {
      return Malformed("status has neither a token nor a certificate");
    }
    if (!token.empty()) {
      ASSIGN_OR_RETURN(made.credential.authorization, BearerToken(token, plugin_.command));
    }
    if (!certificate.empty()) {
      made.credential.certificate = {std::string(certificate), std::string(key)};
      if (!CheckKeyMatches(*made.credential.certificate).ok()) {
        return Malformed("clientKeyData is not the key of clientCertificateData");
      }
    }
    const std::string_view expires = FindString(status, "expirationTimestamp");
    if (expires.empty()) return made;
    const Result<Time> time = Time::Parse(expires);
    if (!time.ok()) return Malformed("expirationTimestamp is not a time");
    made.expires = time->value();
    return made;
  }

  const ExecPlugin plugin_;
  const UserCertificate certificate_;
  const Clock& clock_;
  Mutex mutex_;
  std::optional<PluginCredential> cached_ GUARDED_BY(mutex_);
};

Result<Secret> FixedAuthorization(const UserCredentials& user) {
  if (!user.token.empty()) return BearerToken(user.token.Reveal(), "users[].user.token");
  if (user.username.empty()) return Secret();
  return Secret("Basic " + EncodeBase64(user.username + ":" + user.password.Reveal()));
}

}  // namespace

std::unique_ptr<CredentialSource> MakeCredentialSource(UserCredentials user, const Clock& clock,
                                                       const Logger& log) {
  UserCertificate certificate(user, log);
  if (user.exec) {
    return std::make_unique<ExecCredentials>(std::move(*user.exec), std::move(certificate), clock);
  }
  if (!user.token_file.empty()) {
    return std::make_unique<TokenFileCredentials>(std::move(user.token_file),
                                                  std::move(certificate), clock);
  }
  return std::make_unique<FixedCredentials>(FixedAuthorization(user), std::move(certificate));
}

}  // namespace kubexms
