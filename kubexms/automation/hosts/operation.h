#pragma once

// Operations on a host, as values: queries and changes.
//
// All code above the Connector uses operations, never the commands of one distribution. So many
// operations travel in one round trip, the undo data of a change is a list of operations that a
// journal stores and another process performs, and a simulated host performs them in memory.
//
// Each operation lists its fields once, in Visit, from which follow the arguments of the shell
// function that performs it on a real host (shell_functions.h) and its JSON form. Queries change
// nothing. Changes are idempotent.

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

// The result of a change: the output of its programs.
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
  std::string boot_id;    // changes with every boot
  std::string addresses;  // of all interfaces but loopback, separated by spaces
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
  int64_t modified_ns = 0;  // since 1970, by the clock of the host
  std::string sha256;       // of a file
  std::string target;       // of a link
  std::string content;      // of a file, when the query requests it

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
  std::string versions;  // of the installed ones: "name=version", separated by spaces

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("versions", self.versions);
  }
};

struct ServiceState {
  bool exists = false;
  bool active = false;
  bool enabled = false;
  int64_t active_since_ns = 0;  // since 1970, by the clock of the host; accurate to about 10 ms

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
  std::string groups;  // separated by spaces, the primary one first

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
  std::string value;  // words separated by single spaces

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
  std::string output;  // of both streams

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("exit_code", self.exit_code);
    field.Bytes("output", self.output);
  }
};

struct LockState {
  bool held = false;        // by the owner in the operation
  std::string owner;        // the current holder
  int64_t age_seconds = 0;  // since the last renewal

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
  std::string output;  // from the offset of the query

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("state", self.state);
    field("exit_code", self.exit_code);
    field("output_size", self.output_size);
    field.Bytes("output", self.output);
  }
};

// OperationResult and Operation are std::variants whose special members are defined in
// operation.cc: with so many alternatives they take a second to compile, and nearly every unit
// would.
class OperationResult
    : public std::variant<Done, SystemFacts, PathState, PackageState, PackageVersions, ServiceState,
                          UserState, SysctlState, KernelModuleState, PortState, ProbeResult,
                          LockState, JobState> {
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
  bool content = false;  // include the content, if it is a file of at most a mebibyte
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

// The versions of many packages at the cost of one.
struct GetPackages {
  static constexpr std::string_view kName = "GetPackages";
  using ResultType = PackageVersions;
  std::string packages;  // names separated by spaces
  bool operator==(const GetPackages&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("packages", self.packages);
  }
};

struct GetService {
  static constexpr std::string_view kName = "GetService";
  using ResultType = ServiceState;
  std::string service;  // a systemd unit: "containerd.service"; ".service" is optional
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

// Whether a program on the host listens on a TCP port, at any address.
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

// Runs a command that changes nothing. Every exit code is a result.
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
  int64_t offset = 0;  // of the output to return
  bool operator==(const GetJob&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("directory", self.directory);
    field("offset", self.offset);
  }
};

// Replaces the file atomically, also with respect to crashes. The directory must exist. Owner and
// group default to those of the login.
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

// Sets mode and owner of an existing path; empty values are not changed.
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

// Creates one directory; its parent must exist.
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

// Removes a file, a link or a directory. A directory that is not empty is removed only if
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

// Stores the state of `path`, including its absence, as `backup`. An existing backup is not
// overwritten, so it has the first state. Creates the parent directories of `backup`.
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

// Restores the state that BackupPath has stored; the backup is retained. Without a backup nothing
// happens (BackupPath never ran), or it fails, when it is `required` (BackupPath did run).
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

// Installs packages by apt or dnf, non-interactively. Names are separated by spaces; "name=version"
// requests a version, which may be a downgrade.
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

// Installs packages and their missing dependencies by apt, only from the files in `directory`,
// which the index "Packages" there lists: neither the sources of the host nor the network are used.
// apt verifies the files against the index.
struct InstallPackageFiles {
  static constexpr std::string_view kName = "InstallPackageFiles";
  using ResultType = Done;
  std::string packages;  // names separated by spaces
  std::string directory;
  bool operator==(const InstallPackageFiles&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("packages", self.packages);
    field("directory", self.directory);
  }
};

// Removes those of the packages that are installed. `dependencies` were installed with them, and
// are removed unless a user has requested them since or another package needs them. A package whose
// installation was interrupted is removed completely if its file is still in `directory` or in the
// cache of apt.
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

// Sets the state of a service, after a daemon-reload. A missing service is stopped and disabled.
struct SetService {
  static constexpr std::string_view kName = "SetService";
  using ResultType = Done;
  std::string service;
  // "start", "stop", "restart", or empty: unchanged. "try-restart" restarts a service only if it
  // runs, and does not fail when the service does.
  std::string active;
  std::string enabled;  // "enable", "disable", or empty: unchanged
  bool operator==(const SetService&) const = default;

  template <class Self, class Field>
  static void Visit(Self& self, Field& field) {
    field("service", self.service);
    field("active", self.active);
    field("enabled", self.enabled);
  }
};

// Creates the user, with a group of the same name, or changes the fields that are not empty.
struct PutUser {
  static constexpr std::string_view kName = "PutUser";
  using ResultType = Done;
  std::string user;
  std::string home;
  std::string shell;
  std::string groups;  // all of them, separated by spaces; they must exist; its own is optional
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

// Sets a kernel parameter until the next boot; a file in /etc/sysctl.d makes it permanent.
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

// Loads or unloads a kernel module until the next boot; a file in /etc/modules-load.d makes it
// permanent. A module in use is not unloaded.
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

// Extracts a tar archive, compressed or not, into an existing directory, without the first `strip`
// components of each name.
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

// Runs a command, which its author must make idempotent. Fails when the exit code is not zero.
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

// Appends a line durably to a file that only root can read. Creates its parent directories.
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

// Acquires or renews a lock. A lock that was not renewed for `stale_seconds` is taken over. A lock
// of another owner is an error when `required`, so that later operations are not performed, and a
// result otherwise.
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

// Releases a lock. Does nothing when another owner holds it.
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

// Starts a command that survives the connection, and returns at once; GetJob polls it. Does nothing
// when `directory` has a job, running or done.
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
// For people: "write /etc/hosts". Without contents.
std::string Describe(const Operation& operation);

// {"operation": "WriteFile", "path": …}. Bytes are written in base64.
JsonObject ToJson(const Operation& operation);
Result<Operation> OperationFromJson(const Json& json);

// The results of queries, by query.
class Facts {
 public:
  void Add(Operation query, OperationResult result) {
    entries_.emplace_back(std::move(query), std::move(result));
  }
  // The newest result, or null when the query was not performed. A GetPath with content also serves
  // a GetPath without.
  template <class Query>
  const typename Query::ResultType* Find(const Query& query) const {
    const OperationResult* result = FindResult(query);
    return result ? std::get_if<typename Query::ResultType>(result) : nullptr;
  }
  // For queries that were performed.
  template <class Query>
  const typename Query::ResultType& Get(const Query& query) const {
    const auto* result = Find(query);
    KUBEXMS_CHECK(result != nullptr);
    return *result;
  }
  bool HasAll(std::span<const Operation> queries) const;

 private:
  const OperationResult* FindResult(const Operation& query) const;

  std::vector<std::pair<Operation, OperationResult>> entries_;
};

}  // namespace kubexms::automation
