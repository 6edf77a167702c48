#include "kubexms/platform/devbox_kinds.h"

namespace kubexms::devboxv1alpha2 {

void DevboxConfig::Describe(Type<DevboxConfig>& type) {
  type.Doc("DevboxConfig configures the container of a devbox.");
  type.Field("user", &DevboxConfig::user, "User name for SSH logins.").Default("devbox");
  type.Field("labels", &DevboxConfig::labels, "Additional labels of the Pod.");
  type.Field("annotations", &DevboxConfig::annotations, "Additional annotations of the Pod.");
  type.Field("command", &DevboxConfig::command,
             "Command that replaces the entry point of the image.");
  type.Field("args", &DevboxConfig::args, "Arguments of the command.");
  type.Field("workingDir", &DevboxConfig::working_dir, "Working directory of the command.")
      .Default("/home/devbox/project");
  type.Field("env", &DevboxConfig::env, "Environment variables.");
  type.Field("releaseCommand", &DevboxConfig::release_command,
             "Command of a release of the devbox.")
      .DefaultJson(R"(["/bin/bash","-c"])");
  type.Field("releaseArgs", &DevboxConfig::release_args, "Arguments of the release command.")
      .DefaultJson(R"(["/home/devbox/project/entrypoint.sh"])");
  type.Field("ports", &DevboxConfig::ports, "Container ports for SSH.")
      .DefaultJson(R"([{"name":"devbox-ssh-port","containerPort":22,"protocol":"TCP"}])");
  type.Field("appPorts", &DevboxConfig::app_ports,
             "Service ports of the application under development.")
      .DefaultJson(R"([{"name":"devbox-app-port","port":8080,"protocol":"TCP"}])");
  type.Field("volumeMounts", &DevboxConfig::volume_mounts,
             "Mounts of the volumes in the container.");
  type.Field("volumes", &DevboxConfig::volumes, "Volumes, whose data outlives the container.");
}

void DevboxNetworkSpec::Describe(Type<DevboxNetworkSpec>& type) {
  type.Doc("DevboxNetworkSpec configures access to a devbox.");
  type.Field("type", &DevboxNetworkSpec::type,
             "Access by a port of every node, through a tailnet, or through an SSH gate.")
      .Required()
      .Enum({"NodePort", "Tailnet", "SSHGate"});
  type.Field("extraPorts", &DevboxNetworkSpec::extra_ports, "Additional ports of the Service.");
}

void DevboxSpec::Describe(Type<DevboxSpec>& type) {
  type.Doc("DevboxSpec is the desired state of a devbox.");
  type.Field("state", &DevboxSpec::state,
             "Desired state. Paused retains the content; Stopped and Shutdown commit it, and "
             "Shutdown also releases the port.")
      .Enum({"Running", "Paused", "Stopped", "Shutdown"})
      .Default("Running")
      .Column("State");
  type.Field("network", &DevboxSpec::network).Required();
  type.Field("resource", &DevboxSpec::resource, "Limits of CPU and memory.").Required();
  type.Field("image", &DevboxSpec::image, "Image of the first content.").Required().MinLength(1);
  type.Field("templateID", &DevboxSpec::template_id,
             "ID of the template from which the devbox was created.");
  type.Field("config", &DevboxSpec::config).Required();
  type.Field("storageLimit", &DevboxSpec::storage_limit,
             "Limit of data outside of volumes. Defaults to 10Gi; the maximum is 50Gi.");
  type.Field("runtimeClassName", &DevboxSpec::runtime_class_name, "RuntimeClass of the Pod.");
  type.Field("nodeSelector", &DevboxSpec::node_selector,
             "Labels of nodes on which the Pod may run.");
  type.Field("tolerations", &DevboxSpec::tolerations, "Tolerations of the Pod.");
  type.Field("affinity", &DevboxSpec::affinity, "Affinity of the Pod.");
}

void DevboxCommitRecord::Describe(Type<DevboxCommitRecord>& type) {
  type.Doc("DevboxCommitRecord records the commit of one content of a devbox.");
  type.Field("baseImage", &DevboxCommitRecord::base_image, "Image from which the content started.");
  type.Field("commitImage", &DevboxCommitRecord::commit_image,
             "Image as which the content was committed.");
  type.Field("node", &DevboxCommitRecord::node, "Node that has the content.");
  type.Field("generateTime", &DevboxCommitRecord::generate_time,
             "Time when the content was started.");
  type.Field("scheduleTime", &DevboxCommitRecord::schedule_time,
             "Time when the Pod was assigned to the node.");
  type.Field("updateTime", &DevboxCommitRecord::update_time,
             "Time of the last change of the commit status.");
  type.Field("commitTime", &DevboxCommitRecord::commit_time, "Time of the commit.");
  type.Field("commitStatus", &DevboxCommitRecord::commit_status, "Status of the commit.")
      .Enum({"Pending", "Committing", "Success", "Failed"})
      .Default("Pending");
}

void DevboxNetworkStatus::Describe(Type<DevboxNetworkStatus>& type) {
  type.Doc("DevboxNetworkStatus is the observed network of a devbox.");
  type.Field("type", &DevboxNetworkStatus::type, "Current type of access.").Column("NetworkType");
  type.Field("uniqueID", &DevboxNetworkStatus::unique_id,
             "DNS name of the devbox in its namespace.")
      .Column("UniqueID");
  type.Field("nodePort", &DevboxNetworkStatus::node_port, "Port of every node for SSH.")
      .Column("NodePort");
  type.Field("tailnet", &DevboxNetworkStatus::tailnet, "DNS name of the devbox in the tailnet.");
}

void DevboxStatus::Describe(Type<DevboxStatus>& type) {
  type.Doc("DevboxStatus is the observed state of a devbox.");
  type.Field("network", &DevboxStatus::network);
  type.Field("phase", &DevboxStatus::phase, "Summary of the observed state.").Column("Phase");
  type.Field("node", &DevboxStatus::node, "Node of the Pod.").Column("Node");
  type.Field("state", &DevboxStatus::state, "Last state that was reached.");
  type.Field("contentID", &DevboxStatus::content_id, "ID of the current content.");
  type.Field("commitRecords", &DevboxStatus::commit_records,
             "Commit records of the contents by ID.");
  type.Field("lastContainerStatus", &DevboxStatus::last_container_status,
             "Status of the container when the last Pod was deleted.");
  type.Field("observedGeneration", &DevboxStatus::observed_generation,
             "Generation of the spec that the status describes.");
  type.Field("conditions", &DevboxStatus::conditions, "Conditions of the stages.")
      .ListMap({"type"});
}

}  // namespace kubexms::devboxv1alpha2
