#include "kubexms/automation/hosts/ssh_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <thread>

#include "kubexms/automation/hosts/ssh_dialer.h"
#include "kubexms/base/check.h"
#include "kubexms/base/mutex.h"

namespace kubexms::automation {
namespace {

using SteadyClock = std::chrono::steady_clock;

// The bytes that one channel buffers for a slow reader, and for a slow host.
constexpr size_t kMaxBuffered = 1 << 20;
constexpr size_t kMaxPendingInput = 1 << 18;
constexpr size_t kChunk = 1 << 15;
// sshd allows ten sessions on a connection; further commands wait.
constexpr size_t kMaxCommands = 8;
// The longest wait of the session's thread.
constexpr int kPollMilliseconds = 1000;

Error Lost(std::string_view why) {
  return Error::ServiceUnavailable(fmt::format("connection lost: {}", why));
}

// To be closed on the session's thread, wherever it is destroyed.
class ChannelHandle {
 public:
  ~ChannelHandle() { KUBEXMS_CHECK(channel_ == nullptr); }
  // libssh keeps a freed channel until the other side has closed it, so the callbacks are taken
  // back.
  void Close() {
    if (!channel_) return;
    if (callbacks_) ssh_remove_channel_callbacks(channel_, std::exchange(callbacks_, nullptr));
    ssh_channel_free(std::exchange(channel_, nullptr));
  }
  // They must live until Close().
  void SetCallbacks(ssh_channel_callbacks callbacks) {
    callbacks_ = callbacks;
    ssh_set_channel_callbacks(channel_, callbacks);
  }
  ssh_channel get() const { return channel_; }
  bool Make(ssh_session session) {
    if (!channel_) channel_ = ssh_channel_new(session);
    return channel_ != nullptr;
  }

 private:
  ssh_channel channel_ = nullptr;
  ssh_channel_callbacks callbacks_ = nullptr;
};

// The work of the session's thread for one channel. All methods are called on that thread.
class Worker {
 public:
  virtual ~Worker() = default;
  // Does what can be done without waiting; false when there is nothing left to do.
  virtual bool Work(ssh_session session) = 0;
  // The connection is lost.
  virtual void Abort(const Error& error) = 0;
  // The last call.
  void Close() { channel_.Close(); }
  // A descriptor to wait for besides the connection itself.
  virtual std::optional<pollfd> Waits() const { return std::nullopt; }
  virtual bool is_command() const { return false; }

 protected:
  ChannelHandle channel_;
};

int SignalNumber(std::string_view name) {
  constexpr std::pair<std::string_view, int> kSignals[] = {
      {"HUP", 1},   {"INT", 2},   {"QUIT", 3},  {"ILL", 4},   {"ABRT", 6},
      {"FPE", 8},   {"KILL", 9},  {"USR1", 10}, {"SEGV", 11}, {"USR2", 12},
      {"PIPE", 13}, {"ALRM", 14}, {"TERM", 15}, {"BUS", 7}};
  for (const auto& [known, number] : kSignals) {
    if (known == name) return number;
  }
  return 127;
}

// A command on the host: processed by the session's thread, awaited by the caller.
class CommandWorker final : public Worker {
 public:
  CommandWorker(std::string command_line, std::function<void()> wake)
      : command_line_(std::move(command_line)), wake_(std::move(wake)) {}

  bool Work(ssh_session session) override;
  void Abort(const Error& error) override { Finish(error); }
  bool is_command() const override { return true; }

  // Moves bytes until the command has ended, on the thread of the caller.
  Result<int> Wait(const Execution& execution);

 private:
  struct Piece {
    OutputStream stream;
    std::string bytes;
  };
  enum class Stage { kOpening, kRequesting, kRunning };

  static void OnExitStatus(ssh_session, ssh_channel, int status, void* self) {
    static_cast<CommandWorker*>(self)->exit_code_ = status;
  }
  static void OnExitSignal(ssh_session, ssh_channel, const char* signal, int, const char*,
                           const char*, void* self) {
    static_cast<CommandWorker*>(self)->exit_code_ = 128 + SignalNumber(signal);
  }

  // Each gives the result of libssh: SSH_OK, SSH_AGAIN or SSH_ERROR.
  int Open(ssh_session session);
  int MoveBytes();
  int Read(OutputStream stream);
  int WriteInput();
  void Finish(Result<int> result) EXCLUDES(mutex_);
  bool Abandoned() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return abandoned_;
  }

  Result<void> FeedInput(const Execution& execution) EXCLUDES(mutex_);
  // Waits for output, the end, or a reason to give up.
  std::deque<Piece> NextPieces(const Execution& execution) EXCLUDES(mutex_);

