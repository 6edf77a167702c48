#include "kubexms/automation/hosts/ssh_dialer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "kubexms/automation/hosts/command.h"

namespace kubexms::automation {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kMaxKeyboardRounds = 5;

struct AddressDeleter {
  void operator()(addrinfo* addresses) const { ::freeaddrinfo(addresses); }
};
struct KeyDeleter {
  void operator()(ssh_key key) const { ssh_key_free(key); }
};
using KeyPtr = std::unique_ptr<ssh_key_struct, KeyDeleter>;

// A connection whose other end has gone away silently ends within half a minute: after 14 seconds
// without a word, or, when something was sent meanwhile, as long after that.
void SetKeepAlive(int descriptor) {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(descriptor, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 3);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 14'000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

// Waits until the connection stands; the error's text otherwise.
Result<void> WaitConnected(int descriptor, SteadyClock::time_point deadline,
                           const std::stop_token& stop) {
  const int wake = ::eventfd(0, EFD_CLOEXEC);
  const std::unique_ptr<const int, void (*)(const int*)> closes(&wake,
                                                                [](const int* d) { ::close(*d); });
  const std::stop_callback on_stop(stop, [&] { ::eventfd_write(wake, 1); });
  pollfd polled[] = {{descriptor, POLLOUT, 0}, {wake, POLLIN, 0}};
  for (;;) {
    if (stop.stop_requested()) return Canceled("connect");
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
    if (left <= 0) return Error::ServiceUnavailable("connection timed out");
    if (::poll(polled, 2, static_cast<int>(left)) > 0 && polled[0].revents) break;
  }
  int failure = 0;
  socklen_t size = sizeof failure;
  ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size);
  if (failure) return Error::ServiceUnavailable(std::strerror(failure));
  return {};
}

Result<int> ConnectTo(const addrinfo& address, SteadyClock::time_point deadline,
                      const std::stop_token& stop) {
  const int descriptor = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return Error::Internal(std::strerror(errno));
  Result<void> connected;
  if (::connect(descriptor, address.ai_addr, address.ai_addrlen) != 0) {
    connected = errno == EINPROGRESS
                    ? WaitConnected(descriptor, deadline, stop)
                    : Result<void>(Error::ServiceUnavailable(std::strerror(errno)));
  }
  if (!connected.ok()) {
    ::close(descriptor);
    return connected.error();
  }
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  SetKeepAlive(descriptor);
  return descriptor;
}

// Tries the name's addresses one after the other.
Result<int> ConnectTcp(const SshEndpoint& endpoint, const std::stop_token& stop) {
  const addrinfo hints{.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  const int failed =
      ::getaddrinfo(endpoint.host.c_str(), fmt::to_string(endpoint.port).c_str(), &hints, &found);
  if (failed) {
    return Error::ServiceUnavailable(
        fmt::format("cannot resolve the host: {}", gai_strerror(failed)));
  }
  const std::unique_ptr<addrinfo, AddressDeleter> addresses(found);
  const auto deadline = SteadyClock::now() + endpoint.connect_timeout;
  Result<int> connected = Error::ServiceUnavailable("the host has no address");
  for (const addrinfo* address = found; address; address = address->ai_next) {
    connected = ConnectTo(*address, deadline, stop);
    if (connected.ok() || IsCanceled(connected.error())) break;
  }
  return connected;
}

std::string Fingerprint(ssh_key key) {
  unsigned char* hash = nullptr;
  size_t size = 0;
  if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &size) != 0) return {};
  char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
  std::string fingerprint = text ? text : "";
  ssh_string_free_char(text);
  ssh_clean_pubkey_hash(&hash);
  return fingerprint;
}

// "ssh-ed25519 AAAA… comment" → its type; empty for a fingerprint.
std::string_view PinnedType(std::string_view pinned) {
  const size_t space = pinned.find(' ');
  return space == std::string_view::npos ? std::string_view() : pinned.substr(0, space);
}

// The algorithms that show a host's pinned keys; empty: any.
std::string PinnedAlgorithms(const std::vector<std::string>& pinned) {
  std::string algorithms;
  for (const std::string& pin : pinned) {
    std::string_view type = PinnedType(pin);
    if (type.empty()) return {};
    if (type == "ssh-rsa") type = "rsa-sha2-512,rsa-sha2-256";
    algorithms += fmt::format("{}{}", algorithms.empty() ? "" : ",", type);
  }
  return algorithms;
}

// Appends a line under a lock.
bool AppendLine(const std::string& path, std::string_view line) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return false;
  ::flock(file, LOCK_EX);
  const bool written = ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const bool durable = written && ::fsync(file) == 0;
  ::close(file);
  return durable;
}

}  // namespace

SshDialer::~SshDialer() {
  if (!session_) return;
  ssh_disconnect(session_);
  ssh_free(session_);
}

