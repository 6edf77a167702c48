#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "kubexms/base/json/json.h"
#include "kubexms/cluster/modules/containerd/ctr_commands.h"
#include "kubexms/cluster/modules/containerd/images.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr std::string_view kService = "containerd";
constexpr std::chrono::seconds kReadyTimeout(60);
constexpr std::string_view kConfig = "/etc/containerd/config.toml";
constexpr std::string_view kRegistries = "/etc/containerd/certs.d";
constexpr std::string_view kCri = "plugins.\"io.containerd.grpc.v1.cri\"";

std::string DirectoryOf(const RegistrySpec& registry) {
  return fmt::format("{}/{}", kRegistries, registry.name);
}
std::string AuthorityOf(const RegistrySpec& registry) { return DirectoryOf(registry) + "/ca.crt"; }

// A string of TOML: all escapes of JSON are TOML's too.
std::string Quoted(std::string_view text) { return WriteJson(Json(text)); }

// Credentials are in config.toml and not in hosts.toml: containerd uses those of hosts.toml only as
// headers, which registries with token authentication do not accept.
std::string Credentials(const ContainerRuntimeSpec& runtime, const ClusterSecrets& secrets) {
  std::string text;
  for (const RegistrySpec& registry : runtime.registries) {
    if (registry.username.empty()) continue;
    text += fmt::format("\n[{}.registry.configs.{}.auth]\n  username = {}\n  password = {}\n", kCri,
                        Quoted(registry.name), Quoted(registry.username),
                        Quoted(secrets.registry_passwords.at(registry.name).Reveal()));
  }
  return text;
}

// All hosts run systemd, so it manages the control groups. The default path of `opt` is outside of
// the data root.
std::string ConfigFile(const ContainerRuntimeSpec& runtime, const ClusterSecrets& secrets) {
  return fmt::format(
      "# Written by kubexms.\n"
      "version = 2\n"
      "root = {0}\n"
      "state = \"/run/containerd\"\n"
      "\n"
      "[plugins.\"io.containerd.internal.v1.opt\"]\n"
      "  path = {1}\n"
      "\n"
      "[{2}]\n"
      "  sandbox_image = {3}\n"
      "\n"
      "[{2}.cni]\n"
      "  bin_dir = \"/opt/cni/bin\"\n"
      "  conf_dir = \"/etc/cni/net.d\"\n"
      "\n"
      "[{2}.containerd.runtimes.runc]\n"
      "  runtime_type = \"io.containerd.runc.v2\"\n"
      "\n"
      "[{2}.containerd.runtimes.runc.options]\n"
      "  SystemdCgroup = true\n"
      "\n"
      "[{2}.registry]\n"
      "  config_path = \"{4}\"\n"
      "{5}",
      Quoted(runtime.data_root), Quoted(runtime.data_root + "/opt"), kCri,
      Quoted(runtime.sandbox_image), kRegistries, Credentials(runtime, secrets));
}

// The TLS settings of a registry, as lines of hosts.toml.
std::string Trust(const RegistrySpec& registry, std::string_view indent) {
  std::string text;
  if (!registry.ca_file.empty())
    text += fmt::format("{}ca = {}\n", indent, Quoted(AuthorityOf(registry)));
  if (registry.skip_verify) text += fmt::format("{}skip_verify = true\n", indent);
  return text;
}

std::string ServerOf(const RegistrySpec& registry) {
  // The only registry whose server has another name.
  const std::string host = registry.name == "docker.io" ? "registry-1.docker.io" : registry.name;
  return fmt::format("{}://{}", registry.plain_http ? "http" : "https", host);
}

std::string MirrorSection(const ContainerRuntimeSpec& runtime, const std::string& url) {
  std::string text =
      fmt::format("\n[host.{}]\n  capabilities = [\"pull\", \"resolve\"]\n", Quoted(url));
  const size_t begin = url.find("://") + 3, end = std::min(url.find('/', begin), url.size());
  // The URL has the complete path; containerd must not append /v2.
  if (end + 1 < url.size()) text += "  override_path = true\n";
  const auto known =
      std::ranges::find(runtime.registries, url.substr(begin, end - begin), &RegistrySpec::name);
  if (known != runtime.registries.end()) text += Trust(*known, "  ");
  return text;
}

std::string HostsFile(const ContainerRuntimeSpec& runtime, const RegistrySpec& registry) {
  std::string text =
      fmt::format("# Written by kubexms.\nserver = {}\n", Quoted(ServerOf(registry)));
  text += Trust(registry, "");
  for (const std::string& mirror : registry.mirrors) text += MirrorSection(runtime, mirror);
  return text;
}

StepPtr Configuration(const ContainerRuntimeSpec& runtime, const ClusterSecrets& secrets) {
  const bool secret = !secrets.registry_passwords.empty();
  std::vector<HostResource> resources = {Directory{std::string(kRegistries)},
                                         File{.path = std::string(kConfig),
                                              .content = ConfigFile(runtime, secrets),
                                              .mode = secret ? "0600" : "0644",
                                              .secret = secret}};
  for (const RegistrySpec& registry : runtime.registries) {
    resources.emplace_back(Directory{DirectoryOf(registry)});
    resources.emplace_back(File{.path = DirectoryOf(registry) + "/hosts.toml",
                                .content = HostsFile(runtime, registry)});
  }
  return RestartAfterUndo(Ensure("configuration", std::move(resources)), kService);
}

