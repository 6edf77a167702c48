#include "kubexms/automation/hosts/shell_connector.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/hosts/shell_functions.h"
#include "kubexms/base/mutex.h"

namespace kubexms::automation {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr size_t kChunk = 1 << 16;
constexpr size_t kMaxAnswers = 64 << 20;  // of all operations of one round trip
constexpr std::chrono::seconds kKillTimeout(20);

// Skips to the line that says where the input begins. sudo has read its password before, or it
// did not need it, and then it is skipped too. `read` takes one byte at a time, so what follows is
// left for the command.
constexpr std::string_view kSkip = R"sh(while IFS= read -r l && [ "$l" != {0} ]; do :; done; )sh";
// A script ends with this line. What was cut off on its way is not run: the half of a command may
// be another command.
constexpr std::string_view kEnd = "# {0}.end";
// Runs all of the input, unless kKill was there first.
constexpr std::string_view kRunAll =
    R"sh(s=$(cat); d=/run; [ -w $d ] || d=/tmp; [ ! -d $d/kubexms-{0}.ended ] || exit 125; )sh"
    R"sh(case $s in *"# {0}.end") eval "$s" ;; *) exit 125 ;; esac)sh";
// Runs the input up to its end; the rest is for the command to read.
constexpr std::string_view kRunHead =
    R"sh(s=; while IFS= read -r l || exit 125; [ "$l" != "# {0}.end" ]; do s="$s
$l"; done; d=/run; [ -w $d ] || d=/tmp; [ ! -d $d/kubexms-{0}.ended ] || exit 125; eval "$s")sh";

// Ends all processes that carry the mark in their environment, wherever they have gone: first
// politely, then not. A busy host may begin the command only after that: it finds the directory
// then, and does nothing. (A directory, since mkdir follows nobody's links.) Two looks must find no
// process, since one can end and leave another behind while it is looked at. What ends takes its
// time on a busy host. A command that was seen has begun, so its directory goes again.
constexpr std::string_view kKill = R"sh(
d=/run
[ -w $d ] || d=/tmp
find $d -maxdepth 1 -type d -name 'kubexms-kx-*.ended' -mmin +60 -delete 2>/dev/null
mkdir $d/kubexms-{0}.ended
signal=TERM
round=0
found=1
seen=
while [ $round -lt 50 ]; do
  round=$((round + 1))
  before=$found
  found=
  for file in $(grep -ls 'KUBEXMS_EXEC={0}' /proc/[0-9]*/environ); do
    process=${{file#/proc/}}
    process=${{process%/environ}}
    case $(cut -d')' -f2 "/proc/$process/stat" 2>/dev/null) in ' Z'*|'') continue ;; esac
    found=1
    seen=1
    kill -$signal "$process" 2>/dev/null
  done
  if [ -z "$before$found" ]; then
    if [ -n "$seen" ]; then rmdir $d/kubexms-{0}.ended; fi
    exit 0
  fi
  [ -n "$found" ] || continue
  if [ $round -ge 4 ]; then signal=KILL; fi
  sleep 0.2
done
exit 1
)sh";

// One that is cut off removes its part of the file, or, where it is not even left time for that,
// the next one does.
constexpr std::string_view kReceive = R"sh(
path={path}
part=${{path%/*}}/.kubexms.${{path##*/}}
rm -f -- "$part".??????
temporary=$(mktemp "$part.XXXXXX") || exit 1
trap 'rm -f -- "$temporary"' EXIT
trap 'exit 1' HUP INT PIPE TERM
cat >"$temporary" || exit 1
sum=$(sha256sum <"$temporary")
if [ "${{sum%% *}}" != {sum} ]; then echo 'the checksum of the received file differs' >&2; exit 1; fi
if [ -n {owner}{group} ]; then chown -- {owner}:{group} "$temporary" || exit 1; fi
chmod -- {mode} "$temporary" && sync -- "$temporary" && mv -fT -- "$temporary" "$path"
)sh";

