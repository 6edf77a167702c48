#include "kubexms/automation/lab/lab.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/hosts/ssh_connector.h"
#include "kubexms/automation/journal/timestamp.h"
#include "kubexms/automation/lab/lab_image.h"
#include "kubexms/automation/lab/lab_machine.h"
#include "kubexms/base/small_file.h"

namespace kubexms::automation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNetworkLock = "/run/kubexms-lab.lock";
constexpr std::chrono::seconds kLoginTimeout{90};
constexpr size_t kMaxFile = 1 << 20;

std::string ImageIn(const std::string& directory) { return directory + "/images/debian-12"; }

bool Exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

Result<std::string> ReadFileIfThere(const std::string& path) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadSmallFile(path, kMaxFile));
  return text.value_or("");
}

// The kind and the key, without the comment and the end of the line.
Result<std::string> ReadPublicKey(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFileIfThere(path));
  const size_t kind = text.find(' ');
  return text.substr(0, text.find_first_of(" \n", kind == std::string::npos ? 0 : kind + 1));
}

// It becomes part of mount options and of a script.
Result<void> CheckDirectory(const std::string& directory) {
  const bool good = directory.starts_with('/') &&
                    std::all_of(directory.begin(), directory.end(), [](unsigned char c) {
                      return std::isalnum(c) || c == '/' || c == '.' || c == '_' || c == '-';
                    });
  if (good) return {};
  return Error::BadRequest(fmt::format(
      "--dir: \"{}\" must be an absolute path of letters, digits, \".\", \"_\" and \"-\"",
      directory));
}

std::string NetworkConfiguration(const LabState& state, const LabHost& host) {
  return fmt::format(
      "[Match]\nName=host0\n\n[Network]\nAddress={}/{}\nGateway={}\nLinkLocalAddressing=no\n"
      "IPv6AcceptRA=no\n",
      host.address, state.subnet.prefix, state.gateway());
}

// The files that a killed systemd-nspawn leaves in /run.
void RemoveNspawnFiles(const std::string& machine, const std::string& root) {
  constexpr const char* kRun = "/run/systemd/nspawn";
  std::error_code ignored;
  fs::remove_all(fmt::format("{}/propagate/{}", kRun, machine), ignored);
  struct stat status {};
  if (::stat(root.c_str(), &status) != 0) return;
  fs::remove(fmt::format("{}/locks/inode-{}:{}", kRun, status.st_dev, status.st_ino), ignored);
}

// Joins the control groups, which are its arguments, and becomes systemd-nspawn. A container
// runtime gives each container a keyring and, with version 2 of control groups, a program for its
// devices.
constexpr std::string_view kStartScript = R"sh(
for group; do echo $$ >"$group/cgroup.procs" || exit 1; done
exec systemd-nspawn --quiet --register=no --keep-unit --boot --directory="$ROOT" \
  --machine="$MACHINE" --hostname="$HOST" --network-bridge="$BRIDGE" --capability=all \
  --system-call-filter='@keyring bpf' --bind="$DATA:/var/lib/containerd" $MODULES --link-journal=no \
  --resolv-conf=off --timezone=off --console=read-only)sh";

}  // namespace

Lab::Lab(LabOptions options, Connector* local, Clock* clock, Random* random)
    : options_(std::move(options)),
      directory_(options_.directory + "/" + options_.name),
      image_(ImageIn(options_.directory)),
      clock_(clock),
      random_(random),
      runner_(local, clock, {.stop = options_.stop}) {}

Result<void> Lab::Up(const LabUpOptions& options) {
  RETURN_IF_ERROR(CheckMachineCanRunLabs());
  RETURN_IF_ERROR(CheckLabName(options_.name));
  RETURN_IF_ERROR(CheckDirectory(options_.directory));
  std::error_code failed;
  fs::create_directories(directory_, failed);
  if (failed)
    return Error::Internal(fmt::format("cannot create {}: {}", directory_, failed.message()));
  ASSIGN_OR_RETURN(const auto lock, Lock());
  Result<void> built = Build(options);
  RemoveEmptyDirectory();
  return built;
}

