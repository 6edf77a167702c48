// Columns of workloads: desired and current state, and the containers of their pods.

#include <fmt/format.h>

#include "kubexms/api/group_version.h"
#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/table/printers/human_duration.h"
#include "kubexms/apiserver/table/printers/printer.h"

namespace kubexms::printers {
namespace {

constexpr Column kSelector = Wide("Selector", "The label selector of the pods.");

JsonView PodSpec(JsonView workload) { return workload["spec"]["template"]["spec"]; }

// Ready and desired pods: "2/3".
std::string ReadyOfDesired(JsonView workload) {
  return fmt::format("{}/{}", workload["status"]["readyReplicas"].Number(),
                     workload["spec"]["replicas"].Number());
}

constexpr Column kDeploymentColumns[] = {
    kName,
    Text("Ready", "The number of ready pods and of desired pods."),
    Text("Up-to-date", "The number of pods with the current template."),
    Text("Available", "The number of pods that have been ready for minReadySeconds."),
    kAge,
    kContainers,
    kImages,
    kSelector,
};

void PrintDeployment(JsonView object, Row& row) {
  const JsonView status = object["status"];
  row.Add(Name(object), ReadyOfDesired(object), status["updatedReplicas"].Number(),
          status["availableReplicas"].Number(), row.Age(object), ContainerNames(PodSpec(object)),
          ContainerImages(PodSpec(object)), SelectorText(object["spec"]["selector"]));
}

constexpr Column kReplicaColumns[] = {
    kName,
    Integer("Desired", "The number of desired pods."),
    Integer("Current", "The number of pods."),
    Integer("Ready", "The number of ready pods."),
    kAge,
    kContainers,
    kImages,
    kSelector,
};

void PrintReplicas(JsonView object, const std::string& selector, Row& row) {
  const JsonView status = object["status"];
  row.Add(Name(object), object["spec"]["replicas"].Number(), status["replicas"].Number(),
          status["readyReplicas"].Number(), row.Age(object), ContainerNames(PodSpec(object)),
          ContainerImages(PodSpec(object)), selector);
}

void PrintReplicaSet(JsonView object, Row& row) {
  PrintReplicas(object, FormatSelector(object["spec"]["selector"]), row);
}

void PrintReplicationController(JsonView object, Row& row) {
  PrintReplicas(object, FormatLabels(object["spec"]["selector"]), row);
}

constexpr Column kStatefulSetColumns[] = {
    kName,   Text("Ready", "The number of ready pods and of desired pods."), kAge, kContainers,
    kImages,
};

void PrintStatefulSet(JsonView object, Row& row) {
  row.Add(Name(object), ReadyOfDesired(object), row.Age(object), ContainerNames(PodSpec(object)),
          ContainerImages(PodSpec(object)));
}

constexpr Column kDaemonSetColumns[] = {
    kName,
    Integer("Desired", "The number of nodes that should run a pod."),
    Integer("Current", "The number of these nodes that run a pod."),
    Integer("Ready", "The number of nodes with a ready pod."),
    Integer("Up-to-date", "The number of nodes with a pod of the current template."),
    Integer("Available", "The number of nodes with a pod that has been ready for minReadySeconds."),
    Text("Node Selector", "The labels that nodes must have to run a pod."),
    kAge,
    kContainers,
    kImages,
    kSelector,
};

void PrintDaemonSet(JsonView object, Row& row) {
  const JsonView status = object["status"];
  row.Add(Name(object), status["desiredNumberScheduled"].Number(),
          status["currentNumberScheduled"].Number(), status["numberReady"].Number(),
          status["updatedNumberScheduled"].Number(), status["numberAvailable"].Number(),
          FormatLabels(PodSpec(object)["nodeSelector"]), row.Age(object),
          ContainerNames(PodSpec(object)), ContainerImages(PodSpec(object)),
          FormatSelector(object["spec"]["selector"]));
}

constexpr Column kControllerRevisionColumns[] = {
    kName,
    Text("Controller", "The controller of the revision."),
    Text("Revision", "The number of the revision."),
    kAge,
};

// "statefulset.apps/db", or "<none>".
std::string ControllerOf(JsonView object) {
  for (const JsonView& owner : object["metadata"]["ownerReferences"].Items()) {
    if (!owner["controller"].Bool()) continue;
    const GroupVersion version =
        GroupVersion::Parse(owner["apiVersion"].Text()).value_or(GroupVersion());
    std::string kind = GroupKind{version.group, std::string(owner["kind"].Text())}.ToString();
    std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::tolower(c); });
    return kind.append("/").append(owner["name"].Text());
  }
  return "<none>";
}

