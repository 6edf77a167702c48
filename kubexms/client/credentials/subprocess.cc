#include "kubexms/client/credentials/subprocess.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace kubexms {
namespace {

using Time = std::chrono::steady_clock::time_point;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  ~Descriptor() { Close(); }

  void Close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int get() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Error SystemError(std::string_view what, int error) {
  return Error::Internal(fmt::format("{}: {}", what, std::strerror(error)));
}

Result<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError("make a pipe", errno);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// Pointers to texts that end in a null pointer, as exec wants them.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const SubprocessOptions& options) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    bool replaced = false;
    for (const auto& [name, value] : options.environment) {
      replaced = replaced || text.substr(0, text.find('=')) == name;
    }
    if (!replaced) variables.emplace_back(text);
  }
  for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
  return variables;
}

// The attributes of the child for posix_spawn: its own process group, default signals, the pipes.
class SpawnSettings {
 public:
  SpawnSettings(const Pipe& output, const Pipe& errors) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);
    ::posix_spawnattr_init(&attributes);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes, &signals);
    ::sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes, &signals);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

class Subprocess {
 public:
  explicit Subprocess(const SubprocessOptions& options)
      : options_(options), deadline_(std::chrono::steady_clock::now() + options.timeout) {}
  ~Subprocess() {
    if (pid_ > 0) Kill();
  }

  Result<SubprocessResult> Run() {
    RETURN_IF_ERROR(Start());
    RETURN_IF_ERROR(Collect());
    result_.exit_code = Wait();
    return std::move(result_);
  }

 private:
  const std::string& program() const { return options_.command.front(); }

  Result<void> Start() {
    ASSIGN_OR_RETURN(Pipe output, MakePipe());
    ASSIGN_OR_RETURN(Pipe errors, MakePipe());
    wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC));
    if (!wake_.open()) return SystemError("make an event", errno);
    const SpawnSettings settings(output, errors);
    std::vector<std::string> command = options_.command;
    std::vector<std::string> environment = Environment(options_);
    const int error =
        ::posix_spawnp(&pid_, program().c_str(), &settings.actions, &settings.attributes,
                       Pointers(command).data(), Pointers(environment).data());
    if (error != 0) pid_ = -1;
    if (error == ENOENT) {
      return Error(404, "NotFound", fmt::format("there is no program \"{}\"", program()));
    }
    if (error != 0) return SystemError(fmt::format("run \"{}\"", program()), error);
    output_ = std::move(output.read);
    errors_ = std::move(errors.read);
    return {};
  }

  // Reads both outputs to their ends.
  Result<void> Collect() {
    const std::stop_callback wake_on_stop(options_.stop,
                                          [this] { ::eventfd_write(wake_.get(), 1); });
    while (output_.open() || errors_.open()) {
      RETURN_IF_ERROR(WaitForOutput());
      RETURN_IF_ERROR(ReadSome(output_, result_.output));
      RETURN_IF_ERROR(ReadSome(errors_, result_.errors));
    }
    return {};
  }

  Result<void> WaitForOutput() {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      return Error::Timeout(fmt::format("\"{}\" did not end within {} ms and was killed", program(),
                                        options_.timeout.count()));
    }
    if (options_.stop.stop_requested()) {
      return Error(499, "Canceled", fmt::format("\"{}\" was canceled", program()));
    }
    std::array<pollfd, 3> waits = {
        {{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    readable_ = {};
    if (::poll(waits.data(), waits.size(), static_cast<int>(left.count())) < 0) {
      if (errno == EINTR) return {};
      return SystemError("wait for a program", errno);
    }
    readable_ = {waits[0].revents != 0, waits[1].revents != 0};
    return {};
  }

  Result<void> ReadSome(Descriptor& from, std::string& to) {
    if (!from.open() || !readable_[&from == &output_ ? 0 : 1]) return {};
    std::array<char, 16384> buffer;
    const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return {};
    if (count < 0) return SystemError("read from a program", errno);
    if (count == 0) from.Close();
    if (to.size() + static_cast<size_t>(count) > options_.max_output_bytes) {
      return Error::RequestTooLarge(
          fmt::format("\"{}\" writes more than {} bytes", program(), options_.max_output_bytes));
    }
    to.append(buffer.data(), static_cast<size_t>(count));
    return {};
  }

  // A program that closed its outputs and still runs gets no more time than others.
  int Wait() {
    while (std::chrono::steady_clock::now() < deadline_ && !options_.stop.stop_requested()) {
      int status = 0;
      const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
      if (ended == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      ::poll(nullptr, 0, 1);
    }
    Kill();
    return 128 + SIGKILL;
  }

  void Kill() {
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }

  const SubprocessOptions& options_;
  const Time deadline_;
  pid_t pid_ = -1;
  Descriptor output_;
  Descriptor errors_;
  Descriptor wake_;
  std::array<bool, 2> readable_{};
  SubprocessResult result_;
};

}  // namespace

Result<SubprocessResult> RunSubprocess(const SubprocessOptions& options) {
  KUBEXMS_CHECK(!options.command.empty());
  return Subprocess(options).Run();
}

}  // namespace kubexms
