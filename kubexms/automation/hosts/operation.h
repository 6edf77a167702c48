#pragma once

// The vocabulary of a host: what can be asked of it and what can be done to it, as values.
//
// Everything above the Connector speaks in these, never in the commands of one distribution, and
// that is what makes the rest possible. Many operations travel in one round trip. The undo of a
// change is a list of operations too, so it can be written to a journal and performed by another
// process. And a simulated host performs them on maps in memory.
//
// Each operation lists its fields once, in Visit; from that come the arguments of the shell
// function that performs it on a real host (shell_functions.h), its JSON form and equality.
// Queries change nothing. Changes are idempotent: performed twice they leave what once leaves.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// What a change has to say: what its programs printed.
struct Done {
  std::string output;
};

struct SystemFacts {
  std::string hostname;
  std::string os;  // of /etc/os-release: "debian", "rocky"
  std::string os_version;
  std::string architecture;  // "x86_64", "aarch64"
  std::string kernel;
  int64_t cpus = 0;
  int64_t memory_bytes = 0;
  int64_t swap_bytes = 0;
  std::string package_manager;  // "apt", "dnf" or empty
  bool systemd = false;
  std::string boot_id;    // another one after every boot
  std::string addresses;  // of all interfaces but loopback, with spaces between
  int64_t time_seconds = 0;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("hostname", self.hostname);
    field("os", self.os);
    field("os_version", self.os_version);
    field("architecture", self.architecture);
    field("kernel", self.kernel);
    field("cpus", self.cpus);
    field("memory_bytes", self.memory_bytes);
    field("swap_bytes", self.swap_bytes);
    field("package_manager", self.package_manager);
    field("systemd", self.systemd);
    field("boot_id", self.boot_id);
    field("addresses", self.addresses);
    field("time_seconds", self.time_seconds);
  }
};

struct PathState {
  std::string kind;  // "absent", "file", "directory", "link" or "other"
  std::string mode;  // octal, four digits
  std::string owner;
  std::string group;
  int64_t size = 0;
  int64_t modified_ns = 0;  // since 1970, by the host's clock
  std::string sha256;       // of a file
  std::string target;       // of a link
  std::string content;      // of a file, when it was asked for

  bool exists() const { return kind != "absent"; }

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("kind", self.kind);
    field("mode", self.mode);
    field("owner", self.owner);
    field("group", self.group);
    field("size", self.size);
    field("modified_ns", self.modified_ns);
    field("sha256", self.sha256);
    field("target", self.target);
    field.Bytes("content", self.content);
  }
};

struct PackageState {
  std::string version;  // empty: not installed

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("version", self.version);
  }
};

struct PackageVersions {
  std::string versions;  // of those that are installed: "name=version", with spaces between

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("versions", self.versions);
  }
};

struct ServiceState {
  bool exists = false;
  bool active = false;
  bool enabled = false;
  int64_t active_since_ns = 0;  // since 1970, by the host's clock; to about 10 ms

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("exists", self.exists);
    field("active", self.active);
    field("enabled", self.enabled);
    field("active_since_ns", self.active_since_ns);
  }
};

struct UserState {
  bool exists = false;
  int64_t uid = 0;
  std::string home;
  std::string shell;
  std::string groups;  // with spaces between, the primary one first

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("exists", self.exists);
    field("uid", self.uid);
    field("home", self.home);
    field("shell", self.shell);
    field("groups", self.groups);
  }
};

struct SysctlState {
  bool exists = false;
  std::string value;  // single spaces between its words

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("exists", self.exists);
    field("value", self.value);
  }
};

struct KernelModuleState {
  bool loaded = false;  // or built into the kernel

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("loaded", self.loaded);
  }
};

struct PortState {
  bool listening = false;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("listening", self.listening);
  }
};

struct ProbeResult {
  int64_t exit_code = 0;
  std::string output;  // both streams

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("exit_code", self.exit_code);
    field.Bytes("output", self.output);
  }
};

struct LockState {
  bool held = false;        // by the one who asked
  std::string owner;        // who holds it
  int64_t age_seconds = 0;  // since the owner was last heard of

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("held", self.held);
    field("owner", self.owner);
    field("age_seconds", self.age_seconds);
  }
};

struct JobState {
  std::string state;  // "absent", "running", "done", or "lost": ended without leaving an exit code
  int64_t exit_code = 0;
  int64_t output_size = 0;
  std::string output;  // from the offset that was asked for

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("state", self.state);
    field("exit_code", self.exit_code);
    field("output_size", self.output_size);
    field.Bytes("output", self.output);
  }
};