Result<void> Lab::Build(const LabUpOptions& options) {
  ASSIGN_OR_RETURN(const LabState state, EnsureNetwork(options));
  RETURN_IF_ERROR(EnsureLabImage(runner_, *clock_,
                                 {.directory = image_,
                                  .mirror = options.mirror,
                                  .progress = options_.progress,
                                  .stop = options_.stop}));
  RETURN_IF_ERROR(EnsureKey(key_file(), fmt::format("kubexms lab {}", state.name)));
  for (const LabHost& host : state.hosts) RETURN_IF_ERROR(EnsureRunning(state, host));
  RETURN_IF_ERROR(EnsureKnownHosts(state));
  for (const LabHost& host : state.hosts) RETURN_IF_ERROR(WaitForLogin(host));
  return {};
}

// One lab of the machine at a time: two must not find the same network free.
Result<LabState> Lab::EnsureNetwork(const LabUpOptions& options) {
  ASSIGN_OR_RETURN(const auto lock, LockNetworks());
  ASSIGN_OR_RETURN(LabState state, Plan(options));
  const HostResource written =
      File{.path = directory_ + "/state.json", .content = WriteLabState(state)};
  RETURN_IF_ERROR(runner_.Ensure(std::span(&written, 1)));
  RETURN_IF_ERROR(EnsureBridge(state));
  return state;
}

Result<std::unique_ptr<ClusterLock>> Lab::LockNetworks() const {
  const std::string owner = fmt::format("kubexms lab (process {})", ::getpid());
  for (;;) {
    auto lock = ClusterLock::Acquire(std::string(kNetworkLock), owner);
    if (lock.ok() || !lock.error().IsConflict()) return lock;
    if (!clock_->SleepFor(std::chrono::milliseconds(20), options_.stop)) return Canceled("lab up");
  }
}

Result<LabState> Lab::Plan(const LabUpOptions& options) const {
  ASSIGN_OR_RETURN(const std::optional<LabState> existing, ReadState());
  const std::vector<Subnet> taken = ReachableNetworks();
  const std::string subnet =
      options.subnet.empty() && existing ? existing->subnet.ToString() : options.subnet;
  ASSIGN_OR_RETURN(
      LabState state,
      PlanLab({.name = options_.name, .hosts = options.hosts, .subnet = subnet}, existing, taken));
  const bool has_bridge = InterfaceExists(state.bridge());
  if (has_bridge && !existing) {
    return Error::BadRequest(
        fmt::format("the interface {} for the bridge of the lab already exists on this machine; "
                    "choose another --name",
                    state.bridge()));
  }
  // After a reboot another program may use the network of the lab.
  const bool taken_since =
      !has_bridge && std::any_of(taken.begin(), taken.end(),
                                 [&](const Subnet& other) { return state.subnet.Overlaps(other); });
  if (taken_since) {
    return Error::BadRequest(fmt::format("the network {} of the lab is in use on this machine",
                                         state.subnet.ToString()));
  }
  return state;
}

Result<void> Lab::EnsureBridge(const LabState& state) {
  const std::string bridge = state.bridge();
  if (!InterfaceExists(bridge)) {
    options_.progress(
        fmt::format("creating the network {} on {}", state.subnet.ToString(), bridge));
    RETURN_IF_ERROR(
        runner_.Run({.script = ShellCommand({"ip", "link", "add", bridge, "type", "bridge"})}));
  }
  const std::string address = fmt::format("{}/{}", state.gateway(), state.subnet.prefix);
  RETURN_IF_ERROR(
      runner_.Run({.script = ShellCommand({"ip", "address", "replace", address, "dev", bridge}) +
                             " && " + ShellCommand({"ip", "link", "set", bridge, "up"})}));
  return {};
}

Result<void> Lab::EnsureKey(const std::string& path, const std::string& comment) {
  if (Exists(path) && Exists(path + ".pub")) return {};
  // Made under another name: what a crash leaves is never taken for a key.
  const std::string part = path + ".part";
  RETURN_IF_ERROR(runner_.Run({.script = ShellCommand({"rm", "-f", part, part + ".pub"}) + " && " +
                                         ShellCommand({"ssh-keygen", "-q", "-t", "ed25519", "-N",
                                                       "", "-C", comment, "-f", part}) +
                                         " && " + ShellCommand({"mv", part, path}) + " && " +
                                         ShellCommand({"mv", part + ".pub", path + ".pub"})}));
  return {};
}

Result<void> Lab::EnsureKnownHosts(const LabState& state) {
  std::string text;
  for (const LabHost& host : state.hosts) {
    ASSIGN_OR_RETURN(const std::string key, ReadPublicKey(HostDirectory(host) + "/host_key.pub"));
    text += fmt::format("{} {}\n", host.address, key);
  }
  const HostResource file = File{.path = known_hosts_file(), .content = text};
  RETURN_IF_ERROR(runner_.Ensure(std::span(&file, 1)));
  return {};
}

