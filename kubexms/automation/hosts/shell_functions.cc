#include "kubexms/automation/hosts/shell_functions.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "kubexms/automation/hosts/command.h"
#include "kubexms/base/text/base64.h"

namespace kubexms::automation {
namespace {

// Each operation's function takes the fields in the order of Visit (flags as 1 or 0, bytes in
// base64) and prints the answer as "field=value" lines; a field of bytes comes last, as it is,
// after an empty line.
struct ShellFunction {
  std::string_view name;
  std::string_view body;
};

constexpr ShellFunction kFunctions[] = {
    {"GetSystemFacts", R"sh(
  . /etc/os-release 2>/dev/null
  echo "hostname=$(cat /proc/sys/kernel/hostname)"
  echo "os=$ID"
  echo "os_version=$VERSION_ID"
  echo "architecture=$(uname -m)"
  echo "kernel=$(uname -r)"
  echo "cpus=$(nproc)"
  awk '/^MemTotal:/ { printf "memory_bytes=%.0f\n", $2 * 1024 }
       /^SwapTotal:/ { printf "swap_bytes=%.0f\n", $2 * 1024 }' /proc/meminfo
  if command -v apt-get >/dev/null; then echo package_manager=apt
  elif command -v dnf >/dev/null; then echo package_manager=dnf; fi
  if [ -d /run/systemd/system ]; then echo systemd=1; fi
  echo "boot_id=$(cat /proc/sys/kernel/random/boot_id)"
  echo "addresses=$(hostname -I 2>/dev/null | sed 's/ *$//')"
  echo "time_seconds=$(date +%s)"
)sh"},
    {"GetPath", R"sh(
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then echo kind=absent; return 0; fi
  said=$(stat --printf='mode=%04a\nowner=%U\ngroup=%G\nsize=%s\nmodified_ns=%.9Y' -- "$1") || return 1
  echo "${said%.*}${said##*.}"
  if [ -L "$1" ]; then echo kind=link; echo "target=$(readlink -- "$1")"
  elif [ -d "$1" ]; then echo kind=directory
  elif [ -f "$1" ]; then
    echo kind=file
    sum=$(sha256sum <"$1") || return 1
    echo "sha256=${sum%% *}"
    size=${said##*size=}
    if [ "$2" = 1 ] && [ "${size%%[!0-9]*}" -le 1048576 ]; then
      echo; cat -- "$1" || return 1
    fi
  else echo kind=other; fi
)sh"},
    {"GetPackage", R"sh(
  if command -v dpkg-query >/dev/null; then
    version=$(dpkg-query -W -f='${db:Status-Status} ${Version}' -- "$1" 2>/dev/null) || return 0
    case $version in 'installed '*) echo "version=${version#installed }" ;; esac
  elif command -v rpm >/dev/null; then
    # Of some there are several, such as the kernel.
    versions=$(rpm -q --qf '%{VERSION}-%{RELEASE}\n' -- "$1") &&
      echo "version=$(echo "$versions" | sort -V | tail -n 1)"
    return 0
  else echo 'neither dpkg nor rpm is there'; return 1; fi
)sh"},
    {"GetPackages", R"sh(
  [ -n "$1" ] || return 0
  if command -v dpkg-query >/dev/null; then
    versions=$(dpkg-query -W -f='${db:Status-Status} ${Package}=${Version}\n' -- $1 2>/dev/null |
      sed -n 's/^installed //p')
  elif command -v rpm >/dev/null; then
    versions=$(rpm -q --qf '%{NAME}=%{VERSION}-%{RELEASE}\n' -- $1 | grep =)
  else echo 'neither dpkg nor rpm is there'; return 1; fi
  echo versions=$versions
)sh"},
    {"GetService", R"sh(
  shown=$(systemctl show -p LoadState -p ActiveState -p UnitFileState \
    -p ActiveEnterTimestampMonotonic -- "$1") || { echo "$shown"; return 1; }
  case $shown in *LoadState=not-found*) return 0 ;; esac
  echo exists=1
  case $shown in *ActiveState=active*|*ActiveState=activating*|*ActiveState=reloading*)
    echo active=1 ;; esac
  case $shown in *UnitFileState=enabled*) echo enabled=1 ;; esac
  echo "$shown" | awk -F= -v now="$(date +%s.%N)" -v up="$(cut -d' ' -f1 /proc/uptime)" '
    $1 == "ActiveEnterTimestampMonotonic" && $2 > 0 {
      printf "active_since_ns=%.0f\n", (now - up + $2 / 1000000) * 1000000000 }'
)sh"},
    {"GetUser", R"sh(
  entry=$(getent passwd -- "$1") || return 0
  echo exists=1
  echo "$entry" | awk -F: '{ print "uid=" $3; print "home=" $6; print "shell=" $7 }'
  echo "groups=$(id -nG -- "$1")"
)sh"},
    {"GetSysctl", R"sh(
  file=/proc/sys/$(echo "$1" | tr . /)
  [ -e "$file" ] || return 0
  echo exists=1
  echo "value=$(tr -s '\t ' '  ' <"$file")"
)sh"},
    {"GetKernelModule", R"sh(
  module=$(echo "$1" | tr - _)
  if [ -d "/sys/module/$module" ] || grep -qs "/$1\.ko" "/lib/modules/$(uname -r)/modules.builtin"
  then echo loaded=1; fi
)sh"},
    {"GetPort", R"sh(
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
    awk -v port="$(printf '%04X' "$1")" '$4 == "0A" { split($2, at, ":")
      if (at[2] == port) found = 1 } END { if (found) print "listening=1" }'
)sh"},
    {"Probe", R"sh(
  said=$(sh -c "$1" 2>&1; echo "x$?")
  echo "exit_code=${said##*x}"
  printf '\n%s' "${said%x*}"
)sh"},
    {"GetJob", R"sh(
  if [ ! -d "$1" ]; then echo state=absent; return 0; fi
  # The exit code is looked for again after the process was found to be gone.
  if [ ! -e "$1/exit" ] && kill -0 "$(cat "$1/pid")" 2>/dev/null; then echo state=running
  elif [ -e "$1/exit" ]; then echo state=done; echo "exit_code=$(cat "$1/exit")"
  else echo state=lost; fi
  echo "output_size=$(stat -c %s "$1/output")"
  echo; tail -c "+$(($2 + 1))" "$1/output" | head -c 1048576
)sh"},
    {"WriteFile", R"sh(
  if [ -d "$1" ] && [ ! -L "$1" ]; then echo "$1 is a directory"; return 1; fi
  kx_part "$1"
  temporary=$(mktemp "$part.XXXXXX") || return 1
  printf %s "$5" | base64 -d >"$temporary" && kx_attributes "$temporary" "$2" "$3" "$4" &&
    sync -- "$temporary" && mv -fT -- "$temporary" "$1" || { rm -f -- "$temporary"; return 1; }
)sh"},
    {"SetAttributes", R"sh(
  kx_attributes "$1" "$2" "$3" "$4"
)sh"},
    {"MakeDirectory", R"sh(
  [ -d "$1" ] || mkdir -- "$1" || return 1
  kx_attributes "$1" "$2" "$3" "$4"
)sh"},
    {"MakeLink", R"sh(
  if [ -d "$1" ] && [ ! -L "$1" ]; then echo "$1 is a directory"; return 1; fi
  kx_part "$1"
  temporary=$(mktemp -u "$part.XXXXXX") && ln -sT -- "$2" "$temporary" && mv -fT -- "$temporary" "$1"
)sh"},
    {"RemovePath", R"sh(
  kx_part "$1"
  if [ "$2" = 1 ]; then rm -rf -- "$1"
  elif [ -d "$1" ] && [ ! -L "$1" ]; then rmdir --ignore-fail-on-non-empty -- "$1"
  else rm -f -- "$1"; fi
)sh"},
    {"BackupPath", R"sh(
  if [ -e "$2" ] || [ -L "$2" ] || [ -e "$2.absent" ]; then return 0; fi
  (umask 077; mkdir -p -- "$(dirname -- "$2")") || return 1
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then : >"$2.absent" && sync -- "$2.absent"; return; fi
  rm -rf -- "$2.part"
  cp -a -- "$1" "$2.part" && { [ -L "$1" ] || sync -- "$2.part"; } && mv -fT -- "$2.part" "$2"
)sh"},
    {"RestorePath", R"sh(
  kx_part "$1"
  if [ -e "$2" ] || [ -L "$2" ]; then
    temporary=$(mktemp -u "$part.XXXXXX") || return 1
    cp -a -- "$2" "$temporary" || return 1
    if [ -d "$temporary" ] || [ -d "$1" ]; then rm -rf -- "$1"; fi
    mv -fT -- "$temporary" "$1"
  elif [ -e "$2.absent" ]; then rm -rf -- "$1"
  elif [ "$3" = 1 ]; then
    echo "the backup of $1 is lost: $2 does not exist"
    return 1
  fi
)sh"},
    {"InstallPackages", R"sh(
  kx_settle_packages || return 1
  if command -v apt-get >/dev/null; then
    kx_apt install -o Dpkg::Options::=--force-confold --no-install-recommends --allow-downgrades \
      -- $1
  elif command -v dnf >/dev/null; then
    kx_uncut dnf install -y -q --setopt=install_weak_deps=False -- \
      $(for each in $1; do echo "$each" | tr = -; done)
  else echo 'neither apt-get nor dnf is there'; return 1; fi
)sh"},
    // Lists, caches and sources of its own, so that those of the host stay as they are.
    {"InstallPackageFiles", R"sh(
  command -v apt-get >/dev/null || { echo 'apt-get is not there'; return 1; }
  packages=$1 from=$2
  kx_settle_packages || return 1
  mkdir -p -- "$from/lists/partial" "$from/archives/partial" || return 1
  echo "deb [trusted=yes] file:$from ./" >"$from/sources.list" || return 1
  set -- -o "Dir::Etc::sourcelist=$from/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o "Dir::State::lists=$from/lists" -o "Dir::Cache::archives=$from/archives" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root \
    -o Acquire::Languages=none -o Dpkg::Options::=--force-confold
  kx_apt update "$@" || return 1
  unfinished=$(kx_unfinished $(sed -n 's/^Package: //p' "$from/Packages"))
  if [ -n "$unfinished" ]; then
    kx_apt install -f --reinstall --no-install-recommends "$@" -- $unfinished || return 1
  fi
  kx_apt install -f --no-install-recommends "$@" -- $packages
)sh"},
    // apt knows which packages were only dependencies.
    {"RemovePackages", R"sh(
  kx_settle_packages || return 1
  if command -v apt-get >/dev/null; then
    unfinished=$(kx_unfinished $1 $2)
    for each in $unfinished; do
      for file in "${3:-/nowhere}/${each}"_*.deb "/var/cache/apt/archives/${each}"_*.deb; do
        # Until all of it is in place dpkg does not know of any of it.
        [ -f "$file" ] || continue
        unpacked=$(kx_dpkg --unpack "$file") && break
      done
    done
    if [ -n "$unfinished" ]; then
      kx_dpkg --force-remove-reinstreq --remove $unfinished || return 1
    fi
    present=$(kx_present $1)
    if [ -n "$present" ]; then kx_apt remove -- $present || return 1; fi
    present=$(kx_present $2)
    [ -n "$present" ] || return 0
    unused=" $(apt-get -s -q autoremove | sed -n 's/^Remv \([^ :]*\).*/\1/p' | tr '\n' ' ')"
    remove=
    for each in $present; do
      case $unused in *" $each "*) remove="$remove $each" ;; esac
    done
    [ -z "$remove" ] || kx_apt remove -- $remove
  elif command -v dnf >/dev/null; then kx_uncut dnf remove -y -q -- $1
  else echo 'neither apt-get nor dnf is there'; return 1; fi
)sh"},
    {"SetService", R"sh(
  systemctl daemon-reload || return 1
  if [ "$(systemctl show -p LoadState --value -- "$1")" = not-found ]; then
    case "$2 $3" in try-restart*) ;; *start*|*enable*) echo "no unit file for the service $1"; return 1 ;; esac
    return 0
  fi
  if [ -n "$3" ]; then systemctl "$3" -- "$1" || return 1; fi
  [ -n "$2" ] || return 0
  systemctl "$2" -- "$1" && return 0
  [ "$2" != try-restart ] || return 0
  systemctl status --no-pager -l -n 20 -- "$1"
  return 1
)sh"},
    {"PutUser", R"sh(
  verb=usermod
  getent passwd -- "$1" >/dev/null || verb=useradd
  user=$1 home=$2 shell=$3 groups=$4 system=$5
  further=
  for group in $groups; do
    [ "$group" = "$user" ] || further=${further:+$further,}$group
  done
  set --
  if [ $verb = useradd ]; then
    set -- -M -U
    if [ "$system" = 1 ]; then set -- "$@" -r; fi
  fi
  if [ -n "$home" ]; then set -- "$@" -d "$home"; fi
  if [ -n "$shell" ]; then set -- "$@" -s "$shell"; fi
  if [ -n "$groups" ]; then set -- "$@" -G "$further"; fi
  if [ $verb = useradd ] || [ $# -gt 0 ]; then $verb "$@" -- "$user"; fi
)sh"},
    {"RemoveUser", R"sh(
  getent passwd -- "$1" >/dev/null || return 0
  userdel -- "$1"
)sh"},
    {"SetSysctl", R"sh(
  printf '%s\n' "$2" >"/proc/sys/$(echo "$1" | tr . /)"
)sh"},
    {"SetKernelModule", R"sh(
  if [ "$2" = 1 ]; then modprobe -- "$1"; return; fi
  said=$(modprobe -r -- "$1" 2>&1) && return 0
  users=$(cat "/sys/module/$(echo "$1" | tr - _)/refcnt" 2>/dev/null) || users=0
  [ "$users" -gt 0 ] || { printf '%s\n' "$said"; return 1; }
)sh"},
    {"ExtractArchive", R"sh(
  tar -x --no-same-owner --strip-components "$3" -f "$1" -C "$2"
)sh"},
    {"RunScript", R"sh(
  sh -c "$1"
)sh"},
    {"AppendRecord", R"sh(
  (umask 077; mkdir -p -- "$(dirname -- "$1")" && : >>"$1") || return 1
  size=$(stat -c %s -- "$1") || return 1
  # A line that was cut off goes, so that the next one is whole.
  if [ "$size" -gt 0 ] && [ "$(tail -c 1 -- "$1" | wc -l)" = 0 ]; then
    size=$((size - $(tail -n 1 -- "$1" | wc -c)))
    truncate -s "$size" -- "$1" || return 1
  fi
  { printf %s "$2" | base64 -d && echo; } >>"$1" && sync -- "$1" && return 0
  truncate -s "$size" -- "$1"
  return 1
)sh"},
    // A symbolic link, because its creation is atomic and has the owner as target, also on a full
    // disk. Its modification time is that of the last renewal.
    {"AcquireLock", R"sh(
  (umask 077; mkdir -p -- "$(dirname -- "$1")") || return 1
  now=$(date +%s)
  for attempt in 1 2; do
    if said=$(ln -sT -- "$2" "$1" 2>&1); then holder=$2 beat=$now; break; fi
    holder=$(readlink -- "$1" 2>/dev/null)
    # Where nobody has it, it was released just now, or it cannot be made.
    if ! beat=$(stat -c %Y -- "$1" 2>/dev/null); then
      [ $attempt = 2 ] || continue
      printf '%s\n' "$said"
      return 1
    fi
    [ "$holder" != "$2" ] && [ $((now - beat)) -ge "$3" ] &&
      mv -T -- "$1" "$1.stale.$$" 2>/dev/null || break
    rm -rf -- "$1.stale.$$"
  done
  if [ "$holder" = "$2" ]; then
    touch -h -- "$1" || return 1
    echo held=1
  elif [ "$4" = 1 ]; then
    echo "locked by $holder, renewed $((now - beat)) s ago"
    return 1
  fi
  echo "owner=$holder"
  echo "age_seconds=$((now - beat))"
)sh"},
    {"ReleaseLock", R"sh(
  if [ "$(readlink -- "$1" 2>/dev/null)" = "$2" ]; then rm -f -- "$1"; fi
)sh"},
    {"StartJob", R"sh(
  [ ! -d "$1" ] || return 0
  (umask 077; mkdir -p -- "$(dirname -- "$1")" && rm -rf -- "$1.part" && mkdir -- "$1.part") ||
    return 1
  printf '%s\n' "$2" >"$1.part/script"
  : >"$1.part/output"
  # Its own session, and none of our streams: it must not notice when we go.
  KX_JOB=$1 setsid $(kx_scope) sh -c 'echo $$ >"$KX_JOB.part/pid"; mv -T "$KX_JOB.part" "$KX_JOB"
    env -u KX_JOB -u KUBEXMS_EXEC sh "$KX_JOB/script" >"$KX_JOB/output" 2>&1
    echo $? >"$KX_JOB/exit.part"; mv "$KX_JOB/exit.part" "$KX_JOB/exit"' \
    >/dev/null 2>&1 </dev/null 3>&- &
  end=$(($(kx_now) + 60))
  while [ ! -d "$1" ] && [ "$(kx_now)" -lt $end ]; do sleep 0.01; done
  [ -d "$1" ]
)sh"},
};