  const std::string command_line_;
  const std::function<void()> wake_;

  // Of the session's thread.
  ssh_channel_callbacks_struct callbacks_{};
  Stage stage_ = Stage::kOpening;
  int exit_code_ = -1;
  bool eof_sent_ = false;

  Mutex mutex_;
  CondVar changed_;
  std::deque<Piece> output_ GUARDED_BY(mutex_);
  size_t output_bytes_ GUARDED_BY(mutex_) = 0;
  std::string input_ GUARDED_BY(mutex_);
  bool input_ended_ GUARDED_BY(mutex_) = false;
  bool abandoned_ GUARDED_BY(mutex_) = false;
  std::optional<Result<int>> result_ GUARDED_BY(mutex_);
};

int CommandWorker::Open(ssh_session session) {
  if (!channel_.Make(session)) return SSH_ERROR;
  if (stage_ == Stage::kOpening) {
    const int opened = ssh_channel_open_session(channel_.get());
    if (opened != SSH_OK) return opened;
    ssh_callbacks_init(&callbacks_);
    callbacks_.userdata = this;
    callbacks_.channel_exit_status_function = OnExitStatus;
    callbacks_.channel_exit_signal_function = OnExitSignal;
    channel_.SetCallbacks(&callbacks_);
    stage_ = Stage::kRequesting;
  }
  if (stage_ == Stage::kRequesting) {
    const int requested = ssh_channel_request_exec(channel_.get(), command_line_.c_str());
    if (requested != SSH_OK) return requested;
    stage_ = Stage::kRunning;
  }
  return SSH_OK;
}

int CommandWorker::Read(OutputStream stream) {
  std::array<char, kChunk> buffer;
  for (;;) {
    {
      MutexLock lock(mutex_);
      if (output_bytes_ >= kMaxBuffered) return SSH_OK;
    }
    const int count = ssh_channel_read_nonblocking(channel_.get(), buffer.data(), buffer.size(),
                                                   stream == OutputStream::kError);
    if (count == SSH_ERROR) return SSH_ERROR;
    if (count <= 0) return SSH_OK;
    MutexLock lock(mutex_);
    output_bytes_ += static_cast<size_t>(count);
    output_.push_back({stream, std::string(buffer.data(), static_cast<size_t>(count))});
    changed_.NotifyAll();
  }
}

int CommandWorker::WriteInput() {
  MutexLock lock(mutex_);
  while (!input_.empty()) {
    const uint32_t size = static_cast<uint32_t>(std::min(input_.size(), kChunk));
    const int count = ssh_channel_write(channel_.get(), input_.data(), size);
    // A command that reads no further has closed its end: that is its own affair.
    if (count == SSH_ERROR && ssh_channel_is_eof(channel_.get())) input_.clear();
    if (count == SSH_ERROR) return ssh_channel_is_closed(channel_.get()) ? SSH_OK : SSH_ERROR;
    if (count == 0) return SSH_OK;
    input_.erase(0, static_cast<size_t>(count));
    changed_.NotifyAll();
  }
  if (input_ended_ && !eof_sent_) {
    eof_sent_ = true;
    return ssh_channel_send_eof(channel_.get());
  }
  return SSH_OK;
}

int CommandWorker::MoveBytes() {
  if (Read(OutputStream::kOutput) == SSH_ERROR) return SSH_ERROR;
  if (Read(OutputStream::kError) == SSH_ERROR) return SSH_ERROR;
  if (ssh_channel_is_closed(channel_.get())) return SSH_OK;
  return WriteInput();
}

bool CommandWorker::Work(ssh_session session) {
  if (Abandoned()) return false;
  int state = stage_ == Stage::kRunning ? SSH_OK : Open(session);
  if (state == SSH_AGAIN) return true;
  if (state == SSH_OK) state = MoveBytes();
  if (state == SSH_ERROR && exit_code_ < 0) {
    Finish(Lost(ssh_get_error(session)));
    return false;
  }
  const bool drained = ssh_channel_is_eof(channel_.get()) &&
                       ssh_channel_poll(channel_.get(), 0) <= 0 &&
                       ssh_channel_poll(channel_.get(), 1) <= 0;
  const bool closed = ssh_channel_is_closed(channel_.get()) != 0;
  if (!closed && !(drained && exit_code_ >= 0)) return true;
  {
    MutexLock lock(mutex_);
    if (!drained && output_bytes_ >= kMaxBuffered) return true;  // the reader is slow
  }
  if (exit_code_ < 0)
    Finish(Lost("the host closed the channel"));
  else
    Finish(exit_code_);
  return false;
}

void CommandWorker::Finish(Result<int> result) {
  MutexLock lock(mutex_);
  if (!result_) result_ = std::move(result);
  changed_.NotifyAll();
}

Result<void> CommandWorker::FeedInput(const Execution& execution) {
  for (;;) {
    {
      MutexLock lock(mutex_);
      if (input_ended_ || result_ || input_.size() >= kMaxPendingInput) return {};
    }
    std::string piece;
    if (execution.input) {
      ASSIGN_OR_RETURN(piece, execution.input());
    }
    {
      MutexLock lock(mutex_);
      if (piece.empty()) input_ended_ = true;
      input_ += piece;
    }
    wake_();
  }
}

std::deque<CommandWorker::Piece> CommandWorker::NextPieces(const Execution& execution) {
  const bool endless = execution.deadline == SteadyClock::time_point::max();
  MutexLock lock(mutex_);
  const bool wants_input = !input_ended_;
  while (output_.empty() && !result_ && !execution.stop.stop_requested()) {
    if (wants_input && input_.size() < kMaxPendingInput) break;
    if (endless)
      changed_.Wait(mutex_);
    else if (!changed_.WaitUntil(mutex_, execution.deadline))
      break;
  }
  output_bytes_ = 0;
  return std::exchange(output_, {});
}

Result<int> CommandWorker::Wait(const Execution& execution) {
  const std::stop_callback on_stop(execution.stop, [this] {
    MutexLock lock(mutex_);
    changed_.NotifyAll();
  });
  std::optional<Result<int>> result;
  while (!result) {
    const Result<void> fed = FeedInput(execution);
    if (!fed.ok()) result = fed.error();
    const std::deque<Piece> pieces = NextPieces(execution);
    for (const Piece& piece : pieces) {
      if (execution.on_output) execution.on_output(piece.stream, piece.bytes);
    }
    if (!pieces.empty()) {
      wake_();
      continue;  // there may be more before the end
    }
    MutexLock lock(mutex_);
    if (result_ && output_.empty()) result = result_;
    if (!result && execution.stop.stop_requested()) result = Canceled("the command");
    if (!result && SteadyClock::now() >= execution.deadline) result = Error::Timeout("timed out");
    abandoned_ = result.has_value();
  }
  wake_();
  return *result;
}

// Copies bytes between a port behind the host and a local socket.
class TunnelWorker final : public Worker {
 public:
  TunnelWorker(std::string host, int port, int descriptor)
      : host_(std::move(host)), port_(port), descriptor_(descriptor) {}
  ~TunnelWorker() override { ::close(descriptor_); }

