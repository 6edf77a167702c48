// Columns of pods. The STATUS column is one word for the most important state, derived from the
// phase, the conditions and the containers of a pod.

#include <fmt/format.h>

#include <map>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/table/printers/human_duration.h"
#include "kubexms/apiserver/table/printers/printer.h"

namespace kubexms::printers {
namespace {

// Accumulates the state of the containers of a pod.
class PodSummary {
 public:
  explicit PodSummary(JsonView pod)
      : pod_(pod), spec_(pod["spec"]), status_(pod["status"]), total_(spec_["containers"].size()) {
    reason_ = status_["reason"].Text();
    if (reason_.empty()) reason_ = status_["phase"].Text();
    if (FindCondition(pod, "PodScheduled")["reason"].Text() == "SchedulingGated") {
      reason_ = "SchedulingGated";
    }
    const bool initializing = SummarizeInitContainers();
    if (!initializing || IsConditionTrue(pod, "Initialized")) SummarizeContainers();
    SummarizeDeletion();
  }

  const std::string& reason() const { return reason_; }
  std::string Ready() const { return fmt::format("{}/{}", ready_, total_); }

  // "3", or "3 (5m ago)".
  std::string Restarts(Row::Moment now) const {
    if (restarts_.count == 0 || restarts_.last.IsZero()) {
      return fmt::format("{}", restarts_.count);
    }
    return fmt::format("{} ({} ago)", restarts_.count, HumanDuration(now - restarts_.last.value()));
  }

 private:
  struct RestartCount {
    void Add(JsonView container) {
      count += container["restartCount"].Number();
      const JsonView finished = container["lastState"]["terminated"]["finishedAt"];
      if (finished) last = std::max(last, Time::Parse(finished.Text()).value_or(Time()));
    }

    int64_t count = 0;
    Time last;
  };

  // The names of the restartable init containers: sidecars.
  std::map<std::string_view, bool> FindSidecars() const {
    std::map<std::string_view, bool> sidecars;
    for (const JsonView& container : spec_["initContainers"].Items()) {
      if (container["restartPolicy"].Text() == "Always") sidecars[container["name"].Text()] = true;
    }
    return sidecars;
  }

  // True while an init container has not finished. Later ones have not started then.
  bool SummarizeInitContainers() {
    if (!spec_["initContainers"]) return false;
    const auto sidecars = FindSidecars();
    total_ += sidecars.size();
    size_t done = 0;
    for (const JsonView& container : status_["initContainerStatuses"].Items()) {
      const bool sidecar = sidecars.contains(container["name"].Text());
      restarts_.Add(container);
      if (sidecar) sidecar_restarts_.Add(container);
      const JsonView terminated = container["state"]["terminated"];
      if (terminated && terminated["exitCode"].Number() == 0) {
        ++done;
      } else if (sidecar && container["started"].Bool()) {
        if (container["ready"].Bool()) ++ready_;
        ++done;
      } else {
        reason_ = "Init:" + InitReason(container, done);
        return true;
      }
    }
    return false;
  }

  std::string InitReason(JsonView container, size_t done) const {
    const JsonView terminated = container["state"]["terminated"];
    if (terminated) return TerminatedReason(terminated);
    const std::string_view waiting = container["state"]["waiting"]["reason"].Text();
    if (!waiting.empty() && waiting != "PodInitializing") return std::string(waiting);
    return fmt::format("{}/{}", done, spec_["initContainers"].size());
  }

  static std::string TerminatedReason(JsonView terminated) {
    if (const JsonView reason = terminated["reason"]; !reason.Text().empty()) {
      return std::string(reason.Text());
    }
    if (const int64_t signal = terminated["signal"].Number(); signal != 0) {
      return fmt::format("Signal:{}", signal);
    }
    return fmt::format("ExitCode:{}", terminated["exitCode"].Number());
  }