constexpr std::string_view kPrelude = R"sh(
# Seconds that no change of the clock disturbs.
kx_now() { cut -d. -f1 /proc/uptime; }
# Ends with the words that put a command outside of the session we came by: a host may end all that
# is in a session when it is closed.
kx_scope() {
  [ ! -d /run/systemd/system ] || ! systemd-run -q --scope true >/dev/null 2>&1 ||
    echo systemd-run -q --scope --description=kubexms
}
# Runs a package manager, which must never be cut off: it has a session of its own, does not carry
# our mark, and writes to a file, so that it continues when this shell is killed or the connection
# is lost.
# One at a time: whoever comes next waits for the one that runs.
kx_uncut() {
  job=$(mktemp -d /run/kubexms.XXXXXX) || return 1
  env -u KUBEXMS_EXEC setsid $(kx_scope) flock -o /run/kubexms-packages.lock sh -c '
    job=$1 waits=$2
    shift 2
    "$@" >"$job/output" 2>&1
    echo $? >"$job/exit"
    kill -0 "$waits" 2>/dev/null || rm -rf -- "$job"' sh "$job" $$ "$@" \
    >"$job/said" 2>&1 </dev/null 3>&- &
  wait $!
  result=$(cat "$job/exit" 2>/dev/null) || result=1
  cat "$job/said" "$job/output" 2>/dev/null
  rm -rf -- "$job"
  return "$result"
}
# dpkg by itself does not wait for another one, such as that of unattended upgrades.
kx_dpkg() {
  end=$(($(kx_now) + 300))
  until said=$(kx_uncut env DEBIAN_FRONTEND=noninteractive dpkg "$@"); do
    case $said in *'locked by another process'*) ;; *) printf '%s\n' "$said"; return 1 ;; esac
    if [ "$(kx_now)" -ge $end ]; then printf '%s\n' "$said"; return 1; fi
    sleep 1
  done
}
# Waits for one of ours that still runs, and finishes what was cut off because the host went down.
# Where that fails, the packages that we are about say so themselves.
kx_settle_packages() {
  kx_uncut true || return 1
  command -v dpkg >/dev/null || return 0
  [ -z "$(dpkg --audit 2>/dev/null)" ] || settled=$(kx_dpkg --configure -a --force-confold) || true
}
kx_apt() {
  verb=$1
  shift
  set -- env DEBIAN_FRONTEND=noninteractive apt-get "$verb" -y -q -o DPkg::Lock::Timeout=300 "$@"
  said=$(kx_uncut "$@") && return 0
  case $said in
    *'dpkg --configure -a'*) kx_dpkg --configure -a --force-confold && kx_uncut "$@" ;;
    *) printf '%s\n' "$said"; return 1 ;;
  esac
}
# Sets $part to the prefix of temporary names for a path. Leftovers of an interrupted command are
# removed.
kx_part() {
  part=${1%/*}/.kubexms.${1##*/}
  for left in "$part".??????; do
    if [ -e "$left" ] || [ -L "$left" ]; then rm -rf -- "$left"; fi
  done
}
kx_attributes() {
  if [ -n "$3$4" ]; then chown -h -- "$3${4:+:$4}" "$1" || return 1; fi
  if [ -n "$2" ]; then chmod -- "$2" "$1"; fi
}
# Those of the packages whose installation was cut off, so that apt does not know what to do.
kx_unfinished() {
  [ $# = 0 ] || dpkg-query -W -f='${db:Status-Eflag} ${Package}\n' -- "$@" 2>/dev/null |
    sed -n 's/^reinstreq //p'
}
# Those of the packages that are there, also in parts.
kx_present() {
  [ $# = 0 ] || dpkg-query -W -f='${db:Status-Status} ${Package}\n' -- "$@" 2>/dev/null |
    sed -n '/^not-installed /d;/^config-files /d;s/.* //p'
}
)sh";

std::string_view FunctionBody(std::string_view name) {
  for (const ShellFunction& function : kFunctions) {
    if (function.name == name) return function.body;
  }
  KUBEXMS_CHECK(false && "every operation has a shell function");
  return {};
}

struct ArgumentWriter {
  void operator()(std::string_view, const std::string& value) { Add(ShellQuote(value)); }
  void operator()(std::string_view, bool value) { Add(value ? "1" : "0"); }
  void operator()(std::string_view, int64_t value) { Add(fmt::to_string(value)); }
  void Bytes(std::string_view, const std::string& value) { Add(ShellQuote(EncodeBase64(value))); }

  void Add(std::string_view word) {
    arguments += ' ';
    arguments += word;
  }

  std::string arguments;
};

std::string Arguments(const Operation& operation) {
  return std::visit(
      [](const auto& op) {
        ArgumentWriter writer;
        std::decay_t<decltype(op)>::Visit(op, writer);
        return std::move(writer.arguments);
      },
      operation);
}

// Takes the fields out of "name=value" lines, and the bytes that follow an empty line.
class AnswerReader {
 public:
  explicit AnswerReader(std::string_view text) : text_(text.substr(0, text.find("\n\n"))) {
    if (text_.size() < text.size()) bytes_ = text.substr(text_.size() + 2);
  }

  void operator()(std::string_view name, std::string& value) { value = Line(name); }
  void operator()(std::string_view name, bool& value) { value = Line(name) == "1"; }
  void operator()(std::string_view name, int64_t& value) {
    const std::string_view line = Line(name);
    std::from_chars(line.data(), line.data() + line.size(), value);
  }
  void Bytes(std::string_view, std::string& value) { value = bytes_; }

 private:
  // Where the value of the first line with this name begins.
  size_t Find(std::string_view name) const {
    const std::string start = fmt::format("{}=", name);
    for (size_t at = 0; at < text_.size();) {
      if (text_.substr(at).starts_with(start)) return at + start.size();
      at = text_.find('\n', at);
      if (at == std::string_view::npos) break;
      ++at;
    }
    return std::string_view::npos;
  }
  std::string_view Line(std::string_view name) const {
    const size_t begin = Find(name);
    if (begin == std::string_view::npos) return {};
    return text_.substr(begin, text_.find('\n', begin) - begin);
  }

  std::string_view text_;
  std::string_view bytes_;
};

template <class ResultType>
OperationResult ReadAnswer(std::string_view text) {
  ResultType answer;
  AnswerReader reader(text);
  ResultType::Visit(answer, reader);
  return answer;
}

template <>
OperationResult ReadAnswer<Done>(std::string_view text) {
  return Done{std::string(text)};
}

OperationResult ReadAnswerOf(const Operation& operation, std::string_view text) {
  return std::visit(
      [&](const auto& op) {
        return ReadAnswer<typename std::decay_t<decltype(op)>::ResultType>(text);
      },
      operation);
}

// One frame of the output: "MARKER begin\n" text "\nMARKER end CODE\n".
struct Frame {
  std::string_view text;
  int exit_code = 0;
};

std::optional<Frame> TakeFrame(std::string_view& output, std::string_view marker) {
  const std::string begin = fmt::format("{} begin\n", marker);
  const std::string end = fmt::format("\n{} end ", marker);
  const size_t from = output.find(begin);
  if (from == std::string_view::npos) return std::nullopt;
  const size_t start = from + begin.size();
  const size_t to = output.find(end, start);
  if (to == std::string_view::npos) return std::nullopt;
  Frame frame{.text = output.substr(start, to - start)};
  const size_t code = to + end.size();
  const size_t line = output.find('\n', code);
  if (line == std::string_view::npos) return std::nullopt;
  std::from_chars(output.data() + code, output.data() + line, frame.exit_code);
  output.remove_prefix(line + 1);
  return frame;
}

}  // namespace