Result<ssh_session> SshDialer::Dial(SshSession* bastion) {
  ASSIGN_OR_RETURN(const int descriptor, Connect(bastion));
  RETURN_IF_ERROR(SetOptions(descriptor));
  // libssh waits by itself from here on: to end the connection is what wakes it.
  const std::stop_callback on_stop(stop_, [&] { ::shutdown(descriptor, SHUT_RDWR); });
  const auto failed = [&](std::string_view stage) -> Error {
    if (stop_.stop_requested()) return Canceled(stage);
    return Error::ServiceUnavailable(fmt::format("{}: {}", stage, ssh_get_error(session_)));
  };
  if (ssh_connect(session_) != SSH_OK) return failed("exchange keys");
  RETURN_IF_ERROR(VerifyHostKey());
  const Result<void> authenticated = Authenticate();
  if (stop_.stop_requested()) return failed("log in");
  if (!authenticated.ok()) return authenticated.error();
  return std::exchange(session_, nullptr);
}

Result<int> SshDialer::Connect(SshSession* bastion) {
  if (bastion) return bastion->OpenTunnel(endpoint_.host, endpoint_.port);
  return ConnectTcp(endpoint_, stop_);
}

Result<void> SshDialer::SetOptions(int descriptor) {
  session_ = ssh_new();
  bool good = session_ != nullptr;
  const auto set = [&](ssh_options_e option, const void* value) {
    good = good && ssh_options_set(session_, option, value) == SSH_OK;
  };
  const auto file = [](const std::string& path) {
    return path.empty() ? "/dev/null" : path.c_str();
  };
  const bool process_config = false;
  const unsigned int port = static_cast<unsigned int>(endpoint_.port);
  const long timeout =
      std::max<long>(1, std::chrono::ceil<std::chrono::seconds>(endpoint_.connect_timeout).count());
  const HostKeyPolicy& policy = endpoint_.host_key;
  set(SSH_OPTIONS_PROCESS_CONFIG, &process_config);
  set(SSH_OPTIONS_HOST, endpoint_.host.c_str());
  set(SSH_OPTIONS_PORT, &port);
  set(SSH_OPTIONS_USER, endpoint_.user.c_str());
  set(SSH_OPTIONS_TIMEOUT, &timeout);
  set(SSH_OPTIONS_KNOWNHOSTS, file(policy.cluster_file));
  set(SSH_OPTIONS_GLOBAL_KNOWNHOSTS, file(policy.known_hosts_file));
  if (!endpoint_.agent_socket.empty()) {
    set(SSH_OPTIONS_IDENTITY_AGENT, endpoint_.agent_socket.c_str());
  }
  if (const std::string algorithms = PinnedAlgorithms(policy.pinned); !algorithms.empty()) {
    set(SSH_OPTIONS_HOSTKEYS, algorithms.c_str());
  }
  if (good) set(SSH_OPTIONS_FD, &descriptor);
  if (good) return {};
  ::close(descriptor);
  return Terminal(Error::BadRequest(fmt::format("libssh refuses the configuration: {}",
                                                session_ ? ssh_get_error(session_) : "no memory")));
}

Result<void> SshDialer::VerifyPinned(const std::string& fingerprint, ssh_key key) {
  char* encoded = nullptr;
  ssh_pki_export_pubkey_base64(key, &encoded);
  const std::string text =
      fmt::format("{} {}", ssh_key_type_to_char(ssh_key_type(key)), encoded ? encoded : "");
  ssh_string_free_char(encoded);
  for (const std::string& pinned : endpoint_.host_key.pinned) {
    const bool same = PinnedType(pinned).empty() ? pinned == fingerprint
                                                 : pinned == text || pinned.starts_with(text + " ");
    if (same) return {};
  }
  return Terminal(Error::Forbidden(
      "hosts", endpoint_.host,
      fmt::format(
          "the host key {} is not one of hostKey in the configuration; the connection may be "
          "intercepted. If the host was reinstalled, configure its new key",
          fingerprint)));
}

Result<void> SshDialer::StoreHostKey() {
  char* entry = nullptr;
  std::string line;
  if (ssh_session_export_known_hosts_entry(session_, &entry) == SSH_OK && entry) line = entry;
  ssh_string_free_char(entry);
  if (!line.empty() && line.back() != '\n') line += '\n';
  if (line.empty() || !AppendLine(endpoint_.host_key.cluster_file, line)) {
    return Error::Internal(
        fmt::format("cannot write the host key to {}", endpoint_.host_key.cluster_file));
  }
  return {};
}

