#include "kubexms/platform/devbox_kinds.h"

namespace kubexms::devboxv1alpha2 {

void DevboxConfig::Describe(Type<DevboxConfig>& type) {
  type.Doc("How the container of a devbox is run.");
  type.Field("user", &DevboxConfig::user, "Who is logged in.").Default("devbox");
  type.Field("labels", &DevboxConfig::labels, "Further labels of the Pod.");
  type.Field("annotations", &DevboxConfig::annotations, "Further annotations of the Pod.");
  type.Field("command", &DevboxConfig::command, "Instead of what the image runs.");
  type.Field("args", &DevboxConfig::args, "Arguments of the command.");
  type.Field("workingDir", &DevboxConfig::working_dir, "Where the command runs.")
      .Default("/home/devbox/project");
  type.Field("env", &DevboxConfig::env, "Environment variables.");
  type.Field("releaseCommand", &DevboxConfig::release_command, "What a release of it runs.")
      .DefaultJson(R"(["/bin/bash","-c"])");
  type.Field("releaseArgs", &DevboxConfig::release_args, "Arguments of that command.")
      .DefaultJson(R"(["/home/devbox/project/entrypoint.sh"])");
  type.Field("ports", &DevboxConfig::ports, "On which it is reached by SSH.")
      .DefaultJson(R"([{"name":"devbox-ssh-port","containerPort":22,"protocol":"TCP"}])");
  type.Field("appPorts", &DevboxConfig::app_ports, "Of what is developed in it.")
      .DefaultJson(R"([{"name":"devbox-app-port","port":8080,"protocol":"TCP"}])");
  type.Field("volumeMounts", &DevboxConfig::volume_mounts, "Where its volumes are mounted.");
  type.Field("volumes", &DevboxConfig::volumes, "What stays whatever becomes of the container.");
}

void DevboxNetworkSpec::Describe(Type<DevboxNetworkSpec>& type) {
  type.Doc("How the devbox is reached.");
  type.Field("type", &DevboxNetworkSpec::type, "By a port of every node, or by a gate.")
      .Required()
      .Enum({"NodePort", "Tailnet", "SSHGate"});
  type.Field("extraPorts", &DevboxNetworkSpec::extra_ports, "Further ports that are served.");
}

void DevboxSpec::Describe(Type<DevboxSpec>& type) {
  type.Doc("What a devbox is to be.");
  type.Field("state", &DevboxSpec::state,
             "Running; Paused keeps what was written; Stopped and Shutdown commit it, and Shutdown "
             "gives back its port too.")
      .Enum({"Running", "Paused", "Stopped", "Shutdown"})
      .Default("Running")
      .Column("State");
  type.Field("network", &DevboxSpec::network).Required();
  type.Field("resource", &DevboxSpec::resource, "How much cpu and memory it may use.").Required();
  type.Field("image", &DevboxSpec::image, "What its first content is.").Required().MinLength(1);
  type.Field("templateID", &DevboxSpec::template_id, "From which template it was made.");
  type.Field("config", &DevboxSpec::config).Required();
  type.Field("storageLimit", &DevboxSpec::storage_limit,
             "How much may be written outside of volumes: 10Gi unless given, 50Gi at most.");
  type.Field("runtimeClassName", &DevboxSpec::runtime_class_name, "How its container is run.");
  type.Field("nodeSelector", &DevboxSpec::node_selector, "Labels of the nodes it may run on.");
  type.Field("tolerations", &DevboxSpec::tolerations, "Taints of nodes that are no obstacle.");
  type.Field("affinity", &DevboxSpec::affinity, "Which nodes it had better run on.");
}

void DevboxCommitRecord::Describe(Type<DevboxCommitRecord>& type) {
  type.Doc("What became of one content.");
  type.Field("baseImage", &DevboxCommitRecord::base_image, "What the content began with.");
  type.Field("commitImage", &DevboxCommitRecord::commit_image, "What it was saved as.");
  type.Field("node", &DevboxCommitRecord::node, "Where it is.");
  type.Field("generateTime", &DevboxCommitRecord::generate_time, "When it began.");
  type.Field("scheduleTime", &DevboxCommitRecord::schedule_time, "When it got its node.");
  type.Field("updateTime", &DevboxCommitRecord::update_time, "When it changed its status.");
  type.Field("commitTime", &DevboxCommitRecord::commit_time, "When it was saved.");
  type.Field("commitStatus", &DevboxCommitRecord::commit_status, "How far it is saved.")
      .Enum({"Pending", "Committing", "Success", "Failed"})
      .Default("Pending");
}

void DevboxNetworkStatus::Describe(Type<DevboxNetworkStatus>& type) {
  type.Doc("Where the devbox is reached.");
  type.Field("type", &DevboxNetworkStatus::type, "How it is reached now.").Column("NetworkType");
  type.Field("uniqueID", &DevboxNetworkStatus::unique_id, "Its name in the cluster's network.")
      .Column("UniqueID");
  type.Field("nodePort", &DevboxNetworkStatus::node_port, "The port of every node, for SSH.")
      .Column("NodePort");
  type.Field("tailnet", &DevboxNetworkStatus::tailnet, "Its name in the tailnet.");
}

void DevboxStatus::Describe(Type<DevboxStatus>& type) {
  type.Doc("What a devbox is.");
  type.Field("network", &DevboxStatus::network);
  type.Field("phase", &DevboxStatus::phase, "What it is doing.").Column("Phase");
  type.Field("node", &DevboxStatus::node, "Where it runs.").Column("Node");
  type.Field("state", &DevboxStatus::state, "The state that was reached last.");
  type.Field("contentID", &DevboxStatus::content_id, "Which record is that of its content.");
  type.Field("commitRecords", &DevboxStatus::commit_records, "Its contents, by their ID.");
  type.Field("lastContainerStatus", &DevboxStatus::last_container_status,
             "How the container was when it last went.");
  type.Field("observedGeneration", &DevboxStatus::observed_generation,
             "The generation of the spec that this is about.");
  type.Field("conditions", &DevboxStatus::conditions, "How far each part is.").ListMap({"type"});
}

}  // namespace kubexms::devboxv1alpha2