void PrintControllerRevision(JsonView object, Row& row) {
  row.Add(Name(object), ControllerOf(object), object["revision"].Number(), row.Age(object));
}

constexpr Column kJobColumns[] = {
    kName,
    Text("Status", "The status of the job."),
    Text("Completions", "The number of succeeded pods and of required completions."),
    Text("Duration", "The duration of the job."),
    kAge,
    kContainers,
    kImages,
    kSelector,
};

std::string_view JobStatus(JsonView job) {
  if (IsConditionTrue(job, "Complete")) return "Complete";
  if (IsConditionTrue(job, "Failed")) return "Failed";
  if (IsDeleting(job)) return "Terminating";
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (IsConditionTrue(job, type)) return type;
  }
  return "Running";
}

std::string JobCompletions(JsonView job) {
  const int64_t succeeded = job["status"]["succeeded"].Number();
  const JsonView completions = job["spec"]["completions"];
  if (completions) return fmt::format("{}/{}", succeeded, completions.Number());
  const int64_t parallelism = job["spec"]["parallelism"].Number();
  if (parallelism > 1) return fmt::format("{}/1 of {}", succeeded, parallelism);
  return fmt::format("{}/1", succeeded);
}

std::string JobDuration(JsonView job, const Row& row) {
  const JsonView start = job["status"]["startTime"];
  const JsonView completion = job["status"]["completionTime"];
  if (!start) return "";
  if (!completion) return row.Since(start);
  const Result<Time> from = Time::Parse(start.Text());
  const Result<Time> to = Time::Parse(completion.Text());
  return from.ok() && to.ok() ? HumanDuration(to->value() - from->value()) : "<unknown>";
}

void PrintJob(JsonView object, Row& row) {
  row.Add(Name(object), JobStatus(object), JobCompletions(object), JobDuration(object, row),
          row.Age(object), ContainerNames(PodSpec(object)), ContainerImages(PodSpec(object)),
          FormatSelector(object["spec"]["selector"]));
}

constexpr Column kCronJobColumns[] = {
    kName,
    Text("Schedule", "The schedule in cron format."),
    Text("Timezone", "The time zone of the schedule."),
    Boolean("Suspend", "Whether the schedule is suspended."),
    Integer("Active", "The number of active jobs."),
    Text("Last Schedule", "The time since a job was last scheduled."),
    kAge,
    kContainers,
    kImages,
    kSelector,
};

void PrintCronJob(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  const JsonView last = object["status"]["lastScheduleTime"];
  const JsonView job = spec["jobTemplate"];
  row.Add(Name(object), spec["schedule"].Text(), spec["timeZone"].Text("<none>"),
          TruthText(spec["suspend"]), object["status"]["active"].size(),
          last ? row.Since(last) : "<none>", row.Age(object), ContainerNames(PodSpec(job)),
          ContainerImages(PodSpec(job)), FormatSelector(job["spec"]["selector"]));
}

constexpr Column kAutoscalerColumns[] = {
    kName,
    Text("Reference", "The scaled workload."),
    Text("Targets", "The current and the target value of each metric."),
    Text("MinPods", "The minimum number of pods."),
    Text("MaxPods", "The maximum number of pods."),
    Text("Replicas", "The number of pods."),
    kAge,
};

constexpr std::string_view kUnknown = "<unknown>";

std::string Percent(JsonView number, std::string_view fallback) {
  return number ? fmt::format("{}%", number.Number()) : std::string(fallback);
}

// "cpu: 20%/80%" or "memory: 100Mi/200Mi".
std::string ResourceTarget(JsonView metric, JsonView current) {
  const JsonView target = metric["target"];
  const std::string_view name = metric["name"].Text();
  if (target["averageValue"]) {
    return fmt::format("{}: {}/{}", name, current["averageValue"].ToText(kUnknown),
                       target["averageValue"].ToText());
  }
  return fmt::format("{}: {}/{}", name, Percent(current["averageUtilization"], kUnknown),
                     Percent(target["averageUtilization"], "<auto>"));
}