Result<void> Lab::EnsureDisk(const LabState& state, const LabHost& host) {
  const std::string directory = HostDirectory(host), root = directory + "/root";
  const HostResource directories[] = {
      Directory{.path = directory + "/upper"}, Directory{.path = directory + "/work"},
      Directory{.path = directory + "/root"}, Directory{.path = directory + "/containerd"}};
  RETURN_IF_ERROR(runner_.Ensure(directories));
  RETURN_IF_ERROR(EnsureKey(directory + "/host_key", host.name));
  if (!IsMounted(root)) {
    const std::string layers =
        fmt::format("lowerdir={},upperdir={}/upper,workdir={}/work", image_, directory, directory);
    RETURN_IF_ERROR(runner_.Run(
        {.script = ShellCommand({"mount", "-t", "overlay", "overlay", "-o", layers, root})}));
  }
  ASSIGN_OR_RETURN(const std::string login, ReadFileIfThere(key_file() + ".pub"));
  ASSIGN_OR_RETURN(const std::string private_key, ReadFileIfThere(directory + "/host_key"));
  ASSIGN_OR_RETURN(const std::string public_key, ReadFileIfThere(directory + "/host_key.pub"));
  const HostResource files[] = {
      File{.path = root + "/etc/hostname", .content = host.name + "\n"},
      // Its key is its own, and so is its id.
      File{.path = root + "/etc/machine-id",
           .content = Sha256Of(public_key).substr(0, 32) + "\n",
           .mode = "0444"},
      File{.path = root + "/etc/hosts",
           .content = fmt::format("127.0.0.1 localhost\n{} {}\n", host.address, host.name)},
      File{.path = root + "/etc/systemd/network/10-host0.network",
           .content = NetworkConfiguration(state, host)},
      Directory{.path = root + "/root/.ssh", .mode = "0700"},
      File{.path = root + "/root/.ssh/authorized_keys", .content = login, .mode = "0600"},
      File{.path = root + "/etc/ssh/ssh_host_ed25519_key",
           .content = private_key,
           .mode = "0600",
           .secret = true},
      File{.path = root + "/etc/ssh/ssh_host_ed25519_key.pub", .content = public_key}};
  RETURN_IF_ERROR(runner_.Ensure(files));
  return {};
}

Result<void> Lab::EnsureRunning(const LabState& state, const LabHost& host) {
  // The disk of a host that runs is its own.
  if (LabCgroups(CgroupOf(host)).HasProcesses()) return {};
  options_.progress(fmt::format("starting {} at {}", host.name, host.address));
  Result<void> done = EnsureDisk(state, host);
  if (done.ok()) done = StartProcess(state, host);
  if (!done.ok()) return done.error().WithContext(fmt::format("start {}", host.name));
  return {};
}

Result<void> Lab::StartProcess(const LabState& state, const LabHost& host) {
  const LabCgroups groups(CgroupOf(host));
  RETURN_IF_ERROR(groups.Create());
  const std::string directory = HostDirectory(host);
  std::vector<std::string> words = {"setsid", "sh", "-c", std::string(kStartScript), "sh"};
  words.insert(words.end(), groups.paths().begin(), groups.paths().end());
  const std::string started = FormatTimestamp(clock_->Now());
  RETURN_IF_ERROR(runner_.Run(
      {.script = "echo \"$STARTED\" >\"$DIRECTORY/started\"\n" + ShellCommand(words) +
                 " </dev/null >\"$DIRECTORY/console.log\" 2>&1 &",
       .environment = {{"DIRECTORY", directory},
                       {"STARTED", started},
                       {"ROOT", directory + "/root"},
                       {"DATA", directory + "/containerd"},
                       {"MACHINE", state.name + "-" + host.name},
                       {"HOST", host.name},
                       {"BRIDGE", state.bridge()},
                       {"MODULES", Exists("/lib/modules") ? "--bind-ro=/lib/modules" : ""}}}));
  return {};
}

