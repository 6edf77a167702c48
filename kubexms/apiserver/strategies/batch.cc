#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kubexms/api/values/cron_schedule.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

constexpr int64_t kMaxInt32 = 2147483647;
constexpr int64_t kMaxIndexedParallelism = 100000;
constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldUidLabel = "controller-uid";
constexpr std::string_view kOldNameLabel = "job-name";

constexpr int64_t kMaxFailedIndexes = 100000;
constexpr int64_t kManyCompletions = 100000;
constexpr int64_t kMaxParallelismOfMany = 10000;
constexpr int64_t kMaxFailedIndexesOfMany = 10000;
constexpr int64_t kMaxRules = 20;
constexpr int64_t kMaxExitCodes = 255;
constexpr int64_t kMaxIndexesText = 64 * 1024;
constexpr int64_t kMaxManagerName = 63;

bool HasContainer(const Field& spec, std::string_view name) {
  for (std::string_view list : {"template.spec.containers", "template.spec.initContainers"}) {
    const Field containers = spec[list];
    for (const Field& container : containers.Items()) {
      if (container["name"].Text() == name) return true;
    }
  }
  return false;
}

void ValidateExitCodeValues(const Field& codes) {
  const Field values = codes["values"];
  if (values.empty())
    return values.InvalidAs(values ? "[]" : "null", "at least one value is required");
  if (static_cast<int64_t>(values.size()) > kMaxExitCodes) values.TooMany(kMaxExitCodes);
  std::vector<int64_t> seen;
  bool ordered = true;
  for (const Field& value : values.Items()) {
    if (codes["operator"].Text() == "In" && value.Int() == 0)
      value.Invalid("must not be 0 for the In operator");
    if (std::find(seen.begin(), seen.end(), value.Int()) != seen.end()) value.Duplicate();
    if (!seen.empty() && seen.back() > value.Int()) ordered = false;
    seen.push_back(value.Int());
  }
  if (!ordered) values.Invalid("must be ordered");
}

void ValidateExitCodes(const Field& codes, const Field& spec) {
  const Field op = codes["operator"];
  if (op.MustBeSet(R"(valid values: ["In" "NotIn"])")) op.OneOf({"In", "NotIn"});
  if (const Field container = codes["containerName"];
      container && !HasContainer(spec, container.Text()))
    container.Invalid("must be one of the container or initContainer names in the pod template");
  ValidateExitCodeValues(codes);
}

void ValidateFailureRule(const Field& rule, const Field& spec) {
  const Field action = rule["action"];
  if (action.Text() == "FailIndex") {
    if (!spec["backoffLimitPerIndex"])
      action.Invalid("requires the backoffLimitPerIndex to be set");
  } else if (action.MustBeSet(R"(valid values: ["Count" "FailIndex" "FailJob" "Ignore"])")) {
    action.OneOf({"Count", "FailIndex", "FailJob", "Ignore"});
  }
  const Field codes = rule["onExitCodes"];
  const Field conditions = rule["onPodConditions"];
  if (codes) ValidateExitCodes(codes, spec);
  if (static_cast<int64_t>(conditions.size()) > kMaxRules) conditions.TooMany(kMaxRules);
  for (const Field& condition : conditions.Items()) {
    const Field type = condition["type"];
    for (const std::string& problem : ValidateQualifiedName(type.Text()))
      type.Invalid(Json(type.Text()), problem);
    const Field status = condition["status"];
    if (status.MustBeSet(R"(valid values: ["False" "True" "Unknown"])"))
      status.OneOf({"False", "True", "Unknown"});
  }
  if (codes && !conditions.empty())
    rule.InvalidWithoutValue("specifying both OnExitCodes and OnPodConditions is not supported");
  if (!codes && conditions.empty())
    rule.InvalidWithoutValue("specifying one of OnExitCodes and OnPodConditions is required");
}

void ValidateFailurePolicy(const Field& policy, const Field& spec) {
  const Field rules = policy["rules"];
  if (static_cast<int64_t>(rules.size()) > kMaxRules) rules.TooMany(kMaxRules);
  for (const Field& rule : rules.Items()) ValidateFailureRule(rule, spec);
}