// This and Operation are std::variants, but copied, moved and destroyed in operation.cc: with so
// many alternatives that takes a second to compile, and nearly every unit does it.
class OperationResult : public std::variant<Done, SystemFacts, PathState, PackageState, PackageVersions,
                                   ServiceState, UserState, SysctlState, KernelModuleState,
                                   PortState, ProbeResult, LockState, JobState> {
 public:
  using variant::variant;
  OperationResult();
  OperationResult(const OperationResult&);
  OperationResult(OperationResult&&) noexcept;
  OperationResult& operator=(const OperationResult&);
  OperationResult& operator=(OperationResult&&) noexcept;
  ~OperationResult();
};

struct GetSystemFacts {
  static constexpr std::string_view kName = "GetSystemFacts";
  using ResultType = SystemFacts;
  bool operator==(const GetSystemFacts&) const = default;

  template <class Self, class Field>
  static void Visit(Self&, Field&) {}
};

struct GetPath {
  static constexpr std::string_view kName = "GetPath";
  using ResultType = PathState;
  std::string path;
  bool content = false;  // answer with it, if it is a file of at most a mebibyte
  bool operator==(const GetPath&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("content", self.content);
  }
};

struct GetPackage {
  static constexpr std::string_view kName = "GetPackage";
  using ResultType = PackageState;
  std::string package;
  bool operator==(const GetPackage&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("package", self.package);
  }
};

// Many at the price of one.
struct GetPackages {
  static constexpr std::string_view kName = "GetPackages";
  using ResultType = PackageVersions;
  std::string packages;  // with spaces between the names
  bool operator==(const GetPackages&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("packages", self.packages);
  }
};

struct GetService {
  static constexpr std::string_view kName = "GetService";
  using ResultType = ServiceState;
  std::string service;  // a unit of systemd: "containerd.service"; ".service" may be left out
  bool operator==(const GetService&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("service", self.service);
  }
};

struct GetUser {
  static constexpr std::string_view kName = "GetUser";
  using ResultType = UserState;
  std::string user;
  bool operator==(const GetUser&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("user", self.user);
  }
};

struct GetSysctl {
  static constexpr std::string_view kName = "GetSysctl";
  using ResultType = SysctlState;
  std::string key;  // "net.ipv4.ip_forward"
  bool operator==(const GetSysctl&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("key", self.key);
  }
};

struct GetKernelModule {
  static constexpr std::string_view kName = "GetKernelModule";
  using ResultType = KernelModuleState;
  std::string module;
  bool operator==(const GetKernelModule&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("module", self.module);
  }
};

// Whether anything on the host listens on a TCP port, at any address.
struct GetPort {
  static constexpr std::string_view kName = "GetPort";
  using ResultType = PortState;
  int64_t port = 0;
  bool operator==(const GetPort&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("port", self.port);
  }
};

// Runs a command that changes nothing. Any exit code is an answer.
struct Probe {
  static constexpr std::string_view kName = "Probe";
  using ResultType = ProbeResult;
  std::string script;
  bool operator==(const Probe&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("script", self.script);
  }
};

struct GetJob {
  static constexpr std::string_view kName = "GetJob";
  using ResultType = JobState;
  std::string directory;
  int64_t offset = 0;  // of the output to answer with
  bool operator==(const GetJob&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("directory", self.directory);
    field("offset", self.offset);
  }
};

// Replaces the file in one step: a reader sees the old content or the new one, and so does the host
// after a crash. The directory must exist. An empty owner or group: that of the one who writes.
struct WriteFile {
  static constexpr std::string_view kName = "WriteFile";
  using ResultType = Done;
  std::string path;
  std::string mode = "0644";
  std::string owner;
  std::string group;
  std::string content;
  bool operator==(const WriteFile&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("mode", self.mode);
    field("owner", self.owner);
    field("group", self.group);
    field.Bytes("content", self.content);
  }
};

// Mode and owner of what is there; for an empty one nothing changes.
struct SetAttributes {
  static constexpr std::string_view kName = "SetAttributes";
  using ResultType = Done;
  std::string path;
  std::string mode;
  std::string owner;
  std::string group;
  bool operator==(const SetAttributes&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("mode", self.mode);
    field("owner", self.owner);
    field("group", self.group);
  }
};

// One directory; the one above it must exist.
struct MakeDirectory {
  static constexpr std::string_view kName = "MakeDirectory";
  using ResultType = Done;
  std::string path;
  std::string mode = "0755";
  std::string owner;
  std::string group;
  bool operator==(const MakeDirectory&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("mode", self.mode);
    field("owner", self.owner);
    field("group", self.group);
  }
};

