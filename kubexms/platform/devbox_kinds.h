#pragma once

// devbox.sealos.io/v1alpha2: development environments. Names, fields and columns are those of
// Sealos, so that its manifests work unchanged.

#include <cstdint>
#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/api/object.h"

namespace kubexms::devboxv1alpha2 {

struct DevboxConfig : Struct {
  std::string user;
  StringMap labels;
  StringMap annotations;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::string working_dir;
  std::vector<corev1::EnvVar> env;
  std::vector<std::string> release_command;
  std::vector<std::string> release_args;
  std::vector<corev1::ContainerPort> ports;
  std::vector<corev1::ServicePort> app_ports;
  std::vector<corev1::VolumeMount> volume_mounts;
  std::vector<corev1::Volume> volumes;

  static void Describe(Type<DevboxConfig>& type);
};

struct DevboxNetworkSpec : Struct {
  std::string type;  // NodePort, Tailnet or SSHGate
  std::vector<corev1::ContainerPort> extra_ports;

  static void Describe(Type<DevboxNetworkSpec>& type);
};

struct DevboxSpec : Struct {
  std::string state;  // Running, Paused, Stopped or Shutdown
  DevboxNetworkSpec network;
  StringKeyed<Quantity> resource;
  std::string image;
  std::string template_id;
  DevboxConfig config;
  std::string storage_limit;
  std::string runtime_class_name;
  StringMap node_selector;
  std::vector<corev1::Toleration> tolerations;
  Optional<corev1::Affinity> affinity;

  static void Describe(Type<DevboxSpec>& type);
};

// The commit record of one content of a devbox: of the data written in its container.
struct DevboxCommitRecord : Struct {
  std::string base_image;
  std::string commit_image;
  std::string node;
  Time generate_time;
  Time schedule_time;
  Time update_time;
  Time commit_time;
  std::string commit_status;  // Pending, Committing, Success or Failed

  static void Describe(Type<DevboxCommitRecord>& type);
};

struct DevboxNetworkStatus : Struct {
  std::string type;
  std::string unique_id;
  int32_t node_port = 0;
  std::string tailnet;

  static void Describe(Type<DevboxNetworkStatus>& type);
};

struct DevboxStatus : Struct {
  DevboxNetworkStatus network;
  std::string phase;
  std::string node;
  std::string state;  // the last of the desired states that was reached
  std::string content_id;
  StringKeyed<DevboxCommitRecord> commit_records;
  Optional<corev1::ContainerStatus> last_container_status;
  int64_t observed_generation = 0;
  std::vector<Condition> conditions;

  static void Describe(Type<DevboxStatus>& type);
};

struct Devbox : Object<DevboxSpec, DevboxStatus> {
  static constexpr KindName kKind{
      .group = "devbox.sealos.io",
      .version = "v1alpha2",
      .kind = "Devbox",
      .doc = "Devbox is a development environment that is accessed by SSH.",
      .plural = "devboxes"};
};

}  // namespace kubexms::devboxv1alpha2