// The number of indexes in a text such as "1,3-5", all of which must be below `completions`.
Result<int64_t> CountIndexes(std::string_view text, int64_t completions) {
  int64_t total = 0;
  int64_t last = -1;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view interval = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    std::vector<int64_t> limits;
    for (std::string_view rest = interval;;) {
      const size_t dash = std::min(rest.find('-'), rest.size());
      const std::string_view number = rest.substr(0, dash);
      int64_t index = 0;
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), index);
      if (error != std::errc() || end != number.data() + number.size())
        return Error::BadRequest(
            fmt::format("cannot convert string to integer for index: {}", Quoted(number)));
      if (index >= completions)
        return Error::BadRequest(fmt::format("too large index: {}", Quoted(number)));
      limits.push_back(index);
      if (dash == rest.size()) break;
      rest.remove_prefix(dash + 1);
    }
    if (limits.size() > 2)
      return Error::BadRequest(fmt::format(
          "the fragment {} violates the requirement that an index interval can have at most two "
          "parts separated by '-'",
          Quoted(interval)));
    if (limits.front() <= last)
      return Error::BadRequest(
          fmt::format("non-increasing order, previous: {}, current: {}", last, limits.front()));
    if (limits.back() < limits.front() || (limits.size() == 2 && limits[0] == limits[1]))
      return Error::BadRequest(fmt::format("non-increasing order, previous: {}, current: {}",
                                           limits.front(), limits.back()));
    total += limits.back() - limits.front() + 1;
    last = limits.back();
  }
  return total;
}

void ValidateSuccessRule(const Field& rule, int64_t completions) {
  const Field count = rule["succeededCount"];
  const Field indexes = rule["succeededIndexes"];
  if (!count && !indexes)
    rule.Required("at least one of succeededCount or succeededIndexes must be specified");
  int64_t total = 0;
  if (indexes) {
    if (static_cast<int64_t>(indexes.size()) > kMaxIndexesText) indexes.TooLong(kMaxIndexesText);
    const Result<int64_t> counted = CountIndexes(indexes.Text(), completions);
    if (counted.ok()) {
      total = *counted;
    } else {
      indexes.Invalid("error parsing succeededIndexes: " + counted.error().message());
    }
  }
  if (!count) return;
  count.AtLeast(0);
  if (count.Int() > completions)
    count.Invalid(
        fmt::format("must be less than or equal to {} (the number of specified "
                    "completions)",
                    completions));
  if (indexes && count.Int() > total)
    count.Invalid(
        fmt::format("must be less than or equal to {} (the number of indexes in the "
                    "specified succeededIndexes field)",
                    total));
}

void ValidateSuccessPolicy(const Field& policy, const Field& spec) {
  const Field rules = policy["rules"];
  rules.MustBeSet("at least one rules must be specified when the successPolicy is specified");
  if (static_cast<int64_t>(rules.size()) > kMaxRules) rules.TooMany(kMaxRules);
  for (const Field& rule : rules.Items()) ValidateSuccessRule(rule, spec["completions"].Int());
}

// Limits of Indexed jobs.
void ValidateIndexedJob(const Field& spec) {
  const Field completions = spec["completions"];
  const Field parallelism = spec["parallelism"];
  const Field failed = spec["maxFailedIndexes"];
  if (!completions) completions.Required("when completion mode is Indexed");
  if (parallelism.Int() > kMaxIndexedParallelism)
    parallelism.Invalid(
        fmt::format("must be less than or equal to {} when completion mode is Indexed",
                    kMaxIndexedParallelism));
  if (completions && failed && failed.Int() > completions.Int())
    failed.Invalid("must be less than or equal to completions");
  if (failed.Int() > kMaxFailedIndexes)
    failed.Invalid(fmt::format("must be less than or equal to {}", kMaxFailedIndexes));
  if (completions.Int() <= kManyCompletions || !spec["backoffLimitPerIndex"]) return;
  const std::string many = fmt::format(
      "when completions are above {} and used with backoff limit per index", kManyCompletions);
  if (!failed)
    failed.Required(
        fmt::format("must be specified when completions is above {}", kManyCompletions));
  if (parallelism.Int() > kMaxParallelismOfMany)
    parallelism.Invalid(
        fmt::format("must be less than or equal to {} {}", kMaxParallelismOfMany, many));
  if (failed.Int() > kMaxFailedIndexesOfMany)
    failed.Invalid(
        fmt::format("must be less than or equal to {} {}", kMaxFailedIndexesOfMany, many));
}