struct MakeLink {
  static constexpr std::string_view kName = "MakeLink";
  using ResultType = Done;
  std::string path;
  std::string target;
  bool operator==(const MakeLink&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("target", self.target);
  }
};

// Removes a file, a link or a directory. A directory that is not empty stays as it is unless
// `recursive`.
struct RemovePath {
  static constexpr std::string_view kName = "RemovePath";
  using ResultType = Done;
  std::string path;
  bool recursive = false;
  bool operator==(const RemovePath&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("recursive", self.recursive);
  }
};

// Keeps what is at `path`, or that there is nothing, under the name `backup`. Where that name is
// taken the first state stays the one that is kept. Makes the directories of `backup`.
struct BackupPath {
  static constexpr std::string_view kName = "BackupPath";
  using ResultType = Done;
  std::string path;
  std::string backup;
  bool operator==(const BackupPath&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("backup", self.backup);
  }
};

// Brings back what BackupPath kept; the backup stays. Where there is none nothing happens, because
// BackupPath never ran, or it is an error, when it is `required`, because it did.
struct RestorePath {
  static constexpr std::string_view kName = "RestorePath";
  using ResultType = Done;
  std::string path;
  std::string backup;
  bool required = false;
  bool operator==(const RestorePath&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("backup", self.backup);
    field("required", self.required);
  }
};

// By apt or dnf, without questions. With spaces between the names; "name=version" asks for one,
// which may be older than the one that is there.
struct InstallPackages {
  static constexpr std::string_view kName = "InstallPackages";
  using ResultType = Done;
  std::string packages;
  bool operator==(const InstallPackages&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("packages", self.packages);
  }
};

// From the files that are in `directory` and in the index of them, its file "Packages", and from
// nowhere else: neither the host's own sources nor the network are used. What the packages need and
// the host lacks is installed with them. By apt; the files are checked against the index.
struct InstallPackageFiles {
  static constexpr std::string_view kName = "InstallPackageFiles";
  using ResultType = Done;
  std::string packages;  // with spaces between the names
  std::string directory;
  bool operator==(const InstallPackageFiles&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("packages", self.packages);
    field("directory", self.directory);
  }
};

// Those of them that are there. `dependencies` came with them, and go with them unless somebody has
// asked for one since or another package needs it. Of one whose installation was cut off everything
// goes if its file is still in `directory`, or where apt keeps files.
struct RemovePackages {
  static constexpr std::string_view kName = "RemovePackages";
  using ResultType = Done;
  std::string packages;
  std::string dependencies;
  std::string directory;
  bool operator==(const RemovePackages&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("packages", self.packages);
    field("dependencies", self.dependencies);
    field("directory", self.directory);
  }
};

// Reads the unit files again first. A service that is gone counts as stopped and disabled.
struct SetService {
  static constexpr std::string_view kName = "SetService";
  using ResultType = Done;
  std::string service;
  // "start", "stop", "restart", or empty: as it is. "try-restart" restarts one that runs, so that
  // it reads its files again; one that cannot is left to say so itself.
  std::string active;
  std::string enabled;  // "enable", "disable", or empty: as it is
  bool operator==(const SetService&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("service", self.service);
    field("active", self.active);
    field("enabled", self.enabled);
  }
};

// Makes the user, with a group of the same name, or changes what is not empty here.
struct PutUser {
  static constexpr std::string_view kName = "PutUser";
  using ResultType = Done;
  std::string user;
  std::string home;
  std::string shell;
  std::string groups;  // all of them, with spaces between; they must exist; its own may be left out
  bool system = true;
  bool operator==(const PutUser&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("user", self.user);
    field("home", self.home);
    field("shell", self.shell);
    field("groups", self.groups);
    field("system", self.system);
  }
};

struct RemoveUser {
  static constexpr std::string_view kName = "RemoveUser";
  using ResultType = Done;
  std::string user;
  bool operator==(const RemoveUser&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("user", self.user);
  }
};

// Until the next boot; what is to stay is a file in /etc/sysctl.d.
struct SetSysctl {
  static constexpr std::string_view kName = "SetSysctl";
  using ResultType = Done;
  std::string key;
  std::string value;
  bool operator==(const SetSysctl&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("key", self.key);
    field("value", self.value);
  }
};

// Until the next boot; what is to stay is a file in /etc/modules-load.d. One that is in use by now
// is not unloaded.
struct SetKernelModule {
  static constexpr std::string_view kName = "SetKernelModule";
  using ResultType = Done;
  std::string module;
  bool loaded = true;
  bool operator==(const SetKernelModule&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("module", self.module);
    field("loaded", self.loaded);
  }
};