Result<void> Lab::WaitForLogin(const LabHost& host) {
  ASSIGN_OR_RETURN(const std::string key, ReadPublicKey(HostDirectory(host) + "/host_key.pub"));
  const LabCgroups groups(CgroupOf(host));
  const auto deadline = clock_->MonotonicNow() + kLoginTimeout;
  // Short at first: packets to an address that no host has yet are lost.
  std::chrono::milliseconds timeout{500};
  for (;;) {
    SshConnections connections;
    const auto connector = MakeSshConnector({.route = {{.host = host.address,
                                                        .user = "root",
                                                        .use_agent = false,
                                                        .private_key_files = {key_file()},
                                                        .host_key = {.pinned = {key}},
                                                        .connect_timeout = timeout}},
                                             .sudo = {}},
                                            &connections, random_);
    const Result<SystemFacts> facts =
        Runner(connector.get(), clock_, {.stop = options_.stop}).Get(GetSystemFacts{});
    if (facts.ok()) return {};
    const std::string log = HostDirectory(host) + "/console.log";
    if (!groups.HasProcesses()) {
      return Error::Internal(fmt::format("{} stopped during its start; see {}", host.name, log));
    }
    if (clock_->MonotonicNow() >= deadline) {
      return facts.error().WithContext(
          fmt::format("no login to {} after {} s; see {}", host.name, kLoginTimeout.count(), log));
    }
    if (!clock_->SleepFor(std::chrono::milliseconds(100), options_.stop)) return Canceled("lab up");
    timeout = std::min(timeout * 2, std::chrono::milliseconds(15'000));
  }
}

Result<void> Lab::PowerOff(const LabHost& host) {
  // The network first, as in a power failure: otherwise the kernel would close the connections of
  // the killed processes. systemd-nspawn has created the interface.
  const std::string interface = fmt::format("vb-{}-{}", options_.name, host.name);
  RETURN_IF_ERROR(runner_.Run(
      {.script = ShellCommand({"ip", "link", "delete", "dev", interface}) + " 2>&1 || ! " +
                 ShellCommand({"ip", "link", "show", "dev", interface}) + " >/dev/null 2>&1"}));
  RETURN_IF_ERROR(LabCgroups(CgroupOf(host)).KillAll(*clock_, options_.stop));
  RemoveNspawnFiles(options_.name + "-" + host.name, HostDirectory(host) + "/root");
  return {};
}

Result<void> Lab::Kill(const std::string& host) {
  RETURN_IF_ERROR(CheckMachineCanRunLabs());
  RETURN_IF_ERROR(State());
  ASSIGN_OR_RETURN(const auto lock, Lock());
  ASSIGN_OR_RETURN(const LabState state, State());
  ASSIGN_OR_RETURN(const LabHost found, FindHost(state, host));
  return PowerOff(found);
}

Result<void> Lab::Start(const std::string& host) {
  RETURN_IF_ERROR(CheckMachineCanRunLabs());
  RETURN_IF_ERROR(State());
  ASSIGN_OR_RETURN(const auto lock, Lock());
  ASSIGN_OR_RETURN(const LabState state, State());
  ASSIGN_OR_RETURN(const LabHost found, FindHost(state, host));
  RETURN_IF_ERROR(EnsureBridge(state));
  RETURN_IF_ERROR(EnsureRunning(state, found));
  return WaitForLogin(found);
}

Result<void> Lab::Down() {
  RETURN_IF_ERROR(CheckMachineCanRunLabs());
  RETURN_IF_ERROR(CheckLabName(options_.name));
  if (!Exists(directory_)) return {};
  ASSIGN_OR_RETURN(const auto lock, Lock());
  ASSIGN_OR_RETURN(const std::optional<LabState> state, ReadState());
  if (state) {
    options_.progress(fmt::format("removing {} hosts of {}", state->hosts.size(), state->name));
    for (const LabHost& host : state->hosts) RETURN_IF_ERROR(PowerOff(host));
    const LabCgroups groups(state->name);
    RETURN_IF_ERROR(groups.KillAll(*clock_, options_.stop));
    RETURN_IF_ERROR(UnmountBelow(directory_));
    RETURN_IF_ERROR(RemoveInterfaces(*state));
    RETURN_IF_ERROR(groups.Remove());
    RETURN_IF_ERROR(RemoveFiles());
  }
  RemoveEmptyDirectory();
  return {};
}

Result<void> Lab::RemoveInterfaces(const LabState& state) {
  if (!InterfaceExists(state.bridge())) return {};
  std::vector<std::string> interfaces;
  std::error_code ignored;
  for (const auto& entry :
       fs::directory_iterator(fmt::format("/sys/class/net/{}/brif", state.bridge()), ignored)) {
    interfaces.push_back(entry.path().filename());
  }
  interfaces.push_back(state.bridge());
  for (const std::string& name : interfaces) {
    const Result<CommandResult> removed =
        runner_.Run({.script = ShellCommand({"ip", "link", "delete", name})});
    // Those of a host go by themselves, some time after its last process.
    if (!removed.ok() && InterfaceExists(name)) return removed.error();
  }
  return {};
}

Result<void> Lab::RemoveFiles() const {
  // The state is the last to go.
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory_, failed)) {
    const fs::path name = entry.path().filename();
    if (name == "state.json" || name == "lock") continue;
    fs::remove_all(entry.path(), failed);
    if (failed) {
      return Error::Internal(fmt::format("remove {}: {}", entry.path().string(), failed.message()));
    }
  }
  fs::remove(directory_ + "/state.json", failed);
  return {};
}