void ValidateManager(const Field& manager) {
  if (!manager) return;
  ValidateDomainPrefixedPath(manager);
  if (static_cast<int64_t>(manager.size()) > kMaxManagerName) manager.TooLong(kMaxManagerName);
}

void ValidateReplacementPolicy(const Field& spec) {
  const Field policy = spec["podReplacementPolicy"];
  if (!policy) return;
  if (spec["podFailurePolicy"]) {
    policy.MustBeOneOf({"Failed"});
  } else {
    policy.MustBeOneOf({"Failed", "TerminatingOrFailed"});
  }
}

void ValidateRestartPolicy(const Field& spec) {
  const Field restart = spec["template.spec.restartPolicy"];
  if (restart.empty() || restart.Text() == "Always") {
    restart.Required("valid values: \"OnFailure\", \"Never\"");
  } else if (restart.Text() != "OnFailure" && restart.Text() != "Never") {
    restart.NotSupported({"OnFailure", "Never"});
  } else if (spec["podFailurePolicy"] && restart.Text() != "Never") {
    restart.Invalid("only \"Never\" is supported when podFailurePolicy is specified");
  }
}

// The rules of jobs and of the templates of cron jobs.
void ValidateJobSpec(const Field& spec) {
  for (std::string_view name :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
        "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"})
    spec[name].AtLeast(0);
  if (spec["maxFailedIndexes"] && !spec["backoffLimitPerIndex"])
    spec["backoffLimitPerIndex"].Required("when maxFailedIndexes is specified");
  ValidateManager(spec["managedBy"]);
  const Field mode = spec["completionMode"];
  if (mode) mode.MustBeOneOf({"NonIndexed", "Indexed"});
  const bool indexed = mode.Text() == "Indexed";
  if (indexed) {
    ValidateIndexedJob(spec);
  } else if (!mode || mode.Text() == "NonIndexed") {
    for (std::string_view name : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
      if (spec[name]) spec[name].Invalid("requires indexed completion mode");
    }
  }
  if (const Field policy = spec["podFailurePolicy"]) ValidateFailurePolicy(policy, spec);
  if (const Field policy = spec["successPolicy"]) {
    if (!indexed) {
      policy.Invalid("requires indexed completion mode");
    } else {
      ValidateSuccessPolicy(policy, spec);
    }
  }
  ValidateReplacementPolicy(spec);
  const Field pod_template = spec["template"];
  ValidatePodTemplate(pod_template);
  ValidateRestartPolicy(spec);
}

class JobStrategy : public KindStrategy {
 public:
  JobStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

  void SetDefaults(JsonObject& job) const override {
    SetPodTemplateDefaults(job, "spec.template");
    JsonObject* spec = FindObject(job, "spec");
    if (spec == nullptr) return;
    if (Find(*spec, "parallelism") == nullptr) SetDefault(*spec, "completions", 1);
    SetDefault(*spec, "parallelism", 1);
    const bool per_index = Find(*spec, "backoffLimitPerIndex") != nullptr;
    SetDefault(*spec, "backoffLimit", per_index ? kMaxInt32 : 6);
    SetDefault(*spec, "completionMode", "NonIndexed");
    SetDefault(*spec, "suspend", false);
    SetDefault(*spec, "manualSelector", false);
    const bool replace_failed = Find(*spec, "podFailurePolicy") != nullptr;
    SetDefault(*spec, "podReplacementPolicy", replace_failed ? "Failed" : "TerminatingOrFailed");
    SetLabelsFromTemplate(job);
  }