Result<void> SshDialer::VerifyHostKey() {
  ssh_key server_key = nullptr;
  if (ssh_get_server_publickey(session_, &server_key) != SSH_OK) {
    return Error::ServiceUnavailable("the host has no key");
  }
  const KeyPtr key(server_key);
  const std::string fingerprint = Fingerprint(key.get());
  const HostKeyPolicy& policy = endpoint_.host_key;
  if (!policy.pinned.empty()) return VerifyPinned(fingerprint, key.get());
  const auto refuse = [&](std::string_view why) {
    return Terminal(Error::Forbidden("hosts", endpoint_.host, why));
  };
  switch (ssh_session_is_known_server(session_)) {
    case SSH_KNOWN_HOSTS_OK: return {};
    case SSH_KNOWN_HOSTS_CHANGED:
    case SSH_KNOWN_HOSTS_OTHER:
      return refuse(fmt::format(
          "the host key {} differs from the known one; the connection may be intercepted. If the "
          "host was reinstalled, remove its line from {}",
          fingerprint,
          policy.cluster_file.empty() ? policy.known_hosts_file : policy.cluster_file));
    case SSH_KNOWN_HOSTS_NOT_FOUND:
    case SSH_KNOWN_HOSTS_UNKNOWN:
      if (policy.trust_on_first_use && !policy.cluster_file.empty()) return StoreHostKey();
      return refuse(fmt::format(
          "the host key {} is unknown; set hostKey in the configuration, or connect once with ssh",
          fingerprint));
    case SSH_KNOWN_HOSTS_ERROR: break;
  }
  return refuse(fmt::format("the host key cannot be verified: {}", ssh_get_error(session_)));
}

int SshDialer::TryAgent() {
  if (!endpoint_.use_agent) return SSH_AUTH_DENIED;
  if (endpoint_.agent_socket.empty() && !std::getenv("SSH_AUTH_SOCK")) return SSH_AUTH_DENIED;
  return ssh_userauth_agent(session_, nullptr);
}

int SshDialer::TryKey(const char* file, const std::string& text) {
  const char* passphrase =
      endpoint_.passphrase.empty() ? nullptr : endpoint_.passphrase.Reveal().c_str();
  ssh_key imported = nullptr;
  const int read =
      file ? ssh_pki_import_privkey_file(file, passphrase, nullptr, nullptr, &imported)
           : ssh_pki_import_privkey_base64(text.c_str(), passphrase, nullptr, nullptr, &imported);
  const KeyPtr key(imported);
  if (read == SSH_EOF) return SSH_AUTH_DENIED;  // there is no such file
  if (read != SSH_OK) {
    key_errors_ +=
        fmt::format("; {} cannot be read{}", file ? file : "the private key",
                    passphrase ? " with the passphrase" : ": does it need a passphrase?");
    return SSH_AUTH_DENIED;
  }
  return ssh_userauth_publickey(session_, nullptr, key.get());
}

int SshDialer::TryKeys() {
  int state = SSH_AUTH_DENIED;
  if (!endpoint_.private_key.empty()) state = TryKey(nullptr, endpoint_.private_key.Reveal());
  for (const std::string& file : endpoint_.private_key_files) {
    if (state != SSH_AUTH_DENIED) break;
    state = TryKey(file.c_str(), {});
  }
  return state;
}

int SshDialer::TryPassword() {
  if (endpoint_.password.empty()) return SSH_AUTH_DENIED;
  int state = SSH_AUTH_DENIED;
  const int methods = ssh_userauth_list(session_, nullptr);
  if (methods & SSH_AUTH_METHOD_PASSWORD) {
    state = ssh_userauth_password(session_, nullptr, endpoint_.password.Reveal().c_str());
  }
  if (state == SSH_AUTH_DENIED && (methods & SSH_AUTH_METHOD_INTERACTIVE)) state = TryKeyboard();
  return state;
}

int SshDialer::TryKeyboard() {
  int state = ssh_userauth_kbdint(session_, nullptr, nullptr);
  for (int round = 0; state == SSH_AUTH_INFO && round < kMaxKeyboardRounds; ++round) {
    const int prompts = ssh_userauth_kbdint_getnprompts(session_);
    for (int i = 0; i < prompts; ++i) {
      ssh_userauth_kbdint_setanswer(session_, static_cast<unsigned int>(i),
                                    endpoint_.password.Reveal().c_str());
    }
    state = ssh_userauth_kbdint(session_, nullptr, nullptr);
  }
  return state == SSH_AUTH_INFO ? SSH_AUTH_DENIED : state;
}

Result<void> SshDialer::Authenticate() {
  int state = ssh_userauth_none(session_, nullptr);
  using Method = int (SshDialer::*)();
  for (const Method method : {&SshDialer::TryAgent, &SshDialer::TryKeys, &SshDialer::TryPassword}) {
    if (state == SSH_AUTH_SUCCESS) return {};
    if (state == SSH_AUTH_ERROR) break;
    state = (this->*method)();
  }
  if (state == SSH_AUTH_SUCCESS) return {};
  if (state == SSH_AUTH_ERROR) {
    return Error::ServiceUnavailable(fmt::format("log in: {}", ssh_get_error(session_)));
  }
  return Terminal(Error::Unauthorized(fmt::format(
      "authentication failed: the host accepts none of the keys and passwords{}", key_errors_)));
}

}  // namespace kubexms::automation