  bool Work(ssh_session session) override {
    if (!open_) {
      if (!channel_.Make(session)) return false;
      const int opened =
          ssh_channel_open_forward(channel_.get(), host_.c_str(), port_, "localhost", 0);
      if (opened == SSH_AGAIN) return true;
      if (opened != SSH_OK) return false;
      open_ = true;
    }
    return ToSocket() && ToChannel();
  }
  // To close the socket says it all: the other end sees the end of the connection.
  void Abort(const Error&) override {}
  std::optional<pollfd> Waits() const override {
    const short out = to_socket_.empty() ? 0 : POLLOUT;
    const short in = open_ && to_channel_.empty() ? POLLIN : 0;
    return pollfd{descriptor_, static_cast<short>(in | out), 0};
  }

 private:
  bool ToSocket() {
    for (;;) {
      while (!to_socket_.empty()) {
        const ssize_t count =
            ::send(descriptor_, to_socket_.data(), to_socket_.size(), MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN;
        to_socket_.erase(0, static_cast<size_t>(count));
      }
      std::array<char, kChunk> buffer;
      const int count =
          ssh_channel_read_nonblocking(channel_.get(), buffer.data(), buffer.size(), 0);
      if (count > 0)
        to_socket_.assign(buffer.data(), static_cast<size_t>(count));
      else
        return count == 0 && !ssh_channel_is_eof(channel_.get());
    }
  }
  bool ToChannel() {
    for (;;) {
      while (!to_channel_.empty()) {
        const int count = ssh_channel_write(channel_.get(), to_channel_.data(),
                                            static_cast<uint32_t>(to_channel_.size()));
        if (count < 0) return false;
        if (count == 0) return true;
        to_channel_.erase(0, static_cast<size_t>(count));
      }
      std::array<char, kChunk> buffer;
      const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
      if (count <= 0) return count < 0 && errno == EAGAIN;
      to_channel_.assign(buffer.data(), static_cast<size_t>(count));
    }
  }

  const std::string host_;
  const int port_;
  const int descriptor_;
  bool open_ = false;
  std::string to_socket_;
  std::string to_channel_;
};

class LiveSession final : public SshSession {
 public:
  LiveSession(ssh_session session, std::shared_ptr<SshSession> bastion)
      : session_(session),
        event_(ssh_event_new()),
        bastion_(std::move(bastion)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this](std::stop_token stop) { Run(stop); }) {}

