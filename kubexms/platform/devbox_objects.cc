#include "kubexms/platform/devbox_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/base/text/fnv.h"

namespace kubexms::platform {
namespace {

using corev1::Pod;
using corev1::ServicePort;
using corev1::ServiceSpec;
using devboxv1alpha2::Devbox;
using devboxv1alpha2::DevboxCommitRecord;

constexpr const char* kSpecHash = "devbox.sealos.io/spec-hash";
constexpr const char* kContentId = "devbox.sealos.io/content-id";
constexpr const char* kStorageLimit = "devbox.sealos.io/storage-limit";
constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr int64_t kGracePeriodSeconds = 3;
constexpr size_t kMaxRecords = 20;
constexpr size_t kMaxLabel = 63;

std::string Hash(std::string_view text) { return fmt::format("{:016x}", Fnv1a64(text)); }

bool IsRunning(const Pod* pod) { return pod != nullptr && pod->status.phase == "Running"; }

// ---- Pod.

// Rounded down to 1m of CPU, and to whole bytes.
Quantity TenthOf(std::string_view resource, const Quantity& amount) {
  if (resource == "cpu") return Quantity::Scaled(amount.MilliValue() / 10, -3, amount.format());
  return Quantity(amount.Value() / 10, amount.format());
}

Result<Quantity> StorageLimit(const Devbox& devbox) {
  const Quantity maximum = Quantity::Parse("50Gi").value();
  if (devbox.spec.storage_limit.empty()) return Quantity::Parse("10Gi");
  const Result<Quantity> given = Quantity::Parse(devbox.spec.storage_limit);
  if (!given.ok() || given->Sign() <= 0) {
    return Terminal(Error::BadRequest(fmt::format(
        "spec.storageLimit: \"{}\" must be a quantity such as 10Gi", devbox.spec.storage_limit)));
  }
  return *given > maximum ? maximum : *given;
}

Result<corev1::ResourceRequirements> ResourcesOf(const Devbox& devbox) {
  corev1::ResourceRequirements resources;
  resources.limits = devbox.spec.resource;
  ASSIGN_OR_RETURN(resources.limits["ephemeral-storage"], StorageLimit(devbox));
  // Devboxes are mostly idle, so that a tenth of the limits is requested.
  for (const char* name : {"cpu", "memory"}) {
    const auto limit = devbox.spec.resource.find(name);
    if (limit != devbox.spec.resource.end())
      resources.requests[name] = TenthOf(name, limit->second);
  }
  const Quantity reserved = Quantity::Parse("500Mi").value();
  resources.requests["ephemeral-storage"] =
      std::min(reserved, resources.limits["ephemeral-storage"]);
  return resources;
}

// Mounts the SSH keys where the images expect them.
void AddKeys(const Devbox& devbox, corev1::PodSpec& spec) {
  constexpr const char* kVolume = "devbox-ssh-keys";
  corev1::Volume& volume = spec.volumes.emplace_back();
  volume.name = kVolume;
  corev1::SecretVolumeSource& secret = volume.secret.emplace();
  secret.secret_name = devbox.metadata.name;
  secret.default_mode = 0420;
  constexpr std::pair<const char*, const char*> kFiles[] = {
      {"SEALOS_DEVBOX_PUBLIC_KEY", "id.pub"}, {"SEALOS_DEVBOX_AUTHORIZED_KEYS", "authorized_keys"}};
  for (const auto& [key, path] : kFiles) {
    corev1::KeyToPath& item = secret.items.emplace_back();
    item.key = key;
    item.path = path;
  }
  corev1::VolumeMount& mount = spec.containers.front().volume_mounts.emplace_back();
  mount.name = kVolume;
  mount.mount_path = "/usr/start/.ssh";
  mount.read_only = true;
}

// Uncommitted content is on the node.
void PreferNode(const std::string& node, corev1::PodSpec& spec) {
  if (!spec.affinity) spec.affinity.emplace();
  if (!spec.affinity->node_affinity) spec.affinity->node_affinity.emplace();
  corev1::PreferredSchedulingTerm& term =
      spec.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution
          .emplace_back();
  term.weight = 100;
  auto& requirement = term.preference.match_expressions.emplace_back();
  requirement.key = kHostname;
  requirement.operator_ = "In";
  requirement.values = {node};
}

Result<corev1::Container> ContainerOf(const Devbox& devbox, const std::string& image) {
  const devboxv1alpha2::DevboxConfig& config = devbox.spec.config;
  corev1::Container container;
  container.name = "devbox";
  container.image = image;
  container.command = config.command;
  container.args = config.args;
  container.working_dir = config.working_dir;
  container.env = config.env;
  container.ports = config.ports;
  container.volume_mounts = config.volume_mounts;
  ASSIGN_OR_RETURN(container.resources, ResourcesOf(devbox));
  return container;
}

// ---- Services.

ServicePort PortOf(const corev1::ContainerPort& port) {
  ServicePort service;
  service.name = port.name.empty() ? fmt::format("port-{}", port.container_port) : port.name;
  service.port = port.container_port;
  service.protocol = port.protocol.empty() ? "TCP" : port.protocol;
  service.target_port = IntOrString(port.container_port);
  return service;
}

// Skips a port that the Service has: manifests may list a port as an extra port and as an
// application port.
void AddPort(ServicePort port, std::vector<ServicePort>& ports) {
  const bool served = std::any_of(ports.begin(), ports.end(), [&](const ServicePort& other) {
    return other.port == port.port && other.protocol == port.protocol;
  });
  if (!served) ports.push_back(std::move(port));
}

std::vector<ServicePort> SshPorts(const Devbox& devbox) {
  std::vector<ServicePort> ports;
  for (const auto& port : devbox.spec.config.ports) AddPort(PortOf(port), ports);
  for (const auto& port : devbox.spec.network.extra_ports) AddPort(PortOf(port), ports);
  return ports;
}

}  // namespace

StringMap DevboxLabels(const Devbox& devbox) {
  return {{"app.kubernetes.io/name", devbox.metadata.name},
          {"app.kubernetes.io/part-of", "devbox"},
          {"app.kubernetes.io/managed-by", "sealos"}};
}

Result<void> SetOwnership(const Devbox& devbox, ObjectMeta& metadata) {
  for (const auto& [key, value] : DevboxLabels(devbox)) metadata.labels[key] = value;
  return SetControllerReference(metadata, devbox);
}

std::string DevboxUniqueId(const Devbox& devbox) {
  const std::string suffix = "-" + Hash(devbox.metadata.uid).substr(0, 6);
  std::string name = devbox.metadata.name.substr(0, kMaxLabel - suffix.size());
  // Names of devboxes may contain dots, names of Services may not.
  std::replace(name.begin(), name.end(), '.', '-');
  // Names of Services must start with a letter.
  if (name.front() < 'a' || name.front() > 'z') name.front() = 'd';
  return name + suffix;
}

const DevboxCommitRecord* CurrentContent(const Devbox& devbox) {
  const auto found = devbox.status.commit_records.find(devbox.status.content_id);
  return found == devbox.status.commit_records.end() ? nullptr : &found->second;
}

DevboxCommitRecord* CurrentContent(Devbox& devbox) {
  return const_cast<DevboxCommitRecord*>(CurrentContent(std::as_const(devbox)));
}

void StartContent(Devbox& devbox, const std::string& base_image, Time now) {
  auto& records = devbox.status.commit_records;
  while (records.size() >= kMaxRecords) {
    const auto oldest =
        std::min_element(records.begin(), records.end(), [](const auto& a, const auto& b) {
          return std::pair(a.second.generate_time, a.first) <
                 std::pair(b.second.generate_time, b.first);
        });
    records.erase(oldest);
  }
  // Derived from the previous ID, so that a repetition after a crash has the same result.
  const std::string& before = devbox.status.content_id;
  devbox.status.content_id = Hash(devbox.metadata.uid + "/" + before);
  DevboxCommitRecord& record = records[devbox.status.content_id];
  record = {};
  record.base_image = base_image;
  record.generate_time = now;
  record.commit_status = "Pending";
}

Result<void> CheckTransition(const Devbox& devbox) {
  const bool backwards = devbox.status.state == kShutdown &&
                         (devbox.spec.state == kStopped || devbox.spec.state == kPaused);
  if (!backwards) return {};
  return Terminal(Error::BadRequest(
      fmt::format("spec.state: a devbox that is Shutdown cannot become {}; set Running first",
                  devbox.spec.state)));
}

std::string TargetState(const Devbox& devbox) {
  if (!CheckTransition(devbox).ok()) return devbox.status.state;
  return devbox.spec.state.empty() ? kRunning : devbox.spec.state;
}

bool NeedsCommit(const Devbox& devbox) {
  const std::string target = TargetState(devbox);
  const bool stops = target == kStopped || target == kShutdown;
  const DevboxCommitRecord* content = CurrentContent(devbox);
  return stops && content != nullptr && !content->node.empty();
}

std::string DevboxPhase(const Devbox& devbox, const Pod* pod) {
  if (pod != nullptr && pod->status.phase == "Failed") return "Error";
  const std::string target = TargetState(devbox);
  if (target == kRunning) return IsRunning(pod) ? "Running" : "Pending";
  if (target == kPaused) return pod != nullptr ? "Pausing" : "Paused";
  const bool stopping = pod != nullptr || NeedsCommit(devbox);
  if (target == kStopped) return stopping ? "Stopping" : "Stopped";
  return stopping ? "Shutting" : "Shutdown";
}

Result<Pod> DevboxPod(const Devbox& devbox) {
  const DevboxCommitRecord* content = CurrentContent(devbox);
  if (content == nullptr) return Error::Internal("the devbox has no content yet");
  Pod pod;
  pod.metadata.namespace_name = devbox.metadata.namespace_name;
  pod.metadata.name = devbox.metadata.name;
  pod.metadata.labels = devbox.spec.config.labels;
  pod.metadata.annotations = devbox.spec.config.annotations;
  pod.metadata.annotations[kContentId] = devbox.status.content_id;
  pod.metadata.annotations[kStorageLimit] = devbox.spec.storage_limit;
  RETURN_IF_ERROR(SetOwnership(devbox, pod.metadata));
  pod.spec.restart_policy = "Never";
  pod.spec.termination_grace_period_seconds = kGracePeriodSeconds;
  pod.spec.automount_service_account_token = false;
  pod.spec.hostname = DevboxUniqueId(devbox);
  pod.spec.runtime_class_name = devbox.spec.runtime_class_name;
  pod.spec.node_selector = devbox.spec.node_selector;
  pod.spec.tolerations = devbox.spec.tolerations;
  pod.spec.affinity = devbox.spec.affinity;
  pod.spec.volumes = devbox.spec.config.volumes;
  ASSIGN_OR_RETURN(pod.spec.containers.emplace_back(), ContainerOf(devbox, content->base_image));
  AddKeys(devbox, pod.spec);
  // The preferred node is not part of the hash.
  pod.metadata.annotations[kSpecHash] = Hash(Encode(pod.spec) + content->base_image);
  if (!content->node.empty()) PreferNode(content->node, pod.spec);
  return pod;
}

bool IsOutdated(const Pod& pod, const Pod& desired) {
  const auto have = pod.metadata.annotations.find(kSpecHash);
  return have == pod.metadata.annotations.end() ||
         have->second != desired.metadata.annotations.at(kSpecHash);
}

void SetHeadlessService(const Devbox& devbox, ServiceSpec& spec) {
  spec.cluster_ip = "None";
  spec.selector = DevboxLabels(devbox);
  spec.publish_not_ready_addresses = true;
  spec.ports = SshPorts(devbox);
  for (ServicePort port : devbox.spec.config.app_ports) {
    // Set the server's defaults, so that the Service does not appear changed.
    if (port.protocol.empty()) port.protocol = "TCP";
    if (!port.target_port) port.target_port = IntOrString(port.port);
    AddPort(std::move(port), spec.ports);
  }
}

void SetNodePortService(const Devbox& devbox, ServiceSpec& spec) {
  std::vector<ServicePort> ports = SshPorts(devbox);
  // Retains the node ports that the server has assigned.
  for (ServicePort& port : ports) {
    for (const ServicePort& given : spec.ports) {
      if (given.name == port.name) port.node_port = given.node_port;
    }
  }
  spec.type = "NodePort";
  spec.selector = DevboxLabels(devbox);
  spec.ports = std::move(ports);
}

}  // namespace kubexms::platform