  void PrepareForCreate(JsonObject& job) const override {
    job["status"] = JsonObject();
    if (TrueAt(job, "spec.manualSelector") || FindObject(job, "spec") == nullptr) return;
    const Json uid(TextAt(job, "metadata.uid"));
    const Json name(TextAt(job, "metadata.name"));
    // A job without labels gets those of its template, including the generated ones.
    const bool shares_labels =
        SemanticEqual(Find(job, "metadata.labels"), Find(job, "spec.template.metadata.labels"));
    JsonObject& labels = EnsureObject(job, "spec.template.metadata.labels");
    // Existing labels are preserved; validation refuses those of another job.
    SetDefault(labels, kUidLabel, uid);
    SetDefault(labels, kOldUidLabel, uid);
    SetDefault(labels, kNameLabel, name);
    SetDefault(labels, kOldNameLabel, name);
    SetDefault(EnsureObject(job, "spec.selector.matchLabels"), kUidLabel, uid);
    if (shares_labels) EnsureObject(job, "metadata")["labels"] = JsonObject(labels);
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    if (!spec["manualSelector"].IsTrue()) ValidateGeneratedSelector(root);
    ValidateJobSpec(spec);
    const Field selector = spec["selector"];
    if (!selector) return selector.Required();
    ValidateLabelSelector(selector);
    const Field labels = spec["template.metadata.labels"];
    if (!SelectorMatches(selector, TextMap(labels.value())))
      labels.Invalid(labels ? labels.ToJson() : Json(JsonObject()),
                     "`selector` does not match template `labels`");
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field old_root(old_object);
    const Field spec = root["spec"];
    const Field old = old_root["spec"];
    ValidateCompletionsUpdate(spec, old);
    spec["selector"].Immutable(old["selector"]);
    if (!SameTemplates(object, old_object)) spec["template"].Invalid("field is immutable");
    spec.ImmutableMembers(old, {"completionMode", "podFailurePolicy", "backoffLimitPerIndex",
                                "managedBy", "successPolicy"});
  }

 private:
  // The server generates the labels that select the pods of a job.
  static void ValidateGeneratedSelector(const Field& job) {
    const Field selector = job["spec.selector"];
    if (!selector) return;
    const std::string uid(job["metadata.uid"].Text());
    const std::string name(job["metadata.name"].Text());
    const StringMap expected{{std::string(kOldUidLabel), uid},
                             {std::string(kOldNameLabel), name},
                             {std::string(kUidLabel), uid},
                             {std::string(kNameLabel), name}};
    const Field labels = job["spec.template.metadata.labels"];
    for (std::string_view key : {kOldUidLabel, kOldNameLabel, kUidLabel, kNameLabel}) {
      const Field label = labels.Entry(key);
      const std::string& wanted = expected.at(std::string(key));
      const std::string rule = fmt::format("must be '{}'", wanted);
      if (!label) {
        label.Required(rule);
      } else if (label.Text() != wanted) {
        label.Invalid(labels.ToJson(), rule);
      }
    }
    if (!SelectorMatches(selector, expected)) selector.Invalid("`selector` not auto-generated");
  }

  static void SetLabelsFromTemplate(JsonObject& job) {
    const JsonObject* labels = FindObject(std::as_const(job), "spec.template.metadata.labels");
    if (labels == nullptr || labels->empty()) return;
    const JsonObject copy = *labels;
    JsonObject& own = EnsureObject(job, "metadata.labels");
    if (own.empty()) own = copy;
  }

  // The completions of an Indexed job may change together with its parallelism.
  static void ValidateCompletionsUpdate(const Field& spec, const Field& old) {
    const Field completions = spec["completions"];
    if (completions.SameAs(old["completions"])) return;
    const bool elastic = spec["completionMode"].Text() == "Indexed" &&
                         spec["completions"].Int() == spec["parallelism"].Int();
    if (elastic) return;
    if (spec["completionMode"].Text() == "Indexed") {
      completions.Invalid("can only be modified in tandem with .spec.parallelism");
    } else {
      completions.Invalid("field is immutable");
    }
  }