void RemoveRegistry(const std::string& name, const std::string& backup_directory, Change& change) {
  const std::string directory = fmt::format("{}/{}", kRegistries, name);
  change.summary.push_back(fmt::format("remove the registry {}", name));
  change.undo.emplace_back(MakeDirectory{directory});
  for (const char* file : {"hosts.toml", "ca.crt"}) {
    const std::string path = fmt::format("{}/{}", directory, file);
    const std::string backup = BackupOf(path, backup_directory);
    change.operations.emplace_back(BackupPath{path, backup});
    change.operations.emplace_back(RemovePath{path});
    change.undo.emplace_back(RestorePath{path, backup});
  }
  // Fails silently, and stays, when it has files of others.
  change.operations.emplace_back(RemovePath{directory});
}

// The names of the registries that kubexms has configured.
const Probe kOurRegistries{
    "cd /etc/containerd/certs.d 2>/dev/null || exit 0; "
    "grep -lsx '# Written by kubexms.' */hosts.toml | sed 's|/hosts.toml$||'"};

// Removes registries that are no longer configured. containerd reads hosts.toml for each pull, so
// it needs no restart.
StepPtr FormerRegistries(const ContainerRuntimeSpec& runtime) {
  return MakeStep("former registries", {kOurRegistries},
                  [runtime](const StepContext& context, const Facts& facts) -> Result<Change> {
                    Change change;
                    std::istringstream names(facts.Get(kOurRegistries).output);
                    for (std::string name; std::getline(names, name);) {
                      const bool wanted =
                          std::ranges::find(runtime.registries, name, &RegistrySpec::name) !=
                          runtime.registries.end();
                      if (!wanted) RemoveRegistry(name, context.backup_directory, change);
                    }
                    return change;
                  });
}

StepPtr Authorities(const ContainerRuntimeSpec& runtime) {
  std::vector<UploadedFile> files;
  for (const RegistrySpec& registry : runtime.registries) {
    if (registry.ca_file.empty()) continue;
    files.push_back({.source = registry.ca_file, .path = AuthorityOf(registry)});
  }
  return EnsureUploaded("authorities of registries", std::move(files));
}

// Containers survive the removal of containerd, so they are deleted before.
constexpr std::string_view kDeleteContainers = R"sh(
command -v ctr >/dev/null && systemctl start containerd || exit 0
for namespace in $(ctr namespaces list -q); do
  ctr -n "$namespace" tasks list -q | xargs -r ctr -n "$namespace" tasks delete --force
  ctr -n "$namespace" containers list -q | xargs -r ctr -n "$namespace" containers delete ||
    exit 1
done
)sh";

StepPtr Ready() {
  const std::string ready = RuntimeReadyCommand();
  return Script(
      {.name = "ready",
       .done_when = ready,
       .script = "# wait until containerd is ready\n" +
                 WaitScript(ready, kReadyTimeout,
                            fmt::format("journalctl -u {} -n 20 --no-pager; exit 1", kService))});
}

}  // namespace

ModulePtr ContainerdModule(const ClusterSpec& spec, const ClusterSecrets& secrets,
                           const ArtifactPtr& artifact, const HostSelection& selection) {
  const std::vector<std::string> hosts = selection.Of(spec.RuntimeHosts());
  const ContainerRuntimeSpec& runtime = spec.container_runtime;
  // The configuration before the package, which starts the service.
  std::vector<Task> tasks = {
      {.name = "install",
       .steps = {EnsureDataDirectory("data directory", runtime.data_root),
                 Configuration(runtime, secrets), Authorities(runtime), FormerRegistries(runtime),
                 WithUndo(EnsurePackages("packages", ContainerdPackages(), artifact),
                          {.before = std::string(kDeleteContainers)})},
       .hosts = hosts,
       .timeout = kInstallTimeout},
      {.name = "serve",
       .steps = {Ensure("service", {Service{.name = std::string(kService),
                                            .restart_after = {std::string(kConfig)}}}),
                 Ready()},
       .hosts = hosts}};
  if (artifact && !runtime.images.empty()) {
    tasks.push_back({.name = "images",
                     .steps = {EnsureImages("images", ImageNames(runtime), artifact)},
                     .hosts = hosts});
  }
  return MakeModule(ModuleName(ModuleId::kContainerd), std::move(tasks),
                    std::vector{ModuleName(ModuleId::kOs), ModuleName(ModuleId::kBinaries)});
}

namespace {

Result<void> CheckControllers(const ProbeResult& probe) {
  std::vector<std::string> missing;
  for (const char* controller : {"cpu", "memory", "pids"}) {
    const std::string word = fmt::format(" {} ", controller);
    if ((" " + probe.output + " ").find(word) == std::string::npos)
      missing.emplace_back(controller);
  }
  if (missing.empty() || probe.exit_code != 0) return {};
  return Error::BadRequest(
      fmt::format("the kernel has no control groups for {}; boot it with cgroup_enable={}",
                  fmt::join(missing, ", "), fmt::join(missing, ",")));
}

}  // namespace

StepPtr CheckRuntimeHost() {
  // Version 2 lists its controllers at the mount point, version 1 in /proc.
  const Probe controllers{
      "{ cat /sys/fs/cgroup/cgroup.controllers 2>/dev/null || awk '$4 == 1 { print $1 }' "
      "/proc/cgroups; } | tr '\\n' ' '"};
  return Require("container runtime", {controllers},
                 [controllers](const StepContext&, const Facts& facts) {
                   return CheckControllers(facts.Get(controllers));
                 });
}

}  // namespace kubexms::cluster
