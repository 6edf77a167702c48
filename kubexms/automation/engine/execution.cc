#include "kubexms/automation/engine/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/journal/timestamp.h"

namespace kubexms::automation {
namespace {

constexpr std::chrono::seconds kHeartbeat(20);
constexpr int64_t kStaleSeconds = 120;
constexpr std::chrono::minutes kLongestPause(1);
constexpr size_t kMaxTimeline = 100'000;

std::string Joined(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, ", "));
}

// Whether the timeline of a report includes the event.
bool IsInTimeline(Event::Type type) {
  return type != Event::Type::kTaskPlanned && type != Event::Type::kStepStarted &&
         type != Event::Type::kStepUnchanged && type != Event::Type::kHostFinished &&
         type != Event::Type::kHostChecked;
}

int64_t UndoParallel(const TaskNode& node) {
  if (node.task.undo_parallel > 0) return node.task.undo_parallel;
  return node.group ? node.group->max_unavailable : node.task.parallel;
}

bool MayRetry(const RetryPolicy& policy, int attempt, const Error& error) {
  if (attempt >= policy.attempts || error.terminal() || IsCanceled(error)) return false;
  return policy.any_error || IsConnectionLost(error);
}

}  // namespace

namespace {

// The facts of a host after the planned changes, as far as later steps depend on them. Without the
// prediction a plan would not show the restarts that follow from the files it writes.
class PredictedFacts {
 public:
  explicit PredictedFacts(const Facts& now) : facts_(now) {}

  const Facts& facts() const { return facts_; }
  void Add(const Change& change) {
    for (const Operation& operation : change.operations) {
      std::visit([this](const auto& op) { Add(op); }, operation);
    }
  }

 private:
  // Later than every timestamp of hosts; each later than the one before.
  int64_t NextTime() { return time_++; }

  template <class Op>
  void Add(const Op&) {}
  void Add(const BackupPath& op) { Touch(op.path); }
  void Add(const WriteFile& op) {
    PathState state{.kind = "file",
                    .mode = op.mode,
                    .owner = op.owner.empty() ? "root" : op.owner,
                    .group = op.group.empty() ? "root" : op.group,
                    .size = static_cast<int64_t>(op.content.size()),
                    .modified_ns = NextTime(),
                    .sha256 = Sha256Of(op.content),
                    .content = op.content};
    facts_.Add(GetPath{op.path, true}, std::move(state));
  }
  void Add(const SetService& op) {
    const ServiceState* known = facts_.Find(GetService{op.service});
    if (!known) return;
    ServiceState state = *known;
    if (!op.active.empty()) state.active = op.active != "stop";
    if (!op.active.empty()) state.active_since_ns = NextTime();
    if (!op.enabled.empty()) state.enabled = op.enabled == "enable";
    facts_.Add(GetService{op.service}, state);
  }
  // The path is about to change.
  void Touch(const std::string& path) {
    for (const bool content : {false, true}) {
      const PathState* known = facts_.Find(GetPath{path, content});
      if (!known || !known->exists()) continue;
      PathState state = *known;
      state.modified_ns = NextTime();
      facts_.Add(GetPath{path, content}, std::move(state));
    }
  }

  Facts facts_;
  int64_t time_ = std::numeric_limits<int64_t>::max() / 2;
};

}  // namespace

Error Redacted(const Error& error, const SecretRegistry& secrets) {
  return Error(error.code(), error.reason(), secrets.Redact(error.message()), error.details());
}

AcquireLock AcquireHostLock(const Runtime& runtime, const std::string& run) {
  return {.path = runtime.host_directory() + "/lock",
          .owner = "run " + run,
          .stale_seconds = kStaleSeconds,
          .required = true};
}

ReleaseLock ReleaseHostLock(const Runtime& runtime, const std::string& run) {
  const AcquireLock taken = AcquireHostLock(runtime, run);
  return {.path = taken.path, .owner = taken.owner};
}

void ForEach(size_t count, int parallel, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  const size_t threads = std::min(count, static_cast<size_t>(std::max(1, parallel)));
  std::vector<std::jthread> workers;
  for (size_t i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (size_t index = next++; index < count; index = next++) work(index);
    });
  }
}