std::string MakeScript(std::span<const Operation> operations, std::string_view marker) {
  std::string script(kPrelude);
  std::set<std::string_view> defined;
  for (const Operation& operation : operations) {
    const std::string_view name = OperationName(operation);
    if (!defined.insert(name).second) continue;
    script += fmt::format("kx_{}() {{{}}}\n", name, FunctionBody(name));
  }
  // A subshell for each, so that no variable passes from one to the next.
  script += fmt::format(
      "kx_run() {{\n  echo '{0} begin'\n  (\"$@\") 2>&1 </dev/null\n  kx_code=$?\n"
      "  printf '\\n{0} end %d\\n' $kx_code\n  [ $kx_code = 0 ] || exit 0\n}}\n",
      marker);
  for (const Operation& operation : operations) {
    script += fmt::format("kx_run kx_{}{}\n", OperationName(operation), Arguments(operation));
  }
  return script;
}

Result<std::vector<OperationResult>> ParseResults(std::span<const Operation> operations,
                                                  std::string_view output,
                                                  std::string_view marker) {
  std::vector<OperationResult> results;
  for (const Operation& operation : operations) {
    const std::optional<Frame> frame = TakeFrame(output, marker);
    if (!frame) {
      return Error::ServiceUnavailable(
          fmt::format("{}: the output of the host is truncated", Describe(operation)));
    }
    if (frame->exit_code != 0) {
      return CommandFailed(Describe(operation),
                           {.exit_code = frame->exit_code, .output = std::string(frame->text)});
    }
    results.push_back(ReadAnswerOf(operation, frame->text));
  }
  return results;
}

}  // namespace kubexms::automation