  ~LiveSession() override {
    thread_.request_stop();
    Wake();
    thread_.join();
    ssh_event_remove_session(event_, session_);
    ssh_event_free(event_);
    ssh_disconnect(session_);
    ssh_free(session_);
    ::close(wake_);
  }

  Result<int> Execute(const Execution& execution) override {
    const auto command =
        std::make_shared<CommandWorker>(execution.command_line, [this] { Wake(); });
    RETURN_IF_ERROR(Add(command));
    return command->Wait(execution);
  }

  Result<int> OpenTunnel(const std::string& host, int port) override {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      return Error::Internal("cannot create a pair of sockets");
    }
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const Result<void> added = Add(std::make_shared<TunnelWorker>(host, port, ends[0]));
    if (added.ok()) return ends[1];
    ::close(ends[1]);
    return added.error();
  }

  bool alive() const override { return alive_; }

 private:
  using Workers = std::deque<std::shared_ptr<Worker>>;

  void Wake() { ::eventfd_write(wake_, 1); }

  Result<void> Add(std::shared_ptr<Worker> worker) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!alive_) return Lost("the session has ended");
    arrivals_.push_back(std::move(worker));
    Wake();
    return {};
  }

  // Everything below runs on thread_.
  void Run(std::stop_token stop);
  void Admit(Workers& working) EXCLUDES(mutex_);
  void WaitForWork(const Workers& working);
  void End(Workers& working) EXCLUDES(mutex_);

  const ssh_session session_;
  const ssh_event event_;
  const std::shared_ptr<SshSession> bastion_;
  const int wake_;
  std::atomic<bool> alive_ = true;
  Mutex mutex_;
  Workers arrivals_ GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all of the above
};

void LiveSession::Admit(Workers& working) {
  MutexLock lock(mutex_);
  size_t commands = static_cast<size_t>(std::count_if(
      working.begin(), working.end(), [](const auto& worker) { return worker->is_command(); }));
  Workers later;
  for (std::shared_ptr<Worker>& worker : arrivals_) {
    const bool command = worker->is_command();
    const bool room = !command || commands < kMaxCommands;
    commands += command && room;
    (room ? working : later).push_back(std::move(worker));
  }
  arrivals_ = std::move(later);
}

void LiveSession::WaitForWork(const Workers& working) {
  const bool writes = (ssh_get_poll_flags(session_) & SSH_WRITE_PENDING) != 0;
  std::vector<pollfd> polled = {
      {wake_, POLLIN, 0},
      {ssh_get_fd(session_), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0}};
  for (const auto& worker : working) {
    if (const auto waits = worker->Waits()) polled.push_back(*waits);
  }
  ::poll(polled.data(), polled.size(), kPollMilliseconds);
  eventfd_t ignored;
  ::eventfd_read(wake_, &ignored);
}

void LiveSession::Run(std::stop_token stop) {
  ssh_set_blocking(session_, 0);
  ssh_event_add_session(event_, session_);
  Workers working;
  while (!stop.stop_requested() && ssh_is_connected(session_)) {
    Admit(working);
    // Keepalive requests arrive also while no caller reads a channel.
    if (ssh_event_dopoll(event_, 0) == SSH_ERROR) break;
    std::erase_if(working, [this](const auto& worker) {
      const bool ended = !worker->Work(session_);
      if (ended) worker->Close();
      return ended;
    });
    WaitForWork(working);
  }
  End(working);
}

void LiveSession::End(Workers& working) {
  {
    MutexLock lock(mutex_);
    alive_ = false;
    std::move(arrivals_.begin(), arrivals_.end(), std::back_inserter(working));
    arrivals_.clear();
  }
  for (const auto& worker : working) {
    worker->Abort(Lost(ssh_get_error(session_)));
    worker->Close();
  }
}

}  // namespace

std::string SshEndpoint::Describe() const { return fmt::format("{}@{}:{}", user, host, port); }

Result<std::shared_ptr<SshSession>> SshSession::Connect(const SshEndpoint& endpoint,
                                                        std::shared_ptr<SshSession> bastion,
                                                        std::stop_token stop) {
  SshDialer dialer(endpoint, std::move(stop));
  const Result<ssh_session> session = dialer.Dial(bastion.get());
  if (!session.ok()) return session.error().WithContext(endpoint.Describe());
  return std::shared_ptr<SshSession>(std::make_shared<LiveSession>(*session, std::move(bastion)));
}

}  // namespace kubexms::automation