// Keeps the end of what it is given.
class TailBuffer {
 public:
  explicit TailBuffer(size_t limit) : limit_(limit) {}

  void Append(std::string_view bytes) {
    text_ += bytes;
    if (text_.size() > 2 * limit_) Cut();
  }
  bool truncated() const { return truncated_ || text_.size() > limit_; }
  std::string Take() {
    Cut();
    return std::move(text_);
  }

 private:
  void Cut() {
    if (text_.size() <= limit_) return;
    text_.erase(0, text_.size() - limit_);
    truncated_ = true;
  }

  const size_t limit_;
  std::string text_;
  bool truncated_ = false;
};

// The explanation of an error of sudo; empty for other errors.
std::string_view SudoRefusal(const CommandResult& result) {
  if (result.exit_code != 1) return {};
  const std::string_view said = result.error_output;
  const auto says = [&](std::string_view words) {
    return said.find(words) != std::string_view::npos;
  };
  if (!says("sudo:") && !says("sudoers")) return {};
  if (says("incorrect password attempt") || says("no password was provided") || says("Sorry, try"))
    return "sudo does not accept the password; correct sudoPassword of the host";
  if (says("a password is required") || says("a terminal is required"))
    return "sudo requires a password and none is configured; set sudoPassword of the host";
  if (says("not in the sudoers file") || says("not allowed"))
    return "the user may not use sudo; allow it in /etc/sudoers.d on the host";
  return {};
}

InputSource FromText(std::string text) {
  return [text = std::move(text), at = size_t{0}]() mutable -> Result<std::string> {
    std::string piece = text.substr(at, kChunk);
    at += piece.size();
    return piece;
  };
}

class ShellConnector final : public Connector {
 public:
  ShellConnector(std::unique_ptr<Transport> transport, SudoOptions sudo, Random* random)
      : transport_(std::move(transport)), sudo_(std::move(sudo)), random_(random) {}

  Result<std::vector<OperationResult>> Perform(std::span<const Operation> operations,
                                               const PerformOptions& options) override;
  Result<CommandResult> Exec(const Command& command, const OutputCallback& on_output,
                             std::stop_token stop) override;
  Result<void> Upload(const UploadRequest& request, std::stop_token stop) override;
  Result<void> Download(const DownloadRequest& request, std::stop_token stop) override;
  uint64_t round_trips() const override { return round_trips_; }

 private:
  // One script on the host, and what its input is besides itself.
  struct Job {
    std::string what;  // for messages
    std::string mark;
    bool as_root = true;
    std::string script;
    InputSource input;  // none: the script has no input of its own
    std::chrono::nanoseconds timeout;
    size_t max_output = 1 << 20;
    OutputCallback on_output;
    bool keep_output = true;
    std::stop_token stop;
  };

  std::string NewMark() {
    return fmt::format("kx-{:016x}{:016x}", random_->Next(), random_->Next());
  }
  bool NeedsSudo(bool as_root) const { return as_root && !transport_->IsRoot(); }
  std::string CommandLine(const Job& job) const;
  InputSource Input(const Job& job) const;
  Result<CommandResult> Run(const Job& job);
  // Ends what a job has left behind.
  void Kill(const Job& job);
  std::optional<Error> KnownRefusal() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return refusal_;
  }

  const std::unique_ptr<Transport> transport_;
  const SudoOptions sudo_;
  Random* const random_;
  std::atomic<uint64_t> round_trips_ = 0;
  Mutex mutex_;
  // Who has been refused by sudo is not heard again with the same password: each attempt takes
  // seconds, and after some of them hosts lock the account.
  std::optional<Error> refusal_ GUARDED_BY(mutex_);
};

std::string ShellConnector::CommandLine(const Job& job) const {
  std::string loop = fmt::format(kSkip, job.mark);
  loop += job.input ? fmt::format(kRunHead, job.mark) : fmt::format(kRunAll, job.mark);
  std::string line = "exec env LC_ALL=C ";
  if (NeedsSudo(job.as_root)) {
    line += sudo_.password.empty() ? "sudo -n -- " : "sudo -S -k -p '' -- ";
    line += "env LC_ALL=C ";
  }
  return line + fmt::format("KUBEXMS_EXEC={} /bin/sh -c {}", job.mark, ShellQuote(loop));
}

