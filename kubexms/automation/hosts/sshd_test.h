#pragma once

// A real sshd on loopback, for tests, with users that exist nowhere else: it runs with its own
// /etc/passwd, /etc/shadow and /etc/sudoers, mounted over the machine's where only it sees them.
// That needs root; IsPossible() says whether it can be done here.

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>

#include "kubexms/automation/hosts/ssh_session.h"
#include "kubexms/base/check.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/test_directory_test.h"

namespace kubexms::automation {

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

inline void MustRun(const std::string& command) {
  KUBEXMS_CHECK(std::system(command.c_str()) == 0);
}

inline constexpr const char* kTestPassword = "open sesame";
inline constexpr const char* kTestPassphrase = "once upon a time";

// Keys made once for all tests of the program.
class TestKeys {
 public:
  TestKeys() {
    Make("host_ed25519", "-t ed25519", "");
    Make("host_ecdsa", "-t ecdsa", "");
    Make("host_rsa", "-t rsa -b 2048", "");
    Make("other_host", "-t ed25519", "");
    Make("ed25519", "-t ed25519", "");
    Make("ecdsa", "-t ecdsa", "");
    Make("rsa", "-t rsa -b 2048", "");
    Make("encrypted", "-t ed25519", kTestPassphrase);
    Make("unknown", "-t ed25519", "");
    MustRun(fmt::format("cd {} && cat ed25519.pub ecdsa.pub rsa.pub encrypted.pub >authorized",
                        directory_.path()));
  }
  std::string File(const std::string& name) const { return directory_.File(name); }
  std::string Read(const std::string& name) const { return directory_.Read(name); }

  static const TestKeys& Get() {
    static const TestKeys kKeys;
    return kKeys;
  }

 private:
  void Make(const std::string& name, const std::string& type, const std::string& passphrase) {
    MustRun(fmt::format("ssh-keygen -q {} -N '{}' -C test -f {}", type, passphrase, File(name)));
  }

  TestDirectory directory_;
};

class TestSshd {
 public:
  static bool IsPossible() {
    return ::geteuid() == 0 && std::system("unshare -m true 2>/dev/null") == 0;
  }
  static constexpr const char* kImpossible =
      "needs root and mount namespaces, to run an sshd with users of its own";

