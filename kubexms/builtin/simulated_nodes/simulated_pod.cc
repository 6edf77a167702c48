#include "kubexms/builtin/simulated_nodes/simulated_pod.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexms/api/codec.h"
#include "kubexms/api/condition.h"
#include "kubexms/api/object.h"
#include "kubexms/base/time_left.h"
#include "kubexms/builtin/shared/pod_state.h"

namespace kubexms {
namespace {

using corev1::Container;
using corev1::ContainerStateTerminated;
using corev1::ContainerStatus;
using corev1::Pod;
using corev1::PodStatus;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::string_view kPrefix = "simulate.kubexms.io/";
constexpr nanoseconds kDefaultRun = seconds(1);
constexpr nanoseconds kFirstBackoff = seconds(10);
constexpr nanoseconds kMaxBackoff = std::chrono::minutes(5);
// For Pods whose replacement has the same name. Clients that wait for the deletion, such as
// kubectl, need a moment to open their watch; deletion times are truncated to seconds, so this is
// one to two seconds.
constexpr nanoseconds kStableNameTermination = seconds(2);
// The exit code of a process that SIGTERM terminates.
constexpr int32_t kTerminatedExitCode = 143;

// ---- Annotations.

const std::string* FindAnnotation(const Pod& pod, std::string_view name) {
  const auto found = pod.metadata.annotations.find(std::string(kPrefix).append(name));
  return found == pod.metadata.annotations.end() ? nullptr : &found->second;
}

Error Unreadable(std::string_view name, std::string_view value, std::string_view expected) {
  return Error::BadRequest(fmt::format("annotation {}{}: \"{}\" is not {}; correct or remove it",
                                       kPrefix, name, value, expected));
}

Result<std::optional<nanoseconds>> ReadDuration(const Pod& pod, std::string_view name) {
  const std::string* text = FindAnnotation(pod, name);
  if (text == nullptr) return std::optional<nanoseconds>();
  const Result<Duration> duration = Duration::Parse(*text);
  if (!duration.ok() || duration->value() < nanoseconds(0)) {
    return Unreadable(name, *text, "a duration such as 1m30s");
  }
  return std::optional(duration->value());
}

Result<std::optional<int32_t>> ReadExitCode(const Pod& pod) {
  const std::string* text = FindAnnotation(pod, "exit-code");
  if (text == nullptr) return std::optional<int32_t>();
  int32_t code = -1;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), code);
  if (error != std::errc() || end != text->data() + text->size() || code < 0 || code > 255) {
    return Unreadable("exit-code", *text, "a number from 0 to 255");
  }
  return std::optional(code);
}

// ---- Identifiers that look random and are reproducible.

std::string HexDigits(std::string_view of, size_t count) {
  std::string digits;
  uint64_t state = std::hash<std::string_view>()(of);
  while (digits.size() < count) {
    state += 0x9e3779b97f4a7c15;
    uint64_t mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    fmt::format_to(std::back_inserter(digits), "{:016x}", mixed ^ (mixed >> 31));
  }
  digits.resize(count);
  return digits;
}

std::string ImageId(std::string_view image) {
  const size_t slash = image.rfind('/');
  const size_t colon = image.rfind(':');
  const bool tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return fmt::format("{}@sha256:{}", tagged ? image.substr(0, colon) : image, HexDigits(image, 64));
}

bool HasStableName(const Pod& pod) {
  const OwnerReference* owner = ControllerOf(pod.metadata);
  return owner != nullptr && owner->kind == "StatefulSet";
}

bool IsSidecar(const Container& container) { return container.restart_policy == "Always"; }

// ---- The kubelet's part of the Pod lifecycle.

class PodSimulation {
 public:
  PodSimulation(const Pod& pod, const PodBehavior& behavior, const PodAddressing& addressing,
                Clock::WallTime now)
      : pod_(pod),
        behaviour_(behavior),
        addressing_(addressing),
        now_(now),
        now_in_seconds_(std::chrono::floor<seconds>(now)),
        status_(pod.status) {}

  PodStep Run() {
    if (IsFinished(pod_)) return {};
    Begin();
    const bool initialized = RunInitContainers();
    if (initialized) RunContainers();
    status_.phase = Phase(initialized);
    if (HasEnded()) EndSidecars();
    SetConditions(initialized);
    return Finish({.next = HasEnded() ? std::nullopt : next_});
  }