  // The scheduling fields of the template may change while a job is suspended and has never
  // started.
  static bool SameTemplates(const JsonObject& job, const JsonObject& old_job) {
    const Json* after = Find(job, "spec.template");
    const Json* before = Find(old_job, "spec.template");
    const bool may_steer =
        TrueAt(old_job, "spec.suspend") && Find(old_job, "status.startTime") == nullptr;
    if (!may_steer || after == nullptr || before == nullptr || !before->is_object())
      return SemanticEqual(after, before);
    JsonObject changed = after->get_object();
    const JsonObject& old_template = before->get_object();
    for (std::string_view name : {"labels", "annotations"}) {
      if (const JsonObject* metadata = FindObject(old_template, "metadata"))
        CopyMember(EnsureObject(changed, "metadata"), *metadata, name);
    }
    for (std::string_view name : {"nodeSelector", "tolerations", "affinity", "schedulingGates"}) {
      if (const JsonObject* spec = FindObject(old_template, "spec"))
        CopyMember(EnsureObject(changed, "spec"), *spec, name);
    }
    const Json steered(std::move(changed));
    return SemanticEqual(&steered, before);
  }
};

class CronJobStrategy : public KindStrategy {
 public:
  CronJobStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

  Messages ValidateName(std::string_view name) const override {
    Messages problems = ValidateDns1123Subdomain(name);
    // The names of the created jobs have eleven more characters: a dash and the time.
    if (name.size() > 52) problems.push_back("must be no more than 52 characters");
    return problems;
  }
  void SetDefaults(JsonObject& job) const override {
    JsonObject* job_template = FindObject(job, "spec.jobTemplate");
    if (job_template == nullptr) return;
    SetDefault(*job_template, "metadata", JsonObject());
    SetPodTemplateDefaults(*job_template, "spec.template");
  }
  void PrepareForCreate(JsonObject& job) const override { job["status"] = JsonObject(); }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    ValidateSchedule(spec);
    spec["startingDeadlineSeconds"].AtLeast(0);
    spec["concurrencyPolicy"].SetAndOneOf({"Allow", "Forbid", "Replace"});
    const Field job_spec = spec["jobTemplate.spec"];
    if (const Field selector = job_spec["selector"])
      selector.Invalid("`selector` will be auto-generated");
    if (const Field manual = job_spec["manualSelector"]; manual.IsTrue())
      manual.NotSupported({"nil", "false"});
    ValidateJobSpec(job_spec);
    spec["successfulJobsHistoryLimit"].AtLeast(0);
    spec["failedJobsHistoryLimit"].AtLeast(0);
  }

 private:
  static void ValidateSchedule(const Field& spec) {
    const Field schedule = spec["schedule"];
    const Field zone = spec["timeZone"];
    if (schedule.MustBeSet()) {
      const Result<CronSchedule> parsed = CronSchedule::Parse(schedule.Text());
      if (!parsed.ok()) schedule.Invalid(parsed.error().message());
      if (schedule.Text().find("TZ") != std::string_view::npos)
        schedule.Invalid(zone ? "cannot use both timeZone field and TZ or CRON_TZ in schedule"
                              : "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    }
    if (zone) ValidateTimeZone(zone);
  }

  static void ValidateTimeZone(const Field& zone) {
    if (zone.empty()) return zone.Invalid("timeZone must be nil or non-empty string");
    if (zone.Text() == "Local" || zone.Text() == "local")
      zone.Invalid(
          "timeZone must be an explicit time zone as defined in "
          "https://www.iana.org/time-zones");
    if (const Result<TimeZone> known = TimeZone::Load(zone.Text()); !known.ok())
      zone.Invalid(known.error().message());
  }
};

}  // namespace

void AddBatchStrategies(StrategyTable& table) {
  table.Add("batch", "Job", std::make_unique<JobStrategy>());
  table.Add("batch", "CronJob", std::make_unique<CronJobStrategy>());
}

}  // namespace kubexms