RunExecution::RunExecution(Runtime* runtime, const RunOptions* options, std::string run,
                           const std::vector<TaskNode>* nodes, Journal* journal)
    : runtime_(runtime),
      options_(options),
      run_(std::move(run)),
      nodes_(nodes),
      journal_(journal),
      states_(nodes->size()) {
  for (size_t i = 0; i < nodes->size(); ++i) {
    for (const Host* host : (*nodes)[i].hosts) {
      HostState& state = hosts_[host->name];
      state.host = host;
      states_[i].pending.push_back(&state);
    }
  }
}

StepContext RunExecution::ContextOf(const Host& host) const {
  return {.runtime = *runtime_,
          .host = host,
          .run = run_,
          .backup_directory = fmt::format("{}/runs/{}/backup", runtime_->host_directory(), run_),
          .stop = options_->stop};
}

void RunExecution::Emit(Event event) {
  event.run = run_;
  event.time = runtime_->clock().Now();
  event.text = runtime_->secrets().Redact(event.text);
  event.diff = runtime_->secrets().Redact(event.diff);
  const bool keep = IsInTimeline(event.type);
  if (options_->events) options_->events->OnEvent(event);
  MutexLock lock(mutex_);
  unchanged_steps_ += event.type == Event::Type::kStepUnchanged;
  changed_steps_ += event.type == Event::Type::kStepChanged;
  if (keep && timeline_.size() < kMaxTimeline) timeline_.push_back(std::move(event));
}

Event RunExecution::MakeEvent(Event::Type type, const Unit& unit, const std::string& step) const {
  const TaskNode& node = (*nodes_)[unit.node];
  return {.type = type,
          .module = node.module,
          .task = node.task.name,
          .host = unit.host->host->name,
          .step = step};
}

std::vector<Event> RunExecution::Timeline() {
  MutexLock lock(mutex_);
  return timeline_;
}

void RunExecution::Fill(RunReport& report) {
  MutexLock lock(mutex_);
  report.error = error_;
  report.changed = changed_steps_;
  report.unchanged = unchanged_steps_;
  for (const auto& [name, host] : hosts_) {
    if (host.failed) report.failed_hosts.emplace(name, *host.failed);
  }
  const bool complete =
      std::all_of(states_.begin(), states_.end(), [](const auto& state) { return state.finished; });
  if (options_->stop.stop_requested() && !complete) {
    report.outcome = RunOutcome::kCanceled;
    if (!report.error) report.error = Canceled("the run");
  } else if (stopping_) {
    report.outcome = RunOutcome::kFailed;
  } else if (!report.failed_hosts.empty()) {
    report.outcome = RunOutcome::kSomeHostsFailed;
  }
}

// All queries of a host in one round trip.
void RunExecution::GatherFacts(const std::vector<HostState*>& hosts) {
  ForEach(hosts.size(), options_->parallel, [&](size_t i) {
    HostState& state = *hosts[i];
    const StepContext context = ContextOf(*state.host);
    std::vector<Operation> queries;
    for (const TaskNode& node : *nodes_) {
      if (std::find(node.hosts.begin(), node.hosts.end(), state.host) == node.hosts.end()) continue;
      for (const StepPtr& step : node.task.steps) {
        Result<std::vector<Operation>> listed = step->ListQueries(context);
        if (listed.ok()) std::move(listed->begin(), listed->end(), std::back_inserter(queries));
      }
    }
    Result<Facts> facts =
        runtime_->RunnerFor(*state.host, {.stop = options_->stop}).Gather(queries);
    Emit({.type = Event::Type::kHostChecked, .host = state.host->name, .hosts = hosts.size()});
    if (facts.ok()) {
      state.planned = std::move(facts).value();
      return;
    }
    MutexLock lock(mutex_);
    FailHost(state, facts.error().WithContext(state.host->name));
  });
}