// "5/10", or "5/10 (avg)" for a value per pod.
std::string ValueTarget(JsonView metric, JsonView current) {
  const JsonView target = metric["target"];
  if (target["averageValue"]) {
    return fmt::format("{}/{} (avg)", current["averageValue"].ToText(kUnknown),
                       target["averageValue"].ToText());
  }
  return fmt::format("{}/{}", current["value"].ToText(kUnknown), target["value"].ToText("0"));
}

std::string MetricTarget(JsonView metric, JsonView status) {
  const std::string_view type = metric["type"].Text();
  if (type == "Resource") {
    return ResourceTarget(metric["resource"], status["resource"]["current"]);
  }
  if (type == "ContainerResource") {
    return ResourceTarget(metric["containerResource"], status["containerResource"]["current"]);
  }
  if (type == "Pods") {
    return fmt::format("{}/{}", status["pods"]["current"]["averageValue"].ToText(kUnknown),
                       metric["pods"]["target"]["averageValue"].ToText("0"));
  }
  if (type == "Object") return ValueTarget(metric["object"], status["object"]["current"]);
  if (type == "External") return ValueTarget(metric["external"], status["external"]["current"]);
  return "<unknown type>";
}

std::string MetricTargets(JsonView autoscaler) {
  const std::vector<JsonView> metrics = autoscaler["spec"]["metrics"].Items();
  const std::vector<JsonView> statuses = autoscaler["status"]["currentMetrics"].Items();
  if (metrics.empty()) return "<none>";
  std::vector<std::string> targets;
  for (size_t i = 0; i < metrics.size(); ++i) {
    targets.push_back(MetricTarget(metrics[i], i < statuses.size() ? statuses[i] : JsonView()));
  }
  return JoinFirst(targets, 2, ", ");
}

// autoscaling/v1 has one metric.
std::string CpuTarget(JsonView autoscaler) {
  const JsonView target = autoscaler["spec"]["targetCPUUtilizationPercentage"];
  if (!target) return "<none>";
  return fmt::format("cpu: {}/{}",
                     Percent(autoscaler["status"]["currentCPUUtilizationPercentage"], kUnknown),
                     Percent(target, "<auto>"));
}

void PrintAutoscalerWith(JsonView object, const std::string& targets, Row& row) {
  const JsonView spec = object["spec"];
  const JsonView reference = spec["scaleTargetRef"];
  row.Add(Name(object), fmt::format("{}/{}", reference["kind"].Text(), reference["name"].Text()),
          targets, spec["minReplicas"].ToText("<unset>"), spec["maxReplicas"].Number(),
          object["status"]["currentReplicas"].Number(), row.Age(object));
}

void PrintAutoscaler(JsonView object, Row& row) {
  PrintAutoscalerWith(object, MetricTargets(object), row);
}

void PrintAutoscalerV1(JsonView object, Row& row) {
  PrintAutoscalerWith(object, CpuTarget(object), row);
}

constexpr Column kScaleColumns[] = {
    Text("Name", kName.description),
    Integer("Desired", "The number of desired replicas."),
    Integer("Available", "The number of replicas."),
    kAge,
};

void PrintScale(JsonView object, Row& row) {
  row.Add(Name(object), object["spec"]["replicas"].Number(), object["status"]["replicas"].Number(),
          row.Age(object));
}

constexpr Printer kPrinters[] = {
    {"", "v1", "ReplicationController", kReplicaColumns, PrintReplicationController},
    {"apps", "v1", "ControllerRevision", kControllerRevisionColumns, PrintControllerRevision},
    {"apps", "v1", "DaemonSet", kDaemonSetColumns, PrintDaemonSet},
    {"apps", "v1", "Deployment", kDeploymentColumns, PrintDeployment},
    {"apps", "v1", "ReplicaSet", kReplicaColumns, PrintReplicaSet},
    {"apps", "v1", "StatefulSet", kStatefulSetColumns, PrintStatefulSet},
    {"autoscaling", "v1", "HorizontalPodAutoscaler", kAutoscalerColumns, PrintAutoscalerV1},
    {"autoscaling", "v2", "HorizontalPodAutoscaler", kAutoscalerColumns, PrintAutoscaler},
    {"autoscaling", "v1", "Scale", kScaleColumns, PrintScale},
    {"batch", "v1", "CronJob", kCronJobColumns, PrintCronJob},
    {"batch", "v1", "Job", kJobColumns, PrintJob},
};

}  // namespace

std::span<const Printer> WorkloadPrinters() { return kPrinters; }

}  // namespace kubexms::printers