InputSource ShellConnector::Input(const Job& job) const {
  std::string head;
  if (NeedsSudo(job.as_root) && !sudo_.password.empty()) head = sudo_.password.Reveal() + "\n";
  head += fmt::format("{}\n{}\n", job.mark, job.script) + fmt::format(kEnd, job.mark) + "\n";
  if (!job.input) return FromText(std::move(head));
  return [first = FromText(std::move(head)), second = job.input]() mutable -> Result<std::string> {
    ASSIGN_OR_RETURN(std::string piece, first());
    if (!piece.empty()) return piece;
    return second();
  };
}

Result<CommandResult> ShellConnector::Run(const Job& job) {
  if (NeedsSudo(job.as_root)) {
    if (const std::optional<Error> known = KnownRefusal()) return *known;
  }
  TailBuffer output(job.max_output);
  TailBuffer errors(job.max_output);
  Execution execution{.command_line = CommandLine(job),
                      .input = Input(job),
                      .deadline = SteadyClock::now() + job.timeout,
                      .stop = job.stop};
  execution.on_output = [&](OutputStream stream, std::string_view bytes) {
    const bool standard = stream == OutputStream::kOutput;
    if (!standard)
      errors.Append(bytes);
    else if (job.keep_output)
      output.Append(bytes);
    if (job.on_output) job.on_output(stream, bytes);
  };
  ++round_trips_;
  const Result<int> exit_code = transport_->Execute(execution);
  if (!exit_code.ok()) {
    if (IsCanceled(exit_code.error()) || exit_code.error().code() == 504) Kill(job);
    return exit_code.error().WithContext(job.what);
  }
  CommandResult result{.exit_code = *exit_code,
                       .truncated = output.truncated() || errors.truncated()};
  result.output = output.Take();
  result.error_output = errors.Take();
  if (NeedsSudo(job.as_root)) {
    const std::string_view refusal = SudoRefusal(result);
    if (!refusal.empty()) {
      MutexLock lock(mutex_);
      refusal_ = Terminal(Error::Unauthorized(std::string(refusal)));
      return *refusal_;
    }
  }
  return result;
}

void ShellConnector::Kill(const Job& job) {
  Job kill{.what = "end the command",
           .mark = NewMark(),
           .as_root = job.as_root,
           .script = fmt::format(kKill, job.mark),
           .timeout = kKillTimeout};
  // The error of the command itself is reported; that of killing it is not.
  static_cast<void>(Run(kill).ok());
}

Result<std::vector<OperationResult>> ShellConnector::Perform(std::span<const Operation> operations,
                                                             const PerformOptions& options) {
  if (operations.empty()) return std::vector<OperationResult>();
  Job job{.what = operations.size() == 1 ? Describe(operations[0])
                                         : fmt::format("{} operations", operations.size()),
          .mark = NewMark(),
          .timeout = options.timeout,
          .max_output = kMaxAnswers,
          .stop = options.stop};
  const std::string marker = NewMark();
  job.script = MakeScript(operations, marker);
  ASSIGN_OR_RETURN(CommandResult result, Run(job));
  if (result.truncated) {
    return Terminal(Error::RequestTooLarge(
        fmt::format("{}: the results are larger than {} bytes", job.what, kMaxAnswers)));
  }
  if (!result.ok()) return CommandFailed(job.what, result);
  return ParseResults(operations, result.output, marker);
}