void Lab::RemoveEmptyDirectory() const {
  if (Exists(directory_ + "/state.json")) return;
  std::error_code ignored;
  fs::remove(directory_ + "/lock", ignored);
  fs::remove(directory_, ignored);
}

Result<std::unique_ptr<ClusterLock>> Lab::Lock() const {
  const std::string path = directory_ + "/lock";
  const std::string owner = fmt::format("kubexms lab (process {})", ::getpid());
  ASSIGN_OR_RETURN(std::unique_ptr<ClusterLock> lock, ClusterLock::Acquire(path, owner));
  // A lab that was taken down meanwhile has taken its lock along.
  ASSIGN_OR_RETURN(const std::string written, ReadFileIfThere(path));
  if (written == owner) return lock;
  return Error::Conflict("labs", options_.name, "the lab is being removed; try again");
}

Result<std::optional<LabState>> Lab::ReadState() const {
  const std::string path = directory_ + "/state.json";
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadSmallFile(path, kMaxFile));
  if (!text) return std::optional<LabState>();
  Result<LabState> state = ReadLabState(*text);
  if (!state.ok()) return state.error().WithContext(path);
  return std::optional(*std::move(state));
}

Result<LabState> Lab::State() const {
  RETURN_IF_ERROR(CheckLabName(options_.name));
  ASSIGN_OR_RETURN(std::optional<LabState> state, ReadState());
  if (!state) {
    return Error(404, "NotFound",
                 fmt::format("the lab {0} does not exist; to create it: kubexms lab up --name {0}",
                             options_.name));
  }
  return *std::move(state);
}

Result<LabHost> Lab::FindHost(const LabState& state, const std::string& host) {
  if (const LabHost* found = state.Find(host)) return *found;
  std::vector<std::string> names;
  for (const LabHost& other : state.hosts) names.push_back(other.name);
  return Error(404, "NotFound",
               fmt::format("the lab {} has no host {}; its hosts are {}", state.name, host,
                           fmt::join(names, ", ")));
}

Result<std::vector<LabHostStatus>> Lab::Status() const {
  ASSIGN_OR_RETURN(const LabState state, State());
  std::vector<LabHostStatus> hosts;
  for (const LabHost& host : state.hosts) {
    LabHostStatus status{.host = host, .running = LabCgroups(CgroupOf(host)).HasProcesses()};
    ASSIGN_OR_RETURN(status.host_key, ReadPublicKey(HostDirectory(host) + "/host_key.pub"));
    if (status.running) {
      ASSIGN_OR_RETURN(const std::string since, ReadFileIfThere(HostDirectory(host) + "/started"));
      status.since = since.substr(0, since.find('\n'));
    }
    hosts.push_back(std::move(status));
  }
  return hosts;
}

std::vector<std::string> ListLabs(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (Exists(entry.path().string() + "/state.json")) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> RemoveUnusedLabImage(const std::string& directory) {
  const std::vector<std::string> labs = ListLabs(directory);
  if (!labs.empty()) {
    return Error::Conflict(
        "images", ImageIn(directory),
        fmt::format("the lab {} uses it; remove the lab first: kubexms lab down", labs.front()));
  }
  RETURN_IF_ERROR(RemoveLabImage(ImageIn(directory)));
  std::error_code ignored;
  fs::remove(ImageIn(directory) + ".lock", ignored);
  fs::remove(directory + "/images", ignored);
  return {};
}

std::string HostsBlock(const std::vector<LabHostStatus>& hosts, const std::string& key_file) {
  std::string text = "hosts:\n";
  for (const LabHostStatus& status : hosts) {
    text += fmt::format(
        "- name: {}\n  address: {}\n  user: root\n  privateKeyPath: {}\n  hostKey: {}\n",
        status.host.name, status.host.address, key_file, status.host_key);
  }
  return text;
}

}  // namespace kubexms::automation