  PodStep End() {
    const Clock::WallTime deadline = pod_.metadata.deletion_timestamp.value();
    const seconds grace = BoundedSeconds(pod_.metadata.deletion_grace_period_seconds.value_or(0));
    const auto end = std::min(
        deadline, deadline - grace +
                      std::chrono::floor<Clock::WallTime::duration>(behaviour_.terminate_after));
    if (now_ < end) return {.next = end};
    // A finalizer may delay the removal of the Pod, so its status has to be final.
    const bool held = !pod_.metadata.finalizers.empty();
    PodStep step{.remove = !held || grace > seconds(0)};
    if (!held || IsFinished(pod_)) return step;
    Begin();
    TerminateAll();
    status_.phase = "Failed";
    SetConditions(true);
    return Finish(step);
  }

 private:
  PodStep Finish(PodStep step) {
    if (!SemanticEqual(status_, pod_.status)) step.status = std::move(status_);
    return step;
  }

  void Begin() {
    if (status_.start_time.IsZero()) status_.start_time = now_in_seconds_;
    status_.observed_generation = pod_.metadata.generation.value_or(0);
    SetAddresses();
    const bool waits_for_init = !pod_.spec.init_containers.empty();
    const char* reason = waits_for_init ? "PodInitializing" : "ContainerCreating";
    AddMissing(pod_.spec.init_containers, "PodInitializing", status_.init_container_statuses);
    AddMissing(pod_.spec.containers, reason, status_.container_statuses);
    std::sort(status_.container_statuses.begin(), status_.container_statuses.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }

  void SetAddresses() {
    if (status_.host_ip.empty()) {
      status_.host_ip = addressing_.host_ip;
      status_.host_ips.clear();
      status_.host_ips.emplace_back().ip = addressing_.host_ip;
    }
    const std::string& address = pod_.spec.host_network ? addressing_.host_ip : addressing_.pod_ip;
    if (!status_.pod_ip.empty() || address.empty()) return;
    status_.pod_ip = address;
    status_.pod_ips.clear();
    status_.pod_ips.emplace_back().ip = address;
  }

  static void AddMissing(const std::vector<Container>& containers, const char* reason,
                         std::vector<ContainerStatus>& statuses) {
    for (const Container& container : containers) {
      if (Find(container.name, statuses) != nullptr) continue;
      ContainerStatus& status = statuses.emplace_back();
      status.name = container.name;
      status.image = container.image;
      status.started = false;
      status.state.waiting.emplace().reason = reason;
    }
  }

  static ContainerStatus* Find(std::string_view name, std::vector<ContainerStatus>& statuses) {
    const auto found = std::find_if(statuses.begin(), statuses.end(),
                                    [&](const auto& status) { return status.name == name; });
    return found == statuses.end() ? nullptr : &*found;
  }

  // Runs init containers sequentially; true if all are complete.
  bool RunInitContainers() {
    for (const Container& container : pod_.spec.init_containers) {
      ContainerStatus& status = *Find(container.name, status_.init_container_statuses);
      if (status.state.terminated) continue;
      if (!status.state.running) Start(status);
      if (IsSidecar(container)) {
        status.ready = true;
        continue;
      }
      if (!IsOver(status, behaviour_.init_for)) return false;
      Terminate(status, 0);
      status.ready = true;
    }
    return true;
  }

  void RunContainers() {
    for (ContainerStatus& status : status_.container_statuses) {
      if (behaviour_.fail_reason.empty()) {
        RunContainer(status);
      } else if (status.state.waiting) {
        status.state.waiting->reason = behaviour_.fail_reason;
      }
    }
  }

  void RunContainer(ContainerStatus& status) {
    // Again for a container that terminates and is restarted at once.
    for (int pass = 0; pass < 2; ++pass) {
      if (status.state.terminated) return;
      if (!status.state.running && !StartAgain(status)) return;
      if (!behaviour_.run_for || !IsOver(status, *behaviour_.run_for)) {
        if (!behaviour_.never_ready && IsOver(status, behaviour_.ready_after)) status.ready = true;
        return;
      }
      EndRun(status);
    }
  }

  // False while the container is in backoff.
  bool StartAgain(ContainerStatus& status) {
    if (status.last_state.terminated) {
      const auto due =
          status.last_state.terminated->finished_at.value() + RestartBackoff(status.restart_count);
      if (now_ < due) {
        WakeAt(due);
        return false;
      }
      ++status.restart_count;
    }
    Start(status);
    return true;
  }

  void EndRun(ContainerStatus& status) {
    Terminate(status, behaviour_.exit_code);
    const std::string& policy = pod_.spec.restart_policy;
    if (policy == "Never" || (policy == "OnFailure" && behaviour_.exit_code == 0)) return;
    status.last_state.terminated = std::move(status.state.terminated);
    status.state = {};
    const nanoseconds backoff = RestartBackoff(status.restart_count);
    corev1::ContainerStateWaiting& waiting = status.state.waiting.emplace();
    waiting.reason = "CrashLoopBackOff";
    waiting.message = fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                                  Duration(backoff).ToString(), status.name, pod_.metadata.name,
                                  pod_.metadata.namespace_name, pod_.metadata.uid);
    if (backoff > nanoseconds(0)) WakeAt(now_in_seconds_.value() + backoff);
  }