  // The first container that is not running determines the state.
  void SummarizeContainers() {
    restarts_ = sidecar_restarts_;
    bool running = false;
    const std::vector<JsonView> containers = status_["containerStatuses"].Items();
    for (auto container = containers.rbegin(); container != containers.rend(); ++container) {
      restarts_.Add(*container);
      const JsonView state = (*container)["state"];
      if (const auto waiting = state["waiting"]["reason"].Text(); !waiting.empty()) {
        reason_ = waiting;
      } else if (state["terminated"]) {
        reason_ = TerminatedReason(state["terminated"]);
      } else if ((*container)["ready"].Bool() && state["running"]) {
        running = true;
        ++ready_;
      }
    }
    if (reason_ == "Completed" && running) {
      reason_ = IsConditionTrue(pod_, "Ready") ? "Running" : "NotReady";
    }
  }

  void SummarizeDeletion() {
    if (!IsDeleting(pod_)) return;
    const std::string_view phase = status_["phase"].Text();
    if (status_["reason"].Text() == "NodeLost") {
      reason_ = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      reason_ = "Terminating";
    }
  }

  const JsonView pod_;
  const JsonView spec_;
  const JsonView status_;
  std::string reason_;
  size_t ready_ = 0;
  size_t total_;
  RestartCount restarts_;
  RestartCount sidecar_restarts_;
};

std::string_view PodAddress(JsonView status) {
  for (const JsonView& address : status["podIPs"].Items()) return address["ip"].Text();
  return status["podIP"].Text();
}

// How many readiness gates of a pod are true: "1/2".
std::string ReadinessGates(JsonView pod) {
  const std::vector<JsonView> gates = pod["spec"]["readinessGates"].Items();
  if (gates.empty()) return "<none>";
  const auto open = std::ranges::count_if(gates, [&](const JsonView& gate) {
    return IsConditionTrue(pod, gate["conditionType"].Text());
  });
  return fmt::format("{}/{}", open, gates.size());
}

std::string_view OrNone(std::string_view text) { return text.empty() ? "<none>" : text; }

constexpr Column kPodColumns[] = {
    kName,
    Text("Ready", "The number of ready containers and of all containers."),
    Text("Status", "The status of the pod, in one word."),
    Text("Restarts", "The number of container restarts, and the time since the last one."),
    kAge,
    Wide("IP", "The address of the pod."),
    Wide("Node", "The node that runs the pod."),
    Wide("Nominated Node", "The node on which pods are being preempted for this pod."),
    Wide("Readiness Gates", "The number of readiness gates that are true, and of all."),
};

void PrintPod(JsonView pod, Row& row) {
  const PodSummary summary(pod);
  const JsonView status = pod["status"];
  const std::string_view phase = status["phase"].Text();
  if (phase == "Succeeded") row.Complete(phase, "All containers of the pod ended well.");
  if (phase == "Failed") row.Complete(phase, "A container of the pod failed.");
  row.Add(Name(pod), summary.Ready(), summary.reason(), summary.Restarts(row.now()), row.Age(pod),
          OrNone(PodAddress(status)), OrNone(pod["spec"]["nodeName"].Text()),
          OrNone(status["nominatedNodeName"].Text()), ReadinessGates(pod));
}

constexpr Column kPodTemplateColumns[] = {
    kName,
    Text("Containers", "The names of the pod's containers."),
    Text("Images", "The images that the containers run."),
    Text("Pod Labels", "The labels of pods created from the template."),
};

void PrintPodTemplate(JsonView object, Row& row) {
  const JsonView pod = object["template"];
  row.Add(Name(object), ContainerNames(pod["spec"]), ContainerImages(pod["spec"]),
          FormatLabels(pod["metadata"]["labels"]));
}

constexpr Printer kPrinters[] = {
    {"", "v1", "Pod", kPodColumns, PrintPod},
    {"", "v1", "PodTemplate", kPodTemplateColumns, PrintPodTemplate},
};

}  // namespace

std::span<const Printer> PodPrinters() { return kPrinters; }

}  // namespace kubexms::printers
