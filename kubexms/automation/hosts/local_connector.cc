#include "kubexms/automation/hosts/local_connector.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "kubexms/base/mutex.h"

namespace kubexms::automation {
namespace {

using SteadyClock = std::chrono::steady_clock;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }

  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  void Close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error::Internal(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// One command and its three streams.
class LocalProcess {
 public:
  Result<void> Start(const std::string& command_line);
  // Moves bytes until both streams of output have ended. The loop of everything here.
  Result<void> Pump(const Execution& execution);
  Result<int> Wait(const Execution& execution);
  // The process, if it has not been waited for.
  std::optional<pid_t> abandoned() const {
    return process_ > 0 ? std::optional(process_) : std::nullopt;
  }

 private:
  bool Running() const { return output_.open() || errors_.open(); }
  Result<void> FeedInput(const Execution& execution);
  void ReadOutput(Descriptor& from, OutputStream stream, const Execution& execution);

  pid_t process_ = -1;
  Descriptor input_;
  Descriptor output_;
  Descriptor errors_;
  std::string pending_;  // input that the pipe had no room for
};

Result<void> LocalProcess::Start(const std::string& command_line) {
  ASSIGN_OR_RETURN(Pipe input, MakePipe());
  ASSIGN_OR_RETURN(Pipe output, MakePipe());
  ASSIGN_OR_RETURN(Pipe errors, MakePipe());
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input.read.get(), 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.write.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors.write.get(), 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A session of its own: Ctrl-C must reach only this process, which kills the command itself.
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  std::string shell = "/bin/sh", flag = "-c", line = command_line;
  char* const arguments[] = {shell.data(), flag.data(), line.data(), nullptr};
  const int failed = ::posix_spawn(&process_, "/bin/sh", &actions, &attributes, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed) return Error::Internal(fmt::format("start /bin/sh: {}", std::strerror(failed)));
  input_ = std::move(input.write);
  output_ = std::move(output.read);
  errors_ = std::move(errors.read);
  ::fcntl(input_.get(), F_SETFL, O_NONBLOCK);
  return {};
}

Result<void> LocalProcess::FeedInput(const Execution& execution) {
  if (pending_.empty() && execution.input) {
    ASSIGN_OR_RETURN(pending_, execution.input());
  }
  if (pending_.empty()) {
    input_.Close();
    return {};
  }
  const ssize_t count = ::write(input_.get(), pending_.data(), pending_.size());
  if (count > 0)
    pending_.erase(0, static_cast<size_t>(count));
  else if (errno != EAGAIN && errno != EINTR)
    input_.Close();  // the command has closed its input
  return {};
}

void LocalProcess::ReadOutput(Descriptor& from, OutputStream stream, const Execution& execution) {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
  if (count > 0) {
    if (execution.on_output) {
      execution.on_output(stream, {buffer.data(), static_cast<size_t>(count)});
    }
  } else if (count == 0 || errno != EINTR) {
    from.Close();
  }
}

Result<void> TimeIsOver(const Execution& execution) {
  if (execution.stop.stop_requested()) return Canceled("the command");
  if (SteadyClock::now() >= execution.deadline) return Error::Timeout("timed out");
  return {};
}

int PollTimeout(const Execution& execution) {
  if (execution.deadline == SteadyClock::time_point::max()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(execution.deadline - SteadyClock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
}

Result<void> LocalProcess::Pump(const Execution& execution) {
  const Descriptor wake(::eventfd(0, EFD_CLOEXEC));
  const std::stop_callback on_stop(execution.stop, [&] { ::eventfd_write(wake.get(), 1); });
  while (Running()) {
    RETURN_IF_ERROR(TimeIsOver(execution));
    pollfd polled[] = {{wake.get(), POLLIN, 0},
                       {input_.get(), POLLOUT, 0},
                       {output_.get(), POLLIN, 0},
                       {errors_.get(), POLLIN, 0}};
    if (::poll(polled, 4, PollTimeout(execution)) < 0 && errno != EINTR) {
      return Error::Internal(fmt::format("poll: {}", std::strerror(errno)));
    }
    if (input_.open() && polled[1].revents) RETURN_IF_ERROR(FeedInput(execution));
    if (output_.open() && polled[2].revents) ReadOutput(output_, OutputStream::kOutput, execution);
    if (errors_.open() && polled[3].revents) ReadOutput(errors_, OutputStream::kError, execution);
  }
  return {};
}

Result<int> LocalProcess::Wait(const Execution& execution) {
  RETURN_IF_ERROR(Pump(execution));
  input_.Close();
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

class LocalTransport final : public Transport {
 public:
  Result<int> Execute(const Execution& execution) override {
    LocalProcess process;
    RETURN_IF_ERROR(process.Start(execution.command_line));
    Result<int> exit_code = process.Wait(execution);
    MutexLock lock(mutex_);
    std::erase_if(abandoned_, [](pid_t left) { return ::waitpid(left, nullptr, WNOHANG) != 0; });
    if (process.abandoned()) abandoned_.push_back(*process.abandoned());
    return exit_code;
  }
  bool IsRoot() const override { return ::geteuid() == 0; }

 private:
  Mutex mutex_;
  // Processes that were left to themselves and have not ended yet.
  std::vector<pid_t> abandoned_ GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Transport> MakeLocalTransport() { return std::make_unique<LocalTransport>(); }

std::unique_ptr<Connector> MakeLocalConnector(SudoOptions sudo, Random* random) {
  return MakeShellConnector(MakeLocalTransport(), std::move(sudo), random);
}

}  // namespace kubexms::automation