  void Start(ContainerStatus& status) {
    status.state = {};
    status.state.running.emplace().started_at = now_in_seconds_;
    status.started = true;
    status.image_id = ImageId(status.image);
    status.container_id =
        "containerd://" +
        HexDigits(fmt::format("{}/{}/{}", pod_.metadata.uid, status.name, status.restart_count),
                  64);
  }

  void Terminate(ContainerStatus& status, int32_t exit_code) {
    ContainerStateTerminated terminated;
    terminated.exit_code = exit_code;
    terminated.reason = exit_code == 0 ? "Completed" : "Error";
    if (status.state.running) terminated.started_at = status.state.running->started_at;
    terminated.finished_at = now_in_seconds_;
    terminated.container_id = status.container_id;
    status.state = {};
    status.state.terminated = std::move(terminated);
    status.started = false;
    status.ready = false;
  }

  void EndSidecars() {
    for (const Container& container : pod_.spec.init_containers) {
      if (!IsSidecar(container)) continue;
      ContainerStatus& status = *Find(container.name, status_.init_container_statuses);
      if (status.state.running) Terminate(status, 0);
    }
  }

  void TerminateAll() {
    for (auto* statuses : {&status_.init_container_statuses, &status_.container_statuses}) {
      for (ContainerStatus& status : *statuses) {
        if (!status.state.terminated) Terminate(status, kTerminatedExitCode);
      }
    }
  }

  // Whether a container has run for `time`; if not, the next step is due then.
  bool IsOver(const ContainerStatus& status, nanoseconds time) {
    const auto due = status.state.running->started_at.value() + time;
    if (now_ >= due || time == nanoseconds(0)) return true;
    WakeAt(due);
    return false;
  }

  void WakeAt(std::chrono::sys_time<nanoseconds> time) {
    if (!next_ || time < *next_)
      next_ = std::chrono::time_point_cast<Clock::WallTime::duration>(time);
  }

  bool HasEnded() const { return status_.phase == "Succeeded" || status_.phase == "Failed"; }

  std::string Phase(bool initialized) const {
    bool ended = initialized;
    bool failed = false;
    for (const ContainerStatus& status : status_.container_statuses) {
      if (status.state.waiting && !status.last_state.terminated) return "Pending";
      ended = ended && status.state.terminated;
      failed = failed || (status.state.terminated && status.state.terminated->exit_code != 0);
    }
    if (!ended) return initialized ? "Running" : "Pending";
    return failed ? "Failed" : "Succeeded";
  }

  // ---- Conditions.

  void SetCondition(const char* type, bool holds, std::string reason = "",
                    std::string message = "") {
    corev1::PodCondition condition;
    condition.type = type;
    condition.status = holds ? kConditionTrue : kConditionFalse;
    condition.reason = std::move(reason);
    condition.message = std::move(message);
    condition.observed_generation = status_.observed_generation;
    SetPodCondition(status_, std::move(condition), now_in_seconds_);
  }

  void SetConditions(bool initialized) {
    SetCondition("PodReadyToStartContainers", !HasEnded());
    SetInitialized(initialized);
    const std::vector<std::string> unready = Unready();
    if (HasEnded()) {
      const char* reason = status_.phase == "Succeeded" ? "PodCompleted" : "PodFailed";
      SetCondition("Ready", false, reason);
      SetCondition("ContainersReady", false, reason);
    } else if (!unready.empty()) {
      const std::string message =
          fmt::format("containers with unready status: [{}]", fmt::join(unready, " "));
      SetCondition("Ready", false, "ContainersNotReady", message);
      SetCondition("ContainersReady", false, "ContainersNotReady", message);
    } else {
      const std::string gates = ClosedGates();
      SetCondition("Ready", gates.empty(), gates.empty() ? "" : "ReadinessGatesNotReady", gates);
      SetCondition("ContainersReady", true);
    }
    SetCondition("PodScheduled", true);
  }