RunPlan RunExecution::MakePlan(const std::string& pipeline) {
  std::vector<HostState*> hosts;
  for (const Host& host : runtime_->hosts()) {
    if (const auto found = hosts_.find(host.name); found != hosts_.end()) {
      hosts.push_back(&found->second);
    }
  }
  GatherFacts(hosts);
  RunPlan plan{.pipeline = pipeline};
  for (const HostState* state : hosts) {
    if (state->failed)
      plan.unreachable.push_back(state->failed->message());
    else
      plan.facts.emplace(state->host->name, state->planned);
  }
  std::map<std::string, PredictedFacts> predicted_facts;
  for (const TaskNode& node : *nodes_) {
    for (const Host* host : node.hosts) {
      const HostState& state = hosts_.at(host->name);
      if (state.failed) continue;
      PredictedFacts& predicted =
          predicted_facts.try_emplace(host->name, state.planned).first->second;
      const StepContext context = ContextOf(*host);
      for (const StepPtr& step : node.task.steps) {
        ++plan.checked;
        const Result<std::vector<Operation>> queries = step->ListQueries(context);
        Result<Change> change = Error::Internal("no facts were gathered for this step");
        if (!queries.ok()) change = queries.error();
        if (queries.ok() && state.planned.HasAll(*queries)) {
          change = step->Plan(context, predicted.facts());
        }
        if (change.ok()) {
          for (const std::string& warning : change->warnings) {
            plan.warnings.push_back(fmt::format("{}: {}", host->name, warning));
          }
        }
        if (change.ok() && change->empty()) continue;
        PlannedStep planned{node.module, node.task.name, step->name(), host->name, {}, {}};
        if (change.ok()) {
          predicted.Add(*change);
          planned.change = std::move(change).value();
          for (std::string& line : planned.change.summary) {
            line = runtime_->secrets().Redact(line);
          }
          for (FileDiff& file : planned.change.files) {
            file.diff = runtime_->secrets().Redact(file.diff);
          }
        } else {
          planned.error = Redacted(change.error(), runtime_->secrets());
        }
        plan.steps.push_back(std::move(planned));
      }
    }
  }
  return plan;
}

void RunExecution::SetResumedHosts(const std::set<std::string>& hosts) {
  for (auto& [name, state] : hosts_) state.locked = hosts.contains(name);
}

void RunExecution::UsePlan(const RunPlan& plan) {
  for (auto& [name, state] : hosts_) {
    if (const auto known = plan.facts.find(name); known != plan.facts.end()) {
      state.planned = known->second;
    }
  }
}

bool RunExecution::IsStopping() {
  if (options_->stop.stop_requested()) return true;
  MutexLock lock(mutex_);
  return stopping_;
}

void RunExecution::FailHost(HostState& host, const Error& failure) {
  const Error error = Redacted(failure, runtime_->secrets());
  host.failed = error;
  if (!error_) error_ = error;
  const auto failed = std::count_if(hosts_.begin(), hosts_.end(), [](const auto& entry) {
    return entry.second.failed.has_value();
  });
  if (failed > options_->max_failed_hosts) stopping_ = true;
}

bool RunExecution::IsReady(size_t index) {
  const TaskNode& node = (*nodes_)[index];
  return !states_[index].finished &&
         std::all_of(node.after.begin(), node.after.end(),
                     [&](size_t other) REQUIRES(mutex_) { return states_[other].finished; });
}

void RunExecution::StartNode(size_t index) {
  NodeState& state = states_[index];
  state.started = true;
  state.start = runtime_->clock().MonotonicNow();
  for (const size_t other : (*nodes_)[index].after) state.changed |= states_[other].changed;
}

bool RunExecution::FinishIfDone(size_t index) {
  NodeState& state = states_[index];
  if (state.running > 0 || !state.pending.empty()) return false;
  state.finished = true;
  changed_.NotifyAll();
  return true;
}

bool RunExecution::GroupAllows(const TaskNode& node, HostState& host) {
  if (!node.group) return true;
  const auto member = [&](const std::string& name) {
    return std::find(node.group->hosts.begin(), node.group->hosts.end(), name) !=
           node.group->hosts.end();
  };
  if (!member(host.host->name)) return true;
  int failed = 0, busy = 0;
  for (const auto& [name, other] : hosts_) {
    if (!member(name)) continue;
    failed += other.failed.has_value();
    busy += !other.failed && other.busy;
  }
  if (failed + busy < node.group->max_unavailable) return true;
  if (failed >= node.group->max_unavailable) {
    FailHost(host,
             Error::Conflict("hosts", host.host->name,
                             fmt::format("group {} has {} failed hosts and may lose only {}; "
                                         "repair them first",
                                         node.group->name, failed, node.group->max_unavailable)));
  }
  return false;
}