Result<CommandResult> ShellConnector::Exec(const Command& command, const OutputCallback& on_output,
                                           std::stop_token stop) {
  std::string script;
  for (const auto& [name, value] : command.environment) {
    script += fmt::format("export {}={}\n", name, ShellQuote(value));
  }
  if (!command.directory.empty()) {
    script += fmt::format("cd -- {} || exit 125\n", ShellQuote(command.directory));
  }
  // Another shell, so that the mark is in the environment of all that the command starts.
  script += fmt::format("exec /bin/sh -c {}", ShellQuote(command.script));
  return Run({.what = Describe(RunScript{command.script}),
              .mark = NewMark(),
              .as_root = command.as_root,
              .script = std::move(script),
              .input = FromText(command.input),
              .timeout = command.timeout,
              .max_output = command.max_output,
              .on_output = on_output,
              .stop = std::move(stop)});
}

Result<void> ShellConnector::Upload(const UploadRequest& request, std::stop_token stop) {
  std::string sum = request.sha256;
  if (sum.empty()) {
    ASSIGN_OR_RETURN(sum, Sha256OfFile(request.source));
  }
  ASSIGN_OR_RETURN(FilePartReader reader, FilePartReader::Open(request.source));
  const auto source = std::make_shared<FilePartReader>(std::move(reader));
  const std::string what = fmt::format("upload {}", request.path);
  Job job{.what = what,
          .mark = NewMark(),
          .script = fmt::format(fmt::runtime(kReceive), fmt::arg("path", ShellQuote(request.path)),
                                fmt::arg("sum", sum), fmt::arg("mode", ShellQuote(request.mode)),
                                fmt::arg("owner", ShellQuote(request.owner)),
                                fmt::arg("group", ShellQuote(request.group))),
          .timeout = request.timeout,
          .stop = std::move(stop)};
  job.input = [source] { return source->Read(kChunk); };
  ASSIGN_OR_RETURN(const CommandResult result, Run(job));
  if (!result.ok()) return CommandFailed(what, result);
  return {};
}

// A file that appears under its name only once it is complete.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), temporary_(path + ".part") {
    ::unlink(temporary_.c_str());
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!finished_) ::unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void Write(std::string_view bytes) {
    while (good_ && !bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      good_ = count > 0;
      if (good_) bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  bool Finish(int mode) {
    finished_ = good_ && descriptor_ >= 0 &&
                ::fchmod(descriptor_, static_cast<mode_t>(mode)) == 0 &&
                ::fsync(descriptor_) == 0 && ::rename(temporary_.c_str(), path_.c_str()) == 0;
    return finished_;
  }

 private:
  const std::string path_;
  const std::string temporary_;
  int descriptor_ = -1;
  bool good_ = true;
  bool finished_ = false;
};

Result<void> ShellConnector::Download(const DownloadRequest& request, std::stop_token stop) {
  const std::string what = fmt::format("download {}", request.path);
  NewFile file(request.destination);
  Sha256 sum;
  Job job{.what = what,
          .mark = NewMark(),
          // Its last line on the other stream is the checksum.
          .script = fmt::format("exec <{0} || exit 1\ncat || exit 1\nsha256sum <{0} >&2",
                                ShellQuote(request.path)),
          .timeout = request.timeout,
          .keep_output = false,
          .stop = std::move(stop)};
  job.on_output = [&](OutputStream stream, std::string_view bytes) {
    if (stream != OutputStream::kOutput) return;
    sum.Update(bytes);
    file.Write(bytes);
  };
  ASSIGN_OR_RETURN(const CommandResult result, Run(job));
  if (!result.ok()) return CommandFailed(what, result);
  if (result.error_output.find(sum.Finish()) == std::string::npos) {
    return Error::ServiceUnavailable(
        fmt::format("{}: the file changed while it was read; try again", what));
  }
  if (!file.Finish(request.mode)) {
    return Error::Internal(fmt::format("{}: cannot write {}", what, request.destination));
  }
  return {};
}

}  // namespace

std::unique_ptr<Connector> MakeShellConnector(std::unique_ptr<Transport> transport,
                                              SudoOptions sudo, Random* random) {
  return std::make_unique<ShellConnector>(std::move(transport), std::move(sudo), random);
}

}  // namespace kubexms::automation