  void SetInitialized(bool initialized) {
    if (initialized) {
      SetCondition("Initialized", true, status_.phase == "Succeeded" ? "PodCompleted" : "");
      return;
    }
    std::vector<std::string> incomplete;
    for (const ContainerStatus& status : status_.init_container_statuses) {
      if (!status.ready) incomplete.push_back(status.name);
    }
    SetCondition(
        "Initialized", false, "ContainersNotInitialized",
        fmt::format("containers with incomplete status: [{}]", fmt::join(incomplete, " ")));
  }

  std::vector<std::string> Unready() const {
    std::vector<std::string> names;
    for (const ContainerStatus& status : status_.container_statuses) {
      if (!status.ready) names.push_back(status.name);
    }
    return names;
  }

  // Why a Pod is not ready although its containers are; empty: it is ready.
  std::string ClosedGates() const {
    std::vector<std::string> texts;
    for (const corev1::PodReadinessGate& gate : pod_.spec.readiness_gates) {
      const corev1::PodCondition* condition = FindPodCondition(status_, gate.condition_type);
      if (condition == nullptr) {
        texts.push_back(
            fmt::format("corresponding condition of pod readiness gate \"{}\" does not exist.",
                        gate.condition_type));
      } else if (condition->status != kConditionTrue) {
        texts.push_back(
            fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}",
                        gate.condition_type, condition->status));
      }
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  const Pod& pod_;
  const PodBehavior& behaviour_;
  const PodAddressing& addressing_;
  const Clock::WallTime now_;
  const Time now_in_seconds_;
  PodStatus status_;
  std::optional<Clock::WallTime> next_;
};

// Whether the Pod runs to completion. A Pod of a controller other than a Job does not, even if its
// containers are not restarted.
bool RunsToCompletion(const Pod& pod) {
  const OwnerReference* controller = ControllerOf(pod.metadata);
  const bool has_other_controller = controller != nullptr && controller->kind != "Job";
  return !has_other_controller &&
         (pod.spec.restart_policy == "Never" || pod.spec.restart_policy == "OnFailure");
}

}  // namespace

Result<PodBehavior> BehaviorOf(const Pod& pod) {
  PodBehavior behavior;
  ASSIGN_OR_RETURN(const auto init_for, ReadDuration(pod, "init-for"));
  ASSIGN_OR_RETURN(const auto ready_after, ReadDuration(pod, "ready-after"));
  ASSIGN_OR_RETURN(const auto terminate_after, ReadDuration(pod, "terminate-after"));
  ASSIGN_OR_RETURN(const auto exit_code, ReadExitCode(pod));
  ASSIGN_OR_RETURN(behavior.run_for, ReadDuration(pod, "run-for"));
  behavior.init_for = init_for.value_or(nanoseconds(0));
  behavior.ready_after = ready_after.value_or(nanoseconds(0));
  behavior.terminate_after =
      terminate_after.value_or(HasStableName(pod) ? kStableNameTermination : nanoseconds(0));
  behavior.exit_code = exit_code.value_or(0);
  if (!behavior.run_for && (RunsToCompletion(pod) || exit_code)) behavior.run_for = kDefaultRun;
  const std::string* never_ready = FindAnnotation(pod, "never-ready");
  behavior.never_ready = never_ready != nullptr && *never_ready == "true";
  if (const std::string* reason = FindAnnotation(pod, "fail")) behavior.fail_reason = *reason;
  return behavior;
}

nanoseconds RestartBackoff(int32_t restarts) {
  if (restarts <= 0) return nanoseconds(0);
  return restarts > 5 ? kMaxBackoff : std::min(kFirstBackoff * (1 << (restarts - 1)), kMaxBackoff);
}

PodStep NextPodStep(const Pod& pod, const PodBehavior& behavior, const PodAddressing& addressing,
                    Clock::WallTime now) {
  PodSimulation simulation(pod, behavior, addressing, now);
  return IsBeingDeleted(pod) ? simulation.End() : simulation.Run();
}

}  // namespace kubexms