std::optional<RunExecution::Unit> RunExecution::ClaimUnit(size_t index) {
  NodeState& state = states_[index];
  const TaskNode& node = (*nodes_)[index];
  for (auto at = state.pending.begin(); at != state.pending.end();) {
    HostState& host = **at;
    if (node.task.parallel > 0 && state.running >= node.task.parallel) return std::nullopt;
    const bool allowed = !host.failed && !host.busy && GroupAllows(node, host);
    if (host.failed) {
      at = state.pending.erase(at);
    } else if (allowed) {
      state.pending.erase(at);
      ++state.running;
      host.busy = true;
      return Unit{.node = index, .host = &host, .stale = host.changed || state.changed};
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

std::optional<RunExecution::Unit> RunExecution::NextUnit() {
  MutexLock lock(mutex_);
  for (;;) {
    if (stopping_ || options_->stop.stop_requested()) return std::nullopt;
    bool all_finished = true, progress = false;
    for (size_t i = 0; i < states_.size(); ++i) {
      all_finished &= states_[i].finished;
      if (!IsReady(i)) continue;
      if (!states_[i].started) StartNode(i);
      std::optional<Unit> unit = ClaimUnit(i);
      if (unit) return unit;
      progress |= FinishIfDone(i);
    }
    if (all_finished || stopping_) return std::nullopt;
    if (!progress) changed_.Wait(mutex_);
  }
}

void RunExecution::Finish(const Unit& unit, const Result<bool>& through) {
  const TaskNode& node = (*nodes_)[unit.node];
  const bool complete = through.ok() && *through;
  if (complete) Emit(MakeEvent(Event::Type::kHostFinished, unit, ""));
  bool finished = false;
  std::chrono::nanoseconds duration{0};
  {
    MutexLock lock(mutex_);
    NodeState& state = states_[unit.node];
    --state.running;
    unit.host->busy = false;
    state.changed |= unit.changed;
    if (!through.ok() && !unit.host->failed) FailHost(*unit.host, through.error());
    if (!stopping_ && (complete || !through.ok())) finished = FinishIfDone(unit.node);
    duration = runtime_->clock().MonotonicNow() - state.start;
    changed_.NotifyAll();
  }
  if (!finished) return;
  Emit({.type = Event::Type::kTaskFinished,
        .module = node.module,
        .task = node.task.name,
        .duration = duration});
}

JournalRecord RunExecution::Record(const Unit& unit, size_t index, JournalRecord::Type type) const {
  const TaskNode& node = (*nodes_)[unit.node];
  return {.type = type,
          .run = run_,
          .time = FormatTimestamp(runtime_->clock().Now()),
          .task = node.id(),
          .step = node.task.steps[index]->name(),
          .host = unit.host->host->name};
}

Operation RunExecution::HostRecord(const JournalRecord& record) const {
  return AppendRecord{runtime_->host_directory() + "/journal",
                      WriteRecord(record, runtime_->secrets())};
}

std::vector<Operation> RunExecution::OpeningOperations(const JournalRecord& begin) const {
  std::vector<Operation> operations;
  for (const std::string& run : replaced_) operations.emplace_back(ReleaseHostLock(*runtime_, run));
  operations.emplace_back(AcquireHostLock(*runtime_, run_));
  JournalRecord record = begin;
  record.pipeline = pipeline_;
  record.config = config_;
  operations.push_back(HostRecord(record));
  return operations;
}

Result<std::vector<Operation>> RunExecution::QueriesFrom(const Unit& unit, size_t index) const {
  const TaskNode& node = (*nodes_)[unit.node];
  const StepContext context = ContextOf(*unit.host->host);
  std::vector<Operation> queries;
  for (size_t i = index; i < node.task.steps.size(); ++i) {
    ASSIGN_OR_RETURN(const std::vector<Operation> listed, node.task.steps[i]->ListQueries(context));
    queries.insert(queries.end(), listed.begin(), listed.end());
  }
  return Distinct(queries);
}

Result<std::vector<OperationResult>> RunExecution::Perform(
    const Unit& unit, const std::vector<Operation>& operations) {
  Runner runner = runtime_->RunnerFor(*unit.host->host, {.stop = options_->stop});
  return runner.Perform(operations, (*nodes_)[unit.node].task.timeout);
}

Result<void> RunExecution::Refresh(Unit& unit, size_t index) {
  ASSIGN_OR_RETURN(const std::vector<Operation> queries, QueriesFrom(unit, index));
  ASSIGN_OR_RETURN(std::vector<OperationResult> results, Perform(unit, queries));
  unit.facts = Facts();
  for (size_t i = 0; i < queries.size(); ++i) {
    unit.facts.Add(queries[i], std::move(results[i]));
  }
  unit.stale = false;
  return {};
}

Result<void> RunExecution::Apply(Unit& unit, size_t index, const Change& change) {
  const Step& step = *(*nodes_)[unit.node].task.steps[index];
  JournalRecord begin = Record(unit, index, JournalRecord::Type::kBegin);
  begin.summary = change.summary;
  begin.undo = change.undo;
  begin.undo_parallel = UndoParallel((*nodes_)[unit.node]);
  begin.point_of_no_return = change.point_of_no_return;
  RETURN_IF_ERROR(journal_->Append(begin));
  ASSIGN_OR_RETURN(const std::vector<Operation> queries, QueriesFrom(unit, index));
  std::vector<Operation> operations = OpeningOperations(begin);
  operations.insert(operations.end(), change.operations.begin(), change.operations.end());
  unit.stale = true;
  unit.changed = true;
  unit.host->changed = true;
  unit.host->locked = true;
  if (step.HasAction()) {
    RETURN_IF_ERROR(Perform(unit, operations));
    operations.clear();
    const StepContext context = ContextOf(*unit.host->host);
    Runner runner = runtime_->RunnerFor(
        *unit.host->host, {.backup_directory = context.backup_directory, .stop = options_->stop});
    RETURN_IF_ERROR(step.RunAction(context, runner, change));
  }
  operations.push_back(HostRecord(Record(unit, index, JournalRecord::Type::kDone)));
  const size_t first = operations.size();
  operations.insert(operations.end(), queries.begin(), queries.end());
  ASSIGN_OR_RETURN(std::vector<OperationResult> results, Perform(unit, operations));
  unit.facts = Facts();
  for (size_t i = 0; i < queries.size(); ++i) {
    unit.facts.Add(queries[i], std::move(results[first + i]));
  }
  unit.stale = false;
  return {};
}

Result<bool> RunExecution::TryStep(Unit& unit, size_t index, Change& change) {
  const Step& step = *(*nodes_)[unit.node].task.steps[index];
  const StepContext context = ContextOf(*unit.host->host);
  ASSIGN_OR_RETURN(const std::vector<Operation> queries, step.ListQueries(context));
  if (unit.stale || !unit.facts.HasAll(queries)) RETURN_IF_ERROR(Refresh(unit, index));
  ASSIGN_OR_RETURN(change, step.Plan(context, unit.facts));
  if (change.empty()) return false;
  RETURN_IF_ERROR(Apply(unit, index, change));
  ASSIGN_OR_RETURN(const Change left, step.Plan(context, unit.facts));
  if (!left.empty()) {
    return Error::Internal(
        fmt::format("applied, but the host still differs: {}", Joined(left.summary)));
  }
  RETURN_IF_ERROR(journal_->Append(Record(unit, index, JournalRecord::Type::kDone)));
  return true;
}

Result<void> RunExecution::RunStep(Unit& unit, size_t index) {
  const TaskNode& node = (*nodes_)[unit.node];
  const std::string& name = node.task.steps[index]->name();
  const auto start = runtime_->clock().MonotonicNow();
  std::chrono::nanoseconds pause = node.task.retry.first_pause;
  Emit(MakeEvent(Event::Type::kStepStarted, unit, name));
  for (int attempt = 1;; ++attempt) {
    Change change;
    const Result<bool> changed = TryStep(unit, index, change);
    Event event = MakeEvent(Event::Type::kStepUnchanged, unit, name);
    event.duration = runtime_->clock().MonotonicNow() - start;
    if (changed.ok()) {
      if (*changed) event.type = Event::Type::kStepChanged;
      event.text = Joined(change.summary);
      event.diff = change.Diff();
      Emit(std::move(event));
      return {};
    }
    const bool retry = MayRetry(node.task.retry, attempt, changed.error());
    event.type = retry ? Event::Type::kStepRetried : Event::Type::kStepFailed;
    event.text = changed.error().message();
    Emit(std::move(event));
    unit.stale = true;
    if (retry && runtime_->clock().SleepFor(pause, options_->stop)) {
      pause = std::min<std::chrono::nanoseconds>(2 * pause, kLongestPause);
      continue;
    }
    JournalRecord failed = Record(unit, index, JournalRecord::Type::kFailed);
    failed.message = changed.error().message();
    RETURN_IF_ERROR(journal_->Append(failed));
    return changed.error().WithContext(
        fmt::format("{}: {}: {}", unit.host->host->name, node.id(), name));
  }
}

Result<bool> RunExecution::RunUnit(Unit& unit) {
  const size_t steps = (*nodes_)[unit.node].task.steps.size();
  if (!unit.stale) unit.facts = unit.host->planned;
  for (size_t i = 0; i < steps; ++i) {
    if (IsStopping()) return false;
    RETURN_IF_ERROR(RunStep(unit, i));
  }
  return true;
}

void RunExecution::EmitPlannedTasks() {
  for (const TaskNode& node : *nodes_) {
    if (node.hosts.empty()) continue;
    Emit({.type = Event::Type::kTaskPlanned,
          .module = node.module,
          .task = node.task.name,
          .hosts = node.hosts.size()});
  }
}

void RunExecution::RunUnits() {
  while (std::optional<Unit> unit = NextUnit()) {
    Emit({.type = Event::Type::kTaskStarted,
          .module = (*nodes_)[unit->node].module,
          .task = (*nodes_)[unit->node].task.name,
          .host = unit->host->host->name});
    Finish(*unit, RunUnit(*unit));
  }
}

// Renews the locks of busy hosts, so that they do not become stale during a long step.
void RunExecution::RenewLocks(std::stop_token stop) {
  AcquireLock renewal = AcquireHostLock(*runtime_, run_);
  renewal.required = false;
  while (runtime_->clock().SleepFor(kHeartbeat, stop)) {
    std::vector<const Host*> held;
    {
      MutexLock lock(mutex_);
      for (const auto& [name, host] : hosts_) {
        if (host.busy && host.locked) held.push_back(host.host);
      }
    }
    for (const Host* host : held) {
      // A host that cannot be reached fails the unit that works on it.
      static_cast<void>(
          runtime_->RunnerFor(*host, {.stop = stop}).Perform(std::vector<Operation>{renewal}).ok());
    }
  }
}

void RunExecution::ReleaseLocks() {
  std::vector<const Host*> held;
  for (const auto& [name, host] : hosts_) {
    if (host.locked) held.push_back(host.host);
  }
  ForEach(held.size(), options_->parallel, [&](size_t i) {
    // Also after a stop. A lock that cannot be released now becomes stale.
    Runner runner = runtime_->RunnerFor(*held[i]);
    static_cast<void>(
        runner.Perform(std::vector<Operation>{ReleaseHostLock(*runtime_, run_)}).ok());
  });
}

void RunExecution::Execute() {
  EmitPlannedTasks();
  const std::stop_callback on_stop(options_->stop, [this] {
    MutexLock lock(mutex_);
    changed_.NotifyAll();
  });
  std::jthread heart([this](std::stop_token stop) { RenewLocks(stop); });
  const size_t workers =
      std::min(hosts_.size(), static_cast<size_t>(std::max(1, options_->parallel)));
  ForEach(std::max<size_t>(workers, 1), options_->parallel, [this](size_t) { RunUnits(); });
  heart.request_stop();
  heart.join();
  ReleaseLocks();
}

}  // namespace kubexms::automation