  explicit TestSshd(const std::string& host_key = "host_ed25519") : port_(UnusedPort()) {
    WriteFiles(host_key);
    Start();
  }
  ~TestSshd() {
    DropConnections();
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  TestSshd(const TestSshd&) = delete;
  TestSshd& operator=(const TestSshd&) = delete;

  int port() const { return port_; }
  std::string Log() const {
    MutexLock lock(mutex_);
    return log_;
  }

  // As seen from the machine. "asks" has to tell sudo its password, "free" has not, "none" may not
  // use sudo; all have kTestPassword.
  SshEndpoint Endpoint(const std::string& user, const std::string& key = "ed25519") const {
    return {
        .host = "127.0.0.1",
        .port = port_,
        .user = user,
        .use_agent = false,
        .private_key_files = {TestKeys::Get().File(key)},
        .host_key = {.cluster_file = directory_.File("known_hosts"), .trust_on_first_use = true}};
  }
  std::string known_hosts() const { return directory_.Read("known_hosts"); }
  void SetKnownHosts(const std::string& text) const { directory_.Write("known_hosts", text); }

  // Ends what serves the connections, as a host that goes down does.
  void DropConnections() {
    for (const pid_t process : Descendants(process_)) ::kill(process, SIGKILL);
  }

 private:
  static pid_t Parent(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string text;
    std::getline(file, text, ')');
    char state = 0;
    pid_t parent = 0;
    file >> state >> parent;
    return parent;
  }

  // Collected before any is ended: those it leaves behind would get another parent.
  static std::vector<pid_t> Descendants(pid_t ancestor) {
    std::vector<pid_t> found;
    DIR* processes = ::opendir("/proc");
    while (const dirent* entry = ::readdir(processes)) {
      const auto process = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
      if (process > 0 && Parent(process) == ancestor) found.push_back(process);
    }
    ::closedir(processes);
    for (size_t i = 0, children = found.size(); i < children; ++i) {
      for (const pid_t below : Descendants(found[i])) found.push_back(below);
    }
    return found;
  }

  void WriteFiles(const std::string& host_key) {
    const TestKeys& keys = TestKeys::Get();
    directory_.Write("config", fmt::format("ListenAddress 127.0.0.1:{}\n"
                                           "HostKey {}\n"
                                           "AuthorizedKeysFile {}\n"
                                           "PidFile none\n"
                                           "StrictModes no\n"
                                           "UsePAM no\n"
                                           "PermitRootLogin yes\n"
                                           "PasswordAuthentication yes\n"
                                           "MaxStartups 100\n",
                                           port_, keys.File(host_key), keys.File("authorized")));
    std::string users, shadow;
    int id = 54'000;
    for (const char* user : {"asks", "free", "none"}) {
      users += fmt::format("{0}:x:{1}:{1}::/:/bin/sh\n", user, ++id);
      shadow += fmt::format("{}:HASH:19000:0:99999:7:::\n", user);
    }
    directory_.Write("users", users);
    directory_.Write("shadow-lines", shadow);
    directory_.Write("sudoers",
                     "root ALL=(ALL) ALL\nasks ALL=(ALL) ALL\n"
                     "free ALL=(ALL) NOPASSWD: ALL\n");
    directory_.Write(
        "start",
        fmt::format("set -e; cd {}\n"
                    "cat /etc/passwd users >passwd\n"
                    "hash=$(openssl passwd -6 '{}')\n"
                    "cat /etc/shadow >shadow; sed \"s,HASH,$hash,\" shadow-lines >>shadow\n"
                    "chmod 644 passwd; chmod 600 shadow; chmod 440 sudoers\n"
                    "for f in passwd shadow sudoers; do mount --bind $f /etc/$f; done\n"
                    "mount -t tmpfs none /run; mkdir /run/sshd\n"
                    "exec /usr/sbin/sshd -D -e -f config\n",
                    directory_.path(), kTestPassword));
    // Debian's sshd refuses to look at keys below a directory that others cannot enter.
    MustRun(
        fmt::format("chmod 755 {}; chmod -R go+rX {}", directory_.path(), keys.File("authorized")));
    MustRun(fmt::format("chmod 755 $(dirname {})", keys.File("authorized")));
  }

  void Start() {
    int ends[2];
    KUBEXMS_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
    const std::string script = directory_.File("start");
    process_ = ::fork();
    KUBEXMS_CHECK(process_ >= 0);
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(ends[1], 1);
      ::dup2(ends[1], 2);
      ::execlp("unshare", "unshare", "-m", "sh", script.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    reader_ = std::jthread([this, end = ends[0]] { ReadLog(end); });
    MutexLock lock(mutex_);
    while (log_.find("Server listening") == std::string::npos && !ended_) changed_.Wait(mutex_);
    if (ended_) fmt::print(stderr, "{}\n", log_);
    KUBEXMS_CHECK(!ended_);
  }

  void ReadLog(int end) {
    std::array<char, 4096> buffer;
    for (;;) {
      const ssize_t count = ::read(end, buffer.data(), buffer.size());
      MutexLock lock(mutex_);
      if (count > 0) log_.append(buffer.data(), static_cast<size_t>(count));
      ended_ = count <= 0;
      changed_.NotifyAll();
      if (ended_) break;
    }
    ::close(end);
  }

  TestDirectory directory_;
  const int port_;
  pid_t process_ = -1;
  mutable Mutex mutex_;
  CondVar changed_;
  std::string log_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = false;
  std::jthread reader_;
};

}  // namespace kubexms::automation