// Unpacks a tar archive of any compression that tar knows into a directory that exists, leaving out
// the first `strip` parts of each name.
struct ExtractArchive {
  static constexpr std::string_view kName = "ExtractArchive";
  using ResultType = Done;
  std::string archive;
  std::string directory;
  int64_t strip = 0;
  bool operator==(const ExtractArchive&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("archive", self.archive);
    field("directory", self.directory);
    field("strip", self.strip);
  }
};

// Any command; that it is idempotent is up to its author. Fails when its exit code is not zero.
struct RunScript {
  static constexpr std::string_view kName = "RunScript";
  using ResultType = Done;
  std::string script;
  bool operator==(const RunScript&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("script", self.script);
  }
};

// Adds a line to a file that only root can read, durably. Makes its directories.
struct AppendRecord {
  static constexpr std::string_view kName = "AppendRecord";
  using ResultType = Done;
  std::string path;
  std::string line;
  bool operator==(const AppendRecord&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field.Bytes("line", self.line);
  }
};

// Takes a lock, or says again that its owner is alive. One whose owner has not been heard of for
// `stale_seconds` is taken over. Not to get it is a failure when it is required, so that nothing
// after it is performed, and an answer otherwise.
struct AcquireLock {
  static constexpr std::string_view kName = "AcquireLock";
  using ResultType = LockState;
  std::string path;
  std::string owner;
  int64_t stale_seconds = 60;
  bool required = false;
  bool operator==(const AcquireLock&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("owner", self.owner);
    field("stale_seconds", self.stale_seconds);
    field("required", self.required);
  }
};

// Nothing happens when another one holds it.
struct ReleaseLock {
  static constexpr std::string_view kName = "ReleaseLock";
  using ResultType = Done;
  std::string path;
  std::string owner;
  bool operator==(const ReleaseLock&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("path", self.path);
    field("owner", self.owner);
  }
};

// Starts a command that outlives the connection; GetJob follows it. Where `directory` has a job
// already, running or done, that one is the job. Facts at once.
struct StartJob {
  static constexpr std::string_view kName = "StartJob";
  using ResultType = Done;
  std::string directory;
  std::string script;
  bool operator==(const StartJob&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("directory", self.directory);
    field("script", self.script);
  }
};

class Operation
    : public std::variant<
          GetSystemFacts, GetPath, GetPackage, GetPackages, GetService, GetUser, GetSysctl,
          GetKernelModule, GetPort, Probe, GetJob, WriteFile, SetAttributes, MakeDirectory,
          MakeLink, RemovePath, BackupPath, RestorePath, InstallPackages, InstallPackageFiles,
          RemovePackages, SetService, PutUser, RemoveUser, SetSysctl, SetKernelModule,
          ExtractArchive, RunScript, AppendRecord, AcquireLock, ReleaseLock, StartJob> {
 public:
  using variant::variant;
  Operation();
  Operation(const Operation&);
  Operation(Operation&&) noexcept;
  Operation& operator=(const Operation&);
  Operation& operator=(Operation&&) noexcept;
  ~Operation();
  bool operator==(const Operation& other) const;
};

std::string_view OperationName(const Operation& operation);
bool IsQuery(const Operation& operation);
// What it does, for people: "write /etc/hosts". Contents are left out.
std::string Describe(const Operation& operation);

// {"operation": "WriteFile", "path": …}. Bytes are written in base64.
JsonObject ToJson(const Operation& operation);
Result<Operation> OperationFromJson(const Json& json);

// Facts by the query they answer.
class Facts {
 public:
  void Add(Operation query, OperationResult answer) {
    entries_.emplace_back(std::move(query), std::move(answer));
  }
  // The newest answer, or null when the query was not asked. A GetPath with content also answers
  // one without.
  template <class Query>
  const typename Query::ResultType* Find(const Query& query) const {
    const OperationResult* answer = FindResult(query);
    return answer ? std::get_if<typename Query::ResultType>(answer) : nullptr;
  }
  // For queries that were asked for certain.
  template <class Query>
  const typename Query::ResultType& Get(const Query& query) const {
    const auto* answer = Find(query);
    KUBEXMS_CHECK(answer != nullptr);
    return *answer;
  }
  bool HasAll(std::span<const Operation> queries) const;

 private:
  const OperationResult* FindResult(const Operation& query) const;

  std::vector<std::pair<Operation, OperationResult>> entries_;
};

}  // namespace kubexms::automation
