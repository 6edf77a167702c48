#pragma once

// Real etcd on loopback, for tests and benchmarks: one member or several, with or without TLS.

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/base/check.h"
#include "kubexms/store/test_store_test.h"

namespace kubexms::store {

// An unused port.
inline int UnusedPort() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  KUBEXMS_CHECK(::bind(listener, generic, size) == 0);
  KUBEXMS_CHECK(::getsockname(listener, generic, &size) == 0);
  ::close(listener);
  return ntohs(address.sin_port);
}

// A self-signed certificate for 127.0.0.1, for server and client.
class TestCertificate {
 public:
  TestCertificate() {
    const std::string command = fmt::format(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 "
        "-subj /CN=etcd -addext subjectAltName=IP:127.0.0.1 -keyout {} -out {} 2>/dev/null",
        key_file(), certificate_file());
    KUBEXMS_CHECK(std::system(command.c_str()) == 0);
  }
  std::string key_file() const { return directory_.path() + "/key.pem"; }
  std::string certificate_file() const { return directory_.path() + "/certificate.pem"; }

  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  TemporaryDirectory directory_;
};

// A cluster of etcd processes, which are killed when the test process ends.
class EtcdCluster {
 public:
  explicit EtcdCluster(int members = 1, const TestCertificate* certificate = nullptr)
      : certificate_(certificate) {
    for (int i = 0; i < members; ++i) {
      members_.push_back({.client_port = UnusedPort(), .peer_port = UnusedPort()});
    }
    for (int i = 0; i < members; ++i) Start(i);
  }
  ~EtcdCluster() {
    for (size_t i = 0; i < members_.size(); ++i) Kill(static_cast<int>(i));
  }
  EtcdCluster(const EtcdCluster&) = delete;
  EtcdCluster& operator=(const EtcdCluster&) = delete;

  std::vector<std::string> endpoints() const {
    std::vector<std::string> all;
    for (const Member& member : members_) {
      all.push_back(fmt::format("127.0.0.1:{}", member.client_port));
    }
    return all;
  }

  // After Kill(), restarts the member with its data.
  void Start(int number) {
    const std::vector<std::string> arguments = Arguments(number);
    std::vector<char*> pointers;
    for (const std::string& argument : arguments) {
      pointers.push_back(const_cast<char*>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    const std::string log = fmt::format("{}/{}.log", directory_.path(), number);
    const pid_t child = ::fork();
    KUBEXMS_CHECK(child >= 0);
    if (child == 0) Run(pointers.data(), log.c_str());
    members_[number].process = child;
  }

  // Simulates a crash.
  void Kill(int number) {
    Member& member = members_[number];
    if (member.process <= 0) return;
    ::kill(member.process, SIGKILL);
    ::waitpid(member.process, nullptr, 0);
    member.process = 0;
  }

 private:
  struct Member {
    int client_port;
    int peer_port;
    pid_t process = 0;
  };

  [[noreturn]] static void Run(char** arguments, const char* log) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int output = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(output, 1);
    ::dup2(output, 2);
    ::execvp(arguments[0], arguments);
    ::_exit(127);
  }

  std::vector<std::string> Arguments(int number) const {
    const Member& member = members_[number];
    const char* scheme = certificate_ ? "https" : "http";
    const std::string client = fmt::format("{}://127.0.0.1:{}", scheme, member.client_port);
    const std::string peer = fmt::format("http://127.0.0.1:{}", member.peer_port);
    std::string cluster;
    for (size_t i = 0; i < members_.size(); ++i) {
      cluster += fmt::format("{}m{}=http://127.0.0.1:{}", i ? "," : "", i, members_[i].peer_port);
    }
    std::vector<std::string> arguments = {"etcd",
                                          "--name",
                                          fmt::format("m{}", number),
                                          "--data-dir",
                                          fmt::format("{}/{}", directory_.path(), number),
                                          "--listen-client-urls",
                                          client,
                                          "--advertise-client-urls",
                                          client,
                                          "--listen-peer-urls",
                                          peer,
                                          "--initial-advertise-peer-urls",
                                          peer,
                                          "--initial-cluster",
                                          cluster,
                                          "--log-level",
                                          "error",
                                          "--logger",
                                          "zap"};
    if (certificate_) {
      for (const auto& [flag, value] : {std::pair{"--cert-file", certificate_->certificate_file()},
                                        {"--key-file", certificate_->key_file()},
                                        {"--trusted-ca-file", certificate_->certificate_file()}}) {
        arguments.push_back(flag);
        arguments.push_back(value);
      }
      arguments.push_back("--client-cert-auth");
    }
    return arguments;
  }

  const TestCertificate* const certificate_;
  TemporaryDirectory directory_;
  std::vector<Member> members_;
};

}  // namespace kubexms::store
